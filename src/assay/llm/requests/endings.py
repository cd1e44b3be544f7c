"""What the end of a stage means: values and pure functions between the stages and the result."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from assay.errors import AssayError, CallDenied, StageCrashed
from assay.llm.budget import TokenBudget
from assay.llm.requests.cancellation import CASCADE, CancellationSignal, CascadeRow
from assay.llm.requests.results import (
    Completeness,
    End,
    FailedStage,
    RequestResult,
    StageEnding,
    TokenUsage,
)
from assay.llm.requests.stage_run import Request, StageSpec
from assay.llm.requests.timeouts import StageTimeout


@dataclass(frozen=True)
class Ended:
    """How a stage ended, with its output."""

    ending: StageEnding
    output: Any = None
    aborts: bool = False
    """Whether the request cannot do without the stage."""


def with_output(
    spec: StageSpec, end: End, output: Any, reason: str = "", error: AssayError | None = None
) -> Ended:
    """An end with a whole output."""
    items = spec.count(output)
    ending = StageEnding(stage=spec.name, end=end, items=items, reason=reason, error=error)
    return Ended(ending, output)


def with_kept(
    spec: StageSpec,
    timeout: StageTimeout,
    end: End,
    kept: tuple[Any, ...],
    reason: str,
    error: AssayError | None = None,
) -> Ended:
    """An end with what the stage kept, where that may be used."""
    if not (kept and timeout.allow_partial):
        return Ended(StageEnding(stage=spec.name, end=end, reason=reason, error=error))
    return with_output(spec, end, spec.assemble(kept), reason, error)


def classified(error: BaseException, stage: str) -> AssayError:
    """Any error of a stage as one of the tree; of a group, the first."""
    if isinstance(error, BaseExceptionGroup):
        return classified(error.exceptions[0], stage)
    if isinstance(error, AssayError):
        return error
    return StageCrashed(f"Stage {stage} raised {type(error).__name__}: {error}.", advice="")


def told(error: AssayError) -> str:
    """An error as the reason of a failed stage."""
    return f"{error.reason}: {error.what}" if isinstance(error, CallDenied) else error.what


def failed(ending: StageEnding) -> FailedStage | None:
    """The ending as a failure; None where the stage came to its end or never began."""
    if ending.end in (End.COMPLETED, End.DEGRADED, End.NOT_STARTED):
        return None
    code = ending.end.value if ending.error is None else ending.error.code
    return FailedStage(
        stage=ending.stage, reason=ending.reason, error_code=code, error=ending.error
    )


def not_started(spec: StageSpec, why: str) -> Ended:
    return Ended(StageEnding(stage=spec.name, end=End.NOT_STARTED, reason=why))


def cascade_table(request: Request) -> Mapping[str, CascadeRow]:
    """The cascade of the pipeline: the given table, and for stages outside it, their needs."""
    rows = {
        spec.name: CascadeRow(
            dependents=tuple(
                other.name
                for other in request.stages
                if any(need.stage == spec.name and not need.optional for need in other.wanted)
            )
        )
        for spec in request.stages
    }
    return MappingProxyType({**rows, **CASCADE})


def result_of(
    request: Request,
    *,
    outputs: Mapping[str, Any],
    endings: Mapping[str, StageEnding],
    budget: TokenBudget,
    execution_ms: int,
    warnings: tuple[str, ...],
    error: FailedStage | None,
    aborted: bool,
) -> RequestResult:
    """The request's result; of an aborted one nothing is kept."""
    failures = [failure for ending in endings.values() if (failure := failed(ending)) is not None]
    return RequestResult(
        request_id=request.request_id,
        completeness=Completeness.EMPTY if aborted else request.rule.completeness(endings),
        outputs=MappingProxyType({} if aborted else dict(outputs)),
        endings=MappingProxyType(dict(endings)),
        failed_stages=tuple(failures),
        skipped_stages=tuple(e.stage for e in endings.values() if e.end is End.NOT_STARTED),
        token_usage=TokenUsage.of(budget),
        execution_ms=execution_ms,
        warnings=warnings,
        unverified=not aborted and request.rule.unverified(endings),
        error=error,
    )


def left(request: Request, request_id: str, signal: CancellationSignal) -> RequestResult:
    """The result of one who leaves an execution that others still wait for."""
    return RequestResult(
        request_id=request_id,
        completeness=Completeness.EMPTY,
        outputs=MappingProxyType({}),
        endings=MappingProxyType({}),
        failed_stages=(),
        skipped_stages=tuple(spec.name for spec in request.stages),
        token_usage=TokenUsage(allocated=0, used=0, remaining=0),
        execution_ms=0,
        warnings=(f"The request was cancelled ({signal.mode.value}): {signal.reason}.",),
    )
