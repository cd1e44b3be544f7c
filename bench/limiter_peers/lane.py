"""A worker process of the limiter bench: it gets ready, starts on a word, and works until told.

It says `ready` on stdout, begins with the line that then comes on stdin, keeps its calls in
flight until stdin is closed, and ends with one JSON object.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Final, Protocol

from bench.limiter_work import Work, works

# Tried 48, 16, 8 and 5 for one worker: all use the whole allowance, with fewer refusals the
# fewer they are; 5 is what the rate and the length of the calls come to, which a script cannot
# know. Sixteen is the fewest that gives each of sixteen workers one.
PLACES: Final = 16


@dataclass(frozen=True)
class Lane:
    """What one worker process is told."""

    server: str
    """Address of the provider, without the path of its API."""
    worker: int
    workers: int
    in_flight: int
    """Calls that this process keeps under way or waiting."""
    requests_per_minute: int
    tokens_per_minute: int
    """The limits of all workers together."""
    bucket_s: float
    database_url: str | None = None

    @property
    def places(self) -> int:
        """Calls under way at a time, for a contender that only tries again when refused."""
        return max(1, PLACES // self.workers)


class Caller(Protocol):
    """A way to make calls under a limit."""

    async def call(self, work: Work) -> None:
        """Make one call, however often it must be tried."""
        ...


Opener = Callable[[Lane], AbstractAsyncContextManager[Caller]]


def read_lane(prog: str, argv: Sequence[str]) -> Lane:
    """Read the command line of a worker process."""
    parser = argparse.ArgumentParser(prog=prog)
    parser.add_argument("--server", required=True)
    parser.add_argument("--worker", type=int, required=True)
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--in-flight", type=int, required=True)
    parser.add_argument("--requests-per-minute", type=int, required=True)
    parser.add_argument("--tokens-per-minute", type=int, required=True)
    parser.add_argument("--bucket-s", type=float, required=True)
    parser.add_argument("--database-url")
    return Lane(**vars(parser.parse_args(argv)))


def run_lane(prog: str, argv: Sequence[str], opener: Opener) -> None:
    """The whole life of a worker process."""
    asyncio.run(_run(read_lane(prog, argv), opener))


async def _run(lane: Lane, opener: Opener) -> None:
    async with opener(lane) as caller:
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        cpu = time.process_time()
        done = await _work(caller, lane)
        cpu = time.process_time() - cpu
    print(json.dumps({"calls": done, "cpu_seconds": round(cpu, 3)}), flush=True)


async def _work(caller: Caller, lane: Lane) -> int:
    """Keep calls in flight until stdin is closed; how many were made."""
    finished: list[Work] = []

    async def loop(calls: Iterator[Work]) -> None:
        for work in calls:
            await caller.call(work)
            finished.append(work)

    calls = works(lane.worker)
    loops = [asyncio.create_task(loop(calls)) for _ in range(lane.in_flight)]
    over = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    ended, _ = await asyncio.wait([over, *loops], return_when=asyncio.FIRST_COMPLETED)
    for task in ended - {over}:
        # A loop never ends by itself, so this is its error.
        task.result()
    for task in loops:
        task.cancel()
    await asyncio.gather(*loops, return_exceptions=True)
    return len(finished)
