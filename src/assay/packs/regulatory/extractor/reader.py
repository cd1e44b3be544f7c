"""Reading a document: its clauses, what their figures mean, and the facts of it all."""

from dataclasses import dataclass, field

from assay.packs.regulatory.extractor.blocks import blocks
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.cues import DUTY
from assay.packs.regulatory.extractor.documents import Document, document_of
from assay.packs.regulatory.extractor.effect import of_document
from assay.packs.regulatory.extractor.facts import Facts
from assay.packs.regulatory.extractor.meaning import Meaning
from assay.packs.regulatory.extractor.meanings import meanings
from assay.packs.regulatory.extractor.silences import (
    example_at,
    is_aside,
    is_furniture,
)
from assay.packs.regulatory.extractor.telling import is_past, is_present, is_reported
from assay.packs.regulatory.extractor.walk import Found, Walk, speech
from assay.sdk.facts import Extraction, Passage, ProposedFact, Sentence

_OF_EXAMPLES = frozenset({"amount", "allowance", "base", "fee"})
"""What an example works out, rather than what holds."""


@dataclass(slots=True)
class _Read:
    """The clauses that may state rules, with what their figures mean; and all sentences."""

    clauses: list[tuple[Clause, list[Meaning]]] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)


def extracted(passage: Passage) -> Extraction:
    """The facts of a document and its sentences, in their order. Needs no model."""
    found = blocks(passage.reading)
    document = document_of(passage.reading, found)
    read = _Read()
    title = f"{passage.reading.title or ''} {document.title}"
    for one in Walk(passage.reading, passage.language, title).walk_clauses(found):
        _take(read, one, document)
    days = of_document(read.clauses, passage.published)
    facts = Facts(document, speech(passage.language), days)
    proposed = [fact for clause, meant in read.clauses for fact in facts.build_facts(clause, meant)]
    return Extraction(tuple(_once_each(proposed)), tuple(read.sentences))


def _take(read: _Read, one: Found, document: Document) -> None:
    """Adds a clause, unless it states no rule."""
    clause = one.clause
    found = meanings(clause) if one.meanings is None else one.meanings
    past = is_past(clause.masked)
    if past:
        found = [meaning for meaning in found if not _is_past(clause, meaning)]
    states = bool(found or clause.figures or clause.references)
    silent = (
        document.is_draft
        or is_furniture(clause.text)
        or is_reported(clause.masked)
        or (past and not found)
        or (is_aside(clause.heading) and not document.is_example)
    )
    binds = bool(found) or DUTY.search(clause.masked) is not None
    read.sentences.append(Sentence(clause.start, clause.end, states and binds and not silent))
    if silent or clause.text.rstrip().endswith("?"):
        return
    cut = example_at(clause.masked)
    if document.is_example:
        found = [
            one for one in found if one.predicate not in _OF_EXAMPLES and one.confidence > 0.86
        ]
    read.clauses.append((clause, [meaning for meaning in found if meaning.figure.start < cut]))


def _is_past(clause: Clause, meaning: Meaning) -> bool:
    """Whether a figure belongs to the past of which its sentence tells."""
    start, end = clause.part_of(meaning.figure.start)
    part = clause.masked[start:end]
    return is_past(part) or not is_present(part)


def _once_each(facts: list[ProposedFact]) -> list[ProposedFact]:
    """In the order of the text, each once."""
    kept: dict[tuple[object, ...], ProposedFact] = {}
    for fact in sorted(facts, key=lambda one: one.start or 0):
        key = (
            fact.start,
            len(fact.quote),
            fact.concept,
            fact.value,
            fact.unit,
            str(fact.applies_when),
        )
        kept.setdefault(key, fact)
    return list(kept.values())
