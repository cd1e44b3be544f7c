"""Rows of the store brought together: each rule with all that decides about it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from assay.model.records import ReviewRequest, Source
from assay.model.rules import Conflict, ReviewDecision, Rule, SourcePointer
from assay.rules.judgement import FALLEN, Case, Judgement
from assay.rules.pack import Pack
from assay.rules.support import current


@dataclass(frozen=True, kw_only=True)
class Rows:
    """What was read about some rules."""

    rules: Mapping[str, Rule]
    """The rules themselves, and all others of their concepts."""
    pointers: Sequence[SourcePointer]
    newest: Mapping[str, str | None]
    """document → its newest evidence."""
    extracted: Collection[str]
    """Evidence from which facts were taken."""
    conflicts: Sequence[Conflict] = ()
    decisions: Sequence[ReviewDecision] = ()
    requests: Sequence[ReviewRequest] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)


def case_of(rule_id: str, rows: Rows, packs: Mapping[str, Pack]) -> Case:
    """One rule with its share of the rows."""
    rule = rows.rules[rule_id]
    pointers = [pointer for pointer in rows.pointers if pointer.rule_id == rule_id]
    kept = current(pointers, rows.newest, rows.extracted)
    conflicts = [c for c in rows.conflicts if rule_id in (c.rule_a, c.rule_b)]
    winners = {c.winner for c in conflicts if c.winner is not None}
    return Case(
        rule=rule,
        pointers=tuple(sorted(kept, key=lambda pointer: pointer.pointer_id)),
        conflicts=tuple(sorted(conflicts, key=lambda conflict: conflict.conflict_id)),
        fallen=frozenset(
            key for key in winners if key in rows.rules and rows.rules[key].status in FALLEN
        ),
        restated_by=_restated_by(rule, rows.rules, packs),
        decisions=tuple(d for d in rows.decisions if d.subject == rule_id),
        requests=tuple(r for r in rows.requests if r.subject == rule_id),
        sources=rows.sources,
    )


def affected(case: Case, judgement: Judgement, rules: Mapping[str, Rule]) -> list[str]:
    """Rules to be looked at again, because this one falls or stands: those that gave way to it, and
    those that only repeat it.

    Where it was so before, only those that stand or fall together with it: they should not.
    """
    rule, falls = case.rule, judgement.status in FALLEN
    turns = falls != (rule.status in FALLEN)
    beaten = {
        other
        for conflict in case.conflicts
        if conflict.winner == rule.rule_id
        for other in (conflict.rule_a, conflict.rule_b)
    }
    if rule.effective_from is not None:
        beaten |= {r.rule_id for r in rules.values() if _undated(r) and _same(rule, r)}
    return sorted(
        key
        for key in beaten - {rule.rule_id}
        if key in rules and (turns or (rules[key].status in FALLEN) == falls)
    )


def _restated_by(rule: Rule, rules: Mapping[str, Rule], packs: Mapping[str, Pack]) -> str | None:
    pack = packs.get(rule.pack)
    predicate = None if pack is None else pack.predicates.get(rule.concept.rpartition(".")[2])
    if not _undated(rule) or predicate is None or predicate.many:
        return None
    dated = [
        other.rule_id
        for other in rules.values()
        if other.effective_from is not None and other.status not in FALLEN and _same(rule, other)
    ]
    return max(dated, default=None)


def _undated(rule: Rule) -> bool:
    return rule.effective_from is None and rule.effective_until is None


def _same(a: Rule, b: Rule) -> bool:
    return (a.concept, a.value_type, a.value, a.unit, a.applies_when) == (
        b.concept,
        b.value_type,
        b.value,
        b.unit,
        b.applies_when,
    )
