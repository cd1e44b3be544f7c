"""Fetching politely: one address at a time, within bounds, and only where Assay may go."""

import asyncio
import json as json_format
import random as randomness
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from types import TracebackType
from typing import Any

from aiohttp.abc import AbstractResolver

from assay import __version__
from assay.clock import Clock, SystemClock
from assay.errors import AddressRefused, FetchFailed, InvalidInput
from assay.sources.addresses import shown
from assay.sources.answers import GONE, Answer, Head, charset_of, printable, validator
from assay.sources.client import Bounds, Client, Reply
from assay.sources.guard import Guard
from assay.sources.pacing import LocalStarts, Pacing, Sleep, Starts
from assay.sources.policy import FetchPolicy
from assay.sources.redirects import FOLLOWED, Journey, RedirectsExhausted
from assay.sources.retrying import (
    LONGEST_HOLD_S,
    Unanswered,
    is_passing,
    retry_after_s,
    told_of_status,
    wait_s,
)
from assay.sources.robots import RobotsBook, Rules

__all__ = ["Answer", "FetchPolicy", "Fetcher", "Head", "Stream"]

_OWN_HEADERS = frozenset({"host", "user-agent", "accept-encoding", "cookie", "content-length"})


class Stream:
    """A body as it comes: `async for chunk in stream`, each chunk unpacked and counted."""

    def __init__(self, head: Head, pieces: AsyncIterator[bytes]) -> None:
        self.head = head
        self._pieces = pieces

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._pieces


