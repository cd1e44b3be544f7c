"""Answering questions that are about evidence, not about a rule or a conflict."""

from assay.errors import InvalidInput
from assay.model.records import ReviewRequest
from assay.model.rules import ReviewDecision
from assay.ruling.review.consequences import OPEN
from assay.ruling.review.judgement import ANSWER
from assay.ruling.review.lookup import request_of
from assay.ruling.review.service import By, ReviewService

_INSTEAD = {
    "rule": "Approve, edit or reject the rule: 'assay review show {}'.",
    "conflict": "Decide the conflict: 'assay conflicts show {}'.",
}


def answer_request(service: ReviewService, request_id: str, answer: str, by: By) -> ReviewDecision:
    """Keep a person's answer to a question about evidence, and close it."""
    if not answer.strip():
        raise InvalidInput("An answer cannot be empty.")
    with service.decide(by) as transaction:
        request = request_of(transaction.connection, request_id)
        _refuse(request)
        made = transaction.record_decision(
            request.subject_kind,
            request.subject,
            ANSWER,
            machine={"reason": request.reason, "question": request.question},
            version={"answer": answer},
        )
        transaction.answer([request], answer)
        transaction.audit(
            "question_answered",
            request.subject_kind,
            request.subject,
            request_id=request_id,
            answer=answer,
        )
        return made


def _refuse(request: ReviewRequest) -> None:
    if request.state != OPEN:
        raise InvalidInput(
            f"Question {request.request_id} is {request.state.lower()}: there is nothing to answer."
        )
    if request.subject_kind in _INSTEAD:
        raise InvalidInput(
            f"Question {request.request_id} is about a {request.subject_kind}, "
            "which words alone do not decide.",
            advice=_INSTEAD[request.subject_kind].format(request.subject),
        )
