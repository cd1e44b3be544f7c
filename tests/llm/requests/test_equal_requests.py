"""Requests at the same time: equal ones share one execution, others keep apart."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InvalidInput
from assay.llm.doubles.scripted import Hang, Say
from assay.llm.limits import Policy
from assay.llm.requests.cancellation import CancellationMode
from assay.llm.requests.results import Completeness
from assay.llm.requests.step_run import StepRun
from assay.llm.requests.steps import Request
from assay.llm.requests.supervisor import request_key
from assay.packs.graph.steps import GraphCompleteness, plan_budget
from tests.llm.requests.pipeline import Bench, asking, bench, giving, graph, graph_request
from tests.llm.requests.stopping import cancelling
from tests.llm.virtual import BASE_MS, others, settled, virtually


def shared_request(request_id: str, **functions: Any) -> Request:
    key = request_key("the text", {"ontology": "o1"})
    return replace(graph_request(**functions), request_id=request_id, key=key)


def test_equal_inputs_have_equal_keys() -> None:
    assert request_key("text", {"a": 1, "b": 2}) == request_key("text", {"b": 2, "a": 1})
    assert request_key("text", {"a": 1}) != request_key("text", {"a": 2})


@virtually
async def test_equal_requests_at_the_same_time_share_one_execution(tmp_path: Path) -> None:
    async with bench(tmp_path, then=Say("Ada", first_delay_s=10)) as b:
        slow = asking("who")
        first = asyncio.create_task(b.supervisor.run(shared_request("r1", entityExtraction=slow)))
        await asyncio.sleep(5)
        second = asyncio.create_task(b.supervisor.run(shared_request("r2", entityExtraction=slow)))
        await settled()
        shown = b.supervisor.list_running()
        assert [(view.request_id, view.waiters, view.step) for view in shown] == [
            ("r1", ("r1", "r2"), "entityExtraction")
        ]
        assert (shown[0].since_ms, shown[0].attempt, shown[0].mode) == (BASE_MS, 1, None)
        assert await first is await second
        assert b.provider.opens == 1
        await b.supervisor.run(shared_request("r3", entityExtraction=slow))
        assert b.provider.opens == 2


@virtually
async def test_requests_without_a_key_are_never_equal(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(entityExtraction=asking("who"))
        await asyncio.gather(*(b.supervisor.run(replace(request, request_id=r)) for r in "ab"))
        assert b.provider.opens == 2


async def two_waiters(b: Bench) -> tuple["asyncio.Task[Any]", "asyncio.Task[Any]"]:
    async def step(run: StepRun) -> Any:
        run.keep("Ada")
        await run.ask("who")
        return ["Ada"]

    first = asyncio.create_task(b.supervisor.run(shared_request("r1", entityExtraction=step)))
    second = asyncio.create_task(b.supervisor.run(shared_request("r2", entityExtraction=step)))
    await asyncio.sleep(2)
    return first, second


@virtually
async def test_a_caller_that_goes_away_leaves_the_others_alone(tmp_path: Path) -> None:
    async with bench(tmp_path, Say("Ada", first_delay_s=10)) as b:
        first, second = await two_waiters(b)
        first.cancel()
        await settled()
        assert first.cancelled()
        assert (await second).completeness is GraphCompleteness.COMPLETE
        assert b.provider.finished == 1


@virtually
async def test_the_last_caller_that_goes_away_stops_it(tmp_path: Path) -> None:
    async with bench(tmp_path, Hang()) as b:
        first, second = await two_waiters(b)
        first.cancel()
        await settled()
        assert b.provider.under_way == 1
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        assert b.all_is_back()
        assert others() == []
        assert b.told("request_cancelled") == [{"mode": "immediate", "step": "entityExtraction"}]


@virtually
async def test_cancelling_one_of_two_equal_requests_lets_only_that_one_go(tmp_path: Path) -> None:
    async with bench(tmp_path, Say("Ada", first_delay_s=10)) as b:
        first, second = await two_waiters(b)
        assert b.supervisor.cancel(cancelling("r1", CancellationMode.ABORT))
        left = await first
        assert (left.request_id, left.completeness) == ("r1", Completeness.EMPTY)
        assert left.warnings == ("The request was cancelled (abort): user_request.",)
        assert b.provider.under_way == 1
        assert (await second).completeness is GraphCompleteness.COMPLETE


@virtually
async def test_cancelling_the_last_of_two_equal_requests_stops_it(tmp_path: Path) -> None:
    async with bench(tmp_path, Hang()) as b:
        first, second = await two_waiters(b)
        assert b.supervisor.cancel(cancelling("r1", CancellationMode.GRACEFUL))
        assert b.supervisor.cancel(cancelling("r2", CancellationMode.IMMEDIATE))
        await first
        assert (await second).outputs["entityExtraction"] == ("Ada",)
        assert b.all_is_back()
        assert not b.supervisor.cancel(cancelling("r2", CancellationMode.IMMEDIATE))


@virtually
async def test_a_newcomer_does_not_join_what_is_being_stopped(tmp_path: Path) -> None:
    async with bench(tmp_path, Hang(), Say("Ada")) as b:
        step = asking("who")
        first = asyncio.create_task(b.supervisor.run(shared_request("r1", entityExtraction=step)))
        await asyncio.sleep(1)
        b.supervisor.cancel(cancelling("r1", CancellationMode.GRACEFUL))
        fresh = await b.supervisor.run(shared_request("r2", entityExtraction=step))
        assert (fresh.request_id, fresh.completeness) == ("r2", GraphCompleteness.COMPLETE)
        assert (await first).completeness is GraphCompleteness.EMPTY


@virtually
async def test_an_id_is_under_way_once(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(entityExtraction=giving(["Ada"], 5))
        running = asyncio.create_task(b.supervisor.run(request))
        await asyncio.sleep(1)
        with pytest.raises(InvalidInput, match="already running"):
            await b.supervisor.run(request)
        await running


@virtually
async def test_closing_stops_everything(tmp_path: Path) -> None:
    async with bench(tmp_path, then=Hang()) as b:
        request = graph_request(entityExtraction=asking("who"))
        running = [
            asyncio.create_task(b.supervisor.run(replace(request, request_id=r))) for r in "abc"
        ]
        await asyncio.sleep(1)
        await b.supervisor.close()
        assert b.all_is_back()
        results = await asyncio.gather(*running)
    assert {result.warnings[-1] for result in results} == {
        "The request was cancelled (immediate): shutdown."
    }


@virtually
async def test_many_requests_at_once_keep_their_books_apart(tmp_path: Path) -> None:
    policy = Policy(daily_tokens=None, max_concurrent_local=3)
    async with bench(tmp_path, then=Say("one two", first_delay_s=1), policy=policy) as b:
        request = graph_request(entityExtraction=asking("who", "where"))
        runs = [
            b.supervisor.run(replace(request, request_id=f"r{n}", budget=plan_budget(100 + n),
                                     steps=graph(entityExtraction=asking("x", max_tokens=9))))
            for n in range(20)
        ]  # fmt: skip
        results = await asyncio.gather(*runs)
        assert b.provider.max_concurrent == 3
        assert b.all_is_back()
    assert [result.token_usage.allocated for result in results] == list(range(100, 120))
    assert {result.token_usage.used for result in results} == {3}
