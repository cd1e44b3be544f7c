"""What packs get where they only look something up: the store, and nothing that changes it."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

import sqlalchemy as sa

from assay.clock import Clock, SystemClock
from assay.engine.reader import (
    count_rows,
    count_rows_by,
    read_first_rows,
    read_last_rows,
    read_latest_rows,
    read_rows,
)
from assay.errors import InternalError
from assay.model.storage import Record
from assay.sdk.services import Closeable, Services
from assay.settings import Settings
from assay.store.blobs import BlobStore
from assay.store.database import explain_errors

if TYPE_CHECKING:
    from assay.app.composition import App
    from assay.engine.jobs import Job

C = TypeVar("C", bound=Closeable)
R = TypeVar("R", bound=Record)


class ReadOnlyServices(Services):
    """Services that write nothing, fetch nothing and ask no model; each of these is refused.

    `open_app` is called once, when the store is first used.
    """

    def __init__(
        self, settings: Settings, open_app: "Callable[[], App]", clock: Clock | None = None
    ) -> None:
        self._settings = settings
        self._open_app = open_app
        self._clock: Clock = clock or SystemClock()
        self._shared: dict[Callable[[Services], Any], Closeable] = {}

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

    def read_jobs(self, stage: str | None = None) -> "list[Job]":
        self._app.require_pack_tables()
        with explain_errors(), self.engine.connect() as connection:
            return self._app.book.list_waiting_jobs(connection, stage)

    def write_records(self, records: Sequence[Record]) -> None:
        _refuse("store records")

    @property
    def results(self) -> Any:
        _refuse("store results")

    @property
    def models(self) -> Any:
        _refuse("ask a model")

    @property
    def fetcher(self) -> Any:
        _refuse("fetch anything")

    def open_service(self, terms: Any) -> Any:
        _refuse("ask an outside service")

    @property
    def pool(self) -> Any:
        _refuse("start a process")

    async def read_files(self, targets: Sequence[str], *, ocr: bool = True) -> Any:
        _refuse("read files")

    def add_documents(
        self,
        targets: Sequence[str | Path],
        *,
        pack: str,
        source: str | None = None,
        hierarchy: int | None = None,
    ) -> dict[str, str]:
        _refuse("add documents")

    def share(self, make: Callable[[Services], C]) -> C:
        if make not in self._shared:
            self._shared[make] = make(self)
        return cast(C, self._shared[make])

    async def close(self) -> None:
        """Close shared objects, last created first."""
        while self._shared:
            _, made = self._shared.popitem()
            await made.close()


def _refuse(what: str) -> NoReturn:
    raise InternalError(
        f"A tool for assistants only reads: it cannot {what}.",
        advice="Report this to the author of the pack that the tool belongs to.",
    )
