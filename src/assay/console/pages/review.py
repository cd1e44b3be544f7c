"""The review desk: the queue, one question at a time, similar ones together, and undoing."""

from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import RedirectResponse, Response

from assay.app import App
from assay.app.principals import Principal, Role
from assay.app.review_decisions import (
    SeenQuestion,
    correct_question,
    decide_questions,
    explain_undo,
    find_last_decision,
    load_decisions,
    require_reason,
    undo_decisions,
)
from assay.app.review_questions import SAY, DeskQuestion, describe_question
from assay.app.review_queue import (
    QueueFilter,
    QueuePlace,
    count_waiting,
    describe_reason,
    find_next,
    find_place,
    list_waiting,
)
from assay.app.similar_questions import count_similar, list_similar_questions
from assay.console.access import Decider, Reader, make_reviewer, shown_name
from assay.console.forms import OwnForm, redirect
from assay.console.layout import OwnApp, render_page
from assay.console.presence import Presence
from assay.errors import InvalidInput, QuestionChanged
from assay.model.rules import ReviewDecision
from assay.ruling.review.judgement import EDIT
from assay.sdk.screens import pluralize

router = APIRouter()
_PER_PAGE = 50


def presence_of(request: Request) -> Presence:
    """Who has which question open."""
    found: Presence = request.app.state.presence
    return found


def _read_filter(
    reason: str | None = None,
    tier: str | None = None,
    pack: str | None = None,
    overdue: bool = False,
) -> QueueFilter:
    return QueueFilter(reason=reason or None, tier=tier or None, pack=pack or None, overdue=overdue)


OwnFilter = Annotated[QueueFilter, Depends(_read_filter)]


class _Addresses:
    """Addresses of the desk that keep the filter of the queue."""

    def __init__(self, wanted: QueueFilter) -> None:
        self._kept = {name: value for name, value in vars(wanted).items() if value}

    def __call__(self, path: str, **more: Any) -> str:
        """The address with the filter; a value of None leaves a part out."""
        query = {name: value for name, value in (self._kept | more).items() if value}
        return f"{path}?{urlencode(query)}" if query else path


@router.get("/review")
def show_queue(
    request: Request,
    app: OwnApp,
    principal: Reader,
    wanted: OwnFilter,
    after: str = "",
    undo: str = "",
) -> Response:
    """The questions that wait, most urgent first."""
    place = _read_place(after)
    rows = list_waiting(app, wanted, after=place, limit=_PER_PAGE + 1)
    more, rows = len(rows) > _PER_PAGE, rows[:_PER_PAGE]
    to, counts = _Addresses(wanted), count_waiting(app)
    presence_of(request).close(shown_name(request))
    last = rows[-1] if rows else None
    return render_page(
        request,
        "review.html",
        rows=rows,
        counts=counts,
        wanted=wanted,
        reason_names={reason: describe_reason(reason)[0] for reason in counts.by("reason")},
        open_by=presence_of(request).list_open(app.clock.now_ms()),
        to=to,
        undo=undo,
        next_url=to("/review", after=f"{last['deadline_ms']}~{last['request_id']}")
        if more and last
        else None,
    )


@router.get("/review/next")
def show_next(
    request: Request,
    app: OwnApp,
    principal: Reader,
    wanted: OwnFilter,
    after: str = "",
    back: bool = False,
) -> Response:
    """Lead to the next question that nobody else has open, or to the previous one."""
    return redirect(_find_following(request, app, principal, wanted, after, back=back))


def _find_following(
    request: Request,
    app: App,
    principal: Principal,
    wanted: QueueFilter,
    name: str,
    *,
    back: bool = False,
    undo: str = "",
) -> str:
    """The address of the question that follows, or of the queue if there is none."""
    # Going back shows what was left out as well.
    now_ms = app.clock.now_ms()
    taken = set() if back else presence_of(request).list_taken(shown_name(request), now_ms)
    following = find_next(
        app, wanted, after=find_place(app, name) if name else None, beside=taken, backwards=back
    )
    to = _Addresses(wanted)
    return to("/review" if following is None else f"/review/{following}", undo=undo)


