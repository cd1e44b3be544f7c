"""Many processes against one cap and one limiter, killed at random, beside a provider that counts.

`python -m tests.llm.race --database sqlite --seconds 90` runs it by hand.
"""

import argparse
import asyncio
import logging
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from assay.clock import SystemClock, TurnedClock
from assay.llm.ledger import Ledger
from assay.llm.limits import Policy
from assay.store import schema
from assay.store import spending as t
from assay.store.database import open_engine
from tests.forking import ROOT, Forked
from tests.llm.books import assert_books_balance, calls_of, rows_of
from tests.providers.behaviour import Behaviour
from tests.providers.books import Call
from tests.providers.dialects import Asked
from tests.providers.server import ProviderServer

LEAST_KILLS = 4


@dataclass(frozen=True, kw_only=True)
class Course:
    """What is raced, and against which limits."""

    seconds: float = 75.0
    """The longest that it lasts."""
    enough: int | None = None
    """Charged tokens after which it may end earlier, once there were a few kills."""
    workers: int = 16
    askers: int = 3
    rpm: int = 2_400
    tpm: int = 90_000
    concurrent: int = 12
    burst: int = 60
    cap: int = 110_000
    source_cap: int = 45_000
    smooth_s: int = 1
    lease_ms: int = 5_000
    kill_every_s: float = 2.0
    words_in_flight: int | None = 3
    """Words that the server may have written before it notices that its client is gone; None where
    the machine may be too busy to say."""
    forked: bool = False
    """Whether all workers begin at once. Those that have to import everything first begin one after
    the other, and what they send reaches the provider about when it was granted."""
    seed: int = 1


@dataclass
class Outcome:
    """What was seen on both sides."""

    course: Course
    ledger: list[dict[str, Any]]
    served: list[Call]
    kills: int
    max_concurrent: int
    per_minute: tuple[int, int] = (0, 0)
    per_second: int = 0
    exact: Counter[str] = field(default_factory=Counter)
    off: Counter[str] = field(default_factory=Counter)

    def figures(self) -> dict[str, Any]:
        states = Counter(row["state"] for row in self.ledger)
        return {
            "calls": len(self.ledger),
            "served": len(self.served),
            "kills": self.kills,
            "states": dict(states),
            "charged": sum(row["charged_tokens"] for row in self.ledger),
            "served_tokens": sum(used(call) for call in self.served),
            "cap": self.course.cap,
            "most_requests_in_a_minute": self.per_minute[0],
            "rpm": self.course.rpm,
            "most_tokens_in_a_minute": self.per_minute[1],
            "tpm": self.course.tpm,
            "most_requests_in_a_second": self.per_second,
            "burst": self.course.burst,
            "max_concurrent": self.max_concurrent,
            "concurrent": self.course.concurrent,
            "ledger_equals_server": dict(self.exact),
            "ledger_differs": dict(self.off),
        }


def used(call: Call) -> int:
    return call.prompt_tokens + call.completion_tokens


async def run(course: Course, database_url: str) -> Outcome:
    """Run the race to its end, and read both books."""
    engine = open_engine(database_url)
    schema.migrate(engine)
    dice, kills = random.Random(course.seed), 0
    async with ProviderServer(_behaviour) as server:
        workers = [_start(course, database_url, server.url, n) for n in range(course.workers)]
        ends, seen = time.monotonic() + course.seconds, 0
        while time.monotonic() < ends:
            await asyncio.sleep(dice.expovariate(1 / course.kill_every_s))
            enough = _has_enough(course, engine)
            if enough and kills >= LEAST_KILLS:
                break
            # On a busy machine workers would otherwise die before they have asked anything.
            if not enough and len(server.books.calls) < seen + course.workers:
                continue
            seen = len(server.books.calls)
            victim = dice.randrange(course.workers)
            workers[victim].kill()
            await asyncio.to_thread(workers[victim].wait)
            kills += 1
            workers[victim] = _start(course, database_url, server.url, 1_000 + kills)
        for worker in workers:
            worker.terminate()
        codes = [await asyncio.to_thread(worker.wait) for worker in workers]
        # One that was only just started ends by the signal itself.
        assert set(codes) <= {0, -signal.SIGTERM}, f"a worker ended with an error: {codes}"
        books = server.books
    # Nobody waits for the leases of the dead to end: the clock is turned.
    later = TurnedClock(SystemClock().now_ms() + 2 * course.lease_ms)
    Ledger(engine, Policy(lease_ms=course.lease_ms), clock=later).sweep()
    outcome = Outcome(course, calls_of(engine), books.calls, kills, books.max_concurrent)
    try:
        check(outcome, engine)
    finally:
        engine.dispose()
    return outcome