class Fetcher:
    """A client that tells who it is, asks whether it may, and never takes more than it may.

    The clock, the waiting, the chance and the look-up of names can be replaced; `starts` is what
    several workers would share.
    """

    def __init__(
        self,
        policy: FetchPolicy | None = None,
        *,
        clock: Clock | None = None,
        sleep: Sleep = asyncio.sleep,
        random: Callable[[], float] = randomness.random,
        starts: Starts | None = None,
        resolver: AbstractResolver | None = None,
    ) -> None:
        self._policy = policy = policy or FetchPolicy()
        self._clock = clock or SystemClock()
        self._sleep = sleep
        self._random = random
        self._guard = Guard(policy)
        self._client = Client(policy, self._guard, policy.user_agent(__version__), resolver)
        self._pacing = Pacing(
            starts or LocalStarts(self._clock),
            per_host=policy.host_concurrency,
            in_all=policy.concurrency,
            longest_wait_s=max(
                policy.max_retry_after_s, policy.host_gap_s, policy.max_crawl_delay_s
            ),
            sleep=sleep,
        )
        self._robots = RobotsBook(self._robots_file, self._clock, keep_s=policy.robots_keep_s)

    async def __aenter__(self) -> "Fetcher":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        await self._client.close()

    async def fetch(
        self,
        url: str,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        accept: str | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
    ) -> Answer:
        """The answer, which may say that nothing changed or that nothing is there.

        With `json` the request is a POST with that body; all others are GETs.
        """
        journey = self._journey(url, etag, last_modified, accept, headers, json)
        bounds = Bounds(self._policy.timeout_s, self._policy.max_bytes)
        while True:
            try:
                async with self._opened(journey, bounds) as reply:
                    return await _whole(journey, reply)
            except Unanswered as fault:
                await self._wait(journey, fault)

    @asynccontextmanager
    async def stream(
        self,
        url: str,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        accept: str | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
    ) -> AsyncIterator[Stream]:
        """A body of almost any size, piece by piece, within the bounds for streams.

        Faults before the body are retried; one in its midst is raised where it is read.
        """
        journey = self._journey(url, etag, last_modified, accept, headers, json)
        bounds = Bounds(self._policy.stream_timeout_s, self._policy.stream_max_bytes)
        async with AsyncExitStack() as stack:
            while True:
                try:
                    reply = await stack.enter_async_context(self._opened(journey, bounds))
                    break
                except Unanswered as fault:
                    await self._wait(journey, fault)
            pieces = await stack.enter_async_context(aclosing(reply.read_pieces()))
            yield Stream(Head(**_told_by(journey, reply)), pieces)

    async def fetch_robots(self, url: str) -> Rules:
        """What the robots.txt of this address's site says, the sitemaps that it names included."""
        journey = self._journey(url, None, None, None, None, None)
        self._guard.check(journey.here, journey.display_name)
        return await self._robots.load_rules(journey.here.origin, journey.display_name)

    @asynccontextmanager
    async def _opened(
        self, journey: Journey, bounds: Bounds, *, for_robots: bool = False
    ) -> AsyncIterator[Reply]:
        """The answer at the end of all redirects, every hop of which is checked and paced."""
        while True:
            here, told = journey.here, journey.display_name
            self._guard.check(here, told)
            stand_in = self._guard.is_stand_in(here.host)
            gap_s = 0.0 if stand_in else self._policy.host_gap_s
            if self._policy.respect_robots and not for_robots:
                rules = await self._robots.check_url(here.url, here.origin, told)
                gap_s = max(gap_s, min(rules.crawl_delay_s, self._policy.max_crawl_delay_s))
            headers = journey.build_headers()
            if stand_in:
                headers["Host"] = here.netloc
            async with (
                self._pacing.take_turn(here.host, gap_s, told),
                self._client.exchange(
                    journey.method, self._guard.resolve_url(here), headers, journey.body, told, bounds
                ) as reply,
            ):
                if reply.status not in FOLLOWED:
                    if is_passing(reply.status):
                        raise await self._fault(journey, reply)
                    yield reply
                    return
                location = reply.headers.get("Location")
            if not location:
                raise FetchFailed(f"{told} answered {reply.status} without saying where to go.")
            journey.follow(location, reply.status)

    async def _fault(self, journey: Journey, reply: Reply) -> Unanswered:
        host = journey.here.host
        asked_s = retry_after_s(reply.headers.get("Retry-After"), self._clock.now_ms())
        if asked_s is not None and not self._guard.is_stand_in(host):
            # What is asked of one request is meant for all that wait for this host.
            await self._pacing.hold(host, min(asked_s, LONGEST_HOLD_S))
        return told_of_status(journey.display_name, reply.status, asked_s, self._policy)

    async def _wait(self, journey: Journey, fault: Unanswered) -> None:
        """Wait until the request may be made again, or raise the fault."""
        pause_s = wait_s(self._policy, fault, journey.retries, self._random)
        if pause_s is None or self._guard.is_stand_in(journey.here.host):
            raise fault
        journey.retries += 1
        await self._sleep(pause_s)

    async def _robots_file(self, url: str) -> bytes | None:
        journey = self._journey(url, None, None, None, None, None)
        bounds = Bounds(self._policy.timeout_s, self._policy.robots_max_bytes, cut=True)
        while True:
            try:
                async with self._opened(journey, bounds, for_robots=True) as reply:
                    if not 200 <= reply.status < 300:
                        return None
                    data = b"".join([piece async for piece in reply.read_pieces()])
                    # Half a line could close more than the whole one does.
                    return data if len(data) < bounds.max_bytes else data[: data.rfind(b"\n") + 1]
            except Unanswered as fault:
                await self._wait(journey, fault)
            except RedirectsExhausted:
                # RFC 9309, 2.3.1.2: a file that is only redirected to does not exist.
                return None
            except AddressRefused as error:
                raise FetchFailed(error.what) from error

    def _journey(
        self,
        url: str,
        etag: str | None,
        last_modified: str | None,
        accept: str | None,
        headers: Mapping[str, str] | None,
        json: Any,
    ) -> Journey:
        sent = {"Accept": accept or "*/*"}
        if validator(etag):
            sent["If-None-Match"] = etag or ""
        if validator(last_modified):
            sent["If-Modified-Since"] = last_modified or ""
        body: bytes | None = None
        if json is not None:
            try:
                body = json_format.dumps(json).encode()
            except (TypeError, ValueError) as error:
                raise InvalidInput(f"What {shown(url)} is asked is no JSON: {error}.") from error
        return Journey(
            url,
            headers=sent,
            own_headers=_checked(headers or {}, url),
            body=body,
            max_redirects=self._policy.max_redirects,
        )


async def _whole(journey: Journey, reply: Reply) -> Answer:
    told = _told_by(journey, reply)
    # Nobody reads what a site says about a page that it does not have.
    gone = reply.status in GONE
    body = b"" if gone else b"".join([piece async for piece in reply.read_pieces()])
    return Answer(**told, body=body)


def _told_by(journey: Journey, reply: Reply) -> dict[str, Any]:
    """The fields of a head."""
    content_type = printable(reply.headers, "Content-Type")
    return {
        "url": journey.asked,
        "final_url": journey.here.url,
        "status": reply.status,
        "content_type": content_type,
        "charset": charset_of(content_type),
        "etag": validator(reply.headers.get("ETag")),
        "last_modified": validator(reply.headers.get("Last-Modified")),
        "redirects": journey.redirects,
        "retries": journey.retries,
        "downgraded": journey.downgraded,
    }


def _checked(headers: Mapping[str, str], url: str) -> Mapping[str, str]:
    for name, value in headers.items():
        plain = name.isascii() and name.isprintable() and value.isascii() and value.isprintable()
        if not plain or not name.strip() or name.strip().lower() in _OWN_HEADERS:
            raise InvalidInput(f"Header {name!r} cannot be given for {shown(url)}.")
    return headers
