"""Reading a document: blocks, sentences, figures, what they mean, and the facts of it all."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from assay.packs.regulatory.extractor.blocks import Block, BlockKind, after_markers, blocks
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.cues import DUTY
from assay.packs.regulatory.extractor.documents import Document, document_of
from assay.packs.regulatory.extractor.effect import of_document
from assay.packs.regulatory.extractor.facts import Facts
from assay.packs.regulatory.extractor.figures import figures, flat
from assay.packs.regulatory.extractor.meaning import Meaning
from assay.packs.regulatory.extractor.meanings import meanings
from assay.packs.regulatory.extractor.references import references
from assay.packs.regulatory.extractor.sentences import sentences
from assay.packs.regulatory.extractor.silences import (
    begins_recitals,
    ends_recitals,
    example_at,
    for_a_machine,
    is_aside,
    is_furniture,
    is_role,
    is_told,
)
from assay.packs.regulatory.extractor.tables import Around, row_meanings
from assay.reading.result import MarkKind, Reading
from assay.rules.proposals import Extraction, Passage, ProposedFact, Sentence

_OF_EXAMPLES = frozenset({"amount", "allowance", "base", "fee"})
_ANNEX = re.compile(
    r"(?:appendix|annex|supplement|schedule|prilog|dodatak|anlage|anhang)\b(?=.{0,60}$)",
    re.IGNORECASE,
)
_SPEECH = {"hr": "hr", "bs": "hr", "sr": "hr", "sh": "hr", "en": "en", "de": "de"}
"""The language whose way of writing numbers is taken; None where nobody knows."""


@dataclass(slots=True)
class _Place:
    """Where in the document the reading has arrived."""

    article: str = ""
    heading: str = ""
    lead: str = ""
    paragraph: str = ""
    after_heading: bool = False
    last: str = ""
    """The sentence read last."""
    recitals: bool = False
    """Whether these are the reasons of an act, which name provisions and bind nobody."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A clause, and for the row of a table what its figures mean."""

    clause: Clause
    meanings: list[Meaning] | None = None


@dataclass(slots=True)
class _Read:
    """The clauses that were read, with what their figures mean."""

    clauses: list[tuple[Clause, list[Meaning]]] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)


def extracted(passage: Passage) -> Extraction:
    """The facts of a document and its sentences, in their order. Needs no model."""
    reading = passage.reading
    found = blocks(reading)
    language = _SPEECH.get(passage.language)
    document = document_of(reading, found)
    read = _Read()
    for one in _clauses(reading, found, passage.language, language):
        _take(read, one, document)
    span = of_document(read.clauses, passage.published)
    facts = Facts(document, language, span)
    proposed = [fact for clause, found in read.clauses for fact in facts.of(clause, found)]
    return Extraction(tuple(_ordered(proposed)), tuple(read.sentences))


def _take(read: _Read, one: _Found, document: Document) -> None:
    """Adds a clause, unless it states no rule."""
    clause = one.clause
    found = meanings(clause) if one.meanings is None else one.meanings
    states = bool(found or clause.figures or clause.references)
    silent = (
        document.is_draft
        or is_furniture(clause.text)
        or is_told(clause.masked)
        or (is_aside(clause.heading) and not document.is_example)
    )
    regulatory = states and not silent and (bool(found) or DUTY.search(clause.masked) is not None)
    read.sentences.append(Sentence(clause.start, clause.end, regulatory))
    if silent or clause.text.rstrip().endswith("?"):
        return
    cut = example_at(clause.masked)
    if document.is_example:
        found = [one for one in found if one.predicate not in _OF_EXAMPLES]
    read.clauses.append((clause, [one for one in found if one.figure.start < cut]))


def _clauses(
    reading: Reading, found: Sequence[Block], code: str, language: str | None
) -> Iterator[_Found]:
    place = _Place()
    struck = [(mark.start, mark.end) for mark in reading.marks if mark.kind is MarkKind.STRUCK]
    spoken = False
    for block in found:
        words = reading.text[block.start : block.end]
        if is_role(words) or for_a_machine(words):
            spoken = is_role(words)
            continue
        if spoken:
            # Whatever a record of a talk says next is nobody's rule.
            spoken = False
            continue
        _moved(place, block, words)
        place.recitals = not ends_recitals(words) and (place.recitals or begins_recitals(words))
        if block.article:
            place.recitals = False
        if block.kind is BlockKind.HEADING:
            continue
        if block.kind is BlockKind.ROW:
            clause = _row(reading.text, block, place, language, struck)
            around = Around(place.lead, place.heading, place.last)
            yield _Found(clause, list(row_meanings(reading.text, block, around, language)))
            continue
        yield from _of_prose(reading.text, block, place, code, language, struck)


