"""What the three batch APIs have in common, over the HTTP connections of a live provider."""

import json
import math
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import aiohttp

from assay.errors import AssayError, CallTooLarge, ProviderFailed, ProviderTimedOut
from assay.llm.messages import ModelRequest
from assay.llm.providers.dialect import Dialect, Json
from assay.llm.providers.http import HttpProvider, read_complaint

MOST_BYTES = 1_000_000_000
"""The most bytes of results."""
MOST_LINE = 20_000_000
"""The most bytes of one result."""
PAGE = "100"
"""How many batches a page of a provider's list has."""
MOST_PAGES = 50
_CHUNK = 65_536


class BatchHttp:
    """Uses the address, key and name of a live provider; each method call is one request that is
    never repeated."""

    most_items: int
    most_bytes: int
    """The provider's limit on the size of a batch."""

    def __init__(self, live: HttpProvider) -> None:
        self.name = live.name
        self.model = live.model
        self._live = live

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r}, model={self.model!r})"

    async def close(self) -> None:
        await self._live.close()

    @property
    def _dialect(self) -> Dialect:
        return self._live.dialect

    def _build_body(self, request: ModelRequest) -> Json:
        """The body of one question, to be answered in one piece."""
        body = self._dialect.body(self.model, request)
        return {k: v for k, v in body.items() if k not in ("stream", "stream_options")}

    def _require_fitting(self, items: int, size: int) -> None:
        if items > self.most_items or size > self.most_bytes:
            raise CallTooLarge(
                f"The batch has {items} questions and {size} bytes; {self.name} accepts at most "
                f"{self.most_items} questions and {self.most_bytes} bytes.",
                advice="Split it.",
            )

    async def _request_json(
        self, method: str, path: str, *, body: Any = None, query: Mapping[str, str] | None = None
    ) -> Json:
        """One request whose response is a JSON object."""
        headers: dict[str, str] = {}
        if isinstance(body, bytes):
            headers["Content-Type"] = "application/json"
        async with self._open_response(
            method, path, data=body, headers=headers, query=query
        ) as response:
            raw = b"".join([chunk async for chunk in self._read_chunks(response)])
        value = _parse_object(raw)
        if value is None:
            raise ProviderFailed(f"{self.name} sent a response in an unexpected format.")
        return value

    async def _read_lines(self, path: str) -> AsyncGenerator[Json | None, None]:
        """The objects in a file of JSON lines; None for a line that is not an object."""
        rest = b""
        async with self._open_response("GET", path) as response:
            async for chunk in self._read_chunks(response):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    if line.strip():
                        yield _parse_object(line)
                if len(rest) > MOST_LINE:
                    raise ProviderFailed(f"{self.name} sent a line of over {MOST_LINE} bytes.")
        if rest.strip():
            yield _parse_object(rest)

    @asynccontextmanager
    async def _open_response(
        self,
        method: str,
        path: str,
        *,
        data: Any = None,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """A successful response; a refusal is raised."""
        live = self._live
        failure: AssayError
        try:
            sent = await live.send(method, path, data=data, headers=headers, query=query)
            async with sent as response:
                if not 200 <= response.status < 300:
                    complaint = _parse_object(await read_complaint(response)) or {}
                    raise live.refusal_error(response.status, complaint, response.headers)
                yield response
                return
        except TimeoutError:
            failure = ProviderTimedOut(f"{self.name} did not answer in time.")
        except (aiohttp.ClientError, OSError) as error:
            failure = ProviderFailed(f"{self.name} cannot be reached: {type(error).__name__}.")
        # Raised here, so that no chained error carries the request's headers along.
        raise failure

    async def _read_chunks(self, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in response.content.iter_chunked(_CHUNK):
            size += len(chunk)
            if size > MOST_BYTES:
                raise ProviderFailed(f"{self.name} sent more than {MOST_BYTES} bytes.")
            yield chunk


def get_objects(value: Json, name: str) -> list[Json]:
    """The objects in the list with that name; an empty list if there is none."""
    found = value.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def read_handle(value: Json, name: str, provider: str) -> str:
    """The provider's name for the batch; without it, nobody knows what the provider did."""
    found = value.get(name)
    if not isinstance(found, str) or not found:
        raise ProviderFailed(f"{provider} accepted a batch without returning its id.")
    return found


def parse_time_ms(stamp: Any) -> int | None:
    """Milliseconds since 1970, from a number of seconds or an RFC 3339 time."""
    if isinstance(stamp, int | float):
        return int(stamp * 1000) if math.isfinite(stamp) else None
    try:
        return int(datetime.fromisoformat(str(stamp)).timestamp() * 1000)
    except ValueError:
        return None


def is_older(stamp: Any, since_ms: int) -> bool:
    """Whether something certainly existed before that time."""
    at_ms = parse_time_ms(stamp)
    return at_ms is not None and at_ms < since_ms


def _parse_object(line: bytes) -> Json | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
