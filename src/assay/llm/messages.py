"""What passes between Assay and a model, independent of any provider's dialect."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, Protocol

from assay.llm.limits import ProviderLimits


class Lane(StrEnum):
    """Where a model runs, which decides how many calls may be in progress at a time."""

    LOCAL = "local"
    CLOUD = "cloud"
    BATCH = "batch"
    """Answers that come hours later, under separate limits."""
    SERVICE = "service"
    """A service that is not a model: no tokens, a price per call, an allowance of its own."""


class ProviderRank(IntEnum):
    """The order in which providers are asked."""

    FIRST = 1
    SECOND = 2
    LAST = 3
    """The most expensive, only for the most valuable content."""


def rank_of(lane: Lane) -> ProviderRank:
    """The rank of a lane: local models come first."""
    return ProviderRank.FIRST if lane is Lane.LOCAL else ProviderRank.LAST


@dataclass(frozen=True)
class Usage:
    """Tokens of one call."""

    prompt_tokens: int
    completion_tokens: int

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """One question to a model."""

    user: str
    """The message."""
    max_tokens: int
    """The most tokens the answer may have, enforced by the provider."""
    system: str = ""
    """Instructions before the message."""
    schema: Mapping[str, Any] | None = None
    """JSON schema of the answer; None for plain text."""
    schema_name: str = "answer"
    temperature: float = 0.0
    prompt_version: str = ""
    """`id@version` of the prompt file this was made from; part of the cache key."""


@dataclass(frozen=True)
class RateHints:
    """What a provider's headers report about its limits; None where they report nothing."""

    requests_limit: int | None = None
    """Requests per minute."""
    requests_remaining: int | None = None
    requests_reset_ms: int | None = None
    """Milliseconds from now until the full allowance is available again."""
    tokens_limit: int | None = None
    """Tokens per minute."""
    tokens_remaining: int | None = None
    tokens_reset_ms: int | None = None
    retry_after_ms: int | None = None


NO_HINTS = RateHints()


@dataclass(frozen=True)
class AnswerPiece:
    """A part of a streamed answer."""

    text: str = ""
    usage: Usage | None = None
    """The whole call's usage so far, as the provider counts it."""
    finish: str | None = None
    """Why the answer ended: 'stop', 'length', or the provider's own word. Set once, at its end."""


class AnswerStream(Protocol):
    """An answer that is arriving."""

    hints: RateHints
    """What the answer's headers reported."""

    def __aiter__(self) -> AsyncIterator[AnswerPiece]:
        """The pieces in order; StreamCut if the connection ends before the answer does."""
        ...


class Provider(Protocol):
    """Access to one model. It never retries by itself: each try is a separate call."""

    name: str
    model: str
    lane: Lane
    rank: ProviderRank
    limits: ProviderLimits

    def open(self, request: ModelRequest) -> AbstractAsyncContextManager[AnswerStream]:
        """Send the request; leaving the context closes the connection at once.

        Entering raises ProviderFailed, ProviderBusy, AuthError, QuotaError or CallRefused.
        """
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...


@dataclass(frozen=True, kw_only=True)
class ModelAnswer:
    """A model's answer, and what it cost."""

    text: str
    usage: Usage
    finish: str
    provider: str
    model: str
    call_id: str
    cached: bool = False
    value: Any = None
    """The validated object, if a Pydantic type was requested."""
    warnings: tuple[str, ...] = field(default=())
