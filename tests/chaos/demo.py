"""The demo, killed at random, against the demo left in peace."""

import random
import signal
from pathlib import Path

from assay.app import App
from assay.app.releases import find_release
from assay.store.dump import dump_canonical
from tests.demo.part import settings_of
from tests.forking import Forked, run_anew, run_forked
from tests.waiting import PATIENCE_S, until

_MOST_TRIES = 60
_MOST_LINES = 25
"""Lines that a demo logs before it is killed, at most: a good part of what it does."""


DEMO = "tests.chaos.country"


def dump(home: Path) -> bytes:
    """The canonical state of a home."""
    with App(settings_of(home)) as app, app.engine.connect() as connection:
        return b"".join(dump_canonical(connection, app.records))


def manifest(home: Path) -> bytes:
    """The manifest of the release that counts."""
    with App(settings_of(home)) as app:
        return app.blobs.get(find_release(app).manifest_hash)


def play(home: Path) -> None:
    """A demo to its end, in a new Python."""
    ended = run_anew(DEMO, str(home), timeout=PATIENCE_S)
    assert ended.returncode == 0, ended.stderr


def killed_demo_ends_like_a_peaceful_one(
    peace: Path, chaos: Path, chance: random.Random, *, kills: int
) -> int:
    """Kill a demo so often, let it end, and compare; gives how many kills hit a living one."""
    hits = 0
    for _ in range(_MOST_TRIES):
        if hits == kills:
            break
        process = Forked(DEMO, str(chaos))
        _wait_for_lines(process, _log_of(chaos), chance.randint(1, _MOST_LINES))
        process.send_signal(signal.SIGKILL)
        hits += process.wait() == -signal.SIGKILL
    ended = run_forked(DEMO, str(chaos), timeout=PATIENCE_S)
    assert ended.returncode == 0, ended.stderr
    require_same(peace, chaos)
    return hits


def _wait_for_lines(process: Forked, log: Path, count: int) -> None:
    """Until it has written so many lines to its log, or has ended."""
    before = _lines_in(log)
    until(lambda: process.poll() is not None or _lines_in(log) >= before + count, every_s=0.002)


def _log_of(home: Path) -> Path:
    return settings_of(home).log_file


def _lines_in(log: Path) -> int:
    return log.read_bytes().count(b"\n") if log.exists() else 0


def require_same(one: Path, other: Path) -> None:
    """Two homes that saw the same documents hold the same, and released the same bytes."""
    first, second = dump(one), dump(other)
    assert len(first.splitlines()) > 400
    assert first == second
    assert manifest(one) == manifest(other)
