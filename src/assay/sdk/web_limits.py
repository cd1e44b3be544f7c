"""What one client, and all clients together, may take of the server; independent of any framework.

A body is checked before it is parsed: a parser that runs in C keeps every other thread waiting
until it is finished, so what it gets must be small enough.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from assay.errors import ContentTooLarge, InvalidInput, TransientError

_SLICE = 1 << 16
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
B = TypeVar("B", bound=BaseModel)
ONE_AT_A_TIME = Lock()
"""Held by a thread that reads or writes a large JSON value; several at once would keep the thread
that answers waiting for long."""


@dataclass(frozen=True, kw_only=True)
class WebLimits:
    """The limits of a server."""

    body_bytes: int = 4_000_000
    """The largest request body."""
    body_values: int = 10_000
    """Most values and fields in a body, however they are nested."""
    body_depth: int = 32
    """Most lists and objects inside each other."""
    headers_s: float = 15.0
    """Seconds for the headers of a request, and how long an idle connection stays open."""
    transfer_s: float = 20.0
    """Seconds for a body or a response, in addition to what its bytes take at `bytes_per_s`."""
    bytes_per_s: int = 100_000
    """The slowest client that is waited for."""
    buffered_bytes: int = 64_000_000
    """Most bytes of bodies and responses that are held for all clients together."""
    connections: int = 512
    """Most open connections; beyond this, the oldest one that has no complete request is closed."""
    pack_requests: int = 480
    """Most requests to packs that are answered at a time; the other connections are left for what
    the server itself answers."""
    headers: int = 48
    """Most headers of a request."""
    header_bytes: int = 8_190
    """Most bytes of one header, or of the request line."""

    def seconds_for(self, count: int) -> float:
        """How long this many bytes may take, in either direction."""
        return self.transfer_s + count / self.bytes_per_s


class SharedBuffer:
    """Counts the bytes that are held for all clients together."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0

    @contextmanager
    def hold(self) -> Iterator["HeldBytes"]:
        """Count what is taken inside the context, and give all of it back at its end."""
        mine = HeldBytes(self)
        try:
            yield mine
        finally:
            self.held -= mine.count


class HeldBytes:
    """What one transfer holds."""

    def __init__(self, shared: SharedBuffer) -> None:
        self._shared = shared
        self.count = 0

    def take(self, count: int) -> None:
        """Hold more bytes, or refuse."""
        if self._shared.held + count > self._shared.most:
            raise TransientError(
                "The server already holds as many bytes for its clients as it may.",
                advice="Try again later.",
            )
        self._shared.held += count
        self.count += count


def parse_body(data: bytes, body_type: type[B], limits: WebLimits, example: str) -> B:
    """The validated JSON object in a body. It takes a while: call it in a thread."""
    with ONE_AT_A_TIME:
        return _parse_body(data, body_type, limits, example)


def check_json(data: bytes, limits: WebLimits) -> None:
    """Refuse a body that is not JSON, too large a structure, or contains a field twice. It takes a
    while: call it in a thread."""
    with ONE_AT_A_TIME:
        _parse_json(data, limits, "Send a JSON object.")


def _parse_body(data: bytes, body_type: type[B], limits: WebLimits, example: str) -> B:
    body = _parse_json(data, limits, example)
    try:
        return body_type.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the request"
        place = place[:80].encode("ascii", "backslashreplace").decode()
        raise InvalidInput(f"{place}: {first['msg']}.", advice=example) from error


def _parse_json(data: bytes, limits: WebLimits, example: str) -> Any:
    refuse_large_structure(data, limits)
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_refuse_repeated_fields)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("The request is not valid JSON.", advice=example) from error


def refuse_large_structure(data: bytes, limits: WebLimits) -> None:
    """Refuse JSON with too many values or levels, without parsing it."""
    values = depth = 0
    for outside in _iterate_outside_strings(data):
        values += outside.count(b",") + outside.count(b"[") + outside.count(b"{")
        if values > limits.body_values:
            raise ContentTooLarge(
                f"The request contains more than {limits.body_values} values.",
                advice="Send fewer.",
            )
        for bracket in outside.translate(None, _NOT_BRACKETS):
            depth += 1 if bracket in b"[{" else -1
            if depth > limits.body_depth:
                raise InvalidInput(
                    f"The request is nested more than {limits.body_depth} levels deep.",
                    advice="Send a flatter structure.",
                )


def _iterate_outside_strings(data: bytes) -> Iterator[bytes]:
    """Yield the parts of JSON that are not in strings, slice by slice."""
    inside = 0
    for piece in _iterate_unescaped(data):
        parts = piece.split(b'"')
        yield b"".join(parts[inside::2])
        inside = (inside + len(parts) - 1) % 2


def _iterate_unescaped(data: bytes) -> Iterator[bytes]:
    """Yield the bytes without escaped quotes and backslashes: each quote left is a boundary."""
    tail = b""
    for start in range(0, len(data), _SLICE):
        piece = (tail + data[start : start + _SLICE]).replace(b"\\\\", b"")
        # What it escapes is in the next slice.
        tail = b"\\" if piece.endswith(b"\\") else b""
        yield piece.removesuffix(b"\\").replace(b'\\"', b"")


def _refuse_repeated_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise InvalidInput("The request contains a field twice.", advice="Send each field once.")
    return fields
