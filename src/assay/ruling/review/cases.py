"""Rows of the store brought together: each rule with all that decides about it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from assay.model.records import ReviewRequest, Source
from assay.model.rules import Conflict, ReviewDecision, Rule, SourcePointer
from assay.ruling.declaration import Facts
from assay.ruling.review.judgement import FALLEN, Case, Judgement, stands
from assay.ruling.rules.relations import twins
from assay.ruling.rules.support import current_by_pack


@dataclass(frozen=True, kw_only=True)
class Rows:
    """What was read about some rules."""

    rules: Mapping[str, Rule]
    """All rules of the concepts of which rules are asked for."""
    pointers: Sequence[SourcePointer]
    newest: Mapping[str, str | None]
    """document → its newest evidence."""
    extracted: Mapping[str, Collection[str]]
    """pack → the evidence from which it took facts."""
    copies: Collection[str] = ()
    """Evidence that only repeats other evidence."""
    conflicts: Sequence[Conflict] = ()
    decisions: Sequence[ReviewDecision] = ()
    requests: Sequence[ReviewRequest] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)

    @cached_property
    def held(self) -> Mapping[str, Sequence[SourcePointer]]:
        """rule → its pointers that still hold."""
        held: dict[str, list[SourcePointer]] = {}
        packs = {rule_id: rule.pack for rule_id, rule in self.rules.items()}
        for pointer in current_by_pack(
            self.pointers, packs, self.newest, self.extracted, self.copies
        ):
            held.setdefault(pointer.rule_id, []).append(pointer)
        return held

    @cached_property
    def twins(self) -> Mapping[str, Sequence[str]]:
        """Rules without a date, each with those that say the same with one."""
        return _twins(self.rules)

    @cached_property
    def repeated(self) -> Mapping[str, Sequence[str]]:
        """The same the other way round: rules with a date, and those that only repeat them."""
        repeated: dict[str, list[str]] = {}
        for undated, dated in self.twins.items():
            for rule_id in dated:
                repeated.setdefault(rule_id, []).append(undated)
        return repeated


def case_of(rule_id: str, rows: Rows, packs: Mapping[str, Facts]) -> Case:
    """One rule with its share of the rows."""
    rule = rows.rules[rule_id]
    kept = rows.held.get(rule_id, ())
    conflicts = [c for c in rows.conflicts if rule_id in (c.rule_a, c.rule_b)]
    winners = {c.winner for c in conflicts if c.winner is not None}
    return Case(
        rule=rule,
        pointers=tuple(sorted(kept, key=lambda pointer: pointer.pointer_id)),
        conflicts=tuple(sorted(conflicts, key=lambda conflict: conflict.conflict_id)),
        fallen=frozenset(
            key for key in winners if key in rows.rules and rows.rules[key].status in FALLEN
        ),
        restated_by=_restated_by(rule, rows, packs),
        decisions=tuple(d for d in rows.decisions if d.subject == rule_id),
        requests=tuple(r for r in rows.requests if r.subject == rule_id),
        sources=rows.sources,
    )


def affected(case: Case, judgement: Judgement, rows: Rows) -> list[str]:
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
    beaten |= set(rows.repeated.get(rule.rule_id, ()))
    return sorted(
        key
        for key in beaten - {rule.rule_id}
        if key in rows.rules and (turns or (rows.rules[key].status in FALLEN) == falls)
    )


def with_twins(rule_ids: Iterable[str], rules: Mapping[str, Rule]) -> set[str]:
    """These rules, and those that say the same with the date which one of these lacks.

    Whether such a one stands decides about the other, so that both have to be read.
    """
    wanted = set(rule_ids)
    known = _twins(rules)
    return wanted.union(*(known.get(rule_id, ()) for rule_id in wanted))


def _restated_by(rule: Rule, rows: Rows, packs: Mapping[str, Facts]) -> str | None:
    pack = packs.get(rule.pack)
    predicate = None if pack is None else pack.predicates.get(rule.concept.rpartition(".")[2])
    if rule.effective_from is not None or predicate is None or predicate.many:
        return None
    dated = rows.twins.get(rule.rule_id, ())
    return max((key for key in dated if stands(case_of(key, rows, packs))), default=None)


def _twins(rules: Mapping[str, Rule]) -> dict[str, list[str]]:
    of_pack: dict[str, list[Rule]] = {}
    for rule in rules.values():
        # Packs know nothing of each other, though they may speak of the same.
        of_pack.setdefault(rule.pack, []).append(rule)
    found: dict[str, list[str]] = {}
    for group in of_pack.values():
        for undated, dated in sorted(twins(group)):
            found.setdefault(undated, []).append(dated)
    return found
