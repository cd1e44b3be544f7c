"""Listening for connections within the limits: how many, how long, and what is logged of them."""

import asyncio
import errno
import logging
import socket
from collections.abc import Callable, Collection

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from assay.errors import InvalidInput
from assay.sdk.web import WebLimits

_SHUTDOWN_S = 5.0
"""How long running requests may take once it is asked to stop."""
_LINGER_S = 2.0
"""How long the rest of a body that nobody wants is still read, so that the client sees why."""
_READ_BYTES = 1 << 14
"""What is read ahead on each connection."""
_RECEIVED_BYTES = 1 << 15
"""What the system holds for each connection. It is parsed in one go, while all others wait, and may
consist of thousands of requests or chunks."""
_MOST_SHOWN = 200
_BACKLOG = 1024
"""Clients that come at once and are not accepted yet; one too many tries again after a second."""


def build_runner(
    made: web.Application, limits: WebLimits, *, shutdown_s: float = _SHUTDOWN_S
) -> web.AppRunner:
    """What runs a web application within the limits."""
    return web.AppRunner(
        made,
        access_log=None,
        logger=_build_logger(),
        shutdown_timeout=shutdown_s,
        # If a client disconnects while a model is working for it, that work must stop.
        handler_cancellation=True,
        # It also ends a connection whose headers are not complete by then.
        keepalive_timeout=limits.headers_s,
        lingering_time=min(_LINGER_S, limits.transfer_s),
        max_headers=limits.headers,
        max_line_size=limits.header_bytes,
        max_field_size=limits.header_bytes,
        read_bufsize=_READ_BYTES,
        # A small body could become a large one.
        auto_decompress=False,
    )


async def listen(
    runner: web.AppRunner, busy: Collection[object], host: str, port: int, limits: WebLimits
) -> asyncio.Server:
    """Accept connections on that address; the caller closes the server.

    `busy` are the connections that nothing may end, at any time.
    """
    accept = _limit_connections(runner, busy, limits.connections)
    try:
        server = await asyncio.get_running_loop().create_server(
            accept, host, port, backlog=_BACKLOG, start_serving=False
        )
        for each in server.sockets:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVED_BYTES)
        await server.start_serving()
        return server
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        raise InvalidInput(
            f"Port {port} on {host} is already in use."
            if taken
            else f"Cannot listen on {host}:{port}.",
            advice="Choose another --port; 0 picks a free one."
            if taken
            else "Choose a --host of this machine and a --port that you may use.",
        ) from error


def _limit_connections(
    runner: web.AppRunner, busy: Collection[object], most: int
) -> Callable[[], asyncio.Protocol]:
    """Accept every connection; if there are too many, the oldest that is not busy makes room: it
    waits for a request, or is still sending one."""

    def accept() -> asyncio.Protocol:
        assert runner.server is not None
        listed = runner.server.connections
        if len(listed) < most:
            return runner.server()
        for each in listed:
            # One that was ended a moment ago is still listed, and cannot make room again.
            if each.transport is None or each.transport.is_closing() or each in busy:
                continue
            each.transport.abort()
            return runner.server()
        return _Refusal()

    return accept


class _Refusal(asyncio.Protocol):
    """Ends a connection that exceeds the limit."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.abort()


def _build_logger() -> logging.Logger:
    """The logger of the HTTP library, without tracebacks of what clients did wrong."""
    logger = logging.getLogger("assay.server.connections")
    logger.addFilter(shorten_malformed)
    return logger


def shorten_malformed(record: logging.LogRecord) -> bool:
    """Make one line, without a traceback, of the record of a malformed request."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, web.HTTPException) or type(error).__module__.startswith("aiohttp."):
        # The library puts the reason into a second line, below its own number.
        reason = error.message if isinstance(error, HttpProcessingError) else str(error)
        first = (reason.strip().splitlines() or [""])[0].rstrip(":")
        shown = first[:_MOST_SHOWN].encode("ascii", "backslashreplace").decode()
        record.msg = f"Malformed request: {type(error).__name__}: {shown}"
        record.args, record.exc_info = (), None
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.assay = {"action": "malformed_request"}
    return True
