"""PgQueuer on Postgres: one job for each document and hop."""

import asyncio
import json
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

import asyncpg
import uvloop
from pgqueuer import AsyncpgDriver, AsyncpgPoolDriver, Job, Queries, QueueManager

from bench.engine_peers import postgres_tables
from bench.engine_peers.lanes import Lane, time_lanes
from bench.engine_peers.outcome import Call, answer, read_call
from bench.work import STAGES, documents, encode, run_stage

# Tried on two cores, N = 500: batches of 10, 50, 100, 200, 250 and 500; pools of 5, 8, 10, 16,
# 20 and 40; a connection or a pool of the manager's own; one and two processes; a cap of 100 or
# 200 on running jobs (0 is none); asyncpg and psycopg (a fifth slower). All but the large pools
# and psycopg lie within a tenth of each other.
SETTINGS: Final = {
    "postgres": {"processes": 1, "batch_size": 50, "max_concurrent_tasks": 0, "pool_size": 10}
}


def main(argv: Sequence[str]) -> None:
    call = read_call("pgqueuer", SETTINGS, argv)
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
    connection = await asyncpg.connect(call.url)
    try:
        queries = Queries(AsyncpgDriver(connection))
        await queries.install()
        began = time.perf_counter()
        await queries.enqueue(
            ["hop"] * call.documents,
            [_payload(doc_id, 1, {}) for doc_id in range(1, call.documents + 1)],
            [0] * call.documents,
        )
        return time.perf_counter() - began
    finally:
        await connection.close()


def _work(lane: Lane, call: Call) -> None:
    uvloop.run(_consume(lane, call))


async def _consume(lane: Lane, call: Call) -> None:
    size = call.settings["pool_size"]
    async with asyncpg.create_pool(
        call.url, min_size=size, max_size=size, reset=_leave_as_it_is
    ) as pool:
        manager = QueueManager(Queries(AsyncpgPoolDriver(pool)))

        @manager.entrypoint("hop")
        async def hop(job: Job) -> None:
            doc_id, stage, previous = json.loads(job.payload or b"")
            async with pool.acquire() as connection, connection.transaction():
                body = await connection.fetchval(
                    "SELECT body FROM bench_documents WHERE id = $1", doc_id
                )
                record = run_stage(stage, body, previous)
                await connection.execute(
                    "INSERT INTO bench_results (doc_id, stage, body) VALUES ($1, $2, $3)",
                    doc_id,
                    stage,
                    encode(record),
                )
                await connection.execute(
                    "INSERT INTO bench_progress (doc_id, stage, at) VALUES ($1, $2, $3)",
                    doc_id,
                    stage,
                    time.time(),
                )
                if stage < len(STAGES):
                    # A driver over this very connection puts the next job in this transaction.
                    await Queries(AsyncpgDriver(connection)).enqueue(
                        "hop", _payload(doc_id, stage + 1, record)
                    )
            if stage == len(STAGES):
                lane.document_finished()

        lane.ready()
        run = asyncio.create_task(
            manager.run(
                dequeue_timeout=timedelta(seconds=1),
                batch_size=call.settings["batch_size"],
                max_concurrent_tasks=call.settings["max_concurrent_tasks"] or None,
            )
        )
        await lane.watch_until_over(run)
        manager.shutdown.set()
        await run


async def _leave_as_it_is(connection: asyncpg.Connection) -> None:
    # Nothing here alters a session, so the round trip that would restore it is spared.
    return None


def _payload(doc_id: int, stage: int, previous: dict[str, Any]) -> bytes:
    return json.dumps([doc_id, stage, previous]).encode()
