"""aiolimiter: a leaky bucket for requests and one for tokens in each worker process."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import aiohttp
from aiolimiter import AsyncLimiter

from bench.limiter_peers.chat import ask_until_granted
from bench.limiter_peers.lane import Caller, Lane, run_lane
from bench.limiter_work import Work


class LimitedCaller:
    """Calls that take their place in both buckets first.

    The buckets live in one process, so each worker has an even part of the allowance. The period
    is the server's own, so that all workers' buckets together are as large as the server's and
    none of its allowance is lost to a smaller one. Tokens are taken for the longest answer that
    a call allows: aiolimiter cannot give back, and a guess below could be refused.
    """

    def __init__(self, session: aiohttp.ClientSession, lane: Lane) -> None:
        self._session = session
        self._server = lane.server
        part = lane.bucket_s / 60 / lane.workers
        self._requests = AsyncLimiter(lane.requests_per_minute * part, lane.bucket_s)
        self._tokens = AsyncLimiter(lane.tokens_per_minute * part, lane.bucket_s)

    async def call(self, work: Work) -> None:
        await self._requests.acquire()
        await self._tokens.acquire(work.most_tokens)
        await ask_until_granted(self._session, self._server, work)


@asynccontextmanager
async def open_caller(lane: Lane) -> AsyncIterator[Caller]:
    async with aiohttp.ClientSession() as session:
        yield LimitedCaller(session, lane)


def main(argv: Sequence[str]) -> None:
    run_lane("python -m bench.limiter_peers aiolimiter", argv, open_caller)
