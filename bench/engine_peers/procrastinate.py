"""procrastinate on Postgres: one job for each document and hop."""

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import Any, Final

import psycopg
import psycopg_pool
import uvloop
from procrastinate import App, PsycopgConnector

from bench.engine_peers import postgres_tables
from bench.engine_peers.lanes import Lane, time_lanes
from bench.engine_peers.outcome import Call, answer, read_call
from bench.work import STAGES, documents, encode, run_stage

# Tried on two cores, N = 300 to 500: 1, 2 and 3 processes; 3, 5, 10 and 20 jobs at once in each;
# pools of 5, 6, 10 and 20; with and without LISTEN; polling every 0.05 and 1 s; asyncio and
# uvloop; connections with and without autocommit; deleting jobs when done, or never. Two
# processes, uvloop, autocommit and few jobs at once each help; the rest changes little.
SETTINGS: Final = {
    "postgres": {
        "processes": 2,
        "concurrency": 5,
        "pool_size": 6,
        "listen": False,
        "polling_seconds": 0.05,
        "delete_jobs": "successful",
    }
}


def main(argv: Sequence[str]) -> None:
    call = read_call("procrastinate", SETTINGS, argv)
    texts = documents(call.documents)
    postgres_tables.fill(call.url, texts)
    enqueue_seconds = asyncio.run(_install_and_enqueue(call))
    timing = time_lanes(
        _work,
        call,
        processes=call.settings["processes"],
        documents=call.documents,
        server_pid=postgres_tables.server_pid(call.url),
    )
    postgres_tables.check(call.url, texts)
    answer(
        call,
        timing,
        enqueue_seconds,
        {"guarantee": "result, progress and next job commit together; the job's own end after"},
    )


async def _install_and_enqueue(call: Call) -> float:
    async with App(connector=PsycopgConnector(conninfo=call.url)).open_async() as app:
        await app.schema_manager.apply_schema_async()
        began = time.perf_counter()
        await app.configure_task("hop", allow_unknown=True).batch_defer_async(
            *(
                {"doc_id": doc_id, "stage": 1, "previous": {}}
                for doc_id in range(1, call.documents + 1)
            )
        )
        return time.perf_counter() - began


def _work(lane: Lane, call: Call) -> None:
    logging.getLogger("procrastinate").setLevel(logging.ERROR)
    uvloop.run(_consume(lane, call))


async def _consume(lane: Lane, call: Call) -> None:
    size = call.settings["pool_size"]
    pool = psycopg_pool.AsyncConnectionPool(
        call.url,
        min_size=size,
        max_size=size,
        open=False,
        configure=_commit_each_statement,
    )
    app = App(connector=PsycopgConnector())

    @app.task(name="hop")
    async def hop(doc_id: int, stage: int, previous: dict[str, Any]) -> None:
        async with pool.connection() as connection, connection.transaction():
            found = await connection.execute(
                "SELECT body FROM bench_documents WHERE id = %s", (doc_id,)
            )
            row = await found.fetchone()
            assert row is not None
            record = run_stage(stage, row[0], previous)
            await connection.execute(
                "INSERT INTO bench_results (doc_id, stage, body) VALUES (%s, %s, %s)",
                (doc_id, stage, encode(record)),
            )
            await connection.execute(
                "INSERT INTO bench_progress (doc_id, stage, at) VALUES (%s, %s, %s)",
                (doc_id, stage, time.time()),
            )
            if stage < len(STAGES):
                await hop.configure(connection=connection).defer_async(
                    doc_id=doc_id, stage=stage + 1, previous=record
                )
        if stage == len(STAGES):
            lane.document_finished()

    async with pool, app.open_async(pool):
        await pool.wait()
        lane.ready()
        run = asyncio.create_task(
            app.run_worker_async(
                concurrency=call.settings["concurrency"],
                fetch_job_polling_interval=call.settings["polling_seconds"],
                listen_notify=call.settings["listen"],
                delete_jobs=call.settings["delete_jobs"],
                install_signal_handlers=False,
            )
        )
        await lane.watch_until_over(run)
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)


async def _commit_each_statement(connection: psycopg.AsyncConnection[Any]) -> None:
    # procrastinate's own calls are single statements: this spares each a BEGIN and a COMMIT.
    await connection.set_autocommit(True)
