"""Request pacing: a gap between starts in a line, and a cap for each line and for all."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from assay.clock import Clock
from assay.sources.retrying import RequestFailed

Sleep = Callable[[float], Awaitable[None]]
_MOST_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class Pace:
    """Where a request queues, and how long others wait after it."""

    line: str
    """A host, or a vendor with all its hosts."""
    gap_s: float = 0.0
    """The least seconds until the next request in the same line."""
    is_shared: bool = False
    """Whether the line is that of all workers on a database, not only of this process."""
    break_s: float = 0.0
    """If not 0: the least seconds until the next such request in another shared line."""


class HostSchedule(Protocol):
    """When each line may start a request next."""

    async def claim(self, pace: Pace) -> float:
        """Claim the next start: 0 if it was granted, otherwise the seconds until one is free."""
        ...

    async def hold(self, pace: Pace, wait_s: float) -> None:
        """Start nothing in this line for this long."""
        ...


class LocalHostSchedule:
    """The schedule of one process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._free: dict[str, tuple[int, int]] = {}

    async def claim(self, pace: Pace) -> float:
        now_ms = self._clock.now_ms()
        free_ms, longest_ms = self._free.get(pace.line, (0, 0))
        if free_ms > now_ms:
            # A clock that was set back must not block a host for longer than intended.
            return min(free_ms - now_ms, longest_ms) / 1000
        if pace.gap_s > 0:
            self._keep(pace.line, round(pace.gap_s * 1000), now_ms)
        return 0.0

    async def hold(self, pace: Pace, wait_s: float) -> None:
        now_ms, wait_ms = self._clock.now_ms(), round(wait_s * 1000)
        if now_ms + wait_ms > self._free.get(pace.line, (0, 0))[0]:
            self._keep(pace.line, wait_ms, now_ms)

    def _keep(self, line: str, wait_ms: int, now_ms: int) -> None:
        if len(self._free) >= _MOST_KEPT:
            self._free = {name: entry for name, entry in self._free.items() if entry[0] > now_ms}
        self._free[line] = (now_ms + wait_ms, wait_ms)


@dataclass(slots=True)
class _HostQueue:
    """The slots at one host, and how many requests wait for or hold one."""

    places: asyncio.Semaphore
    users: int = 0


class HostPacer:
    """Grants turns. Waiting for a slow host takes no slot from requests to other hosts."""

    def __init__(
        self,
        starts: HostSchedule,
        *,
        per_host: int,
        in_all: int,
        longest_wait_s: float,
        sleep: Sleep,
    ) -> None:
        self._starts = starts
        self._per_host = per_host
        self._in_all = in_all
        self._longest_wait_s = longest_wait_s
        self._sleep = sleep
        self._lines: dict[str, _HostQueue] = {}
        # Created with the first user and dropped with the last: it belongs to one event loop.
        self._all: _HostQueue | None = None

    @asynccontextmanager
    async def take_turn(self, pace: Pace, label: str) -> AsyncIterator[None]:
        """Wait for a turn in a line and hold it while the block runs."""
        line = self._lines.setdefault(pace.line, _HostQueue(asyncio.Semaphore(self._per_host)))
        common = self._all = self._all or _HostQueue(asyncio.Semaphore(self._in_all))
        line.users += 1
        common.users += 1
        try:
            async with line.places:
                await self._start(pace, common.places, label)
                try:
                    yield
                finally:
                    common.places.release()
        finally:
            line.users -= 1
            common.users -= 1
            if line.users == 0:
                self._lines.pop(pace.line, None)
            if common.users == 0:
                self._all = None

    async def hold(self, pace: Pace, wait_s: float) -> None:
        """Respect a host's request not to be contacted for this long."""
        await self._starts.hold(pace, wait_s)

    async def _start(self, pace: Pace, places: asyncio.Semaphore, label: str) -> None:
        while True:
            # The slot comes first: a start that was claimed and then waits for a slot
            # would come too close to the next one.
            await places.acquire()
            wait_s = -1.0
            try:
                wait_s = await self._starts.claim(pace)
                if wait_s <= 0:
                    return
            finally:
                if wait_s != 0:
                    places.release()
            if wait_s > self._longest_wait_s:
                raise RequestFailed(
                    f"{label} is not requested: {pace.line} asks for a pause of {wait_s:.0f} s.",
                    retry_after_s=wait_s,
                    again=False,
                )
            await self._sleep(wait_s)
