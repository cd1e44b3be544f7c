"""The job book: one row for each job, and the authority on what is done and what is left.

A job belongs to one batch. To finish a job, the transaction that stores its results must still
find it `queued` in the batch that was worked on. A second worker finds nothing to finish and
stores nothing. This is the fence against doing work twice.

Jobs of a stage with `once="waiting"` have a `waiting_key` while they wait, and no two jobs share
a key. Asking for another such job touches the row that has the key, in the transaction that stores
the change. Beginning a batch clears the keys of its jobs, in a separate transaction, before
anything is read. Both lock the row. So either the waiting job reads after the change was committed,
or it no longer has the key and a new job is queued: no change goes unseen.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import sqlalchemy as sa

from assay.engine.contract import Payload, Pipeline
from assay.engine.grouping import group_pairs
from assay.errors import AssayError, InvalidPayload, TransientError
from assay.model.bookkeeping import DeadLetter
from assay.store import tables as t
from assay.store.bulk import (
    CHUNK,
    PreparedStatement,
    build_insert,
    insert_new_rows,
    prepare_insert,
    run_prepared,
)
from assay.store.database import begin_writing, collate_bytewise
from assay.store.upserts import upsert_records

QUEUED = "queued"
DONE = "done"
DEAD = "dead"
CANCELLED = "cancelled"
DISCARDED = "discarded"
DEFAULT_PRIORITY = 100


@dataclass(frozen=True, slots=True)
class Job:
    """A job as the book records it."""

    job_id: str
    stage: str
    subject: str
    run_id: str
    parent_job_id: str | None
    source_slug: str | None
    batch_id: str
    priority: int
    attempt: int
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to record, unless the book already has it."""

    stage: str
    payload: Payload
    run_id: str
    parent_job_id: str | None = None
    priority: int = DEFAULT_PRIORITY


class Queue(Protocol):
    """The durable queue, as far as the book needs it."""

    def enqueue(
        self, connection: sa.Connection, batch_id: str, stage: str, priority: int, delay_s: float
    ) -> None: ...

    def enqueue_many(
        self, connection: sa.Connection, batch_ids: Sequence[str], stage: str, priority: int
    ) -> None: ...


_NO_ERROR: dict[str, Any] = {"error_code": None, "error_class": None, "error_message": None}
_COLUMNS = tuple(Job.__dataclass_fields__)