@router.get("/review/undo")
def show_undo(
    request: Request, app: OwnApp, principal: Reader, wanted: OwnFilter, decisions: str
) -> Response:
    """What would be undone, or why it cannot be."""
    ids = _split_ids(decisions)
    obstacle = explain_undo(app, ids, make_reviewer(request, ""))
    return render_page(
        request,
        "review_undo.html",
        decisions=load_decisions(app, ids),
        ids=decisions,
        obstacle=obstacle,
        to=_Addresses(wanted),
    )


@router.post("/review/undo", dependencies=[OwnForm])
def undo_shown(
    request: Request,
    app: OwnApp,
    principal: Decider,
    wanted: OwnFilter,
    decisions: Annotated[str, Form()],
    note: Annotated[str, Form()] = "",
) -> Response:
    """Undo decisions by further decisions."""
    ids = _split_ids(decisions)
    (first, *others) = load_decisions(app, ids)
    undo_decisions(app, ids, make_reviewer(request, note))
    about = first["about"] if not others else pluralize(len(ids), "decision")
    path = f"/review/{first['subject']}" if first["subject_kind"] == "rule" else "/review"
    return redirect(_Addresses(wanted)(path), f"Undone: {about}. It waits again.")


@router.get("/review/{name}")
def show_question(
    request: Request,
    app: OwnApp,
    principal: Reader,
    wanted: OwnFilter,
    name: str,
    undo: str = "",
) -> Response:
    """One question, with everything that is needed to decide it."""
    return _render_question(request, app, principal, wanted, name, undo=undo)


def _render_question(
    request: Request,
    app: App,
    principal: Principal,
    wanted: QueueFilter,
    name: str,
    *,
    undo: str = "",
    status: int = 200,
    problem: InvalidInput | None = None,
    given: dict[str, str] | None = None,
) -> Response:
    question = describe_question(app, name)
    if question.kind == "conflict":
        return RedirectResponse(f"/conflicts/{question.subject}", 303)
    others = presence_of(request).open(shown_name(request), question.name, app.clock.now_ms())
    return render_page(
        request,
        "question.html",
        status=status,
        question=question,
        others=others,
        similar=count_similar(app, question.name) if question.is_open else 0,
        to=_Addresses(wanted),
        undo=undo,
        problem=problem,
        given=given or {},
        can_answer=principal.may(Role.REVIEWER),
    )


@router.post("/review/{name}", dependencies=[OwnForm])
def decide_question(
    request: Request,
    app: OwnApp,
    principal: Decider,
    wanted: OwnFilter,
    name: str,
    answer: Annotated[str, Form()],
    version: Annotated[str, Form()],
    note: Annotated[str, Form()] = "",
    words: Annotated[str, Form()] = "",
    value: Annotated[str | None, Form()] = None,
    effective_from: Annotated[str | None, Form()] = None,
    effective_until: Annotated[str | None, Form()] = None,
    applies_when: Annotated[str | None, Form()] = None,
    label: Annotated[str | None, Form()] = None,
) -> Response:
    """Decide one question, and show the next."""
    by, seen = make_reviewer(request, note), SeenQuestion(name, version)
    fields = {
        "value": value,
        "effective_from": effective_from,
        "effective_until": effective_until,
        "applies_when": applies_when,
        "label": label,
    }
    given = {field: text for field, text in fields.items() if text is not None}
    try:
        if answer == EDIT:
            made = correct_question(app, seen, given, by)
        else:
            require_reason(answer, by)
            made = decide_questions(app, [seen], words if answer == SAY else answer, by)
    except QuestionChanged as error:
        return _render_changed(request, app, principal, wanted, [name], error)
    except InvalidInput as error:
        told = given | {"answer": answer, "note": note, "words": words}
        return _render_question(
            request, app, principal, wanted, name, status=400, problem=error, given=told
        )
    return _lead_on(request, app, principal, wanted, name, made)


