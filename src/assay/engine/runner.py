"""The runner: loads a batch, runs the stage, checks its outcome, and commits it."""

import concurrent.futures
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError

from assay.clock import Clock
from assay.engine.commit import Committer
from assay.engine.contract import Failed, Outcome, Payload, Pipeline, Result, Stage
from assay.engine.faults import Faults
from assay.engine.jobs import Job, JobBook
from assay.engine.loop import LoopThread
from assay.engine.reader import Reader
from assay.engine.retries import classify_error
from assay.errors import (
    AssayError,
    ContractViolation,
    DatabaseFailed,
    DiskFailed,
    ErrorClass,
    GateFailed,
    InvalidPayload,
    JobTimedOut,
    StageCrashed,
)
from assay.logs import Log, bind_fields
from assay.store.blobs import BlobStore
from assay.store.database import explain_database_error, outlast
from assay.store.outages import outages_of

T = TypeVar("T")
log = Log("assay.engine.runner")
_CANCEL_CHECK_S = 1.0
_READING_THREADS = 16
_DEATHS_BEFORE_SPLIT = 3


@dataclass
class RunnerTimes:
    """Where the time went: into the stages' own work, or into the engine around it."""

    jobs: int = 0
    work_s: float = 0.0
    engine_s: float = 0.0


class _BatchAbandoned(Exception):
    """All jobs of this batch were cancelled."""


