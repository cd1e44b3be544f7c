"""The strict provider of the limiter bench: `python -m bench.limiter_server …`.

It is Assay's own server double, told to follow the orders in the bench's prompts. It grants
requests and tokens a minute from two buckets that refill all the time, hold a few seconds' worth
and are full at the start. A call that does not find room in both takes nothing and is answered at
once with 429 and the time until it would have found it. Tokens are words, and a call is charged on
arrival for its prompt and for the answer that it is going to get.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final

from tests.providers.behaviour import Behaviour, StrictLimits
from tests.providers.dialects import Asked
from tests.providers.server import ProviderServer

from bench.limiter_work import read_order

PIECES: Final = 8
"""In how many parts an answer is streamed at most: a word each would cost more than the call."""


@dataclass(frozen=True)
class Allowance:
    """What the server grants."""

    requests_per_minute: int
    tokens_per_minute: int
    bucket_s: float
    """How many seconds' worth of the allowance may be used at once."""


def strict_provider(
    allowance: Allowance, *, tells_limits: bool = False, now: Callable[[], float] = time.monotonic
) -> ProviderServer:
    """The server, not yet started; its answers have the rate-limit headers where told so."""
    limits = StrictLimits(**asdict(allowance))
    return ProviderServer(as_ordered, limits=limits, tell_limits=tells_limits, now=now)


def as_ordered(asked: Asked) -> Behaviour:
    """An answer that takes as long as the prompt orders; the double reads the words itself."""
    _, answer_ms = read_order(asked.texts[-1])
    return Behaviour(pieces=PIECES, answer_ms=answer_ms)


async def serve(server: ProviderServer) -> None:
    """Serve on a free port of this machine, told on stdout, until stdin is closed."""
    async with server:
        print(server.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.limiter_server")
    parser.add_argument("--requests-per-minute", type=int, required=True)
    parser.add_argument("--tokens-per-minute", type=int, required=True)
    parser.add_argument("--bucket-s", type=float, required=True)
    parser.add_argument("--tells-limits", action="store_true")
    given = parser.parse_args()
    allowance = Allowance(given.requests_per_minute, given.tokens_per_minute, given.bucket_s)
    asyncio.run(serve(strict_provider(allowance, tells_limits=given.tells_limits)))


if __name__ == "__main__":
    main()
