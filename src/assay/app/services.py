"""The services that packs get at run time, built from the settings; the store is opened on use."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import sqlalchemy as sa

from assay.app.examination import examine_targets
from assay.app.models import AppModels
from assay.app.service_access import AppService
from assay.app.tools import Tools, build_fetch_policy
from assay.clock import Clock, SystemClock
from assay.engine.jobs import Job
from assay.engine.process_pool import ProcessPool
from assay.engine.reader import (
    count_rows,
    count_rows_by,
    read_first_rows,
    read_last_rows,
    read_latest_rows,
    read_rows,
)
from assay.errors import InternalError
from assay.llm.service_calls import ServiceTerms
from assay.model.records import Endpoint, Source
from assay.model.storage import Record
from assay.ruling.rules.authority import LOWEST
from assay.sdk.reading import FileReading
from assay.sdk.services import Closeable, Services
from assay.settings import Settings
from assay.sources.fetching import Fetcher
from assay.store.blobs import BlobStore
from assay.store.database import explain_errors
from assay.store.results import ResultStore
from assay.store.row_hashes import record_row_hashes
from assay.store.upserts import upsert_records

if TYPE_CHECKING:
    from assay.app.composition import App

C = TypeVar("C", bound=Closeable)
R = TypeVar("R", bound=Record)


class AppServices(Services):
    """The services of one process. `open_app` is called once, when the store is first used."""

    def __init__(
        self,
        settings: Settings,
        tools: Tools,
        open_app: "Callable[[], App]",
        clock: Clock | None = None,
    ) -> None:
        self._settings = settings
        self._tools = tools
        self._open_app = open_app
        self._clock: Clock = clock or SystemClock()
        self._models = AppModels(settings, self._clock, lambda: self._app)
        self._shared: dict[Callable[[Services], Any], Closeable] = {}
        self._opened: dict[str, AppService] = {}

    @cached_property
    def _app(self) -> "App":
        return self._open_app()

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def clock(self) -> Clock:
        return self._clock

    @property
    def home(self) -> Path:
        return self._settings.home

    @property
    def has_store(self) -> bool:
        return self.home.is_dir()

    @property
    def engine(self) -> sa.Engine:
        return self._app.engine

    @property
    def blobs(self) -> BlobStore:
        return self._app.blobs

    def read_records(self, record: type[R], **where: Any) -> list[R]:
        self._app.require_pack_tables()
        with explain_errors(), self.engine.connect() as connection:
            return read_rows(connection, record, where)

    def read_last(self, record: type[R], field: str, most: int | None, **where: Any) -> list[R]:
        self._app.require_pack_tables()
        with explain_errors(), self.engine.connect() as connection:
            return read_last_rows(connection, record, field, most, where)

    def read_first(self, record: type[R], field: str, most: int | None, **where: Any) -> list[R]:
        self._app.require_pack_tables()
        with explain_errors(), self.engine.connect() as connection:
            return read_first_rows(connection, record, field, most, where)

    def read_latest(self, record: type[R], by: str, order: str) -> list[R]:
        self._app.require_pack_tables()
        with explain_errors(), self.engine.connect() as connection:
            return read_latest_rows(connection, record, by, order)

    def count_records(self, record: type[Record], **where: Any) -> int:
        self._app.require_pack_tables()
        with explain_errors(), self.engine.connect() as connection:
            return count_rows(connection, record, where)

    def count_records_by(self, record: type[Record], field: str, **where: Any) -> dict[str, int]:
        self._app.require_pack_tables()
        with explain_errors(), self.engine.connect() as connection:
            return count_rows_by(connection, record, field, where)

    def read_jobs(self, stage: str | None = None) -> list[Job]:
        self._app.require_pack_tables()
        with explain_errors(), self.engine.connect() as connection:
            return self._app.book.list_waiting_jobs(connection, stage)

    def write_records(self, records: Sequence[Record]) -> None:
        self._app.require_pack_tables()
        entered = {Source, Endpoint}.union(*(p.given for p in self._app.packs.installed.values()))
        for record in records:
            if type(record) not in entered:
                raise InternalError(f"A command cannot write {type(record).__name__}.")
        with explain_errors(), self.engine.begin() as connection:
            upsert_records(connection, records)
            record_row_hashes(connection, records, self._app.clock.now_ms())

    @cached_property
    def results(self) -> ResultStore:
        return ResultStore(self.engine, self.blobs)

    @property
    def models(self) -> AppModels:
        return self._models

    @property
    def fetcher(self) -> Fetcher:
        return self._tools.fetcher

    def open_service(self, terms: ServiceTerms) -> AppService:
        if terms.name not in self._opened:
            attempts = build_fetch_policy(self._settings).retries + 1
            self._opened[terms.name] = AppService(
                terms, self._settings, self.fetcher, lambda: self._app, attempts
            )
        return self._opened[terms.name]

    @property
    def pool(self) -> ProcessPool:
        return self._tools.pool

    async def read_files(self, targets: Sequence[str], *, ocr: bool = True) -> list[FileReading]:
        return [
            FileReading(
                target=found.target, reading=found.reading, error=found.error, notes=found.notes
            )
            for found in await examine_targets(targets, self._tools, ocr=ocr)
        ]

    def add_documents(
        self,
        targets: Sequence[str | Path],
        *,
        pack: str,
        source: str | None = None,
        hierarchy: int | None = None,
    ) -> dict[str, str]:
        # Adding documents starts runs of the application that these services are a part of.
        from assay.app.intake import add_documents

        rank = LOWEST if hierarchy is None else hierarchy
        added = add_documents(self._app, targets, pack=pack, source=source, hierarchy=rank)
        for error in added.refused.values():
            raise error
        return added.evidence

    def share(self, make: Callable[[Services], C]) -> C:
        if make not in self._shared:
            self._shared[make] = make(self)
        return cast(C, self._shared[make])

    async def close(self) -> None:
        """Close shared objects, last created first, and then the access to models."""
        while self._shared:
            _, made = self._shared.popitem()
            await made.close()
        await self._models.close()
