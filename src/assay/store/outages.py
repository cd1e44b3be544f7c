"""Waiting for a database that is away, on behalf of everything in this process that uses it.

A command that only looks something up reports a lost database at once. Work in progress waits for
it: the failure is the database's, not that of a job, a source, a document or a model.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import sqlalchemy as sa

from assay.errors import AssayError, DatabaseBusy, DatabaseFailed
from assay.logs import Log

T = TypeVar("T")
log = Log("assay.store")

_KEY = "assay_outages"
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 2.0
_LOST_AFTER_S = 1.0
"""A connection that was cut and is replaced within this time is not worth a line in the log."""


class Outages:
    """How long this process waits for its database, and how long it has waited."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._patience_s: float | None = 0.0
        self._over = threading.Event()
        self._waiting = 0
        self._since = 0.0
        self._waited_s = 0.0
        self._is_lost = False
        self._back_at = float("-inf")

    def wait_up_to(self, patience_s: float | None) -> None:
        """How long to wait for a lost database: 0 not at all, None without end."""
        with self._lock:
            self._patience_s = patience_s
        self._over.clear()

    def give_up(self) -> None:
        """Stop waiting, now and in the future: the process is about to end."""
        self._over.set()

    @property
    def is_over(self) -> bool:
        """Whether nobody waits anymore."""
        return self._over.is_set()

    @property
    def waited_s(self) -> float:
        """The seconds in which something waited for the database."""
        with self._lock:
            return self._waited_s + (time.monotonic() - self._since if self._waiting else 0.0)

    @property
    def back_s(self) -> float:
        """The seconds since something last had to wait; 0 while it does."""
        with self._lock:
            return 0.0 if self._waiting else time.monotonic() - self._back_at

    def outlast(self, act: Callable[[], T], explain: Callable[[Exception], AssayError]) -> T:
        """Do something, and do it again as long as the database fails."""
        try:
            return act()
        except Exception as error:
            first = error
        fault = explain(first)
        if not isinstance(fault, DatabaseFailed) or self._patience_s == 0:
            raise fault
        with self._count_waiting():
            return self._repeat(act, explain, fault)

    def _repeat(
        self,
        act: Callable[[], T],
        explain: Callable[[Exception], AssayError],
        fault: DatabaseFailed,
    ) -> T:
        pause_s = FIRST_PAUSE_S
        while not self._is_hopeless():
            self._report_lost(fault)
            if self._over.wait(pause_s * random.uniform(0.7, 1.3)):
                break
            pause_s = min(LONGEST_PAUSE_S, 2 * pause_s)
            try:
                return act()
            except Exception as error:
                found = explain(error)
                if not isinstance(found, DatabaseFailed):
                    raise found from found.__cause__
                fault = found
        raise fault

    def _is_hopeless(self) -> bool:
        with self._lock:
            waited = time.monotonic() - self._since
            return self._patience_s is not None and waited > self._patience_s

    @contextmanager
    def _count_waiting(self) -> Iterator[None]:
        with self._lock:
            if self._waiting == 0:
                self._since = time.monotonic()
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1
                is_last = self._waiting == 0
                waited = time.monotonic() - self._since
                if is_last:
                    self._waited_s += waited
                    self._back_at = time.monotonic()
                was_lost = is_last and self._is_lost
                if was_lost:
                    self._is_lost = False
            if was_lost and not self.is_over:
                log.warning("database_back", f"The database responds again after {waited:.1f} s.")

    def _report_lost(self, fault: DatabaseFailed) -> None:
        """Log once that the database is lost; somebody else's lock is no such loss."""
        with self._lock:
            is_new = not self._is_lost and time.monotonic() - self._since > _LOST_AFTER_S
            if not is_new or isinstance(fault, DatabaseBusy):
                return
            self._is_lost = True
        log.warning("database_lost", f"Waiting for the database: {fault}", code=fault.code)


def make_outage_options() -> dict[str, object]:
    """The options of an engine that knows about its outages."""
    return {_KEY: Outages()}


def outages_of(engine: sa.Engine) -> Outages:
    """What everything that uses this engine shares."""
    found = engine.get_execution_options()[_KEY]
    assert isinstance(found, Outages)
    return found
