"""What Assay provides to a pack at run time; its stages, commands, routes and checks receive it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from assay.model.storage import Record

if TYPE_CHECKING:
    # Inspecting a pack must not load the code that fetches, reads, stores and asks models.
    import sqlalchemy as sa

    from assay.clock import Clock
    from assay.engine.jobs import Job
    from assay.engine.process_pool import ProcessPool
    from assay.llm.service_calls import ServiceAnswer, ServiceTerms
    from assay.sdk.models import ModelAccess
    from assay.sdk.reading import FileReading
    from assay.settings import Settings
    from assay.sources.fetching import Fetcher
    from assay.store.blobs import BlobStore
    from assay.store.results import ResultStore

__all__ = ["Closeable", "ServiceAccess", "Services"]


class Closeable(Protocol):
    """Something that holds resources which must be released."""

    async def close(self) -> None: ...


class ServiceAccess(Protocol):
    """Access to an outside service: paced, within its allowance, recorded in the ledger."""

    @property
    def allowance_micros(self) -> int | None:
        """What its calls may cost per UTC day, in millionths of a dollar; None: no limit."""

    def read_spent_micros(self) -> int:
        """What its calls cost today, including what is set aside."""

    async def send(self, url: str, *, key: str, micros: int = 0) -> "ServiceAnswer":
        """The answer to a request: the stored one, or a new one, which is then stored.

        `key` names what is asked; requests with one key have one answer. `micros` is the price,
        which is set aside before the request is sent. CallDenied: the day's allowance is used up.
        """


C = TypeVar("C", bound=Closeable)
R = TypeVar("R", bound=Record)


class Services(Protocol):
    """The parts of a running Assay that a pack may use.

    Nothing is opened before it is used. If the home has no store, or one of another version, using
    the store raises an error that says what to do; check `has_store` to avoid that.
    """

    @property
    def settings(self) -> "Settings": ...

    @property
    def clock(self) -> "Clock": ...

    @property
    def home(self) -> Path:
        """The home: the folder that contains the store."""

    @property
    def has_store(self) -> bool:
        """Whether the home exists. Without one, files can still be read, but models not asked."""

    @property
    def engine(self) -> "sa.Engine":
        """The database."""

    @property
    def blobs(self) -> "BlobStore":
        """Stored bytes, by their hash."""

    def read_records(self, record: "type[R]", **where: Any) -> "list[R]":
        """All stored records of a class that meet the conditions, ordered by key.

        Each condition names a field. It is the value that the field must have, a set or list of
        such values, `AtLeast(value)`, `Within(first, last)`, `Contains(words)` or
        `ValuesOf(record, field)`.
        """

    def read_last(self, record: "type[R]", field: str, most: int | None, **where: Any) -> "list[R]":
        """The records with the greatest values of a field, greatest first; conditions as for
        `read_records`."""

    def read_first(
        self, record: "type[R]", field: str, most: int | None, **where: Any
    ) -> "list[R]":
        """The same with the least values, least first."""

    def read_latest(self, record: "type[R]", by: str, order: str) -> "list[R]":
        """For each value of the field `by`, the stored record with the greatest `order`."""

    def count_records(self, record: "type[Record]", **where: Any) -> int:
        """How many records meet the conditions of `read_records`."""

    def count_records_by(self, record: "type[Record]", field: str, **where: Any) -> dict[str, int]:
        """The same for each value of a field."""

    def read_jobs(self, stage: str | None = None) -> "list[Job]":
        """The jobs that wait for a stage or, without one, for any; those first that are taken
        first."""

    def write_records(self, records: "Sequence[Record]") -> None:
        """Store what a person enters with a command: sources, endpoints, and records that a pack
        declares as `given`. Everything else is written by stages."""

    @property
    def results(self) -> "ResultStore":
        """The results of complete requests, so that repeating a request costs nothing."""

    @property
    def models(self) -> "ModelAccess":
        """Access to models, within the spending caps and recorded in the ledger."""

    @property
    def fetcher(self) -> "Fetcher":
        """Fetches URLs politely."""

    def open_service(self, terms: "ServiceTerms") -> ServiceAccess:
        """Access to an outside service that charges per call, or wants to be asked slowly."""

    @property
    def pool(self) -> "ProcessPool":
        """Processes that work on documents, each with limits on time and memory."""

    async def read_files(self, targets: Sequence[str], *, ocr: bool = True) -> "list[FileReading]":
        """Read the text of files or URLs, without a store; one failure does not stop the others."""

    def add_documents(
        self,
        targets: Sequence[str | Path],
        *,
        pack: str,
        source: str | None = None,
        hierarchy: int | None = None,
    ) -> dict[str, str]:
        """Store files, folders or the contents of URLs as evidence for a pack; returns their ids.

        A worker does the rest. `source` names the source that published them, and `hierarchy` is
        the rank of that source if it is new.
        """

    def share(self, make: "Callable[[Services], C]") -> C:
        """Return the one object that `make` builds for all callers; Assay closes it on shutdown.

        `make` is called once, for its first caller. Use this for state that a pack's commands,
        routes and stages share.
        """
