"""Conflicts: rules side by side, what the arbiter recommends, and a person's decision."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from assay.app import App
from assay.app.conflict_desk import (
    STATES,
    count_conflicts,
    describe_conflict_page,
    list_conflict_page,
)
from assay.app.principals import Principal, Role
from assay.app.reviewing import build_review_service
from assay.console.access import Decider, Reader, make_reviewer, shown_name
from assay.console.forms import OwnForm, redirect
from assay.console.layout import OwnApp, render_page
from assay.console.pages.review import presence_of
from assay.errors import InvalidInput, QuestionChanged
from assay.ruling.review.conflicts import resolve_conflict, undo_resolution
from assay.ruling.review.consequences import make_request_id
from assay.ruling.review.deadlines import ReviewReason

router = APIRouter()
_PER_PAGE = 50
_MOST_OFFSET = 1_000_000


@router.get("/conflicts")
def show_conflicts(
    request: Request, app: OwnApp, principal: Reader, state: str = "", after: str = ""
) -> Response:
    """The conflicts that wait for a person, or those of another state."""
    chosen = state if state in STATES else None
    concept, _, conflict_id = after.partition("~")
    place = (concept, conflict_id) if conflict_id else None
    rows = list_conflict_page(app, state=chosen, after=place, limit=_PER_PAGE + 1)
    more, rows = len(rows) > _PER_PAGE, rows[:_PER_PAGE]
    presence_of(request).close(shown_name(request))
    taken = presence_of(request).list_open(app.clock.now_ms())
    return render_page(
        request,
        "conflicts.html",
        rows=rows,
        state=chosen,
        counts=count_conflicts(app),
        open_by={row["conflict_id"]: taken.get(_name_question(row["conflict_id"])) for row in rows},
        next_after=f"{rows[-1]['concept']}~{rows[-1]['conflict_id']}" if more else None,
    )


@router.get("/conflicts/{conflict_id}")
def show_conflict(
    request: Request,
    app: OwnApp,
    principal: Reader,
    conflict_id: str,
    value: str | None = None,
    offset: int = 0,
) -> Response:
    """One conflict with its sides."""
    return _render_conflict(
        request, app, principal, conflict_id, value=value, offset=min(max(0, offset), _MOST_OFFSET)
    )


def _name_question(conflict_id: str) -> str:
    """The question about a conflict: who has the conflict open has that question open."""
    return make_request_id(ReviewReason.CONFLICT, conflict_id, "")


def _render_conflict(
    request: Request,
    app: App,
    principal: Principal,
    conflict_id: str,
    *,
    value: str | None = None,
    offset: int = 0,
    status: int = 200,
    problem: InvalidInput | None = None,
) -> Response:
    page = describe_conflict_page(app, conflict_id, value=value, offset=offset)
    others = presence_of(request).open(
        shown_name(request), _name_question(conflict_id), app.clock.now_ms()
    )
    return render_page(
        request,
        "conflict.html",
        status=status,
        page=page,
        value=value,
        offset=offset,
        others=others,
        problem=problem,
        can_answer=principal.may(Role.REVIEWER),
    )


@router.post("/conflicts/{conflict_id}", dependencies=[OwnForm])
def decide_conflict(
    request: Request,
    app: OwnApp,
    principal: Decider,
    conflict_id: str,
    choice: Annotated[str, Form()],
    version: Annotated[str, Form()],
    note: Annotated[str, Form()] = "",
) -> Response:
    """Let a rule prevail, or keep all of them."""
    by = make_reviewer(request, note)
    try:
        made = resolve_conflict(build_review_service(app), conflict_id, choice, by, version=version)
    except InvalidInput as error:
        return _answer_refusal(request, app, principal, conflict_id, error)
    said = f"{choice} prevails" if made.winner else "all its rules are kept"
    return redirect(f"/conflicts/{conflict_id}", f"Decided: {said}.")


@router.post("/conflicts/{conflict_id}/undo", dependencies=[OwnForm])
def undo_decided(
    request: Request,
    app: OwnApp,
    principal: Decider,
    conflict_id: str,
    resolution: Annotated[str, Form()],
    version: Annotated[str, Form()],
    note: Annotated[str, Form()] = "",
) -> Response:
    """Undo a resolution by a further decision."""
    by = make_reviewer(request, note)
    try:
        undo_resolution(build_review_service(app), resolution, by, version=version)
    except InvalidInput as error:
        return _answer_refusal(request, app, principal, conflict_id, error)
    return redirect(f"/conflicts/{conflict_id}", "Undone: the conflict waits for a person again.")


def _answer_refusal(
    request: Request, app: App, principal: Principal, conflict_id: str, error: InvalidInput
) -> Response:
    """The conflict as it is now, with why the decision was refused."""
    status = 409 if isinstance(error, QuestionChanged) else 400
    return _render_conflict(request, app, principal, conflict_id, status=status, problem=error)
