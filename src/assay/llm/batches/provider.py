"""What a provider of batches must be able to do, and the values that pass to and from it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from assay.llm.messages import ModelRequest, Usage


class BatchEnding(StrEnum):
    """How a batch ended at the provider."""

    COMPLETED = "completed"
    FAILED = "failed"
    """None of it was done."""
    EXPIRED = "expired"
    """Its time ran out; what was done by then is available."""
    CANCELLED = "cancelled"


class ResultKind(StrEnum):
    """The outcome of one question."""

    ANSWERED = "answered"
    FAILED = "failed"
    """The provider's fault; asking again may help."""
    REFUSED = "refused"
    """The provider does not accept the question as it is."""
    EXPIRED = "expired"
    CANCELLED = "cancelled"


@dataclass(frozen=True, kw_only=True)
class BatchResult:
    """One line of a batch's results, as the provider returned it."""

    key: str | None
    """The key that the provider gave it; None if it gave none."""
    kind: ResultKind
    text: str = ""
    usage: Usage | None = None
    finish: str = ""
    what: str = ""
    """Why there is no answer."""


@dataclass(frozen=True)
class BatchProgress:
    """The progress of a batch at the provider."""

    ending: BatchEnding | None = None
    """None while it is in progress."""
    what: str = ""
    """What the provider says about the ending."""


@dataclass(frozen=True)
class BatchSighting:
    """Whether a batch with a lost handle is at the provider."""

    handle: str | None = None
    """The handle under which it is there."""
    doubt: str = ""
    """Why it is uncertain. Without a handle, empty means that the batch is not there."""


@dataclass(frozen=True, kw_only=True)
class SoughtBatch:
    """What is known about a batch being looked for at its provider."""

    batch_id: str
    since_ms: int
    """It cannot be older than this, by our clock."""
    keys: Collection[str]
    taken: Collection[str]
    """Handles that belong to other batches."""


class BatchProvider(Protocol):
    """Access to one model that takes many questions at once and answers hours later.

    It never retries by itself. Every method may raise ProviderFailed, ProviderBusy, AuthError,
    QuotaError or CallRefused.
    """

    name: str
    model: str

    async def pack(self, batch_id: str, requests: Mapping[str, ModelRequest]) -> Any:
        """Prepare everything for submission; after any error, nothing was submitted."""
        ...

    async def submit(self, batch_id: str, parcel: Any) -> str:
        """Submit the parcel and return the handle. After ProviderFailed (except ProviderBusy),
        nobody knows whether it was accepted; after any other error, it was not."""
        ...

    async def find(self, sought: SoughtBatch) -> BatchSighting:
        """Look for a batch that may have been submitted."""
        ...

    async def poll(self, handle: str) -> BatchProgress: ...

    async def results(self, handle: str) -> Sequence[BatchResult]:
        """Every result of a batch that has ended, in any order, under any keys."""
        ...

    async def cancel(self, handle: str) -> None:
        """Ask the provider to cancel it; it is over only when `poll` says so."""
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...
