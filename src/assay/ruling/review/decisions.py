"""Approving, rejecting and withdrawing rules."""

from typing import Any

from assay.errors import InvalidInput
from assay.model.records import ReviewRequest
from assay.model.rules import ConflictState, ReviewDecision, Rule, RuleStatus
from assay.ruling.arbiter.rulings import mooted
from assay.ruling.review.consequences import OPEN, request_id_of
from assay.ruling.review.deadlines import ReviewReason
from assay.ruling.review.judgement import (
    APPROVE,
    HOLDING,
    PERSON_FIELDS,
    REJECT,
    WITHDRAW,
    Case,
    stands,
)
from assay.ruling.review.lookup import build_dispute, case_in, concept_rows, request_of
from assay.ruling.review.rule_cases import build_case
from assay.ruling.review.service import By, DecisionTransaction, ReviewService, machine_version

_LOOK = "Look at it with 'assay review show {}'."


def approve_rule(
    service: ReviewService, rule_id: str, by: By, *, request_id: str | None = None
) -> ReviewDecision:
    """Approve a rule as the machine has it, on the words that it rests on now.

    With `request_id`, only if that question is still the one to be answered.
    """
    with service.decide(by) as transaction:
        case = case_in(transaction.connection, rule_id, service.packs)
        refuse_stale(transaction, case, request_id)
        refuse_unapprovable(transaction, case)
        return approved(transaction, case, APPROVE, {})


def reject_rule(
    service: ReviewService, rule_id: str, by: By, *, request_id: str | None = None
) -> ReviewDecision:
    """Reject a rule; it stays rejected while nothing is said in other words."""
    with service.decide(by) as transaction:
        case = case_in(transaction.connection, rule_id, service.packs)
        refuse_stale(transaction, case, request_id)
        rule = case.rule
        if rule.status == RuleStatus.REJECTED:
            raise _nothing_to_do(rule, "is rejected already")
        if rule.status == RuleStatus.PUBLISHED:
            raise InvalidInput(
                f"Rule {rule_id} is published.", advice="Withdraw it: 'assay review withdraw'."
            )
        if rule.status == RuleStatus.DEPRECATED:
            raise _nothing_to_do(rule, f"is out already: {rule.status_reason}")
        return _refused(transaction, case, REJECT, RuleStatus.REJECTED, "rejected")


def withdraw_rule(service: ReviewService, rule_id: str, by: By) -> ReviewDecision:
    """Take a published or approved rule back: the next release is without it."""
    with service.decide(by) as transaction:
        case = case_in(transaction.connection, rule_id, service.packs)
        if case.rule.status not in HOLDING:
            raise InvalidInput(
                f"Rule {rule_id} is {case.rule.status}, so that there is nothing to withdraw.",
                advice="A rule that waits is rejected: 'assay review reject'.",
            )
        return _refused(transaction, case, WITHDRAW, RuleStatus.DEPRECATED, "withdrawn")


def approved(
    transaction: DecisionTransaction, case: Case, decision: str, version: dict[str, Any]
) -> ReviewDecision:
    """Write an approval, of the machine's version or of the person's."""
    rule, person = case.rule, transaction.by.person
    key = case.words_key
    made = transaction.record_decision(
        "rule",
        rule.rule_id,
        decision,
        machine=machine_version(case),
        version=version,
        evidence_key=key,
    )
    # What is published and was only confirmed stays published.
    confirmed = rule.status == RuleStatus.PUBLISHED and decision == APPROVE
    status = RuleStatus.PUBLISHED if confirmed else RuleStatus.APPROVED
    to: dict[str, Any] = {
        "status": status.value,
        "status_reason": f"approved by {person}",
        "approved_by": person,
        "approved_ms": transaction.service.now_ms,
        "approved_key": key,
    }
    # Questions before rules, as the stages do: two that meet wait, and never for each other.
    transaction.close_answered_requests(case.requests, decision)
    transaction.change_row(Rule, rule.rule_id, _as_seen(rule), to | _worded(version))
    action = "rule_approved" if decision == APPROVE else "rule_edited"
    told: dict[str, Any] = {"from": rule.status, "to": status.value, "approved_key": key}
    transaction.add_audit_note(
        action, "rule", rule.rule_id, **told, **({"version": version} if version else {})
    )
    transaction.settle_concept(rule)
    return made


def refuse_stale(transaction: DecisionTransaction, case: Case, request_id: str | None) -> None:
    """Whoever answers a question must have seen what it is about today."""
    if request_id is None:
        return
    request = request_of(transaction.connection, request_id)
    rule_id = case.rule.rule_id
    if request.state != OPEN:
        raise InvalidInput(
            f"Question {request_id} is {request.state.lower()}: there is nothing to answer.",
            advice=_LOOK.format(rule_id),
        )
    if not _is_about_today(request, case):
        raise InvalidInput(
            f"The evidence of rule {rule_id} changed since question {request_id} was asked.",
            advice=f"{_LOOK.format(rule_id)} Then decide on the rule.",
        )


