"""Each rule of a concept with everything that its status depends on, gathered from the store."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from assay.engine.grouping import group_pairs
from assay.engine.reader import Reader
from assay.model.records import Record, ReviewRequest, Source
from assay.model.rules import Conflict, ConflictSide, ReviewDecision, Rule, SourcePointer
from assay.ruling.convergence import ConceptKey
from assay.ruling.review.judgement import RuleCase
from assay.ruling.rules.rule_support import (
    SUPPORT_READS,
    RuleSupport,
    read_support,
    select_current_pointers,
)

CASE_READS: frozenset[type[Record]] = SUPPORT_READS | {
    Rule,
    SourcePointer,
    Conflict,
    ConflictSide,
    ReviewDecision,
    ReviewRequest,
    Source,
}
"""What a stage that judges rules must declare."""
_MAX_TRIES = 5
A = TypeVar("A", ReviewDecision, ReviewRequest)


@dataclass(frozen=True, kw_only=True)
class CaseRows:
    """What was read about the rules of some concepts."""

    rules: Mapping[str, Rule]
    pointers: Sequence[SourcePointer]
    support: RuleSupport
    conflicts: Sequence[Conflict] = ()
    sides: Sequence[ConflictSide] = ()
    """The sides of these conflicts, past and present."""
    decisions: Sequence[ReviewDecision] = ()
    requests: Sequence[ReviewRequest] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)

    @cached_property
    def rules_of(self) -> Mapping[ConceptKey, Sequence[str]]:
        """pack and concept → its rules."""
        rules = self.rules.values()
        return group_pairs(((rule.pack, rule.concept), rule.rule_id) for rule in rules)

    @cached_property
    def current_pointers(self) -> Mapping[str, Sequence[SourcePointer]]:
        """rule → its pointers that are still valid."""
        held = select_current_pointers(self.pointers, self.support)
        return group_pairs((pointer.rule_id, pointer) for pointer in held)

    @cached_property
    def conflict_of(self) -> Mapping[str, Conflict]:
        """conflict → its row."""
        return {conflict.conflict_id: conflict for conflict in self.conflicts}

    @cached_property
    def side_of(self) -> Mapping[str, ConflictSide]:
        """rule → its side of a conflict, past or present; it can have only one."""
        return {side.rule_id: side for side in self.sides}

    @cached_property
    def sides_of(self) -> Mapping[str, Sequence[ConflictSide]]:
        """conflict → its present sides, in the order of their rules."""
        present = sorted((s for s in self.sides if s.holds), key=lambda side: side.rule_id)
        return group_pairs((side.conflict_id, side) for side in present)

    @cached_property
    def decisions_of(self) -> Mapping[str, Sequence[ReviewDecision]]:
        return group_by_subject(self.decisions)

    @cached_property
    def requests_of(self) -> Mapping[str, Sequence[ReviewRequest]]:
        return group_by_subject(self.requests)


def build_case(rule_id: str, rows: CaseRows) -> RuleCase:
    """One rule with its share of the rows."""
    side = rows.side_of.get(rule_id)
    return RuleCase(
        rule=rows.rules[rule_id],
        pointers=tuple(
            sorted(rows.current_pointers.get(rule_id, ()), key=lambda pointer: pointer.pointer_id)
        ),
        conflict=None if side is None else rows.conflict_of.get(side.conflict_id),
        side=side,
        decisions=tuple(rows.decisions_of.get(rule_id, ())),
        requests=tuple(rows.requests_of.get(rule_id, ())),
        sources=rows.sources,
    )


async def read_concepts(
    keys: Collection[ConceptKey], read: Reader, *, beside: Collection[str] = ()
) -> CaseRows:
    """Everything about the rules of these concepts, and about `beside`, as it was at one moment.

    A person may decide while it is being read. The decision changes the rule, so what is read
    between two equal readings of the rules is consistent.
    """
    rules = await _read_rules(keys, read, beside)
    for _ in range(_MAX_TRIES):
        rows = await _read_rows(rules, read)
        again = await _read_rules(keys, read, beside)
        if again == rules:
            break
        rules = again
    return rows


async def read_stated_rules(documents: Collection[str], read: Reader) -> dict[str, set[str]]:
    """document → the rules that any of its versions states, or stated."""
    found: dict[str, set[str]] = {document: set() for document in documents}
    for pointer in await read.find_where(SourcePointer, "doc_id", documents):
        found[pointer.doc_id].add(pointer.rule_id)
    return found


def group_by_subject(entries: Iterable[A]) -> dict[str, list[A]]:
    """Decisions or requests, grouped by subject."""
    return group_pairs((entry.subject, entry) for entry in entries)


async def _read_rules(
    keys: Collection[ConceptKey], read: Reader, beside: Collection[str]
) -> dict[str, Rule]:
    of_concepts = await read.find_where(Rule, "concept", {concept for _, concept in keys})
    found = [rule for rule in of_concepts if (rule.pack, rule.concept) in keys]
    return {
        rule.rule_id: rule for rule in (*found, *await read.find_where(Rule, "rule_id", beside))
    }


async def _read_rows(rules: Mapping[str, Rule], read: Reader) -> CaseRows:
    pointers = await read.find_where(SourcePointer, "rule_id", rules)
    concepts = {rule.concept for rule in rules.values()}
    conflicts = await read.find_where(Conflict, "concept", concepts)
    sides = await read.find_where(ConflictSide, "rule_id", rules)
    about = {"subject_kind": "rule"}
    return CaseRows(
        rules=rules,
        pointers=pointers,
        support=await read_support(pointers, rules.values(), read),
        conflicts=conflicts,
        sides=sides,
        decisions=await read.find_where(ReviewDecision, "subject", rules, beside=about),
        requests=await read.find_where(ReviewRequest, "subject", rules, beside=about),
        sources=await read.get_many(Source, {pointer.source_slug for pointer in pointers}),
    )
