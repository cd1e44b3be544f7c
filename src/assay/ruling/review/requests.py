"""Answering questions about evidence and about what packs declare, but not about rules."""

from collections.abc import Callable

from assay.errors import InvalidInput
from assay.model.records import ReviewRequest
from assay.model.rules import ReviewDecision
from assay.ruling.review.consequences import OPEN
from assay.ruling.review.judgement import ANSWER
from assay.ruling.review.lookup import read_request
from assay.ruling.review.service import DecisionTransaction, Reviewer, ReviewService

_ADVICE = {
    "rule": "Approve, edit or reject the rule: 'assay review show {}'.",
    "conflict": "Decide the conflict: 'assay conflicts show {}'.",
}


def answer_request(
    service: ReviewService,
    request_id: str,
    answer: str,
    by: Reviewer,
    *,
    apply_effect: Callable[[DecisionTransaction], None] | None = None,
) -> ReviewDecision:
    """Record a person's answer to a question that an answer in words can settle, and close it.

    `apply_effect` applies the effect of the answer in the same transaction.
    """
    if not answer.strip():
        raise InvalidInput("An answer cannot be empty.")
    with service.decide(by) as transaction:
        request = read_request(transaction.connection, request_id)
        _refuse_unanswerable(request)
        made = transaction.record_decision(
            request.subject_kind,
            request.subject,
            ANSWER,
            machine={"reason": request.reason, "question": request.question},
            version={"answer": answer},
        )
        transaction.close_answered_requests([request], answer)
        transaction.add_audit_note(
            "question_answered",
            request.subject_kind,
            request.subject,
            request_id=request_id,
            answer=answer,
        )
        if apply_effect is not None:
            apply_effect(transaction)
        return made


def _refuse_unanswerable(request: ReviewRequest) -> None:
    if request.state != OPEN:
        raise InvalidInput(
            f"Question {request.request_id} is {request.state.lower()}: there is nothing to answer."
        )
    if request.subject_kind in _ADVICE:
        raise InvalidInput(
            f"Question {request.request_id} is about a {request.subject_kind}, "
            "which an answer in words cannot decide.",
            advice=_ADVICE[request.subject_kind].format(request.subject),
        )
