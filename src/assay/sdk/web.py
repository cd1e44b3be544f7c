"""What a pack's routes and pages use: reading a request and answering it.

A handler gets the request and the services. An `AssayError` that it raises becomes a response with
the matching status, and with the same JSON shape that the command line prints.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from aiohttp import web
from aiohttp.web_protocol import RequestPayloadError
from pydantic import BaseModel

from assay.errors import ContentTooLarge, InvalidInput, RequestTooSlow, TransientError
from assay.sdk.services import Services
from assay.sdk.web_limits import ONE_AT_A_TIME, HeldBytes, SharedBuffer, WebLimits, parse_body

__all__ = [
    "TRAFFIC",
    "Handler",
    "ServerEvent",
    "Traffic",
    "WebLimits",
    "answer_json",
    "answer_large_json",
    "read_body",
    "read_limit",
    "read_parameter",
    "receive_body",
    "refuse_unknown_parameters",
    "send_within_limits",
    "stream_events",
]

_RECEIVE_BYTES = 1 << 13
"""What is taken at a time; each byte may be a chunk of its own."""
_HEARTBEAT = b": still here\n\n"

Handler = Callable[[web.Request, Services], Awaitable[web.StreamResponse]]
B = TypeVar("B", bound=BaseModel)


class Traffic:
    """The limits of a server, and what its clients use of them."""

    def __init__(self, limits: WebLimits) -> None:
        self.limits = limits
        self.buffer = SharedBuffer(limits.buffered_bytes)
        self.busy: set[object] = set()
        """The connections whose request has arrived completely and is being answered."""


TRAFFIC = web.AppKey("traffic", Traffic)
"""The key of a server's limits."""


def answer_json(value: Any, *, status: int = 200) -> web.Response:
    """A JSON response; non-ASCII characters are not escaped."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return web.json_response(text=text, status=status)


async def answer_large_json(value: Callable[[], Any], *, status: int = 200) -> web.Response:
    """A JSON response that takes a while to build: other clients do not wait for it."""

    def build() -> web.Response:
        with ONE_AT_A_TIME:
            return answer_json(value(), status=status)

    return await asyncio.to_thread(build)


def read_parameter(request: web.Request, name: str) -> str | None:
    """The value of a query parameter that may be given at most once."""
    values = request.query.getall(name, [])
    if len(values) > 1:
        raise InvalidInput(f"'{name}' is given more than once.", advice="Give it once.")
    return values[0] if values else None


def refuse_unknown_parameters(request: web.Request, known: Collection[str] = ()) -> None:
    """Refuse unknown query parameters: they are mistakes, and ignoring them would hide that."""
    for name in request.query:
        if name not in known:
            raise InvalidInput(
                f"There is no parameter '{name}'.",
                advice=f"Use one of: {', '.join(known)}."
                if known
                else "This address takes no parameters.",
            )


def read_limit(request: web.Request, default: int = 50, most: int = 1000) -> int:
    """The `limit` parameter: how many results the client wants, at most `most`."""
    limit = read_parameter(request, "limit")
    if limit is None:
        return default
    if not (limit.isascii() and limit.isdecimal() and 1 <= int(limit[:9]) <= most):
        raise InvalidInput(f"limit={limit} is not a whole number from 1 to {most}.")
    return int(limit)


async def read_body(
    request: web.Request, body_type: type[B], *, example: str, too_large: str = "Send less."
) -> B:
    """The validated JSON object of a request.

    `example` is the advice when the body is invalid, and `too_large` when it is too large.
    """
    if request.content_type != "application/json":
        # A web page can send any other type to any address without a CORS preflight.
        raise InvalidInput(
            f"The request has the content type {request.content_type}.",
            advice="Send JSON, with Content-Type: application/json.",
        )
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise InvalidInput("The request is compressed.", advice="Send it without compression.")
    traffic = request.app[TRAFFIC]
    with traffic.buffer.hold() as held:
        data = await receive_body(request, traffic.limits, held, too_large)
        # Not in this thread: other clients would wait for it.
        return await asyncio.to_thread(parse_body, data, body_type, traffic.limits, example)


async def receive_body(
    request: web.Request, limits: WebLimits, held: HeldBytes, too_large: str = "Send less."
) -> bytes:
    """The bytes of a body, unless they are too many, or come too slowly."""
    started, data = time.monotonic(), bytearray()
    while True:
        left = started + limits.seconds_for(len(data)) - time.monotonic()
        try:
            async with asyncio.timeout(left):
                chunk = await request.content.read(_RECEIVE_BYTES)
        except TimeoutError as error:
            raise RequestTooSlow(
                f"The request took longer than {limits.seconds_for(len(data)):.0f} s."
            ) from error
        except (ValueError, RequestPayloadError) as error:
            raise InvalidInput(
                "The request ends in the middle, or its chunks are malformed.",
                advice="Send it again.",
            ) from error
        if not chunk:
            request.app[TRAFFIC].busy.add(request.protocol)
            return bytes(data)
        if len(data) + len(chunk) > limits.body_bytes:
            raise ContentTooLarge(
                f"The request has more than {limits.body_bytes} bytes.", advice=too_large
            )
        held.take(len(chunk))
        data += chunk
        # A chunk may be there at once, again and again: other clients have their turn first.
        await asyncio.sleep(0)


@dataclass(frozen=True)
class ServerEvent:
    """One server-sent event."""

    name: str
    value: Any

    def encode(self) -> bytes:
        """The event in its wire format."""
        with ONE_AT_A_TIME:
            data = json.dumps(self.value, ensure_ascii=False)
        return f"event: {self.name}\ndata: {data}\n\n".encode()


async def stream_events(
    request: web.Request,
    events: AsyncIterator[ServerEvent | None],
    *,
    headers: Mapping[str, str] | None = None,
) -> web.StreamResponse:
    """Send events as they arrive; None sends a heartbeat, which reveals a dead connection."""
    response = web.StreamResponse(
        headers={
            "Content-Type": "text/event-stream",
            "Cache-Control": "no-store",
            **(headers or {}),
        }
    )
    await response.prepare(request)
    async for event in events:
        data = _HEARTBEAT if event is None else await asyncio.to_thread(event.encode)
        try:
            await send_within_limits(request, len(data), response.write(data))
        except TransientError as error:
            told = {"code": error.code, "message": error.what, "advice": error.advice}
            await response.write(ServerEvent("error", told).encode())
            break
    await response.write_eof()
    return response


async def send_within_limits(
    request: web.Request, count: int, sending: Coroutine[Any, Any, None]
) -> None:
    """Send that many bytes; a client that does not take them in time is disconnected."""
    traffic = request.app[TRAFFIC]
    try:
        with traffic.buffer.hold() as held:
            held.take(count)
            async with asyncio.timeout(traffic.limits.seconds_for(count)):
                await sending
    except TimeoutError:
        if request.transport is not None:
            # Closing would wait until the client has taken the rest.
            request.transport.abort()
        raise ConnectionResetError("The client does not read the response.") from None
    finally:
        sending.close()
