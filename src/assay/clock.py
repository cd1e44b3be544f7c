"""The clock, which tests can set."""

import time
from typing import Protocol


class Clock(Protocol):
    """Anything that can tell the time."""

    def now_ms(self) -> int:
        """Milliseconds since 1970, UTC."""
        ...


class SystemClock:
    """The machine's own time."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000


class TurnedClock:
    """A clock that stands still until a test moves it forward."""

    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        return self._now_ms

    def turn(self, *, seconds: float = 0.0, days: float = 0.0) -> None:
        self._now_ms += int((seconds + days * 86_400) * 1000)


def utc_stamp(now_ms: int) -> str:
    """The time as `YYYYMMDDTHHMMSSZ`, the form that run ids begin with."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now_ms / 1000))
