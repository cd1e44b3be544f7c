"""A demo with three workers whose Postgres server is killed again and again.

`python -m tests.chaos.postgres --kills 30` compares it with one left in peace.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app import App
from assay.app.releases import find_release, list_releases
from assay.settings import Settings, load_settings
from assay.store import tables as t
from tests.own_server import OwnServer, own_server

_DAYS = 2
_PATIENCE_S = 1500.0


@dataclass(frozen=True)
class Ending:
    """What a demo left behind."""

    manifests: tuple[bytes, ...]
    books: dict[str, Any]
    """What must not differ."""
    figures: dict[str, Any]


def play(home: Path, server: OwnServer, name: str, chance: random.Random, kills: int) -> Ending:
    """A demo and two workers; meanwhile, the server is killed so often."""
    settings = load_settings(home=home, env={}, database_url=server.make_database(name))
    began, killed = time.monotonic(), 0
    demo = _start(settings, "demo", "--days", str(_DAYS))
    others = [_start(settings, "daemon", "--processor", "--name", f"w{n}") for n in (2, 3)]
    try:
        while demo.poll() is None:
            assert time.monotonic() - began < _PATIENCE_S, "the demo does not end"
            others = [each if each.poll() is None else _restart(settings, each) for each in others]
            time.sleep(chance.uniform(0.2, 2.5))
            if killed < kills and demo.poll() is None and _has_begun(settings):
                server.kill()
                killed += 1
                time.sleep(chance.choice((0.0, 0.0, 0.5, 3.0)))
                server.start()
    finally:
        for process in (demo, *others):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        ends = [process.wait(timeout=60) for process in (demo, *others)]
    seconds = time.monotonic() - began
    return _examine(settings, {"kills": killed, "seconds": round(seconds), "exit codes": ends})


def _restart(settings: Settings, ended: "subprocess.Popen[bytes]") -> "subprocess.Popen[bytes]":
    """A processor cannot start before the demo has made the store, or while the server is away."""
    return _start(settings, *ended.args[5:])  # type: ignore[index]


def _has_begun(settings: Settings) -> bool:
    log = settings.log_file
    return log.exists() and b"worker_started" in log.read_bytes()


def _count_starts(lines: list[dict[str, Any]]) -> dict[str, int]:
    """How often each of the other workers started: one that had started must not end."""
    said = [line["message"] for line in lines if line.get("action") == "worker_started"]
    return {name: sum(f" {name} " in each for each in said) for name in ("w2", "w3")}


def _start(settings: Settings, *arguments: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "assay.cli", "--home", str(settings.home), *arguments]
    env = {**os.environ, "ASSAY_DATABASE_URL": str(settings.database_url)}
    said = settings.home.with_suffix(f".{arguments[0]}.out").open("ab")
    return subprocess.Popen(command, env=env, stdout=said, stderr=said)


def _examine(settings: Settings, figures: dict[str, Any]) -> Ending:
    checks = {
        " ".join(command): _start(settings, *command).wait(timeout=300)
        for command in (("store", "check"), ("audit", "verify"), ("runs", "verify"), ("budget",))
    }
    with App(settings) as app, app.engine.connect() as connection:
        packs = sorted({release.pack for release in list_releases(app)})
        manifests = tuple(app.blobs.get(find_release(app, pack=p).manifest_hash) for p in packs)
        states = sa.select(t.job.c.state, sa.func.count()).group_by(t.job.c.state)
        twice = (
            sa.select(t.progress.c.job_id)
            .where(t.progress.c.outcome == "done")
            .group_by(t.progress.c.job_id)
            .having(sa.func.count() > 1)
        )
        retried = sa.select(sa.func.count()).where(t.job.c.attempt > 1)
        errors = sa.select(t.progress.c.error_code, sa.func.count()).group_by(
            t.progress.c.error_code
        )
        found: dict[str, Any] = {
            "states": {row[0]: row[1] for row in connection.execute(states)},
            "done twice": len(connection.execute(twice).all()),
            "dead letters": connection.execute(
                sa.select(sa.func.count()).select_from(t.dead_letter)
            ).scalar(),
        }
        figures |= {
            "jobs with more than one attempt": connection.execute(retried).scalar(),
            "errors": {row[0]: row[1] for row in connection.execute(errors)},
            "worker.lost events": connection.execute(
                sa.select(sa.func.count()).where(t.event.c.tag == "worker.lost")
            ).scalar(),
        }
    log = settings.log_file.read_text()
    lines = [json.loads(line) for line in log.splitlines()]
    actions = [
        *("worker_lost", "database_lost", "database_back", "batches_requeued", "batch_left"),
        *(
            "worker_renamed",
            "worker_returned",
            "batch_failed",
            "batch_fenced",
            "batch_crashed",
            "bug",
        ),
    ]
    figures |= {name: sum(line.get("action") == name for line in lines) for name in actions}
    starts = _count_starts(lines)
    figures["starts"] = starts
    books = {"checks": checks, "done twice": found["done twice"], "dead": found["dead letters"]}
    books["left"] = sorted(set(found["states"]) - {"done"})
    books["ended early"] = sorted(name for name, count in starts.items() if count > 1)
    books["tracebacks"] = sum(
        file.read_bytes().count(b"Traceback") for file in settings.home.parent.glob("*.out")
    )
    return Ending(manifests, books, {**figures, **found})


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.postgres")
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", type=Path, help="an empty folder for what the runs leave behind")
    given = parser.parse_args()
    say = sys.stdout.write
    say(f"{given.kills} kills, seed {given.seed}\n")
    kept = nullcontext(str(given.keep)) if given.keep else tempfile.TemporaryDirectory()
    with kept as folder, own_server() as server:
        chance = random.Random(given.seed)
        peace = play(Path(folder) / "peace", server, "peace", chance, 0)
        say(f"in peace: {peace.books} {peace.figures}\n")
        sys.stdout.flush()
        chaos = play(Path(folder) / "chaos", server, "chaos", chance, given.kills)
        say(f"killed:   {chaos.books} {chaos.figures}\n")
    same = peace.manifests == chaos.manifests and len(peace.manifests) > 0
    sound = same and peace.books == chaos.books and not any(chaos.books["checks"].values())
    sound = sound and chaos.books["dead"] == 0 and chaos.books["done twice"] == 0
    sound = sound and not chaos.books["left"] and chaos.figures["kills"] == given.kills
    say(f"the same manifests: {same}; {'passed' if sound else 'FAILED'}\n")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
