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
_LINE_EVERY_S = 1.0


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
        yield _LineReporter(session, stages).show


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


class _LineReporter:
    """For logs and pipes: a line when something has changed, but not too many."""

    def __init__(self, session: Session, stages: Sequence[str]) -> None:
        self._session = session
        self._stages = stages
        self._last = ""
        self._next_s = 0.0

    def show(self, counts: Counts) -> None:
        now = time.monotonic()
        if now < self._next_s:
            return
        parts = []
        for name in self._stages:
            ended, whole, dead = count_stage_jobs(counts, name)
            if whole:
                parts.append(f"{name} {ended}/{whole}" + (f" ({dead} dead)" if dead else ""))
        line = "  " + ", ".join(parts)
        if parts and line != self._last:
            self._last = line
            self._next_s = now + _LINE_EVERY_S
            self._session.say(line)
