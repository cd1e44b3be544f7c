"""The time of a stage: the table, the warning, and every escalation, on virtual time."""

import asyncio
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InvalidInput
from assay.llm.doubles.scripted import Hang, Say
from assay.llm.requests.results import Completeness, End
from assay.llm.requests.stage_run import Fallen, StageRun
from assay.llm.requests.timeouts import DEFAULT_STAGE_TIMEOUTS, StageTimeout, TimeoutEscalation
from tests.llm.pipeline import (
    bench,
    giving,
    graph_request,
    hanging,
    keeping_on,
    raising,
    spec_of,
)
from tests.llm.virtual import others, settled, virtually

E = TimeoutEscalation


def timeout_of(stage: str, escalation: TimeoutEscalation, **changed: Any) -> StageTimeout:
    return replace(DEFAULT_STAGE_TIMEOUTS[stage], escalation=escalation, **changed)


def test_the_table_is_the_specification_s() -> None:
    found = {
        stage: (t.soft_ms, t.hard_ms, t.escalation, t.allow_partial, t.max_retries)
        for stage, t in DEFAULT_STAGE_TIMEOUTS.items()
    }
    assert found == {
        "chunking": (3_000, 5_000, E.SKIP_STAGE, False, 0),
        "entityExtraction": (45_000, 60_000, E.REDUCE_SCOPE_RETRY, True, 3),
        "propertyScoping": (10_000, 15_000, E.SKIP_STAGE, True, 0),
        "relationExtraction": (45_000, 60_000, E.REDUCE_SCOPE_RETRY, True, 2),
        "grounding": (20_000, 30_000, E.FALLBACK_CACHE, True, 1),
        "serialization": (5_000, 10_000, E.ABORT_PIPELINE, False, 0),
    }
    assert all(timeout.stage == stage for stage, timeout in DEFAULT_STAGE_TIMEOUTS.items())


@pytest.mark.parametrize(
    "changed", [{"soft_ms": 0}, {"soft_ms": 60_001}, {"hard_ms": 0}, {"max_retries": -1}]
)
def test_a_time_that_cannot_be_is_refused(changed: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        timeout_of("entityExtraction", E.SKIP_STAGE, **changed)


@virtually
async def test_a_soft_timeout_warns_and_the_stage_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "assay.llm")
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=giving(["Ada"], 50)))
    assert result.completeness is Completeness.COMPLETE
    assert result.warnings == ("Stage 'entityExtraction' took longer than 45000 ms.",)
    assert result.execution_ms == 50_000
    fields = {r.message: r.__dict__["assay"] for r in caplog.records if r.levelname == "WARNING"}
    line = fields["Stage soft timeout exceeded"]
    assert line["stage"] == "entityExtraction"
    assert line["request_id"] == "r1"
    assert (line["elapsed_ms"], line["soft_limit_ms"]) == (45_000, 45_000)
    assert line["reaction"] == "continuing with timeout escalation"
    assert b.told("stage_timeout") == []


@virtually
async def test_a_hard_timeout_says_what_was_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "assay.llm")
    async with bench(tmp_path) as b:
        await b.supervisor.run(graph_request(entityExtraction=hanging(*range(12))))
    lines = [record.__dict__["assay"] for record in caplog.records if record.levelname == "ERROR"]
    assert [line["action"] for line in lines] == ["stage_hard_timeout"]
    assert lines[0]["stage"] == "entityExtraction"
    assert (lines[0]["elapsed_ms"], lines[0]["hard_limit_ms"]) == (60_000, 60_000)
    assert lines[0]["reaction"] == "cancelling stage"
    assert lines[0]["partial_results"] == {"items": 12}
    started = [r.__dict__["assay"] for r in caplog.records if r.message == "Stage started"]
    entity = next(line for line in started if line["stage"] == "entityExtraction")
    assert (entity["budget_ms"], entity["budget_tokens"]) == (60_000, 1440)


@virtually
async def test_a_hard_timeout_really_ends_the_stage_and_its_call(tmp_path: Path) -> None:
    """The connection closes, the permit is back, what was said is charged."""
    woken: list[str] = []

    async def asks(run: StageRun) -> Any:
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
async def test_reduce_scope_retry_with_a_smaller_payload(tmp_path: Path) -> None:
    attempts: list[tuple[int, Any, tuple[Any, ...]]] = []

    async def slow_on_many(run: StageRun) -> Any:
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
    assert result.endings["entityExtraction"].end is End.DEGRADED
    assert result.outputs["relationExtraction"] == ["Ada lives in Zagreb"]
    assert result.completeness is Completeness.PARTIAL_EARLY_EXIT
    assert len(b.told("stage_timeout")) == 2
    assert b.told("timeout_recovery") == [{"stage": "entityExtraction", "how": "retry"}]


