"""The HTTP transport to providers: send, stream, and close as soon as nobody reads any more."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypedDict
from urllib.parse import urlsplit

import aiohttp

from assay import __version__
from assay.clock import Clock, SystemClock
from assay.errors import (
    AssayError,
    AuthError,
    CallRefused,
    InvalidInput,
    ProviderBusy,
    ProviderFailed,
    ProviderTimedOut,
    QuotaError,
)
from assay.llm.limits import ProviderLimits
from assay.llm.messages import Lane, ModelRequest, ProviderRank, rank_of
from assay.llm.providers.dialect import Dialect, Json
from assay.llm.providers.rates import read_retry_after_ms
from assay.llm.providers.stream import HttpStream

CONNECT_S = 10.0
IDLE_S = 300.0
"""A local model may need minutes to load before it sends its first word."""

_COMPLAINT_BYTES = 65_536
_COMPLAINT_S = 5.0
_MAX_QUOTED = 300
"""The most characters of a provider's own words that an error repeats."""
_KEEP_ALIVE_S = 4.0
"""Shorter than servers keep an idle connection, because one that closes during use is a failure."""


class _ConnectionOptions(TypedDict, total=False):
    key: str | None
    clock: Clock | None
    connect_timeout_s: float
    idle_timeout_s: float | None


class HttpOptions(_ConnectionOptions, total=False):
    """What a user may set of a provider, whatever its dialect."""

    name: str
    base_url: str
    lane: Lane
    limits: ProviderLimits


class CompleteHttpOptions(_ConnectionOptions):
    """The same, with the provider's defaults filled in."""

    name: str
    base_url: str
    lane: Lane
    limits: ProviderLimits


def fill_options(
    options: HttpOptions, name: str, base_url: str, limits: ProviderLimits, lane: Lane = Lane.CLOUD
) -> CompleteHttpOptions:
    """What a user set, with a provider's own values for the rest."""
    return {"name": name, "base_url": base_url, "lane": lane, "limits": limits, **options}


