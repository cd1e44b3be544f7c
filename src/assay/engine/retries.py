"""The error → retry matrix. Where a stage differs, its own declaration has the row."""

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


class Action(StrEnum):
    """What becomes of a job that failed."""

    RETRY = "retry"
    """Try again after a delay; dead when the attempts are used up."""
    DEAD = "dead"
    """Keep it for inspection."""
    CIRCUIT = "circuit"
    """Keep it, and tell that the circuit must open: no model call can succeed."""
    HANDLE = "handle"
    """The stage itself says what holds now: skipped, empty, for a person."""


ATTEMPTS: dict[ErrorClass, int] = {
    ErrorClass.TRANSIENT: 3,
    ErrorClass.VALIDATION: 1,
    ErrorClass.AUTH: 1,
    ErrorClass.QUOTA: 1,
    ErrorClass.CONTENT: 1,
    ErrorClass.INTERNAL: 2,
}
"""How often a job is tried in all, by class of error."""

_C = ErrorClass
DEFAULT: dict[ErrorClass, Action] = {
    _C.TRANSIENT: Action.RETRY,
    _C.VALIDATION: Action.DEAD,
    _C.AUTH: Action.CIRCUIT,
    _C.QUOTA: Action.CIRCUIT,
    _C.CONTENT: Action.DEAD,
    _C.INTERNAL: Action.RETRY,
}


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with a failed attempt."""

    action: Action
    delay_s: float = 0.0
    alert: bool = False


def decide(
    row: Mapping[ErrorClass, object],
    error: AssayError,
    attempt: int,
    delays_s: Sequence[float] = (10.0, 20.0, 40.0),
) -> Decision:
    """Retry after a while, give it up, or leave it to the stage; `attempt` counts from 1.

    `row` is the stage's own row of the matrix: for a class of errors an action, or the handler
    that the stage brings for it.
    """
    error_class = error.error_class
    if error.final:
        return Decision(Action.DEAD, alert=True)
    declared = row.get(error_class, DEFAULT[error_class])
    action = declared if isinstance(declared, Action) else Action.HANDLE
    if action is not Action.RETRY:
        return Decision(action)
    alert = error_class is ErrorClass.INTERNAL and attempt >= 2
    if attempt >= ATTEMPTS[error_class]:
        return Decision(Action.DEAD, alert=alert)
    return Decision(Action.RETRY, delays_s[min(attempt, len(delays_s)) - 1], alert)


def classified(error: BaseException, stage: str) -> AssayError:
    """Any exception as one of the tree."""
    if isinstance(error, AssayError):
        return error
    if isinstance(error, TimeoutError | ConnectionError):
        return TransientError(f"{type(error).__name__} in stage {stage}: {error}.")
    if isinstance(error, OSError):
        return from_os_error(error, f"running stage {stage}")
    return StageCrashed(f"Stage {stage} raised {type(error).__name__}: {error}.")
