"""Which queues have waiting batches, found out with one query for all of them.

DBOS polls every queue in a thread of its own, with several queries each time. With thirty queues
that took more computing than the work itself when there was little of it.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from assay.store.database import is_sqlite


class WaitingQueues:
    """Keeps the polling threads of DBOS away from the database while their queues are empty."""

    def __init__(self, engine: sa.Engine, fresh_s: float, reload_s: float = 1.0) -> None:
        self._engine = engine
        self._reload_s = reload_s
        self._fresh_s = fresh_s
        self._lock = threading.Lock()
        self._names: set[str] = set()
        self._waiting: frozenset[str] = frozenset()
        self._looked = float("-inf")
        self._query = sa.text("")
        self._settings: dict[str, tuple[float, Any]] = {}

    def attach(self, database: Any) -> None:
        """Answer the polling threads from here; only a queue with batches is really asked."""
        claim: Callable[..., Any] = database.start_queued_workflows
        load: Callable[[str], Any] = database.get_queue

        def claim_if_waiting(queue: Any, *given: Any, **named: Any) -> Any:
            return claim(queue, *given, **named) if self.has_batches(queue.name) else ([], None)

        def load_once(name: str) -> Any:
            read, settings = self._settings.get(name, (float("-inf"), None))
            now = time.monotonic()
            if now - read > self._reload_s:
                settings = load(name)
                self._settings[name] = (now, settings)
            return settings

        database.start_queued_workflows = claim_if_waiting
        database.get_queue = load_once

    def has_batches(self, name: str) -> bool:
        """Whether a queue had waiting batches a moment ago."""
        if name not in self._names:
            with self._lock:
                self._names.add(name)
                self._query = self._build_query()
                self._looked = float("-inf")
        # While one thread looks, the others go by what was seen before.
        if time.monotonic() - self._looked > self._fresh_s and self._lock.acquire(blocking=False):
            try:
                with self._engine.connect() as connection:
                    self._waiting = frozenset(connection.execute(self._query).scalars())
                self._looked = time.monotonic()
            finally:
                self._lock.release()
        return name in self._waiting

    def _build_query(self) -> sa.TextClause:
        table = "workflow_status" if is_sqlite(self._engine) else "dbos.workflow_status"
        # The second condition says nothing new; with it, the partial index is used.
        looks = [
            f"SELECT :q{number} AS name WHERE EXISTS (SELECT 1 FROM {table} "
            f"WHERE queue_name = :q{number} AND status = 'ENQUEUED' "
            "AND status IN ('ENQUEUED', 'PENDING'))"
            for number in range(len(self._names))
        ]
        names = {f"q{number}": name for number, name in enumerate(sorted(self._names))}
        return sa.text(" UNION ALL ".join(looks)).bindparams(**names)
