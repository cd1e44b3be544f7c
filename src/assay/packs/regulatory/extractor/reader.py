"""Read a document: its clauses, what their figures mean, and the resulting facts."""

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from assay.packs.regulatory.acts.instructions import list_instructions
from assay.packs.regulatory.acts.naming import cut_publisher, make_act_key
from assay.packs.regulatory.acts.shapes import Operation
from assay.packs.regulatory.extractor.amendments import UNCLEAR
from assay.packs.regulatory.extractor.blocks import split_blocks
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.corrections import correct_meanings
from assay.packs.regulatory.extractor.demands import describe_sentence, join_list
from assay.packs.regulatory.extractor.documents import DocumentProfile, profile_document
from assay.packs.regulatory.extractor.facts import ClauseFactBuilder
from assay.packs.regulatory.extractor.first_days import EffectDays, find_document_days
from assay.packs.regulatory.extractor.interpretation import interpret_figures
from assay.packs.regulatory.extractor.meaning import Meaning
from assay.packs.regulatory.extractor.narration import is_past, is_present, is_reported
from assay.packs.regulatory.extractor.provisions import ProvisionIndex
from assay.packs.regulatory.extractor.silences import (
    find_example,
    is_aside,
    is_furniture,
)
from assay.packs.regulatory.extractor.sums import follow_sibling
from assay.packs.regulatory.extractor.walk import ClauseWalk, FoundClause, find_number_language
from assay.sdk.facts import Extraction, Facts, Passage, ProposedFact, Sentence, load_facts

_OF_EXAMPLES = frozenset({"amount", "allowance", "base", "fee"})
"""What an example calculates, rather than what applies."""


_LOOKS_AHEAD = 15
"""So many clauses later, a sentence may still limit this one: `Absatz 1 gilt nicht, wenn …`."""


@dataclass(slots=True)
class _ReadClauses:
    """The clauses that may state rules, with the meaning of their figures; and all sentences."""

    provisions: ProvisionIndex
    clauses: list[tuple[Clause, list[Meaning]]] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)
    leads: dict[str, int] = field(default_factory=dict)
    """words → the place of the last sentence that consists of them."""

    def add_sentence(self, clause: Clause, sentence: Sentence) -> None:
        """Add a sentence, and join the list that it is in to the words that lead into it."""
        place = self.leads.get(clause.lead) if clause.lead else None
        if place is not None:
            self.sentences[place] = join_list(self.sentences[place], sentence)
        self.leads[clause.text] = len(self.sentences)
        self.sentences.append(sentence)


def extract_facts(passage: Passage, document: DocumentProfile | None = None) -> Extraction:
    """Extract the facts of a document and its sentences, in order. Needs no model.

    `document` is what is known already of the act to which the passage belongs.
    """
    document, read = _read_clauses(passage, document)
    days = _find_days(passage, read)
    language = find_number_language(passage.language)
    facts = ClauseFactBuilder(
        document, language, days, read.provisions, passage.jurisdiction, _list_points(read)
    )
    clauses = [clause for clause, _ in read.clauses]
    proposed = [
        fact
        for place, (clause, meant) in enumerate(read.clauses, 1)
        for fact in facts.build_facts(clause, meant, clauses[place : place + _LOOKS_AHEAD])
    ]
    kept = _leave_to_acts(passage, proposed)
    return Extraction(tuple(_remove_repeats(kept)), tuple(read.sentences))


def _list_points(read: _ReadClauses) -> dict[tuple[str, str], list[str]]:
    """The points that words introduce, by these words and their provision."""
    found: dict[tuple[str, str], list[str]] = {}
    for clause, _ in read.clauses:
        if clause.lead.endswith(":") and not clause.is_row:
            found.setdefault((clause.lead, clause.article), []).append(clause.text)
    return found


