"""How a request is stopped: in which mode, what stops with it, and what is cleaned up."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from assay.errors import AssayError, InternalError, InvalidInput
from assay.logs import Log

log = Log("assay.llm")

Closer = Callable[[], Awaitable[None] | None]
"""Releases something; called once."""

CLOSER_TIMEOUT_S = 10.0
"""The longest that one closer may take before it is the next one's turn."""


class CancellationMode(StrEnum):
    """How to stop."""

    IMMEDIATE = "immediate"
    """Now; what was kept so far is the result."""
    GRACEFUL = "graceful"
    """After the current model call or piece of work; what was kept so far is the result."""
    DRAIN = "drain"
    """After the work of the current step; no further step begins."""
    ABORT = "abort"
    """Now, and nothing is kept."""

    @property
    def strength(self) -> int:
        """How strong the mode is; only a stronger signal replaces an earlier one."""
        return _STRENGTH[self]

    @property
    def is_immediate(self) -> bool:
        return self in (CancellationMode.IMMEDIATE, CancellationMode.ABORT)


_STRENGTH: Mapping[CancellationMode, int] = MappingProxyType(
    {
        CancellationMode.DRAIN: 1,
        CancellationMode.GRACEFUL: 2,
        CancellationMode.IMMEDIATE: 3,
        CancellationMode.ABORT: 4,
    }
)

_REASONS: Mapping[str, tuple[CancellationMode, int]] = MappingProxyType(
    {
        "user_request": (CancellationMode.GRACEFUL, 30_000),
        "timeout": (CancellationMode.IMMEDIATE, 5_000),
        "resource_exhaustion": (CancellationMode.GRACEFUL, 30_000),
    }
)
"""How each known reason stops a request, and how long that may take."""


@dataclass(frozen=True, kw_only=True)
class CancellationSignal:
    """A request to stop a running request."""

    request_id: str
    mode: CancellationMode
    reason: str
    cascade: bool = True
    """Whether what depends on the cancelled step is cancelled too."""
    timeout_ms: int | None = None
    """The longest wait for an end that is not immediate, after which it becomes IMMEDIATE; None for
    the step's own time to leave."""

    @classmethod
    def for_reason(cls, request_id: str, reason: str) -> "CancellationSignal":
        """The signal for `user_request`, `timeout` or `resource_exhaustion`."""
        if reason not in _REASONS:
            raise InvalidInput(
                f"'{reason}' is not a known reason; use one of {', '.join(sorted(_REASONS))}."
            )
        mode, timeout_ms = _REASONS[reason]
        return cls(request_id=request_id, mode=mode, reason=reason, timeout_ms=timeout_ms)


class StepStopped(asyncio.CancelledError):
    """Raised inside a step at the point where it yields to a cancellation."""


class CleanUpPhase(StrEnum):
    """The phases after a cancellation, in order."""

    STOP_NEW_WORK = "stop_new_work"
    ABORT_MODEL_CALLS = "abort_model_calls"
    RELEASE_PERMITS = "release_permits"
    CLOSE_RUN_FOLDERS = "close_run_folders"
    UPDATE_METRICS = "update_metrics"


CLEAN_UP_ORDER: tuple[CleanUpPhase, ...] = (
    CleanUpPhase.STOP_NEW_WORK,
    CleanUpPhase.ABORT_MODEL_CALLS,
    CleanUpPhase.RELEASE_PERMITS,
    CleanUpPhase.CLOSE_RUN_FOLDERS,
    CleanUpPhase.UPDATE_METRICS,
)


class CleanUpAction(StrEnum):
    """What the cascade table lists by name; every clean-up does all of it."""

    ABORT_LLM_CALL = "abort_llm_call"
    DRAIN_STREAM = "drain_stream"
    RELEASE_SEMAPHORE = "release_semaphore"

    @property
    def phase(self) -> CleanUpPhase:
        """The phase that does it. A stream is drained when its call ends: what it had delivered by
        then is kept and charged."""
        if self is CleanUpAction.RELEASE_SEMAPHORE:
            return CleanUpPhase.RELEASE_PERMITS
        return CleanUpPhase.ABORT_MODEL_CALLS


@dataclass(frozen=True, kw_only=True)
class CascadeRow:
    """What the end of one step means for the others."""

    cancels_siblings: tuple[str, ...] = ()
    dependents: tuple[str, ...] = ()
    graceful_exit_ms: int = 2_000
    """How long the step may take to leave."""
    clean_up: tuple[CleanUpAction, ...] = ()

    @property
    def cancels(self) -> frozenset[str]:
        return frozenset(self.cancels_siblings + self.dependents)


