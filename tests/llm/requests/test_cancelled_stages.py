"""Stopping one stage of a request, and what hangs on it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InvalidInput
from assay.llm.requests.cancellation import CASCADE, cascade
from assay.llm.requests.results import Completeness, End
from assay.llm.requests.stage_run import Request, StageSpec
from assay.llm.requests.timeouts import StageTimeout, TimeoutEscalation
from tests.llm.requests.pipeline import GRAPH, bench, giving, graph_request, hanging
from tests.llm.requests.stopping import M, cancelled_after, signal
from tests.llm.virtual import virtually


@pytest.mark.parametrize("stage", list(CASCADE))
@virtually
async def test_cancelling_a_stage_cancels_what_hangs_on_it(tmp_path: Path, stage: str) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(**{stage: hanging("kept")})
        result = await cancelled_after(b, request, 1, signal(M.IMMEDIATE), stage)
    assert result.endings[stage].end is End.CANCELLED
    assert set(result.skipped_stages) == cascade(stage)
    before = list(GRAPH)[: list(GRAPH).index(stage)]
    assert all(result.endings[name].end is End.COMPLETED for name in before)
    assert b.told("request_cancelled") == [{"mode": "immediate", "stage": stage}]


@virtually
async def test_aborting_a_stage_aborts_the_request(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(entityExtraction=hanging("Ada"))
        result = await cancelled_after(b, request, 1, signal(M.ABORT), "entityExtraction")
    assert (result.completeness, result.outputs) == (Completeness.EMPTY, {})
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
        assert found.endings["propertyScoping"].end is End.CANCELLED
        assert found.outputs["relationExtraction"] == ["Ada lives in Zagreb"]
        assert found.completeness is Completeness.PARTIAL_EARLY_EXIT


@virtually
async def test_a_stage_to_come_is_cancelled_before_it_begins(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(entityExtraction=giving(["Ada"], 5))
        result = await cancelled_after(b, request, 1, signal(M.DRAIN), "grounding")
        assert not b.supervisor.cancel(signal(M.DRAIN), stage="grounding")
    assert result.outputs["relationExtraction"] == ["Ada lives in Zagreb"]
    assert result.skipped_stages == ("grounding", "serialization")


@virtually
async def test_a_stage_that_is_over_or_unknown_cannot_be_cancelled(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        running = asyncio.create_task(
            b.supervisor.run(graph_request(entityExtraction=giving(["Ada"], 5)))
        )
        await asyncio.sleep(1)
        assert not b.supervisor.cancel(signal(M.IMMEDIATE), stage="chunking")
        with pytest.raises(InvalidInput, match="has no stage 'publication'"):
            b.supervisor.cancel(signal(M.IMMEDIATE), stage="publication")
        assert (await running).completeness is Completeness.COMPLETE


@virtually
async def test_stages_outside_the_table_cascade_by_their_needs(tmp_path: Path) -> None:
    def of(name: str, *needs: str, function: Any = None) -> StageSpec:
        timeout = StageTimeout(
            stage=name, soft_ms=1_000, hard_ms=2_000,
            escalation=TimeoutEscalation.SKIP_STAGE, allow_partial=True,
        )  # fmt: skip
        return StageSpec(
            name=name, function=function or giving([name]), needs=needs, timeout=timeout
        )

    request = Request(
        request_id="r1",
        stages=(of("read", function=hanging("half")), of("draft", "read"), of("print", "draft"),
                of("index")),
    )  # fmt: skip
    async with bench(tmp_path) as b:
        result = await cancelled_after(b, request, 1, signal(M.IMMEDIATE), "read")
    assert result.skipped_stages == ("draft", "print")
    assert result.outputs == {"read": ("half",), "index": ["index"]}
