"""Stopping a request over real HTTP, as the server sees it."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from assay.llm.doubles.words import WordEstimator
from assay.llm.limits import UNLIMITED, Policy
from assay.llm.messages import Lane
from assay.llm.plane import ControlPlane
from assay.llm.providers.openai import openai
from assay.llm.requests.cancellation import CancellationMode
from assay.llm.requests.results import StepEnd
from assay.llm.requests.step_run import StepRun
from assay.llm.requests.supervisor import Supervisor
from assay.packs.graph.steps import TIMEOUTS, GraphCompleteness
from tests.llm.requests.pipeline import GENEROUS, graph_request, spec_of
from tests.llm.requests.stopping import cancelling
from tests.llm.virtual import LoopClock, virtually
from tests.providers.behaviour import Behaviour
from tests.providers.books import ServedState
from tests.providers.server import ProviderServer


@virtually
async def test_a_hard_timeout_closes_the_connection_as_the_server_sees_it(
    sqlite_engine: sa.Engine,
) -> None:
    """Within 100 ms, and the permit is back."""
    time = asyncio.get_running_loop().time
    stopped_s: list[float] = []
    gaps_s: list[float] = []

    def observe(name: str, labels: Mapping[str, object]) -> None:
        if name == "step_timeout":
            stopped_s.append(time())

    async def step(run: StepRun) -> Any:
        async with run.stream("say 50 words") as live:
            async for word in live:
                run.keep(word.strip())

    short = replace(TIMEOUTS["entityExtraction"], soft_ms=600, hard_ms=600)
    spec = spec_of("entityExtraction", step, timeout=short)
    async with ProviderServer(Behaviour(hang_after=3), queue=[Behaviour()]) as server:
        provider = openai("m", base_url=f"{server.url}/v1", lane=Lane.LOCAL, limits=UNLIMITED)
        async with ControlPlane(
            sqlite_engine,
            [provider],
            clock=LoopClock(),
            estimator=WordEstimator(),
            policy=GENEROUS,
        ) as plane:
            await plane.ask("say 5 words")  # The first call opens the database and the client.
            supervisor = Supervisor(plane, observe=observe)
            for number in range(3):
                request = replace(graph_request(entityExtraction=spec), request_id=f"r{number}")
                result = await supervisor.run(request)
                assert plane.limiter.permits_held == 0
                assert len(result.outputs["entityExtraction"]) == 3
                assert result.token_usage.used == 3 + 3
                await server.until(lambda books: books.under_way == 0)
                gaps_s.append(time() - stopped_s[number])
                assert server.open_connections == 0
            with sqlite_engine.connect() as connection:
                states = connection.exec_driver_sql("SELECT state FROM llm_calls").scalars().all()
        assert server.books.count(ServedState.CANCELLED) == 3
    assert sorted(states) == ["cancelled"] * 3 + ["done"]
    assert len(stopped_s) == 3
    assert max(gaps_s) < 0.1


async def test_cancelling_over_http_frees_the_waiting_and_the_running_call(
    engine: sa.Engine,
) -> None:
    async def step(run: StepRun) -> Any:
        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(run.ask("say 50 words"))

    async with ProviderServer(Behaviour(hang_after=-1)) as server:
        provider = openai("m", base_url=f"{server.url}/v1", lane=Lane.LOCAL, limits=UNLIMITED)
        policy = Policy(max_concurrent_local=2)
        async with ControlPlane(engine, [provider], policy=policy) as plane:
            supervisor = Supervisor(plane)
            running = asyncio.create_task(supervisor.run(graph_request(entityExtraction=step)))
            await server.until(lambda books: books.under_way == 2)
            assert supervisor.cancel(cancelling("r1", CancellationMode.IMMEDIATE))
            result = await running
            assert (plane.limiter.permits_held, plane.limiter.waiting_calls) == (0, 0)
            await server.until(lambda books: books.under_way == 0)
            assert server.open_connections == 0
            assert server.books.count(ServedState.CANCELLED) == 2
    assert result.completeness is GraphCompleteness.EMPTY
    assert result.endings["entityExtraction"].end is StepEnd.CANCELLED
