"""One step of a request: its attempts, its time limit, and what follows when the time is up."""

import asyncio
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.errors import AssayError, BudgetExceeded, StageCrashed
from assay.llm.plane import ControlPlane
from assay.llm.requests.cancellation import (
    CancellationMode,
    CancellationScope,
    CancellationSignal,
    CleanUpPhase,
)
from assay.llm.requests.endings import (
    StepOutcome,
    classify_error,
    describe_error,
    end_with_kept,
    end_with_output,
)
from assay.llm.requests.progress import (
    ProgressKind,
    ProgressListener,
    RequestProgress,
    ignore_progress,
)
from assay.llm.requests.results import StepEnd
from assay.llm.requests.step_run import RequestAccount, StepRun
from assay.llm.requests.steps import FallenStep, Request, StepSpec
from assay.llm.requests.timeouts import (
    StepTimeout,
    TimeoutEscalation,
    WatchEnd,
    WatchResult,
    wait_for_task,
    watch_step,
)
from assay.logs import Log

log = Log("assay.llm")

Observe = Callable[[str, Mapping[str, object]], None]
"""Called with what to count: its name and its labels."""

_NO_MORE = object()


@dataclass(frozen=True)
class RequestContext:
    """What the steps of one request share."""

    request: Request
    plane: ControlPlane | None
    account: RequestAccount
    scope: CancellationScope
    """The scope of the request."""
    observe: Observe
    warnings: list[str]
    report: ProgressListener = ignore_progress