class Runner:
    """Runs one batch at a time, in the calling thread."""

    def __init__(
        self,
        *,
        engine: sa.Engine,
        pipeline: Pipeline,
        book: JobBook,
        committer: Committer,
        blobs: BlobStore,
        loop: LoopThread,
        clock: Clock,
        faults: Faults,
        timeout_s: float,
        count_deaths: Callable[[str], int | None] = lambda batch_id: 0,
    ) -> None:
        self._engine = engine
        self._pipeline = pipeline
        self._book = book
        self._committer = committer
        self._blobs = blobs
        self._loop = loop
        self._clock = clock
        self._faults = faults
        self._timeout_s = timeout_s
        self._count_deaths = count_deaths
        self._outages = outages_of(engine)
        self._threads = ThreadPoolExecutor(_READING_THREADS, thread_name_prefix="assay-reading")
        self.times = RunnerTimes()
        self.fatal: AssayError | None = None
        """An error that every other batch would meet as well, such as a full disk."""

    def run(self, batch_id: str, stage_name: str, deaths: int | None = None) -> None:
        """Do the open jobs of a batch. A batch that is already done is left alone.

        How many workers have died while running it is looked up unless it is given.
        """
        began = time.perf_counter()
        started_ms = self._clock.now_ms()
        stage = self._pipeline.stage(stage_name)
        with bind_fields(batch_id=batch_id, queue=stage_name):
            try:
                worked = self._run(batch_id, stage, started_ms, deaths)
            except DBAPIError as error:
                raise self._note_failure(explain_database_error(error)) from error
            except AssayError as error:
                raise self._note_failure(error) from error
            except Exception as error:
                log.error("batch_crashed", f"{type(error).__name__}: {error}", traceback=True)
                raise
        self.times.work_s += worked
        self.times.engine_s += time.perf_counter() - began - worked

    def _note_failure(self, error: AssayError) -> AssayError:
        if isinstance(error, DatabaseFailed):
            log.warning("batch_left", str(error), code=error.code)
            return error
        log.error("batch_failed", str(error), code=error.code)
        if isinstance(error, DiskFailed):
            self.fatal = error
        return error

    def _run(self, batch_id: str, stage: Stage, started_ms: int, deaths: int | None) -> float:
        self._faults.reach("batch.before_read")
        if deaths is None:
            deaths = outlast(self._engine, lambda: self._count_deaths(batch_id))
        if deaths is None:
            log.info("batch_handed_on", "Another worker has this batch now; it is left alone.")
            return 0.0
        if stage.once == "waiting":
            outlast(self._engine, lambda: self._begin(batch_id))
        self._faults.reach("batch.after_begin")
        jobs = outlast(self._engine, lambda: self._open_jobs(batch_id))
        if not jobs:
            return 0.0
        if deaths >= _DEATHS_BEFORE_SPLIT and len(jobs) > 1:
            outlast(self._engine, lambda: self._split(batch_id))
            log.warning(
                "batch_split",
                f"{deaths} workers died while running this batch; its jobs now run separately.",
            )
            return 0.0
        self._faults.reach("batch.after_read")
        with bind_fields(**_find_shared_fields(jobs)):
            return self._work_and_store(stage, batch_id, jobs, started_ms)

    def _work_and_store(
        self, stage: Stage, batch_id: str, jobs: Sequence[Job], started_ms: int
    ) -> float:
        """Do the work and store it; return the time that the stage itself took."""
        self._faults.reach("batch.before_work")
        began, given_up = time.perf_counter(), self._outages.given_up
        try:
            results = self._compute_results(stage, jobs)
        except _BatchAbandoned:
            log.info("batch_abandoned", "The batch's jobs were cancelled while they ran.")
            return time.perf_counter() - began
        worked = time.perf_counter() - began
        if self._outages.given_up > given_up:
            # A stage may have taken the lost database for the failure of a source.
            raise DatabaseFailed("The database did not return while the worker waited.")
        self._faults.reach("batch.after_work")
        self._store(stage, batch_id, results, started_ms)
        self.times.jobs += len(jobs)
        log.info("batch_done", f"{stage.name}: {len(jobs)} done.", jobs=len(jobs), work_s=worked)
        self._faults.reach("batch.end")
        return worked

    def _compute_results(self, stage: Stage, jobs: Sequence[Job]) -> list[tuple[Job, Result]]:
        """One result for each job; if the batch fails as a whole, each job is tried alone."""
        valid: dict[str, Payload] = {}
        failed: dict[str, Failed] = {}
        for job in jobs:
            try:
                valid[job.job_id] = stage.payload.model_validate(job.payload)
            except ValidationError as error:
                fault = error.errors()[0]
                failed[job.job_id] = Failed(
                    InvalidPayload(
                        f"The payload of {job.job_id} is invalid: {fault['loc']} {fault['msg']}."
                    )
                )
        found: dict[str, Result] = dict(failed)
        found.update(self._attempt(stage, valid, jobs[0].batch_id))
        return [(job, found[job.job_id]) for job in jobs]

    def _attempt(
        self, stage: Stage, payloads: Mapping[str, Payload], batch_id: str
    ) -> dict[str, Result]:
        if not payloads:
            return {}
        try:
            # What escapes the reader's own patience, such as a pack's own query, is done again.
            return outlast(self._engine, lambda: self._work(stage, payloads, batch_id))
        except (_BatchAbandoned, DatabaseFailed):
            raise
        except Exception as error:
            if len(payloads) == 1:
                if isinstance(classify_error(error, stage.name), StageCrashed):
                    log.error("stage_crashed", str(error), job_id=next(iter(payloads)),
                              traceback=True)  # fmt: skip
                return {job_id: Failed(error) for job_id in payloads}
            results: dict[str, Result] = {}
            for job_id, payload in payloads.items():
                results.update(self._attempt(stage, {job_id: payload}, batch_id))
            return results

    def _work(
        self, stage: Stage, payloads: Mapping[str, Payload], batch_id: str
    ) -> dict[str, Result]:
        reader = Reader(stage, self._engine, self._blobs, self._clock.now_ms(), self._threads)
        future = self._loop.submit(self._run_stage(stage, payloads, reader))
        results = self._wait_for_work(stage, future, batch_id)
        if reader.refusals:
            raise ContractViolation(
                f"Stage {stage.name} tried to read {', '.join(reader.refusals)}, "
                "which its contract does not declare."
            )
        for result in results.values():
            if isinstance(result, Failed) and _is_database_failure(result.error):
                # The database's failure is not the job's: nothing of it is recorded.
                raise result.error
            outcome = result if isinstance(result, Outcome) else result.last
            if outcome is not None:
                self._pipeline.check(stage, outcome)
        return results

    async def _run_stage(
        self, stage: Stage, payloads: Mapping[str, Payload], reader: Reader
    ) -> dict[str, Result]:
        """Check the gates, then do the work for the jobs that passed."""
        results: dict[str, Result] = {}
        inside = dict(payloads)
        for gate in stage.gates:
            if not inside:
                break
            reasons = await gate.check(list(inside.values()), reader)
            for job_id, reason in zip(list(inside), reasons, strict=True):
                if reason is not None:
                    results[job_id] = Failed(_gate_error(gate.name, reason, gate.error_class))
                    del inside[job_id]
        if inside:
            worked = await self._pipeline.function(stage.name)(list(inside.values()), reader)
            if len(worked) != len(inside):
                raise ContractViolation(
                    f"Stage {stage.name} got {len(inside)} jobs but returned {len(worked)} results."
                )
            results.update(zip(inside, worked, strict=True))
        return results

    def _wait_for_work(
        self,
        stage: Stage,
        future: "concurrent.futures.Future[dict[str, Result]]",
        batch_id: str,
    ) -> dict[str, Result]:
        """Wait for the work, until it times out or all of it is cancelled."""
        limit = stage.timeout_s or self._timeout_s
        deadline = time.monotonic() + limit - self._outages.waited_s
        while True:
            # Time in which the database was away is not the stage's.
            left = deadline + self._outages.waited_s - time.monotonic()
            try:
                return future.result(timeout=max(0.0, min(left, _CANCEL_CHECK_S)))
            except TimeoutError:
                if future.done():
                    raise
                if left <= 0:
                    future.cancel()
                    raise JobTimedOut(f"Stage {stage.name} took longer than {limit:g} s.") from None
                self._require_wanted(batch_id, future)

    def _require_wanted(
        self, batch_id: str, future: "concurrent.futures.Future[dict[str, Result]]"
    ) -> None:
        """Cancel work that nobody wants anymore, or of which nobody can say so."""
        try:
            jobs = outlast(self._engine, lambda: self._open_jobs(batch_id))
        except DatabaseFailed:
            # The work is repeated, perhaps soon; two of it would pay for each question twice.
            future.cancel()
            raise
        if not jobs:
            future.cancel()
            raise _BatchAbandoned

    def _store(
        self, stage: Stage, batch_id: str, results: Sequence[tuple[Job, Result]], started_ms: int
    ) -> None:
        self._faults.reach("batch.before_blobs")
        self._blobs.put_all(
            [data for _, result in results if isinstance(result, Outcome) for data in result.blobs]
        )
        self._faults.reach("batch.after_blobs")
        checked = [(job, self._require_bytes(stage, result)) for job, result in results]
        try:
            self._commit(stage, batch_id, checked, started_ms)
        except (DatabaseFailed, DiskFailed):
            raise
        except AssayError as error:
            if len(checked) == 1:
                job = checked[0][0]
                self._commit(stage, batch_id, [(job, Failed(error))], started_ms)
            else:
                self._commit_singly(stage, batch_id, checked, started_ms)

    def _commit_singly(
        self, stage: Stage, batch_id: str, results: Sequence[tuple[Job, Result]], started_ms: int
    ) -> None:
        """Commit each job separately, so that a result that cannot be stored fails alone."""
        for job, result in results:
            try:
                self._commit(stage, batch_id, [(job, result)], started_ms, only=job)
            except (DatabaseFailed, DiskFailed):
                raise
            except AssayError as error:
                self._commit(stage, batch_id, [(job, Failed(error))], started_ms, only=job)

    def _commit(
        self,
        stage: Stage,
        batch_id: str,
        results: Sequence[tuple[Job, Result]],
        started_ms: int,
        only: Job | None = None,
    ) -> None:
        def commit_once() -> int:
            now_ms = self._clock.now_ms()
            return self._committer.commit(stage, batch_id, results, started_ms, now_ms, only=only)

        if outlast(self._engine, commit_once) == 0:
            log.warning(
                "batch_fenced", "Another worker has already done this batch; nothing was stored."
            )

    def _begin(self, batch_id: str) -> None:
        with self._engine.begin() as connection:
            self._book.begin(connection, batch_id)

    def _split(self, batch_id: str) -> None:
        with self._engine.begin() as connection:
            self._book.split(connection, batch_id)

    def _open_jobs(self, batch_id: str) -> list[Job]:
        with self._engine.connect() as connection:
            return self._book.list_open_jobs(connection, batch_id)

    def _require_bytes(self, stage: Stage, result: Result) -> Result:
        """Refuse a record that refers to bytes that are not stored."""
        if isinstance(result, Outcome):
            for record in result.records:
                for name in type(record).BYTES:
                    blob_hash = getattr(record, name)
                    if blob_hash is not None and blob_hash not in self._blobs:
                        return Failed(
                            ContractViolation(
                                f"Stage {stage.name} returned a {type(record).__name__} "
                                f"without its bytes ({blob_hash})."
                            )
                        )
        return result


def _find_shared_fields(jobs: Sequence[Job]) -> dict[str, str | None]:
    """The fields that all jobs of a batch share, which every log line about the batch carries."""
    first = jobs[0]
    fields: dict[str, str | None] = {}
    if all(job.run_id == first.run_id for job in jobs):
        fields["run_id"] = first.run_id
    if all(job.source_slug == first.source_slug for job in jobs):
        fields["source_slug"] = first.source_slug
    if all(job.parent_job_id == first.parent_job_id for job in jobs):
        fields["parent_job_id"] = first.parent_job_id
    if len(jobs) == 1:
        fields["job_id"] = first.job_id
    return fields


def _is_database_failure(error: BaseException) -> bool:
    if isinstance(error, DBAPIError):
        error = explain_database_error(error)
    return isinstance(error, DatabaseFailed)


def _gate_error(gate: str, reason: str, error_class: ErrorClass) -> AssayError:
    error = GateFailed(f"Gate {gate} does not hold: {reason}.")
    error.error_class = error_class
    return error
