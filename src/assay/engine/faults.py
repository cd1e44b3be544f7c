"""Points at which a test may kill the process, to prove that nothing is lost or done twice."""

import os
import signal
from typing import Protocol

POINTS = (
    "batch.before_read",
    "batch.after_begin",
    "batch.after_read",
    "batch.before_work",
    "batch.after_work",
    "batch.before_blobs",
    "batch.after_blobs",
    "commit.before",
    "commit.after_fence",
    "commit.after_records",
    "commit.after_jobs",
    "commit.before_commit",
    "commit.after",
    "batch.end",
)


class Faults(Protocol):
    """Called at every point the engine passes."""

    def reach(self, point: str) -> None: ...


class NoFaults:
    """Does nothing at any point."""

    def reach(self, point: str) -> None:
        return None


class KillAt:
    """Kills this process, as `kill -9` would, the n-th time that a point is reached.

    With `stop` the process is stopped instead (SIGSTOP), like a machine that hangs.
    """

    def __init__(self, point: str, nth: int = 1, *, stop: bool = False) -> None:
        if point not in POINTS:
            raise ValueError(f"{point!r} is not a fault point; use one of {', '.join(POINTS)}")
        self._point = point
        self._left = nth
        self._signal = signal.SIGSTOP if stop else signal.SIGKILL

    def reach(self, point: str) -> None:
        if point != self._point:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), self._signal)


def parse_fault_plan(plan: str) -> Faults:
    """Parse the value of a setting: '' for none, 'point', 'point@n', or 'stop:point@n'."""
    if not plan:
        return NoFaults()
    kind, _, rest = plan.rpartition(":")
    point, _, nth = rest.partition("@")
    return KillAt(point, int(nth or 1), stop=kind == "stop")
