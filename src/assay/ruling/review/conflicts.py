"""Deciding conflicts, undoing decisions, and what becomes of a conflict if a side is refused."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Protocol

from assay.engine.contract import Change
from assay.errors import InvalidInput, NotFound, QuestionChanged
from assay.model.hashes import canonical_json, content_hash
from assay.model.records import ReviewRequest
from assay.model.rules import (
    Conflict,
    ConflictResolution,
    ConflictSide,
    ConflictState,
    EdgeKind,
    Resolution,
    ReviewDecision,
    Rule,
    RuleEdge,
)
from assay.ruling.arbiter.arbitration import (
    DIFFERENT,
    IN_TURN,
    PERSON,
    build_side,
    chosen_in,
    find_turn_obstacle,
)
from assay.ruling.arbiter.rulings import (
    Dispute,
    build_conflict_request,
    build_moot_ruling,
    build_person_ruling,
    change_sides,
    make_person_resolution_id,
    resolution_for,
)
from assay.ruling.review.consequences import ask_once
from assay.ruling.review.judgement import RESOLVE, UNDECIDED, UNDO
from assay.ruling.review.lookup import (
    build_dispute,
    read_concept_rows,
    read_conflict,
    read_dispute,
    read_rows,
)
from assay.ruling.review.service import DecisionTransaction, Reviewer, ReviewService
from assay.ruling.rules.contradictions import find_contradicting
from assay.ruling.rules.rule_relations import find_edges_in_turn
from assay.ruling.rules.rule_support import list_quote_keys


def resolve_conflict(
    service: ReviewService,
    conflict_id: str,
    choice: str,
    by: Reviewer,
    *,
    version: str | None = None,
) -> ConflictResolution:
    """Decide a conflict: the id of the rule that prevails, `in-turn` or `different`.

    The rules that contradict the one that prevails are deprecated. With `version`, only if the
    conflict is still as the person saw it.
    """
    with service.decide(by) as transaction:
        dispute = read_dispute(transaction.connection, conflict_id, service.packs)
        conflict = dispute.conflict
        _refuse_changed(dispute, version)
        _refuse_decided(conflict)
        _check_choice(dispute, choice)
        decision = _record_decision(transaction, dispute, RESOLVE, {"winner": choice})
        winner = None if choice in (IN_TURN, DIFFERENT) else choice
        resolution = _write_resolution(
            transaction, conflict, decision, resolution_for(choice), winner=winner
        )
        decided = replace(dispute, decisions=(*dispute.decisions, decision))
        if decided.person_outcome.contested:
            # What does not contradict the rule that prevails may contradict something else.
            _reopen(transaction, decided, f"{by.person} decided for {choice} before.")
        else:
            _carry_out(transaction, build_person_ruling(decided, by.person).changes)
            transaction.close_answered_requests(dispute.requests, f"{RESOLVE} {choice}")
        _draw_edges(transaction, decided, in_turn=choice == IN_TURN)
        transaction.add_audit_note(
            "conflict_resolved",
            "conflict",
            conflict_id,
            winner=choice,
            ground=PERSON,
            recommendation=conflict.recommendation,
            resolution_id=resolution.resolution_id,
        )
        transaction.settle_concept(_any_rule(dispute))
        return resolution


class SideState(Protocol):
    """What a side of a conflict is, as a record or as part of a row."""

    @property
    def side_id(self) -> str: ...
    @property
    def contested(self) -> bool: ...
    @property
    def gave_way_to(self) -> str | None: ...
    @property
    def holds(self) -> bool: ...


def make_conflict_version(
    conflict: Conflict, sides: Iterable[SideState], resolutions: Iterable[ConflictResolution]
) -> str:
    """Identifies what a person sees of a conflict: its state, its sides, and what was decided."""
    present = sorted((side for side in sides if side.holds), key=lambda side: side.side_id)
    fields = ("state", "winner", "ground", "recommendation", "words_key")
    seen = [
        conflict.conflict_id,
        *(getattr(conflict, name) for name in fields),
        [[side.side_id, side.contested, side.gave_way_to] for side in present],
        sorted(resolution.resolution_id for resolution in resolutions),
    ]
    return content_hash(canonical_json(seen))[:16]


def _refuse_changed(dispute: Dispute, version: str | None) -> None:
    if version is None:
        return
    conflict = dispute.conflict
    if version != make_conflict_version(conflict, dispute.sides, dispute.resolutions):
        raise QuestionChanged(f"Conflict {conflict.conflict_id} changed since you looked at it.")


def undo_resolution(
    service: ReviewService, name: str, by: Reviewer, *, version: str | None = None
) -> ConflictResolution:
    """Undo a resolution, named by its own id, or the last one, named by its conflict's id.

    The rules that had given way are sides again, and the conflict waits for a person.
    """
    with service.decide(by) as transaction:
        conflict_id = _find_conflict_id(transaction, name)
        dispute = read_dispute(transaction.connection, conflict_id, service.packs)
        _refuse_changed(dispute, version)
        conflict, before = dispute.conflict, _find_standing_resolution(dispute, name)
        decision = _record_decision(transaction, dispute, UNDO, {"undoes": before.resolution_id})
        undoing = _write_resolution(
            transaction,
            conflict,
            decision,
            Resolution.ESCALATE_TO_HUMAN,
            undoes=before.resolution_id,
        )
        undone = replace(dispute, decisions=(*dispute.decisions, decision))
        if undone.person_outcome.contested:
            why = f"{by.person} took back what {before.decided_by} had decided."
            _reopen(transaction, undone, why)
        elif conflict.state != ConflictState.MOOT:
            _settle(transaction, undone)
        last = undone.standing_decisions[-1:]
        _draw_edges(transaction, undone, in_turn=any(chosen_in(each) == IN_TURN for each in last))
        transaction.add_audit_note(
            "resolution_undone",
            "conflict",
            conflict_id,
            undoes=before.resolution_id,
            winner=before.winner,
            decided_by=before.decided_by,
        )
        if dispute.cases:
            transaction.settle_concept(_any_rule(dispute))
        return undoing


def _find_standing_resolution(dispute: Dispute, name: str) -> ConflictResolution:
    """The resolution with this id, or the last one of the conflict with this id.

    What a person decided stands until it is undone, even if it left sides that contradict each
    other. What a machine decided stands only while the conflict is resolved.
    """
    conflict, standing = dispute.conflict, dispute.standing_resolutions
    if conflict.state != ConflictState.RESOLVED:
        standing = [each for each in standing if each.ground == PERSON]
    if not standing:
        raise InvalidInput(
            f"Conflict {conflict.conflict_id} is {conflict.state}: there is no resolution to undo.",
            advice=f"Look at it with 'assay conflicts show {conflict.conflict_id}'.",
        )
    if name == conflict.conflict_id:
        return standing[-1]
    for each in standing:
        if each.resolution_id == name and (each is standing[-1] or each.ground == PERSON):
            return each
    raise InvalidInput(
        f"Resolution {name} no longer stands.",
        advice=f"The last one that does is {standing[-1].resolution_id}.",
    )


def _settle(transaction: DecisionTransaction, dispute: Dispute) -> None:
    """Nothing is contested: let what people decided besides take effect, if anything."""
    person = transaction.by.person
    build = build_person_ruling if dispute.standing_decisions else build_moot_ruling
    for change in build(dispute, person).changes:
        transaction.carry_out(change)


def leave_conflict(transaction: DecisionTransaction, rule: Rule) -> None:
    """Take a rule that was just refused out of its conflict, and see what is left of it."""
    rows = read_concept_rows(transaction.connection, rule, transaction.service.packs)
    side = rows.side_of.get(rule.rule_id)
    if side is None or not side.holds:
        return
    dispute = build_dispute(transaction.connection, rows.conflict_of[side.conflict_id], rows)
    transaction.carry_out(
        Change(
            record=ConflictSide,
            key=side.side_id,
            when={"holds": True},
            to={"holds": False, "contested": False, "gave_way_to": None},
        )
    )
    left = replace(dispute, sides=tuple(s for s in dispute.sides if s.rule_id != rule.rule_id))
    conflict, person = left.conflict, transaction.by.person
    if not find_contradicting(left.positions.values()):
        for change in build_moot_ruling(left, person).changes:
            transaction.carry_out(change)
        _draw_edges(transaction, dispute, in_turn=False)
    elif conflict.state != ConflictState.RESOLVED or conflict.winner == rule.rule_id:
        _reopen(transaction, left, f"{person} refused {rule.rule_id}.")


def _reopen(transaction: DecisionTransaction, dispute: Dispute, why: str) -> None:
    """Let a conflict wait for a person, with one question about the sides that are left."""
    conflict, service = dispute.conflict, transaction.service
    outcome = dispute.person_outcome
    advised = conflict.recommendation if conflict.recommendation in outcome.contested else None
    to = {
        "state": ConflictState.ESCALATED.value,
        "resolution": Resolution.ESCALATE_TO_HUMAN.value,
        "winner": None,
        "ground": PERSON,
        "confidence": None,
        "recommendation": advised,
    }
    when = {name: getattr(conflict, name) for name in ("state", "winner", "ground")}
    transaction.change_row(Conflict, conflict.conflict_id, when, to)
    _carry_out(transaction, change_sides(dispute, outcome))
    pack = service.pack_of(_any_rule(dispute))
    request = build_conflict_request(dispute, why, service.now_ms, pack.fields)
    records, changes = ask_once(request, dispute.requests, service.now_ms)
    transaction.write_records(records)
    for change in changes:
        transaction.carry_out(change)


def _carry_out(transaction: DecisionTransaction, changes: Iterable[Change]) -> None:
    """Make the changes that a decision consists of; questions are closed with their answer."""
    for change in changes:
        if change.record is not ReviewRequest:
            transaction.change_row(change.record, change.key, change.when, change.to)


def _draw_edges(transaction: DecisionTransaction, dispute: Dispute, *, in_turn: bool) -> None:
    """Let the sides supersede each other in turn, or no longer."""
    sides = [side.rule_id for side in dispute.sides]
    rules = [dispute.cases[key].rule for key in sides if key in dispute.positions]
    expected = find_edges_in_turn(rules) if in_turn else []
    kept = {(edge.from_rule, edge.to_rule) for edge in expected}
    kind = EdgeKind.SUPERSEDES.value
    drawn = read_rows(transaction.connection, RuleEdge, "from_rule", sides, kind=kind)
    gone = [
        edge.model_copy(update={"holds": False})
        for edge in drawn
        if edge.holds and (edge.from_rule, edge.to_rule) not in kept
    ]
    transaction.write_records([*expected, *gone])


def _record_decision(
    transaction: DecisionTransaction, dispute: Dispute, act: str, version: dict[str, Any]
) -> ReviewDecision:
    return transaction.record_decision(
        "conflict",
        dispute.conflict.conflict_id,
        act,
        machine=_describe_machine_version(dispute),
        version=version,
        evidence_key=dispute.words_key,
    )


def _write_resolution(
    transaction: DecisionTransaction,
    conflict: Conflict,
    decision: ReviewDecision,
    resolution: Resolution,
    *,
    winner: str | None = None,
    undoes: str | None = None,
) -> ConflictResolution:
    by = transaction.by
    written = ConflictResolution(
        resolution_id=make_person_resolution_id(conflict, decision),
        conflict_id=conflict.conflict_id,
        resolution=resolution.value,
        winner=winner,
        ground=PERSON,
        confidence=1.0,
        decided_by=by.person,
        note=by.note,
        undoes=undoes,
        at_ms=decision.at_ms,
    )
    transaction.write_records([written])
    return written


def _any_rule(dispute: Dispute) -> Rule:
    """One of the rules: all of them are of the same pack and concept."""
    return next(iter(dispute.cases.values())).rule


def _check_choice(dispute: Dispute, choice: str) -> None:
    conflict, contested = dispute.conflict, dispute.person_outcome.contested
    if choice == IN_TURN:
        obstacle = find_turn_obstacle(build_side(dispute.cases[key]) for key in sorted(contested))
        if obstacle is not None:
            raise InvalidInput(
                f"The rules of conflict {conflict.conflict_id} cannot hold in turn: {obstacle}.",
                advice="Choose the rule that prevails, or reject that one first.",
            )
    elif choice != DIFFERENT and choice not in contested:
        raise InvalidInput(
            f"'{choice}' is not one of the rules of conflict {conflict.conflict_id} that "
            "contradict each other.",
            advice=f"'assay conflicts show {conflict.conflict_id}' lists them; "
            f"or use '{IN_TURN}' or '{DIFFERENT}'.",
        )


def _refuse_decided(conflict: Conflict) -> None:
    if conflict.state == ConflictState.RESOLVED:
        how = f"for {conflict.winner}" if conflict.winner else str(conflict.resolution)
        raise InvalidInput(
            f"Conflict {conflict.conflict_id} is decided {how} ({conflict.ground}).",
            advice=f"Undo that with 'assay conflicts undo {conflict.conflict_id}'.",
        )
    if conflict.state not in UNDECIDED:
        raise InvalidInput(
            f"Conflict {conflict.conflict_id} is {conflict.state}: nothing is left to decide.",
            advice="Its rules no longer contradict each other.",
        )


def _describe_machine_version(dispute: Dispute) -> dict[str, Any]:
    """What the machine said, and what the person saw."""
    conflict = dispute.conflict
    cases = [dispute.cases[key] for key in dispute.positions]
    return {
        "state": conflict.state,
        "winner": conflict.winner,
        "recommendation": conflict.recommendation,
        "ground": conflict.ground,
        "confidence": conflict.confidence,
        "sources": {case.rule.rule_id: build_side(case).source for case in cases},
        "quotes": {case.rule.rule_id: list_quote_keys(case.pointers) for case in cases},
    }


def _find_conflict_id(transaction: DecisionTransaction, name: str) -> str:
    found = read_rows(transaction.connection, ConflictResolution, "resolution_id", [name])
    if found:
        return found[0].conflict_id
    try:
        return read_conflict(transaction.connection, name).conflict_id
    except NotFound:
        raise NotFound(
            f"There is no conflict and no resolution {name}.",
            advice="List them with 'assay conflicts list'.",
        ) from None
