"""Going through a document: each clause with the article, heading and words that introduce it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.packs.regulatory.extractor.blocks import Block, BlockKind, after_markers
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import figures, flat
from assay.packs.regulatory.extractor.meaning import Meaning
from assay.packs.regulatory.extractor.references import references
from assay.packs.regulatory.extractor.sentences import sentences
from assay.packs.regulatory.extractor.silences import (
    begins_recitals,
    ends_recitals,
    example_at,
    for_a_machine,
    is_role,
)
from assay.packs.regulatory.extractor.tables import Around, row_meanings
from assay.reading.result import MarkKind, Reading

_BLOT = "·"
"""What stands for a letter that must not be read."""
_SPEECH = {"hr": "hr", "bs": "hr", "sr": "hr", "sh": "hr", "en": "en", "de": "de"}
_ANNEX = re.compile(
    r"(?:appendix|annex|supplement|schedule|prilog|dodatak|anlage|anhang)\b(?=.{0,60}$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """A clause, and what its figures mean where that is settled already."""

    clause: Clause
    meanings: list[Meaning] | None = None


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


def speech(code: str) -> str | None:
    """The language whose way of writing numbers is taken; None where nobody knows."""
    return _SPEECH.get(code)


class Walk:
    """One way through a document."""

    def __init__(self, reading: Reading, code: str) -> None:
        self._text = reading.text
        self._read = _without_struck(reading)
        self._code = code
        self._language = speech(code)
        self._place = _Place()

    def clauses(self, blocks: Sequence[Block]) -> Iterator[Found]:
        """The sentences, list items and rows in their order."""
        spoken = False
        for block in blocks:
            words = self._text[block.start : block.end]
            if is_role(words) or for_a_machine(words):
                spoken = is_role(words)
            elif spoken:
                # Whatever a record of a talk says next is nobody's rule.
                spoken = False
            else:
                self._arrive(block, words)
                yield from self._of_block(block)

    def _of_block(self, block: Block) -> Iterator[Found]:
        if block.kind is BlockKind.PROSE:
            yield from self._of_prose(block)
        elif block.kind is BlockKind.ROW:
            place = self._place
            around = Around(place.lead, place.heading, place.last)
            found = row_meanings(self._read, block, around, self._language)
            yield Found(self._clause(block.start, block.end, is_row=True), list(found))

    def _of_prose(self, block: Block) -> Iterator[Found]:
        place, text = self._place, self._text
        examples = False
        for first, end in sentences(text, block.start, block.end, self._code):
            start, markers = after_markers(text, first, end) if first > block.start else (first, ())
            if markers and markers[0][1:2].isdigit():
                place.paragraph = markers[0]
            if start >= end:
                continue
            clause = self._clause(start, end)
            # After "Primjer:" the rest of the paragraph is the example.
            examples = examples or example_at(clause.text) < 3
            if not examples:
                yield Found(clause, [] if place.recitals else None)
            place.last = clause.text
            if text[end - 1] == "?":
                # A question tells what its answer is about.
                place.heading = clause.text
            if text[end - 1] not in ".!?;," and not block.markers and not text[start].islower():
                place.lead = clause.text

    def _arrive(self, block: Block, words: str) -> None:
        """Follows headings, articles, paragraphs and the words that introduce lists."""
        place = self._place
        place.recitals = not ends_recitals(words) and (place.recitals or begins_recitals(words))
        if block.article:
            place.article, place.paragraph, place.recitals = block.article, "", False
        if _ANNEX.match(words):
            place.article, place.paragraph = words[:40].partition("—")[0].strip(), ""
        if block.kind is BlockKind.HEADING:
            self._headed(block, words)
            return
        place.after_heading = False
        if words[:1].islower() and not place.lead and place.last.endswith((";", ",")):
            place.lead = place.last
        if block.markers and block.markers[0].startswith("(") and block.markers[0][1:2].isdigit():
            place.paragraph, place.lead = block.markers[0], ""
        elif not block.markers and not words[:1].islower() and not words[:1].isdigit():
            place.lead = "" if block.kind is BlockKind.PROSE else place.lead

    def _headed(self, block: Block, words: str) -> None:
        place = self._place
        title = words.partition(".")[2].strip() if block.article and "." in words else words
        if not block.article or not place.after_heading:
            place.heading = flat(title or words)
        elif title and title != words:
            place.heading = flat(title)
        place.lead = ""
        place.after_heading = True

    def _clause(self, start: int, end: int, *, is_row: bool = False) -> Clause:
        words = flat(self._read[start:end])
        named = references(words)
        masked = words
        for reference in named:
            blot = _BLOT * (reference.end - reference.start)
            masked = masked[: reference.start] + blot + masked[reference.end :]
        return Clause(
            start=start,
            quote=self._text[start:end],
            text=words,
            masked=masked,
            figures=tuple(figures(masked, self._language)),
            references=tuple(named),
            lead=self._place.lead,
            heading=self._place.heading,
            article=self._where(),
            is_row=is_row,
        )

    def _where(self) -> str:
        article, number = self._place.article, self._place.paragraph.strip("()")
        if not article or not number:
            return article
        if article.startswith("čl."):
            return f"{article} st. {number}."
        if article.startswith("§") and "." not in article:
            return f"{article} Abs. {number}"
        if article.startswith("Artikel"):
            return f"{article} Absatz {number}"
        return f"{article}({number})"


def _without_struck(reading: Reading) -> str:
    """The text, each letter that is struck out blotted at its place: it is no law any more."""
    parts: list[str] = []
    at = 0
    marks = (mark for mark in reading.marks if mark.kind is MarkKind.STRUCK)
    for mark in sorted(marks, key=lambda mark: (mark.start, mark.end)):
        first, last = max(at, mark.start), min(len(reading.text), mark.end)
        if last > first:
            parts += (reading.text[at:first], _BLOT * (last - first))
            at = last
    return "".join((*parts, reading.text[at:]))
