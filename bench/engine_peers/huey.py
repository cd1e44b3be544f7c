"""huey on a SQLite file: one task for each document and hop."""

import time
from pathlib import Path
from collections.abc import Sequence
from typing import Any, Final

from huey import SqliteHuey

from bench.engine_peers import sqlite_tables
from bench.engine_peers.lanes import Lane, time_lanes
from bench.engine_peers.outcome import Call, answer, read_call
from bench.work import STAGES, documents, encode, run_stage

SETTINGS: Final = {
    "sqlite": {"worker_type": "process", "workers": 2, "one_file": 0, "delay": 0.005}
}


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


def _queue(call: Call) -> SqliteHuey:
    path = (
        call.file
        if call.settings["one_file"]
        else call.file.with_suffix(".queue" + call.file.suffix)
    )
    return SqliteHuey("bench", filename=str(path), fsync=True, timeout=30, results=False)


def _hop(queue: SqliteHuey, path: Path, lane: Lane | None) -> Any:
    import threading
    lock = threading.Lock()
    held = []

    @queue.task(name="hop")
    def hop(doc_id: int, stage: int, previous: dict[str, Any]) -> None:
        with lock:
            if not held:
                held.append(sqlite_tables.connect(path))
            connection = held[0]
            connection.execute("BEGIN IMMEDIATE")
            (body,) = connection.execute(sqlite_tables.READ_DOCUMENT, (doc_id,)).fetchone()
            record = run_stage(stage, body, previous)
            connection.execute(sqlite_tables.INSERT_RESULT, (doc_id, stage, encode(record)))
            connection.execute(sqlite_tables.INSERT_PROGRESS, (doc_id, stage, time.time()))
            connection.execute("COMMIT")
        if stage < len(STAGES):
            hop(doc_id, stage + 1, record)
        elif lane is not None:
            lane.document_finished()

    return hop


def _enqueue(call: Call) -> float:
    queue = _queue(call)
    hop = _hop(queue, call.file, None)
    began = time.perf_counter()
    for doc_id in range(1, call.documents + 1):
        hop(doc_id, 1, {})
    seconds = time.perf_counter() - began
    queue.storage.close()
    return seconds


def _work(lane: Lane, call: Call) -> None:
    queue = _queue(call)
    _hop(queue, call.file, lane)
    consumer = queue.create_consumer(
        workers=call.settings["workers"],
        worker_type=call.settings["worker_type"],
        initial_delay=call.settings["delay"],
        backoff=1.0,
        max_delay=0.05,
        periodic=False,
    )
    lane.ready()
    consumer.start()
    lane.wait_until_over()
    consumer.stop(graceful=True)
