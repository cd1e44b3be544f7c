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
        self._stop: threading.Event | None = None
        self._stopped_at: float | None = None
        self._grace_s = 0.0
        self._waiting = 0
        self._waiting_since = 0.0
        self._waited_s = 0.0
        self._failing_since: float | None = None
        """When the database began to fail; None while it responds. One outage has one patience,
        however many calls, one inside the other, wait for its end."""
        self._is_lost = False
        self._back_at = float("-inf")
        self.given_up = 0
        """How often something was not waited for any longer."""

    def wait_up_to(self, patience_s: float | None) -> None:
        """How long to wait for a lost database: 0 not at all, None without end."""
        with self._lock:
            self._patience_s = patience_s
        self._over.clear()

    def end_with(self, stop: threading.Event, grace_s: float) -> None:
        """Once the process was asked to stop, wait only so much longer."""
        with self._lock:
            self._stop, self._stopped_at, self._grace_s = stop, None, grace_s

    def give_up(self) -> None:
        """Stop waiting until somebody says again how long to wait."""
        self._over.set()

    @property
    def waited_s(self) -> float:
        """The seconds in which something waited for the database."""
        with self._lock:
            current_s = time.monotonic() - self._waiting_since if self._waiting else 0.0
            return self._waited_s + current_s

    @property
    def back_s(self) -> float:
        """The seconds since something last had to wait; 0 while it does."""
        with self._lock:
            return 0.0 if self._waiting else time.monotonic() - self._back_at

    def outlast(self, act: Callable[[], T], explain: Callable[[Exception], AssayError]) -> T:
        """Do something, and do it again as long as the database fails."""
        try:
            done = act()
        except Exception as error:
            first = error
        else:
            if not self._waiting:
                self._note_response()
            return done
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
                done = act()
            except Exception as error:
                found = explain(error)
                if not isinstance(found, DatabaseFailed):
                    raise found from found.__cause__
                fault = found
            else:
                self._note_response()
                return done
        with self._lock:
            self.given_up += 1
        raise fault

    def _is_hopeless(self) -> bool:
        """Note that the database fails, and say whether waiting has taken too long."""
        with self._lock:
            now = time.monotonic()
            if self._failing_since is None:
                self._failing_since = now
            if self._stop is not None and self._stop.is_set():
                if self._stopped_at is None:
                    self._stopped_at = now
                if now - self._stopped_at >= self._grace_s:
                    return True
            return self._patience_s is not None and now - self._failing_since > self._patience_s

    def _note_response(self) -> None:
        if self._failing_since is None:
            return
        with self._lock:
            failed_s = time.monotonic() - (self._failing_since or time.monotonic())
            self._failing_since = None
            was_lost, self._is_lost = self._is_lost, False
        if was_lost:
            log.warning("database_back", f"The database responds again after {failed_s:.1f} s.")

    @contextmanager
    def _count_waiting(self) -> Iterator[None]:
        with self._lock:
            if self._waiting == 0:
                self._waiting_since = time.monotonic()
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1
                if self._waiting == 0:
                    self._back_at = time.monotonic()
                    self._waited_s += self._back_at - self._waiting_since

    def _report_lost(self, fault: DatabaseFailed) -> None:
        """Log once that the database is lost; somebody else's lock is no such loss."""
        with self._lock:
            failing_since = self._failing_since or time.monotonic()
            is_new = not self._is_lost and time.monotonic() - failing_since > _LOST_AFTER_S
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
