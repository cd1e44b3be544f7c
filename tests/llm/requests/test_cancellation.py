"""Stopping a request in every mode."""

import asyncio
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.llm.doubles.scripted import Hang, Say
from assay.llm.requests.results import Completeness, StepEnd
from assay.llm.requests.step_run import StepRun
from assay.packs.graph.steps import GraphCompleteness
from tests.llm.requests.pipeline import GRAPH, bench, giving, graph_request, hanging, keeping_on
from tests.llm.requests.stopping import M, cancelled_after, signal
from tests.llm.virtual import others, settled, virtually


@virtually
async def test_immediate_stops_now_and_keeps_what_there_is(tmp_path: Path) -> None:
    async def step(run: StepRun) -> Any:
        run.keep("Ada")
        await run.ask("a question without an answer")

    async with bench(tmp_path, Hang(after=2)) as b:
        request = graph_request(entityExtraction=step)
        result = await cancelled_after(b, request, 2.5, signal(M.IMMEDIATE, 5_000))
        assert b.all_is_back()
        assert others() == []
    assert result.execution_ms == 2_500
    assert result.outputs["entityExtraction"] == ("Ada",)
    assert result.endings["entityExtraction"].end is StepEnd.CANCELLED
    assert result.completeness is GraphCompleteness.PARTIAL_ENTITY_ONLY
    assert result.skipped_steps == (
        "propertyScoping", "relationExtraction", "grounding", "serialization",
    )  # fmt: skip
    assert result.failed_steps[0].reason == "cancelled: user_request"
    assert b.told("request_cancelled") == [{"mode": "immediate", "step": "entityExtraction"}]


@virtually
async def test_graceful_finishes_the_call_in_hand(tmp_path: Path) -> None:
    async def step(run: StepRun) -> Any:
        while True:
            answer = await run.ask("and then")
            run.keep(answer.text)

    async with bench(tmp_path, then=Say("one two", first_delay_s=10)) as b:
        request = graph_request(entityExtraction=step)
        result = await cancelled_after(b, request, 15, signal(M.GRACEFUL, 30_000))
        assert b.all_is_back()
        assert (b.provider.opens, b.provider.finished) == (2, 2)
    assert result.execution_ms == 20_000
    assert result.outputs["entityExtraction"] == ("one two", "one two")
    assert result.endings["entityExtraction"].end is StepEnd.CANCELLED
    assert result.completeness is GraphCompleteness.PARTIAL_ENTITY_ONLY
    assert result.token_usage.used == 2 * (2 + 2)


@virtually
async def test_graceful_reads_a_stream_to_its_end(tmp_path: Path) -> None:
    async def step(run: StepRun) -> Any:
        async with run.stream("count") as live:
            async for word in live:
                run.keep(word.strip())
                await run.checkpoint()
        await run.checkpoint()
        run.keep("not reached")

    async with bench(tmp_path, Say("one two three four", delay_s=1)) as b:
        request = graph_request(entityExtraction=step)
        result = await cancelled_after(b, request, 1.5, signal(M.GRACEFUL, 30_000))
        assert b.provider.finished == 1
    assert result.outputs["entityExtraction"] == ("one", "two", "three", "four")


