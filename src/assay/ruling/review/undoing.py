"""Undoing a decision about a rule, or an answer in words, by a further decision.

Nothing is deleted: the decision that is undone, and the one that undoes it, are both kept. The rule
is again what it was before, and the question that was answered waits again.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from assay.errors import InvalidInput, NotFound
from assay.model.records import ReviewRequest
from assay.model.rules import ReviewDecision, Rule, RuleStatus
from assay.ruling.review.consequences import ANSWERED, OPEN
from assay.ruling.review.decisions import expect_fields, refuse_revived_conflict
from assay.ruling.review.judgement import (
    ANSWER,
    APPROVING,
    HOLDING,
    PERSON_FIELDS,
    REFUSING,
    UNDO,
    RuleCase,
)
from assay.ruling.review.lookup import read_case, read_rows
from assay.ruling.review.service import (
    DecisionTransaction,
    Reviewer,
    ReviewService,
    describe_machine_version,
)
from assay.store import truth
from assay.store.database import explain_errors

_STATUS_AFTER = {"REJECT": RuleStatus.REJECTED, "WITHDRAW": RuleStatus.DEPRECATED}


def undo_all(
    service: ReviewService, decision_ids: Sequence[str], by: Reviewer
) -> list[ReviewDecision]:
    """Undo decisions about rules, and answers that had no effect, in one transaction."""
    with service.decide(by) as transaction:
        made = []
        # What was decided last is undone first.
        for undone in reversed([_read_decision(transaction, each) for each in decision_ids]):
            if undone.subject_kind == "rule":
                made.append(_undo_about_rule(transaction, undone))
            else:
                made.append(_reopen_answered(transaction, undone))
        return made


def find_undo_obstacle(service: ReviewService, decision_id: str, by: Reviewer) -> str:
    """Why a decision cannot be undone; nothing if it can."""
    with explain_errors(), service.engine.connect() as connection:
        transaction = DecisionTransaction(connection, service, by)
        undone = _read_decision(transaction, decision_id)
        try:
            if undone.subject_kind == "rule":
                case = read_case(connection, undone.subject, service.packs)
                _refuse_undoing(transaction, case, undone)
            else:
                _find_answered(transaction, undone)
        except InvalidInput as error:
            return f"{error.what} {error.advice}".strip()
    return ""


def _read_decision(transaction: DecisionTransaction, decision_id: str) -> ReviewDecision:
    found = read_rows(transaction.connection, ReviewDecision, "decision_id", [decision_id])
    if not found:
        raise NotFound(
            f"There is no decision {decision_id}.",
            advice="'assay review show' lists the decisions about a rule.",
        )
    return found[0]


def _undo_about_rule(transaction: DecisionTransaction, undone: ReviewDecision) -> ReviewDecision:
    case = read_case(transaction.connection, undone.subject, transaction.service.packs)
    _refuse_undoing(transaction, case, undone)
    rule = case.rule
    made = transaction.record_decision(
        "rule",
        rule.rule_id,
        UNDO,
        machine=describe_machine_version(case),
        version={"undoes": undone.decision_id},
        evidence_key=case.words_key,
    )
    to = _restore_fields(case, undone)
    needs_person = rule.tier in transaction.service.two_people and to["status"] in HOLDING
    if needs_person and not transaction.by.is_person:
        raise _cannot_undo_error(
            undone, "only a person who is logged in may let the rule hold again"
        )
    to["status_reason"] = f"{transaction.by.person} undid what {undone.person} decided"
    transaction.change_row(Rule, rule.rule_id, expect_fields(rule), to)
    transaction.add_audit_note(
        "decision_undone",
        "rule",
        rule.rule_id,
        undoes=undone.decision_id,
        decision=undone.decision,
        decided_by=undone.person,
        **{"from": rule.status, "to": to["status"]},
    )
    # Judged like any other rule: the question that was answered is asked again.
    transaction.settle_concept(rule)
    return made


def _refuse_undoing(
    transaction: DecisionTransaction, case: RuleCase, undone: ReviewDecision
) -> None:
    """Raise an error, which says why, if the decision cannot be undone any more."""
    rule = case.rule
    if undone.decision not in (*APPROVING, *REFUSING):
        raise _cannot_undo_error(undone, "it is not a decision about the rule itself")
    if undone not in case.standing_decisions:
        raise _cannot_undo_error(undone, "it has already been undone")
    last = case.standing_decisions[-1]
    if last != undone:
        raise _cannot_undo_error(undone, f"{last.person} has decided about the rule since")
    if undone.decision in APPROVING and rule.status == RuleStatus.PUBLISHED:
        raise _cannot_undo_error(undone, "the rule is in a release", "Withdraw the rule.")
    is_approval = undone.decision in APPROVING
    is_as_left = (
        rule.status == RuleStatus.APPROVED and rule.approved_key == undone.evidence_key
        if is_approval
        else rule.status == _STATUS_AFTER[undone.decision]
    )
    if not is_as_left:
        raise _cannot_undo_error(undone, f"the rule has changed since: {rule.status_reason}")
    if undone.machine.get("status") == RuleStatus.PUBLISHED and not _is_released(transaction, rule):
        raise _cannot_undo_error(undone, "the release that contains the rule is not the latest one")
    if not is_approval:
        refuse_revived_conflict(transaction, case)


def _is_released(transaction: DecisionTransaction, rule: Rule) -> bool:
    """Whether the latest release of the pack contains the rule."""
    release, member = truth.release.c, truth.released_rule.c
    latest = (
        sa.select(release.release_id)
        .where(release.pack == rule.pack, release.state == "PUBLISHED")
        .order_by(release.number.desc())
        .limit(1)
    )
    query = sa.select(member.rule_id).where(
        member.release_id == latest.scalar_subquery(), member.rule_id == rule.rule_id
    )
    return transaction.connection.execute(query).first() is not None


def _restore_fields(case: RuleCase, undone: ReviewDecision) -> dict[str, Any]:
    """What the decision had changed of the rule, as it was before."""
    before = str(undone.machine.get("status", RuleStatus.PENDING_REVIEW.value))
    if before not in HOLDING:
        return {"status": RuleStatus.PENDING_REVIEW.value, **dict.fromkeys(PERSON_FIELDS)}
    # The first of two approvals changed nothing of the rule.
    earlier = [d for d in case.standing_decisions[:-1] if d.decision in (*APPROVING, *REFUSING)]
    approval = earlier[-1] if earlier and earlier[-1].decision in APPROVING else None
    if approval is None:
        # It needed no person.
        return {"status": before, **dict.fromkeys(PERSON_FIELDS)}
    return {
        "status": before,
        "approved_by": approval.person,
        "approved_ms": approval.at_ms,
        "approved_key": approval.evidence_key,
        "person_version": approval.version or None,
    }


def _find_answered(transaction: DecisionTransaction, undone: ReviewDecision) -> ReviewRequest:
    """The question that a decision answered, if nothing has happened to it since."""
    if undone.decision != ANSWER:
        raise InvalidInput(
            f"Decision {undone.decision_id} is about a {undone.subject_kind}.",
            advice="Undo it with 'assay conflicts undo'.",
        )
    about = read_rows(
        transaction.connection,
        ReviewRequest,
        "subject",
        [undone.subject],
        subject_kind=undone.subject_kind,
    )
    answer, reason = undone.version.get("answer"), undone.machine.get("reason")
    for request in about:
        said = (request.state, request.reason, request.answer, request.answered_by)
        if said == (ANSWERED, reason, answer, undone.person):
            return request
    raise _cannot_undo_error(undone, "its question has been asked or closed again since")


def _reopen_answered(transaction: DecisionTransaction, undone: ReviewDecision) -> ReviewDecision:
    """Let the question wait again that was answered in words which had no effect."""
    request = _find_answered(transaction, undone)
    made = transaction.record_decision(
        undone.subject_kind,
        undone.subject,
        UNDO,
        machine={"reason": request.reason, "answer": request.answer},
        version={"undoes": undone.decision_id},
    )
    transaction.change_row(
        ReviewRequest,
        request.request_id,
        {"state": ANSWERED, "answered_ms": request.answered_ms},
        {"state": OPEN, "answer": None, "answered_by": None, "answered_ms": None},
    )
    transaction.add_audit_note(
        "decision_undone",
        undone.subject_kind,
        undone.subject,
        undoes=undone.decision_id,
        decision=undone.decision,
        decided_by=undone.person,
    )
    return made


def _cannot_undo_error(undone: ReviewDecision, why: str, advice: str = "") -> InvalidInput:
    return InvalidInput(
        f"What {undone.person} decided about {undone.subject} cannot be undone: {why}.",
        advice=advice or "Look at it again, and decide anew if necessary.",
    )
