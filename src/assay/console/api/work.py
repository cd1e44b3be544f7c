"""Runs, jobs and dead letters."""

from typing import Any

from fastapi import Request, Response
from pydantic import BaseModel

from assay.app import listings
from assay.app.job_admin import cancel_jobs, describe_job, retry_jobs
from assay.console.access import Operator, Reader
from assay.console.api.idempotency import RequestKey, answer_once
from assay.console.api.paging import WantedPage
from assay.console.api.routing import build_router
from assay.console.layout import OwnApp

router = build_router("work")


class RunBrief(BaseModel):
    """A run."""

    run_id: str
    label: str
    params: dict[str, Any]
    state: str
    started_ms: int
    ended_ms: int | None
    manifest_hash: str | None


class RunList(BaseModel):
    """Runs, newest first."""

    runs: list[RunBrief]
    next: str | None = None


class JobBrief(BaseModel):
    """A job and its state."""

    job_id: str
    stage: str
    subject: str
    run_id: str
    parent_job_id: str | None
    source_slug: str | None
    batch_id: str
    state: str
    priority: int
    attempt: int
    payload: Any
    error_code: str | None
    error_class: str | None
    error_message: str | None
    created_ms: int
    not_before_ms: int | None
    ended_ms: int | None
    waiting_key: str | None


class JobShown(JobBrief):
    """A job with its attempts."""

    attempts: list[dict[str, Any]]
    running_on: str | None


class JobList(BaseModel):
    """Jobs by their id."""

    jobs: list[JobBrief]
    next: str | None = None


class DeadLetterShown(BaseModel):
    """A job that is not tried again, and why."""

    job_id: str
    stage: str
    run_id: str
    source_slug: str | None
    payload: Any
    attempt: int
    error_code: str
    error_class: str
    error_message: str
    died_ms: int


class DeadLetterList(BaseModel):
    """Dead letters by the id of their job."""

    dead_letters: list[DeadLetterShown]
    next: str | None = None


@router.get("/api/runs")
def list_runs(app: OwnApp, _principal: Reader, page: WantedPage) -> RunList:
    """The runs."""
    found = listings.page_runs(app, page.after, page.limit)
    return RunList.model_validate({"runs": found.rows, "next": page.link_next(found)})


@router.get("/api/jobs")
def list_jobs(
    app: OwnApp,
    _principal: Reader,
    page: WantedPage,
    stage: str | None = None,
    state: str | None = None,
    run: str | None = None,
) -> JobList:
    """The jobs, optionally of one stage, in one state or of one run."""
    found = listings.page_jobs(app, page.after, page.limit, stage=stage, state=state, run_id=run)
    return JobList.model_validate({"jobs": found.rows, "next": page.link_next(found)})


@router.get("/api/jobs/{job_id}")
def show_job(app: OwnApp, _principal: Reader, job_id: str) -> JobShown:
    """One job with its attempts."""
    return JobShown.model_validate(describe_job(app, job_id))


@router.get("/api/dead-letters")
def list_dead_letters(
    app: OwnApp, _principal: Reader, page: WantedPage, stage: str | None = None
) -> DeadLetterList:
    """The jobs that are not tried again, optionally of one stage."""
    found = listings.page_dead_letters(app, page.after, page.limit, stage=stage)
    return DeadLetterList.model_validate(
        {"dead_letters": found.rows, "next": page.link_next(found)}
    )


@router.post("/api/jobs/{job_id}/retry", response_model=JobShown)
def retry_job(
    request: Request, app: OwnApp, principal: Operator, job_id: str, key: RequestKey = None
) -> Response:
    """Queue a finished job again, from its first attempt."""

    def retry() -> JobShown:
        retry_jobs(app, [job_id])
        return JobShown.model_validate(describe_job(app, job_id))

    return answer_once(request, app, principal, key, None, retry)


@router.post("/api/jobs/{job_id}/cancel", response_model=JobShown)
def cancel_job(
    request: Request, app: OwnApp, principal: Operator, job_id: str, key: RequestKey = None
) -> Response:
    """Cancel a waiting or running job; the result of a running one is not stored."""

    def cancel() -> JobShown:
        cancel_jobs(app, [job_id])
        return JobShown.model_validate(describe_job(app, job_id))

    return answer_once(request, app, principal, key, None, cancel)
