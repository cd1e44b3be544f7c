"""`make chaos`: hundreds of rounds on both databases, at random points, from a seed."""

import argparse
import random
import secrets
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from assay.engine.faults import POINTS
from tests.chaos.demo import killed_demo_ends_like_a_peaceful_one
from tests.chaos.demo import play as play_demo
from tests.chaos.rounds import (
    Books,
    Round,
    killed_again_and_again,
    killed_among_others,
    killed_and_restarted,
    stopped_and_woken,
)
from tests.postgres import server_url

Play = Callable[[Round, str], Books]
# Inside a transaction that a stopped worker holds, or just outside: all are worth a try.
MODES: dict[str, tuple[bool, Play]] = {
    "sqlite, killed": (
        False,
        lambda chaos, fault: killed_and_restarted(chaos, fault, first="w", second="w"),
    ),
    "sqlite, killed four times": (False, killed_again_and_again),
    "postgres, same name": (
        True,
        lambda chaos, fault: killed_and_restarted(chaos, fault, first="w", second="w"),
    ),
    "postgres, new name": (
        True,
        lambda chaos, fault: killed_and_restarted(chaos, fault, first="w1", second="w2"),
    ),
    "postgres, one of two": (True, killed_among_others),
    "postgres, stopped and woken": (True, stopped_and_woken),
}


@contextmanager
def fresh_database(server: str) -> Iterator[str]:
    name = f"chaos_{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    try:
        yield server.replace("/postgres?", f"/{name}?")
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def play(mode: str, fault: str, server: str) -> Books:
    on_postgres, act = MODES[mode]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        if not on_postgres:
            return act(Round(home), fault)
        with fresh_database(server) as url:
            return act(Round(home, url), fault)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos")
    parser.add_argument("--rounds", type=int, default=240)
    parser.add_argument("--demos", type=int, default=3)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    chance = random.Random(given.seed)
    server = server_url()
    failed = 0
    say = sys.stdout.write
    say(f"{given.rounds} rounds, {given.demos} demos, seed {given.seed}\n")
    for number in range(given.rounds):
        # Every mode meets every point before chance repeats one.
        mode = list(MODES)[number % len(MODES)]
        point = POINTS[(number // len(MODES)) % len(POINTS)]
        fault = f"{point}@{chance.randint(1, 3)}"
        try:
            wrong: object = play(mode, fault, server)
        except Exception as error:
            wrong = error
        failed += bool(wrong)
        verdict = f"FAILED: {wrong}" if wrong else "ok"
        say(f"{number + 1:4}  {mode:30} {fault:24} {verdict}\n")
        sys.stdout.flush()
    for number in range(given.demos):
        with tempfile.TemporaryDirectory() as folder:
            peace, chaos = Path(folder) / "peace", Path(folder) / "chaos"
            play_demo(peace)
            kills = killed_demo_ends_like_a_peaceful_one(peace, chaos, chance, kills=10)
        say(f"demo {number + 1}: killed {kills} times, ended like one left in peace\n")
    say(f"{given.rounds + given.demos - failed} passed, {failed} failed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
