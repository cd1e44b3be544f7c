"""Rounds of chaos: processes are killed or stopped at a point, others go on, the books balance."""

import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from assay.app import App
from assay.app.composition import init_home
from assay.engine.faults import POINTS
from tests.conftest import quick_settings
from tests.engine.toy import left, sow, toy_pipeline, unbalanced

Books = dict[str, object]
"""What does not balance: empty, if nothing was lost and nothing done twice."""

COUNT = 40
_PATIENCE_S = 60


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

    def start(self, *, name: str | None = None, fault: str = "") -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "tests.chaos.worker", str(self.home)]
        for option, value in (
            ("--database-url", self.database_url),
            ("--name", name),
            ("--fault", fault),
        ):
            if value:
                command += [option, value]
        return subprocess.Popen(command, stderr=subprocess.PIPE)

    def finish(self, *, name: str | None = None) -> None:
        """One worker without a fault, to the end."""
        ended(self.start(name=name), 0)

    def _app(self) -> App:
        settings = quick_settings(self.home, database_url=self.database_url)
        init_home(settings)
        return App(settings, pipeline=toy_pipeline())


def ended(process: "subprocess.Popen[bytes]", code: int) -> None:
    _, said = process.communicate(timeout=_PATIENCE_S)
    assert process.returncode == code, said.decode()


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
        _, said = process.communicate(timeout=_PATIENCE_S)
        assert process.returncode in (-signal.SIGKILL, 0), said.decode()
    chaos.finish(name="w")
    return chaos.unbalanced()


def killed_among_others(chaos: Round, fault: str) -> Books:
    """Two workers share the work and one dies; the other does the rest."""
    chaos.prepare()
    doomed = chaos.start(name="doomed", fault=fault)
    other = chaos.start(name="other")
    doomed.wait(timeout=_PATIENCE_S)
    ended(other, 0)
    if doomed.stderr is not None:
        doomed.stderr.close()
    return chaos.unbalanced()


def stopped_and_woken(chaos: Round, fault: str) -> Books:
    """A worker hangs, its work is handed on, and then it wakes and wants to go on."""
    chaos.prepare()
    sleeper = chaos.start(name="sleeper", fault=f"stop:{fault}")
    _wait_until_stopped(sleeper)
    chaos.finish(name="other")
    assert chaos.done()
    sleeper.send_signal(signal.SIGCONT)
    ended(sleeper, 0)
    return chaos.unbalanced()


def _wait_until_stopped(process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + _PATIENCE_S
    status = Path(f"/proc/{process.pid}/stat")
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise AssertionError("the worker ended before it reached the point")
        if status.read_text().rpartition(")")[2].split()[0] == "T":
            return
        time.sleep(0.02)
    raise AssertionError("the worker never stopped")
