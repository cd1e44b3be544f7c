"""Sites on loopback and fetchers for them, on time that costs no time."""

import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from assay.clock import Clock
from assay.sources.fetching import Fetcher, FetchPolicy
from tests.bad_site import BadSite
from tests.bad_site.site import Behaviour
from tests.llm.virtual import LoopClock


class TurnedLoopClock(LoopClock):
    """The loop's clock, which can also be turned: days of keeping connections take their time."""

    _turned_s = 0.0

    def now_ms(self) -> int:
        return super().now_ms() + int(self._turned_s * 1000)

    def turn(self, seconds: float) -> None:
        self._turned_s += seconds


def fetcher_with(clock: Clock | None = None, **policy: Any) -> Fetcher:
    """A fetcher that may ask 127.0.0.1, without a gap; its time is the loop's, its luck even."""
    given = {"allow_private": ("127.0.0.1",), "host_gap_s": 0.0, **policy}
    return Fetcher(FetchPolicy(**given), clock=clock or LoopClock(), random=lambda: 0.5)


@asynccontextmanager
async def site_and_fetcher(
    paths: Mapping[str, Behaviour], clock: Clock | None = None, **policy: Any
) -> AsyncIterator[tuple[BadSite, Fetcher]]:
    async with BadSite(paths) as site, fetcher_with(clock, **policy) as fetcher:
        yield site, fetcher


class NameBook(AbstractResolver):
    """A resolver whose answers are written down: each look-up takes the next, the last stays."""

    def __init__(self, names: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self._names = {name: list(answers) for name, answers in names.items()}
        self.asked: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.asked.append(host)
        answers = self._names.get(host)
        if answers is None:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return [_entry(host, address, port) for address in found]

    async def close(self) -> None:
        pass


def _entry(host: str, address: str, port: int) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(
        hostname=host, host=address, port=port, family=family, proto=0,
        flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    )  # fmt: skip
