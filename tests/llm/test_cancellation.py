"""Stopping: every mode, every row of the cascade table, the scopes, and the order of cleaning."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InvalidInput
from assay.llm.doubles.scripted import Hang, Say
from assay.llm.requests import cancellation
from assay.llm.requests.cancellation import (
    CASCADE,
    CLEAN_UP_ORDER,
    CancellationMode,
    CancellationSignal,
    CascadeRow,
    CleanUp,
    CleanUpAction,
    Scope,
    cascade,
)
from assay.llm.requests.results import Completeness, End, RequestResult
from assay.llm.requests.stage_run import Request, StageRun, StageSpec
from assay.llm.requests.timeouts import StageTimeout, TimeoutEscalation
from tests.llm.pipeline import (
    GRAPH,
    Bench,
    bench,
    giving,
    graph_request,
    hanging,
    keeping_on,
)
from tests.llm.virtual import LoopClock, others, settled, virtually

M = CancellationMode


def signal(
    mode: CancellationMode, timeout_ms: int | None = None, **more: Any
) -> CancellationSignal:
    return CancellationSignal(
        request_id="r1", mode=mode, reason="user_request", timeout_ms=timeout_ms, **more
    )


async def cancelled_after(
    b: Bench, request: Request, seconds: float, wish: CancellationSignal, stage: str | None = None
) -> RequestResult:
    running = asyncio.create_task(b.supervisor.run(request))
    await asyncio.sleep(seconds)
    assert b.supervisor.cancel(wish, stage=stage)
    return await running


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "mode", "timeout_ms"),
    [
        ("user_request", M.GRACEFUL, 30_000),
        ("timeout", M.IMMEDIATE, 5_000),
        ("resource_exhaustion", M.GRACEFUL, 30_000),
    ],
)
def test_the_signal_of_a_reason(reason: str, mode: CancellationMode, timeout_ms: int) -> None:
    found = CancellationSignal.for_reason("r1", reason)
    assert found == CancellationSignal(
        request_id="r1", mode=mode, reason=reason, cascade=True, timeout_ms=timeout_ms
    )


def test_an_unknown_reason_is_refused() -> None:
    with pytest.raises(InvalidInput, match="none of"):
        CancellationSignal.for_reason("r1", "boredom")


ROWS = [
    (
        "chunking", {"entityExtraction", "propertyScoping"}, {"entityExtraction"}, 1_000, (),
        {"entityExtraction", "propertyScoping", "relationExtraction", "grounding",
         "serialization"},
    ),
    (
        "entityExtraction", {"relationExtraction", "grounding"},
        {"propertyScoping", "relationExtraction"}, 5_000,
        ("abort_llm_call", "drain_stream", "release_semaphore"),
        {"propertyScoping", "relationExtraction", "grounding", "serialization"},
    ),
    (
        "propertyScoping", {"relationExtraction"}, {"relationExtraction"}, 2_000, (),
        {"relationExtraction", "grounding", "serialization"},
    ),
    (
        "relationExtraction", {"grounding"}, {"grounding"}, 5_000,
        ("abort_llm_call", "release_semaphore"), {"grounding", "serialization"},
    ),
    (
        "grounding", {"serialization"}, {"serialization"}, 3_000, ("abort_llm_call",),
        {"serialization"},
    ),
    ("serialization", set(), set(), 2_000, (), set()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("stage", "siblings", "dependents", "exit_ms", "actions", "all_of_them"),
    ROWS,
    ids=[str(row[0]) for row in ROWS],
)
def test_each_row_of_the_cascade_table(
    stage: str,
    siblings: set[str],
    dependents: set[str],
    exit_ms: int,
    actions: tuple[str, ...],
    all_of_them: set[str],
) -> None:
    row = CASCADE[stage]
    assert set(row.cancels_siblings) == siblings
    assert set(row.dependents) == dependents
    assert row.graceful_exit_ms == exit_ms
    assert row.clean_up == actions
    assert cascade(stage) == all_of_them


def test_the_table_has_the_six_stages_and_no_other() -> None:
    assert CASCADE.keys() == GRAPH.keys()
    with pytest.raises(InvalidInput, match="no stage"):
        cascade("publication")


def test_a_cascade_that_goes_in_a_circle_ends() -> None:
    table = {"a": CascadeRow(dependents=("b",)), "b": CascadeRow(dependents=("a", "c"))}
    assert cascade("a", table) == {"b", "c"}


def test_every_named_action_is_done_by_a_step() -> None:
    assert [action.step for action in CleanUpAction] == [
        CleanUp.ABORT_MODEL_CALLS,
        CleanUp.ABORT_MODEL_CALLS,
        CleanUp.RELEASE_PERMITS,
    ]


# --- scopes and cleaning up -----------------------------------------------------------------------


@virtually
async def test_cancelling_a_scope_cancels_what_is_under_it_and_nothing_else() -> None:
    request = Scope("request:r1")
    entities, relations = request.child("stage:entities"), request.child("stage:relations")
    call = entities.child("attempt:1").child("call:1")
    assert call.path == "request:r1/stage:entities/attempt:1/call:1"
    assert entities.cancel(signal(M.GRACEFUL))
    assert [scope.mode for scope in (entities, call)] == [M.GRACEFUL, M.GRACEFUL]
    assert [scope.mode for scope in (request, relations)] == [None, None]
    assert entities.child("attempt:2").mode is M.GRACEFUL


@virtually
async def test_a_scope_gives_way_to_a_stronger_signal_only() -> None:
    scope = Scope("request:r1")
    child = scope.child("stage:entities")
    assert [scope.cancel(signal(mode)) for mode in (M.DRAIN, M.GRACEFUL, M.DRAIN)] == [
        True, True, False,
    ]  # fmt: skip
    assert child.cancel(signal(M.ABORT))
    assert scope.cancel(signal(M.IMMEDIATE))
    assert (scope.mode, child.mode) == (M.IMMEDIATE, M.ABORT)


@virtually
async def test_steps_run_in_their_order_and_each_closer_once() -> None:
    request = Scope("request:r1")
    stage = request.child("stage:entities")
    done: list[str] = []

    def note(what: str) -> Callable[[], None]:
        return lambda: done.append(what)

    for step in reversed(CLEAN_UP_ORDER):
        request.register(note(f"{step} of the request"), step)
        stage.register(note(f"{step} of the stage"), step)
    stage.register(note("the folder opened last"), CleanUp.CLOSE_RUN_FOLDERS)
    assert await request.clean_up() == ()
    assert await request.clean_up() == ()
    assert done == [
        "stop_new_work of the stage", "stop_new_work of the request",
        "abort_model_calls of the stage", "abort_model_calls of the request",
        "release_permits of the stage", "release_permits of the request",
        "the folder opened last",
        "close_run_folders of the stage", "close_run_folders of the request",
        "update_metrics of the stage", "update_metrics of the request",
    ]  # fmt: skip


@virtually
async def test_every_step_runs_even_when_all_before_it_fail(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scope = Scope("request:r1")
    done: list[CleanUp] = []
    gone = asyncio.get_running_loop().create_future()
    gone.cancel()

    async def hang() -> None:
        await asyncio.Event().wait()

    def fail() -> None:
        raise OSError("the disk is gone")

    async def meets_a_cancelled_task() -> None:
        await gone

    for step in CLEAN_UP_ORDER:
        for closer in (lambda step=step: done.append(step), hang, fail, meets_a_cancelled_task):
            scope.register(closer, step)
    clock = LoopClock()
    began_ms = clock.now_ms()
    failures = await scope.clean_up()
    assert done == list(CLEAN_UP_ORDER)
    assert [failure.step for failure in failures] == [s for s in CLEAN_UP_ORDER for _ in range(3)]
    assert clock.now_ms() - began_ms == len(CLEAN_UP_ORDER) * cancellation.CLOSER_TIMEOUT_S * 1000
    lines = [record.__dict__["assay"] for record in caplog.records]
    assert {line["action"] for line in lines} == {"clean_up_failed"}
    assert {line["step"] for line in lines} == {step.value for step in CLEAN_UP_ORDER}


@virtually
async def test_a_cancelled_request_is_cleaned_up_in_order(tmp_path: Path) -> None:
    done: list[str] = []

    async def stage(run: StageRun) -> Any:
        run.resource(lambda: done.append("folder closed"))
        run.resource(lambda: done.append("permit released"), step=CleanUp.RELEASE_PERMITS)
        run.resource(lambda: done.append("new work stopped"), step=CleanUp.STOP_NEW_WORK)
        try:
            await run.ask("a question without an answer")
        finally:
            done.append("call ended")

    async with bench(tmp_path, Hang()) as b:
        b.seen = _Noting(done)
        request = graph_request(entityExtraction=stage)
        await cancelled_after(b, request, 1, signal(M.IMMEDIATE))
        assert b.all_is_back()
    assert done == [
        "new work stopped", "call ended", "permit released", "folder closed", "metrics updated",
    ]  # fmt: skip


class _Noting(list[Any]):
    def __init__(self, done: list[str]) -> None:
        super().__init__()
        self._done = done

    def append(self, item: Any) -> None:
        if item[0] == "request_cancelled":
            self._done.append("metrics updated")


@virtually
async def test_a_resource_that_does_not_close_is_told_in_the_result(tmp_path: Path) -> None:
    async def stage(run: StageRun) -> Any:
        def fail() -> None:
            raise OSError("the disk is gone")

        run.resource(fail)
        return ["Ada"]

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=stage))
    assert result.completeness is Completeness.COMPLETE
    assert result.warnings == ("Clean-up step 'close_run_folders' failed: the disk is gone",)


# --- the modes ------------------------------------------------------------------------------------


@virtually
async def test_immediate_stops_now_and_keeps_what_there_is(tmp_path: Path) -> None:
    async def stage(run: StageRun) -> Any:
        run.keep("Ada")
        await run.ask("a question without an answer")

    async with bench(tmp_path, Hang(after=2)) as b:
        request = graph_request(entityExtraction=stage)
        result = await cancelled_after(b, request, 2.5, signal(M.IMMEDIATE, 5_000))
        assert b.all_is_back()
        assert others() == []
    assert result.execution_ms == 2_500
    assert result.outputs["entityExtraction"] == ("Ada",)
    assert result.endings["entityExtraction"].end is End.CANCELLED
    assert result.completeness is Completeness.PARTIAL_ENTITY_ONLY
    assert result.skipped_stages == (
        "propertyScoping", "relationExtraction", "grounding", "serialization",
    )  # fmt: skip
    assert result.failed_stages[0].reason == "cancelled: user_request"
    assert b.told("request_cancelled") == [{"mode": "immediate", "stage": "entityExtraction"}]


@virtually
async def test_graceful_finishes_the_call_in_hand(tmp_path: Path) -> None:
    async def stage(run: StageRun) -> Any:
        while True:
            answer = await run.ask("and then")
            run.keep(answer.text)

    async with bench(tmp_path, then=Say("one two", first_delay_s=10)) as b:
        request = graph_request(entityExtraction=stage)
        result = await cancelled_after(b, request, 15, signal(M.GRACEFUL, 30_000))
        assert b.all_is_back()
        assert (b.provider.opens, b.provider.finished) == (2, 2)
    assert result.execution_ms == 20_000
    assert result.outputs["entityExtraction"] == ("one two", "one two")
    assert result.endings["entityExtraction"].end is End.CANCELLED
    assert result.completeness is Completeness.PARTIAL_ENTITY_ONLY
    assert result.token_usage.used == 2 * (2 + 2)


@virtually
async def test_graceful_reads_a_stream_to_its_end(tmp_path: Path) -> None:
    async def stage(run: StageRun) -> Any:
        async with run.stream("count") as live:
            async for word in live:
                run.keep(word.strip())
                await run.checkpoint()
        await run.checkpoint()
        run.keep("not reached")

    async with bench(tmp_path, Say("one two three four", delay_s=1)) as b:
        request = graph_request(entityExtraction=stage)
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
    """Without a time of its own it is the stage's, from the cascade table."""
    async with bench(tmp_path, Hang()) as b:

        async def stage(run: StageRun) -> Any:
            run.keep("Ada")
            await run.ask("a question without an answer")

        request = graph_request(entityExtraction=stage)
        result = await cancelled_after(b, request, 2, signal(M.GRACEFUL, timeout_ms))
        assert b.all_is_back()
    assert result.execution_ms == 2_000 + waited_ms
    assert result.outputs["entityExtraction"] == ("Ada",)
    assert result.warnings == ("The request was cancelled (immediate): user_request.",)
    assert b.told("request_cancelled") == [{"mode": "graceful", "stage": "entityExtraction"}]


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
async def test_drain_processes_the_queue_of_the_stage_and_starts_no_other(tmp_path: Path) -> None:
    async def stage(run: StageRun) -> Any:
        answers = []
        for chunk in run.payload:
            answers.append((await run.ask(chunk)).text)
            await run.checkpoint()
        assert run.draining
        return answers

    async with bench(tmp_path, then=Say("Ada", first_delay_s=10)) as b:
        request = graph_request(chunking=giving(["a", "b", "c", "d"]), entityExtraction=stage)
        result = await cancelled_after(b, request, 15, signal(M.DRAIN))
        assert b.all_is_back()
    assert result.execution_ms == 40_000
    assert result.outputs["entityExtraction"] == ["Ada"] * 4
    assert result.endings["entityExtraction"].end is End.COMPLETED
    assert result.endings["relationExtraction"].reason == "cancelled: user_request"
    assert result.completeness is Completeness.PARTIAL_ENTITY_ONLY


