"""DBOS on SQLite or Postgres: one workflow for each document and hop."""

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa
from dbos import DBOS, DBOSClient, EnqueueOptions, SQLAlchemyDatasource

from bench.engine_peers import postgres_tables, sqlite_tables
from bench.engine_peers.lanes import Lane, time_lanes
from bench.engine_peers.outcome import Call, answer, read_call
from bench.work import STAGES, documents, encode, run_stage

APPLICATION: Final = "bench"
QUEUE: Final = "hops"
HOP: Final[EnqueueOptions] = {"workflow_name": "hop", "queue_name": QUEUE}

# Tried on two cores, N = 200 to 250. SQLite: concurrency 1, 2, 4, 8, 16, 32, 64 with polling
# every 0.01 to 0.2 s, and two processes; 8 to 32 at 0.02 to 0.05 s lead, a second process only
# adds waiting for the one writer, and concurrency above the pool size can lock itself up.
# Postgres: 1, 2 and 3 processes, concurrency 5 to 100 each, polling every 0.01 to 0.2 s. Every
# run spares the pool's ping before each use, and on Postgres the SERIALIZABLE default.
SETTINGS: Final = {
    "sqlite": {
        "processes": 1,
        "concurrency": 16,
        "polling_seconds": 0.02,
        "pool_size": 20,
        "isolation": "SERIALIZABLE",
    },
    "postgres": {
        "processes": 2,
        "concurrency": 10,
        "polling_seconds": 0.02,
        "pool_size": 20,
        "isolation": "READ COMMITTED",
    },
}

READ_DOCUMENT: Final = sa.text("SELECT body FROM bench_documents WHERE id = :doc_id")
INSERT_RESULT: Final = sa.text(
    "INSERT INTO bench_results (doc_id, stage, body) VALUES (:doc_id, :stage, :body)"
)
INSERT_PROGRESS: Final = sa.text(
    "INSERT INTO bench_progress (doc_id, stage, at) VALUES (:doc_id, :stage, :at)"
)


def main(argv: Sequence[str]) -> None:
    call = read_call("dbos", SETTINGS, argv)
    texts = documents(call.documents)
    on_postgres = call.database == "postgres"
    if on_postgres:
        postgres_tables.fill(call.url, texts)
    else:
        sqlite_tables.fill(call.file, texts)
    DBOS.migrate(_url(call))
    SQLAlchemyDatasource.migrate(_url(call))
    client = DBOSClient(system_database_url=_url(call), application_name=APPLICATION)
    # A queue that lets nobody run anything holds the jobs until the clock starts.
    queue = client.register_queue(
        QUEUE, worker_concurrency=0, polling_interval_sec=call.settings["polling_seconds"]
    )
    enqueue_seconds = _enqueue(call, client)
    timing = time_lanes(
        _work,
        call,
        processes=call.settings["processes"],
        documents=call.documents,
        server_pid=postgres_tables.server_pid(call.url) if on_postgres else None,
        on_start=lambda: queue.set_worker_concurrency(call.settings["concurrency"]),
    )
    client.destroy()
    if on_postgres:
        postgres_tables.check(call.url, texts)
    else:
        sqlite_tables.check(call.file, texts)
    answer(
        call,
        timing,
        enqueue_seconds,
        {
            "guarantee": "result, progress, step checkpoint and next workflow commit together; "
            "the workflow's own end after"
        },
    )


def _url(call: Call) -> str:
    return call.url if call.database == "postgres" else f"sqlite:///{call.file}"


def _enqueue(call: Call, client: DBOSClient) -> float:
    engine = sa.create_engine(sa.make_url(_url(call)).set(drivername=_driver(call)))
    began = time.perf_counter()
    with engine.begin() as connection:
        for doc_id in range(1, call.documents + 1):
            client.enqueue_in_transaction(connection, HOP, doc_id, 1, {})
    seconds = time.perf_counter() - began
    engine.dispose()
    return seconds


def _driver(call: Call) -> str:
    return "postgresql+psycopg" if call.database == "postgres" else "sqlite"


def _work(lane: Lane, call: Call) -> None:
    url = _url(call)
    pool = {"pool_size": call.settings["pool_size"], "max_overflow": 0, "pool_pre_ping": False}
    DBOS(
        config={
            "name": APPLICATION,
            "system_database_url": url,
            "executor_id": f"lane-{os.getpid()}",
            "db_engine_kwargs": pool,
            "log_level": "ERROR",
            "run_migrations": False,
        }
    )
    datasource = SQLAlchemyDatasource.create(url, engine_kwargs=pool, run_migrations=False)
    client = DBOSClient(system_database_url=url, application_name=APPLICATION, lazy=True)

    def store(doc_id: int, stage: int, previous: Mapping[str, Any]) -> None:
        session = datasource.sql_session()
        body = session.execute(READ_DOCUMENT, {"doc_id": doc_id}).scalar_one()
        record = run_stage(stage, body, previous)
        session.execute(INSERT_RESULT, {"doc_id": doc_id, "stage": stage, "body": encode(record)})
        session.execute(INSERT_PROGRESS, {"doc_id": doc_id, "stage": stage, "at": time.time()})
        if stage < len(STAGES):
            client.enqueue_in_transaction(session, HOP, doc_id, stage + 1, record)

    @DBOS.workflow(name="hop")
    def hop(doc_id: int, stage: int, previous: Mapping[str, Any]) -> None:
        datasource.run_tx_step(
            {"name": "store", "isolation_level": call.settings["isolation"]},
            store,
            doc_id,
            stage,
            previous,
        )
        if stage == len(STAGES):
            lane.document_finished()

    DBOS.launch()
    lane.ready()
    lane.wait_until_over()
    DBOS.destroy(workflow_completion_timeout_sec=10)
