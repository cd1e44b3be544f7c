"""The runner: loads a batch, runs the stage, checks its outcome, and commits it."""

import concurrent.futures
import time
from collections.abc import Callable, Mapping, Sequence
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
    DatabaseBusy,
    DatabaseUnreachable,
    DiskFailed,
    ErrorClass,
    GateFailed,
    InvalidPayload,
    JobTimedOut,
    StageCrashed,
)
from assay.logs import Log, bind_fields
from assay.store.blobs import BlobStore
from assay.store.database import explain_database_error

T = TypeVar("T")
log = Log("assay.engine.runner")
_CANCEL_CHECK_S = 1.0
_PATIENCE_S = 300.0
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
        self.times = RunnerTimes()
        self.fatal: AssayError | None = None
        """An error that every other batch would meet as well, such as a full disk."""

    def run(self, batch_id: str, stage_name: str, deaths: int = 0) -> None:
        """Do the open jobs of a batch. A batch that is already done is left alone."""
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
        self.times.work_s += worked
        self.times.engine_s += time.perf_counter() - began - worked

    def _note_failure(self, error: AssayError) -> AssayError:
        log.error("batch_failed", str(error), code=error.code)
        if isinstance(error, DiskFailed):
            self.fatal = error
        return error

    def _run(self, batch_id: str, stage: Stage, started_ms: int, deaths: int) -> float:
        self._faults.reach("batch.before_read")
        if stage.once == "waiting":
            self._retry_database(lambda: self._begin(batch_id))
        self._faults.reach("batch.after_begin")
        jobs = self._retry_database(lambda: self._open_jobs(batch_id))
        if not jobs:
            return 0.0
        if deaths >= _DEATHS_BEFORE_SPLIT and len(jobs) > 1:
            with self._engine.begin() as connection:
                self._book.split(connection, batch_id)
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
        began = time.perf_counter()
        try:
            results = self._compute_results(stage, jobs)
        except _BatchAbandoned:
            log.info("batch_abandoned", "The batch's jobs were cancelled while they ran.")
            return time.perf_counter() - began
        worked = time.perf_counter() - began
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
            return self._work(stage, payloads, batch_id)
        except _BatchAbandoned:
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
        reader = Reader(stage, self._engine, self._blobs, self._clock.now_ms())
        future = self._loop.submit(self._run_stage(stage, payloads, reader))
        results = self._wait_for_work(stage, future, batch_id)
        if reader.refusals:
            raise ContractViolation(
                f"Stage {stage.name} tried to read {', '.join(reader.refusals)}, "
                "which its contract does not declare."
            )
        for result in results.values():
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
        deadline = time.monotonic() + limit
        while True:
            left = deadline - time.monotonic()
            try:
                return future.result(timeout=max(0.0, min(left, _CANCEL_CHECK_S)))
            except TimeoutError:
                if future.done():
                    raise
                if left <= _CANCEL_CHECK_S and deadline <= time.monotonic():
                    future.cancel()
                    raise JobTimedOut(f"Stage {stage.name} took longer than {limit:g} s.") from None
                if not self._is_wanted(batch_id):
                    future.cancel()
                    raise _BatchAbandoned from None

    def _is_wanted(self, batch_id: str) -> bool:
        return bool(self._retry_database(lambda: self._open_jobs(batch_id)))

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
        except (DatabaseBusy, DatabaseUnreachable, DiskFailed):
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
            except (DatabaseBusy, DatabaseUnreachable, DiskFailed):
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

        if self._retry_database(commit_once) == 0:
            log.warning(
                "batch_fenced", "Another worker has already done this batch; nothing was stored."
            )

    def _retry_database(self, act: Callable[[], T]) -> T:
        """Wait while the database is locked or unreachable, so that finished work is not lost."""
        deadline = time.monotonic() + _PATIENCE_S
        wait_s = 0.1
        while True:
            try:
                return act()
            except DBAPIError as error:
                explained = explain_database_error(error)
                if time.monotonic() > deadline or not _is_passing(explained, error):
                    raise explained from error
                log.warning("database_awaited", str(explained), wait_s=wait_s)
                time.sleep(wait_s)
                wait_s = min(5.0, 2 * wait_s)

    def _begin(self, batch_id: str) -> None:
        with self._engine.begin() as connection:
            self._book.begin(connection, batch_id)

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


def _is_passing(explained: AssayError, error: DBAPIError) -> bool:
    """Whether trying again may help: a lock, a lost connection, a deadlock."""
    state = getattr(error.orig, "sqlstate", None)
    return isinstance(explained, DatabaseBusy | DatabaseUnreachable) or state in ("40001", "40P01")


def _gate_error(gate: str, reason: str, error_class: ErrorClass) -> AssayError:
    error = GateFailed(f"Gate {gate} does not hold: {reason}.")
    error.error_class = error_class
    return error
