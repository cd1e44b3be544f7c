"""The time of a step: the table, the warning, and its end, on virtual time."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InvalidInput
from assay.llm.doubles.scripted import Hang, Say
from assay.llm.requests.step_run import StepRun
from assay.llm.requests.timeouts import TimeoutEscalation
from assay.packs.graph.steps import TIMEOUTS, GraphCompleteness
from tests.llm.requests.pipeline import (
    bench,
    giving,
    graph_request,
    hanging,
    keeping_on,
    spec_of,
    timeout_of,
)
from tests.llm.virtual import others, settled, virtually

E = TimeoutEscalation


def test_the_table_is_the_specification_s() -> None:
    found = {
        step: (t.soft_ms, t.hard_ms, t.escalation, t.allow_partial, t.max_retries)
        for step, t in TIMEOUTS.items()
    }
    assert found == {
        "chunking": (3_000, 5_000, E.SKIP_STEP, False, 0),
        "entityExtraction": (45_000, 60_000, E.REDUCE_SCOPE_RETRY, True, 3),
        "propertyScoping": (10_000, 15_000, E.SKIP_STEP, True, 0),
        "relationExtraction": (45_000, 60_000, E.REDUCE_SCOPE_RETRY, True, 2),
        "grounding": (20_000, 30_000, E.FALLBACK_CACHE, True, 1),
        "serialization": (5_000, 10_000, E.ABORT_PIPELINE, False, 0),
    }


@pytest.mark.parametrize(
    "changed", [{"soft_ms": 0}, {"soft_ms": 60_001}, {"hard_ms": 0}, {"max_retries": -1}]
)
def test_a_time_that_cannot_be_is_refused(changed: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        timeout_of("entityExtraction", E.SKIP_STEP, **changed)


@virtually
async def test_a_soft_timeout_warns_and_the_step_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "assay.llm")
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=giving(["Ada"], 50)))
    assert result.completeness is GraphCompleteness.COMPLETE
    assert result.warnings == ("Step 'entityExtraction' took longer than 45000 ms.",)
    assert result.execution_ms == 50_000
    fields = {r.message: r.__dict__["assay"] for r in caplog.records if r.levelname == "WARNING"}
    line = fields["Step soft timeout exceeded"]
    assert line["step"] == "entityExtraction"
    assert line["request_id"] == "r1"
    assert (line["elapsed_ms"], line["soft_limit_ms"]) == (45_000, 45_000)
    assert line["reaction"] == "continuing with timeout escalation"
    assert b.told("step_timeout") == []


@virtually
async def test_a_hard_timeout_says_what_was_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "assay.llm")
    async with bench(tmp_path) as b:
        await b.supervisor.run(graph_request(entityExtraction=hanging(*range(12))))
    lines = [record.__dict__["assay"] for record in caplog.records if record.levelname == "ERROR"]
    assert [line["action"] for line in lines] == ["step_hard_timeout"]
    assert lines[0]["step"] == "entityExtraction"
    assert (lines[0]["elapsed_ms"], lines[0]["hard_limit_ms"]) == (60_000, 60_000)
    assert lines[0]["reaction"] == "cancelling step"
    assert lines[0]["partial_results"] == {"items": 12}
    started = [r.__dict__["assay"] for r in caplog.records if r.message == "Step started"]
    entity = next(line for line in started if line["step"] == "entityExtraction")
    assert (entity["budget_ms"], entity["budget_tokens"]) == (60_000, 1440)


@virtually
async def test_a_hard_timeout_really_ends_the_step_and_its_call(tmp_path: Path) -> None:
    """The connection closes, the permit is back, what was said is charged."""
    woken: list[str] = []

    async def asks(run: StepRun) -> Any:
        try:
            async with run.stream("say a lot", max_tokens=50) as live:
                async for word in live:
                    run.keep(word.strip())
        except asyncio.CancelledError:
            woken.append("cancelled")
            raise

    async with bench(tmp_path, Hang(after=3, text="one two three")) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=asks))
        assert b.all_is_back()
        assert (b.provider.opens, b.provider.closes, b.provider.finished) == (1, 1, 0)
        assert others() == []
    assert woken == ["cancelled"]
    assert result.outputs["entityExtraction"] == ("one", "two", "three")
    assert result.token_usage.used == 3 + 3


@virtually
async def test_every_attempt_has_the_whole_time_and_its_own_resources(tmp_path: Path) -> None:
    closed: list[str] = []

    async def step(run: StepRun) -> Any:
        run.register_resource(lambda: closed.append(f"folder {run.attempt}"))
        if run.attempt == 1:
            await asyncio.Event().wait()
        assert closed == ["folder 1"]
        await asyncio.sleep(59)
        return ["Ada"]

    spec = spec_of("entityExtraction", step, reduce_scope=lambda attempt, payload: payload[:1])
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=spec))
    assert closed == ["folder 1", "folder 2"]
    assert result.execution_ms == 119_000


@virtually
async def test_a_step_that_does_not_stop_is_left_behind(tmp_path: Path) -> None:
    release = asyncio.Event()
    late: list[str] = []

    async def stubborn(run: StepRun) -> Any:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                run.keep("kept after the end")
        try:
            await run.ask("one more question")
        except asyncio.CancelledError:
            late.append("refused")
            raise

    async with bench(tmp_path, Say("an answer")) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=stubborn))
        assert result.execution_ms == 60_000 + 5_000
        assert result.completeness is GraphCompleteness.EMPTY
        assert any("does not stop" in said for said in result.warnings)
        release.set()
        await settled()
        assert late == ["refused"]
        assert b.provider.opens == 0
        assert others() == []


@virtually
async def test_a_call_that_a_step_left_behind_ends_with_the_step(tmp_path: Path) -> None:
    async def careless(run: StepRun) -> Any:
        run.inputs["chunking"]
        task = asyncio.ensure_future(run.ask("for nobody"))
        tasks.append(task)
        await asyncio.sleep(1)
        return ["Ada"]

    tasks: list[asyncio.Task[Any]] = []
    async with bench(tmp_path, Hang()) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=careless))
        assert b.provider.opens == 1
        assert b.all_is_back()
    assert tasks[0].cancelled()
    assert result.completeness is GraphCompleteness.COMPLETE


@virtually
async def test_steps_kept_before_the_end_are_there(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=keeping_on))
    assert len(result.outputs["entityExtraction"]) == 59
