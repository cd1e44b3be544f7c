"""Answering questions about evidence and about what packs declare, but not about rules."""

from collections.abc import Callable
from dataclasses import dataclass

from assay.errors import InvalidInput, QuestionChanged
from assay.model.hashes import canonical_json, content_hash
from assay.model.records import ReviewRequest
from assay.model.rules import ReviewDecision
from assay.ruling.review.consequences import OPEN
from assay.ruling.review.judgement import ANSWER
from assay.ruling.review.lookup import read_request
from assay.ruling.review.service import DecisionTransaction, Reviewer, ReviewService

Effect = Callable[[DecisionTransaction], None]
"""Applies the effect of an answer in the transaction of the answer."""
_ADVICE = {
    "rule": "Approve, edit or reject the rule: 'assay review show {}'.",
    "conflict": "Decide the conflict: 'assay conflicts show {}'.",
}


@dataclass(frozen=True)
class SeenRequest:
    """A question that a person answers in words, as they saw it."""

    request_id: str
    version: str | None = None
    """What they saw (`make_request_version`), if that is known."""


def make_request_version(request: ReviewRequest) -> str:
    """Identifies what a person sees of a question."""
    seen = [request.request_id, request.state, request.question, request.created_ms]
    return content_hash(canonical_json(seen))[:16]


def answer_request(
    service: ReviewService,
    request_id: str,
    answer: str,
    by: Reviewer,
    *,
    apply_effect: Effect | None = None,
) -> ReviewDecision:
    """Record a person's answer to a question that an answer in words can settle, and close it.

    `apply_effect` applies the effect of the answer in the same transaction.
    """
    with service.decide(by) as transaction:
        return record_answer(transaction, SeenRequest(request_id), answer, apply_effect)


def record_answer(
    transaction: DecisionTransaction,
    seen: SeenRequest,
    answer: str,
    apply_effect: Effect | None = None,
) -> ReviewDecision:
    """The same within a transaction, if the question is still as the person saw it."""
    if not answer.strip():
        raise InvalidInput("An answer cannot be empty.")
    request = read_request(transaction.connection, seen.request_id)
    _refuse_unanswerable(request)
    if seen.version is not None and seen.version != make_request_version(request):
        raise QuestionChanged(f"Question {seen.request_id} changed since you looked at it.")
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
        request_id=seen.request_id,
        answer=answer,
    )
    if apply_effect is not None:
        apply_effect(transaction)
    return made


def _refuse_unanswerable(request: ReviewRequest) -> None:
    if request.state != OPEN:
        raise QuestionChanged(
            f"Question {request.request_id} is {request.state.lower()}: there is nothing to answer."
        )
    if request.subject_kind in _ADVICE:
        raise InvalidInput(
            f"Question {request.request_id} is about a {request.subject_kind}, "
            "which an answer in words cannot decide.",
            advice=_ADVICE[request.subject_kind].format(request.subject),
        )
