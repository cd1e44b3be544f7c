"""One running request: its steps, one after the other."""

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from assay.llm.budget import TokenBudget
from assay.llm.plane import ControlPlane
from assay.llm.requests.attempts import Observe, RequestContext, StepAttempts, clean_up_scope
from assay.llm.requests.cancellation import (
    CancellationMode,
    CancellationScope,
    CancellationSignal,
    CleanUpPhase,
    find_cascade,
)
from assay.llm.requests.endings import (
    StepOutcome,
    build_cascade_table,
    build_failure,
    build_result,
    end_not_started,
)
from assay.llm.requests.progress import (
    ProgressKind,
    ProgressListener,
    RequestProgress,
    ignore_progress,
)
from assay.llm.requests.results import FailedStep, RequestResult, StepEnd, StepEnding
from assay.llm.requests.step_run import RequestAccount
from assay.llm.requests.steps import Request, StepSpec
from assay.llm.requests.timeouts import StepTimeout
from assay.logs import Log, bind_fields

log = Log("assay.llm")


class RequestExecution:
    """The steps of one request, from the first to the result."""

    def __init__(
        self,
        request: Request,
        *,
        plane: ControlPlane | None,
        timeouts: Mapping[str, StepTimeout],
        observe: Observe,
        report: ProgressListener = ignore_progress,
    ) -> None:
        self.request = request
        self.scope = CancellationScope(f"request:{request.request_id}")
        self.current: StepAttempts | None = None
        """The current step."""
        self._timeouts = timeouts
        self._table = build_cascade_table(request)
        self._observe = observe
        self._account = RequestAccount(request)
        self._warnings: list[str] = []
        self._around = RequestContext(
            request, plane, self._account, self.scope, observe, self._warnings, report
        )
        self._report = report
        self._outputs: dict[str, Any] = {}
        self._endings: dict[str, StepEnding] = {}
        self._held: dict[str, str] = {}
        """Steps that must not start, and why."""
        self._error: FailedStep | None = None
        self._mode = CancellationMode.IMMEDIATE
        """How the request was last asked to stop."""

    @property
    def step(self) -> str | None:
        return None if self.current is None else self.current.step

    def cancel(self, signal: CancellationSignal, step: str | None = None) -> bool:
        """Stop the request, or one step and what depends on it; False if that changes nothing."""
        target = self.step if step is None and not signal.cascade else step
        if target is None or signal.mode is CancellationMode.ABORT:
            return self._send_signal(self.scope, signal, self.step or "")
        if target in self._endings:
            return False
        why = f"cancelled: {signal.reason}"
        if signal.cascade:
            self._held |= dict.fromkeys(find_cascade(target, self._table), why)
        if self.current is not None and target == self.current.step:
            return self._send_signal(self.current.scope, signal, target)
        self._held[target] = why
        return True

    async def run(self) -> RequestResult:
        """Run every step that can run, and return the result."""
        request, loop = self.request, asyncio.get_running_loop()
        started = loop.time()
        with bind_fields(
            request_id=request.request_id, run_id=request.run_id, job_id=request.job_id
        ):
            self._observe("tokens_allocated", {"tokens": request.budget.total})
            for spec in request.steps:
                why = self._find_obstacle(spec)
                self._record_outcome(
                    await self._run_step(spec) if why is None else end_not_started(spec, why)
                )
            await clean_up_scope(self.scope, self._warnings)
            budget = await self._account.read_charged_budget(self._around.plane, self._warnings)
            return self._build_result(budget, round((loop.time() - started) * 1000))

    def _find_obstacle(self, spec: StepSpec) -> str | None:
        """Why a step cannot start; None if it can."""
        if self.scope.signal is not None:
            return f"cancelled: {self.scope.signal.reason}"
        if self._error is not None:
            return f"step '{self._error.step}' aborted the request"
        if spec.name in self._held:
            return self._held[spec.name]
        exhausted = any(ending.end is StepEnd.OUT_OF_BUDGET for ending in self._endings.values())
        if spec.calls_model and exhausted:
            return "the request's budget is used up"
        for need in spec.normalized_needs:
            ending = self._endings[need.step]
            if not need.optional and not (ending.end.is_whole if need.whole else ending.is_usable):
                return f"it needs '{need.step}', which ended as {ending.end.value}"
        return None

    async def _run_step(self, spec: StepSpec) -> StepOutcome:
        inputs = {
            n.step: self._outputs[n.step] for n in spec.normalized_needs if n.step in self._outputs
        }
        self.current = StepAttempts(
            spec,
            self._timeouts[spec.name],
            self._around,
            inputs=MappingProxyType(inputs),
            exit_ms=self._table[spec.name].graceful_exit_ms,
        )
        try:
            return await self.current.run()
        finally:
            self.current = None

    def _record_outcome(self, ended: StepOutcome) -> None:
        ending = ended.ending
        self._endings[ending.step] = ending
        if ending.is_usable:
            self._outputs[ending.step] = ended.output
        if ended.aborts:
            self._error = build_failure(ending)
        log.info(
            "step_ended",
            "Step ended",
            step=ending.step,
            request_id=self.request.request_id,
            end=ending.end.value,
            items=ending.items,
            reason=ending.reason or None,
        )
        self._report(
            RequestProgress(
                request_id=self.request.request_id,
                step=ending.step,
                what=ProgressKind.ENDED,
                items=ending.items,
                end=ending.end.value,
                detail=ending.reason,
            )
        )

    def _send_signal(self, scope: CancellationScope, signal: CancellationSignal, step: str) -> bool:
        first = scope.signal is None
        if not scope.cancel(signal):
            return False
        self._mode = signal.mode
        log.info(
            "request_cancelled",
            "Request cancelled",
            request_id=self.request.request_id,
            mode=signal.mode.value,
            reason=signal.reason,
            step=step or None,
        )

        def count() -> None:
            self._observe("request_cancelled", {"mode": self._mode.value, "step": step})

        if first:
            scope.register(count, CleanUpPhase.UPDATE_METRICS)
        return True

    def _build_result(self, budget: TokenBudget, execution_ms: int) -> RequestResult:
        signal = self.scope.signal
        aborted = signal is not None and signal.mode is CancellationMode.ABORT
        if signal is not None:
            self._warnings.append(
                f"The request was cancelled ({signal.mode.value}): {signal.reason}."
            )
        if aborted or self._error is not None:
            self._observe("request_aborted", {})
        result = build_result(
            self.request,
            outputs=self._outputs,
            endings=self._endings,
            budget=budget,
            execution_ms=execution_ms,
            warnings=tuple(self._warnings),
            error=self._error,
            aborted=aborted,
        )
        self._observe("result", {"completeness": result.completeness.value})
        return result
