"""The error → retry matrix. A stage that differs declares its own row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.errors import (
    AssayError,
    ErrorClass,
    StageCrashed,
    TransientError,
    from_os_error,
)


class RetryAction(StrEnum):
    """What happens to a job that failed."""

    RETRY = "retry"
    """Try again after a delay; the job is dead once its attempts are used up."""
    DEAD = "dead"
    """Keep it for inspection."""
    CIRCUIT = "circuit"
    """Keep it, and report that the circuit must open because no model call can succeed."""
    HANDLE = "handle"
    """The stage itself decides the outcome: skipped, empty, sent to a person."""


MAX_ATTEMPTS: dict[ErrorClass, int] = {
    ErrorClass.TRANSIENT: 3,
    ErrorClass.VALIDATION: 1,
    ErrorClass.AUTH: 1,
    ErrorClass.QUOTA: 1,
    ErrorClass.CONTENT: 1,
    ErrorClass.INTERNAL: 2,
}
"""How often a job is tried in total, by class of error."""

_C = ErrorClass
DEFAULT_ACTIONS: dict[ErrorClass, RetryAction] = {
    _C.TRANSIENT: RetryAction.RETRY,
    _C.VALIDATION: RetryAction.DEAD,
    _C.AUTH: RetryAction.CIRCUIT,
    _C.QUOTA: RetryAction.CIRCUIT,
    _C.CONTENT: RetryAction.DEAD,
    _C.INTERNAL: RetryAction.RETRY,
}


@dataclass(frozen=True, slots=True)
class RetryDecision:
    """What to do with a failed attempt."""

    action: RetryAction
    delay_s: float = 0.0
    alert: bool = False


def decide_retry(
    row: Mapping[ErrorClass, object],
    error: AssayError,
    attempt: int,
    delays_s: Sequence[float],
) -> RetryDecision:
    """Retry after a delay, give up, or leave it to the stage; `attempt` counts from 1.

    `row` is the stage's own row of the matrix: for each class of errors an action, or the
    handler that the stage provides.
    """
    error_class = error.error_class
    if error.final:
        return RetryDecision(RetryAction.DEAD, alert=True)
    declared = row.get(error_class, DEFAULT_ACTIONS[error_class])
    action = declared if isinstance(declared, RetryAction) else RetryAction.HANDLE
    if action is not RetryAction.RETRY:
        return RetryDecision(action)
    alert = error_class is ErrorClass.INTERNAL and attempt >= 2
    if attempt >= MAX_ATTEMPTS[error_class]:
        return RetryDecision(RetryAction.DEAD, alert=alert)
    return RetryDecision(RetryAction.RETRY, delays_s[min(attempt, len(delays_s)) - 1], alert)


def classify_error(error: BaseException, stage: str) -> AssayError:
    """Any exception as an error of Assay's own tree."""
    if isinstance(error, AssayError):
        return error
    if isinstance(error, TimeoutError | ConnectionError):
        return TransientError(f"{type(error).__name__} in stage {stage}: {error}.")
    if isinstance(error, OSError):
        return from_os_error(error, f"running stage {stage}")
    return StageCrashed(f"Stage {stage} raised {type(error).__name__}: {error}.")
