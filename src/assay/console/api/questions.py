"""Questions to people, their answers, and conflicts between rules."""

from typing import Annotated, Any, Literal

from fastapi import Body, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from assay.app import App, listings
from assay.app.review_kinds import answer_question
from assay.app.reviewing import build_review_service, find_subject, load_request
from assay.console.access import Decider, Reader, make_reviewer
from assay.console.api.idempotency import RequestKey, answer_once
from assay.console.api.paging import WantedPage
from assay.console.api.routing import PlainText, build_router
from assay.console.layout import OwnApp
from assay.errors import InvalidInput
from assay.model.records import ReviewRequest
from assay.model.rules import Conflict, ConflictState, ReviewDecision
from assay.ruling.review.decisions import approve_rule, reject_rule
from assay.ruling.review.editing import edit_rule
from assay.ruling.review.service import Reviewer

router = build_router("questions")
Note = Annotated[PlainText, Field(max_length=10_000)]
QuestionState = Literal["OPEN", "ANSWERED", "MOOT"]


SignedBy = Annotated[PlainText, Field(max_length=80)]
"""The name of whoever decides, where nobody logs in; otherwise the authenticated one counts."""


class QuestionList(BaseModel):
    """Questions, the most urgent first."""

    questions: list[ReviewRequest]
    next: str | None = None


class ConflictList(BaseModel):
    """Conflicts by their id."""

    conflicts: list[Conflict]
    next: str | None = None


class ApprovalGiven(BaseModel):
    """The rule applies as the machine proposes it."""

    model_config = ConfigDict(extra="forbid")
    action: Literal["approve"]
    note: Note = ""
    by: SignedBy = ""


class RejectionGiven(BaseModel):
    """The rule does not apply."""

    model_config = ConfigDict(extra="forbid")
    action: Literal["reject"]
    note: Note = ""
    by: SignedBy = ""


class CorrectionGiven(BaseModel):
    """The rule applies with these changes; both versions are kept."""

    model_config = ConfigDict(extra="forbid")
    action: Literal["edit"]
    changes: Annotated[dict[PlainText, PlainText | None], Field(min_length=1, max_length=20)]
    """value, effective_from, effective_until, applies_when, label; null removes a date."""
    note: Note = ""
    by: SignedBy = ""


class AnswerGiven(BaseModel):
    """The answer to a question that is not about a rule."""

    model_config = ConfigDict(extra="forbid")
    action: Literal["answer"]
    answer: Annotated[PlainText, Field(min_length=1, max_length=10_000)]
    note: Note = ""
    by: SignedBy = ""


Given = Annotated[
    ApprovalGiven | RejectionGiven | CorrectionGiven | AnswerGiven,
    Body(discriminator="action"),
]


@router.get("/api/questions")
def list_questions(
    app: OwnApp,
    _principal: Reader,
    page: WantedPage,
    state: QuestionState = "OPEN",
    kind: str | None = None,
) -> QuestionList:
    """The questions in one state, optionally about one kind of thing."""
    found = listings.page_questions(app, page.after, page.limit, state=state, kind=kind)
    return QuestionList.model_validate({"questions": found.rows, "next": page.link_next(found)})


@router.get("/api/questions/{request_id}")
def show_question(app: OwnApp, _principal: Reader, request_id: str) -> ReviewRequest:
    """One question."""
    return ReviewRequest.model_validate(load_request(app, request_id))


@router.post("/api/questions/{request_id}/decision", response_model=ReviewDecision)
def decide(
    request: Request,
    app: OwnApp,
    principal: Decider,
    request_id: str,
    given: Given,
    key: RequestKey = None,
) -> Response:
    """Decide about the rule of a question, or answer the question."""

    def work() -> ReviewDecision:
        return _decide(app, request_id, given, make_reviewer(request, given.note, stated=given.by))

    return answer_once(request, app, principal, key, given, work)


@router.get("/api/conflicts")
def list_conflicts(
    app: OwnApp, _principal: Reader, page: WantedPage, state: ConflictState | None = None
) -> ConflictList:
    """The conflicts, optionally in one state."""
    found = listings.page_conflicts(app, page.after, page.limit, state=state)
    return ConflictList.model_validate({"conflicts": found.rows, "next": page.link_next(found)})


def _decide(
    app: App,
    request_id: str,
    given: ApprovalGiven | RejectionGiven | CorrectionGiven | AnswerGiven,
    by: Reviewer,
) -> ReviewDecision:
    # Refused for anything that is not a question.
    asked: dict[str, Any] = load_request(app, request_id)
    if isinstance(given, AnswerGiven):
        return answer_question(app, request_id, given.answer, by)
    kind, rule_id, _ = find_subject(app, request_id)
    if kind != "rule":
        raise InvalidInput(
            f"Question {request_id} is about {kind} {asked['subject']}, not about a rule.",
            advice='Use {"action": "answer", "answer": "…"}.',
        )
    service = build_review_service(app)
    if isinstance(given, ApprovalGiven):
        return approve_rule(service, rule_id, by, request_id=request_id)
    if isinstance(given, RejectionGiven):
        return reject_rule(service, rule_id, by, request_id=request_id)
    return edit_rule(service, rule_id, by, changed=given.changes, request_id=request_id)
