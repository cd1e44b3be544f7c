"""Stores everything a batch produced in one transaction, or nothing at all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa

from assay.engine.contract import Change, Failed, NextJob, Outcome, Pipeline, Result, Stage
from assay.engine.faults import Faults
from assay.engine.grouping import group_pairs
from assay.engine.jobs import Job, JobBook, NewJob
from assay.engine.retries import RetryAction, classify_error, decide_retry
from assay.errors import AssayError, RowChanged
from assay.events import CircuitTripped, Event, JobDied, JobRetried
from assay.logs import Log
from assay.model.agent_runs import AgentRun
from assay.model.audit import AuditNote
from assay.model.lifecycle import Move, RetryPolicy
from assay.model.records import Record
from assay.store import audit
from assay.store import tables as t
from assay.store.bulk import insert_rows
from assay.store.candidates import move_candidates
from assay.store.changes import change_row
from assay.store.row_hashes import record_row_hashes
from assay.store.upserts import upsert_records

log = Log("assay.engine.commit")


@dataclass(frozen=True)
class CommitPolicy:
    """What the settings say about failures."""

    retry_delays_s: tuple[float, ...]
    priority_decay: int
    candidates: RetryPolicy


@dataclass(frozen=True, slots=True)
class EndedAttempt:
    """How one attempt ended, for the statistics."""

    source: str | None
    run_id: str
    note: str
    tokens: int = 0
    items: int = 0


AfterProgress = Callable[[sa.Connection, Sequence[EndedAttempt], int], None]
"""Called for every batch, inside its transaction, with the connection, how the batch's attempts
ended, and the time."""


@dataclass
class _BatchWrites:
    """Everything to write, collected from all jobs of a batch."""

    records: list[Record] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    changes: list[tuple[Job, Change]] = field(default_factory=list)
    notes: list[tuple[Job, AuditNote]] = field(default_factory=list)
    jobs: list[NewJob] = field(default_factory=list)
    events: list[tuple[Job, Event]] = field(default_factory=list)
    progress: list[dict[str, Any]] = field(default_factory=list)
    """Rows for the pipeline progress table."""
    ended: list[EndedAttempt] = field(default_factory=list)


class Committer:
    """Writes results. No other part of the engine does."""

    def __init__(
        self,
        engine: sa.Engine,
        pipeline: Pipeline,
        book: JobBook,
        policy: CommitPolicy,
        faults: Faults,
        *,
        after_progress: AfterProgress | None = None,
    ) -> None:
        self._engine = engine
        self._pipeline = pipeline
        self._book = book
        self._policy = policy
        self._faults = faults
        self._after_progress = after_progress

    def commit(
        self,
        stage: Stage,
        batch_id: str,
        results: Sequence[tuple[Job, Result]],
        started_ms: int,
        now_ms: int,
        *,
        only: Job | None = None,
    ) -> int:
        """Store what the batch produced, and return the number of jobs that counted.

        Zero means that another worker committed the batch first, and nothing was written.
        """
        self._faults.reach("commit.before")
        with self._engine.begin() as connection:
            if only is not None:
                batch_id = self._isolate_job(connection, only)
            open_jobs = self._book.finish(connection, batch_id, now_ms)
            if not open_jobs:
                connection.rollback()
                return 0
            self._faults.reach("commit.after_fence")
            gathered = _BatchWrites()
            for job, result in results:
                if job.job_id in open_jobs:
                    self._gather(
                        connection, stage, batch_id, job, result, gathered, started_ms, now_ms
                    )
            upsert_records(connection, gathered.records)
            move_candidates(connection, gathered.moves, self._policy.candidates, now_ms)
            notes = [*gathered.notes, *_apply_changes(connection, gathered.changes)]
            self._faults.reach("commit.after_records")
            self._book.schedule(connection, gathered.jobs, now_ms)
            self._faults.reach("commit.after_jobs")
            insert_rows(connection, t.progress, gathered.progress)
            _write_events(connection, batch_id, gathered.events, now_ms)
            _write_notes(connection, notes, now_ms)
            record_row_hashes(connection, gathered.records, now_ms)
            if self._after_progress is not None:
                # Last, because all batches share these few rows: they stay locked only briefly.
                self._after_progress(connection, gathered.ended, now_ms)
            self._faults.reach("commit.before_commit")
        self._faults.reach("commit.after")
        return len(open_jobs)

    def _isolate_job(self, connection: sa.Connection, job: Job) -> str:
        """Move one job to a batch of its own inside this transaction, to commit it separately."""
        own_batch_id = f"{job.batch_id}/{job.job_id}"
        connection.execute(
            sa.update(t.job)
            .where(t.job.c.job_id == job.job_id, t.job.c.batch_id == job.batch_id)
            .values(batch_id=own_batch_id)
        )
        return own_batch_id

    def _gather(
        self,
        connection: sa.Connection,
        stage: Stage,
        batch_id: str,
        job: Job,
        result: Result,
        gathered: _BatchWrites,
        started_ms: int,
        now_ms: int,
    ) -> None:
        error: AssayError | None = None
        if isinstance(result, Failed):
            error = classify_error(result.error, stage.name)
            outcome = self._handle_failure(connection, stage, job, error, result.last, now_ms)
        else:
            outcome = result
        gathered.records.extend(_stamp_record(record, job) for record in outcome.records)
        gathered.moves.extend(outcome.moves)
        gathered.changes.extend((job, change) for change in outcome.changes)
        gathered.notes.extend((job, note) for note in outcome.audit)
        gathered.jobs.extend(_make_job(job, next_job) for next_job in outcome.next)
        gathered.events.extend((job, event) for event in outcome.events)
        if stage.once != "waiting":
            # How many of these exist depends on how many happened to wait at the same time.
            gathered.ended.append(_summarize_attempt(job, outcome))
        gathered.progress.append(
            _build_progress_row(
                stage,
                job,
                outcome,
                error,
                # A batch is committed only once, so its id plus a number identifies the attempt.
                progress_id=f"{batch_id}#{len(gathered.progress)}",
                started_ms=started_ms,
                now_ms=now_ms,
            )
        )

    def _handle_failure(
        self,
        connection: sa.Connection,
        stage: Stage,
        job: Job,
        error: AssayError,
        last: Outcome | None,
        now_ms: int,
    ) -> Outcome:
        """Do what the retry matrix says, and return the resulting outcome."""
        decision = decide_retry(stage.on_error, error, job.attempt, self._policy.retry_delays_s)
        error_fields = {"error_code": error.code, "error_class": error.error_class.value}
        if decision.alert:
            log.error("job_failed_again", str(error), job_id=job.job_id, stage=stage.name)
        if decision.action is RetryAction.RETRY:
            self._book.retry(
                connection,
                job,
                error,
                delay_s=decision.delay_s,
                decay=self._policy.priority_decay,
                now_ms=now_ms,
            )
            retried = JobRetried(attempt=job.attempt, delay_s=decision.delay_s, **error_fields)
            return Outcome(events=(retried,), note="retried")
        handler = stage.on_error.get(error.error_class)
        if callable(handler) and decision.action is RetryAction.HANDLE:
            handled = handler(stage.payload.model_validate(job.payload), error)
            self._pipeline.check(stage, handled)
            return handled
        self._book.bury(connection, job, error, now_ms)
        events: list[Event] = [JobDied(attempt=job.attempt, **error_fields)]
        if decision.action is RetryAction.CIRCUIT:
            events.append(CircuitTripped(stage=stage.name, error_class=error.error_class.value))
        return replace(last or Outcome(), events=tuple(events), note="dead")


def _apply_changes(
    connection: sa.Connection, changes: Sequence[tuple[Job, Change]]
) -> list[tuple[Job, AuditNote]]:
    """Apply each change whose row is still as the stage saw it; return the notes to log."""
    notes: list[tuple[Job, AuditNote]] = []
    # Always in the same order, so that two workers never deadlock.
    for job, change in sorted(changes, key=lambda entry: (entry[1].record.__name__, entry[1].key)):
        changed = change_row(connection, change.record, change.key, change.when, change.to)
        if change.must and not changed:
            raise RowChanged(f"{change.record.__name__} {change.key} has changed in the meantime.")
        if changed and change.audit is not None:
            notes.append((job, change.audit))
    return notes


def _write_notes(
    connection: sa.Connection, notes: Sequence[tuple[Job, AuditNote]], now_ms: int
) -> None:
    """Write to the audit log, late in the transaction, because every other writer then waits."""
    for run_id, of_run in group_pairs((job.run_id, note) for job, note in notes).items():
        audit.append_notes(connection, of_run, now_ms, run_id=run_id)


def _stamp_record(record: Record, job: Job) -> Record:
    """Fill in the run and the job, which a stage leaves empty because it does not know them."""
    stamps = {
        name: value
        for name, value in (("run_id", job.run_id), ("job_id", job.job_id))
        if record.has_field(name) and getattr(record, name) == ""
    }
    return record.model_copy(update=stamps) if stamps else record


def _make_job(job: Job, next_job: NextJob) -> NewJob:
    return NewJob(
        stage=next_job.stage,
        payload=next_job.payload,
        run_id=job.run_id,
        parent_job_id=job.job_id,
        priority=job.priority if next_job.priority is None else next_job.priority,
    )


def _build_progress_row(
    stage: Stage,
    job: Job,
    outcome: Outcome,
    error: AssayError | None,
    *,
    progress_id: str,
    started_ms: int,
    now_ms: int,
) -> dict[str, Any]:
    return {
        "progress_id": progress_id,
        "run_id": job.run_id,
        "job_id": job.job_id,
        "parent_job_id": job.parent_job_id,
        "stage": stage.name,
        "queue": stage.name,
        "source_slug": job.source_slug,
        "subject": job.subject,
        "outcome": outcome.note,
        "attempt": job.attempt,
        "records_written": len(outcome.records),
        "jobs_scheduled": len(outcome.next),
        "error_code": error.code if error else None,
        "error_class": error.error_class.value if error else None,
        "error_message": str(error)[:4000] if error else None,
        "started_ms": started_ms,
        "ended_ms": now_ms,
    }


def _summarize_attempt(job: Job, outcome: Outcome) -> EndedAttempt:
    """How an attempt ended, with what its model calls cost and produced."""
    runs = [record for record in outcome.records if isinstance(record, AgentRun)]
    return EndedAttempt(
        job.source_slug,
        job.run_id,
        outcome.note,
        tokens=sum(run.tokens_used for run in runs),
        items=sum(run.items_produced for run in runs),
    )


def _write_events(
    connection: sa.Connection, batch_id: str, events: Sequence[tuple[Job, Event]], now_ms: int
) -> None:
    rows = [
        {
            "event_id": f"{batch_id}#{number}",
            "tag": event.tag,
            "run_id": job.run_id,
            "job_id": job.job_id,
            "source_slug": job.source_slug,
            "body": event.model_dump_json(),
            "at_ms": now_ms,
        }
        for number, (job, event) in enumerate(events)
    ]
    insert_rows(connection, t.event, rows)
