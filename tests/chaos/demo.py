"""The demo, killed at random, against the demo left in peace."""

import random
import signal
import subprocess
import sys
from pathlib import Path

DAYS = 6
_MOST_TRIES = 60


def assay(home: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "assay.cli", "--home", str(home), *words]


def dump(home: Path) -> bytes:
    """The canonical state of a home."""
    return subprocess.run(
        assay(home, "store", "dump", "--canonical"), check=True, capture_output=True, timeout=60
    ).stdout


def play(home: Path, days: int = DAYS) -> None:
    """A demo to its end."""
    command = assay(home, "demo", "--days", str(days))
    ended = subprocess.run(command, capture_output=True, timeout=120)
    assert ended.returncode == 0, ended.stderr.decode()


def killed_demo_ends_like_a_peaceful_one(folder: Path, chance: random.Random, *, kills: int) -> int:
    """Kill a demo so often, let it end, and compare; gives how many kills hit a living one."""
    play(folder / "peace")
    hits = 0
    for _ in range(_MOST_TRIES):
        if hits == kills:
            break
        process = subprocess.Popen(
            assay(folder / "chaos", "demo", "--days", str(DAYS)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(timeout=chance.uniform(0.9, 2.2))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            hits += 1
    play(folder / "chaos")
    peaceful, battered = dump(folder / "peace"), dump(folder / "chaos")
    assert len(peaceful.splitlines()) > 400
    assert peaceful == battered
    return hits
