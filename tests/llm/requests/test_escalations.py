"""What follows a step that took too long: every escalation, on virtual time."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.llm.requests.results import StepEnd
from assay.llm.requests.step_run import StepRun
from assay.llm.requests.steps import FallenStep
from assay.llm.requests.timeouts import TimeoutEscalation
from assay.packs.graph.steps import GraphCompleteness
from tests.llm.requests.pipeline import (
    bench,
    giving,
    graph_request,
    hanging,
    raising,
    spec_of,
    timeout_of,
)
from tests.llm.virtual import virtually

E = TimeoutEscalation


@virtually
async def test_reduce_scope_retry_with_a_smaller_payload(tmp_path: Path) -> None:
    attempts: list[tuple[int, Any, tuple[Any, ...]]] = []

    async def slow_on_many(run: StepRun) -> Any:
        attempts.append((run.attempt, run.payload, run.earlier))
        for chunk in run.payload:
            await asyncio.sleep(25)
            run.keep(f"entity of {chunk}")
        return list(run.kept)

    entities = spec_of(
        "entityExtraction",
        slow_on_many,
        reduce_scope=lambda attempt, chunks: chunks[: len(chunks) // 2],
    )
    async with bench(tmp_path) as b:
        request = graph_request(chunking=giving(list("abcdefgh")), entityExtraction=entities)
        result = await b.supervisor.run(request)
    early = ("entity of a", "entity of b")
    assert attempts == [(1, list("abcdefgh"), ()), (2, list("abcd"), early), (3, ["a", "b"], early)]
    assert result.execution_ms == 60_000 + 60_000 + 50_000
    assert result.outputs["entityExtraction"] == ["entity of a", "entity of b"]
    assert result.endings["entityExtraction"].end is StepEnd.DEGRADED
    assert result.outputs["relationExtraction"] == ["Ada lives in Zagreb"]
    assert result.completeness is GraphCompleteness.PARTIAL_EARLY_EXIT
    assert len(b.told("step_timeout")) == 2
    assert b.told("timeout_recovery") == [{"step": "entityExtraction", "how": "retry"}]


@pytest.mark.parametrize(("step", "retries"), [("entityExtraction", 3), ("relationExtraction", 2)])
@virtually
async def test_reduce_scope_retry_ends_with_the_best_that_was_kept(
    tmp_path: Path, step: str, retries: int
) -> None:
    kept_by_attempt = {1: ["a"], 2: ["a", "b", "c"], 3: ["b"], 4: []}
    seen: list[int] = []

    async def never(run: StepRun) -> Any:
        seen.append(run.attempt)
        for item in kept_by_attempt[run.attempt]:
            run.keep(item)
        await asyncio.Event().wait()

    spec = spec_of(step, never, reduce_scope=lambda attempt, payload: payload)
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(**{step: spec}))
    assert seen == list(range(1, retries + 2))
    assert result.outputs[step] == ("a", "b", "c")
    assert result.endings[step].end is StepEnd.TIMED_OUT
    assert b.told("timeout_recovery") == [{"step": step, "how": "partial"}]


@pytest.mark.parametrize("hook", [None, lambda attempt, payload: None], ids=["no hook", "None"])
@virtually
async def test_what_cannot_be_reduced_is_not_tried_again(tmp_path: Path, hook: Any) -> None:
    spec = spec_of("entityExtraction", hanging("Ada"), reduce_scope=hook)
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=spec))
    assert result.execution_ms == 60_000
    assert result.outputs["entityExtraction"] == ("Ada",)
    assert result.completeness is GraphCompleteness.PARTIAL_ENTITY_ONLY


@virtually
async def test_a_hook_that_fails_is_told_and_costs_nothing_else(tmp_path: Path) -> None:
    def broken(attempt: int, payload: Any) -> Any:
        raise KeyError("no such chunk")

    spec = spec_of("entityExtraction", hanging("Ada"), reduce_scope=broken)
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=spec))
    assert result.outputs["entityExtraction"] == ("Ada",)
    assert any("reduce_scope of step 'entityExtraction'" in said for said in result.warnings)


@virtually
async def test_warn_continue_takes_what_there_is_for_all(tmp_path: Path) -> None:
    spec = spec_of(
        "entityExtraction",
        hanging("Ada"),
        timeout=timeout_of("entityExtraction", E.WARN_CONTINUE, max_retries=0),
    )
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=spec))
    assert result.endings["entityExtraction"].end is StepEnd.DEGRADED
    assert result.outputs["relationExtraction"] == ["Ada lives in Zagreb"]
    assert result.completeness is GraphCompleteness.PARTIAL_EARLY_EXIT
    assert b.told("step_timeout") == [{"step": "entityExtraction", "escalation": "warn_continue"}]


@virtually
async def test_fallback_cache_uses_the_hook_after_its_retry(tmp_path: Path) -> None:
    told: list[FallenStep] = []

    async def cached(fallen: FallenStep) -> Any:
        told.append(fallen)
        await asyncio.sleep(1)
        return ["yes, as last week"]

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(
            graph_request(grounding=spec_of("grounding", hanging("no"), fallback=cached))
        )
    assert result.completeness is GraphCompleteness.FALLBACK_CACHE
    assert result.outputs["grounding"] == ["yes, as last week"]
    assert result.execution_ms == 30_000 + 30_000 + 1_000
    assert told[0].kept == ("no",)
    assert told[0].inputs["relationExtraction"] == ["Ada lives in Zagreb"]
    assert told[0].error is None
    assert b.told("timeout_recovery") == [{"step": "grounding", "how": "fallback"}]


@pytest.mark.parametrize(
    "hook", [None, lambda fallen: None, raising(ValueError("no cache"))],
    ids=["no hook", "nothing", "an error"],
)  # fmt: skip
@virtually
async def test_grounding_without_a_fallback_leaves_relations_unverified(
    tmp_path: Path, hook: Any
) -> None:
    spec = spec_of("grounding", hanging(), fallback=hook and (lambda fallen: hook(None)))
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(grounding=spec))
    assert result.completeness is GraphCompleteness.COMPLETE
    assert result.unverified
    assert result.endings["grounding"].end is StepEnd.TIMED_OUT
    assert result.outputs["serialization"] == "a graph"


@virtually
async def test_a_retry_of_the_same_payload_completes_the_step(tmp_path: Path) -> None:
    async def better_the_second_time(run: StepRun) -> Any:
        await asyncio.sleep(40 if run.attempt == 1 else 1)
        return ["yes"]

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(grounding=better_the_second_time))
    assert result.completeness is GraphCompleteness.COMPLETE
    assert not result.unverified
    assert result.failed_steps == ()


@virtually
async def test_skip_step_goes_on_without_it(tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []

    async def broad(run: StepRun) -> Any:
        seen.append(dict(run.inputs))
        return ["Ada lives in Zagreb"]

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(
            graph_request(propertyScoping=hanging(), relationExtraction=broad)
        )
    assert result.completeness is GraphCompleteness.PARTIAL_EARLY_EXIT
    assert "propertyScoping" not in seen[0]
    assert seen[0]["entityExtraction"] == ["Ada", "Zagreb"]
    assert b.told("timeout_recovery") == [{"step": "propertyScoping", "how": "skip"}]


@virtually
async def test_a_skipped_step_may_leave_what_it_had(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(propertyScoping=hanging("lives in")))
    assert result.outputs["propertyScoping"] == ("lives in",)
    assert result.completeness is GraphCompleteness.PARTIAL_EARLY_EXIT


@virtually
async def test_properties_of_a_scoping_that_timed_out_may_come_from_a_cache(tmp_path: Path) -> None:
    """They help the next step; the result is still one that ended on the way."""
    scoping = spec_of("propertyScoping", hanging(), fallback=lambda fallen: ["of last week"])
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(propertyScoping=scoping))
    assert result.outputs["propertyScoping"] == ["of last week"]
    assert result.completeness is GraphCompleteness.PARTIAL_EARLY_EXIT
    assert b.told("timeout_recovery") == [{"step": "propertyScoping", "how": "fallback"}]


@virtually
async def test_a_chunking_timeout_makes_one_chunk_of_the_whole_text(tmp_path: Path) -> None:
    seen: list[Any] = []

    async def entities(run: StepRun) -> Any:
        seen.append(run.payload)
        return ["Ada"]

    chunking = spec_of("chunking", hanging("half"), fallback=lambda fallen: [fallen.payload])
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(chunking=chunking, entityExtraction=entities))
    assert seen == [["the text"]]
    assert result.completeness is GraphCompleteness.COMPLETE
    assert result.failed_steps[0].step == "chunking"


@virtually
async def test_abort_pipeline_stops_the_request_with_an_error(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(serialization=hanging("half a graph"))
        after = spec_of("chunking", giving("never"), name="publication",
                        timeout=timeout_of("chunking", E.SKIP_STEP))  # fmt: skip
        result = await b.supervisor.run(replace(request, steps=(*request.steps, after)))
    assert result.error is not None
    assert (result.error.step, result.error.error_code) == ("serialization", "timed_out")
    assert "serialization" not in result.outputs
    assert result.outputs["relationExtraction"] == ["Ada lives in Zagreb"]
    assert result.completeness is GraphCompleteness.PARTIAL_EARLY_EXIT
    assert result.skipped_steps == ("publication",)
    assert b.told("request_aborted") == [{}]
    assert b.told("timeout_recovery") == []


@virtually
async def test_a_step_that_the_request_cannot_do_without_aborts_it_by_any_error(
    tmp_path: Path,
) -> None:
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(serialization=raising(KeyError("x"))))
    assert result.error is not None
    assert result.error.error_code == "stage_crashed"
