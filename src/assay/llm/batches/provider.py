"""What a provider of batches must be able to do, and the values that pass to and from it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from assay.llm.messages import ModelRequest, Usage


class BatchEnding(StrEnum):
    """How a batch came to its end at the provider."""

    COMPLETED = "completed"
    FAILED = "failed"
    """None of it was done."""
    EXPIRED = "expired"
    """Its time was over; what was done by then is there."""
    CANCELLED = "cancelled"


class ResultKind(StrEnum):
    """What became of one question."""

    ANSWERED = "answered"
    FAILED = "failed"
    """A fault of the provider; asking again may help."""
    REFUSED = "refused"
    """The provider does not take the question as it is."""
    EXPIRED = "expired"
    CANCELLED = "cancelled"


@dataclass(frozen=True, kw_only=True)
class BatchResult:
    """One line of a batch's results, as the provider gave it."""

    key: str | None
    """The key that the provider put on it; None where it put none."""
    kind: ResultKind
    text: str = ""
    usage: Usage | None = None
    finish: str = ""
    what: str = ""
    """Why there is no answer."""


@dataclass(frozen=True)
class BatchProgress:
    """How far a batch is at the provider."""

    ending: BatchEnding | None = None
    """None while it is under way."""
    what: str = ""
    """What the provider says of the ending."""


@dataclass(frozen=True)
class BatchSighting:
    """Whether a batch, whose handle nobody kept, is at the provider."""

    handle: str | None = None
    """It is there under this handle."""
    doubt: str = ""
    """Why it cannot be told; empty, and no handle: it is not there."""


@dataclass(frozen=True, kw_only=True)
class SoughtBatch:
    """What is known of a batch that is looked for at its provider."""

    batch_id: str
    since_ms: int
    """It cannot be older than this, by our clock."""
    keys: Collection[str]
    taken: Collection[str]
    """Handles that belong to other batches."""


class BatchProvider(Protocol):
    """A way to one model that takes many questions at once and answers hours later.

    It never tries again by itself. Every method may raise ProviderFailed, ProviderBusy,
    AuthError, QuotaError or CallRefused.
    """

    name: str
    model: str

    async def pack(self, batch_id: str, requests: Mapping[str, ModelRequest]) -> Any:
        """Make everything ready to be submitted; after any error nothing was submitted."""
        ...

    async def submit(self, batch_id: str, parcel: Any) -> str:
        """Hand the parcel over; gives the handle. After ProviderFailed (but ProviderBusy) nobody
        knows whether it was taken; after any other error it was not."""
        ...

    async def find(self, sought: SoughtBatch) -> BatchSighting:
        """Look for a batch that may have been submitted."""
        ...

    async def poll(self, handle: str) -> BatchProgress: ...

    async def results(self, handle: str) -> Sequence[BatchResult]:
        """Every result of a batch that has ended, in any order, under any keys."""
        ...

    async def cancel(self, handle: str) -> None:
        """Ask for its end; it is over only when `look` says so."""
        ...

    async def close(self) -> None:
        """Let go of every connection."""
        ...
