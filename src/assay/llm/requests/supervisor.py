"""The supervisor: runs the steps of requests within their time and budget, and cancels them."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from assay.clock import Clock, SystemClock
from assay.errors import InvalidInput
from assay.llm.plane import ControlPlane
from assay.llm.requests.attempts import Observe
from assay.llm.requests.cancellation import CancellationMode, CancellationSignal
from assay.llm.requests.endings import build_left_result
from assay.llm.requests.execution import RequestExecution
from assay.llm.requests.progress import ProgressListener, RequestProgress
from assay.llm.requests.results import RequestResult
from assay.llm.requests.steps import Request
from assay.llm.requests.timeouts import StepTimeout
from assay.logs import Log
from assay.model.hashes import canonical_json, content_hash

log = Log("assay.llm")


def request_key(*inputs: object) -> str:
    """The key of equal requests: the hash of everything that decides their result."""
    return content_hash(canonical_json(inputs))


@dataclass(frozen=True, kw_only=True)
class RunningRequest:
    """A running request, described for display."""

    request_id: str
    key: str | None
    waiters: tuple[str, ...]
    """The ids of all equal requests that share it."""
    since_ms: int
    step: str | None
    attempt: int
    mode: CancellationMode | None
    """How it is being stopped; None while it is not."""
    under_way: tuple[str, ...]
    """The scopes below it, including model calls."""


@dataclass(eq=False)
class _Waiter:
    request_id: str
    left: "asyncio.Future[RequestResult]"
    """Set when this one leaves while others stay."""
    report: ProgressListener | None = None


@dataclass(eq=False)
class _SharedExecution:
    execution: RequestExecution
    task: "asyncio.Task[RequestResult]"
    since_ms: int
    waiters: list[_Waiter]


class Supervisor:
    """Runs requests. Equal ones at the same time share one execution."""

    def __init__(
        self,
        plane: ControlPlane | None = None,
        *,
        patience: float = 1.0,
        clock: Clock | None = None,
        observe: Observe | None = None,
    ) -> None:
        """`observe` is called with what to count; by default, the plane's own metrics count it.

        Every step gets `patience` times its declared time.

        Without a plane, only steps that ask no model can run.
        """
        self._plane = plane
        self._patience = patience
        self._clock: Clock = clock or SystemClock()
        self._observe = observe or (
            _ignore_count if plane is None else plane.metrics.build_observer()
        )
        self._shared: list[_SharedExecution] = []

    async def run(
        self, request: Request, on_progress: ProgressListener | None = None
    ) -> RequestResult:
        """Run the steps, or wait for an equal request that is already running them.

        Cancelling the caller does not affect others that wait for the same execution. The last one
        to leave stops it, and returns once everything has been cleaned up. Each caller gets the
        progress from when it joined.
        """
        timeouts = self._check_request(request)
        shared = self._find_equal(request) or self._begin(request, timeouts)
        waiter = _Waiter(request.request_id, asyncio.get_running_loop().create_future())
        waiter.report = on_progress
        shared.waiters.append(waiter)
        try:
            await asyncio.wait({shared.task, waiter.left}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            shared.waiters.remove(waiter)
            if not shared.waiters:
                shared.execution.cancel(_build_abandoned_signal(shared))
                await asyncio.wait({shared.task})
            raise
        if waiter in shared.waiters:
            shared.waiters.remove(waiter)
        return waiter.left.result() if waiter.left.done() else shared.task.result()

    def cancel(self, signal: CancellationSignal, *, step: str | None = None) -> bool:
        """Stop a request, or one of its steps; False if there is nothing left to stop.

        If others wait for the same execution, only the given request leaves it. A single step is
        stopped for all of them.
        """
        for shared in self._shared:
            mine = [waiter for waiter in shared.waiters if waiter.request_id == signal.request_id]
            if not mine:
                continue
            if step is not None:
                return self._cancel_step(shared, signal, step)
            if len(mine) == len(shared.waiters):
                return shared.execution.cancel(signal)
            for waiter in mine:
                shared.waiters.remove(waiter)
                waiter.left.set_result(
                    build_left_result(shared.execution.request, waiter.request_id, signal)
                )
            return True
        return False

    def list_running(self) -> tuple[RunningRequest, ...]:
        """All running requests."""
        return tuple(_describe_execution(shared) for shared in self._shared)

    async def close(self, mode: CancellationMode = CancellationMode.IMMEDIATE) -> None:
        """Stop everything and wait until it is cleaned up; callers get what there was so far."""
        for shared in self._shared:
            request_id = shared.execution.request.request_id
            shared.execution.cancel(
                CancellationSignal(request_id=request_id, mode=mode, reason="shutdown")
            )
        if self._shared:
            await asyncio.wait({shared.task for shared in self._shared})

    def _cancel_step(self, shared: _SharedExecution, signal: CancellationSignal, step: str) -> bool:
        names = [spec.name for spec in shared.execution.request.steps]
        if step not in names:
            raise InvalidInput(f"The request has no step '{step}'; it has {', '.join(names)}.")
        return shared.execution.cancel(signal, step)

    def _find_equal(self, request: Request) -> _SharedExecution | None:
        for shared in self._shared:
            running = shared.execution
            if request.key is not None and running.request.key == request.key:
                # An execution that is being stopped will not produce what the new caller wants.
                if running.scope.signal is None:
                    return shared
            elif request.request_id in {waiter.request_id for waiter in shared.waiters}:
                raise InvalidInput(f"Request '{request.request_id}' is already running.")
        return None

    def _begin(self, request: Request, timeouts: Mapping[str, StepTimeout]) -> _SharedExecution:
        waiters: list[_Waiter] = []
        execution = RequestExecution(
            request,
            plane=self._plane,
            timeouts=timeouts,
            observe=self._count_safely,
            report=lambda progress: _report_to_waiters(waiters, progress),
        )
        task = asyncio.create_task(execution.run())
        shared = _SharedExecution(execution, task, self._clock.now_ms(), waiters)
        self._shared.append(shared)
        task.add_done_callback(lambda _: self._on_end(shared))
        return shared

    def _on_end(self, shared: _SharedExecution) -> None:
        self._shared.remove(shared)
        # Callers that wait get the error themselves; if all have left, only the log has it.
        if not shared.task.cancelled() and (error := shared.task.exception()) is not None:
            log.error("request_crashed", f"{type(error).__name__}: {error}")

    def _count_safely(self, name: str, labels: Mapping[str, object]) -> None:
        """Count without letting an error in the counting harm the request."""
        try:
            self._observe(name, labels)
        except Exception as error:
            log.error("not_counted", f"'{name}' could not be counted: {error}", traceback=True)

    def _check_request(self, request: Request) -> Mapping[str, StepTimeout]:
        """The time limits of every step; a pipeline that cannot run is refused before it starts."""
        if not request.steps:
            raise InvalidInput("A request needs at least one step.")
        timeouts: dict[str, StepTimeout] = {}
        for spec in request.steps:
            needed = {need.step for need in spec.normalized_needs}
            if spec.name in timeouts:
                raise InvalidInput(f"Step '{spec.name}' is declared twice.")
            if late := sorted(needed - timeouts.keys()):
                raise InvalidInput(
                    f"Step '{spec.name}' needs '{late[0]}', which does not come before it."
                )
            if spec.takes is not None and spec.takes not in needed:
                raise InvalidInput(
                    f"Step '{spec.name}' takes '{spec.takes}' but does not declare it in needs."
                )
            timeouts[spec.name] = spec.timeout.scale(self._patience)
        return MappingProxyType(timeouts)


def _report_to_waiters(waiters: list[_Waiter], progress: RequestProgress) -> None:
    """Report progress without letting an error in a listener harm the request."""
    for waiter in tuple(waiters):
        if waiter.report is None:
            continue
        try:
            waiter.report(replace(progress, request_id=waiter.request_id))
        except Exception as error:
            log.error("not_told", f"Progress could not be reported: {error}", traceback=True)


def _ignore_count(name: str, labels: Mapping[str, object]) -> None:
    """Do nothing, because nobody is counting."""


def _build_abandoned_signal(shared: _SharedExecution) -> CancellationSignal:
    return CancellationSignal(
        request_id=shared.execution.request.request_id,
        mode=CancellationMode.IMMEDIATE,
        reason="nobody waits for it any more",
    )


def _describe_execution(shared: _SharedExecution) -> RunningRequest:
    execution = shared.execution
    current = execution.current
    return RunningRequest(
        request_id=execution.request.request_id,
        key=execution.request.key,
        waiters=tuple(waiter.request_id for waiter in shared.waiters),
        since_ms=shared.since_ms,
        step=execution.step,
        attempt=0 if current is None else current.number,
        mode=execution.scope.mode,
        under_way=tuple(
            node.path for node in execution.scope.walk_nodes() if node.parent is not None
        ),
    )
