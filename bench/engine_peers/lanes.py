"""Worker processes that get ready, start on one signal and are timed together.

The measuring process enqueues every document's first job, lets the lanes import, connect and
prepare, and only then starts the clock and opens the gate. It stops the clock when the last
document's last result is committed.
"""

import asyncio
import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Barrier, Event, Semaphore
from threading import BrokenBarrierError
from typing import Any, Final, TypeAlias

from bench.engine_peers.cpu import own_cpu_seconds, server_cpu_seconds

READY_SECONDS: Final = 60.0
STOP_SECONDS: Final = 30.0
OVER_POLL_SECONDS: Final = 0.02
PARENT_POLL_SECONDS: Final = 1.0


class LaneDied(Exception):
    """A worker process ended before the work did; its own traceback is on stderr."""


@dataclass(frozen=True)
class Lane:
    """What one worker process is given to keep time with the others."""

    gate: Barrier
    finished: Semaphore
    over: Event

    def ready(self) -> None:
        """Say that this lane could start, and wait until every lane may."""
        try:
            self.gate.wait(READY_SECONDS)
        except BrokenBarrierError as error:
            raise LaneDied("not every worker process got ready") from error

    def document_finished(self) -> None:
        """Say that one document's last result is committed."""
        self.finished.release()

    def wait_until_over(self) -> None:
        while not self.over.wait(PARENT_POLL_SECONDS):
            _check_parent()

    async def watch_until_over(self, worker: "asyncio.Task[None]") -> None:
        """Wait beside a worker that should outlive the work; fail at once when it does not."""
        while not self.over.is_set():
            if worker.done():
                raise LaneDied("the peer's worker stopped by itself") from worker.exception()
            _check_parent()
            await asyncio.sleep(OVER_POLL_SECONDS)


Work: TypeAlias = Callable[[Lane, Any], None]
"""A lane's whole life: prepare, `lane.ready()`, work, `lane.wait_until_over()`, shut down."""


@dataclass(frozen=True)
class Timing:
    """What a run took, from the open gate to the last committed result."""

    seconds: float
    cpu_seconds: float
    """Of the measuring process and its lanes."""
    server_cpu_seconds: float | None
    """Of the database server, where there is one whose time can be read."""


def time_lanes(
    work: Work,
    argument: Any,
    *,
    processes: int,
    documents: int,
    server_pid: int | None = None,
    on_start: Callable[[], None] | None = None,
) -> Timing:
    """Run `work` in `processes` lanes until `documents` are finished, and time it.

    `on_start` runs as the clock starts, for a peer that must be told to begin.
    """
    context = multiprocessing.get_context("spawn")
    lane = Lane(context.Barrier(processes + 1), context.Semaphore(0), context.Event())
    running = [_start(context, work, lane, argument) for _ in range(processes)]
    try:
        lane.ready()
        cpu_before, server_before = own_cpu_seconds(), _server_cpu(server_pid)
        began = time.perf_counter()
        if on_start is not None:
            on_start()
        _wait_for(documents, lane, running)
        seconds = time.perf_counter() - began
        cpu, server_after = own_cpu_seconds() - cpu_before, _server_cpu(server_pid)
        lane.over.set()
        cpu += sum(_cpu_of(started) for started in running)
    except BaseException:
        for started in running:
            started.process.kill()
        raise
    finally:
        for started in running:
            started.process.join(STOP_SECONDS)
    if server_before is None or server_after is None:
        return Timing(seconds, cpu, None)
    return Timing(seconds, cpu, round(server_after - server_before, 2))


@dataclass(frozen=True)
class _Started:
    process: BaseProcess
    figures: Connection


def _start(context: SpawnContext, work: Work, lane: Lane, argument: Any) -> _Started:
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run_lane, args=(work, lane, argument, sender))
    process.start()
    # With this end closed too, a lane that dies closes the pipe and is noticed.
    sender.close()
    return _Started(process, receiver)


def _wait_for(documents: int, lane: Lane, running: list[_Started]) -> None:
    for _ in range(documents):
        while not lane.finished.acquire(timeout=1.0):
            for started in running:
                if started.process.exitcode is not None:
                    raise LaneDied(f"worker process {started.process.pid} ended too early")


def _server_cpu(pid: int | None) -> float | None:
    return None if pid is None else server_cpu_seconds(pid)


def _run_lane(work: Work, lane: Lane, argument: Any, sender: Connection) -> None:
    # CPU spent on imports and connections is not the work's, so counting starts at the gate.
    started: list[float] = []
    try:
        work(_CountedLane(lane.gate, lane.finished, lane.over, started), argument)
    except BaseException:
        lane.gate.abort()
        raise
    sender.send(own_cpu_seconds() - started[0])


@dataclass(frozen=True)
class _CountedLane(Lane):
    started: list[float]

    def ready(self) -> None:
        super().ready()
        self.started.append(own_cpu_seconds())


def _cpu_of(started: _Started) -> float:
    if not started.figures.poll(STOP_SECONDS):
        raise LaneDied(f"worker process {started.process.pid} did not stop in time")
    try:
        return float(started.figures.recv())
    except EOFError as error:
        raise LaneDied(f"worker process {started.process.pid} ended in an error") from error


def _check_parent() -> None:
    # A lane may start processes of its own, so it cannot be a daemon that ends with its parent.
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():
        raise LaneDied("the measuring process is gone")