class StepAttempts:
    """One step from its first attempt to its end."""

    def __init__(
        self,
        spec: StepSpec,
        timeout: StepTimeout,
        around: RequestContext,
        *,
        inputs: Mapping[str, Any],
        exit_ms: int,
    ) -> None:
        self.scope = around.scope.child(f"step:{spec.name}")
        self.step = spec.name
        self.number = 1
        """The number of the current attempt."""
        self._spec = spec
        self._timeout = timeout
        self._around = around
        self._exit_ms = exit_ms
        self._fallen = FallenStep(
            request_id=around.request.request_id,
            step=spec.name,
            payload=inputs.get(spec.takes) if spec.takes else around.request.payload,
            inputs=inputs,
            kept=(),
            error=None,
            warn=self._note_warning,
        )

    async def run(self) -> StepOutcome:
        """Try until an attempt ends before its hard limit, or no further attempt is possible."""
        payload = self._fallen.payload
        try:
            while True:
                run = self._begin_run(payload)
                seen = await self._attempt(run)
                if len(run.kept) >= len(self._fallen.kept):
                    self._fallen = replace(self._fallen, kept=run.kept)
                if seen.how is not WatchEnd.TIMED_OUT:
                    return await self._end_attempt(run, seen)
                payload = self._next_payload(payload)
                if payload is _NO_MORE:
                    return await self._end_escalated()
                self.number += 1
                self._report_progress(ProgressKind.RETRY, len(self._fallen.kept))
                await self._around.account.read_charged_budget(
                    self._around.plane, self._around.warnings
                )
        finally:
            self.scope.leave()

    def _begin_run(self, payload: Any) -> StepRun:
        return StepRun(
            self._spec,
            self._around.request,
            plane=self._around.plane,
            account=self._around.account,
            scope=self.scope.child(f"attempt:{self.number}"),
            inputs=self._fallen.inputs,
            payload=payload,
            attempt=self.number,
            earlier=self._fallen.kept,
            on_item=lambda items: self._report_progress(ProgressKind.ITEMS, items),
            warn=self._note_warning,
        )

    async def _attempt(self, run: StepRun) -> WatchResult:
        """Run one attempt under watch, and clean up however it ends."""
        log.info(
            "step_started",
            "Step started",
            step=run.step,
            request_id=run.request_id,
            attempt=run.attempt,
            budget_ms=self._timeout.hard_ms,
            budget_tokens=self._around.request.budget.share_of(run.step).max_tokens,
        )
        self._report_progress(ProgressKind.STARTED, 0)
        task = asyncio.create_task(_call_step(self._spec, run))
        task.add_done_callback(_retrieve_exception)

        async def stop() -> None:
            if not await run.abort_calls(task, self._exit_ms / 1000):
                self._warn("step_stuck", f"Step '{run.step}' does not stop; it was abandoned.")

        run.scope.register(run.close, CleanUpPhase.STOP_NEW_WORK)
        run.scope.register(stop, CleanUpPhase.ABORT_MODEL_CALLS)
        seen = await watch_step(
            task,
            run.scope,
            self._timeout,
            exit_ms=self._exit_ms,
            soft=self._on_soft_timeout,
            harden=self._harden,
        )
        if seen.how is WatchEnd.TIMED_OUT:
            self._on_hard_timeout(run, seen.elapsed_ms)
        # A cancellation is cleaned up in one go, from the scope that was cancelled.
        owners = (self._around.scope, self.scope)
        await clean_up_scope(
            next((scope for scope in owners if scope.signal is not None), run.scope),
            self._around.warnings,
        )
        run.scope.leave()
        return seen

    def _on_soft_timeout(self, elapsed_ms: int) -> None:
        timeout = self._timeout
        self._note_warning(f"Step '{self.step}' took longer than {timeout.soft_ms} ms.")
        log.warning(
            "step_soft_timeout",
            "Step soft timeout exceeded",
            step=self.step,
            request_id=self._fallen.request_id,
            elapsed_ms=elapsed_ms,
            soft_limit_ms=timeout.soft_ms,
            reaction="continuing with timeout escalation",
        )

    def _on_hard_timeout(self, run: StepRun, elapsed_ms: int) -> None:
        timeout = self._timeout
        self._note_warning(f"Step '{self.step}' was stopped after {timeout.hard_ms} ms.")
        log.error(
            "step_hard_timeout",
            "Step hard timeout hit",
            step=self.step,
            request_id=self._fallen.request_id,
            elapsed_ms=elapsed_ms,
            hard_limit_ms=timeout.hard_ms,
            reaction="cancelling step",
            partial_results={"items": len(run.kept)},
        )
        self._around.observe(
            "step_timeout", {"step": self.step, "escalation": timeout.escalation.value}
        )

    def _harden(self, signal: CancellationSignal) -> None:
        """Turn a cancellation into an immediate one, because the time to leave is over."""
        scope = self._around.scope if self._around.scope.signal is signal else self.scope
        scope.cancel(replace(signal, mode=CancellationMode.IMMEDIATE))

    def _next_payload(self, payload: Any) -> Any:
        """The payload of the next attempt; `_NO_MORE` if there is none."""
        reduce = self._spec.reduce_scope
        if self.number > self._timeout.max_retries or self.scope.signal is not None:
            return _NO_MORE
        if reduce is None:
            same_again = self._timeout.escalation is not TimeoutEscalation.REDUCE_SCOPE_RETRY
            return payload if same_again else _NO_MORE
        try:
            smaller = reduce(self.number, payload)
        except Exception as error:
            self._warn_hook_failed("reduce_scope", error)
            return _NO_MORE
        return _NO_MORE if smaller is None else smaller

    async def _end_attempt(self, run: StepRun, seen: WatchResult) -> StepOutcome:
        """The end of an attempt that did not hit its hard limit."""
        signal, task = run.scope.signal, seen.task
        why = "" if signal is None else f"cancelled: {signal.reason}"
        if seen.how is WatchEnd.CUT or (task.cancelled() and run.stopped):
            return self._end_with_kept(StepEnd.CANCELLED, why)
        if task.cancelled():
            return await self._end_failed(
                StageCrashed(f"Step {run.step} cancelled itself.", advice="")
            )
        raised = task.exception()
        error = None if raised is None else classify_error(raised, run.step)
        refused = error if isinstance(error, BudgetExceeded) else run.refused
        if refused is not None:
            self._around.observe("budget_exceeded", {"step": run.step})
            output = None if error is not None else task.result()
            return self._end_short(StepEnd.OUT_OF_BUDGET, output, describe_error(refused), refused)
        if error is not None:
            return await self._end_failed(error)
        if run.stopped:
            return self._end_short(StepEnd.CANCELLED, task.result(), why)
        if run.attempt > 1:
            self._count_recovery("retry")
        reduced = run.payload is not self._fallen.payload
        end = StepEnd.DEGRADED if reduced else StepEnd.COMPLETED
        why = f"after {self.number} attempts, on a smaller scope" if reduced else ""
        return end_with_output(self._spec, end, task.result(), why)

    async def _end_failed(self, error: AssayError) -> StepOutcome:
        """The end of a step that raised an error."""
        why = describe_error(error)
        log.warning(
            "step_failed", "Step failed", step=self._spec.name, error=error.code, reason=why
        )
        self._fallen = replace(self._fallen, error=error)
        if self._timeout.escalation is TimeoutEscalation.ABORT_PIPELINE:
            return replace(self._end_with_kept(StepEnd.FAILED, why, error), aborts=True)
        stand_in = await self._run_fallback()
        if stand_in is not None:
            return end_with_output(self._spec, StepEnd.FELL_BACK, stand_in, why, error)
        return self._end_with_kept(StepEnd.FAILED, why, error)

    async def _end_escalated(self) -> StepOutcome:
        """The end of a step whose time is up for good."""
        escalation, why = self._timeout.escalation, f"timed out after {self._timeout.hard_ms} ms"
        if escalation is TimeoutEscalation.ABORT_PIPELINE:
            return replace(self._end_with_kept(StepEnd.TIMED_OUT, why), aborts=True)
        stand_in = None
        if escalation in (TimeoutEscalation.FALLBACK_CACHE, TimeoutEscalation.SKIP_STEP):
            stand_in = await self._run_fallback()
        if stand_in is not None:
            self._count_recovery("fallback")
            fell_back = escalation is TimeoutEscalation.FALLBACK_CACHE
            end = StepEnd.FELL_BACK if fell_back else StepEnd.TIMED_OUT
            return end_with_output(self._spec, end, stand_in, why)
        ended = self._end_with_kept(StepEnd.TIMED_OUT, why)
        self._count_recovery("partial" if ended.ending.items else "skip")
        if escalation is TimeoutEscalation.WARN_CONTINUE and ended.ending.items:
            return replace(ended, ending=replace(ended.ending, end=StepEnd.DEGRADED))
        return ended

    async def _run_fallback(self) -> Any | None:
        """The fallback's output in place of the step's own; None if there is none."""
        hook, scope = self._spec.fallback, self.scope
        if hook is None or scope.signal is not None:
            return None
        task = asyncio.create_task(_call_fallback(hook, self._fallen))
        await wait_for_task(task, scope, self._timeout.hard_ms / 1000)
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=self._exit_ms / 1000)
        if not task.done() or task.cancelled():
            self._warn("fallback_stopped", f"The fallback of '{self._spec.name}' was stopped.")
            return None
        error = task.exception()
        if error is not None:
            self._warn_hook_failed("fallback", error)
            return None
        return task.result()

    def _end_with_kept(
        self, end: StepEnd, why: str, error: AssayError | None = None
    ) -> StepOutcome:
        return end_with_kept(self._spec, self._timeout, end, self._fallen.kept, why, error)

    def _end_short(
        self, end: StepEnd, output: Any, why: str, error: AssayError | None = None
    ) -> StepOutcome:
        """The end of a step that was cut short: its own output, or else what it kept."""
        if output is None:
            return self._end_with_kept(end, why, error)
        return end_with_output(self._spec, end, output, why, error)

    def _count_recovery(self, how: str) -> None:
        self._around.observe("timeout_recovery", {"step": self._spec.name, "how": how})

    def _warn_hook_failed(self, hook: str, error: BaseException) -> None:
        what = f"{type(error).__name__}: {error}"
        self._warn("hook_failed", f"The {hook} of step '{self._spec.name}' failed: {what}")

    def _report_progress(self, what: ProgressKind, items: int, detail: str = "") -> None:
        self._around.report(
            RequestProgress(
                request_id=self._fallen.request_id,
                step=self._spec.name,
                what=what,
                items=items,
                attempt=self.number,
                detail=detail,
            )
        )

    def _note_warning(self, what: str) -> None:
        self._around.warnings.append(what)
        self._report_progress(ProgressKind.WARNING, len(self._fallen.kept), what)

    def _warn(self, action: str, what: str) -> None:
        self._note_warning(what)
        log.error(action, what, step=self._spec.name, request_id=self._fallen.request_id)


async def clean_up_scope(scope: CancellationScope, warnings: list[str]) -> None:
    """Clean up, and report in the result what could not be cleaned up."""
    for failure in await scope.clean_up():
        warnings.append(f"Clean-up phase '{failure.phase}' failed: {failure.error}")


async def _call_step(spec: StepSpec, run: StepRun) -> Any:
    try:
        return await spec.function(run)
    except (AssayError, ExceptionGroup):
        raise
    except Exception as error:
        log.error("step_crashed", str(error), step=spec.name, traceback=True)
        raise


async def _call_fallback(hook: Callable[[FallenStep], Any], fallen: FallenStep) -> Any:
    stand_in = hook(fallen)
    return await stand_in if inspect.isawaitable(stand_in) else stand_in


def _retrieve_exception(task: "asyncio.Task[Any]") -> None:
    """Mark an abandoned step's exception as seen, so that asyncio does not complain about it."""
    if not task.cancelled():
        task.exception()