def _leave_to_acts(passage: Passage, proposed: list[ProposedFact]) -> list[ProposedFact]:
    """Leave out what only the amended act can tell: the stage `law_statute` reads it there, or asks
    a person."""
    if not any(fact.amends or fact.replaces is not None for fact in proposed):
        return proposed
    pieces = [
        (each.quote.start, each.quote.end)
        for each in list_instructions("", passage)
        # A provision with a new text says what it means; a few words do not.
        if make_act_key(each.instrument) and not (isinstance(each, Operation) and each.provisions)
    ]
    pieces.sort()

    def is_left(fact: ProposedFact) -> bool:
        if fact.replaces is not None and fact.confidence > UNCLEAR:
            return False
        start = fact.start or 0
        place = bisect_right(pieces, start, key=lambda piece: piece[0]) - 1
        return place >= 0 and start < pieces[place][1]

    return [fact for fact in proposed if not is_left(fact)]


@cache
def load_facts_with_extractor() -> Facts:
    """The facts that the pack declares, with this extractor."""
    return load_facts(Path(__file__).parent.parent, extract_facts)


def profile_passage(passage: Passage) -> DocumentProfile:
    """What is known about a document before its sentences are read."""
    return profile_document(passage.reading, split_blocks(passage.reading))


def find_title(passage: Passage) -> str:
    """The title of a document, without the publisher's name that pages add to it."""
    return cut_publisher(profile_passage(passage).title)


def find_issuing_body(passage: Passage) -> str:
    """The key of the town or county that made a document, if it was one."""
    return profile_passage(passage).body


def find_days(passage: Passage) -> EffectDays:
    """From when a document applies, as a whole and article by article."""
    _, read = _read_clauses(passage)
    return _find_days(passage, read)


def _find_days(passage: Passage, read: _ReadClauses) -> EffectDays:
    language = find_number_language(passage.language) or ""
    return find_document_days(
        read.clauses, passage.reading.text, language, passage.published, passage.jurisdiction
    )


def _read_clauses(
    passage: Passage, document: DocumentProfile | None = None
) -> tuple[DocumentProfile, _ReadClauses]:
    found = split_blocks(passage.reading)
    document = document or profile_document(passage.reading, found)
    provisions = ProvisionIndex(
        passage.reading, find_number_language(passage.language) or passage.language
    )
    read = _ReadClauses(provisions)
    title = f"{passage.reading.title or ''} {document.title}"
    walk = ClauseWalk(passage.reading, passage.language, provisions, title, passage.jurisdiction)
    for one in walk.walk_clauses(found):
        _add_clause(read, one, document)
    return document, read


def _add_clause(read: _ReadClauses, one: FoundClause, document: DocumentProfile) -> None:
    """Add a clause, unless it states no rule."""
    clause = one.clause
    found = interpret_figures(clause) if one.meanings is None else one.meanings
    found = list(correct_meanings(clause, found))
    if read.clauses:
        found = follow_sibling(clause, found, *read.clauses[-1])
    past = is_past(clause.masked)
    if past:
        found = [meaning for meaning in found if not _is_past(clause, meaning)]
    silent = (
        document.is_draft
        or is_furniture(clause.text)
        or is_reported(clause.masked)
        or (past and not found)
        or (is_aside(clause.heading) and not document.is_example)
    )
    silent = silent or clause.text.rstrip().endswith("?")
    read.add_sentence(clause, describe_sentence(one, found, is_silent=silent))
    if silent:
        return
    cut = find_example(clause.masked)
    if document.is_example:
        found = [
            one for one in found if one.predicate not in _OF_EXAMPLES and one.confidence > 0.86
        ]
    read.clauses.append((clause, [meaning for meaning in found if meaning.figure.start < cut]))


def _is_past(clause: Clause, meaning: Meaning) -> bool:
    """Whether a figure belongs to the past that its sentence reports."""
    start, end = clause.part_of(meaning.figure.start)
    part = clause.masked[start:end]
    return is_past(part) or not is_present(part)


def _remove_repeats(facts: list[ProposedFact]) -> list[ProposedFact]:
    """The facts in the order of the text, each once."""
    unique: dict[tuple[object, ...], ProposedFact] = {}
    for fact in sorted(facts, key=lambda one: one.start or 0):
        key = (
            fact.start,
            len(fact.quote),
            fact.concept,
            fact.value,
            fact.unit,
            str(fact.applies_when),
        )
        unique.setdefault(key, fact)
    return list(unique.values())