@virtually
async def test_graceful_finishes_the_step_in_hand(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(entityExtraction=keeping_on)
        result = await cancelled_after(b, request, 2.5, signal(M.GRACEFUL, 30_000))
    assert result.execution_ms == 3_000
    assert len(result.outputs["entityExtraction"]) == 3


@pytest.mark.parametrize(("timeout_ms", "waited_ms"), [(30_000, 30_000), (None, 5_000)])
@virtually
async def test_graceful_becomes_immediate_when_its_time_is_over(
    tmp_path: Path, timeout_ms: int | None, waited_ms: int
) -> None:
    """Without a time of its own it is the step's, from the cascade table."""
    async with bench(tmp_path, Hang()) as b:

        async def step(run: StepRun) -> Any:
            run.keep("Ada")
            await run.ask("a question without an answer")

        request = graph_request(entityExtraction=step)
        result = await cancelled_after(b, request, 2, signal(M.GRACEFUL, timeout_ms))
        assert b.all_is_back()
    assert result.execution_ms == 2_000 + waited_ms
    assert result.outputs["entityExtraction"] == ("Ada",)
    assert result.warnings == ("The request was cancelled (immediate): user_request.",)
    assert b.told("request_cancelled") == [{"mode": "graceful", "step": "entityExtraction"}]


@virtually
async def test_a_hard_timeout_during_a_graceful_end_is_the_last_attempt(tmp_path: Path) -> None:
    spec = replace(
        GRAPH["entityExtraction"], function=hanging("Ada"), reduce_scope=lambda _, payload: payload
    )
    async with bench(tmp_path) as b:
        request = graph_request(entityExtraction=spec)
        result = await cancelled_after(b, request, 50, signal(M.GRACEFUL, 30_000))
    assert result.execution_ms == 60_000
    assert result.outputs["entityExtraction"] == ("Ada",)


@virtually
async def test_drain_processes_the_queue_of_the_step_and_starts_no_other(tmp_path: Path) -> None:
    async def step(run: StepRun) -> Any:
        answers = []
        for chunk in run.payload:
            answers.append((await run.ask(chunk)).text)
            await run.checkpoint()
        assert run.scope.mode is M.DRAIN
        return answers

    async with bench(tmp_path, then=Say("Ada", first_delay_s=10)) as b:
        request = graph_request(chunking=giving(["a", "b", "c", "d"]), entityExtraction=step)
        result = await cancelled_after(b, request, 15, signal(M.DRAIN))
        assert b.all_is_back()
    assert result.execution_ms == 40_000
    assert result.outputs["entityExtraction"] == ["Ada"] * 4
    assert result.endings["entityExtraction"].end is StepEnd.COMPLETED
    assert result.endings["relationExtraction"].reason == "cancelled: user_request"
    assert result.completeness is GraphCompleteness.PARTIAL_ENTITY_ONLY


@virtually
async def test_drain_has_an_end_where_it_is_given_one(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(entityExtraction=keeping_on)
        result = await cancelled_after(b, request, 2.5, signal(M.DRAIN, 10_000))
    assert result.execution_ms == 12_500
    assert len(result.outputs["entityExtraction"]) == 12


@virtually
async def test_abort_stops_everything_and_keeps_nothing(tmp_path: Path) -> None:
    async def step(run: StepRun) -> Any:
        run.keep("Ada lives in Zagreb")
        await run.ask("a question without an answer")

    async with bench(tmp_path, Hang()) as b:
        request = graph_request(relationExtraction=step)
        result = await cancelled_after(b, request, 2, signal(M.ABORT))
        assert b.all_is_back()
        assert others() == []
    assert result.completeness is Completeness.EMPTY
    assert result.outputs == {}
    assert result.warnings == ("The request was cancelled (abort): user_request.",)
    assert result.failed_steps[0].step == "relationExtraction"
    assert result.token_usage.used == 5
    assert b.told("request_aborted") == [{}]


@virtually
async def test_a_stronger_signal_takes_over(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        running = asyncio.create_task(
            b.supervisor.run(graph_request(entityExtraction=hanging("Ada")))
        )
        await asyncio.sleep(1)
        assert b.supervisor.cancel(signal(M.GRACEFUL, 30_000))
        await asyncio.sleep(1)
        assert not b.supervisor.cancel(signal(M.DRAIN))
        assert b.supervisor.cancel(signal(M.ABORT))
        result = await running
    assert result.execution_ms == 2_000
    assert result.completeness is Completeness.EMPTY
    assert b.told("request_cancelled") == [{"mode": "abort", "step": "entityExtraction"}]


@virtually
async def test_workers_inside_a_step_stop_too(tmp_path: Path) -> None:
    """A step that spreads its calls over tasks, which all stop after the call in hand."""

    async def step(run: StepRun) -> Any:
        async def worker(name: str) -> None:
            while True:
                await run.ask(f"question of {name}")
                run.keep(name)

        async with asyncio.TaskGroup() as group:
            for name in ("a", "b", "c"):
                group.create_task(worker(name))
        return None

    async with bench(tmp_path, then=Say("fine", first_delay_s=10)) as b:
        request = graph_request(entityExtraction=step)
        result = await cancelled_after(b, request, 15, signal(M.GRACEFUL, 30_000))
        assert b.all_is_back()
    assert result.execution_ms == 20_000
    assert sorted(result.outputs["entityExtraction"]) == ["a", "a", "b", "b", "c", "c"]
    assert result.endings["entityExtraction"].end is StepEnd.CANCELLED


@virtually
async def test_a_fallback_under_way_is_stopped_too(tmp_path: Path) -> None:
    async def slow_cache(fallen: Any) -> Any:
        await asyncio.sleep(20)
        return ["late"]

    grounding = replace(GRAPH["grounding"], function=hanging("yes"), fallback=slow_cache)
    async with bench(tmp_path) as b:
        request = graph_request(grounding=grounding)
        result = await cancelled_after(b, request, 65, signal(M.IMMEDIATE))
        assert others() == []
    assert result.execution_ms == 65_000
    assert result.outputs["grounding"] == ("yes",)
    assert result.skipped_steps == ("serialization",)


@virtually
async def test_no_fallback_begins_once_the_request_is_to_stop(tmp_path: Path) -> None:
    begun: list[str] = []
    grounding = replace(
        GRAPH["grounding"], function=hanging("yes"), fallback=lambda fallen: begun.append("hook")
    )
    async with bench(tmp_path) as b:
        request = graph_request(grounding=grounding)
        result = await cancelled_after(b, request, 50, signal(M.GRACEFUL, 30_000))
    assert result.execution_ms == 60_000
    assert result.endings["grounding"].end is StepEnd.TIMED_OUT
    assert begun == []


@virtually
async def test_a_cancellation_says_so_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "assay.llm")
    async with bench(tmp_path) as b:
        await cancelled_after(b, graph_request(entityExtraction=hanging()), 1, signal(M.IMMEDIATE))
        await settled()
    line = next(r.__dict__["assay"] for r in caplog.records if r.message == "Request cancelled")
    assert (line["mode"], line["reason"], line["step"]) == (
        "immediate", "user_request", "entityExtraction",
    )  # fmt: skip
