"""Each rule of a concept with everything that its status depends on, gathered from the store."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from assay.engine.grouping import group_pairs
from assay.engine.reader import Reader
from assay.model.records import Record, ReviewRequest, Source
from assay.model.rules import Conflict, ReviewDecision, Rule, SourcePointer
from assay.ruling.convergence import ConceptKey, has_one_value
from assay.ruling.declaration import Facts
from assay.ruling.review.judgement import FALLEN, RuleCase, RuleJudgement, is_standing, judge_rule
from assay.ruling.rules.rule_relations import find_restatements, group_by_party
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
    def conflicts_of(self) -> Mapping[str, Sequence[Conflict]]:
        """rule → its conflicts, in the order of their ids."""
        return group_by_party(sorted(self.conflicts, key=lambda conflict: conflict.conflict_id))

    @cached_property
    def decisions_of(self) -> Mapping[str, Sequence[ReviewDecision]]:
        return group_by_subject(self.decisions)

    @cached_property
    def requests_of(self) -> Mapping[str, Sequence[ReviewRequest]]:
        return group_by_subject(self.requests)

    @cached_property
    def restatements(self) -> Mapping[str, Sequence[str]]:
        """Rules without a date, each with the dated rules that say the same."""
        # Packs do not know about each other, although their rules may be about the same thing.
        of_pack = group_pairs((rule.pack, rule) for rule in self.rules.values())
        return group_pairs(
            pair for group in of_pack.values() for pair in sorted(find_restatements(group))
        )


@dataclass(frozen=True)
class JudgedRules:
    """Rules with their judgements, each of which takes the others into account."""

    cases: Mapping[str, RuleCase]
    judgements: Mapping[str, RuleJudgement]


def build_case(rule_id: str, rows: CaseRows, packs: Mapping[str, Facts]) -> RuleCase:
    """One rule with its share of the rows."""
    rule = rows.rules[rule_id]
    conflicts = tuple(rows.conflicts_of.get(rule_id, ()))
    return RuleCase(
        rule=rule,
        pointers=tuple(
            sorted(rows.current_pointers.get(rule_id, ()), key=lambda pointer: pointer.pointer_id)
        ),
        conflicts=conflicts,
        fallen=frozenset(
            winner
            for winner in _list_winners(conflicts)
            if winner in rows.rules and rows.rules[winner].status in FALLEN
        ),
        restated_by=_find_restating(rule, rows, packs),
        decisions=tuple(rows.decisions_of.get(rule_id, ())),
        requests=tuple(rows.requests_of.get(rule_id, ())),
        sources=rows.sources,
    )


def judge_rules(
    rule_ids: Iterable[str], rows: CaseRows, packs: Mapping[str, Facts], floor: float
) -> JudgedRules:
    """Judge these rules, taking into account what happens to the rules that they lost to.

    It starts with all of them standing, whatever their status was, and continues until no judgement
    changes another, so the order in which they arrived does not matter. If people decided conflicts
    in a circle, no set of judgements is consistent, and those rules wait for a person.
    """
    cases = {rule_id: build_case(rule_id, rows, packs) for rule_id in rule_ids}
    others = {key for key, rule in rows.rules.items() if rule.status in FALLEN} - cases.keys()
    fallen, turned, circling = others, set(cases), set[str]()
    judgements: dict[str, RuleJudgement] = {}
    # A chain of rules that beat each other is no longer than the number of rules, and a circle is
    # back where it started after twice as many steps. What changes after that is in a circle.
    for step in range(3 * len(cases) + 3):
        for rule_id in turned:
            winners = _list_winners(cases[rule_id].conflicts)
            cases[rule_id] = replace(cases[rule_id], fallen=frozenset(fallen & winners))
            judgements[rule_id] = judge_rule(cases[rule_id], floor)
        fallen = others | {key for key, found in judgements.items() if found.status in FALLEN}
        turned = {
            rule_id
            for rule_id, case in cases.items()
            if case.fallen != fallen & _list_winners(case.conflicts)
        }
        if not turned:
            return JudgedRules(cases, judgements)
        if step > len(cases):
            circling |= turned
    judgements |= {rule_id: judgements[rule_id].mark_circular() for rule_id in circling}
    return JudgedRules(cases, judgements)


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


def _list_winners(conflicts: Iterable[Conflict]) -> set[str]:
    return {conflict.winner for conflict in conflicts if conflict.winner is not None}


def _find_restating(rule: Rule, rows: CaseRows, packs: Mapping[str, Facts]) -> str | None:
    """The standing rule that says the same, with the date that this one lacks."""
    dated = rows.restatements.get(rule.rule_id, ())
    if not dated or not has_one_value(rule.concept, packs.get(rule.pack)):
        return None
    return max((key for key in dated if is_standing(build_case(key, rows, packs))), default=None)


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
    about = {"subject_kind": "rule"}
    return CaseRows(
        rules=rules,
        pointers=pointers,
        support=await read_support(pointers, rules.values(), read),
        conflicts=[c for c in conflicts if c.rule_a in rules or c.rule_b in rules],
        decisions=await read.find_where(ReviewDecision, "subject", rules, beside=about),
        requests=await read.find_where(ReviewRequest, "subject", rules, beside=about),
        sources=await read.get_many(Source, {pointer.source_slug for pointer in pointers}),
    )
