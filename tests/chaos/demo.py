"""The demo, killed at random, against the demo left in peace."""

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

_MOST_TRIES = 60
_OUT = ("DEPRECATED", "REJECTED")


def assay(home: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "assay.cli", "--home", str(home), *words]


def demo(home: Path) -> list[str]:
    return [sys.executable, "-m", "tests.chaos.country", str(home)]


def dump(home: Path) -> bytes:
    """The canonical state of a home."""
    ended = subprocess.run(
        assay(home, "store", "dump", "--canonical"), check=True, capture_output=True, timeout=60
    )
    return _without_history(ended.stdout)


def manifest(home: Path) -> bytes:
    """The manifest of the release that counts."""
    folder = home.parent / f"{home.name}-release"
    command = assay(home, "release", "export", str(folder))
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return (folder / "manifest.jsonl").read_bytes()


def play(home: Path) -> str:
    """A demo to its end; gives the hash of the release's manifest."""
    ended = subprocess.run(demo(home), capture_output=True, timeout=120)
    assert ended.returncode == 0, ended.stderr.decode()
    return ended.stdout.decode().strip()


def killed_demo_ends_like_a_peaceful_one(folder: Path, chance: random.Random, *, kills: int) -> int:
    """Kill a demo so often, let it end, and compare; gives how many kills hit a living one."""
    peaceful_hash = play(folder / "peace")
    hits = 0
    for _ in range(_MOST_TRIES):
        if hits == kills:
            break
        process = subprocess.Popen(
            demo(folder / "chaos"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(timeout=chance.uniform(1.2, 3.0))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            hits += 1
    battered_hash = play(folder / "chaos")
    peaceful, battered = dump(folder / "peace"), dump(folder / "chaos")
    assert len(peaceful.splitlines()) > 400
    assert peaceful == battered
    assert peaceful_hash == battered_hash
    assert manifest(folder / "peace") == manifest(folder / "chaos")
    return hits


def _without_history(lines: bytes) -> bytes:
    """All but the edges of rules that are out: these tell what once stood beside what."""
    rows = [json.loads(line) for line in lines.splitlines()]
    out = {row["rule_id"] for row in rows if row["table"] == "rules" and row["status"] in _OUT}
    kept = [
        line
        for line, row in zip(lines.splitlines(keepends=True), rows, strict=True)
        if row["table"] != "rule_edges" or out.isdisjoint((row["from_rule"], row["to_rule"]))
    ]
    return b"".join(kept)
