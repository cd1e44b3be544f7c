"""What a pack's routes and pages use: reading a request and answering it.

A handler gets the request and the services. An `AssayError` that it raises becomes a response with
the matching status, and with the same JSON shape that the command line prints.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from assay.errors import ContentTooLarge, InvalidInput
from assay.sdk.services import Services

__all__ = [
    "MAX_BODY_BYTES",
    "Handler",
    "ServerEvent",
    "answer_json",
    "read_body",
    "read_limit",
    "read_parameter",
    "refuse_unknown_parameters",
    "stream_events",
]

MAX_BODY_BYTES = 20_000_000
"""The largest request body that is accepted."""

Handler = Callable[[web.Request, Services], Awaitable[web.StreamResponse]]
B = TypeVar("B", bound=BaseModel)


def answer_json(value: Any, *, status: int = 200) -> web.Response:
    """A JSON response; non-ASCII characters are not escaped."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return web.json_response(text=text, status=status)


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
    try:
        data = await request.read()
    except web.HTTPRequestEntityTooLarge as error:
        raise ContentTooLarge(
            f"The request has more than {MAX_BODY_BYTES} bytes.", advice=too_large
        ) from error
    return _check_body(data, body_type, example)


def _check_body(data: bytes, body_type: type[B], example: str) -> B:
    try:
        body = json.loads(data, object_pairs_hook=_refuse_repeated_fields)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("The request is not valid JSON.", advice=example) from error
    try:
        return body_type.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the request"
        place = place[:80].encode("ascii", "backslashreplace").decode()
        raise InvalidInput(f"{place}: {first['msg']}.", advice=example) from error


def _refuse_repeated_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise InvalidInput("The request contains a field twice.", advice="Send each field once.")
    return fields


@dataclass(frozen=True)
class ServerEvent:
    """One server-sent event."""

    name: str
    value: Any

    def encode(self) -> bytes:
        """The event in its wire format."""
        data = json.dumps(self.value, ensure_ascii=False)
        return f"event: {self.name}\ndata: {data}\n\n".encode()


async def stream_events(
    request: web.Request, events: AsyncIterator[ServerEvent | None]
) -> web.StreamResponse:
    """Send events as they arrive; None sends a heartbeat, which reveals a dead connection."""
    response = web.StreamResponse(
        headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
    )
    await response.prepare(request)
    async for event in events:
        await response.write(b": still here\n\n" if event is None else event.encode())
    await response.write_eof()
    return response
