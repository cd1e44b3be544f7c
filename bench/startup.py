"""What it costs to start the program: CPU seconds of small commands, beside those of others.

Each command runs several times in a process of its own, and the least counts: whatever else the
machine does can only add. Datasette and llm are command lines of about this size, built on plugins;
a bare import of Typer is the floor for any program that is written with it.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.server.stored import LINES, publish

from assay.app import App
from assay.app.composition import init_home
from assay.settings import load_settings
from bench.peers import Peer, PeerFailed, install
from bench.report import Report, print_report

ROUNDS: Final = 10
QUICK_ROUNDS: Final = 3
_TYPER: Final = Peer("import typer", "startup_typer", "sqlite", ("typer==0.29.0",))
_DATASETTE: Final = Peer("datasette", "startup_datasette", "sqlite", ("datasette==0.65.5",))
_LLM: Final = Peer("llm", "startup_llm", "sqlite", ("llm==0.36",))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args(arguments)
    rounds = QUICK_ROUNDS if given.quick else ROUNDS
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        print_report(measure(rounds, Path(folder)), given.json)


def measure(rounds: int, folder: Path) -> Report:
    """The figures of Assay and of its peers."""
    home = _make_home(folder / "home")
    assay = [sys.executable, "-m", "assay.cli"]
    ask = ["--home", str(home), "ask", "--as-of", "2026-01-01", "pdv.rate"]
    version = least_cpu([*assay, "--version"], rounds, folder)
    peers = {name: least_cpu(command, rounds, folder) for name, command in _peer_commands().items()}
    return Report(
        name="CPU to print the version",
        unit="s",
        better="lower",
        ours=version,
        peers=peers,
        detail={
            "assay --help": round(least_cpu([*assay, "--help"], rounds, folder), 3),
            "assay ask": round(least_cpu([*assay, *ask], rounds, folder), 3),
            "python -c pass": round(least_cpu([sys.executable, "-c", "pass"], rounds, folder), 3),
            "rounds": rounds,
        },
    )


def least_cpu(command: Sequence[str], rounds: int, folder: Path) -> float:
    """User and system seconds of a command, the least of all rounds."""
    return min(_cpu_seconds(command, folder) for _ in range(rounds))


def _cpu_seconds(command: Sequence[str], folder: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # llm keeps its settings in the home of the user unless it is told otherwise.
    env = {**os.environ, "LLM_USER_PATH": str(folder / "llm")}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise PeerFailed(f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _peer_commands() -> dict[str, list[str]]:
    """What each peer runs, installed where it is not yet."""
    return {
        "import typer": [str(install(_TYPER)), "-c", "import typer"],
        "datasette --version": [str(install(_DATASETTE).with_name("datasette")), "--version"],
        "llm --version": [str(install(_LLM).with_name("llm")), "--version"],
    }


def _make_home(home: Path) -> Path:
    """A home with a small release."""
    settings = load_settings(home=home, env={})
    init_home(settings)
    with App(settings) as app:
        app.migrate()
        publish(app, *LINES)
    return home


if __name__ == "__main__":
    main()
