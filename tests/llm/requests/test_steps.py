"""Steps and their needs: run in order, on what there is, and refused where they cannot run."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.errors import ContractViolation, InvalidInput, ProviderFailed
from assay.llm.requests.results import Completeness, ResultRule, StepEnd
from assay.llm.requests.step_run import StepRun
from assay.llm.requests.steps import Request, StepNeed, StepSpec
from assay.llm.requests.supervisor import Supervisor
from assay.llm.requests.timeouts import StepTimeout, TimeoutEscalation
from assay.packs.graph.steps import GraphCompleteness
from tests.llm.requests.pipeline import (
    GRAPH,
    asking,
    bench,
    graph_request,
    hanging,
    raising,
    spec_of,
)
from tests.llm.virtual import virtually


@virtually
async def test_steps_run_in_order_on_what_they_need(tmp_path: Path) -> None:
    seen: dict[str, Mapping[str, Any]] = {}

    def noting(name: str) -> Any:
        async def step(run: StepRun) -> Any:
            assert run.request_id == "r1"
            seen[name] = dict(run.inputs)
            return [f"{name} of {run.payload}"]

        return step

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(**{name: noting(name) for name in GRAPH}))
    assert list(seen) == list(GRAPH)
    assert seen["chunking"] == {}
    assert seen["relationExtraction"].keys() == {"entityExtraction", "propertyScoping"}
    assert result.outputs["chunking"] == ["chunking of the text"]
    assert result.outputs["entityExtraction"] == ["entityExtraction of ['chunking of the text']"]
    assert result.completeness is GraphCompleteness.COMPLETE
    assert (result.failed_steps, result.skipped_steps, result.warnings) == ((), (), ())
    assert b.told("result") == [{"completeness": "complete"}]
    assert b.told("tokens_allocated") == [{"tokens": 4096}]


@pytest.mark.parametrize(
    ("need", "kept", "starts"),
    [
        ("entityExtraction", ("Ada",), True),
        ("entityExtraction", (), False),
        (StepNeed("entityExtraction", whole=True), ("Ada",), False),
        (StepNeed("entityExtraction", optional=True), (), True),
    ],
)
@virtually
async def test_what_a_step_does_with_less_than_it_needs(
    tmp_path: Path, need: str | StepNeed, kept: tuple[str, ...], starts: bool
) -> None:
    scoping = spec_of("propertyScoping", needs=(need,))
    failing = raising(ProviderFailed("It is down."), *kept)
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(
            graph_request(entityExtraction=failing, propertyScoping=scoping)
        )
    assert ("propertyScoping" in result.outputs) is starts
    assert result.endings["entityExtraction"].end is StepEnd.FAILED


@virtually
async def test_a_crash_is_a_failed_step_with_its_traceback_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(
            graph_request(propertyScoping=raising(ZeroDivisionError("by zero")))
        )
    failure = result.failed_steps[0]
    assert (failure.step, failure.error_code) == ("propertyScoping", "stage_crashed")
    assert failure.reason == "Step propertyScoping raised ZeroDivisionError: by zero."
    assert any(
        r.exc_info for r in caplog.records if r.__dict__["assay"]["action"] == "step_crashed"
    )


@virtually
async def test_a_step_that_cancels_itself_has_failed(tmp_path: Path) -> None:
    async def confused(run: StepRun) -> Any:
        raise asyncio.CancelledError

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(propertyScoping=confused))
    assert result.endings["propertyScoping"].end is StepEnd.FAILED
    assert result.completeness is GraphCompleteness.PARTIAL_EARLY_EXIT


@virtually
async def test_what_was_kept_can_be_assembled(tmp_path: Path) -> None:
    spec = spec_of(
        "entityExtraction",
        hanging("Ada", "Zagreb"),
        assemble=lambda kept: {"entities": kept},
        count=lambda output: len(output["entities"]),
    )
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=spec))
    assert result.outputs["entityExtraction"] == {"entities": ("Ada", "Zagreb")}
    assert result.endings["entityExtraction"].items == 2


@virtually
async def test_a_pipeline_whose_own_rule_is_broken_tells_who_waits(tmp_path: Path) -> None:
    def broken(endings: Mapping[str, Any]) -> GraphCompleteness:
        raise KeyError("no such step")

    async with bench(tmp_path) as b:
        request = replace(graph_request(), rule=ResultRule(completeness=broken))
        with pytest.raises(KeyError):
            await b.supervisor.run(request)
        assert b.supervisor.list_running() == ()


@virtually
async def test_an_undeclared_model_call_is_refused(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(propertyScoping=asking("may I?")))
        assert b.provider.opens == 0
    assert isinstance(result.failed_steps[0].error, ContractViolation)


BAD_PIPELINES = {
    "at least one step": (),
    "declared twice": (GRAPH["chunking"], GRAPH["chunking"]),
    "does not come before it": (GRAPH["entityExtraction"], GRAPH["chunking"]),
    "does not declare it in needs": (replace(GRAPH["chunking"], takes="entityExtraction"),),
}


@pytest.mark.parametrize("why", BAD_PIPELINES)
@virtually
async def test_a_pipeline_that_cannot_run_is_refused_before_it_begins(
    tmp_path: Path, why: str
) -> None:
    async with bench(tmp_path) as b:
        with pytest.raises(InvalidInput, match=why):
            await b.supervisor.run(Request(steps=BAD_PIPELINES[why]))
        assert b.seen == []


@virtually
async def test_other_timeouts_can_be_given(tmp_path: Path) -> None:
    draft = StepTimeout(
        soft_ms=10, hard_ms=20, escalation=TimeoutEscalation.SKIP_STEP,
        allow_partial=False,
    )  # fmt: skip
    async with bench(tmp_path) as b:
        steps = (StepSpec(name="draft", function=hanging("half"), timeout=draft),)
        result = await Supervisor(b.plane).run(Request(steps=steps))
    assert result.execution_ms == 20
    assert result.completeness is Completeness.EMPTY


@virtually
async def test_with_patience_every_step_has_more_time(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        patient = Supervisor(b.plane, patience=2.5)
        result = await patient.run(graph_request(chunking=hanging("half")))
    assert result.execution_ms == 12_500
    assert result.endings["chunking"].end is StepEnd.TIMED_OUT
