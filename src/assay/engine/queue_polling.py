"""Which queues have waiting batches, found out by one thread with one query for all of them.

DBOS polls every queue in a thread of its own, with several queries each time. With thirty queues
that took more computing than the work itself when there was little of it; so did waking thirty
threads ten times a second. Here they sleep until their queue has something.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from assay.logs import Log
from assay.store.database import is_sqlite

log = Log("assay.engine.worker")


class WaitingQueues:
    """Keeps the polling threads of DBOS asleep while their queues are empty."""

    def __init__(
        self, engine: sa.Engine, interval_s: float, *, rest_s: float = 10.0, reload_s: float = 10.0
    ) -> None:
        self._engine = engine
        self.interval_s = interval_s
        """Seconds between two looks at the queues."""
        self._rest_s = rest_s
        self._reload_s = reload_s
        self._lock = threading.Lock()
        self._filled: dict[str, threading.Event] = {}
        """For each queue that is polled, whether it had waiting batches a moment ago."""
        self._query = sa.text("")
        self._settings: dict[str, tuple[float, Any]] = {}
        self._stopped = threading.Event()

    def attach(self, database: Any) -> None:
        """Answer the polling threads from here; only a queue with batches is really asked."""
        claim: Callable[..., Any] = database.start_queued_workflows
        load: Callable[[str], Any] = database.get_queue

        def claim_if_waiting(queue: Any, *given: Any, **named: Any) -> Any:
            waits = self._watch(queue.name).wait(self._rest_s)
            if self._stopped.is_set() or not waits or _is_busy(queue, given):
                return [], None
            return claim(queue, *given, **named)

        def load_once(name: str) -> Any:
            read, settings = self._settings.get(name, (float("-inf"), None))
            now = time.monotonic()
            if now - read > self._reload_s:
                settings = load(name)
                self._settings[name] = (now, settings)
            return settings

        database.start_queued_workflows = claim_if_waiting
        database.get_queue = load_once

    def start(self) -> None:
        """Look at the queues again and again, until stopped."""
        threading.Thread(target=self._keep_looking, name="assay-polling", daemon=True).start()

    def stop(self) -> None:
        """Stop looking, and let the threads go that wait for batches."""
        self._stopped.set()
        with self._lock:
            for filled in self._filled.values():
                filled.set()

    def look(self) -> None:
        """Find out which queues have waiting batches, and wake their threads."""
        with self._lock:
            watched, query = dict(self._filled), self._query
        if not watched:
            return
        with self._engine.connect() as connection:
            waiting = frozenset(connection.execute(query).scalars())
        for name, filled in watched.items():
            if name in waiting:
                filled.set()
            elif not self._stopped.is_set():
                filled.clear()

    def _keep_looking(self) -> None:
        while not self._stopped.wait(self.interval_s):
            try:
                self.look()
            except Exception as error:
                # Whatever it is: without this thread, the worker would live and do nothing.
                log.debug("look_failed", f"{type(error).__name__}: {error}")

    def _watch(self, name: str) -> threading.Event:
        with self._lock:
            if name not in self._filled:
                self._filled[name] = threading.Event()
                self._query = self._build_query()
            return self._filled[name]

    def _build_query(self) -> sa.TextClause:
        table = "workflow_status" if is_sqlite(self._engine) else "dbos.workflow_status"
        values = ", ".join(f"(:q{number})" for number in range(len(self._filled)))
        names = {f"q{number}": name for number, name in enumerate(sorted(self._filled))}
        # One subquery for all queues: Postgres takes longer to plan one for each than to run them.
        # The order is that of the index. Without it, Postgres expects to meet a waiting batch soon
        # wherever it begins, and reads all finished ones first. The condition on both statuses says
        # nothing new; with it, the partial index is used.
        return sa.text(
            f"WITH watched (queue) AS (VALUES {values}) SELECT queue FROM watched WHERE ("
            f"SELECT 1 FROM {table} batch WHERE batch.queue_name = watched.queue "
            "AND batch.status = 'ENQUEUED' AND batch.status IN ('ENQUEUED', 'PENDING') "
            "ORDER BY batch.priority, batch.created_at LIMIT 1) IS NOT NULL"
        ).bindparams(**names)


def _is_busy(queue: Any, given: tuple[Any, ...]) -> bool:
    """Whether this worker already runs as many batches of a queue as it may; DBOS finds that out
    with several queries."""
    most = getattr(queue, "_worker_concurrency", None)
    running = given[3] if len(given) > 3 else 0
    return most is not None and running >= most
