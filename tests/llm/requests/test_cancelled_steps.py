"""Stopping one step of a request, and what hangs on it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InvalidInput
from assay.llm.requests.cancellation import find_cascade
from assay.llm.requests.results import StepEnd
from assay.llm.requests.steps import Request, StepSpec
from assay.llm.requests.timeouts import StepTimeout, TimeoutEscalation
from assay.packs.graph.steps import CASCADE, GraphCompleteness
from tests.llm.requests.pipeline import GRAPH, bench, giving, graph_request, hanging
from tests.llm.requests.stopping import M, cancelled_after, signal
from tests.llm.virtual import virtually


@pytest.mark.parametrize("step", list(CASCADE))
@virtually
async def test_cancelling_a_step_cancels_what_hangs_on_it(tmp_path: Path, step: str) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(**{step: hanging("kept")})
        result = await cancelled_after(b, request, 1, signal(M.IMMEDIATE), step)
    assert result.endings[step].end is StepEnd.CANCELLED
    assert set(result.skipped_steps) == find_cascade(step, CASCADE)
    before = list(GRAPH)[: list(GRAPH).index(step)]
    assert all(result.endings[name].end is StepEnd.COMPLETED for name in before)
    assert b.told("request_cancelled") == [{"mode": "immediate", "step": step}]


@virtually
async def test_aborting_a_step_aborts_the_request(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(entityExtraction=hanging("Ada"))
        result = await cancelled_after(b, request, 1, signal(M.ABORT), "entityExtraction")
    assert (result.completeness, result.outputs) == (GraphCompleteness.EMPTY, {})
    assert b.told("request_aborted") == [{}]


@virtually
async def test_without_cascade_the_rest_decides_by_its_needs(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(propertyScoping=hanging())
        wish = signal(M.IMMEDIATE, cascade=False)
        result = await cancelled_after(b, request, 1, wish, "propertyScoping")
        again = graph_request(propertyScoping=hanging())
        of_the_current = await cancelled_after(b, again, 1, wish)
    for found in (result, of_the_current):
        assert found.endings["propertyScoping"].end is StepEnd.CANCELLED
        assert found.outputs["relationExtraction"] == ["Ada lives in Zagreb"]
        assert found.completeness is GraphCompleteness.PARTIAL_EARLY_EXIT


@virtually
async def test_a_step_to_come_is_cancelled_before_it_begins(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(entityExtraction=giving(["Ada"], 5))
        result = await cancelled_after(b, request, 1, signal(M.DRAIN), "grounding")
        assert not b.supervisor.cancel(signal(M.DRAIN), step="grounding")
    assert result.outputs["relationExtraction"] == ["Ada lives in Zagreb"]
    assert result.skipped_steps == ("grounding", "serialization")


@virtually
async def test_a_step_that_is_over_or_unknown_cannot_be_cancelled(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        running = asyncio.create_task(
            b.supervisor.run(graph_request(entityExtraction=giving(["Ada"], 5)))
        )
        await asyncio.sleep(1)
        assert not b.supervisor.cancel(signal(M.IMMEDIATE), step="chunking")
        with pytest.raises(InvalidInput, match="has no step 'publication'"):
            b.supervisor.cancel(signal(M.IMMEDIATE), step="publication")
        assert (await running).completeness is GraphCompleteness.COMPLETE


@virtually
async def test_steps_outside_the_table_cascade_by_their_needs(tmp_path: Path) -> None:
    def of(name: str, *needs: str, function: Any = None) -> StepSpec:
        timeout = StepTimeout(
            soft_ms=1_000, hard_ms=2_000,
            escalation=TimeoutEscalation.SKIP_STEP, allow_partial=True,
        )  # fmt: skip
        return StepSpec(
            name=name, function=function or giving([name]), needs=needs, timeout=timeout
        )

    request = Request(
        request_id="r1",
        steps=(of("read", function=hanging("half")), of("draft", "read"), of("print", "draft"),
                of("index")),
    )  # fmt: skip
    async with bench(tmp_path) as b:
        result = await cancelled_after(b, request, 1, signal(M.IMMEDIATE), "read")
    assert result.skipped_steps == ("draft", "print")
    assert result.outputs == {"read": ("half",), "index": ["index"]}
