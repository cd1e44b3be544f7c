"""The services that packs get at run time, built from the settings; the store is opened on use."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assay.app.examination import examine_targets
from assay.app.models import AppModels
from assay.app.read_only_services import ReadOnlyServices
from assay.app.service_access import AppService
from assay.app.tools import Tools, build_fetch_policy
from assay.clock import Clock
from assay.engine.process_pool import ProcessPool
from assay.errors import InternalError
from assay.llm.service_calls import ServiceTerms
from assay.model.records import Endpoint, Source
from assay.model.storage import Record
from assay.ruling.rules.authority import LOWEST
from assay.sdk.reading import FileReading
from assay.settings import Settings
from assay.sources.fetching import Fetcher
from assay.store.database import explain_errors
from assay.store.results import ResultStore
from assay.store.row_hashes import record_row_hashes
from assay.store.upserts import upsert_records

if TYPE_CHECKING:
    from assay.app.composition import App


class AppServices(ReadOnlyServices):
    """The services of one process. `open_app` is called once, when the store is first used."""

    def __init__(
        self,
        settings: Settings,
        tools: Tools,
        open_app: "Callable[[], App]",
        clock: Clock | None = None,
    ) -> None:
        super().__init__(settings, open_app, clock)
        self._tools = tools
        self._models = AppModels(settings, self._clock, lambda: self._app)
        self._opened: dict[str, AppService] = {}

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

    async def close(self) -> None:
        """Close shared objects, last created first, and then the access to models."""
        await super().close()
        await self._models.close()