def check(outcome: Outcome, engine: sa.Engine) -> None:
    """Everything that must hold, whoever was killed when."""
    course, served, ledger = outcome.course, outcome.served, outcome.ledger
    outcome.per_minute = most_in(served, 60_000)
    outcome.per_second = most_in(served, 1_000)[0]
    assert outcome.per_minute[0] <= course.rpm
    assert outcome.per_minute[1] <= course.tpm
    assert outcome.per_second <= course.burst
    assert outcome.max_concurrent <= course.concurrent
    assert sum(row["charged_tokens"] for row in ledger) <= course.cap
    by_source: Counter[str] = Counter()
    for row in ledger:
        by_source[row["source_slug"]] += row["charged_tokens"]
    assert max(by_source.values()) <= course.source_cap
    assert {row["state"] for row in ledger} <= {"done", "cut", "cancelled", "unsent", "lost"}
    assert_books_balance(engine)
    now_ms = max(row["settled_ms"] for row in ledger)
    assert not [row for row in rows_of(engine, t.ticket) if row["due_ms"] > now_ms + 10_000]
    compare(outcome)


def compare(outcome: Outcome) -> None:
    """Each call of the ledger beside what the provider counted for it."""
    seen: defaultdict[str, list[Call]] = defaultdict(list)
    for call in outcome.served:
        seen[nonce_of(call)].append(call)
    entries = {row["request_id"]: row for row in outcome.ledger}
    assert len(entries) == len(outcome.ledger), "a question was asked once only"
    assert set(seen) <= set(entries), "the provider saw a call that was never granted"
    for nonce, row in entries.items():
        calls, state, charged = seen[nonce], row["state"], row["charged_tokens"]
        assert len(calls) <= 1, "a call was sent twice"
        count = used(calls[0]) if calls else 0
        (outcome.exact if charged == count else outcome.off)[state] += 1
        if state in ("done", "cut"):
            assert charged == count, (state, charged, calls)
        elif state == "unsent":
            assert not calls and charged == 0
        elif state == "cancelled":
            in_flight = outcome.course.words_in_flight
            least = calls[0].prompt_tokens if calls else 0
            assert charged >= (least if in_flight is None else count - in_flight), (charged, calls)
        else:
            assert charged >= count, (charged, calls)


def most_in(calls: list[Call], span_ms: int) -> tuple[int, int]:
    """The most requests and tokens that the provider counted in any stretch of that length."""
    ordered = sorted(calls, key=lambda call: call.at_ms)
    start = requests = tokens = most_requests = most_tokens = 0
    for call in ordered:
        requests += 1
        tokens += used(call)
        while ordered[start].at_ms <= call.at_ms - span_ms:
            requests -= 1
            tokens -= used(ordered[start])
            start += 1
        most_requests, most_tokens = max(most_requests, requests), max(most_tokens, tokens)
    return most_requests, most_tokens


def nonce_of(call: Call) -> str:
    content = call.body["messages"][-1]["content"]
    return str(content).split()[0]


def _behaviour(asked: Asked) -> Behaviour:
    said = " ".join(asked.texts).split()
    if "cut" in said:
        return Behaviour(cut_after=3, delay_ms=2)
    if "slow" in said or "stopped" in said:
        return Behaviour(delay_ms=15)
    return Behaviour(first_delay_ms=60)


def _has_enough(course: Course, engine: sa.Engine) -> bool:
    if course.enough is None:
        return False
    settled = [row for row in calls_of(engine) if row["settled_ms"] is not None]
    charged: int = sum(row["charged_tokens"] for row in settled)
    return charged >= course.enough


def _start(
    course: Course, database_url: str, server_url: str, seed: int
) -> "Forked | subprocess.Popen[bytes]":
    told = {
        "seed": seed, "askers": course.askers, "rpm": course.rpm, "tpm": course.tpm,
        "concurrent": course.concurrent, "burst": course.burst, "cap": course.cap,
        "source-cap": course.source_cap, "lease-ms": course.lease_ms,
        "smooth-s": course.smooth_s,
    }  # fmt: skip
    words = [
        "tests.llm.race_worker", "--database", database_url, "--server", server_url,
        *(f"--{name}={value}" for name, value in told.items()),
    ]  # fmt: skip
    if course.forked:
        return Forked(*words)
    return subprocess.Popen([sys.executable, "-m", *words], cwd=ROOT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--seconds", type=float, default=90.0)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--cap", type=int, default=110_000)
    told = parser.parse_args()
    # A client that is gone in the midst of an answer is no news to this server.
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)
    course = Course(seconds=told.seconds, workers=told.workers, cap=told.cap)
    if told.database == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            outcome = asyncio.run(run(course, f"sqlite:///{folder}/race.db"))
    else:
        from tests.postgres import server_url

        outcome = asyncio.run(run(course, server_url()))
    for name, value in outcome.figures().items():
        sys.stdout.write(f"{name:28} {value}\n")


if __name__ == "__main__":
    main()
