"""Shows progress: bars on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from assay.cli.session import Session
from assay.engine.jobs import DEAD, QUEUED

Counts = Mapping[str, Mapping[str, int]]
"""stage → state → number of jobs."""
ShowCounts = Callable[[Counts], None]
_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 60.0
_GROWTH = 1.5
"""By how much longer to wait after each line."""


def count_stage_jobs(counts: Counts, stage: str) -> tuple[int, int, int]:
    """For one stage: the number of finished jobs, all jobs, and dead jobs."""
    states = counts.get(stage, {})
    whole = sum(states.values())
    return whole - states.get(QUEUED, 0), whole, states.get(DEAD, 0)


@contextmanager
def show_progress(session: Session, stages: Sequence[str]) -> Iterator[ShowCounts]:
    """Yield a function that shows how far the stages have come."""
    if session.json:
        yield lambda counts: None
    elif session.out.is_terminal:
        with _show_bars(session, stages) as show:
            yield show
    else:
        yield LineReporter(session.say, stages).show


@contextmanager
def _show_bars(session: Session, stages: Sequence[str]) -> Iterator[ShowCounts]:
    columns = (
        TextColumn("{task.description:<10}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}", style="red"),
    )
    with Progress(*columns, console=session.out, transient=True) as progress:
        tasks: dict[str, TaskID] = {
            name: progress.add_task(name, total=None, note="") for name in stages
        }

        def show(counts: Counts) -> None:
            for name, task in tasks.items():
                ended, whole, dead = count_stage_jobs(counts, name)
                note = f"{dead} dead" if dead else ""
                progress.update(task, completed=ended, total=whole or None, note=note)

        yield show


class LineReporter:
    """For logs and pipes: a line about the stages that have moved, less and less often.

    A run of hours leaves a page of lines, not thousands that are nearly the same.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        stages: Sequence[str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._say = say
        self._stages = stages
        self._clock = clock
        self._last: dict[str, str] = {}
        self._next_s = 0.0
        self._wait_s = _FIRST_WAIT_S

    def show(self, counts: Counts) -> None:
        now = self._clock()
        if now < self._next_s:
            return
        lines = {name: _describe_stage(counts, name) for name in self._stages}
        moved = [line for name, line in lines.items() if line and line != self._last.get(name)]
        if moved:
            self._last = lines
            self._next_s = now + self._wait_s
            self._wait_s = min(_LONGEST_WAIT_S, self._wait_s * _GROWTH)
            self._say("  " + ", ".join(moved))


def _describe_stage(counts: Counts, name: str) -> str:
    ended, whole, dead = count_stage_jobs(counts, name)
    if not whole:
        return ""
    return f"{name} {ended}/{whole}" + (f" ({dead} dead)" if dead else "")
