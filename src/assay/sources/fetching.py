"""Fetch politely: one address at a time, within limits, and only where Assay may go."""

import asyncio
import json
import random as randomness
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from aiohttp.abc import AbstractResolver

from assay import __version__
from assay.clock import Clock, SystemClock
from assay.errors import AddressRefused, FetchFailed, InvalidInput
from assay.sources.addresses import display_url
from assay.sources.client import HttpClient, OpenResponse, TransferLimits
from assay.sources.guard import AddressGuard, build_stand_in_guard
from assay.sources.pacing import HostPacer, HostSchedule, LocalHostSchedule, Pace, Sleep
from assay.sources.policy import FetchPolicy, add_key, remove_keys
from assay.sources.redirects import REDIRECT_STATUSES, RedirectChain, RedirectsExhausted
from assay.sources.responses import (
    GONE_STATUSES,
    FetchResponse,
    ResponseHead,
    charset_of,
    clean_validator,
    read_header,
)
from assay.sources.retrying import (
    LONGEST_HOLD_S,
    RequestFailed,
    compute_wait_s,
    is_retryable_status,
    parse_retry_after_s,
    status_error,
)
from assay.sources.robots import RobotsCache

__all__ = ["FetchPolicy", "FetchResponse", "Fetcher", "ResponseHead", "ResponseStream"]

_OWN_HEADERS = frozenset({"host", "user-agent", "accept-encoding", "cookie", "content-length"})


class FetchOptions(TypedDict, total=False):
    """What a request may say besides its address."""

    etag: str | None
    last_modified: str | None
    accept: str | None
    headers: Mapping[str, str] | None
    json: Any
    """The body of a POST; without it or a form the request is a GET."""
    form: str | None
    """An encoded form to send by POST."""
    pace: Pace | None
    """Where to queue, if not at the host."""
    is_api: bool
    """Whether it is an API that invites programs: its terms apply, and not its robots.txt."""


class ResponseStream:
    """A body as it arrives: `async for chunk in stream`, each chunk unpacked and counted."""

    def __init__(self, head: ResponseHead, pieces: AsyncIterator[bytes]) -> None:
        self.head = head
        self._pieces = pieces

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._pieces


