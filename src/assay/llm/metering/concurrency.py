"""How many calls are in progress: now, at most, and on average over time."""

from dataclasses import dataclass

from assay.clock import Clock
from assay.errors import InternalError


@dataclass
class _Level:
    """How many calls are in progress, over time."""

    changed_ms: int
    now: int = 0
    highest: int = 0
    area: int = 0
    """Calls times milliseconds, up to the last change."""

    def move(self, step: int, at_ms: int) -> None:
        self.area += self.now * (at_ms - self.changed_ms)
        self.changed_ms = at_ms
        self.now += step
        self.highest = max(self.highest, self.now)

    def average(self, since_ms: int, at_ms: int) -> float:
        if at_ms == since_ms:
            return float(self.now)
        return (self.area + self.now * (at_ms - self.changed_ms)) / (at_ms - since_ms)


class Concurrency:
    """Calls in progress by provider. It has no lock: callers in several threads need their own."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last_ms = self._since_ms = clock.now_ms()
        self._levels: dict[str, _Level] = {}
        self._overall = _Level(self._since_ms)

    def start(self, provider: str) -> None:
        """Count one more call in progress."""
        self._move(provider, 1)

    def end(self, provider: str) -> None:
        """Count one call fewer."""
        if provider not in self._levels or self._levels[provider].now == 0:
            raise InternalError(f"A call to '{provider}' ended without having started.")
        self._move(provider, -1)

    def reset(self) -> None:
        """Forget the past; calls in progress still count."""
        self._since_ms = at_ms = self._now_ms()
        under_way = {provider: now for provider, now in self.now().items() if now}
        self._levels = {name: _Level(at_ms, now, now) for name, now in under_way.items()}
        total = sum(under_way.values())
        self._overall = _Level(at_ms, total, total)

    def now(self) -> dict[str, int]:
        """Calls in progress now."""
        return {provider: level.now for provider, level in self._levels.items()}

    def highest(self) -> dict[str, int]:
        """The most calls at once."""
        return {provider: level.highest for provider, level in self._levels.items()}

    def highest_overall(self) -> int:
        """The most calls at once over all providers; the sum of their maxima would be too high."""
        return self._overall.highest

    def average(self) -> dict[str, float]:
        """The average over time since the beginning or the last reset."""
        since_ms, at_ms = self._since_ms, self._now_ms()
        return {name: level.average(since_ms, at_ms) for name, level in self._levels.items()}

    def _move(self, provider: str, step: int) -> None:
        at_ms = self._now_ms()
        self._levels.setdefault(provider, _Level(at_ms)).move(step, at_ms)
        self._overall.move(step, at_ms)

    def _now_ms(self) -> int:
        # If the clock is set back, time stands still until it has caught up.
        self._last_ms = max(self._last_ms, self._clock.now_ms())
        return self._last_ms
