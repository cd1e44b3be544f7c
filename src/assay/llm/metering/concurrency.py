"""How many calls are under way: now, at most, and on average over time."""

from dataclasses import dataclass

from assay.clock import Clock
from assay.errors import InternalError


@dataclass
class _Level:
    """How many are under way, over time."""

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
    """Calls under way by provider. Whoever shares it among threads holds a lock of its own."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last_ms = self._since_ms = clock.now_ms()
        self._levels: dict[str, _Level] = {}
        self._overall = _Level(self._since_ms)

    def start(self, provider: str) -> None:
        """One more is under way."""
        self._move(provider, 1)

    def end(self, provider: str) -> None:
        """One less is."""
        if provider not in self._levels or self._levels[provider].now == 0:
            raise InternalError(f"A call to '{provider}' ended that had not started.")
        self._move(provider, -1)

    def reset(self) -> None:
        """Forget what was; what is under way still is."""
        self._since_ms = at_ms = self._now_ms()
        under_way = {provider: now for provider, now in self.now().items() if now}
        self._levels = {name: _Level(at_ms, now, now) for name, now in under_way.items()}
        total = sum(under_way.values())
        self._overall = _Level(at_ms, total, total)

    def now(self) -> dict[str, int]:
        """Under way at this moment."""
        return {provider: level.now for provider, level in self._levels.items()}

    def highest(self) -> dict[str, int]:
        """Most at once."""
        return {provider: level.highest for provider, level in self._levels.items()}

    def highest_overall(self) -> int:
        """Most at once, all providers together; the sum of their own would be too high."""
        return self._overall.highest

    def average(self) -> dict[str, float]:
        """Since the beginning or the last reset, each moment weighing the same."""
        since_ms, at_ms = self._since_ms, self._now_ms()
        return {name: level.average(since_ms, at_ms) for name, level in self._levels.items()}

    def _move(self, provider: str, step: int) -> None:
        at_ms = self._now_ms()
        self._levels.setdefault(provider, _Level(at_ms)).move(step, at_ms)
        self._overall.move(step, at_ms)

    def _now_ms(self) -> int:
        # A clock that is set back stands still until it is where it was.
        self._last_ms = max(self._last_ms, self._clock.now_ms())
        return self._last_ms
