"""Jobs and dead letters: filter, inspect, and retry, cancel or discard them, one or many."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Path, Query, Request
from pydantic import StringConstraints
from starlette.responses import Response

from assay.app import App
from assay.app.job_admin import (
    JobFilter,
    browse_dead_letters,
    browse_jobs,
    cancel_jobs,
    count_dead_letters,
    describe_job,
    discard_dead_letters,
    load_job_states,
    retry_jobs,
)
from assay.app.sources import list_source_names
from assay.console.access import Operator, Reader, shown_name
from assay.console.forms import NO_NUL, OwnForm, redirect
from assay.console.layout import OwnApp, render_page
from assay.console.paging import OwnPlace, link_next
from assay.engine.jobs import CANCELLED, DEAD, DISCARDED, DONE, QUEUED
from assay.errors import AssayError, InvalidInput
from assay.logs import Log
from assay.sdk.screens import pluralize

router = APIRouter()
log = Log("assay.console.jobs")
_PER_PAGE = 50
_MOST = 500
STATES = (QUEUED, DONE, DEAD, CANCELLED, DISCARDED)


@dataclass(frozen=True)
class BulkAction:
    """What can be done with many jobs at once."""

    verb: str
    done: str
    states: tuple[str, ...]
    """The states in which a job must be."""
    act: Callable[[App, Sequence[str]], Any]
    meaning: str


_ACTIONS = {
    "retry": BulkAction(
        "Retry", "queued again", (DONE, DEAD, CANCELLED, DISCARDED), retry_jobs,
        "They are queued again, from their first attempt; a worker does them.",
    ),
    "cancel": BulkAction(
        "Cancel", "cancelled", (QUEUED,), cancel_jobs,
        "They are not done; the result of one that is running is not stored.",
    ),
    "discard": BulkAction(
        "Discard", "discarded", (DEAD,), discard_dead_letters,
        "They are closed without another attempt; the jobs are kept as discarded.",
    ),
}  # fmt: skip


Wanted = Annotated[str, Query(max_length=200, pattern=NO_NUL)]


def _read_filter(
    stage: Wanted = "",
    state: Wanted = "",
    source: Wanted = "",
    run: Wanted = "",
    error: Wanted = "",
) -> JobFilter:
    return JobFilter(stage or None, state or None, source or None, run or None, error or None)


JobId = Annotated[str, StringConstraints(max_length=4_000, pattern=NO_NUL)]
OwnFilter = Annotated[JobFilter, Depends(_read_filter)]


@router.get("/jobs")
def show_jobs(
    request: Request, app: OwnApp, _principal: Reader, wanted: OwnFilter, after: OwnPlace
) -> Response:
    """The newest matching jobs."""
    page = browse_jobs(app, wanted, after, _PER_PAGE)
    return render_page(
        request,
        "jobs.html",
        jobs=page.rows,
        wanted=wanted,
        choices=_list_choices(app),
        states=STATES,
        is_first=after is None,
        next_url=link_next(request, page),
    )


@router.get("/dead-letters")
def show_dead_letters(
    request: Request, app: OwnApp, _principal: Reader, wanted: OwnFilter, after: OwnPlace
) -> Response:
    """The newest matching dead letters, and how many there are of each error."""
    page = browse_dead_letters(app, wanted, after, _PER_PAGE)
    return render_page(
        request,
        "dead_letters.html",
        letters=page.rows,
        errors=count_dead_letters(app),
        wanted=wanted,
        choices=_list_choices(app),
        next_url=link_next(request, page),
    )


@router.get("/jobs/{job_id:path}")
def show_job(
    request: Request,
    app: OwnApp,
    _principal: Reader,
    job_id: Annotated[str, Path(pattern=NO_NUL)],
) -> Response:
    """One job with its payload and all its attempts."""
    job = describe_job(app, job_id)
    return render_page(
        request,
        "job.html",
        job=job,
        payload=json.dumps(job["payload"], indent=2, ensure_ascii=False),
        actions={key: a for key, a in _ACTIONS.items() if job["state"] in a.states},
    )


@router.post("/jobs", dependencies=[OwnForm])
def change_jobs(
    request: Request,
    app: OwnApp,
    _principal: Operator,
    action: Annotated[str, Form()],
    back: Annotated[str, Form(max_length=4_000)] = "/jobs",
    count: Annotated[int | None, Form()] = None,
    job: Annotated[list[JobId] | None, Form()] = None,
) -> Response:
    """Retry, cancel or discard jobs; asks first, unless the form has the number of jobs."""
    chosen = _ACTIONS.get(action)
    if chosen is None:
        raise InvalidInput("Unknown action.", advice=f"Use {', '.join(_ACTIONS)}.")
    job_ids = list(dict.fromkeys(job or ()))
    to = back if back.startswith(("/jobs", "/dead-letters", "/runs")) else "/jobs"
    if not 0 < len(job_ids) <= _MOST:
        return redirect(to, f"Select 1 to {_MOST} jobs first.", bad=True)
    states = load_job_states(app, job_ids)
    able = [job_id for job_id in job_ids if states.get(job_id) in chosen.states]
    if count != len(able):
        return render_page(
            request,
            "jobs_confirm.html",
            action=action,
            chosen=chosen,
            able=able,
            unable=len(job_ids) - len(able),
            back=to,
        )
    try:
        chosen.act(app, able)
    except AssayError as error:
        return redirect(to, str(error), bad=True)
    log.info(
        "jobs_changed", f"{pluralize(len(able), 'job')} {chosen.done}.", by=shown_name(request)
    )
    return redirect(to, f"{pluralize(len(able), 'job')} {chosen.done}.")


def _list_choices(app: App) -> dict[str, list[str]]:
    return {
        "stages": [stage.name for stage in app.pipeline.stages],
        "sources": list_source_names(app),
    }
