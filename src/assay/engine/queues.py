"""The only interface to DBOS: durable queues on a SQLite file or on Postgres.

DBOS claims batches, delays and orders them, enforces rates, and passes a dead worker's batches to
others. What a batch contains and whether it is done is recorded in the job book, not here.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from dbos import DBOS, DBOSClient, DBOSConfig, DBOSPortableJSONSerializer, error
from dbos._context import current_owner_xid
from dbos._utils import GlobalParams

from assay.engine.contract import QueueLimits
from assay.engine.queue_polling import WaitingQueues
from assay.engine.schedules import OFF, Schedule
from assay.errors import DatabaseFailed, DiskFailed, InvalidSetting
from assay.store.database import is_sqlite

WORKFLOW = "assay.batch"
APPLICATION = "assay"
APPLICATION_VERSION = "1"
"""Increased only when new workers must not take old batches."""
_HIGHEST_PRIORITY = 1_000_000
_LIVE_STATUSES = ("ENQUEUED", "DELAYED", "PENDING")
_FAILED_STATUSES = ("ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED", "CANCELLED")
_DELETE_CHUNK = 500

Handler = Callable[[str, str], None]
"""Does the work of one batch; takes the batch id and the stage."""


@dataclass(frozen=True)
class FailedBatch:
    """A batch that DBOS gave up on."""

    batch_id: str
    status: str


class BatchLeft(BaseException):
    """The database or the disk failed, so a batch was left as it was. No `Exception`, because DBOS
    would record one as the end of the batch."""


class Queues:
    """Submits batches, and runs them on a worker."""

    def __init__(self, engine: sa.Engine, limits: Mapping[str, QueueLimits]) -> None:
        _silence_console()
        self._engine = engine
        self._limits = dict(limits)
        self._client: DBOSClient | None = None
        self._dbos: DBOS | None = None
        self._active: set[str] = set()
        self._lock = threading.Lock()
        self._polling: WaitingQueues | None = None
        self._copies: dict[str, sa.TextClause] = {}
        self._status = sa.Table(
            "workflow_status",
            sa.MetaData(schema=None if is_sqlite(engine) else "dbos"),
            *(sa.Column(name, sa.Text) for name in ("workflow_uuid", "status", "queue_name")),
            *(sa.Column(name, sa.Text) for name in ("executor_id", "name", "owner_xid")),
            *(
                sa.Column(name, sa.BigInteger)
                for name in (
                    "recovery_attempts",
                    "completed_at",
                    "created_at",
                    "started_at_epoch_ms",
                )
            ),
        )

    def migrate(self) -> None:
        """Create or update DBOS's tables in Assay's database."""
        self._open_client()._sys_db.run_migrations()

    def enqueue(
        self, connection: sa.Connection, batch_id: str, stage: str, priority: int, delay_s: float
    ) -> None:
        """Queue a batch in the caller's transaction; it exists once that commits."""
        self._open_client().enqueue_in_transaction(
            connection,
            {
                "workflow_name": WORKFLOW,
                "queue_name": stage,
                "workflow_id": batch_id,
                # DBOS runs the lowest number first, Assay the highest.
                "priority": max(1, _HIGHEST_PRIORITY - priority),
                **({"delay_seconds": delay_s} if delay_s > 0 else {}),  # type: ignore[typeddict-item]
            },
            stage,
        )

    def enqueue_many(
        self, connection: sa.Connection, batch_ids: Sequence[str], stage: str, priority: int
    ) -> None:
        """Queue batches that differ only in their id: DBOS queues the first, and the others are
        copies of its row."""
        if not batch_ids:
            return
        self.enqueue(connection, batch_ids[0], stage, priority, 0.0)
        others = [{"copy": batch_id, "first": batch_ids[0]} for batch_id in batch_ids[1:]]
        if not others:
            return
        for table in ("workflow_status", "workflow_input"):
            connection.execute(self._build_copy_statement(connection, table), others)

    def _build_copy_statement(self, connection: sa.Connection, table: str) -> sa.TextClause:
        if table not in self._copies:
            schema = None if is_sqlite(connection) else "dbos"
            columns = [c["name"] for c in sa.inspect(connection).get_columns(table, schema=schema)]
            others = ", ".join(f'"{name}"' for name in columns if name != "workflow_uuid")
            place = f"{schema}.{table}" if schema else table
            self._copies[table] = sa.text(
                f"INSERT INTO {place} (workflow_uuid, {others}) "
                f"SELECT :copy, {others} FROM {place} WHERE workflow_uuid = :first"
            )
        return self._copies[table]

    def _open_client(self) -> DBOSClient:
        if self._client is None:
            self._client = DBOSClient(
                system_database_engine=self._engine,
                application_name=APPLICATION,
                serializer=DBOSPortableJSONSerializer(),
                lazy=True,
            )
        return self._client

    def launch(
        self, worker_id: str, handler: Handler, *, listen: Iterable[str], polling_s: float,
        max_recoveries: int,
        schedules: Sequence[Schedule] = (),
    ) -> None:  # fmt: skip
        """Start claiming batches; the handler is called for each, in a separate thread."""
        self._dbos = DBOS(config=self._build_config(worker_id))

        @DBOS.workflow(name=WORKFLOW, max_recovery_attempts=max_recoveries)
        def batch(stage: str) -> None:
            batch_id = DBOS.workflow_id
            assert batch_id is not None
            with self._lock:
                self._active.add(batch_id)
            try:
                with _leave_unfinished():
                    handler(batch_id, stage)
            finally:
                with self._lock:
                    self._active.discard(batch_id)

        # Declared before the launch, so that the first poll already finds them.
        scheduled = [(schedule, _make_scheduled_workflow(schedule)) for schedule in schedules]
        self._declare(polling_s)
        DBOS.listen_queues(sorted(listen))
        DBOS.launch()
        self._polling = WaitingQueues(self._engine, polling_s)
        self._polling.attach(self._dbos._sys_db)
        self._polling.start()
        for schedule, workflow in scheduled:
            self._apply(schedule, workflow)

    def _declare(self, polling_s: float) -> None:
        for name, limits in self._limits.items():
            self._open_client().register_queue(
                name,
                worker_concurrency=limits.concurrency,
                limiter={"limit": limits.rate, "period": limits.per} if limits.rate else None,
                polling_interval_sec=polling_s,
                application_name=APPLICATION,
            )

    def _apply(self, schedule: Schedule, workflow: Callable[..., None]) -> None:
        """Apply a schedule. Many workers may apply the same one; it still fires once each time."""
        if schedule.cron is None:
            return
        name = schedule.workflow_name
        if schedule.cron == OFF:
            if DBOS.get_schedule(name) is not None:
                DBOS.delete_schedule(name)
            return
        try:
            DBOS.apply_schedules(
                [
                    {
                        "schedule_name": name,
                        "workflow_fn": workflow,
                        "schedule": schedule.cron,
                        "context": None,
                    }
                ]
            )
        except error.DBOSException as refused:
            raise InvalidSetting(
                f"Schedule '{schedule.name or 'schedule'}' is not a valid cron expression: "
                f"{schedule.cron!r}.",
                advice="Use minute, hour, day, month and weekday, such as '0 5 * * *'.",
            ) from refused

    def set_polling(self, polling_s: float) -> None:
        """Change how often this worker looks for waiting batches."""
        if self._polling is not None:
            self._polling.interval_s = polling_s

    @property
    def polling_s(self) -> float | None:
        """How often this worker looks for waiting batches; None if it does not."""
        return None if self._polling is None else self._polling.interval_s

    def count_active(self) -> int:
        """The number of batches this worker is running."""
        with self._lock:
            return len(self._active)

    def stop(self, grace_s: float) -> bool:
        """Stop claiming and wait for running batches; True if all of them ended in time."""
        if self._dbos is None:
            return True
        for stop_event in self._dbos.background_thread_stop_events:
            stop_event.set()
        if self._polling is not None:
            self._polling.stop()
        deadline = time.monotonic() + grace_s
        while self._is_busy() and time.monotonic() < deadline:
            time.sleep(0.05)
        ended = not self._is_busy()
        if ended:
            DBOS.destroy(destroy_registry=True)
        self._dbos = None
        return ended

    def _is_busy(self) -> bool:
        assert self._dbos is not None
        return bool(self.count_active() or self._dbos._active_workflows_set.activeList())

    def close(self) -> None:
        if self._client is not None:
            self._client.destroy()
            self._client = None

    def recover(self, worker_id: str) -> int:
        """Put a dead worker's batches back into their queues."""
        if self._dbos is None:
            # Stopped in the meantime; another worker finds them.
            return 0
        # DBOS 3.3 has no public name for this; tests/engine/test_liveness.py checks that it works.
        return len(DBOS._recover_pending_workflows([worker_id]))

    def rename_worker(self, worker_id: str) -> None:
        """Claim batches under another name from now on."""
        GlobalParams.executor_id = worker_id

    def find_stray_batches(self, worker_id: str) -> list[tuple[str, str | None]]:
        """Batches that a worker has claimed and that nobody runs here, each with its claim."""
        if self._dbos is None:
            return []
        s = self._status
        query = sa.select(s.c.workflow_uuid, s.c.owner_xid).where(
            s.c.status == "PENDING", s.c.executor_id == worker_id
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        with self._lock:
            active = self._active | set(self._dbos._active_workflows_set.activeList())
        return [(row[0], row[1]) for row in rows if row[0] not in active]

    def release_batch(self, worker_id: str, batch_id: str, claim: str | None) -> bool:
        """Put a batch back into its queue as if it had not been claimed; False if the claim is no
        longer the same."""
        s = self._status
        release = (
            sa.update(s)
            .where(s.c.workflow_uuid == batch_id, s.c.status == "PENDING")
            .where(s.c.executor_id == worker_id, s.c.owner_xid.is_not_distinct_from(claim))
            .values(
                status="ENQUEUED",
                owner_xid=None,
                started_at_epoch_ms=None,
                recovery_attempts=s.c.recovery_attempts - 1,
            )
        )
        with self._engine.begin() as connection:
            return connection.execute(release).rowcount > 0

    def count_deaths(self, batch_id: str) -> int | None:
        """How many workers died while running this batch; None if it was handed on and is not
        this execution's to run anymore."""
        s = self._status
        with self._engine.connect() as connection:
            query = sa.select(s.c.recovery_attempts, s.c.owner_xid)
            row = connection.execute(query.where(s.c.workflow_uuid == batch_id)).first()
        claim = current_owner_xid(batch_id)
        if row is not None and claim is not None and row[1] != claim:
            return None
        return 0 if row is None else max(0, int(row[0] or 1) - 1)

    def find_failed_batches(self, connection: sa.Connection, job: sa.Table) -> list[FailedBatch]:
        """Batches that DBOS gave up on although some of their jobs are still open."""
        s = self._status
        open_jobs = sa.exists().where(job.c.batch_id == s.c.workflow_uuid, job.c.state == "queued")
        query = (
            sa.select(s.c.workflow_uuid, s.c.status)
            .where(s.c.status.in_(_FAILED_STATUSES), open_jobs)
            .order_by(s.c.workflow_uuid)
            .limit(1000)
        )
        return [FailedBatch(*row) for row in connection.execute(query)]

    def read_open_job_states(
        self, connection: sa.Connection, job: sa.Table
    ) -> Iterator[tuple[str, str]]:
        """Every open job with the queue's view of its batch: live, given up, or unknown."""
        s = self._status
        state = sa.case(
            (s.c.status.in_(_LIVE_STATUSES), "live"),
            (s.c.status.in_(_FAILED_STATUSES), "given up"),
            else_="unknown",
        )
        query = (
            sa.select(job.c.job_id, state)
            .join_from(job, s, job.c.batch_id == s.c.workflow_uuid, isouter=True)
            .where(job.c.state == "queued")
            .order_by(job.c.job_id)
        )
        rows = connection.execute(query.execution_options(yield_per=1000))
        yield from ((row[0], row[1]) for row in rows)

    def find_unknown_batches(self, connection: sa.Connection, job: sa.Table) -> list[str]:
        """Batches with open jobs that the queue does not know, or took as done."""
        s = self._status
        query = (
            sa.select(job.c.batch_id)
            .distinct()
            .join_from(job, s, job.c.batch_id == s.c.workflow_uuid, isouter=True)
            .where(
                job.c.state == "queued",
                sa.or_(
                    s.c.status.is_(None), s.c.status.not_in((*_LIVE_STATUSES, *_FAILED_STATUSES))
                ),
            )
            .order_by(job.c.batch_id)
        )
        return list(connection.execute(query).scalars())

    def find_running_batches(self, connection: sa.Connection) -> dict[str, str]:
        """Batches running on any worker, each with its worker."""
        s = self._status
        query = sa.select(s.c.workflow_uuid, s.c.executor_id).where(s.c.status == "PENDING")
        return {row.workflow_uuid: row.executor_id for row in connection.execute(query)}

    def count_batches_by_worker(self, connection: sa.Connection) -> dict[str, int]:
        """The number of running batches registered to each worker, dead or alive."""
        s = self._status
        query = (
            sa.select(s.c.executor_id, sa.func.count())
            .where(s.c.status == "PENDING", s.c.name == WORKFLOW)
            .group_by(s.c.executor_id)
        )
        return {worker: int(count) for worker, count in connection.execute(query)}

    def delete_finished_batches(self, before_ms: int) -> int:
        """Delete finished batches from DBOS's tables, a chunk at a time."""
        s, dbos = self._status, self._dbos
        if dbos is None:
            # Stopped in the meantime; the next worker deletes them.
            return 0
        deleted = 0
        while True:
            with self._engine.connect() as connection:
                ids = list(
                    connection.execute(
                        sa.select(s.c.workflow_uuid)
                        .where(s.c.completed_at < before_ms, s.c.status == "SUCCESS")
                        .limit(_DELETE_CHUNK)
                    ).scalars()
                )
            if not ids:
                return deleted
            dbos._sys_db.delete_workflows(ids)
            deleted += len(ids)

    def _build_config(self, worker_id: str) -> DBOSConfig:
        return DBOSConfig(
            name=APPLICATION,
            system_database_engine=self._engine,
            application_version=APPLICATION_VERSION,
            executor_id=worker_id,
            log_level="ERROR",
            use_listen_notify=False,
            notification_listener_polling_interval_sec=0.25,
            enable_otlp=False,
            scheduler_polling_interval_sec=2.0,
            serializer=DBOSPortableJSONSerializer(),
        )


def _make_scheduled_workflow(schedule: Schedule) -> Callable[..., None]:
    """The workflow that DBOS starts each time a schedule fires."""

    @DBOS.workflow(name=schedule.workflow_name)
    def run_schedule(at: datetime, _context: object) -> None:
        with _leave_unfinished():
            schedule.begin(at)

    return run_schedule


@contextmanager
def _leave_unfinished() -> Iterator[None]:
    """Do not record a failure of the database or the disk as the end: the work is still to be done,
    by this worker when it finds that nobody does it, or by the next one."""
    try:
        yield
    except (DatabaseFailed, DiskFailed) as fault:
        raise BatchLeft from fault


def _silence_console() -> None:
    """Keep DBOS's log messages off the console."""
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
