"""Serves invented sites over real HTTP, on loopback only; they can misbehave on demand."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import Final, Protocol, Self

from aiohttp import web

from assay.sdk.demo import SitePage

_HOST_HEADER: Final = re.compile(r"[A-Za-z0-9.-]+(:\d+)?|\[[0-9A-Fa-f:]+\](:\d+)?")
_SHUTDOWN_S: Final = 0.2
"""How long a slow response may delay the end of a test."""
_BODILESS: Final = (204, 304)


@dataclass(frozen=True)
class SiteFault:
    """How an address misbehaves. The parts combine: it may be late, wrong and cut off at once."""

    status: int | None = None
    """Respond with this status instead of the page."""
    times: int | None = None
    """How many requests get the fault; None means all of them."""
    delay_s: float = 0.0
    """Wait this long before responding."""
    cut_after: int | None = None
    """Announce the whole body, send this many bytes of it, and close the connection."""
    retry_after_s: int | None = None
    """The Retry-After header of the wrong status."""

    def __post_init__(self) -> None:
        if self.status is not None and not 200 <= self.status <= 599:
            raise ValueError(f"a fault's status must be between 200 and 599, not {self.status}")
        if self.times is not None and self.times < 1:
            raise ValueError("a fault must happen at least once; leave it out otherwise")
        if self.delay_s < 0 or (self.cut_after or 0) < 0 or (self.retry_after_s or 0) < 0:
            raise ValueError("delay_s, cut_after and retry_after_s cannot be negative")
        if self.retry_after_s is not None and self.status is None:
            raise ValueError("retry_after_s needs a status, such as 429 or 503")


class Site(Protocol):
    """Something that has pages: one site, or several with their own host names."""

    def build_pages(self) -> dict[str, SitePage]:
        """Pages by their path, for any host; or by host and path, such as `a.test/feed.xml`."""
        ...


class DemoServer:
    """Serves a site, or several, while its context is open.

    `show` and `faults` may be used from any thread: the server reads each once per request.
    """

    def __init__(self, world: Site, host: str = "127.0.0.1", port: int = 0) -> None:
        if not ip_address(host).is_loopback:
            raise ValueError(f"the demo is served on loopback only, not on {host}")
        self.faults: dict[str, SiteFault] = {}
        """Path → fault. A fault with `times` removes itself when they are used up."""
        self.requests = 0
        """Requests received, whatever their outcome."""
        self._host, self._port = host, port
        self._base_url: str | None = None
        self._runner: web.AppRunner | None = None
        self.show(world)

    @property
    def base_url(self) -> str:
        """Such as `http://127.0.0.1:40123`, without a trailing slash."""
        if self._base_url is None:
            raise RuntimeError("the server has no address yet: enter its context first")
        return self._base_url

    @property
    def site(self) -> Site:
        return self._world

    def show(self, world: Site) -> None:
        """Serve another site from the next request on."""
        # Built before it is shown: a request sees the old site or the new one, never a mix.
        pages = world.build_pages()
        self._world, self._pages = world, pages

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN_S)
        self._runner = runner
        await runner.setup()
        try:
            await web.TCPSite(runner, self._host, self._port).start()
        except BaseException:
            await runner.cleanup()
            raise
        host, port = runner.addresses[0][:2]
        self._base_url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._base_url = None
        if self._runner is not None:
            await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.requests += 1
        host = request.headers.get("Host", "")
        page = self._find_page(host, request.path_qs) or self._find_page(host, request.path)
        fault = self._take_fault(request.path)
        if not _HOST_HEADER.fullmatch(host):
            return web.Response(status=400, text="Host is missing or not a host\n")
        if request.method not in ("GET", "HEAD"):
            return web.Response(status=405, headers={"Allow": "GET, HEAD"})
        if fault is None:
            return _respond(request, page.with_base(f"http://{host}") if page else None)
        await asyncio.sleep(fault.delay_s)
        response = _respond(request, page.with_base(f"http://{host}") if page else None, fault)
        if fault.cut_after is None or request.method == "HEAD":
            return response
        return await _send_cut_short(request, response, fault.cut_after)

    def _find_page(self, host: str, path: str) -> SitePage | None:
        pages = self._pages
        name = host.partition(":")[0].lower()
        return pages.get(f"{name}{path}") or pages.get(path)

    def _take_fault(self, path: str) -> SiteFault | None:
        fault = self.faults.get(path)
        if fault is None or fault.times is None:
            return fault
        if fault.times == 1:
            self.faults.pop(path, None)
        else:
            self.faults[path] = replace(fault, times=fault.times - 1)
        return fault


def _respond(
    request: web.Request, page: SitePage | None, fault: SiteFault | None = None
) -> web.Response:
    if fault is not None and fault.status is not None:
        retry = fault.retry_after_s
        headers = {} if retry is None else {"Retry-After": str(retry)}
        text = None if fault.status in _BODILESS else f"Fault {fault.status} by order.\n"
        return web.Response(status=fault.status, text=text, headers=headers)
    if page is None:
        return web.Response(status=404, text="There is no such page.\n")
    headers = {"ETag": page.etag, "Last-Modified": page.last_modified}
    # A response that is to be cut off must have a body.
    if (fault is None or fault.cut_after is None) and _is_unmodified(request, page):
        return web.Response(status=304, headers=headers)
    return web.Response(body=page.body, headers=headers | {"Content-Type": page.content_type})


def _is_unmodified(request: web.Request, page: SitePage) -> bool:
    """Whether the client already has this page. A tag outranks a date (RFC 9110, 13.2.2)."""
    if "If-None-Match" in request.headers:
        tags = [tag.strip() for tag in request.headers["If-None-Match"].split(",")]
        return "*" in tags or page.etag in (tag.removeprefix("W/") for tag in tags)
    since = request.if_modified_since
    return since is not None and parsedate_to_datetime(page.last_modified) <= since


async def _send_cut_short(
    request: web.Request, whole: web.Response, after: int
) -> web.StreamResponse:
    body = whole.body if isinstance(whole.body, bytes) else b""
    response = web.StreamResponse(status=whole.status, headers=whole.headers)
    response.content_length = len(body)
    response.force_close()
    await response.prepare(request)
    await response.write(body[:after])
    return response


@contextmanager
def serve_in_thread(world: Site, host: str = "127.0.0.1", port: int = 0) -> Iterator[DemoServer]:
    """A running server for callers that have no event loop, or another one."""
    server = DemoServer(world, host, port)
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        stop = asyncio.Event()
        async with server:
            started.set_result((asyncio.get_running_loop(), stop))
            await stop.wait()

    def run() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:
            if started.done():
                raise
            started.set_exception(error)

    thread = threading.Thread(target=run, name="assay-demo-server", daemon=True)
    thread.start()
    loop, stop = started.result()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
