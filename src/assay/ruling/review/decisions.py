"""Approving, rejecting and withdrawing rules."""

from typing import Any

from assay.errors import InvalidInput
from assay.model.records import ReviewRequest
from assay.model.rules import ConflictState, ReviewDecision, Rule, RuleStatus
from assay.ruling.arbiter.rulings import build_moot_ruling
from assay.ruling.review.consequences import OPEN, make_request_id
from assay.ruling.review.deadlines import ReviewReason
from assay.ruling.review.judgement import (
    APPROVE,
    HOLDING,
    PERSON_FIELDS,
    REJECT,
    WITHDRAW,
    RuleCase,
    is_standing,
)
from assay.ruling.review.lookup import build_dispute, read_case, read_concept_rows, read_request
from assay.ruling.review.rule_cases import build_case
from assay.ruling.review.service import (
    DecisionTransaction,
    Reviewer,
    ReviewService,
    describe_machine_version,
)

_LOOK_ADVICE = "Look at it with 'assay review show {}'."


def approve_rule(
    service: ReviewService, rule_id: str, by: Reviewer, *, request_id: str | None = None
) -> ReviewDecision:
    """Approve a rule as the machine has it, on the words that it rests on now.

    With `request_id`, only if that question is still the one to be answered.
    """
    with service.decide(by) as transaction:
        case = read_case(transaction.connection, rule_id, service.packs)
        refuse_stale(transaction, case, request_id)
        refuse_unapprovable(transaction, case)
        return record_approval(transaction, case, APPROVE, {})


def reject_rule(
    service: ReviewService, rule_id: str, by: Reviewer, *, request_id: str | None = None
) -> ReviewDecision:
    """Reject a rule; it stays rejected while nothing is said in other words."""
    with service.decide(by) as transaction:
        case = read_case(transaction.connection, rule_id, service.packs)
        refuse_stale(transaction, case, request_id)
        rule = case.rule
        if rule.status == RuleStatus.REJECTED:
            raise _nothing_to_do_error(rule, "is rejected already")
        if rule.status == RuleStatus.PUBLISHED:
            raise InvalidInput(
                f"Rule {rule_id} is published.", advice="Withdraw it: 'assay review withdraw'."
            )
        if rule.status == RuleStatus.DEPRECATED:
            raise _nothing_to_do_error(rule, f"is out already: {rule.status_reason}")
        return _record_refusal(transaction, case, REJECT, RuleStatus.REJECTED, "rejected")


def withdraw_rule(service: ReviewService, rule_id: str, by: Reviewer) -> ReviewDecision:
    """Take a published or approved rule back: the next release is without it."""
    with service.decide(by) as transaction:
        case = read_case(transaction.connection, rule_id, service.packs)
        if case.rule.status not in HOLDING:
            raise InvalidInput(
                f"Nothing to withdraw: rule {rule_id} is {case.rule.status}.",
                advice="A rule that waits is rejected: 'assay review reject'.",
            )
        return _record_refusal(transaction, case, WITHDRAW, RuleStatus.DEPRECATED, "withdrawn")