@virtually
async def test_drain_has_an_end_where_it_is_given_one(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(entityExtraction=keeping_on)
        result = await cancelled_after(b, request, 2.5, signal(M.DRAIN, 10_000))
    assert result.execution_ms == 12_500
    assert len(result.outputs["entityExtraction"]) == 12


@virtually
async def test_abort_stops_everything_and_keeps_nothing(tmp_path: Path) -> None:
    async def stage(run: StageRun) -> Any:
        run.keep("Ada lives in Zagreb")
        await run.ask("a question without an answer")

    async with bench(tmp_path, Hang()) as b:
        request = graph_request(relationExtraction=stage)
        result = await cancelled_after(b, request, 2, signal(M.ABORT))
        assert b.all_is_back()
        assert others() == []
    assert result.completeness is Completeness.EMPTY
    assert result.outputs == {}
    assert result.warnings == ("The request was cancelled (abort): user_request.",)
    assert result.failed_stages[0].stage == "relationExtraction"
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
    assert b.told("request_cancelled") == [{"mode": "abort", "stage": "entityExtraction"}]


@virtually
async def test_workers_inside_a_stage_stop_too(tmp_path: Path) -> None:
    """A stage that spreads its calls over tasks, which all stop after the call in hand."""

    async def stage(run: StageRun) -> Any:
        async def worker(name: str) -> None:
            while True:
                await run.ask(f"question of {name}")
                run.keep(name)

        async with asyncio.TaskGroup() as group:
            for name in ("a", "b", "c"):
                group.create_task(worker(name))
        return None

    async with bench(tmp_path, then=Say("fine", first_delay_s=10)) as b:
        request = graph_request(entityExtraction=stage)
        result = await cancelled_after(b, request, 15, signal(M.GRACEFUL, 30_000))
        assert b.all_is_back()
    assert result.execution_ms == 20_000
    assert sorted(result.outputs["entityExtraction"]) == ["a", "a", "b", "b", "c", "c"]
    assert result.endings["entityExtraction"].end is End.CANCELLED


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
    assert result.skipped_stages == ("serialization",)


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
    assert result.endings["grounding"].end is End.TIMED_OUT
    assert begun == []


# --- one stage of a request -----------------------------------------------------------------------


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


@virtually
async def test_a_cancellation_says_so_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "assay.llm")
    async with bench(tmp_path) as b:
        await cancelled_after(b, graph_request(entityExtraction=hanging()), 1, signal(M.IMMEDIATE))
        await settled()
    line = next(r.__dict__["assay"] for r in caplog.records if r.message == "Request cancelled")
    assert (line["mode"], line["reason"], line["stage"]) == (
        "immediate", "user_request", "entityExtraction",
    )  # fmt: skip
