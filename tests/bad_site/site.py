"""A test site: real HTTP over raw sockets on loopback, so even its mistakes are real.

A behaviour is an async function that writes whatever it likes. `BadSite.paths` has one for each
path; `behaviours.CATALOGUE` is a site with every misbehaviour, each under its own path.
"""

import asyncio
import socket
import struct
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

_MOST_REQUEST = 262_144


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """One request as it arrived."""

    method: str
    path: str
    """With its query."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes = b""


class Exchange:
    """One request, and the means to answer it correctly or not."""

    def __init__(self, site: "BadSite", seen: SeenRequest, writer: asyncio.StreamWriter) -> None:
        self.site = site
        self.seen = seen
        self._writer = writer
        self.closes = False
        """Whether the connection ends after this response."""

    async def send(self, data: bytes) -> None:
        """Write bytes unchanged."""
        self._writer.write(data)
        await self._writer.drain()

    async def send_head(
        self, status: int = 200, headers: Mapping[str, str] | None = None, *, close: bool = False
    ) -> None:
        """Send a status line and headers, and nothing that was not given."""
        self.closes |= close
        lines = [f"HTTP/1.1 {status} Spoken"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        if close:
            lines.append("Connection: close")
        await self.send(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    async def answer(
        self, body: bytes = b"", status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send a complete, correct response."""
        given = {"Content-Type": "text/html; charset=utf-8", **(headers or {})}
        if status not in (204, 304):
            given["Content-Length"] = str(len(body))
        await self.send_head(status, given)
        await self.send(body)

    async def send_chunk(self, data: bytes) -> None:
        """Send one chunk of a chunked body; an empty one ends it."""
        await self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def reset(self) -> None:
        """End the connection as a crash would."""
        self.closes = True
        sock: socket.socket = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def wait_until_closed(self) -> None:
        """Wait until the site is closed or the test is over, whichever comes first."""
        self.closes = True
        await self.site.closing.wait()


Behaviour = Callable[[Exchange], Awaitable[None]]


class BadSite:
    """`async with BadSite({...}) as site:` and then `site.url`.

    A path without a behaviour is a 404, including `/robots.txt` by default.
    """

    def __init__(self, paths: Mapping[str, Behaviour] | None = None, *, port: int = 0) -> None:
        self.paths: dict[str, Behaviour] = dict(paths or {})
        """What happens at each path, without its query."""
        self.seen: list[SeenRequest] = []
        """Every request, in order of arrival."""
        self.connections = 0
        """Connections that were opened, used or not."""
        self.most_open = 0
        """Most requests that were being answered at the same time."""
        self.closing = asyncio.Event()
        self.url = ""
        self._port = port
        self._open = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._serve_connection, "127.0.0.1", self._port, limit=_MOST_REQUEST
        )
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.closing.set()
        if self._server is not None:
            self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def port(self) -> int:
        assert self._server is not None, "the site has no port before its context is entered"
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def requests_for(self, path: str) -> list[SeenRequest]:
        """The requests for one path, with any query."""
        return [seen for seen in self.seen if seen.path.partition("?")[0] == path]

    async def _serve_connection(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            # Many tests are about a client that hangs up.
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._answer_one_request(reader, writer):
                    pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer_one_request(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer one request; return whether the connection may be used for another."""
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        pairs = (line.partition(":") for line in lines if line)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        seen = SeenRequest(method, path, headers, body)
        self.seen.append(seen)
        exchange = Exchange(self, seen, writer)
        self._open += 1
        self.most_open = max(self.most_open, self._open)
        try:
            bare = self.paths.get(path.partition("?")[0], _answer_not_found)
            await self.paths.get(path, bare)(exchange)
        finally:
            self._open -= 1
        return not exchange.closes


async def _answer_not_found(exchange: Exchange) -> None:
    await exchange.answer(b"Nothing here.\n", 404)


@contextmanager
def serve_in_thread(paths: Mapping[str, Behaviour]) -> Iterator[BadSite]:
    """A running site for callers that have no event loop, or another one."""
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, BadSite]] = Future()

    async def serve() -> None:
        stop = asyncio.Event()
        async with BadSite(paths) as site:
            started.set_result((asyncio.get_running_loop(), stop, site))
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    loop, stop, site = started.result(timeout=30)
    try:
        yield site
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
