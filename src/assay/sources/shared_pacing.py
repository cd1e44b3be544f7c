"""Pacing that all workers on a database share: a row for each line says when it is free."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import sqlalchemy as sa

from assay.clock import Clock, SystemClock
from assay.sources.pacing import LocalHostSchedule, Pace
from assay.store import tables as t
from assay.store.bulk import build_insert
from assay.store.database import outlast

T = TypeVar("T")
_THREADS = 4

_VENDORS = "all vendors"
"""The row that says which vendor's tenants are being checked, and when another may follow."""


class SharedHostSchedule:
    """The schedule of shared lines; all other lines belong to this process.

    Nothing is locked while a worker waits. It asks, is told how long to wait, and asks again.
    """

    def __init__(self, engine: sa.Engine, clock: Clock | None = None) -> None:
        self._engine = engine
        self._clock = clock or SystemClock()
        self._local = LocalHostSchedule(self._clock)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="assay-pacing")

    async def claim(self, pace: Pace) -> float:
        if not pace.is_shared:
            return await self._local.claim(pace)
        return await self._run(lambda: self._claim(pace))

    async def hold(self, pace: Pace, wait_s: float) -> None:
        if pace.is_shared:
            await self._run(lambda: self._hold(pace.line, round(wait_s * 1000)))
        else:
            await self._local.hold(pace, wait_s)

    async def _run(self, act: Callable[[], T]) -> T:
        """Use the database in a thread of its own, and wait for it if it is lost: that a line was
        not free for longer is no fault of the site's."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: outlast(self._engine, act))

    def _claim(self, pace: Pace) -> float:
        now_ms = self._clock.now_ms()
        with self._engine.begin() as connection:
            wait_s = 0.0
            if pace.break_s > 0:
                wait_s = _take_line(connection, _VENDORS, pace.line, pace.break_s, now_ms)
            return wait_s or _take_line(connection, pace.line, "", pace.gap_s, now_ms)

    def _hold(self, line: str, wait_ms: int) -> None:
        until_ms = self._clock.now_ms() + wait_ms
        with self._engine.begin() as connection:
            _insert_line(connection, line)
            connection.execute(
                sa.update(t.pace)
                .where(t.pace.c.line == line, t.pace.c.free_ms < until_ms)
                .values(free_ms=until_ms, gap_ms=wait_ms)
            )


def _take_line(
    connection: sa.Connection, line: str, holder: str, gap_s: float, now_ms: int
) -> float:
    """Take a line if it is free, or belongs to this holder; otherwise the seconds until then."""
    free_ms, gap_ms = t.pace.c.free_ms, round(gap_s * 1000)
    # A clock that was set back must not block a line for longer than intended.
    is_free = (free_ms <= now_ms) | (free_ms > now_ms + t.pace.c.gap_ms)
    may_take = is_free | (t.pace.c.holder == holder) if holder else is_free
    take = (
        sa.update(t.pace)
        .where(t.pace.c.line == line, may_take)
        .values(holder=holder, free_ms=now_ms + gap_ms, gap_ms=gap_ms)
    )
    if connection.execute(take).rowcount:
        return 0.0
    query = sa.select(free_ms).where(t.pace.c.line == line)
    until_ms: int | None = connection.execute(query).scalar_one_or_none()
    if until_ms is None:
        _insert_line(connection, line)
        return _take_line(connection, line, holder, gap_s, now_ms)
    return max(1, int(until_ms) - now_ms) / 1000


def _insert_line(connection: sa.Connection, line: str) -> None:
    new = build_insert(connection.dialect.name, t.pace).values(
        line=line, holder="", free_ms=0, gap_ms=0
    )
    connection.execute(new.on_conflict_do_nothing(index_elements=["line"]))
