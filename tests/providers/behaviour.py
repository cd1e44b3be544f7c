"""How the provider server shall behave, and the limits it may be strict about."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from assay.errors import InvalidInput


class Junk(StrEnum):
    """What comes in the place of an answer."""

    HTML = "html"
    """A page with status 200."""
    JSON = "json"
    """Half an object in the midst of the stream."""
    TYPE = "type"
    """A right answer, said to be something else."""
    LINE = "line"
    """A line without an end."""


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """What the server does with a call. The default answers at once, and well."""

    words: int = 5
    """How many words it says, where the request does not tell (`say 17 words`)."""
    text: str | None = None
    """What it says, literally."""
    piece_chars: int | None = None
    """Characters a piece; None: a word a piece."""
    pieces: int | None = None
    """How many pieces of nearly equal length it comes in, where that is told."""
    delay_ms: float = 0.0
    """Before each piece but the first."""
    first_delay_ms: float = 0.0
    """Before the status line."""
    answer_ms: float = 0.0
    """How long an answer takes, spread evenly over its pieces; a whole one comes at the end."""
    usage: bool = True
    """Whether it tells the usage."""
    cut_after: int | None = None
    """After so many pieces the connection ends."""
    hang_after: int | None = None
    """After so many pieces nothing comes any more; -1: not even a status line."""
    status: int = 200
    """Any other status refuses the call, in the dialect's own words."""
    quota: bool = False
    """Whether a refusal says that the allowance is used up."""
    message: str = ""
    """What a refusal says."""
    retry_after: str | None = None
    """The Retry-After header, literally."""
    retry_ms: int | None = None
    """A wait told in the dialect's own way: a header or the body."""
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """More headers, literally."""
    fault_after: int | None = None
    """After so many pieces an error comes in the stream, in the dialect's own words."""
    junk: Junk | None = None


def behaviour_from(told: Mapping[str, Any]) -> Behaviour:
    """A behaviour from JSON."""
    unknown = told.keys() - {each.name for each in fields(Behaviour)}
    if unknown:
        raise InvalidInput(f"A behaviour has no {', '.join(sorted(unknown))}.")
    junk = told.get("junk")
    return Behaviour(**{**told, "junk": Junk(junk) if junk else None})


@dataclass(frozen=True, kw_only=True)
class StrictLimits:
    """Buckets that fill continuously and hold `bucket_s` seconds' worth, one request at least."""

    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    bucket_s: float = 60.0


class Bucket:
    """An allowance that comes back with time."""

    def __init__(
        self, per_minute: float, bucket_s: float, *, least: float = 0.0, now: Callable[[], float]
    ) -> None:
        self.per_minute = per_minute
        self.capacity = max(least, per_minute / 60 * bucket_s)
        self.level = self.capacity
        self._now = now
        self._at = now()

    def refill(self) -> None:
        now = self._now()
        self.level = min(self.capacity, self.level + (now - self._at) * self.per_minute / 60)
        self._at = now

    def short_s(self, amount: float) -> float:
        """Seconds until the amount is there; infinite where it never will be."""
        if amount > self.capacity:
            return math.inf
        return max(0.0, amount - self.level) * 60 / self.per_minute


class Buckets:
    """The requests and tokens of strict limits, taken together or not at all."""

    def __init__(self, limits: StrictLimits, *, now: Callable[[], float] = time.monotonic) -> None:
        self.requests: Bucket | None = None
        self.tokens: Bucket | None = None
        if limits.requests_per_minute is not None:
            rpm = limits.requests_per_minute
            self.requests = Bucket(rpm, limits.bucket_s, least=1.0, now=now)
        if limits.tokens_per_minute is not None:
            self.tokens = Bucket(limits.tokens_per_minute, limits.bucket_s, now=now)

    def take(self, tokens: int) -> float:
        """0.0 where the call is within the limits, otherwise the seconds that it is short."""
        wanted = [(self.requests, 1.0), (self.tokens, float(tokens))]
        pairs = [(bucket, amount) for bucket, amount in wanted if bucket is not None]
        for bucket, _ in pairs:
            bucket.refill()
        short_s = max((bucket.short_s(amount) for bucket, amount in pairs), default=0.0)
        # Half a microsecond of rounding must not turn away a call that waited exactly long enough.
        if short_s > 1e-6:
            return short_s
        for bucket, amount in pairs:
            bucket.level -= amount
        return 0.0
