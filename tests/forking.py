"""Processes of their own that need not import Assay first, which takes longer than many a test.

`python -m module` spends seconds on imports before it begins. Here one process per test run imports
everything once, and each further one is a fork of it: it has its own pid, memory and signals, and
can be killed like any other. All forks of one test process share its hash seed; where a test
compares what two processes wrote, one of the two is started anew.
"""

import atexit
import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

ROOT = Path(__file__).parents[1]


class Forked:
    """A process that runs a module, used like `subprocess.Popen`."""

    def __init__(
        self,
        module: str,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        path: Sequence[Path] = (),
        out: Path | None = None,
    ) -> None:
        self._folder = TemporaryDirectory(prefix="forked-")
        self._out = out or Path(self._folder.name) / "out"
        self._err = Path(self._folder.name) / "err"
        self._said: tuple[str, str] | None = None
        self.args = (module, *arguments)
        self._process = _start_nursery().Process(
            target=_run_module,
            args=(
                [module, *arguments],
                dict(os.environ if env is None else env),
                [str(folder) for folder in path],
                str(self._out),
                str(self._err),
            ),
        )
        self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(self.args, timeout)
        if self._said is None:
            self._said = (_read(self._out), _read(self._err))
            self._folder.cleanup()
        return self._process.exitcode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end, and give what it printed."""
        self.wait(timeout)
        assert self._said is not None
        return self._said

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


def run_forked(
    module: str,
    *arguments: str,
    timeout: float,
    env: Mapping[str, str] | None = None,
    path: Sequence[Path] = (),
) -> "subprocess.CompletedProcess[str]":
    """Run a module in a process of its own, from its start to its end."""
    process = Forked(module, *arguments, env=env, path=path)
    try:
        out, err = process.communicate(timeout)
    except BaseException:
        process.kill()
        raise
    return subprocess.CompletedProcess(process.args, process.wait(), out, err)


def run_anew(
    module: str, *arguments: str, timeout: float, env: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """The same in a new Python with a hash seed of its own."""
    given = [sys.executable, "-m", module, *arguments]
    return subprocess.run(
        given, env=env, text=True, capture_output=True, timeout=timeout, check=False
    )


@cache
def _start_nursery() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.preloaded"])
    # It imports from where this process does, whatever folder the test is in.
    with patch.dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT), *sys.path])):
        forkserver.ensure_running()
    return context


def _run_module(argv: list[str], env: dict[str, str], path: list[str], out: str, err: str) -> None:
    """What `python -m` does, in a process that has just been forked."""
    os.environ.clear()
    os.environ.update(env)
    for number, file in ((1, out), (2, err)):
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.path[:0] = path
    sys.argv = argv
    try:
        runpy.run_module(argv[0], run_name="__main__", alter_sys=True)
    finally:
        # A fork ends without those.
        atexit._run_exitfuncs()


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""
