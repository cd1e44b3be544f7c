"""Watching what processes cost, from outside: what a process says of itself dies with it."""

import threading
from pathlib import Path
from types import TracebackType
from typing import Self

_EVERY_S = 0.02


class Watch:
    """The most memory that a process and its children had, each for itself, in megabytes."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.own_mb = 0
        """The process itself."""
        self.child_mb = 0
        """The largest of its children."""
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._look()
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(_EVERY_S):
            self._look()

    def _look(self) -> None:
        self.own_mb = max(self.own_mb, peak_mb(self.pid))
        for child in children(self.pid):
            self.child_mb = max(self.child_mb, peak_mb(child))


def children(pid: int) -> list[int]:
    """The processes that a process started."""
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, listed.read_text().split())
        except OSError:
            # A thread that ended while it was looked at.
            continue
    return found


def peak_mb(pid: int) -> int:
    """The most memory that a process ever had; nothing of one that is gone."""
    try:
        told = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    lines = (line.split() for line in told.splitlines() if line.startswith("VmHWM"))
    return next((int(words[1]) // 1024 for words in lines), 0)
