"""Calling the program: inside this process for quick tests, as a real process for the rest."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from assay.cli.main import program
from tests.forking import Forked
from tests.waiting import PATIENCE_S

PART = "tests.cli.part"
"""The module that runs the program with a small part of the demo's country."""
QUICK = {
    "ASSAY_POLLING_S": "0.05",
    "ASSAY_RETRY_DELAYS_S": "0.2,0.4,0.8",
    "ASSAY_HEARTBEAT_S": "0.3",
    # Each one imports the readers anew.
    "ASSAY_READ_PROCESSES": "1",
    # Long enough for a process that waits for a core.
    "ASSAY_LEASE_S": f"{PATIENCE_S}",
    "ASSAY_DATABASE_WAIT_S": f"{PATIENCE_S}",
    "ASSAY_READ_TIMEOUT_S": f"{PATIENCE_S}",
    "ASSAY_OCR_PAGE_TIMEOUT_S": f"{PATIENCE_S}",
    "ASSAY_FETCH_TIMEOUT_S": f"{PATIENCE_S}",
}


def call(home: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Result:
    """The program in this process."""
    env = {"ASSAY_HOME": str(home), **(env or {})}
    return CliRunner().invoke(program, list(arguments), env=env, catch_exceptions=False)


def answer(home: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Any:
    """The one JSON value that a call prints; nothing else may stand on stdout."""
    result = call(home, *arguments, "--json", env=env)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refusal(
    home: Path, *arguments: str, env: Mapping[str, str] | None = None
) -> tuple[int, dict[str, str]]:
    """Exit code and error of a call that must fail, after a look at its text form."""
    told = call(home, *arguments, env=env)
    assert told.exit_code != 0
    assert told.stdout == ""
    assert len(told.stderr.splitlines()) == 1, told.stderr
    asked = call(home, *arguments, "--json", env=env)
    assert asked.exit_code == told.exit_code
    assert asked.stderr == ""
    error: dict[str, str] = json.loads(asked.stdout)["error"]
    assert set(error) == {"code", "class", "message", "advice"}
    assert error["code"] in told.stderr
    return told.exit_code, error


@dataclass(frozen=True)
class Ended:
    """How a real process ended."""

    code: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        return json.loads(self.out)


class Called:
    """A real process of the program; `anew` starts a new Python for it."""

    def __init__(
        self,
        home: Path,
        *arguments: str,
        module: str = "assay.cli",
        anew: bool = False,
        **env: str,
    ) -> None:
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("ASSAY_")}
        given, env = arguments, {**inherited, **QUICK, "ASSAY_HOME": str(home), **env}
        self._out = home.parent / f"{time.monotonic_ns()}.out"
        self._out.touch()
        self.process = (
            self._start_anew(module, given, env)
            if anew
            else Forked(module, *given, env=env, out=self._out)
        )

    def _start_anew(
        self, module: str, given: Sequence[str], env: Mapping[str, str]
    ) -> "subprocess.Popen[str]":
        with self._out.open("wb") as out:
            return subprocess.Popen(
                [sys.executable, "-m", module, *given],
                stdout=out,
                stderr=subprocess.PIPE,
                env=env,
                text=True,
            )

    def wait_for(self, text: str, timeout_s: float = PATIENCE_S) -> None:
        """Until it has printed that."""
        deadline = time.monotonic() + timeout_s
        while text not in self._out.read_text(encoding="utf-8"):
            if self.process.poll() is not None or time.monotonic() > deadline:
                ended = self.end(1)
                raise AssertionError(f"{text!r} did not come: {ended}")
            time.sleep(0.02)

    def served_url(self) -> str:
        """Where `serve --port 0` answers, once it does."""
        self.wait_for("; press Ctrl-C to stop.")
        printed = self._out.read_text(encoding="utf-8")
        return printed.partition("Serving ")[2].partition("; press")[0]

    def end(self, timeout_s: float = PATIENCE_S) -> Ended:
        """What it said; a process that does not end is killed."""
        try:
            _, err = self.process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, err = self.process.communicate()
        return Ended(self.process.wait(), self._out.read_text(encoding="utf-8"), err)


def real(
    home: Path, *arguments: str, module: str = "assay.cli", anew: bool = False, **env: str
) -> Ended:
    """A real process, from its start to its end."""
    return Called(home, *arguments, module=module, anew=anew, **env).end()