class Fetcher:
    """A client that says who it is, asks for permission, and never takes more than it may.

    The clock, the waiting, the random numbers and the name lookup can be replaced; `starts` says
    when a request may start, if other workers have a say in it.
    """

    def __init__(
        self,
        policy: FetchPolicy | None = None,
        *,
        clock: Clock | None = None,
        sleep: Sleep = asyncio.sleep,
        random: Callable[[], float] = randomness.random,
        starts: HostSchedule | None = None,
        resolver: AbstractResolver | None = None,
    ) -> None:
        self._policy = policy = policy or FetchPolicy()
        self._clock = clock or SystemClock()
        self._sleep = sleep
        self._random = random
        self._guard = AddressGuard(policy)
        agent = policy.user_agent(__version__)
        self._client = HttpClient(policy, self._guard, agent, resolver)
        own = build_stand_in_guard(policy)
        self._stand_in_client = HttpClient(policy, own, agent, resolver)
        self._pacing = HostPacer(
            starts or LocalHostSchedule(self._clock),
            per_host=policy.host_concurrency,
            in_all=policy.concurrency,
            longest_wait_s=max(
                policy.max_retry_after_s, policy.host_gap_s, policy.max_crawl_delay_s
            ),
            sleep=sleep,
        )
        self._robots = RobotsCache(self._robots_file, self._clock, keep_s=policy.robots_keep_s)

    async def __aenter__(self) -> "Fetcher":
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        await self._client.close()
        await self._stand_in_client.close()

    async def fetch(self, url: str, **options: Unpack[FetchOptions]) -> FetchResponse:
        """Return the response, which may say that nothing changed or that nothing is there."""
        journey = self._begin_chain(url, options)
        bounds = TransferLimits(self._policy.timeout_s, self._policy.max_bytes)
        while True:
            try:
                async with self._open_final(journey, bounds) as reply:
                    return await _read_response(journey, reply)
            except RequestFailed as fault:
                await self._wait(journey, fault)

    @asynccontextmanager
    async def stream(
        self, url: str, **options: Unpack[FetchOptions]
    ) -> AsyncIterator[ResponseStream]:
        """Stream a body of almost any size, piece by piece, within the limits for streams.

        Errors before the body are retried; one in the middle of it is raised where it is read.
        """
        journey = self._begin_chain(url, options)
        bounds = TransferLimits(self._policy.stream_timeout_s, self._policy.stream_max_bytes)
        async with AsyncExitStack() as stack:
            while True:
                try:
                    reply = await stack.enter_async_context(self._open_final(journey, bounds))
                    break
                except RequestFailed as fault:
                    await self._wait(journey, fault)
            pieces = await stack.enter_async_context(aclosing(reply.read_pieces()))
            yield ResponseStream(ResponseHead(**_read_head_fields(journey, reply)), pieces)

    @asynccontextmanager
    async def _open_final(
        self, journey: RedirectChain, bounds: TransferLimits, *, for_robots: bool = False
    ) -> AsyncIterator[OpenResponse]:
        """The response after all redirects, each of which is checked and paced."""
        while True:
            here, label = journey.here, journey.display_name
            self._guard.check(here, label)
            stand_in = self._guard.is_stand_in(here.host)
            pace = journey.choose_pace(self._policy.host_gap_s)
            if stand_in:
                pace = Pace(pace.line)
            if self._policy.respect_robots and not for_robots and not journey.is_at_api:
                rules = await self._robots.check_url(here.url, here.origin, label)
                delay_s = min(rules.crawl_delay_s, self._policy.max_crawl_delay_s)
                pace = replace(pace, gap_s=max(pace.gap_s, delay_s))
            headers = journey.build_headers()
            keys = self._policy.site_keys
            target, client = add_key(keys, here.url), self._client
            if stand_in:
                client = self._stand_in_client
                headers["Host"] = here.netloc
                target = self._guard.resolve_url(here)
            async with (
                self._pacing.take_turn(pace, label),
                client.exchange(
                    journey.method,
                    target,
                    headers,
                    journey.body,
                    label,
                    bounds,
                ) as reply,
            ):
                if reply.status not in REDIRECT_STATUSES:
                    if is_retryable_status(reply.status):
                        raise await self._failure_of(journey, reply)
                    yield reply
                    return
                location = reply.headers.get("Location")
            if not location:
                raise FetchFailed(f"{label} answered {reply.status} without saying where to go.")
            journey.follow(remove_keys(keys, location), reply.status)

    async def _failure_of(self, journey: RedirectChain, reply: OpenResponse) -> RequestFailed:
        host = journey.here.host
        asked_s = parse_retry_after_s(reply.headers.get("Retry-After"), self._clock.now_ms())
        if asked_s is not None and not self._guard.is_stand_in(host):
            # A delay requested of one request applies to all that wait for this host.
            await self._pacing.hold(journey.choose_pace(0.0), min(asked_s, LONGEST_HOLD_S))
        return status_error(journey.display_name, reply.status, asked_s, self._policy)

    async def _wait(self, journey: RedirectChain, fault: RequestFailed) -> None:
        """Wait until the request may be made again, or raise the error."""
        pause_s = compute_wait_s(self._policy, fault, journey.retries, self._random)
        if pause_s is None or self._guard.is_stand_in(journey.here.host):
            raise fault
        journey.retries += 1
        await self._sleep(pause_s)

    async def _robots_file(self, url: str) -> bytes | None:
        journey = self._begin_chain(url, {})
        bounds = TransferLimits(self._policy.timeout_s, self._policy.robots_max_bytes, cut=True)
        while True:
            try:
                async with self._open_final(journey, bounds, for_robots=True) as reply:
                    if not 200 <= reply.status < 300:
                        return None
                    data = b"".join([piece async for piece in reply.read_pieces()])
                    # Half a line could forbid more than the whole one does.
                    return data if len(data) < bounds.max_bytes else data[: data.rfind(b"\n") + 1]
            except RequestFailed as fault:
                await self._wait(journey, fault)
            except RedirectsExhausted:
                # RFC 9309, 2.3.1.2: a file that is only redirected to does not exist.
                return None
            except AddressRefused as error:
                if not journey.redirects:
                    raise
                # Only the file is elsewhere; the site itself may be contacted.
                raise FetchFailed(error.what) from error

    def _begin_chain(self, url: str, options: FetchOptions) -> RedirectChain:
        validators = {
            "If-None-Match": clean_validator(options.get("etag")),
            "If-Modified-Since": clean_validator(options.get("last_modified")),
        }
        body: bytes | None = None
        if options.get("json") is not None:
            try:
                body = json.dumps(options["json"]).encode()
            except (TypeError, ValueError) as error:
                raise InvalidInput(
                    f"The request body for {display_url(url)} cannot be written as JSON: {error}."
                ) from error
        form = options.get("form")
        return RedirectChain(
            url,
            headers={"Accept": options.get("accept") or "*/*"},
            validators={name: value for name, value in validators.items() if value},
            own_headers=_check_headers(options.get("headers") or {}, url),
            body=body if form is None else form.encode(),
            body_type="application/json" if form is None else "application/x-www-form-urlencoded",
            max_redirects=self._policy.max_redirects,
            pace=options.get("pace"),
            is_api=options.get("is_api", False),
        )


async def _read_response(journey: RedirectChain, reply: OpenResponse) -> FetchResponse:
    fields = _read_head_fields(journey, reply)
    # The body of an error page is never used.
    gone = reply.status in GONE_STATUSES
    body = b"" if gone else b"".join([piece async for piece in reply.read_pieces()])
    return FetchResponse(**fields, body=body)


def _read_head_fields(journey: RedirectChain, reply: OpenResponse) -> dict[str, Any]:
    """The fields of a head."""
    content_type = read_header(reply.headers, "Content-Type")
    return {
        "url": journey.asked,
        "final_url": journey.here.url,
        "status": reply.status,
        "content_type": content_type,
        "charset": charset_of(content_type),
        "etag": None if journey.has_left_site else clean_validator(reply.headers.get("ETag")),
        "last_modified": None
        if journey.has_left_site
        else clean_validator(reply.headers.get("Last-Modified")),
        "conditional": journey.is_conditional,
        "redirects": journey.redirects,
        "retries": journey.retries,
        "downgraded": journey.downgraded,
    }


def _check_headers(headers: Mapping[str, str], url: str) -> Mapping[str, str]:
    for name, value in headers.items():
        plain = name.isascii() and name.isprintable() and value.isascii() and value.isprintable()
        if not plain or not name.strip() or name.strip().lower() in _OWN_HEADERS:
            raise InvalidInput(f"Header {name!r} cannot be given for {display_url(url)}.")
    return headers