class HttpProvider:
    """A model behind an address. Each `open` is one request: no retry, no redirect, no proxy."""

    def __init__(
        self,
        dialect: Dialect,
        *,
        name: str,
        model: str,
        base_url: str,
        lane: Lane,
        limits: ProviderLimits,
        key: str | None = None,
        clock: Clock | None = None,
        connect_timeout_s: float = CONNECT_S,
        idle_timeout_s: float | None = IDLE_S,
        rank: ProviderRank | None = None,
        keep_alive: bool = True,
    ) -> None:
        """`idle_timeout_s` is the longest silence of the provider, before or during an answer;
        `keep_alive` says whether a connection is used for more than one call."""
        self.name = name
        self.model = model
        self.lane = lane
        self.rank = rank or rank_of(lane)
        self.limits = limits
        self.dialect = dialect
        self._base_url = _check_address(base_url, name)
        self._key = _check_key(key, name)
        self._clock = clock or SystemClock()
        self._timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=connect_timeout_s, sock_read=idle_timeout_s
        )
        self._keep_alive = keep_alive
        self._sessions: dict[asyncio.AbstractEventLoop, aiohttp.ClientSession] = {}

    def __repr__(self) -> str:
        return f"HttpProvider(name={self.name!r}, model={self.model!r}, base={self._base_url!r})"

    def open(self, request: ModelRequest) -> AbstractAsyncContextManager[HttpStream]:
        return self._open_stream(request)

    async def send(
        self, method: str, path: str, *, data: Any = None,
        headers: Mapping[str, str] | None = None, query: Mapping[str, str] | None = None,
    ) -> aiohttp.ClientResponse:  # fmt: skip
        """One request with the provider's key; the caller closes the response."""
        try:
            return await self._open_session().request(
                method,
                self._base_url + path,
                params=query,
                data=data,
                headers={**self.dialect.headers(self._key), **(headers or {})},
                allow_redirects=False,
            )
        except TimeoutError:
            failure: AssayError = ProviderTimedOut(f"{self.name} did not answer in time.")
        except (aiohttp.ClientError, OSError) as error:
            failure = ProviderFailed(f"{self.name} cannot be reached: {type(error).__name__}.")
        # Raised here, so that no chained error carries the request's headers along.
        raise failure

    async def close(self) -> None:
        """Close every connection of this event loop, and those whose loop is gone."""
        here = asyncio.get_running_loop()
        for loop in [loop for loop in self._sessions if loop is here or loop.is_closed()]:
            await self._sessions.pop(loop).close()

    @asynccontextmanager
    async def _open_stream(self, request: ModelRequest) -> AsyncIterator[HttpStream]:
        response = await self._send_request(request)
        try:
            await self._check(response)
        except BaseException:
            response.close()
            raise
        hints = self.dialect.hints(response.headers, self._clock.now_ms())
        stream = HttpStream(
            response, self.dialect.reader(), hints, refusal=self.refusal_error, name=self.name
        )
        try:
            yield stream
        finally:
            await stream.close()

    async def _send_request(self, request: ModelRequest) -> aiohttp.ClientResponse:
        body = json.dumps(self.dialect.body(self.model, request)).encode()
        headers = {
            "Content-Type": "application/json",
            # A compressed stream would arrive in large chunks.
            "Accept-Encoding": "identity",
        }
        return await self.send("POST", self.dialect.path(self.model), data=body, headers=headers)

    async def _check(self, response: aiohttp.ClientResponse) -> None:
        """Do nothing if a stream begins; otherwise raise the error that the response means."""
        if response.status != 200:
            complaint = _parse_complaint(await read_complaint(response))
            raise self.refusal_error(response.status, complaint, response.headers)
        if response.content_type not in self.dialect.content_types:
            raise ProviderFailed(f"{self.name} sent {response.content_type} instead of a stream.")

    def refusal_error(
        self, status: int, body: Json, headers: Mapping[str, str] | None = None
    ) -> AssayError:
        """The error that a status and its body mean."""
        complaint = self.dialect.complaint(status, body)
        what = self._describe_complaint(f"{self.name} answered {status}", complaint.what)
        if status == 402 or (complaint.quota and status < 500):
            return QuotaError(what)
        if status in (401, 403) or complaint.auth:
            return AuthError(what)
        if status == 429:
            header_ms = read_retry_after_ms(headers or {}, self._clock.now_ms())
            wait_ms = complaint.retry_after_ms if header_ms is None else header_ms
            return ProviderBusy(what, retry_after_ms=wait_ms)
        if status in (408, 504):
            return ProviderTimedOut(what)
        if status >= 500 or status in (409, 425):
            return ProviderFailed(what)
        if status < 400:
            return CallRefused(what, advice="Check the provider's base address.")
        return CallRefused(what)

    def _describe_complaint(self, head: str, what: str) -> str:
        words = " ".join(what.split())
        if self._key:
            words = words.replace(self._key, "***")
        if len(words) > _MAX_QUOTED:
            words = words[:_MAX_QUOTED].rstrip() + "…"
        if not words:
            return f"{head}."
        return f"{head}: {words}" + ("" if words.endswith((".", "!", "…")) else ".")

    def _open_session(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        session = self._sessions.get(loop)
        if session is None or session.closed:
            # The control plane, not the connector, decides how many calls may be in progress.
            session = self._sessions[loop] = aiohttp.ClientSession(
                connector=self._make_connector(),
                timeout=self._timeout,
                headers={"User-Agent": f"Assay/{__version__}"},
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
            )
        return session

    def _make_connector(self) -> aiohttp.TCPConnector:
        if not self._keep_alive:
            return aiohttp.TCPConnector(limit=0, force_close=True)
        return aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_ALIVE_S)


async def read_complaint(response: aiohttp.ClientResponse) -> bytes:
    """The body of a refusal, as far as it can be read."""
    raw = b""
    try:
        async with asyncio.timeout(_COMPLAINT_S):
            while len(raw) < _COMPLAINT_BYTES and (chunk := await response.content.readany()):
                raw += chunk
    except (TimeoutError, aiohttp.ClientError):
        pass
    return raw


def _parse_complaint(raw: bytes) -> Json:
    try:
        value = json.loads(raw)
    except ValueError:
        return {}
    if isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, dict) else {}


def _check_address(base_url: str, name: str) -> str:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidInput(f"The base address of '{name}' is not an http address.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InvalidInput(
            f"The base address of '{name}' must not contain a user, password, query or fragment.",
            advice="Set a key as the key, because addresses end up in logs.",
        )
    return base_url.rstrip("/")


def _check_key(key: str | None, name: str) -> str | None:
    key = (key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise InvalidInput(f"The key of '{name}' has characters that are not allowed in a key.")
    return key or None
