"""How long a step of a request may take, and how it is watched until it ends or must stop."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from assay.errors import InvalidInput
from assay.llm.requests.cancellation import CancellationMode, CancellationScope, CancellationSignal


class TimeoutEscalation(StrEnum):
    """What a hard timeout leads to, from the mildest to the strictest."""

    WARN_CONTINUE = "warn_continue"
    """Continue with what the step had kept, as if it were everything."""
    REDUCE_SCOPE_RETRY = "reduce_scope_retry"
    """Let the step make its payload smaller, and try again."""
    FALLBACK_CACHE = "fallback_cache"
    """Use the output of the step's fallback: earlier results, or a default."""
    SKIP_STEP = "skip_step"
    """Continue without the step."""
    ABORT_PIPELINE = "abort_pipeline"
    """Stop the request."""


@dataclass(frozen=True, kw_only=True)
class StepTimeout:
    """The time limits of one step. Each attempt gets the full time."""

    soft_ms: int
    """After this, there is a warning."""
    hard_ms: int
    """After this, the attempt is cancelled and the escalation applies."""
    escalation: TimeoutEscalation
    allow_partial: bool
    """Whether what a step kept before it was stopped may be used."""
    max_retries: int = 0
    """Further attempts after a hard timeout, before the escalation's last resort."""

    def __post_init__(self) -> None:
        if not 0 < self.soft_ms <= self.hard_ms:
            raise InvalidInput(
                f"A step cannot warn after {self.soft_ms} ms and end after {self.hard_ms} ms: "
                "the first must be positive and not exceed the second."
            )
        if self.max_retries < 0:
            raise InvalidInput(f"A step cannot be retried {self.max_retries} times.")

    def scale(self, factor: float) -> "StepTimeout":
        """The same with every time multiplied by the factor."""
        return replace(
            self,
            soft_ms=max(1, round(self.soft_ms * factor)),
            hard_ms=max(1, round(self.hard_ms * factor)),
        )


class WatchEnd(StrEnum):
    """How the waiting ended."""

    DONE = "done"
    """The step ended by itself."""
    TIMED_OUT = "timed_out"
    """It reached its hard limit."""
    CUT = "cut"
    """It must stop now."""


@dataclass(frozen=True)
class WatchResult:
    """The result of watching a step."""

    how: WatchEnd
    task: "asyncio.Task[Any]"
    elapsed_ms: int


async def watch_step(
    task: "asyncio.Task[Any]",
    scope: CancellationScope,
    limits: StepTimeout,
    *,
    exit_ms: int,
    soft: Callable[[int], None],
    harden: Callable[[CancellationSignal], None],
) -> WatchResult:
    """Wait until the step ends, its time is up, or it must stop immediately.

    `soft` is called once, when the soft limit is reached; `harden` when the time for a cancellation
    that is not immediate is over and it must become immediate.
    """
    loop = asyncio.get_running_loop()
    started = loop.time()
    soft_at: float | None = started + limits.soft_ms / 1000
    hard_at = started + limits.hard_ms / 1000
    current: CancellationSignal | None = None
    leave_at: float | None = None

    def build_result(how: WatchEnd) -> WatchResult:
        return WatchResult(how, task, round((loop.time() - started) * 1000))

    while True:
        signal = scope.signal
        if task.done():
            return build_result(WatchEnd.DONE)
        if signal is not None and signal.mode.is_immediate:
            return build_result(WatchEnd.CUT)
        if loop.time() >= hard_at:
            return build_result(WatchEnd.TIMED_OUT)
        if soft_at is not None and loop.time() >= soft_at:
            soft_at = None
            soft(round((loop.time() - started) * 1000))
        if signal is not None and signal is not current:
            current, leave_at = signal, _exit_deadline(signal, loop.time(), exit_ms)
        if current is not None and leave_at is not None and loop.time() >= leave_at:
            harden(current)
            continue
        next_at = min(at for at in (soft_at, hard_at, leave_at) if at is not None)
        await wait_for_task(task, scope, next_at - loop.time())


def _exit_deadline(signal: CancellationSignal, now: float, exit_ms: int) -> float | None:
    """When a step must have stopped. Draining has no deadline except the step's hard limit."""
    if signal.timeout_ms is not None:
        return now + signal.timeout_ms / 1000
    return None if signal.mode is CancellationMode.DRAIN else now + exit_ms / 1000


async def wait_for_task(
    task: "asyncio.Task[Any]", scope: CancellationScope, timeout_s: float
) -> None:
    """Wait for the task, for a signal to the scope, or until the timeout; the task continues."""
    signalled = asyncio.ensure_future(scope.wait_for_signal())
    try:
        await asyncio.wait(
            {task, signalled}, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED
        )
    finally:
        signalled.cancel()
