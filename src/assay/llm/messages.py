"""What passes between Assay and a model, in no provider's dialect."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, Protocol

from assay.llm.limits import ProviderLimits


class Lane(StrEnum):
    """Where a model runs, which decides how many calls may be under way at a time."""

    LOCAL = "local"
    CLOUD = "cloud"
    BATCH = "batch"
    """Answers that come hours later, under limits of their own."""


class ProviderRank(IntEnum):
    """In which order providers are asked."""

    FIRST = 1
    SECOND = 2
    LAST = 3
    """The dearest: only for what is worth most."""


def rank_of(lane: Lane) -> ProviderRank:
    """Models on one's own machine come first."""
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
    """Most tokens that the answer may have; the provider holds it."""
    system: str = ""
    """Instructions that stand before the message."""
    schema: Mapping[str, Any] | None = None
    """JSON schema of the answer; None for plain text."""
    schema_name: str = "answer"
    temperature: float = 0.0
    prompt_version: str = ""
    """`id@version` of the prompt file that this was made from; part of the cache key."""


@dataclass(frozen=True)
class RateHints:
    """What a provider's headers tell of its limits; None where they tell nothing."""

    requests_limit: int | None = None
    """Requests a minute."""
    requests_remaining: int | None = None
    requests_reset_ms: int | None = None
    """Milliseconds from now until the allowance is whole again."""
    tokens_limit: int | None = None
    """Tokens a minute."""
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
    """Why the answer ended: 'stop', 'length', or the provider's own word. Told once, at its end."""


class AnswerStream(Protocol):
    """An answer that is arriving."""

    hints: RateHints
    """What the answer's headers told."""

    def __aiter__(self) -> AsyncIterator[AnswerPiece]:
        """The pieces in their order; StreamCut where the connection ends before the answer."""
        ...


class Provider(Protocol):
    """A way to one model. It never tries again by itself: each try is a call of its own."""

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
        """Let go of every connection."""
        ...


@dataclass(frozen=True, kw_only=True)
class ModelAnswer:
    """What a model said, and what it cost."""

    text: str
    usage: Usage
    finish: str
    provider: str
    model: str
    call_id: str
    cached: bool = False
    value: Any = None
    """The validated object, where a Pydantic type was asked for."""
    warnings: tuple[str, ...] = field(default=())
