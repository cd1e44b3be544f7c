"""A worker: claims batches and runs them, does the housekeeping, and stops gracefully."""

import threading
import time
from collections.abc import Awaitable, Callable, Sequence

import psycopg
import sqlalchemy as sa

from assay.clock import Clock
from assay.engine.commit import Committer
from assay.engine.contract import Failed, Pipeline
from assay.engine.jobs import JobBook
from assay.engine.liveness import LOST, STOPPED, WorkerIdentity, WorkerRoster
from assay.engine.loop import LoopThread
from assay.engine.queues import FailedBatch, Queues
from assay.engine.retries import classify_error
from assay.engine.runner import Runner
from assay.engine.schedules import Schedule
from assay.engine.strays import StrayBatches
from assay.errors import AssayError, DatabaseFailed, DiskFailed, TransientError, WorkerDied
from assay.events import WorkerLost
from assay.logs import Log
from assay.settings import Settings
from assay.store import tables as t
from assay.store.database import explain_database_error, is_sqlite
from assay.store.event_log import write_event
from assay.store.outages import LONGEST_PAUSE_S, outages_of

log = Log("assay.engine.worker")
IDLE_POLLING_S = 1.0
_IDLE_AFTER_S = 5.0
_HOUSEKEEPING_S = 0.5
_SWEEP_EVERY_S = 2.0
_FORGET_EVERY_S = 3600.0
_BEATS = 3
"""Heartbeats that a worker may miss before its free lock counts as its death."""