def refuse_unapprovable(transaction: DecisionTransaction, case: Case) -> None:
    """What cannot be approved, and what to do instead."""
    rule = case.rule
    if case.undecided_conflicts:
        conflict = case.undecided_conflicts[0].conflict_id
        raise InvalidInput(
            f"Rule {rule.rule_id} is contradicted by another one, in conflict {conflict}.",
            advice=f"Decide that first: 'assay conflicts show {conflict}'.",
        )
    if not case.pointers:
        raise InvalidInput(
            f"No document says so any more, so that rule {rule.rule_id} cannot be approved.",
            advice="Reject it, or watch a source that says so.",
        )
    if rule.status in HOLDING and rule.approved_by is not None:
        raise _nothing_to_do(rule, f"was approved already by {rule.approved_by}")
    if rule.status == RuleStatus.DRAFT:
        raise InvalidInput(
            f"Rule {rule.rule_id} has not been reviewed yet.",
            advice="'assay run' or a worker will do so.",
        )
    last = case.last_decision
    withdrawn = last is not None and last.decision == WITHDRAW
    if rule.status == RuleStatus.DEPRECATED and not withdrawn:
        raise InvalidInput(
            f"Rule {rule.rule_id} is out: {rule.status_reason}.",
            advice="Where it gave way to another, 'assay conflicts undo' takes that back.",
        )
    if rule.status in (RuleStatus.REJECTED, RuleStatus.DEPRECATED):
        _refuse_revived_conflict(transaction, case)


def _refuse_revived_conflict(transaction: DecisionTransaction, case: Case) -> None:
    """A rule that was refused had its conflicts closed; approving it must not pass them by."""
    packs = transaction.service.packs
    rows = concept_rows(transaction.connection, case.rule, packs)
    for conflict in case.conflicts:
        if conflict.state != ConflictState.MOOT:
            continue
        other = conflict.rule_b if conflict.rule_a == case.rule.rule_id else conflict.rule_a
        if stands(build_case(other, rows, packs)):
            raise InvalidInput(
                f"Rule {case.rule.rule_id} was refused, and {other}, which contradicts it, stands.",
                advice=f"Reject or withdraw {other} first.",
            )


def _is_about_today(request: ReviewRequest, case: Case) -> bool:
    if request.reason == ReviewReason.QUALITY:
        return True
    reason = ReviewReason(request.reason)
    words = case.words_key
    return request.request_id == request_id_of(reason, case.rule.rule_id, words)


def _refused(
    transaction: DecisionTransaction, case: Case, decision: str, status: RuleStatus, word: str
) -> ReviewDecision:
    rule, person = case.rule, transaction.by.person
    made = transaction.record_decision(
        "rule",
        rule.rule_id,
        decision,
        machine=machine_version(case),
        version={},
        evidence_key=case.words_key,
    )
    to: dict[str, Any] = {"status": status.value, "status_reason": f"{word} by {person}"}
    transaction.close_answered_requests(case.requests, decision)
    transaction.change_row(Rule, rule.rule_id, _as_seen(rule), to | dict.fromkeys(PERSON_FIELDS))
    body: dict[str, Any] = {"from": rule.status, "to": status.value}
    transaction.add_audit_note(f"rule_{word}", "rule", rule.rule_id, **body)
    _close_conflicts(transaction, rule)
    transaction.settle_concept(rule)
    return made


def _close_conflicts(transaction: DecisionTransaction, rule: Rule) -> None:
    """Close the conflicts of a rule that does not stand any more."""
    packs = transaction.service.packs
    rows = concept_rows(transaction.connection, rule, packs)
    for conflict in rows.conflicts_of.get(rule.rule_id, ()):
        if conflict.state == ConflictState.MOOT:
            continue
        dispute = build_dispute(transaction.connection, conflict, rows, packs)
        if stands(dispute.a) and stands(dispute.b):
            continue
        for change in mooted(dispute, transaction.by.person).changes:
            transaction.carry_out(change)


def _worded(version: dict[str, Any]) -> dict[str, Any]:
    return {"person_version": version} if version else {}


def _as_seen(rule: Rule) -> dict[str, Any]:
    return {
        "status": rule.status,
        "approved_by": rule.approved_by,
        "approved_key": rule.approved_key,
    }


def _nothing_to_do(rule: Rule, why: str) -> InvalidInput:
    return InvalidInput(f"Rule {rule.rule_id} {why}.", advice=_LOOK.format(rule.rule_id))
