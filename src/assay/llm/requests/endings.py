"""What the end of a step means: values and pure functions that lead from steps to the result."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from assay.errors import AssayError, CallDenied, StageCrashed
from assay.llm.budget import TokenBudget
from assay.llm.requests.cancellation import CancellationSignal, CascadeRow
from assay.llm.requests.results import (
    Completeness,
    FailedStep,
    RequestResult,
    StepEnd,
    StepEnding,
    TokenUsage,
)
from assay.llm.requests.steps import Request, StepSpec
from assay.llm.requests.timeouts import StepTimeout


@dataclass(frozen=True)
class StepOutcome:
    """How a step ended, with its output."""

    ending: StepEnding
    output: Any = None
    aborts: bool = False
    """Whether the request cannot do without the step."""


def end_with_output(
    spec: StepSpec, end: StepEnd, output: Any, reason: str = "", error: AssayError | None = None
) -> StepOutcome:
    """An end with a complete output."""
    items = spec.count(output)
    ending = StepEnding(step=spec.name, end=end, items=items, reason=reason, error=error)
    return StepOutcome(ending, output)


def end_with_kept(
    spec: StepSpec,
    timeout: StepTimeout,
    end: StepEnd,
    kept: tuple[Any, ...],
    reason: str,
    error: AssayError | None = None,
) -> StepOutcome:
    """An end with what the step kept, if that may be used."""
    if not (kept and timeout.allow_partial):
        return StepOutcome(StepEnding(step=spec.name, end=end, reason=reason, error=error))
    return end_with_output(spec, end, spec.assemble(kept), reason, error)


def classify_error(error: BaseException, step: str) -> AssayError:
    """Any error of a step as an error of Assay's own tree; for a group, the first."""
    if isinstance(error, BaseExceptionGroup):
        return classify_error(error.exceptions[0], step)
    if isinstance(error, AssayError):
        return error
    return StageCrashed(f"Step {step} raised {type(error).__name__}: {error}.", advice="")


def describe_error(error: AssayError) -> str:
    """An error as the reason for a failed step."""
    return f"{error.reason}: {error.what}" if isinstance(error, CallDenied) else error.what


def build_failure(ending: StepEnding) -> FailedStep | None:
    """The ending as a failure; None if the step completed or never started."""
    if ending.end in (StepEnd.COMPLETED, StepEnd.DEGRADED, StepEnd.NOT_STARTED):
        return None
    code = ending.end.value if ending.error is None else ending.error.code
    return FailedStep(step=ending.step, reason=ending.reason, error_code=code, error=ending.error)


def end_not_started(spec: StepSpec, why: str) -> StepOutcome:
    return StepOutcome(StepEnding(step=spec.name, end=StepEnd.NOT_STARTED, reason=why))


def build_cascade_table(request: Request) -> Mapping[str, CascadeRow]:
    """What each step's end means for others; by default, the steps that need it end too."""
    return MappingProxyType(
        {spec.name: spec.cascade or _build_needs_row(spec, request) for spec in request.steps}
    )


def _build_needs_row(spec: StepSpec, request: Request) -> CascadeRow:
    return CascadeRow(
        dependents=tuple(
            other.name
            for other in request.steps
            if any(need.step == spec.name and not need.optional for need in other.normalized_needs)
        )
    )


def build_result(
    request: Request,
    *,
    outputs: Mapping[str, Any],
    endings: Mapping[str, StepEnding],
    budget: TokenBudget,
    execution_ms: int,
    warnings: tuple[str, ...],
    error: FailedStep | None,
    aborted: bool,
) -> RequestResult:
    """The request's result; an aborted request keeps nothing."""
    failures = [
        failure for ending in endings.values() if (failure := build_failure(ending)) is not None
    ]
    return RequestResult(
        request_id=request.request_id,
        completeness=Completeness.EMPTY if aborted else request.rule.completeness(endings),
        outputs=MappingProxyType({} if aborted else dict(outputs)),
        endings=MappingProxyType(dict(endings)),
        failed_steps=tuple(failures),
        skipped_steps=tuple(e.step for e in endings.values() if e.end is StepEnd.NOT_STARTED),
        token_usage=TokenUsage.of(budget),
        execution_ms=execution_ms,
        warnings=warnings,
        unverified=not aborted and request.rule.unverified(endings),
        error=error,
    )


def build_left_result(
    request: Request, request_id: str, signal: CancellationSignal
) -> RequestResult:
    """The result for a caller that leaves an execution others still wait for."""
    return RequestResult(
        request_id=request_id,
        completeness=Completeness.EMPTY,
        outputs=MappingProxyType({}),
        endings=MappingProxyType({}),
        failed_steps=(),
        skipped_steps=tuple(spec.name for spec in request.steps),
        token_usage=TokenUsage(allocated=0, used=0, remaining=0),
        execution_ms=0,
        warnings=(f"The request was cancelled ({signal.mode.value}): {signal.reason}.",),
    )