class Worker:
    """One process that runs batches. SQLite allows one, Postgres many."""

    def __init__(
        self,
        *,
        engine: sa.Engine,
        settings: Settings,
        pipeline: Pipeline,
        queues: Queues,
        book: JobBook,
        committer: Committer,
        runner: Runner,
        loop: LoopThread,
        clock: Clock,
        closing: Sequence[Callable[[], Awaitable[None]]] = (),
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._pipeline = pipeline
        self._queues = queues
        self._book = book
        self._committer = committer
        self._runner = runner
        self._loop = loop
        self._clock = clock
        self._closing = closing
        self._identity = WorkerIdentity(engine, settings.worker_name)
        self._outages = outages_of(engine)
        self.patience_s: float | None = settings.database_outage_s
        """How long it waits for a lost database, None without end; set before it starts."""
        self._strays = StrayBatches(queues)
        self._roster = WorkerRoster(engine, settings.lease_s)
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._quiet_since = time.monotonic()
        self.stages = frozenset(stage.name for stage in pipeline.stages)
        """The stages that it works on; may be reduced before it starts."""
        self.schedules: Sequence[Schedule] = ()
        """When this worker starts runs automatically; set before it starts."""
        self.on_housekeeping: Callable[[], object] | None = None
        """Called regularly, so that the application can close finished runs."""

    @property
    def fatal(self) -> AssayError | None:
        """An error that makes it pointless for this worker to continue, if any."""
        return self._runner.fatal

    @property
    def is_busy(self) -> bool:
        """Whether it runs a batch at this moment."""
        return self._queues.count_active() > 0

    @property
    def worker_id(self) -> str:
        """Its name, which changes only if another worker took it during an outage."""
        return self._identity.worker_id

    def start(self) -> None:
        self._outages.wait_up_to(self.patience_s)
        self._loop.start()
        self._roster.beat(self.worker_id)
        self._queues.launch(
            self.worker_id,
            self._handle,
            listen=self.stages,
            polling_s=self._settings.polling_s,
            max_recoveries=self._settings.max_recoveries,
            schedules=self.schedules,
        )
        self._spawn("assay-heartbeat", self._keep_beating)
        self._spawn("assay-housekeeping", self._keep_house)
        log.info("worker_started", f"Worker {self.worker_id} started.")

    def stop(self) -> bool:
        """Stop claiming and wait for running work; True if all of it ended in time."""
        self._stopping.set()
        # A database that is away may return while work in progress ends, but not longer.
        ending = threading.Timer(self._settings.grace_s, self._outages.give_up)
        ending.daemon = True
        ending.start()
        try:
            return self._stop()
        finally:
            ending.cancel()
            self._outages.wait_up_to(self.patience_s)

    def _stop(self) -> bool:
        # Housekeeping uses the queues, so it ends before they do.
        for thread in self._threads:
            thread.join(timeout=10)
        ended = self._queues.stop(self._settings.grace_s)
        try:
            self._roster.mark(self.worker_id, STOPPED)
        except sa.exc.SQLAlchemyError as error:
            # Others will find its lock free; this error must not hide the first one.
            log.warning("worker_unmarked", str(error))
        if ended:
            for close in self._closing:
                try:
                    self._loop.submit(_wait_for_close(close)).result(timeout=10)
                except TimeoutError:
                    # All work has ended; what is still open ends with the process.
                    log.warning("close_slow", "A connection was not closed within 10 s.")
            self._loop.stop()
        self._identity.release()
        log.info("worker_stopped", f"Worker {self.worker_id} stopped.", ended=ended)
        return ended

    def _spawn(self, name: str, target: Callable[[], None]) -> None:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        self._threads.append(thread)

    def _handle(self, batch_id: str, stage: str) -> None:
        self._quiet_since = time.monotonic()
        self._runner.run(batch_id, stage)

    def _keep_beating(self) -> None:
        while not self._stopping.wait(self._settings.heartbeat_s):
            try:
                self._hold_name()
                was = self._roster.beat(self.worker_id)
                if was == LOST:
                    log.warning(
                        "worker_returned",
                        f"Worker {self.worker_id} was presumed dead; other workers have its work.",
                    )
            except Exception as error:
                self._log_fault("heartbeat_failed", error)

    def _hold_name(self) -> None:
        before = self.worker_id
        self._identity.hold()
        if self.worker_id != before:
            # What it holds under the old name goes to the worker that has that name now.
            self._queues.rename_worker(self.worker_id)
            log.warning(
                "worker_renamed",
                f"Another worker took the name {before} while the database was away; this one "
                f"continues as {self.worker_id}.",
            )

    def _keep_house(self) -> None:
        swept = forgot = 0.0
        while not self._stopping.wait(_HOUSEKEEPING_S):
            now = time.monotonic()
            try:
                self.recover_lost_batches()
                self._adjust_polling(now)
                if now - swept >= _SWEEP_EVERY_S:
                    swept = now
                    self.settle_failed_batches()
                    self._strays.requeue(self.worker_id)
                if now - forgot >= _FORGET_EVERY_S:
                    forgot = now
                    retention_ms = int(self._settings.retention_days * 86_400_000)
                    self._queues.delete_finished_batches(self._clock.now_ms() - retention_ms)
                if self.on_housekeeping is not None:
                    self.on_housekeeping()
            except Exception as error:
                self._log_fault("housekeeping_failed", error)

    def _log_fault(self, action: str, error: Exception) -> None:
        """Log a fault, and stop the worker if the disk failed. Most faults pass; that one does not,
        and the queue's own threads, which meet it first, would silently keep trying. A thread that
        ended with a fault would leave a worker without a heartbeat or without housekeeping."""
        fault = _as_assay_error(error)
        # While the database is away, one line says so; a repeated one would not say more.
        level = log.debug if isinstance(fault, DatabaseFailed) else log.warning
        level(action, str(fault), code=fault.code)
        if isinstance(fault, DiskFailed) and self._runner.fatal is None:
            self._runner.fatal = fault

    def _adjust_polling(self, now: float) -> None:
        """Poll often while there is work, and seldom while there is none."""
        if self._queues.count_active():
            self._quiet_since = now
        idle = now - self._quiet_since > _IDLE_AFTER_S
        busy_s = self._settings.polling_s
        self._queues.set_polling(max(IDLE_POLLING_S, busy_s) if idle else busy_s)

    def recover_lost_batches(self) -> int:
        """Put the batches of dead workers back into their queues."""
        with self._engine.connect() as connection:
            holders = self._queues.count_batches_by_worker(connection)
        others = sorted(set(holders) - {self.worker_id})
        if not others or self._may_others_return():
            return 0
        recovered = 0
        for worker_id in others:
            if self._is_dead(worker_id):
                self._roster.mark(worker_id, LOST)
                self._identity.cut_off(worker_id)
                count = self._queues.recover(worker_id)
                recovered += count
                if count:
                    self._report_lost(worker_id, count)
                log.warning("worker_lost", f"Worker {worker_id} is gone; its work is requeued.")
        return recovered

    def _may_others_return(self) -> bool:
        """Whether the database was away a moment ago: then every lock is free and every heartbeat
        is old, and the others get the time to come back."""
        if is_sqlite(self._engine):
            return False
        grace_s = _BEATS * self._settings.heartbeat_s + 2 * LONGEST_PAUSE_S
        return self._outages.back_s < grace_s or self._identity.has_server_restarted(grace_s)

    def _is_dead(self, worker_id: str) -> bool:
        """Whether its lease has expired, or its lock is free although it had time to regain it."""
        if self._roster.is_silent(worker_id):
            return True
        if not self._identity.is_free(worker_id):
            return False
        patience_s = 0.0 if is_sqlite(self._engine) else _BEATS * self._settings.heartbeat_s
        return self._roster.is_silent(worker_id, patience_s)

    def _report_lost(self, worker_id: str, batches: int) -> None:
        with self._engine.begin() as connection:
            lost = WorkerLost(worker_id=worker_id, batches=batches)
            write_event(connection, lost, self._clock.now_ms())

    def settle_failed_batches(self) -> int:
        """Deal with batches that the queue gave up on, so that none of their jobs is lost."""
        with self._engine.connect() as connection:
            failed = self._queues.find_failed_batches(connection, t.job)
        for batch in failed:
            self._settle_batch(batch)
        return len(failed)

    def _settle_batch(self, batch: FailedBatch) -> None:
        error: AssayError = TransientError(f"The queue ended the batch as {batch.status}.")
        if batch.status == "MAX_RECOVERY_ATTEMPTS_EXCEEDED":
            error = WorkerDied("Every worker that took this job died while running it.")
        with self._engine.connect() as connection:
            jobs = self._book.list_open_jobs(connection, batch.batch_id)
        if not jobs:
            return
        now_ms = self._clock.now_ms()
        stage = self._pipeline.stage(jobs[0].stage)
        results = [(job, Failed(error)) for job in jobs]
        self._committer.commit(stage, batch.batch_id, results, now_ms, now_ms)


def _as_assay_error(error: Exception) -> AssayError:
    if isinstance(error, sa.exc.DBAPIError):
        return explain_database_error(error)
    if isinstance(error, sa.exc.SQLAlchemyError | psycopg.Error):
        # Some of the driver's errors arrive as they are.
        return DatabaseFailed(f"{type(error).__name__}: {error}.")
    return classify_error(error, "housekeeping")


async def _wait_for_close(close: Callable[[], Awaitable[None]]) -> None:
    await close()
