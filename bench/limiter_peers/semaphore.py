"""A plain semaphore: what most scripts do. So many calls at a time; refused, wait, try again."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import aiohttp

from bench.limiter_peers.chat import ask_until_granted
from bench.limiter_peers.lane import Caller, Lane, run_lane
from bench.limiter_work import Work


class SemaphoreCaller:
    """Calls that hold a place while they wait for their next try."""

    def __init__(self, session: aiohttp.ClientSession, lane: Lane) -> None:
        self._session = session
        self._server = lane.server
        self._places = asyncio.Semaphore(lane.places)

    async def call(self, work: Work) -> None:
        async with self._places:
            await ask_until_granted(self._session, self._server, work)


@asynccontextmanager
async def open_caller(lane: Lane) -> AsyncIterator[Caller]:
    async with aiohttp.ClientSession() as session:
        yield SemaphoreCaller(session, lane)


def main(argv: Sequence[str]) -> None:
    run_lane("python -m bench.limiter_peers semaphore", argv, open_caller)
