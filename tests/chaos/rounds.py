"""Rounds of chaos: processes are killed or stopped at a point, others go on, the books balance."""

import signal
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from assay.app import App
from assay.app.composition import init_home
from assay.engine.faults import POINTS
from assay.settings import Settings
from assay.store import tables as t
from tests.conftest import quick_settings
from tests.engine.toy import left, sow, toy_pipeline, unbalanced
from tests.forking import Forked
from tests.waiting import PATIENCE_S, until

Books = dict[str, object]
"""What does not balance: empty, if nothing was lost and nothing done twice."""

COUNT = 40
_SLEEPERS_LEASE_S = 30.0
"""After so long Postgres ends a transaction in which a worker sleeps. It is not waited for: the
test ends the lease itself, unless the worker fell asleep while it renewed it."""


@dataclass(frozen=True)
class Round:
    """One home and one database, worked on by several processes."""

    home: Path
    database_url: str | None = None
    count: int = COUNT

    def prepare(self) -> None:
        with self._app() as app:
            app.migrate()
            sow(app, self.count)

    def unbalanced(self) -> Books:
        with self._app() as app:
            return unbalanced(app, self.count)

    def done(self) -> bool:
        with self._app() as app:
            return left(app) == 0

    def end_lease(self, name: str) -> None:
        """Make a worker's last sign of life so old that it counts as dead."""
        with self._app() as app, app.engine.begin() as connection:
            worker = sa.update(t.worker).where(t.worker.c.worker_id == name)
            assert connection.execute(worker.values(heartbeat_ms=0)).rowcount == 1

    def start(
        self, *, name: str | None = None, fault: str = "", lease_s: float | None = None
    ) -> Forked:
        told = [str(self.home)]
        for option, value in (
            ("--database-url", self.database_url),
            ("--name", name),
            ("--fault", fault),
            ("--lease", lease_s),
        ):
            if value:
                told += [option, str(value)]
        return Forked("tests.chaos.worker", *told)

    def finish(self, *, name: str | None = None) -> None:
        """One worker without a fault, to the end."""
        ended(self.start(name=name), 0)

    def settle(self) -> Settings:
        settings = quick_settings(self.home, database_url=self.database_url)
        init_home(settings)
        return settings

    def _app(self) -> App:
        return App(self.settle(), pipeline=toy_pipeline())


def ended(process: Forked, code: int) -> None:
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code, said


def killed_and_restarted(
    chaos: Round, fault: str, *, first: str | None, second: str | None
) -> Books:
    """A worker dies at the point; another, or the same again, takes up its work."""
    chaos.prepare()
    ended(chaos.start(name=first, fault=fault), -signal.SIGKILL)
    chaos.finish(name=second)
    return chaos.unbalanced()


def killed_again_and_again(chaos: Round, fault: str) -> Books:
    """Death at this point, then at the three that follow it, before the work may end."""
    chaos.prepare()
    at = POINTS.index(fault.partition("@")[0])
    for point in (fault, *(POINTS[(at + step) % len(POINTS)] for step in (1, 2, 3))):
        process = chaos.start(name="w", fault=point)
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode in (-signal.SIGKILL, 0), said
    chaos.finish(name="w")
    return chaos.unbalanced()


def killed_among_others(chaos: Round, fault: str) -> Books:
    """Two workers share the work and one dies; the other does the rest."""
    chaos.prepare()
    doomed = chaos.start(name="doomed", fault=fault)
    other = chaos.start(name="other")
    doomed.wait(timeout=PATIENCE_S)
    ended(other, 0)
    return chaos.unbalanced()


def stopped_and_woken(chaos: Round, fault: str) -> Books:
    """A worker hangs, its work is handed on, and then it wakes and wants to go on."""
    chaos.prepare()
    sleeper = chaos.start(name="sleeper", fault=f"stop:{fault}", lease_s=_SLEEPERS_LEASE_S)
    until(lambda: _is_stopped(sleeper))
    chaos.end_lease("sleeper")
    chaos.finish(name="other")
    assert chaos.done()
    sleeper.send_signal(signal.SIGCONT)
    ended(sleeper, 0)
    return chaos.unbalanced()


def _is_stopped(process: Forked) -> bool:
    assert process.poll() is None, "the worker ended before it reached the point"
    status = Path(f"/proc/{process.pid}/stat").read_text()
    return status.rpartition(")")[2].split()[0] == "T"
