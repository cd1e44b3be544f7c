"""What Assay lends a pack at run time: stages, commands, routes and checks get one of these."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from assay.model.storage import Record

if TYPE_CHECKING:
    # A pack that is only looked at must not load what fetches, reads, stores and asks.
    import sqlalchemy as sa

    from assay.clock import Clock
    from assay.engine.process_pool import ProcessPool
    from assay.sdk.models import ModelAccess
    from assay.sdk.reading import FileReading
    from assay.settings import Settings
    from assay.sources.fetching import Fetcher
    from assay.store.blobs import BlobStore
    from assay.store.results import ResultStore

__all__ = ["Closeable", "Services"]


class Closeable(Protocol):
    """Something that holds on to what must be let go of."""

    async def close(self) -> None: ...


C = TypeVar("C", bound=Closeable)
R = TypeVar("R", bound=Record)


class Services(Protocol):
    """The parts of a running Assay that a pack may use.

    Nothing is opened before it is used. Using the store of a home that has none, or one of another
    version, raises an error that says what to do; `has_store` asks first.
    """

    @property
    def settings(self) -> "Settings": ...

    @property
    def clock(self) -> "Clock": ...

    @property
    def home(self) -> Path:
        """The folder of the store."""

    @property
    def has_store(self) -> bool:
        """Whether the home is there. Without one, files can be read, and no model is asked."""

    @property
    def engine(self) -> "sa.Engine":
        """The database."""

    @property
    def blobs(self) -> "BlobStore":
        """Bytes by their hash."""

    def read_records(self, record: "type[R]", **equal: Any) -> "list[R]":
        """All stored records of a class that have these values, in the order of their key."""

    @property
    def results(self) -> "ResultStore":
        """What whole requests gave, so that an equal one spends nothing."""

    @property
    def models(self) -> "ModelAccess":
        """The way to models, within the caps and on the ledger."""

    @property
    def fetcher(self) -> "Fetcher":
        """Fetches addresses, politely."""

    @property
    def pool(self) -> "ProcessPool":
        """Processes that do work on documents, each within bounds of time and memory."""

    async def read_files(self, targets: Sequence[str], *, ocr: bool = True) -> "list[FileReading]":
        """The text of files or addresses, without a store; what fails with one stays with it."""

    def add_documents(
        self,
        targets: Sequence[str | Path],
        *,
        pack: str,
        source: str | None = None,
        hierarchy: int | None = None,
    ) -> dict[str, str]:
        """Store files, folders or what lies at addresses as evidence for a pack; gives their ids.

        A worker does the rest. `source` says whose words they are, and `hierarchy` is the rank of
        a source that is new.
        """

    def share(self, make: "Callable[[Services], C]") -> C:
        """What `make` makes: once for everyone who asks with the same `make`, closed with Assay.

        Commands, routes and stages of a pack find their common state in this way.
        """
