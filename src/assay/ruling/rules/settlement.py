"""What has to be written so that the store reflects how the rules of a concept relate."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.engine.contract import Change
from assay.model.audit import AuditNote
from assay.model.records import Record
from assay.model.rules import (
    Conflict,
    ConflictSide,
    ConflictState,
    Resolution,
    Rule,
    RuleEdge,
    RuleStatus,
)
from assay.ruling.convergence import ConceptKey
from assay.ruling.review.judgement import RuleCase, is_standing
from assay.ruling.review.rule_cases import CaseRows
from assay.ruling.rules.rule_relations import (
    GroundedRule,
    RuleRelations,
    find_edges_in_turn,
    find_relations,
    ground_rule,
)
from assay.ruling.rules.rule_support import select_strongest

ACTOR = "stage:apply"
_UNDECIDED_FIELDS: Mapping[str, Any] = dict.fromkeys(
    ("resolution", "winner", "ground", "confidence", "recommendation")
)


@dataclass(frozen=True)
class ConceptSettlement:
    """The difference between what is stored about a concept and what follows from its rules."""

    records: tuple[Record, ...]
    changes: tuple[Change, ...]
    audit: tuple[AuditNote, ...]

    def __bool__(self) -> bool:
        return bool(self.records or self.changes)


def settle_concept(
    key: ConceptKey, rows: CaseRows, edges: Sequence[RuleEdge], now_ms: int
) -> ConceptSettlement:
    """Compare what is stored about a concept with what follows from its rules."""
    rules = [rows.rules[rule_id] for rule_id in rows.rules_of.get(key, ())]
    found = find_relations([_ground_rule(rule, rows) for rule in rules], now_ms=now_ms)
    known = {c.conflict_id: c for c in rows.conflicts if (c.pack, c.concept) == key}
    own = {rule.rule_id for rule in rules}
    expected = [*found.edges, *_find_decided_edges(known.values(), rows)]
    drawn, edge_notes = _compare_edges([edge for edge in edges if edge.from_rule in own], expected)
    new = [c for c in found.conflicts if c.conflict_id not in known]
    sides, side_changes = _compare_sides(
        [side for side in rows.sides if side.conflict_id in known], found.sides
    )
    return ConceptSettlement(
        records=(*drawn, *new, *sides),
        changes=(
            *_find_moot_conflicts(known, found),
            *_find_changed_conflicts(known, found),
            *side_changes,
        ),
        audit=(*map(_make_conflict_note, new), *edge_notes),
    )


def find_unsettled(key: ConceptKey, rows: CaseRows) -> set[str]:
    """New rules that contradict others, which apply has yet to record.

    Nobody need be asked about such a rule: the question about the conflict will name it.
    """
    rules = [rows.rules[rule_id] for rule_id in rows.rules_of.get(key, ())]
    new = {
        rule.rule_id
        for rule in rules
        if rule.status == RuleStatus.DRAFT and rule.rule_id not in rows.side_of
    }
    if not new:
        return set()
    found = find_relations([_ground_rule(rule, rows) for rule in rules], now_ms=0)
    return new & {side.rule_id for side in found.sides}


def _find_decided_edges(conflicts: Iterable[Conflict], rows: CaseRows) -> Iterator[RuleEdge]:
    """The edges among rules that hold in turn, because a person decided so."""
    for conflict in conflicts:
        if (conflict.state, conflict.resolution) == (ConflictState.RESOLVED, Resolution.IN_TURN):
            yield from find_edges_in_turn(
                rows.rules[side.rule_id]
                for side in rows.sides_of.get(conflict.conflict_id, ())
                if side.rule_id in rows.rules
            )


def _ground_rule(rule: Rule, rows: CaseRows) -> GroundedRule:
    pointers = tuple(rows.current_pointers.get(rule.rule_id, ()))
    decisions = tuple(rows.decisions_of.get(rule.rule_id, ()))
    ranks = {slug: source.hierarchy for slug, source in rows.sources.items()}
    # Refused: a person rejected its support, and nothing new has been added.
    refused = bool(decisions) and not is_standing(
        RuleCase(rule=rule, pointers=pointers, decisions=decisions)
    )
    ended = rows.support.find_last_day(select_strongest(pointers, ranks))
    return ground_rule(rule, pointers, ranks, refused=refused, ended=ended)


def _compare_edges(
    stored: Iterable[RuleEdge], found: Iterable[RuleEdge]
) -> tuple[list[RuleEdge], list[AuditNote]]:
    """Edges that are new, valid again, or no longer valid because others came between."""
    drawn = {(edge.from_rule, edge.to_rule, edge.kind): edge for edge in stored}
    expected = {(edge.from_rule, edge.to_rule, edge.kind): edge for edge in found}
    records: list[RuleEdge] = []
    notes: list[AuditNote] = []
    for key, edge in expected.items():
        before = drawn.get(key)
        if before == edge:
            continue
        records.append(edge)
        if before is None:
            notes.append(_make_edge_note("edge_created", edge))
        elif not before.holds:
            notes.append(_make_edge_note("edge_restored", edge, once=False))
    for key, edge in drawn.items():
        if edge.holds and key not in expected:
            records.append(edge.model_copy(update={"holds": False}))
            notes.append(_make_edge_note("edge_withdrawn", edge, once=False))
    return records, notes


def _compare_sides(
    stored: Iterable[ConflictSide], found: Iterable[ConflictSide]
) -> tuple[list[ConflictSide], list[Change]]:
    """Sides that are new, and those that left, came back, or end on another day."""
    known = {side.side_id: side for side in stored}
    expected = {side.side_id: side for side in found}
    changes = []
    for key, side in known.items():
        now = expected.get(key)
        to: dict[str, Any] = {}
        if now is None and side.holds:
            to = {"holds": False, "contested": False, "gave_way_to": None}
        elif now is not None and not side.holds:
            to = {"holds": True, "contested": True, "until": now.until}
        elif now is not None and side.until != now.until:
            to = {"until": now.until}
        if to:
            when = {name: getattr(side, name) for name in ("holds", "contested", "gave_way_to")}
            changes.append(Change(record=ConflictSide, key=key, when=when, to=to))
    return [side for key, side in expected.items() if key not in known], changes


def _find_moot_conflicts(known: Mapping[str, Conflict], found: RuleRelations) -> Iterable[Change]:
    """Conflicts that no longer exist: rules lost their support, or one ends the other."""
    still = {conflict.conflict_id for conflict in found.conflicts}
    for key, conflict in known.items():
        if key not in still and conflict.state != ConflictState.MOOT:
            to = {"state": ConflictState.MOOT.value, **_UNDECIDED_FIELDS}
            yield _change_conflict(conflict, to, "conflict_moot")


def _find_changed_conflicts(
    known: Mapping[str, Conflict], found: RuleRelations
) -> Iterable[Change]:
    """Conflicts that exist again, or whose sides have other sources than before."""
    for conflict in found.conflicts:
        before = known.get(conflict.conflict_id)
        if before is None:
            continue
        if before.state == ConflictState.MOOT:
            to = {"state": ConflictState.OPEN.value, "kind": conflict.kind, "sign": conflict.sign}
            yield _change_conflict(before, to, "conflict_reopened")
        elif (before.kind, before.sign) != (conflict.kind, conflict.sign):
            to = {"kind": conflict.kind, "sign": conflict.sign}
            yield _change_conflict(before, to, "conflict_seen_otherwise")


def _change_conflict(conflict: Conflict, to: Mapping[str, Any], action: str) -> Change:
    return Change(
        record=Conflict,
        key=conflict.conflict_id,
        when={name: getattr(conflict, name) for name in ("state", "ground", "kind", "sign")},
        to=to,
        audit=AuditNote(
            action=action,
            subject_kind="conflict",
            subject=conflict.conflict_id,
            actor=ACTOR,
            body={"from": conflict.state},
            once=False,
        ),
    )


def _make_conflict_note(conflict: Conflict) -> AuditNote:
    return AuditNote(
        action="conflict_found",
        subject_kind="conflict",
        subject=conflict.conflict_id,
        actor=ACTOR,
        body={
            "kind": conflict.kind,
            "sign": conflict.sign,
            "concept": conflict.concept,
        },
    )


def _make_edge_note(action: str, edge: RuleEdge, *, once: bool = True) -> AuditNote:
    return AuditNote(
        action=action,
        subject_kind="rule",
        subject=edge.from_rule,
        actor=ACTOR,
        body={"kind": edge.kind, "to": edge.to_rule, "reason": edge.reason},
        once=once,
    )