class JobBook:
    """Records jobs and their ends, always in the caller's transaction."""

    def __init__(self, pipeline: Pipeline, batch_sizes: dict[str, int], queue: Queue) -> None:
        self._pipeline = pipeline
        self._sizes = batch_sizes
        self._queue = queue

    def schedule(self, connection: sa.Connection, jobs: Iterable[NewJob], now_ms: int) -> int:
        """Record the jobs that are new, queue them in batches, and return their number."""
        rows: dict[str, dict[str, Any]] = {}
        for job in jobs:
            row = self._build_row(job, now_ms)
            rows.setdefault(row["waiting_key"] or row["job_id"], row)
        groups = group_pairs(((row["stage"], row["priority"]), row) for row in rows.values())
        batches = {key: self._assign_batches(key[0], group) for key, group in groups.items()}
        if self._insert(connection, rows):
            new = len(rows)
        else:
            # Do not queue a batch if the book already had all of its jobs.
            counts = self._count_jobs(connection, [one for ids in batches.values() for one in ids])
            batches = {key: [one for one in ids if one in counts] for key, ids in batches.items()}
            new = sum(counts.values())
        for (stage, priority), ids in batches.items():
            self._queue.enqueue_many(connection, ids, stage, priority)
        return new

    def begin(self, connection: sa.Connection, batch_id: str) -> None:
        """Mark the jobs of a batch as no longer waiting: later changes need another job."""
        key = t.job.c.waiting_key
        waiting = t.job.c.batch_id == batch_id, key.is_not(None)
        begin_writing(connection)
        # Locked in the order in which others schedule jobs, which prevents a deadlock.
        in_order = collate_bytewise(connection.dialect.name, key)
        locked = sa.select(t.job.c.job_id).where(*waiting).order_by(in_order).with_for_update()
        if connection.execute(locked).all():
            connection.execute(sa.update(t.job).where(*waiting).values(waiting_key=None))

    def list_open_jobs(self, connection: sa.Connection, batch_id: str) -> list[Job]:
        """The jobs of a batch that are still to be done."""
        query = (
            sa.select(*(t.job.c[name] for name in _COLUMNS))
            .where(t.job.c.batch_id == batch_id, t.job.c.state == QUEUED)
            .order_by(t.job.c.job_id)
        )
        return [Job(*row) for row in connection.execute(query)]

    def list_waiting_jobs(self, connection: sa.Connection, stage: str | None = None) -> list[Job]:
        """The jobs that wait for a stage, or for any; those first that are taken first."""
        query = (
            sa.select(*(t.job.c[name] for name in _COLUMNS))
            .where(t.job.c.state == QUEUED)
            .order_by(t.job.c.priority.desc(), t.job.c.job_id)
        )
        if stage is not None:
            query = query.where(t.job.c.stage == stage)
        return [Job(*row) for row in connection.execute(query)]

    def finish(self, connection: sa.Connection, batch_id: str, now_ms: int) -> set[str]:
        """Close the jobs still open in the batch; only their results may be stored."""
        query = (
            sa.update(t.job)
            .where(t.job.c.batch_id == batch_id, t.job.c.state == QUEUED)
            .values(state=DONE, ended_ms=now_ms, not_before_ms=None, waiting_key=None)
            .returning(t.job.c.job_id)
        )
        return set(connection.execute(query).scalars())

    def retry(
        self,
        connection: sa.Connection,
        job: Job,
        error: AssayError,
        *,
        delay_s: float,
        decay: int,
        now_ms: int,
    ) -> None:
        """Queue the job again in its own batch, delayed and with a lower priority."""
        self._rebatch(
            connection,
            job,
            max(0, job.priority - decay),
            delay_s,
            attempt=job.attempt + 1,
            not_before_ms=now_ms + int(delay_s * 1000),
            **_build_error_columns(error),
        )

    def bury(self, connection: sa.Connection, job: Job, error: AssayError, now_ms: int) -> None:
        """Close the job as dead and store a dead letter that says why."""
        connection.execute(
            sa.update(t.job)
            .where(t.job.c.job_id == job.job_id)
            .values(state=DEAD, ended_ms=now_ms, **_build_final_error_columns(error))
        )
        letter = DeadLetter(
            job_id=job.job_id,
            stage=job.stage,
            run_id=job.run_id,
            source_slug=job.source_slug,
            payload=job.payload,
            attempt=job.attempt,
            died_ms=now_ms,
            **_build_final_error_columns(error),
        )
        upsert_records(connection, [letter])

    def split(self, connection: sa.Connection, batch_id: str) -> int:
        """Give every open job its own batch, so that one job cannot take the others down."""
        jobs = self.list_open_jobs(connection, batch_id)
        for job in jobs:
            self._rebatch(connection, job, job.priority)
        return len(jobs)

    def reopen(self, connection: sa.Connection, job_ids: Sequence[str]) -> int:
        """Queue ended jobs again from the first attempt, when an operator asks for it."""
        query = sa.select(*(t.job.c[name] for name in _COLUMNS)).where(
            t.job.c.job_id.in_(job_ids), t.job.c.state != QUEUED
        )
        jobs = [Job(*row) for row in connection.execute(query)]
        for job in jobs:
            self._rebatch(connection, job, DEFAULT_PRIORITY, attempt=1, **_NO_ERROR)
            connection.execute(sa.delete(t.dead_letter).where(t.dead_letter.c.job_id == job.job_id))
        return len(jobs)

    def close(
        self, connection: sa.Connection, job_ids: Sequence[str], *, state: str, now_ms: int
    ) -> list[str]:
        """Close jobs that will not be done: cancel queued ones, discard dead ones."""
        was = QUEUED if state == CANCELLED else DEAD
        query = (
            sa.update(t.job)
            .where(t.job.c.job_id.in_(job_ids), t.job.c.state == was)
            .values(state=state, ended_ms=now_ms, waiting_key=None)
            .returning(t.job.c.job_id)
        )
        closed = sorted(connection.execute(query).scalars())
        connection.execute(sa.delete(t.dead_letter).where(t.dead_letter.c.job_id.in_(closed)))
        return closed

    def _rebatch(
        self,
        connection: sa.Connection,
        job: Job,
        priority: int,
        delay_s: float = 0.0,
        **columns: Any,
    ) -> None:
        """Queue the job in its own batch, with new values for these columns."""
        batch_id = _make_batch_id(job.stage)
        connection.execute(
            sa.update(t.job)
            .where(t.job.c.job_id == job.job_id)
            .values(
                state=QUEUED,
                batch_id=batch_id,
                priority=priority,
                ended_ms=None,
                **{"attempt": job.attempt, "not_before_ms": None, **columns},
            )
        )
        self._queue.enqueue(connection, batch_id, job.stage, priority, delay_s)

    def _build_row(self, job: NewJob, now_ms: int) -> dict[str, Any]:
        stage = self._pipeline.stage(job.stage)
        if not isinstance(job.payload, stage.payload):
            raise InvalidPayload(
                f"Stage {job.stage} takes a {stage.payload.__name__}, "
                f"not a {type(job.payload).__name__}."
            )
        return {
            "job_id": stage.job_id(job.payload, job.run_id),
            "stage": job.stage,
            "subject": job.payload.subject,
            "run_id": job.run_id,
            "parent_job_id": job.parent_job_id,
            "source_slug": job.payload.source_slug,
            "state": QUEUED,
            "priority": job.priority,
            "attempt": 1,
            "payload": job.payload.model_dump_json(),
            "error_code": None,
            "error_class": None,
            "error_message": None,
            "created_ms": now_ms,
            "not_before_ms": None,
            "ended_ms": None,
            "waiting_key": stage.waiting_key(job.payload, job.run_id),
        }

    def _assign_batches(self, stage: str, rows: list[dict[str, Any]]) -> list[str]:
        size = self._sizes[stage]
        batches: list[str] = []
        for start in range(0, len(rows), size):
            batches.append(_make_batch_id(stage))
            for row in rows[start : start + size]:
                row["batch_id"] = batches[-1]
        return batches

    def _insert(self, connection: sa.Connection, rows: Mapping[str, dict[str, Any]]) -> bool:
        """Insert the new rows, and return whether all of them are certain to be new."""
        # Always in the same order, which prevents a deadlock.
        ordered = [rows[key] for key in sorted(rows)]
        waiting = [row for row in ordered if row["waiting_key"] is not None]
        others = [row for row in ordered if row["waiting_key"] is None]
        new = insert_new_rows(connection, t.job, ("job_id",), others)
        if waiting:
            run_prepared(connection, _prepare_waiting_insert(connection.dialect.name), waiting)
        return new == len(rows)

    def _count_jobs(self, connection: sa.Connection, batches: Sequence[str]) -> dict[str, int]:
        """The number of jobs in each batch; batches without jobs are left out."""
        found: dict[str, int] = {}
        for start in range(0, len(batches), CHUNK):
            some = t.job.c.batch_id.in_(batches[start : start + CHUNK])
            query = sa.select(t.job.c.batch_id, sa.func.count()).where(some)
            rows = connection.execute(query.group_by(t.job.c.batch_id))
            found.update({batch_id: int(count) for batch_id, count in rows})
        return found


@lru_cache(maxsize=2)
def _prepare_waiting_insert(dialect_name: str) -> PreparedStatement:
    """Insert a job, or touch the one that waits for the same subject, which keeps its batch from
    beginning before the transaction ends."""
    statement = build_insert(dialect_name, t.job)
    touched = statement.on_conflict_do_update(
        index_elements=["waiting_key"],
        index_where=t.job.c.waiting_key.is_not(None),
        set_={"waiting_key": statement.excluded.waiting_key},
    )
    return prepare_insert(dialect_name, t.job, touched)


def _make_batch_id(stage: str) -> str:
    return f"{stage}:{secrets.token_hex(12)}"


def _build_error_columns(error: AssayError) -> dict[str, str]:
    return {
        "error_code": error.code,
        "error_class": error.error_class.value,
        "error_message": str(error)[:4000],
    }


def _build_final_error_columns(error: AssayError) -> dict[str, str]:
    """The same for a job that is given up, without the promise that it will be tried again."""
    columns = _build_error_columns(error)
    if isinstance(error, TransientError):
        advice = "All attempts are used up. Run 'assay dead retry' to try again."
        columns["error_message"] = f"{error.what} {advice}"[:4000]
    return columns
