"""Approving, rejecting and withdrawing rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import InvalidInput, QuestionChanged
from assay.model.records import ReviewRequest
from assay.model.rules import ReviewDecision, Rule, RuleStatus
from assay.ruling.review.conflicts import leave_conflict
from assay.ruling.review.consequences import OPEN, make_request_id
from assay.ruling.review.deadlines import ReviewReason
from assay.ruling.review.judgement import (
    AGREE,
    APPROVE,
    HOLDING,
    PERSON_FIELDS,
    REJECT,
    WITHDRAW,
    RuleCase,
    is_standing,
    make_case_version,
)
from assay.ruling.review.lookup import read_case, read_concept_rows, read_request
from assay.ruling.review.rule_cases import build_case
from assay.ruling.review.service import (
    DecisionTransaction,
    Reviewer,
    ReviewService,
    describe_machine_version,
)

_LOOK_ADVICE = "Look at it with 'assay review show {}'."


@dataclass(frozen=True, kw_only=True)
class SeenRule:
    """A rule that a person decides on, as they saw it."""

    rule_id: str
    request_id: str | None = None
    """The question that they answer, if they answer one."""
    version: str | None = None
    """What they saw (`make_case_version`), if that is known."""


def approve_rule(
    service: ReviewService, rule_id: str, by: Reviewer, *, request_id: str | None = None
) -> ReviewDecision:
    """Approve the machine's version of a rule, on the words that support it now.

    With `request_id`, only if that question is still the one to answer.
    """
    (made,) = decide_rules(service, APPROVE, [SeenRule(rule_id=rule_id, request_id=request_id)], by)
    return made


def reject_rule(
    service: ReviewService, rule_id: str, by: Reviewer, *, request_id: str | None = None
) -> ReviewDecision:
    """Reject a rule; it stays rejected unless other words support it."""
    (made,) = decide_rules(service, REJECT, [SeenRule(rule_id=rule_id, request_id=request_id)], by)
    return made


def withdraw_rule(service: ReviewService, rule_id: str, by: Reviewer) -> ReviewDecision:
    """Withdraw a published or approved rule: the next release will not contain it."""
    (made,) = decide_rules(service, WITHDRAW, [SeenRule(rule_id=rule_id)], by)
    return made


def decide_rules(
    service: ReviewService, decision: str, seen: Sequence[SeenRule], by: Reviewer
) -> list[ReviewDecision]:
    """Decide several rules alike, in one transaction with one decision for each."""
    act = _ACTS[decision]
    with service.decide(by) as transaction:
        # All of them first: deciding one may change what another looks like.
        for each in seen:
            read_seen_case(transaction, each)
        return [
            act(transaction, read_case(transaction.connection, each.rule_id, service.packs))
            for each in seen
        ]


def read_seen_case(transaction: DecisionTransaction, seen: SeenRule) -> RuleCase:
    """The rule as it is now, if it is still as the person saw it."""
    case = read_case(transaction.connection, seen.rule_id, transaction.service.packs)
    refuse_stale(transaction, case, seen.request_id)
    if seen.version is not None and seen.version != make_case_version(case):
        raise QuestionChanged(f"Rule {seen.rule_id} changed since you looked at it.")
    return case


def _approve(transaction: DecisionTransaction, case: RuleCase) -> ReviewDecision:
    refuse_unapprovable(transaction, case)
    return record_approval(transaction, case, APPROVE, {})


def _reject(transaction: DecisionTransaction, case: RuleCase) -> ReviewDecision:
    rule = case.rule
    if rule.status == RuleStatus.REJECTED:
        raise _nothing_to_do_error(rule, "is already rejected")
    if rule.status == RuleStatus.PUBLISHED:
        raise InvalidInput(
            f"Rule {rule.rule_id} is published.",
            advice="Withdraw it with 'assay review withdraw'.",
        )
    if rule.status == RuleStatus.DEPRECATED:
        raise _nothing_to_do_error(rule, f"is already deprecated: {rule.status_reason}")
    return _record_refusal(transaction, case, REJECT, RuleStatus.REJECTED, "rejected")


def _withdraw(transaction: DecisionTransaction, case: RuleCase) -> ReviewDecision:
    rule = case.rule
    if rule.status not in HOLDING:
        raise InvalidInput(
            f"Nothing to withdraw: rule {rule.rule_id} is {rule.status}.",
            advice="If it is waiting for review, reject it with 'assay review reject'.",
        )
    return _record_refusal(transaction, case, WITHDRAW, RuleStatus.DEPRECATED, "withdrawn")


_ACTS = {APPROVE: _approve, REJECT: _reject, WITHDRAW: _withdraw}


def record_approval(
    transaction: DecisionTransaction, case: RuleCase, decision: str, version: dict[str, Any]
) -> ReviewDecision:
    """Write an approval, of the machine's version or of the person's.

    Where it takes two people, the first approval only says that one of them agrees.
    """
    rule, person = case.rule, transaction.by.person
    key, first = case.words_key, None
    if rule.tier in transaction.service.two_people:
        first = _find_first_person(transaction, case, version)
        if first is None:
            return _record_agreement(transaction, case, version)
    made = transaction.record_decision(
        "rule",
        rule.rule_id,
        decision,
        machine=describe_machine_version(case),
        version=version,
        evidence_key=key,
    )
    # A published rule that was only confirmed stays published.
    confirmed = rule.status == RuleStatus.PUBLISHED and decision == APPROVE
    status = RuleStatus.PUBLISHED if confirmed else RuleStatus.APPROVED
    to: dict[str, Any] = {
        "status": status.value,
        "status_reason": f"approved by {person}",
        "approved_by": person,
        "approved_ms": transaction.service.now_ms,
        "approved_key": key,
        **({"person_version": version} if version else {}),
    }
    # Questions before rules, in the same order as the stages, which prevents deadlocks.
    transaction.close_answered_requests(case.requests, decision)
    transaction.change_row(Rule, rule.rule_id, expect_fields(rule), to)
    action = "rule_approved" if decision == APPROVE else "rule_edited"
    body: dict[str, Any] = {"from": rule.status, "to": status.value, "approved_key": key}
    if first is not None:
        body["first_approved_by"] = first.person
    transaction.add_audit_note(
        action, "rule", rule.rule_id, **body, **({"version": version} if version else {})
    )
    transaction.settle_concept(rule)
    return made


def _find_first_person(
    transaction: DecisionTransaction, case: RuleCase, version: dict[str, Any]
) -> ReviewDecision | None:
    """The approval of the same version by somebody else; None if this is the first."""
    by = transaction.by
    if not by.is_person:
        raise InvalidInput(
            f"Approving a {case.rule.tier} rule takes two people who are logged in.",
            advice="Approve it in the console, on a server with a login.",
        )
    first = case.first_approval
    if first is None or first.version != version:
        return None
    if first.person == by.person:
        raise InvalidInput(
            f"You approved rule {case.rule.rule_id} already; it waits for a second person.",
            advice="Ask somebody else to look at it.",
        )
    return first


def _record_agreement(
    transaction: DecisionTransaction, case: RuleCase, version: dict[str, Any]
) -> ReviewDecision:
    """Keep the first of two approvals; the rule and its question stay as they are."""
    rule, key = case.rule, case.words_key
    made = transaction.record_decision(
        "rule",
        rule.rule_id,
        AGREE,
        machine=describe_machine_version(case),
        version=version,
        evidence_key=key,
    )
    body: dict[str, Any] = {"approved_key": key, **({"version": version} if version else {})}
    transaction.add_audit_note("rule_approved_first", "rule", rule.rule_id, **body)
    transaction.settle_concept(rule)
    return made


def refuse_stale(transaction: DecisionTransaction, case: RuleCase, request_id: str | None) -> None:
    """A person who answers a question must have seen its current subject."""
    if request_id is None:
        return
    request = read_request(transaction.connection, request_id)
    rule_id = case.rule.rule_id
    if request.state != OPEN:
        raise QuestionChanged(
            f"Question {request_id} is {request.state.lower()}: there is nothing to answer.",
            advice=_LOOK_ADVICE.format(rule_id),
        )
    if not _is_up_to_date(request, case):
        raise QuestionChanged(
            f"The evidence of rule {rule_id} changed since question {request_id} was asked.",
            advice=f"{_LOOK_ADVICE.format(rule_id)} Then decide on the rule.",
        )


def refuse_unapprovable(transaction: DecisionTransaction, case: RuleCase) -> None:
    """Raise an error if the rule cannot be approved, with advice on what to do instead."""
    rule = case.rule
    if (conflict := case.undecided_conflict) is not None:
        raise InvalidInput(
            f"Another rule contradicts rule {rule.rule_id}, in conflict {conflict.conflict_id}.",
            advice=f"Decide the conflict first: 'assay conflicts show {conflict.conflict_id}'.",
        )
    if not case.pointers:
        raise InvalidInput(
            f"Rule {rule.rule_id} cannot be approved: no document supports it any more.",
            advice="Reject it, or watch a source that supports it.",
        )
    if rule.status in HOLDING and rule.approved_by is not None:
        raise _nothing_to_do_error(rule, f"was already approved by {rule.approved_by}")
    if rule.status == RuleStatus.DRAFT:
        raise InvalidInput(
            f"Rule {rule.rule_id} has not been reviewed yet.",
            advice="'assay run' or a worker will review it.",
        )
    last = case.last_decision
    withdrawn = last is not None and last.decision == WITHDRAW
    if rule.status == RuleStatus.DEPRECATED and not withdrawn:
        raise InvalidInput(
            f"Rule {rule.rule_id} is deprecated: {rule.status_reason}.",
            advice="If it lost a conflict, undo that with 'assay conflicts undo'.",
        )
    if rule.status in (RuleStatus.REJECTED, RuleStatus.DEPRECATED):
        refuse_revived_conflict(transaction, case)


def refuse_revived_conflict(transaction: DecisionTransaction, case: RuleCase) -> None:
    """A refused rule left its conflict; approving it must not bypass the other sides."""
    rows = read_concept_rows(transaction.connection, case.rule, transaction.service.packs)
    own = case.side
    if own is None:
        return
    for side in rows.sides:
        if side.conflict_id != own.conflict_id or side.gave_way_to is not None:
            continue
        other = build_case(side.rule_id, rows)
        if other.rule.value != case.rule.value and is_standing(other):
            raise InvalidInput(
                f"Rule {case.rule.rule_id} was refused, and rule {side.rule_id}, which contradicts "
                "it, still stands.",
                advice=f"Reject or withdraw {side.rule_id} first.",
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
        Rule, rule.rule_id, expect_fields(rule), to | dict.fromkeys(PERSON_FIELDS)
    )
    body: dict[str, Any] = {"from": rule.status, "to": status.value}
    transaction.add_audit_note(f"rule_{word}", "rule", rule.rule_id, **body)
    leave_conflict(transaction, rule)
    transaction.settle_concept(rule)
    return made


def expect_fields(rule: Rule) -> dict[str, Any]:
    """What must not have changed of a rule for a decision about it to take effect."""
    return {
        "status": rule.status,
        "approved_by": rule.approved_by,
        "approved_key": rule.approved_key,
    }


def _nothing_to_do_error(rule: Rule, why: str) -> InvalidInput:
    return InvalidInput(f"Rule {rule.rule_id} {why}.", advice=_LOOK_ADVICE.format(rule.rule_id))