@pytest.mark.parametrize(("stage", "retries"), [("entityExtraction", 3), ("relationExtraction", 2)])
@virtually
async def test_reduce_scope_retry_ends_with_the_best_that_was_kept(
    tmp_path: Path, stage: str, retries: int
) -> None:
    kept_by_attempt = {1: ["a"], 2: ["a", "b", "c"], 3: ["b"], 4: []}
    seen: list[int] = []

    async def never(run: StageRun) -> Any:
        seen.append(run.attempt)
        for item in kept_by_attempt[run.attempt]:
            run.keep(item)
        await asyncio.Event().wait()

    spec = spec_of(stage, never, reduce_scope=lambda attempt, payload: payload)
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(**{stage: spec}))
    assert seen == list(range(1, retries + 2))
    assert result.outputs[stage] == ("a", "b", "c")
    assert result.endings[stage].end is End.TIMED_OUT
    assert b.told("timeout_recovery") == [{"stage": stage, "how": "partial"}]


@pytest.mark.parametrize("hook", [None, lambda attempt, payload: None], ids=["no hook", "None"])
@virtually
async def test_what_cannot_be_reduced_is_not_tried_again(tmp_path: Path, hook: Any) -> None:
    spec = spec_of("entityExtraction", hanging("Ada"), reduce_scope=hook)
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=spec))
    assert result.execution_ms == 60_000
    assert result.outputs["entityExtraction"] == ("Ada",)
    assert result.completeness is Completeness.PARTIAL_ENTITY_ONLY


@virtually
async def test_a_hook_that_fails_is_told_and_costs_nothing_else(tmp_path: Path) -> None:
    def broken(attempt: int, payload: Any) -> Any:
        raise KeyError("no such chunk")

    spec = spec_of("entityExtraction", hanging("Ada"), reduce_scope=broken)
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=spec))
    assert result.outputs["entityExtraction"] == ("Ada",)
    assert any("reduce_scope of stage 'entityExtraction'" in said for said in result.warnings)


@virtually
async def test_warn_continue_takes_what_there_is_for_all(tmp_path: Path) -> None:
    spec = spec_of(
        "entityExtraction",
        hanging("Ada"),
        timeout=timeout_of("entityExtraction", E.WARN_CONTINUE, max_retries=0),
    )
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=spec))
    assert result.endings["entityExtraction"].end is End.DEGRADED
    assert result.outputs["relationExtraction"] == ["Ada lives in Zagreb"]
    assert result.completeness is Completeness.PARTIAL_EARLY_EXIT
    assert b.told("stage_timeout") == [{"stage": "entityExtraction", "escalation": "warn_continue"}]


@virtually
async def test_fallback_cache_uses_the_hook_after_its_retry(tmp_path: Path) -> None:
    told: list[Fallen] = []

    async def cached(fallen: Fallen) -> Any:
        told.append(fallen)
        await asyncio.sleep(1)
        return ["yes, as last week"]

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(
            graph_request(grounding=spec_of("grounding", hanging("no"), fallback=cached))
        )
    assert result.completeness is Completeness.FALLBACK_CACHE
    assert result.outputs["grounding"] == ["yes, as last week"]
    assert result.execution_ms == 30_000 + 30_000 + 1_000
    assert told[0].kept == ("no",)
    assert told[0].inputs["relationExtraction"] == ["Ada lives in Zagreb"]
    assert told[0].error is None
    assert b.told("timeout_recovery") == [{"stage": "grounding", "how": "fallback"}]


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
    assert result.completeness is Completeness.COMPLETE
    assert result.unverified
    assert result.endings["grounding"].end is End.TIMED_OUT
    assert result.outputs["serialization"] == "a graph"


@virtually
async def test_a_retry_of_the_same_payload_completes_the_stage(tmp_path: Path) -> None:
    async def better_the_second_time(run: StageRun) -> Any:
        await asyncio.sleep(40 if run.attempt == 1 else 1)
        return ["yes"]

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(grounding=better_the_second_time))
    assert result.completeness is Completeness.COMPLETE
    assert not result.unverified
    assert result.failed_stages == ()


