"""Assay's own engine on the bench's work: `python -m bench.engine_assay --documents N …`."""

import argparse
import json
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app import App
from assay.app.composition import init_home
from assay.app.runs import are_runs_finished
from assay.engine.contract import (
    BoundStage,
    NextJob,
    Outcome,
    Payload,
    Pipeline,
    QueueLimits,
    Result,
    Stage,
    StageFunction,
)
from assay.engine.jobs import NewJob
from assay.engine.reader import Reader
from assay.model.records import Record
from assay.settings import load_settings
from assay.store import tables as t
from assay.store.record_tables import table_of
from bench.engine_peers.cpu import own_cpu_seconds, server_cpu_seconds
from bench.engine_peers.tables import check_results
from bench.work import documents, encode, run_stage

RUN = "bench"


class BenchDocument(Record, table="bench_documents", key=("id",), canonical=False):
    """A document of the bench."""

    id: str
    body: str


class BenchResult(Record, table="bench_results", key=("key",), canonical=False):
    """What one stage made of it."""

    key: str
    doc_id: str
    stage: int
    body: str


class BenchJob(Payload):
    """One document, one stage."""

    doc_id: str

    @property
    def subject(self) -> str:
        return self.doc_id


DOCUMENTS, RESULTS = table_of(BenchDocument), table_of(BenchResult)


def bench_pipeline() -> Pipeline:
    """Four stages in a row."""
    return Pipeline(
        [
            BoundStage(
                Stage(
                    name=f"stage_{number}",
                    version=1,
                    payload=BenchJob,
                    queue=QueueLimits(concurrency=4),
                    reads=frozenset({BenchDocument, BenchResult}),
                    writes=frozenset({BenchResult}),
                    next=frozenset({f"stage_{number + 1}"} if number < 4 else ()),
                    entry=number == 1,
                    batch=500,
                ),
                _function(number),
            )
            for number in range(1, 5)
        ],
        given=[BenchDocument],
    )


def _function(number: int) -> StageFunction:
    async def stage(jobs: Sequence[BenchJob], read: Reader) -> Sequence[Result]:
        ids = [job.doc_id for job in jobs]
        texts = await read.get_many(BenchDocument, ids)
        before: Mapping[str, BenchResult] = {}
        if number > 1:
            before = await read.get_many(BenchResult, [f"{doc_id}/{number - 1}" for doc_id in ids])
        return [_outcome(number, job, texts[job.doc_id].body, before) for job in jobs]

    return stage


def _outcome(number: int, job: BenchJob, text: str, before: Mapping[str, BenchResult]) -> Outcome:
    known = before.get(f"{job.doc_id}/{number - 1}")
    record = run_stage(number, text, json.loads(known.body) if known else None)
    result = BenchResult(
        key=f"{job.doc_id}/{number}", doc_id=job.doc_id, stage=number, body=encode(record)
    )
    follow = (NextJob(f"stage_{number + 1}", job),) if number < 4 else ()
    return Outcome(records=(result,), next=follow)


def measure(count: int, database_url: str | None, server_pid: int | None = None) -> dict[str, Any]:
    """Carry the documents through; the figures of one checked run."""
    texts = documents(count)
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(home=Path(folder) / "home", env={}, database_url=database_url)
        init_home(settings)
        with App(settings, pipeline=bench_pipeline()) as app:
            app.migrate()
            _fill(app, texts)
            began = time.perf_counter()
            _enqueue(app, count)
            enqueue_s = time.perf_counter() - began
            figures = _timed(app, count, server_pid)
            _check(app, texts)
    return {
        "peer": "assay",
        "database": "postgres" if database_url else "sqlite",
        "documents": count,
        "enqueue_seconds": round(enqueue_s, 4),
        **figures,
    }


def _fill(app: App, texts: Sequence[str]) -> None:
    for table in (DOCUMENTS, RESULTS):
        table.drop(app.engine, checkfirst=True)
        table.create(app.engine)
    rows = [{"id": str(number), "body": text} for number, text in enumerate(texts, start=1)]
    with app.engine.begin() as connection:
        connection.execute(sa.insert(DOCUMENTS), rows)


def _enqueue(app: App, count: int) -> None:
    jobs = [NewJob("stage_1", BenchJob(doc_id=str(n)), RUN) for n in range(1, count + 1)]
    with app.engine.begin() as connection:
        app.book.schedule(connection, jobs, app.clock.now_ms())


def _timed(app: App, count: int, server_pid: int | None) -> dict[str, Any]:
    worker = app.make_worker()
    server_before = server_cpu_seconds(server_pid) if server_pid else None
    cpu_before = own_cpu_seconds()
    began = time.perf_counter()
    worker.start()
    stop = threading.Event()
    while not are_runs_finished(app, [RUN]):
        stop.wait(0.02)
    seconds = time.perf_counter() - began
    cpu = own_cpu_seconds() - cpu_before
    server_after = server_cpu_seconds(server_pid) if server_pid else None
    times = worker._runner.times
    worker.stop()
    return {
        "seconds": round(seconds, 4),
        "documents_per_second": round(count / seconds, 2),
        "cpu_seconds": round(cpu, 4),
        "detail": {
            "server_cpu_seconds": (
                server_after - server_before
                if server_after is not None and server_before is not None
                else None
            ),
            "batch": app.settings.batch_size,
            "work_share": round(times.work_s / (times.work_s + times.engine_s), 4),
        },
    }


def _check(app: App, texts: list[str]) -> None:
    """Refuse a run that did not store exactly what it owed."""
    with app.engine.connect() as connection:
        results = connection.execute(
            sa.select(RESULTS.c.doc_id, RESULTS.c.stage, RESULTS.c.body)
        ).all()
        progress = connection.execute(
            sa.select(t.progress.c.subject, t.progress.c.stage).where(
                t.progress.c.outcome == "done"
            )
        ).all()
    check_results(
        texts,
        [(int(doc_id), stage, body) for doc_id, stage, body in results],
        [(int(doc_id), int(stage.rpartition("_")[2])) for doc_id, stage in progress],
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.engine_assay")
    parser.add_argument("--documents", type=int, required=True)
    parser.add_argument("--database-url")
    parser.add_argument("--server-pid", type=int)
    given = parser.parse_args()
    print(json.dumps(measure(given.documents, given.database_url, given.server_pid)))


if __name__ == "__main__":
    main()
