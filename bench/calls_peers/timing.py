"""CPU time of calls made one after the other, and how it is told."""

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from bench.limiter_work import order

WARM_UP: Final = 50
"""Calls before the first one that counts: imports, connections, caches."""
PROMPT_WORDS: Final = 300
ANSWER_WORDS: Final = 100

Ask: TypeAlias = Callable[[str, int], Awaitable[object]]
"""Makes a call with this prompt and this number."""


@dataclass(frozen=True)
class Run:
    """What one measuring process is told."""

    server: str
    calls: int
    database_url: str | None = None
    busy_minute: bool = False


def read_run(prog: str, argv: Sequence[str]) -> Run:
    """Read the command line of a measuring process."""
    parser = argparse.ArgumentParser(prog=prog)
    parser.add_argument("--server", required=True)
    parser.add_argument("--calls", type=int, required=True)
    parser.add_argument("--database-url")
    parser.add_argument("--busy-minute", action="store_true")
    return Run(**vars(parser.parse_args(argv)))


def prompt(number: int) -> str:
    """A prompt of its own for every call, always as long; the answer comes at once."""
    head = f"{order(ANSWER_WORDS, 0)} Case {number}: "
    return head + "word " * (PROMPT_WORDS - len(head.split()))


async def cpu_ms(ask: Ask, calls: int, *, first: int = 0, warm_up: int = WARM_UP) -> float:
    """CPU milliseconds for each of so many calls, all threads of this process counted."""
    for number in range(first, first + warm_up):
        await ask(prompt(number), number)
    began = time.process_time()
    for number in range(first + warm_up, first + warm_up + calls):
        await ask(prompt(number), number)
    return 1000 * (time.process_time() - began) / calls


def tell(figures: Mapping[str, float]) -> None:
    """Print the figures as one JSON object."""
    print(json.dumps({name: round(figure, 4) for name, figure in figures.items()}), flush=True)


def measure_peer(ask: Ask, calls: int) -> None:
    """The whole measuring process of a peer."""
    tell({"cpu_ms_per_call": asyncio.run(cpu_ms(ask, calls))})