@virtually
async def test_skip_stage_goes_on_without_it(tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []

    async def broad(run: StageRun) -> Any:
        seen.append(dict(run.inputs))
        return ["Ada lives in Zagreb"]

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(
            graph_request(propertyScoping=hanging(), relationExtraction=broad)
        )
    assert result.completeness is Completeness.PARTIAL_EARLY_EXIT
    assert "propertyScoping" not in seen[0]
    assert seen[0]["entityExtraction"] == ["Ada", "Zagreb"]
    assert b.told("timeout_recovery") == [{"stage": "propertyScoping", "how": "skip"}]


@virtually
async def test_a_skipped_stage_may_leave_what_it_had(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(propertyScoping=hanging("lives in")))
    assert result.outputs["propertyScoping"] == ("lives in",)
    assert result.completeness is Completeness.PARTIAL_EARLY_EXIT


@virtually
async def test_properties_of_a_scoping_that_timed_out_may_come_from_a_cache(tmp_path: Path) -> None:
    """They help the next stage; the result is still one that ended on the way."""
    scoping = spec_of("propertyScoping", hanging(), fallback=lambda fallen: ["of last week"])
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(propertyScoping=scoping))
    assert result.outputs["propertyScoping"] == ["of last week"]
    assert result.completeness is Completeness.PARTIAL_EARLY_EXIT
    assert b.told("timeout_recovery") == [{"stage": "propertyScoping", "how": "fallback"}]


@virtually
async def test_a_chunking_timeout_makes_one_chunk_of_the_whole_text(tmp_path: Path) -> None:
    seen: list[Any] = []

    async def entities(run: StageRun) -> Any:
        seen.append(run.payload)
        return ["Ada"]

    chunking = spec_of("chunking", hanging("half"), fallback=lambda fallen: [fallen.payload])
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(chunking=chunking, entityExtraction=entities))
    assert seen == [["the text"]]
    assert result.completeness is Completeness.COMPLETE
    assert result.failed_stages[0].stage == "chunking"


@virtually
async def test_abort_pipeline_stops_the_request_with_an_error(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(serialization=hanging("half a graph"))
        after = spec_of("chunking", giving("never"), name="publication",
                        timeout=timeout_of("chunking", E.SKIP_STAGE))  # fmt: skip
        result = await b.supervisor.run(replace(request, stages=(*request.stages, after)))
    assert result.error is not None
    assert (result.error.stage, result.error.error_code) == ("serialization", "timed_out")
    assert "serialization" not in result.outputs
    assert result.outputs["relationExtraction"] == ["Ada lives in Zagreb"]
    assert result.completeness is Completeness.PARTIAL_EARLY_EXIT
    assert result.skipped_stages == ("publication",)
    assert b.told("request_aborted") == [{}]
    assert b.told("timeout_recovery") == []


@virtually
async def test_a_stage_that_the_request_cannot_do_without_aborts_it_by_any_error(
    tmp_path: Path,
) -> None:
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(serialization=raising(KeyError("x"))))
    assert result.error is not None
    assert result.error.error_code == "stage_crashed"


@virtually
async def test_every_attempt_has_the_whole_time_and_its_own_resources(tmp_path: Path) -> None:
    closed: list[str] = []

    async def stage(run: StageRun) -> Any:
        run.resource(lambda: closed.append(f"folder {run.attempt}"))
        if run.attempt == 1:
            await asyncio.Event().wait()
        assert closed == ["folder 1"]
        await asyncio.sleep(59)
        return ["Ada"]

    spec = spec_of("entityExtraction", stage, reduce_scope=lambda attempt, payload: payload[:1])
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=spec))
    assert closed == ["folder 1", "folder 2"]
    assert result.execution_ms == 119_000


@virtually
async def test_a_stage_that_does_not_stop_is_left_behind(tmp_path: Path) -> None:
    release = asyncio.Event()
    late: list[str] = []

    async def stubborn(run: StageRun) -> Any:
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
        assert result.completeness is Completeness.EMPTY
        assert any("does not stop" in said for said in result.warnings)
        release.set()
        await settled()
        assert late == ["refused"]
        assert b.provider.opens == 0
        assert others() == []


@virtually
async def test_a_call_that_a_stage_left_behind_ends_with_the_stage(tmp_path: Path) -> None:
    async def careless(run: StageRun) -> Any:
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
    assert result.completeness is Completeness.COMPLETE


@virtually
async def test_steps_kept_before_the_end_are_there(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=keeping_on))
    assert len(result.outputs["entityExtraction"]) == 59