def _lead_on(
    request: Request,
    app: App,
    principal: Principal,
    wanted: QueueFilter,
    name: str,
    made: Sequence[ReviewDecision],
) -> Response:
    """Show the next question, and on it what was decided."""
    ids = [decision.decision_id for decision in made]
    (first, *others) = load_decisions(app, ids)
    about = f"{first['about']}." if not others else f"{pluralize(len(ids), 'question')}."
    act = first["says"][:1].upper() + first["says"][1:]
    address = _find_following(request, app, principal, wanted, name, undo=",".join(ids))
    return redirect(address, f"{act}: {about}")


def _render_changed(
    request: Request,
    app: App,
    principal: Principal,
    wanted: QueueFilter,
    names: Sequence[str],
    error: QuestionChanged,
) -> Response:
    """Who decided what meanwhile, and where to go on."""
    return render_page(
        request,
        "review_changed.html",
        status=409,
        error=error,
        name=names[0],
        question=describe_question(app, names[0]),
        decision=find_last_decision(app, names[0]),
        next_url=_find_following(request, app, principal, wanted, names[0]),
        is_one=len(names) == 1,
        to=_Addresses(wanted),
    )


@router.post("/review/{name}/skip", dependencies=[OwnForm])
def skip_question(
    request: Request, app: OwnApp, principal: Decider, wanted: OwnFilter, name: str
) -> Response:
    """Leave a question to others, or for later."""
    presence_of(request).skip(shown_name(request), name, app.clock.now_ms())
    address = _find_following(request, app, principal, wanted, name)
    return redirect(address, "Skipped; it is not chosen for you again for an hour.")


@router.post("/review/{name}/presence", dependencies=[OwnForm])
def report_presence(request: Request, app: OwnApp, principal: Reader, name: str) -> Response:
    """Who else has the question open, or that it was decided meanwhile."""
    others = presence_of(request).open(shown_name(request), name, app.clock.now_ms())
    question: DeskQuestion = describe_question(app, name)
    return render_page(
        request,
        "review_presence.html",
        others=others,
        question=question,
        decision=None if question.is_open else find_last_decision(app, name),
    )


@router.get("/review/{name}/similar")
def show_similar(
    request: Request, app: OwnApp, principal: Reader, wanted: OwnFilter, name: str
) -> Response:
    """Questions that look alike, each with its quote."""
    question = describe_question(app, name)
    presence_of(request).open(shown_name(request), name, app.clock.now_ms())
    return render_page(
        request,
        "similar.html",
        question=question,
        similar=list_similar_questions(app, name),
        to=_Addresses(wanted),
    )


@router.post("/review/{name}/similar", dependencies=[OwnForm])
def decide_similar(
    request: Request,
    app: OwnApp,
    principal: Decider,
    wanted: OwnFilter,
    name: str,
    answer: Annotated[str, Form()],
    item: Annotated[list[str] | None, Form()] = None,
    note: Annotated[str, Form()] = "",
    words: Annotated[str, Form()] = "",
) -> Response:
    """Give the ticked questions the same answer."""
    ticked = [each.partition(":") for each in item or []]
    seen = [SeenQuestion(question, version) for question, _, version in ticked]
    said = words if answer == SAY else answer
    try:
        made = decide_questions(app, seen, said, make_reviewer(request, note))
    except QuestionChanged as error:
        names = [each.name for each in seen]
        return _render_changed(request, app, principal, wanted, names, error)
    except InvalidInput as error:
        address = _Addresses(wanted)(f"/review/{name}/similar")
        return redirect(address, f"{error.what} {error.advice}", bad=True)
    return _lead_on(request, app, principal, wanted, name, made)


def _read_place(after: str) -> QueuePlace | None:
    deadline_ms, _, request_id = after.partition("~")
    return (
        QueuePlace(int(deadline_ms), request_id)
        if deadline_ms.isdecimal() and len(deadline_ms) < 16
        else None
    )


def _split_ids(decisions: str) -> list[str]:
    ids = [each for each in decisions.split(",") if each]
    if not ids:
        raise InvalidInput("No decision is named.")
    return ids