def find_cascade(step: str, table: Mapping[str, CascadeRow]) -> frozenset[str]:
    """Every step that is cancelled with this one, directly or through another."""
    if step not in table:
        raise InvalidInput(f"The cascade table has no step '{step}'.")
    found: set[str] = set()
    ahead = [step]
    while ahead:
        row = table.get(ahead.pop(), CascadeRow())
        ahead.extend(row.cancels - found)
        found |= row.cancels
    return frozenset(found - {step})


@dataclass(frozen=True)
class CleanUpFailure:
    """A closer that failed."""

    phase: CleanUpPhase
    scope: str
    error: Exception


class CancellationScope:
    """A node in the tree of running work: a request, its steps, their model calls, and so on.
    Cancelling a node cancels everything below it, and nothing beside it."""

    def __init__(self, name: str, parent: "CancellationScope | None" = None) -> None:
        self.name = name
        self.parent = parent
        self.children: list[CancellationScope] = []
        self.signal: CancellationSignal | None = None
        """Why this node stops; None while it runs."""
        self._closers: list[tuple[CleanUpPhase, Closer]] = []
        self._signalled = asyncio.Event()

    def __repr__(self) -> str:
        return f"Scope({self.path!r})"

    @property
    def path(self) -> str:
        return self.name if self.parent is None else f"{self.parent.path}/{self.name}"

    @property
    def mode(self) -> CancellationMode | None:
        return None if self.signal is None else self.signal.mode

    def child(self, name: str) -> "CancellationScope":
        """A node below this one, which stops when this one does."""
        child = CancellationScope(name, self)
        child.signal = self.signal
        self.children.append(child)
        return child

    def register(
        self, closer: Closer, phase: CleanUpPhase = CleanUpPhase.CLOSE_RUN_FOLDERS
    ) -> None:
        """Call this closer when the node is cleaned up, in the given phase."""
        self._closers.append((phase, closer))

    def leave(self) -> None:
        """Remove the node from the tree, because its work is over."""
        if self.parent is not None and self in self.parent.children:
            self.parent.children.remove(self)

    def cancel(self, signal: CancellationSignal) -> bool:
        """Cancel this node and all below it; False if it is already stopping at least as hard."""
        if self.signal is not None and self.signal.mode.strength >= signal.mode.strength:
            return False
        for node in self.walk_nodes():
            if node.signal is None or node.signal.mode.strength < signal.mode.strength:
                node.signal = signal
                node._signalled.set()
        return True

    async def wait_for_signal(self) -> CancellationSignal | None:
        """Wait for the next signal to this node, or for one above it."""
        await self._signalled.wait()
        self._signalled.clear()
        return self.signal

    def walk_nodes(self) -> Iterator["CancellationScope"]:
        """This node and all below it, newest first."""
        for child in reversed(self.children):
            yield from child.walk_nodes()
        yield self

    async def clean_up(self) -> tuple[CleanUpFailure, ...]:
        """Run every phase in order on this node and all below it, each closer once.

        A closer that fails or hangs is logged and reported; the rest continue.
        """
        failures: list[CleanUpFailure] = []
        for phase in CLEAN_UP_ORDER:
            for node in list(self.walk_nodes()):
                for closer in node._take_closers(phase):
                    error = await _run_closer(closer)
                    if error is not None:
                        failures.append(_log_failure(CleanUpFailure(phase, node.path, error)))
        return tuple(failures)

    def _take_closers(self, phase: CleanUpPhase) -> Sequence[Closer]:
        """Remove and return the node's closers for a phase, the last registered first."""
        closers = [closer for of, closer in reversed(self._closers) if of is phase]
        self._closers = [(of, closer) for of, closer in self._closers if of is not phase]
        return closers


async def _run_closer(closer: Closer) -> Exception | None:
    task = asyncio.current_task()
    try:
        async with asyncio.timeout(CLOSER_TIMEOUT_S) as limit:
            waiting = closer()
            if inspect.isawaitable(waiting):
                await waiting
    except TimeoutError as error:
        if not limit.expired():
            return error
        return InternalError(f"A closer took longer than {CLOSER_TIMEOUT_S:g} s.")
    except asyncio.CancelledError:
        if task is not None and task.cancelling():
            raise
        return InternalError("A closer waited for something that was cancelled.")
    except Exception as error:
        return error
    return None


def _log_failure(failure: CleanUpFailure) -> CleanUpFailure:
    error = failure.error
    log.error(
        "clean_up_failed",
        "A clean-up phase failed; the others ran",
        phase=failure.phase.value,
        scope=failure.scope,
        error=error.what if isinstance(error, AssayError) else f"{type(error).__name__}: {error}",
    )
    return failure
