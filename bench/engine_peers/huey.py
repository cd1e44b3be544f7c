"""huey on SQLite: one task for each document and hop."""

import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from huey import SqliteHuey

from bench.engine_peers import sqlite_tables
from bench.engine_peers.lanes import Lane, time_lanes
from bench.engine_peers.outcome import Call, answer, read_call
from bench.work import STAGES, Record, documents, encode, run_stage

# Tried on two cores, N = 300 to 500: 1, 2, 3, 4 and 8 threads; 1, 2 and 3 processes; the queue
# in the results' file and in one of its own; a connection for each thread, and one shared under
# a lock. Two threads with one shared connection and two files lead, because one thread's sync
# of the queue then overlaps the other's sync of a result.
SETTINGS: Final = {"sqlite": {"worker_type": "thread", "workers": 2, "polling_seconds": 0.005}}

LONGEST_POLL_SECONDS: Final = 0.05


def main(argv: Sequence[str]) -> None:
    call = read_call("huey", SETTINGS, argv)
    texts = documents(call.documents)
    sqlite_tables.fill(call.file, texts)
    enqueue_seconds = _enqueue(call)
    timing = time_lanes(_work, call, processes=1, documents=call.documents)
    sqlite_tables.check(call.file, texts)
    answer(
        call,
        timing,
        enqueue_seconds,
        {
            "guarantee": "weaker: result and progress commit together, the next task is enqueued "
            "after; a task leaves the queue before it runs and is lost when its worker dies"
        },
    )


class Results:
    """The results' file as one worker process writes it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def store(self, doc_id: int, stage: int, previous: Mapping[str, Any]) -> Record:
        with self._lock:
            # Opened on first use: huey's worker processes are forked after this is made.
            if self._connection is None:
                self._connection = sqlite_tables.connect(self._path)
            connection = self._connection
            connection.execute("BEGIN IMMEDIATE")
            (body,) = connection.execute(sqlite_tables.READ_DOCUMENT, (doc_id,)).fetchone()
            record = run_stage(stage, body, previous)
            connection.execute(sqlite_tables.INSERT_RESULT, (doc_id, stage, encode(record)))
            connection.execute(sqlite_tables.INSERT_PROGRESS, (doc_id, stage, time.time()))
            connection.execute("COMMIT")
        return record


def _queue(call: Call) -> SqliteHuey:
    path = call.file.with_name(f"{call.file.name}-queue")
    return SqliteHuey("bench", filename=str(path), fsync=True, timeout=30, results=False)


def _register(queue: SqliteHuey, results: Results, lane: Lane | None = None) -> Any:
    @queue.task(name="hop")
    def hop(doc_id: int, stage: int, previous: Mapping[str, Any]) -> None:
        record = results.store(doc_id, stage, previous)
        if stage < len(STAGES):
            hop(doc_id, stage + 1, record)
        elif lane is not None:
            lane.document_finished()

    return hop


def _enqueue(call: Call) -> float:
    queue = _queue(call)
    hop = _register(queue, Results(call.file))
    began = time.perf_counter()
    for doc_id in range(1, call.documents + 1):
        hop(doc_id, 1, {})
    seconds = time.perf_counter() - began
    queue.storage.close()
    return seconds


def _work(lane: Lane, call: Call) -> None:
    queue = _queue(call)
    _register(queue, Results(call.file), lane)
    consumer = queue.create_consumer(
        workers=call.settings["workers"],
        worker_type=call.settings["worker_type"],
        initial_delay=call.settings["polling_seconds"],
        backoff=1.0,
        max_delay=LONGEST_POLL_SECONDS,
        periodic=False,
    )
    lane.ready()
    consumer.start()
    lane.wait_until_over()
    consumer.stop(graceful=True)
