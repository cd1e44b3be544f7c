"""Approving, rejecting and withdrawing rules."""

from typing import Any

from assay.errors import InvalidInput
from assay.model.records import ReviewRequest
from assay.model.rules import ConflictState, ReviewDecision, Rule, RuleStatus
from assay.ruling.review.cases import case_of
from assay.ruling.review.consequences import OPEN, request_id_of
from assay.ruling.review.deadlines import ReviewReason
from assay.ruling.review.desk import By, Desk, Sitting, machine_version
from assay.ruling.review.disputes import settle_conflicts
from assay.ruling.review.judgement import (
    APPROVE,
    HOLDING,
    PERSON_FIELDS,
    REJECT,
    WITHDRAW,
    Case,
    evidence_key,
    stands,
)
from assay.ruling.review.lookup import case_in, request_of, rows_of, rule_of

_LOOK = "Look at it with 'assay review show {}'."


def approve_rule(
    desk: Desk, rule_id: str, by: By, *, request_id: str | None = None
) -> ReviewDecision:
    """Approve a rule as the machine has it, on the words that it rests on now.

    With `request_id`, only if that question is still the one to be answered.
    """
    with desk.sitting(by) as sitting:
        case = case_in(sitting.connection, rule_id, desk.packs)
        refuse_stale(sitting, case, request_id)
        refuse_unapprovable(sitting, case)
        return approved(sitting, case, APPROVE, {})


def reject_rule(
    desk: Desk, rule_id: str, by: By, *, request_id: str | None = None
) -> ReviewDecision:
    """Reject a rule; it stays rejected while nothing is said in other words."""
    with desk.sitting(by) as sitting:
        case = case_in(sitting.connection, rule_id, desk.packs)
        refuse_stale(sitting, case, request_id)
        rule = case.rule
        if rule.status == RuleStatus.REJECTED:
            raise _nothing_to_do(rule, "is rejected already")
        if rule.status == RuleStatus.PUBLISHED:
            raise InvalidInput(
                f"Rule {rule_id} is published.", advice="Withdraw it: 'assay review withdraw'."
            )
        if rule.status == RuleStatus.DEPRECATED:
            raise _nothing_to_do(rule, f"is out already: {rule.status_reason}")
        return _refused(sitting, case, REJECT, RuleStatus.REJECTED, "rejected")


def withdraw_rule(desk: Desk, rule_id: str, by: By) -> ReviewDecision:
    """Take a published or approved rule back: the next release is without it."""
    with desk.sitting(by) as sitting:
        case = case_in(sitting.connection, rule_id, desk.packs)
        if case.rule.status not in HOLDING:
            raise InvalidInput(
                f"Rule {rule_id} is {case.rule.status}, so that there is nothing to withdraw.",
                advice="A rule that waits is rejected: 'assay review reject'.",
            )
        return _refused(sitting, case, WITHDRAW, RuleStatus.DEPRECATED, "withdrawn")


def approved(
    sitting: Sitting, case: Case, decision: str, version: dict[str, Any]
) -> ReviewDecision:
    """Write an approval, of the machine's version or of the person's."""
    rule, person = case.rule, sitting.by.person
    key = evidence_key(case.pointers)
    made = sitting.decide(
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
        "approved_ms": sitting.desk.now_ms,
        "approved_key": key,
    }
    # Questions before rules, as the stages do: two that meet wait, and never for each other.
    sitting.answer(case.requests, decision)
    sitting.change(Rule, rule.rule_id, _as_seen(rule), to | _worded(version))
    action = "rule_approved" if decision == APPROVE else "rule_edited"
    told: dict[str, Any] = {"from": rule.status, "to": status.value, "approved_key": key}
    sitting.audit(action, "rule", rule.rule_id, **told, **({"version": version} if version else {}))
    sitting.look_again([rule.rule_id])
    return made


def refuse_stale(sitting: Sitting, case: Case, request_id: str | None) -> None:
    """Whoever answers a question must have seen what it is about today."""
    if request_id is None:
        return
    request = request_of(sitting.connection, request_id)
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


def refuse_unapprovable(sitting: Sitting, case: Case) -> None:
    """What cannot be approved, and what to do instead."""
    rule = case.rule
    if case.undecided:
        conflict = case.undecided[0].conflict_id
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
        _refuse_revived_conflict(sitting, case)


def _refuse_revived_conflict(sitting: Sitting, case: Case) -> None:
    """A rule that was refused had its conflicts closed; approving it must not pass them by."""
    for conflict in case.conflicts:
        if conflict.state != ConflictState.MOOT:
            continue
        other = conflict.rule_b if conflict.rule_a == case.rule.rule_id else conflict.rule_a
        rows = rows_of(sitting.connection, [other])
        if stands(case_of(other, rows, sitting.desk.packs)):
            raise InvalidInput(
                f"Rule {case.rule.rule_id} was refused, and {other}, which contradicts it, stands.",
                advice=f"Reject or withdraw {other} first.",
            )


def _is_about_today(request: ReviewRequest, case: Case) -> bool:
    if request.reason == ReviewReason.QUALITY:
        return True
    reason = ReviewReason(request.reason)
    words = evidence_key(case.pointers)
    return request.request_id == request_id_of(reason, case.rule.rule_id, words)


def _refused(
    sitting: Sitting, case: Case, decision: str, status: RuleStatus, word: str
) -> ReviewDecision:
    rule, person = case.rule, sitting.by.person
    made = sitting.decide(
        "rule",
        rule.rule_id,
        decision,
        machine=machine_version(case),
        version={},
        evidence_key=evidence_key(case.pointers),
    )
    to: dict[str, Any] = {"status": status.value, "status_reason": f"{word} by {person}"}
    sitting.answer(case.requests, decision)
    sitting.change(Rule, rule.rule_id, _as_seen(rule), to | dict.fromkeys(PERSON_FIELDS))
    body: dict[str, Any] = {"from": rule.status, "to": status.value}
    sitting.audit(f"rule_{word}", "rule", rule.rule_id, **body)
    settle_conflicts(sitting, rule_of(sitting.connection, rule.rule_id))
    return made


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
