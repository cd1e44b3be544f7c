"""The composition root: builds every part from one settings object.

A part is imported and built when it is first used. The parts that process documents (queues,
stages, tools, models) take seconds to import, and a command that only looks something up needs none
of them.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import event

from assay.app.installed_packs import (
    HomePacks,
    PackFacts,
    branches_of,
    list_store_records,
    portals_of,
)
from assay.app.pack_validation import validate_packs
from assay.clock import Clock, SystemClock
from assay.engine.commit import CommitPolicy, Committer
from assay.engine.contract import Pipeline, QueueLimits
from assay.engine.faults import Faults, parse_fault_plan
from assay.engine.jobs import JobBook
from assay.engine.loop import LoopThread
from assay.engine.profiles import choose_batch_size, compute_limits
from assay.engine.runner import Runner
from assay.errors import (
    InvalidSetting,
    NotFound,
    RunIdReused,
    SchemaMissing,
    SchemaOutdated,
    UnknownSetting,
    from_os_error,
)
from assay.logs import Log
from assay.model.lifecycle import RetryPolicy
from assay.model.storage import Record
from assay.sdk.pack import Pack
from assay.settings import FILE_NAME, Settings
from assay.store import guards, schema
from assay.store import tables as t
from assay.store.blobs import BlobStore
from assay.store.database import begin_writing, explain_errors, is_sqlite, open_engine, outlast
from assay.store.outages import outages_of
from assay.store.runs import RunFolders
from assay.store.tables import list_tables
from assay.store.upgrade_jobs import UPGRADE

if TYPE_CHECKING:
    from assay.app.services import AppServices
    from assay.app.tools import Tools
    from assay.engine.queues import Queues
    from assay.engine.worker import Worker
    from assay.governor.budget import BudgetView

_FIRST_FILE = """\
# Settings of this home. 'assay doctor --settings' lists all settings and their defaults.
"""

RowPage = tuple[list[dict[str, Any]], int]
"""Rows, and how many more there are."""

log = Log("assay.app")
T = TypeVar("T")


class App:
    """Everything a command needs, opened once and passed down."""

    def __init__(
        self,
        settings: Settings,
        *,
        pipeline: Pipeline | None = None,
        clock: Clock | None = None,
        read_only: bool = False,
    ) -> None:
        self.settings = settings
        self.clock: Clock = clock or SystemClock()
        if not settings.home.is_dir():
            raise SchemaMissing(f"The home {settings.home} does not exist.")
        self._faults = _load_faults(settings)
        self.blobs = BlobStore(settings.blobs)
        self.folders = RunFolders(settings.runs)
        self.packs = HomePacks(settings.home)
        self.facts = PackFacts(self.packs)
        self._given_pipeline = pipeline
        self.engine = open_engine(
            settings.database,
            wait_s=settings.database_wait_s,
            idle_s=settings.lease_s,
            limit_s=settings.database_limit_s,
            read_only=read_only,
        )
        self.outages = outages_of(self.engine)

    @cached_property
    def records(self) -> tuple[type[Record], ...]:
        """All record types in the store, including those of the packs."""
        return list_store_records(self.packs.installed)

    @cached_property
    def branches(self) -> schema.Branches:
        """The migrations of the packs."""
        validate_packs(self.packs.installed)
        return branches_of(self.packs.installed)

    @cached_property
    def tools(self) -> "Tools":
        """The fetcher, the readers and the process pool."""
        from assay.app.tools import build_tools
        from assay.sources.shared_pacing import SharedHostSchedule

        validate_packs(self.packs.installed)
        starts = SharedHostSchedule(self.engine)
        return build_tools(self.settings, portals_of(self.packs.installed), starts)

    @cached_property
    def pipeline(self) -> Pipeline:
        """The stages, including those of the packs."""
        if self._given_pipeline is not None:
            return self._given_pipeline
        from assay.app.pipeline import build_pipeline

        return build_pipeline(
            self.tools,
            self.packs,
            services=lambda: self.services,
            budget_view=lambda: self.budget_view,
            model=self.services.models.for_extraction(),
            ask=self.services.models.for_opinions(),
        )

    @cached_property
    def queues(self) -> "Queues":
        """The durable queues, one for each stage; a setting for any other queue is refused."""
        from assay.engine.queues import Queues

        stages = self.pipeline.stages
        limits = {stage.name: compute_limits(stage, self.settings) for stage in stages}
        _refuse_unknown_queues(self.settings, limits)
        return Queues(self.engine, limits)

    @cached_property
    def book(self) -> JobBook:
        """The job book."""
        sizes = {
            stage.name: choose_batch_size(stage, self.settings) for stage in self.pipeline.stages
        }
        return JobBook(self.pipeline, sizes, self.queues)

    def __enter__(self) -> "App":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if "queues" in vars(self):
            self.queues.close()
        self.engine.dispose()

    def read(self, read: Callable[[sa.Connection], T]) -> T:
        """What a function reads; where outages are waited for, it reads again after one."""

        def connect_and_read() -> T:
            with self.engine.connect() as connection:
                return read(connection)

        return outlast(self.engine, connect_and_read)

    def fetch_rows(self, query: sa.Select[Any]) -> list[dict[str, Any]]:
        """The rows that a query finds."""
        return self.read(
            lambda connection: [dict(row) for row in connection.execute(query).mappings()]
        )

    def fetch_page(self, query: sa.Select[Any], limit: int | None) -> RowPage:
        """The first rows that a query finds, or all of them, and how many more there are."""
        count = sa.select(sa.func.count()).select_from(query.order_by(None).subquery())

        def read(connection: sa.Connection) -> RowPage:
            found = [dict(row) for row in connection.execute(query.limit(limit)).mappings()]
            if limit is None or len(found) < limit:
                return found, 0
            return found, int(connection.execute(count).scalar_one()) - len(found)

        return self.read(read)

    def require_store(self) -> None:
        """Refuse a store that is missing, too old or too new.

        Tables of packs are not checked: loading all packs takes longer than most commands.
        """
        schema.require_current(self.engine)

    def require_pack_tables(self) -> None:
        """The same check including the tables of packs, for code that uses them."""
        schema.require_current(self.engine, self.branches)

    def migrate(self) -> tuple[schema.Versions, schema.Versions]:
        """Bring the store up to date, including the tables of packs and of the queue."""
        with suppress(SchemaMissing, SchemaOutdated):
            self.require_pack_tables()
        with _use_transactional_ddl(self.engine):
            # The queue's tables first: a store that records its version is then sure to have them.
            with explain_errors():
                self.queues.migrate()
            versions = schema.migrate(self.engine, self.branches)
        self._reserve_upgrade_runs()
        self._requeue_unknown_batches()
        return versions

    def _reserve_upgrade_runs(self) -> None:
        """Create the folders of runs that a migration opened."""
        runs = sa.select(t.run.c.run_id).where(t.run.c.label == UPGRADE, t.run.c.state == "open")
        for row in self.fetch_rows(runs):
            with suppress(RunIdReused):
                self.folders.reserve(row["run_id"])

    def _requeue_unknown_batches(self) -> None:
        """Queue open jobs whose batch the queue does not know, such as those a migration made."""
        with explain_errors(), self.engine.begin() as connection:
            begin_writing(connection)
            for batch_id in self.queues.find_unknown_batches(connection, t.job):
                self.book.split(connection, batch_id)

    def reset(self) -> None:
        """Destroy everything stored. Only an operator may do this."""
        with (
            _use_transactional_ddl(self.engine),
            explain_errors(),
            self.engine.begin() as connection,
        ):
            versions = schema.read_versions(connection)
            self._refuse_orphaned_tables(versions)
            guards.lift_guards(connection)
            for table in list_tables(self.records):
                table.drop(connection, checkfirst=True)
            for branch in versions:
                connection.execute(sa.text(f'DROP TABLE "{schema.version_table_of(branch)}"'))
            _drop_queue_tables(connection)
        for folder in (self.settings.blobs, self.settings.runs):
            _empty_folder(folder)
        self.migrate()

    def _refuse_orphaned_tables(self, versions: schema.Versions) -> None:
        """Only a pack knows which tables it has: without it, some of them would remain."""
        for pack in schema.find_orphaned_branches(versions, self.branches):
            raise NotFound(
                f"The store has tables of the pack '{pack}', which is not installed.",
                advice="Install it first; nothing was destroyed.",
            )

    def make_worker(self) -> "Worker":
        """A worker for this store; on SQLite a second one is refused."""
        from assay.engine.worker import Worker

        self.require_pack_tables()
        _refuse_unknown_schedules(self.settings, self.packs.installed)
        self.log_providers()
        loop = LoopThread()
        committer = self.make_committer()
        return Worker(
            engine=self.engine,
            settings=self.settings,
            pipeline=self.pipeline,
            queues=self.queues,
            book=self.book,
            committer=committer,
            runner=self.make_runner(committer, loop),
            loop=loop,
            clock=self.clock,
            closing=[self.tools.close, self.services.close],
        )

    @cached_property
    def services(self) -> "AppServices":
        """The services that packs get at run time."""
        from assay.app.services import AppServices

        return AppServices(self.settings, self.tools, lambda: self, self.clock)

    @cached_property
    def budget_view(self) -> "BudgetView | None":
        """What documents may spend, and with which providers; None if no model can be called."""
        from assay.app.models import build_budget_view

        return build_budget_view(self)

    def log_providers(self) -> None:
        """Log the providers that documents may be sent to; a misconfigured one is refused here,
        before the work begins rather than in the middle of it."""
        from assay.app.models import find_missing_keys

        names = (
            [provider.name for provider in self.budget_view.providers] if self.budget_view else []
        )
        log.info("providers_known", f"Models that may be called: {', '.join(names) or 'none'}.")
        for name, reason in find_missing_keys(self.settings).items():
            log.warning("provider_without_key", f"Provider '{name}' is not used: {reason}.")

    def make_committer(self) -> Committer:
        """The part that writes results."""
        from assay.governor import health_recording as recording

        settings = self.settings
        policy = CommitPolicy(
            retry_delays_s=settings.retry_delays_s,
            priority_decay=settings.priority_decay,
            candidates=RetryPolicy(settings.candidate_retry_days, settings.candidate_retry_limit),
        )
        return Committer(
            self.engine,
            self.pipeline,
            self.book,
            policy,
            self._faults,
            after_progress=recording.record_attempts,
        )

    def make_runner(self, committer: Committer, loop: LoopThread) -> Runner:
        """The part that runs batches, on the given loop; it waits for a lost database."""
        self.outages.wait_up_to(self.settings.database_outage_s)
        return Runner(
            engine=self.engine,
            pipeline=self.pipeline,
            book=self.book,
            committer=committer,
            blobs=self.blobs,
            loop=loop,
            clock=self.clock,
            faults=self._faults,
            timeout_s=self.settings.job_timeout_s,
            count_deaths=self.queues.count_deaths,
        )


def init_home(settings: Settings) -> bool:
    """Create the folders and the settings file; False if the home already existed."""
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
        for folder in (settings.blobs, settings.runs, settings.log_file.parent):
            folder.mkdir(exist_ok=True)
        file = settings.home / FILE_NAME
        if file.exists():
            return False
        file.write_text(_FIRST_FILE, encoding="utf-8")
    except OSError as error:
        raise from_os_error(error, f"creating the home {settings.home}") from error
    return True


def _refuse_unknown_queues(settings: Settings, limits: Mapping[str, QueueLimits]) -> None:
    for name in sorted(set(settings.queues) - set(limits)):
        raise UnknownSetting(
            f"{FILE_NAME} configures the queue '{name}', which does not exist.",
            advice=f"The queues are {', '.join(limits)}.",
        )


def _refuse_unknown_schedules(settings: Settings, packs: Mapping[str, Pack]) -> None:
    known = [f"{pack.name}.{entry.name}" for pack in packs.values() for entry in pack.schedules]
    for name in sorted(set(settings.schedules) - set(known)):
        raise UnknownSetting(
            f"{FILE_NAME} configures the schedule '{name}', which no installed pack declares.",
            advice=f"The schedules are {', '.join(known)}." if known else "Remove it.",
        )


def _load_faults(settings: Settings) -> Faults:
    try:
        return parse_fault_plan(settings.fault)
    except ValueError as error:
        raise InvalidSetting(f"Setting 'fault': {error}.", advice="Remove it.") from error


@contextmanager
def _use_transactional_ddl(engine: sa.Engine) -> Iterator[None]:
    """Create or drop all tables in one transaction.

    By default, SQLite's driver commits each of them, and a crash or a full disk in between would
    leave half a store that nothing could ever complete.
    """
    if not is_sqlite(engine):
        yield
        return

    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    event.listen(engine, "begin", begin)
    try:
        yield
    finally:
        event.remove(engine, "begin", begin)


def _drop_queue_tables(connection: sa.Connection) -> None:
    if not is_sqlite(connection):
        connection.execute(sa.text("DROP SCHEMA IF EXISTS dbos CASCADE"))
        return
    connection.execute(sa.text("PRAGMA defer_foreign_keys=ON"))
    names = connection.execute(
        sa.text("SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%'")
    ).scalars()
    for name in list(names):
        connection.execute(sa.text(f'DROP TABLE IF EXISTS "{name}"'))


def _empty_folder(folder: Path) -> None:
    if not folder.is_dir():
        return
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(folder)
    folder.mkdir()
