"""What the routes and pages of a pack use: reading a request, and answering it.

A handler gets the request and the services. What it raises of the error tree becomes an answer with
the fitting status and the shape that the command line gives too.
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
"""Of a request."""

Handler = Callable[[web.Request, Services], Awaitable[web.StreamResponse]]
B = TypeVar("B", bound=BaseModel)


def answer_json(value: Any, *, status: int = 200) -> web.Response:
    """A JSON value, in letters as they are."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return web.json_response(text=text, status=status)


def read_parameter(request: web.Request, name: str) -> str | None:
    """A parameter of the query that may be given once."""
    told = request.query.getall(name, [])
    if len(told) > 1:
        raise InvalidInput(f"'{name}' is given twice.", advice="Give it once.")
    return told[0] if told else None


def refuse_unknown_parameters(request: web.Request, known: Collection[str] = ()) -> None:
    """A parameter that nobody knows is a mistake, and a silent default would hide it."""
    for name in request.query:
        if name not in known:
            raise InvalidInput(
                f"There is no parameter '{name}'.",
                advice=f"Known are {', '.join(known)}." if known else "It takes none.",
            )


def read_limit(request: web.Request, default: int = 50, most: int = 1000) -> int:
    """How many are wanted."""
    told = read_parameter(request, "limit")
    if told is None:
        return default
    if not (told.isascii() and told.isdecimal() and 1 <= int(told[:9]) <= most):
        raise InvalidInput(f"limit={told} is not a number from 1 to {most}.")
    return int(told)


async def read_body(
    request: web.Request, body_type: type[B], *, example: str, too_large: str = "Send less."
) -> B:
    """The JSON object of a request, checked; `example` and `too_large` are advice."""
    if request.content_type != "application/json":
        # A page in a browser can send anything else to any address without asking first.
        raise InvalidInput(
            f"The request has the type {request.content_type}.",
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
        told = json.loads(data, object_pairs_hook=_refuse_repeated_fields)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("The request is no JSON.", advice=example) from error
    try:
        return body_type.model_validate(told)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the request"
        place = place[:80].encode("ascii", "backslashreplace").decode()
        raise InvalidInput(f"{place}: {first['msg']}.", advice=example) from error


def _refuse_repeated_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) < len(pairs):
        raise InvalidInput("The request has a field twice.", advice="Send each field once.")
    return told


@dataclass(frozen=True)
class ServerEvent:
    """One event of a stream that a client watches."""

    name: str
    value: Any

    def encode(self) -> bytes:
        """As it goes over the wire."""
        data = json.dumps(self.value, ensure_ascii=False)
        return f"event: {self.name}\ndata: {data}\n\n".encode()


async def stream_events(
    request: web.Request, events: AsyncIterator[ServerEvent | None]
) -> web.StreamResponse:
    """Send events as they come; None is a sign of life, by which a dead connection is noticed."""
    response = web.StreamResponse(
        headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
    )
    await response.prepare(request)
    async for event in events:
        await response.write(b": still here\n\n" if event is None else event.encode())
    await response.write_eof()
    return response
