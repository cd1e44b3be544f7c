"""Shows jobs and dead letters, and lets an operator act on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App, RowPage
from assay.app.keyset import KeysetPage, Place, SortKey, fetch_keyset
from assay.engine.jobs import CANCELLED, DEAD, DISCARDED
from assay.errors import InvalidInput, NotFound
from assay.events import JobCancelled
from assay.store import tables as t
from assay.store.counts import count_by
from assay.store.database import explain_errors
from assay.store.event_log import write_event


def list_jobs(
    app: App,
    *,
    stage: str | None = None,
    state: str | None = None,
    run_id: str | None = None,
    limit: int | None = None,
) -> RowPage:
    """The newest matching jobs with their state."""
    query = sa.select(t.job).order_by(t.job.c.created_ms.desc(), t.job.c.job_id)
    for column, value in ((t.job.c.stage, stage), (t.job.c.state, state), (t.job.c.run_id, run_id)):
        if value is not None:
            query = query.where(column == value)
    return app.fetch_page(query, limit)


@dataclass(frozen=True)
class JobFilter:
    """Which jobs or dead letters to show; None: any."""

    stage: str | None = None
    state: str | None = None
    source: str | None = None
    run_id: str | None = None
    error: str | None = None


def browse_jobs(app: App, wanted: JobFilter, after: Place | None, limit: int) -> KeysetPage:
    """The matching jobs page by page, newest first, without their payloads."""
    job = t.job
    query = sa.select(*(column for column in job.c if column is not job.c.payload)).where(
        *_match(job, wanted, state=wanted.state)
    )
    if wanted.state in (DEAD, CANCELLED, DISCARDED):
        # Word for word the condition of the index that has only these.
        query = query.where(sa.text(t.GIVEN_UP))
    keys = [SortKey(job.c.created_ms, descending=True), SortKey(job.c.job_id, descending=True)]
    return fetch_keyset(app, query, keys, after, limit)


def browse_dead_letters(app: App, wanted: JobFilter, after: Place | None, limit: int) -> KeysetPage:
    """The matching dead letters page by page, newest first."""
    letter = t.dead_letter
    query = sa.select(letter).where(*_match(letter, wanted, error_code=wanted.error))
    keys = [SortKey(letter.c.died_ms, descending=True), SortKey(letter.c.job_id, descending=True)]
    return fetch_keyset(app, query, keys, after, limit)


def _match(
    table: sa.Table, wanted: JobFilter, **others: str | None
) -> list[sa.ColumnElement[bool]]:
    values = {"stage": wanted.stage, "source_slug": wanted.source, "run_id": wanted.run_id}
    given = {name: value for name, value in (values | others).items() if value is not None}
    return [table.c[name] == value for name, value in given.items()]


def load_job_states(app: App, job_ids: Sequence[str]) -> dict[str, str]:
    """The states of those of these jobs that exist."""
    query = sa.select(t.job.c.job_id, t.job.c.state).where(t.job.c.job_id.in_(job_ids))
    return {row["job_id"]: row["state"] for row in app.fetch_rows(query)}


def describe_job(app: App, job_id: str) -> dict[str, Any]:
    """One job with all its attempts and the worker that is running it."""
    with explain_errors(), app.engine.connect() as connection:
        job = _load_row(connection, t.job, job_id)
        attempts = connection.execute(
            sa.select(t.progress).where(
                t.progress.c.run_id == job["run_id"],
                t.progress.c.stage == job["stage"],
                t.progress.c.job_id == job_id,
            )
        ).mappings()
        job["attempts"] = sorted((dict(row) for row in attempts), key=lambda r: r["ended_ms"])
        job["running_on"] = app.queues.find_running_batches(connection).get(job["batch_id"])
    return job


def retry_jobs(app: App, job_ids: Sequence[str]) -> int:
    """Queue finished jobs again, from their first attempt."""
    with explain_errors(), app.engine.begin() as connection:
        for job_id in job_ids:
            if _load_row(connection, t.job, job_id)["state"] == "queued":
                raise InvalidInput(
                    f"Job {job_id} is already queued.", advice="Wait for it, or cancel it."
                )
        return app.book.reopen(connection, job_ids)


def cancel_jobs(app: App, job_ids: Sequence[str]) -> list[str]:
    """Cancel waiting or running jobs; the result of a running one is not stored."""
    return _close_jobs(app, job_ids, CANCELLED, "is not waiting")


def list_dead_letters(app: App, *, stage: str | None = None, limit: int | None = None) -> RowPage:
    """Dead letters, newest first."""
    letter = t.dead_letter
    query = sa.select(letter).order_by(letter.c.died_ms.desc(), letter.c.job_id)
    return app.fetch_page(query if stage is None else query.where(letter.c.stage == stage), limit)


def count_dead_letters(app: App) -> dict[str, int]:
    """Error codes, and how many dead letters each has."""
    return app.read(lambda connection: count_by(connection, t.dead_letter.c.error_code))


def load_dead_letter(app: App, job_id: str) -> dict[str, Any]:
    with explain_errors(), app.engine.connect() as connection:
        return _load_row(connection, t.dead_letter, job_id)


def discard_dead_letters(app: App, job_ids: Sequence[str]) -> list[str]:
    """Close dead letters without another attempt; the jobs are kept as discarded."""
    return _close_jobs(app, job_ids, DISCARDED, "is not dead")


def _close_jobs(app: App, job_ids: Sequence[str], state: str, otherwise: str) -> list[str]:
    with explain_errors(), app.engine.begin() as connection:
        for job_id in job_ids:
            _load_row(connection, t.job, job_id)
        now_ms = app.clock.now_ms()
        closed = app.book.close(connection, job_ids, state=state, now_ms=now_ms)
        if state == CANCELLED:
            for job_id in closed:
                _record_cancellation(connection, job_id, now_ms)
        for job_id in job_ids:
            if job_id not in closed:
                raise InvalidInput(
                    f"Job {job_id} {otherwise}.", advice="'assay jobs show' shows its state."
                )
    return closed


def _record_cancellation(connection: sa.Connection, job_id: str, now_ms: int) -> None:
    job = _load_row(connection, t.job, job_id)
    write_event(
        connection,
        JobCancelled(attempt=job["attempt"]),
        now_ms,
        run_id=job["run_id"],
        job_id=job_id,
        source_slug=job["source_slug"],
    )


def _load_row(connection: sa.Connection, table: sa.Table, job_id: str) -> dict[str, Any]:
    row = connection.execute(sa.select(table).where(table.c.job_id == job_id)).mappings().first()
    if row is None:
        what = "job" if table is t.job else "dead letter"
        raise NotFound(
            f"There is no {what} {job_id}.",
            advice=f"'assay {'jobs' if table is t.job else 'dead'} list' lists them.",
        )
    return dict(row)
