"""Scopes of work, and the order of cleaning up after them."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.llm.doubles.scripted import Hang
from assay.llm.requests import cancellation
from assay.llm.requests.cancellation import CLEAN_UP_ORDER, CancellationScope, CleanUpPhase
from assay.llm.requests.step_run import StepRun
from assay.packs.graph.steps import GraphCompleteness
from tests.llm.requests.pipeline import bench, graph_request
from tests.llm.requests.stopping import M, cancelled_after, signal
from tests.llm.virtual import LoopClock, virtually


@virtually
async def test_cancelling_a_scope_cancels_what_is_under_it_and_nothing_else() -> None:
    request = CancellationScope("request:r1")
    entities, relations = request.child("step:entities"), request.child("step:relations")
    call = entities.child("attempt:1").child("call:1")
    assert call.path == "request:r1/step:entities/attempt:1/call:1"
    assert entities.cancel(signal(M.GRACEFUL))
    assert [scope.mode for scope in (entities, call)] == [M.GRACEFUL, M.GRACEFUL]
    assert [scope.mode for scope in (request, relations)] == [None, None]
    assert entities.child("attempt:2").mode is M.GRACEFUL


@virtually
async def test_a_scope_gives_way_to_a_stronger_signal_only() -> None:
    scope = CancellationScope("request:r1")
    child = scope.child("step:entities")
    assert [scope.cancel(signal(mode)) for mode in (M.DRAIN, M.GRACEFUL, M.DRAIN)] == [
        True, True, False,
    ]  # fmt: skip
    assert child.cancel(signal(M.ABORT))
    assert scope.cancel(signal(M.IMMEDIATE))
    assert (scope.mode, child.mode) == (M.IMMEDIATE, M.ABORT)


@virtually
async def test_steps_run_in_their_order_and_each_closer_once() -> None:
    request = CancellationScope("request:r1")
    step = request.child("step:entities")
    done: list[str] = []

    def note(what: str) -> Callable[[], None]:
        return lambda: done.append(what)

    for phase in reversed(CLEAN_UP_ORDER):
        request.register(note(f"{phase} of the request"), phase)
        step.register(note(f"{phase} of the step"), phase)
    step.register(note("the folder opened last"), CleanUpPhase.CLOSE_RUN_FOLDERS)
    assert await request.clean_up() == ()
    assert await request.clean_up() == ()
    assert done == [
        "stop_new_work of the step", "stop_new_work of the request",
        "abort_model_calls of the step", "abort_model_calls of the request",
        "release_permits of the step", "release_permits of the request",
        "the folder opened last",
        "close_run_folders of the step", "close_run_folders of the request",
        "update_metrics of the step", "update_metrics of the request",
    ]  # fmt: skip


@virtually
async def test_every_step_runs_even_when_all_before_it_fail(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scope = CancellationScope("request:r1")
    done: list[CleanUpPhase] = []
    gone = asyncio.get_running_loop().create_future()
    gone.cancel()

    async def hang() -> None:
        await asyncio.Event().wait()

    def fail() -> None:
        raise OSError("the disk is gone")

    async def meets_a_cancelled_task() -> None:
        await gone

    for phase in CLEAN_UP_ORDER:
        for closer in (lambda phase=phase: done.append(phase), hang, fail, meets_a_cancelled_task):
            scope.register(closer, phase)
    clock = LoopClock()
    began_ms = clock.now_ms()
    failures = await scope.clean_up()
    assert done == list(CLEAN_UP_ORDER)
    assert [failure.phase for failure in failures] == [s for s in CLEAN_UP_ORDER for _ in range(3)]
    assert clock.now_ms() - began_ms == len(CLEAN_UP_ORDER) * cancellation.CLOSER_TIMEOUT_S * 1000
    lines = [record.__dict__["assay"] for record in caplog.records]
    assert {line["action"] for line in lines} == {"clean_up_failed"}
    assert {line["phase"] for line in lines} == {phase.value for phase in CLEAN_UP_ORDER}


@virtually
async def test_a_cancelled_request_is_cleaned_up_in_order(tmp_path: Path) -> None:
    done: list[str] = []

    async def step(run: StepRun) -> Any:
        run.register_resource(lambda: done.append("folder closed"))
        run.register_resource(
            lambda: done.append("permit released"), phase=CleanUpPhase.RELEASE_PERMITS
        )
        run.register_resource(
            lambda: done.append("new work stopped"), phase=CleanUpPhase.STOP_NEW_WORK
        )
        try:
            await run.ask("a question without an answer")
        finally:
            done.append("call ended")

    async with bench(tmp_path, Hang()) as b:
        b.seen = _Noting(done)
        request = graph_request(entityExtraction=step)
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
    async def step(run: StepRun) -> Any:
        def fail() -> None:
            raise OSError("the disk is gone")

        run.register_resource(fail)
        return ["Ada"]

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=step))
    assert result.completeness is GraphCompleteness.COMPLETE
    assert result.warnings == ("Clean-up phase 'close_run_folders' failed: the disk is gone",)
