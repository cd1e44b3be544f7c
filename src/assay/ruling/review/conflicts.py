"""Deciding conflicts, and undoing decisions."""

from typing import Any

from assay.errors import InvalidInput, NotFound
from assay.model.ids import derive_id
from assay.model.rules import Conflict, ConflictResolution, ConflictState, Resolution
from assay.ruling.arbiter.arbitration import PERSON, build_side
from assay.ruling.arbiter.rulings import Dispute, build_conflict_request, resolution_for
from assay.ruling.review.consequences import ask_once
from assay.ruling.review.judgement import RESOLVE, UNDECIDED, UNDO
from assay.ruling.review.lookup import read_conflict, read_dispute, read_rows
from assay.ruling.review.service import DecisionTransaction, Reviewer, ReviewService
from assay.ruling.rules.rule_support import list_quote_keys
from assay.store.upserts import upsert_records

_SIDES = {"a": "rule_a", "b": "rule_b"}


def resolve_conflict(
    service: ReviewService, conflict_id: str, winner: str, by: Reviewer
) -> ConflictResolution:
    """Let one of the two rules prevail: `a`, `b`, or its id. The other one is deprecated."""
    with service.decide(by) as transaction:
        dispute = read_dispute(transaction.connection, conflict_id, service.packs)
        conflict = dispute.conflict
        chosen = _choose_winner(conflict, winner)
        _refuse_decided(conflict)
        resolution = _write_resolution(
            transaction,
            dispute,
            RESOLVE,
            resolution_for(conflict, chosen),
            version={"winner": chosen},
            winner=chosen,
        )
        transaction.close_answered_requests(dispute.requests, f"{RESOLVE} {chosen}")
        transaction.add_audit_note(
            "conflict_resolved",
            "conflict",
            conflict_id,
            winner=chosen,
            ground=PERSON,
            recommendation=conflict.recommendation,
            resolution_id=resolution.resolution_id,
        )
        transaction.settle_concept(dispute.a.rule)
        return resolution


def undo_resolution(service: ReviewService, name: str, by: Reviewer) -> ConflictResolution:
    """Undo a resolution, named by its own id or by its conflict's.

    The conflict waits for a person again, and so does the rule that had lost.
    """
    with service.decide(by) as transaction:
        conflict_id = _find_conflict_id(transaction, name)
        dispute = read_dispute(transaction.connection, conflict_id, service.packs)
        conflict, before = dispute.conflict, dispute.standing_resolution
        if conflict.state != ConflictState.RESOLVED or before is None:
            raise InvalidInput(
                f"Conflict {conflict_id} is {conflict.state}: there is no resolution to undo.",
                advice=f"Look at it with 'assay conflicts show {conflict_id}'.",
            )
        if name not in (conflict_id, before.resolution_id):
            raise InvalidInput(
                f"Resolution {name} is not the current one.",
                advice=f"The current one is {before.resolution_id}.",
            )
        return _undo_resolution(transaction, dispute, before)


def _undo_resolution(
    transaction: DecisionTransaction, dispute: Dispute, before: ConflictResolution
) -> ConflictResolution:
    undoing = _write_resolution(
        transaction,
        dispute,
        UNDO,
        Resolution.ESCALATE_TO_HUMAN,
        version={"undoes": before.resolution_id},
        undoes=before.resolution_id,
    )
    _ask_again(transaction, dispute, before)
    transaction.add_audit_note(
        "resolution_undone",
        "conflict",
        dispute.conflict.conflict_id,
        undoes=before.resolution_id,
        winner=before.winner,
        decided_by=before.decided_by,
    )
    transaction.settle_concept(dispute.a.rule)
    return undoing


def _write_resolution(
    transaction: DecisionTransaction,
    dispute: Dispute,
    act: str,
    resolution: Resolution,
    *,
    version: dict[str, Any],
    winner: str | None = None,
    undoes: str | None = None,
) -> ConflictResolution:
    """Record a person's decision; without a winner, the conflict waits for a person again."""
    conflict, by = dispute.conflict, transaction.by
    decision = transaction.record_decision(
        "conflict",
        conflict.conflict_id,
        act,
        machine=_describe_machine_version(dispute),
        version=version,
        evidence_key=dispute.words_key,
    )
    written = ConflictResolution(
        resolution_id=derive_id("cr", conflict.conflict_id, decision.decision_id),
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
    upsert_records(transaction.connection, [written])
    when = {"state": conflict.state, "winner": conflict.winner, "ground": conflict.ground}
    to = {
        "state": (ConflictState.RESOLVED if winner else ConflictState.ESCALATED).value,
        "resolution": resolution.value,
        "winner": winner,
        "ground": PERSON,
        "confidence": 1.0 if winner else None,
    }
    transaction.change_row(Conflict, conflict.conflict_id, when, to)
    return written


def _ask_again(
    transaction: DecisionTransaction, dispute: Dispute, before: ConflictResolution
) -> None:
    pack = transaction.service.pack_of(dispute.a.rule)
    why = f"{transaction.by.person} took back what {before.decided_by} had decided."
    request = build_conflict_request(dispute, why, transaction.service.now_ms, pack.fields)
    records, changes = ask_once(request, dispute.requests, transaction.service.now_ms)
    upsert_records(transaction.connection, records)
    for change in changes:
        transaction.carry_out(change)


def _choose_winner(conflict: Conflict, winner: str) -> str:
    sides = (conflict.rule_a, conflict.rule_b)
    chosen = str(getattr(conflict, _SIDES[winner])) if winner in _SIDES else winner
    if chosen not in sides:
        raise InvalidInput(
            f"'{winner}' is not one of the two rules of conflict {conflict.conflict_id}.",
            advice=f"Use a for {sides[0]}, or b for {sides[1]}.",
        )
    return chosen


def _refuse_decided(conflict: Conflict) -> None:
    if conflict.state == ConflictState.RESOLVED:
        raise InvalidInput(
            f"Conflict {conflict.conflict_id} is decided for {conflict.winner} "
            f"({conflict.ground}).",
            advice=f"Undo that with 'assay conflicts undo {conflict.conflict_id}'.",
        )
    if conflict.state not in UNDECIDED:
        raise InvalidInput(
            f"Conflict {conflict.conflict_id} is {conflict.state}: nothing is left to decide.",
            advice="One of its rules no longer stands.",
        )


def _describe_machine_version(dispute: Dispute) -> dict[str, Any]:
    """What the machine said, and what the person saw."""
    conflict = dispute.conflict
    cases = (dispute.a, dispute.b)
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