def _of_prose(
    text: str,
    block: Block,
    place: _Place,
    code: str,
    language: str | None,
    struck: list[tuple[int, int]],
) -> Iterator[_Found]:
    examples = False
    for first, end in sentences(text, block.start, block.end, code):
        start, markers = after_markers(text, first, end) if first > block.start else (first, ())
        if markers and markers[0][1:2].isdigit():
            place.paragraph = markers[0]
        if start >= end:
            continue
        clause = _clause(text, start, end, place, language, struck)
        # After "Primjer:" the rest of the paragraph is the example.
        examples = examples or example_at(clause.text) < 3
        if not examples:
            yield _Found(clause, [] if place.recitals else None)
        place.last = clause.text
        if text[end - 1] == "?":
            # A question tells what its answer is about.
            place.heading = clause.text
        if text[end - 1] not in ".!?;," and not block.markers and not text[start].islower():
            place.lead = clause.text


def _moved(place: _Place, block: Block, words: str) -> None:
    """Follows headings, articles, paragraphs and the words that introduce lists."""
    if block.article:
        place.article, place.paragraph = block.article, ""
    if _ANNEX.match(words):
        place.article, place.paragraph = words[:40].partition("—")[0].strip(), ""
    if block.kind is BlockKind.HEADING:
        title = words.partition(".")[2].strip() if block.article and "." in words else words
        if not block.article:
            place.heading = flat(words)
        elif title and title != words:
            place.heading = flat(title)
        elif not place.after_heading:
            place.heading = flat(words)
        place.lead = ""
        place.after_heading = True
        return
    place.after_heading = False
    if words[:1].islower() and not place.lead and place.last.endswith((";", ",")):
        place.lead = place.last
    if block.markers and block.markers[0].startswith("(") and block.markers[0][1:2].isdigit():
        place.paragraph = block.markers[0]
        place.lead = ""
    elif not block.markers and place.lead and not words[:1].islower() and not words[:1].isdigit():
        place.lead = ""


def _clause(
    text: str,
    start: int,
    end: int,
    place: _Place,
    language: str | None,
    struck: list[tuple[int, int]],
) -> Clause:
    holes = [(a - start, b - start) for a, b in struck if a < end and start < b]
    where = _where(place)
    return made(
        text[start:end],
        start,
        language,
        holes,
        lead=place.lead,
        heading=place.heading,
        article=where,
    )


def _row(
    text: str, block: Block, place: _Place, language: str | None, struck: list[tuple[int, int]]
) -> Clause:
    clause = _clause(text, block.start, block.end, place, language, struck)
    return replace(clause, is_row=True)


def _where(place: _Place) -> str:
    number = place.paragraph.strip("()")
    if not place.article or not number:
        return place.article
    if place.article.startswith("čl."):
        return f"{place.article} st. {number}."
    if place.article.startswith("§") and "." not in place.article:
        return f"{place.article} Abs. {number}"
    if place.article.startswith("Artikel"):
        return f"{place.article} Absatz {number}"
    return f"{place.article}({number})"


def made(
    quote: str,
    start: int,
    language: str | None,
    struck: Sequence[tuple[int, int]] = (),
    *,
    lead: str,
    heading: str,
    article: str,
) -> Clause:
    """A clause with its references blotted out and its figures found."""
    words = flat(quote)
    for first, last in struck:
        # What is struck out is no law any more, though the sentence around it is.
        words = (
            words[: max(0, first)] + "·" * (min(last, len(words)) - max(0, first)) + words[last:]
        )
    named = references(words)
    masked = words
    for reference in named:
        blot = "·" * (reference.end - reference.start)
        masked = masked[: reference.start] + blot + masked[reference.end :]
    return Clause(
        start=start,
        quote=quote,
        text=words,
        masked=masked,
        figures=tuple(figures(masked, language)),
        references=tuple(named),
        lead=lead,
        heading=heading,
        article=article,
    )


def _ordered(facts: list[ProposedFact]) -> list[ProposedFact]:
    """In the order of the text, each once."""
    seen: set[tuple[object, ...]] = set()
    kept: list[ProposedFact] = []
    for fact in sorted(facts, key=lambda one: one.start or 0):
        key = (fact.start, fact.concept, fact.value, fact.unit, str(fact.applies_when))
        if key not in seen:
            seen.add(key)
            kept.append(fact)
    return kept