def record_approval(
    transaction: DecisionTransaction, case: RuleCase, decision: str, version: dict[str, Any]
) -> ReviewDecision:
    """Write an approval, of the machine's version or of the person's."""
    rule, person = case.rule, transaction.by.person
    key = case.words_key
    made = transaction.record_decision(
        "rule",
        rule.rule_id,
        decision,
        machine=describe_machine_version(case),
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
    transaction.change_row(
        Rule, rule.rule_id, _expected_fields(rule), to | _person_version_fields(version)
    )
    action = "rule_approved" if decision == APPROVE else "rule_edited"
    told: dict[str, Any] = {"from": rule.status, "to": status.value, "approved_key": key}
    transaction.add_audit_note(
        action, "rule", rule.rule_id, **told, **({"version": version} if version else {})
    )
    transaction.settle_concept(rule)
    return made


def refuse_stale(transaction: DecisionTransaction, case: RuleCase, request_id: str | None) -> None:
    """Whoever answers a question must have seen what it is about today."""
    if request_id is None:
        return
    request = read_request(transaction.connection, request_id)
    rule_id = case.rule.rule_id
    if request.state != OPEN:
        raise InvalidInput(
            f"Question {request_id} is {request.state.lower()}: there is nothing to answer.",
            advice=_LOOK_ADVICE.format(rule_id),
        )
    if not _is_up_to_date(request, case):
        raise InvalidInput(
            f"The evidence of rule {rule_id} changed since question {request_id} was asked.",
            advice=f"{_LOOK_ADVICE.format(rule_id)} Then decide on the rule.",
        )


def refuse_unapprovable(transaction: DecisionTransaction, case: RuleCase) -> None:
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
        raise _nothing_to_do_error(rule, f"was approved already by {rule.approved_by}")
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


def _refuse_revived_conflict(transaction: DecisionTransaction, case: RuleCase) -> None:
    """A rule that was refused had its conflicts closed; approving it must not pass them by."""
    packs = transaction.service.packs
    rows = read_concept_rows(transaction.connection, case.rule, packs)
    for conflict in case.conflicts:
        if conflict.state != ConflictState.MOOT:
            continue
        other = conflict.rule_b if conflict.rule_a == case.rule.rule_id else conflict.rule_a
        if is_standing(build_case(other, rows, packs)):
            raise InvalidInput(
                f"Rule {case.rule.rule_id} was refused, and {other}, which contradicts it, stands.",
                advice=f"Reject or withdraw {other} first.",
            )


def _is_up_to_date(request: ReviewRequest, case: RuleCase) -> bool:
    if request.reason == ReviewReason.QUALITY:
        return True
    reason = ReviewReason(request.reason)
    words = case.words_key
    return request.request_id == make_request_id(reason, case.rule.rule_id, words)


def _record_refusal(
    transaction: DecisionTransaction, case: RuleCase, decision: str, status: RuleStatus, word: str
) -> ReviewDecision:
    rule, person = case.rule, transaction.by.person
    made = transaction.record_decision(
        "rule",
        rule.rule_id,
        decision,
        machine=describe_machine_version(case),
        version={},
        evidence_key=case.words_key,
    )
    to: dict[str, Any] = {"status": status.value, "status_reason": f"{word} by {person}"}
    transaction.close_answered_requests(case.requests, decision)
    transaction.change_row(
        Rule, rule.rule_id, _expected_fields(rule), to | dict.fromkeys(PERSON_FIELDS)
    )
    body: dict[str, Any] = {"from": rule.status, "to": status.value}
    transaction.add_audit_note(f"rule_{word}", "rule", rule.rule_id, **body)
    _close_conflicts(transaction, rule)
    transaction.settle_concept(rule)
    return made


def _close_conflicts(transaction: DecisionTransaction, rule: Rule) -> None:
    """Close the conflicts of a rule that does not stand any more."""
    packs = transaction.service.packs
    rows = read_concept_rows(transaction.connection, rule, packs)
    for conflict in rows.conflicts_of.get(rule.rule_id, ()):
        if conflict.state == ConflictState.MOOT:
            continue
        dispute = build_dispute(transaction.connection, conflict, rows, packs)
        if is_standing(dispute.a) and is_standing(dispute.b):
            continue
        for change in build_moot_ruling(dispute, transaction.by.person).changes:
            transaction.carry_out(change)


def _person_version_fields(version: dict[str, Any]) -> dict[str, Any]:
    return {"person_version": version} if version else {}


def _expected_fields(rule: Rule) -> dict[str, Any]:
    return {
        "status": rule.status,
        "approved_by": rule.approved_by,
        "approved_key": rule.approved_key,
    }


def _nothing_to_do_error(rule: Rule, why: str) -> InvalidInput:
    return InvalidInput(f"Rule {rule.rule_id} {why}.", advice=_LOOK_ADVICE.format(rule.rule_id))
