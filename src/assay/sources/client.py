"""One HTTP exchange, limited in time and size; no aiohttp error leaves this module."""

import asyncio
import math
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from assay.errors import AddressRefused, AssayError, ContentTooLarge, FetchFailed, InvalidInput
from assay.sources.decompression import ACCEPTED_CODINGS, BodyUnpacker, parse_codings
from assay.sources.guard import ALLOW_ADVICE, AddressGuard, GuardedResolver, PrivateAddressError
from assay.sources.policy import FetchPolicy
from assay.sources.retrying import RequestFailed

MOST_HEADERS = 256
LONGEST_HEADER = 32_768
_PIECE = 65_536
"""What a reader gets at a time. Readers do some work for each piece, and a site chooses how many
it sends; so small ones are put together."""
_LARGER = "If it is wanted, raise fetch_max_bytes, or listing_max_bytes for a sitemap."
TRANSPORT_ERRORS = (aiohttp.ClientError, HttpProcessingError, OSError, ValueError)
"""Everything that aiohttp raises; it refuses odd addresses and headers with a ValueError."""


@dataclass(frozen=True, slots=True)
class TransferLimits:
    """How long one response may take, and how large it may be."""

    timeout_s: float
    max_bytes: int
    cut: bool = False
    """Whether a larger body is truncated instead of refused."""


class OpenResponse:
    """A site's response, its body not yet read."""

    def __init__(
        self,
        response: aiohttp.ClientResponse,
        label: str,
        bounds: TransferLimits,
        policy: FetchPolicy,
        waited_s: float,
    ) -> None:
        self._response = response
        self._label = label
        self._bounds = bounds
        self._policy = policy
        self._waited_s = waited_s
        self._arrived = 0
        self._window_s = math.inf
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers

    async def read_pieces(self) -> AsyncGenerator[bytes, None]:
        """The unpacked body, piece by piece; a premature end is an error."""
        headers = self._response.headers
        packings = headers.getall("Content-Encoding", []) + headers.getall("Transfer-Encoding", [])
        unpacker = BodyUnpacker(parse_codings(*packings), self._label)
        self._refuse_announced()
        held = bytearray()
        most, packed, size = self._bounds.max_bytes, 0, 0
        while chunk := await self._read_next():
            packed += len(chunk)
            for piece in unpacker.feed(chunk):
                held += piece
                size += len(piece)
                if size > most:
                    self._refuse_too_large()
                    yield bytes(held[: len(held) - (size - most)])
                    return
                if len(held) >= _PIECE:
                    yield bytes(held)
                    held.clear()
                    # Unpacking works without waiting, so other tasks get a turn.
                    await asyncio.sleep(0)
            # Counted apart: a packed body can go on for ever and unpack to nothing.
            if packed > most:
                self._refuse_too_large()
                break
        else:
            unpacker.finish()
        if held:
            yield bytes(held)

    def _refuse_too_large(self) -> None:
        if not self._bounds.cut:
            reason = f"{self._label} has more than {self._bounds.max_bytes} bytes."
            raise ContentTooLarge(reason, advice=_LARGER)

    def _refuse_announced(self) -> None:
        announced = self._response.content_length
        most = self._bounds.max_bytes
        if announced is not None and announced > most and not self._bounds.cut:
            raise ContentTooLarge(
                f"{self._label} announces {announced} bytes, more than the {most} that are taken.",
                advice=_LARGER,
            )

    async def _read_next(self) -> bytes:
        """The bytes that have arrived, after waiting if there are none; empty at the end."""
        content = self._response.content
        try:
            chunk = content.read_nowait()
            if not chunk and not content.at_eof():
                chunk = await self._await_more(content)
        except TRANSPORT_ERRORS as error:
            raise translate_error(error, self._label, amid=True) from error
        self._arrived += len(chunk)
        # Before the first byte, a server may take as long as the whole request may take.
        if self._arrived >= self._policy.progress_bytes or math.isinf(self._window_s):
            self._arrived, self._window_s = 0, self._policy.progress_window_s
        return chunk

    async def _await_more(self, content: aiohttp.StreamReader) -> bytes:
        """Wait for more. Only this counts as time, so a slow reader is not blamed on the site."""
        loop = asyncio.get_running_loop()
        before = loop.time()
        left_s = max(0.0, self._bounds.timeout_s - self._waited_s)
        try:
            async with asyncio.timeout(min(left_s, self._window_s)):
                chunk = await content.readany()
        except TimeoutError as error:
            raise self._late_error(self._arrived, left_s <= self._window_s) from error
        waited_s = loop.time() - before
        self._waited_s += waited_s
        self._window_s -= waited_s
        return chunk

    def _late_error(self, arrived: int, is_over: bool) -> RequestFailed:
        if is_over:
            limit_s = self._bounds.timeout_s
            return RequestFailed(f"{self._label} was not complete after {limit_s:g} s.")
        window_s = self._policy.progress_window_s
        return RequestFailed(f"{self._label} came too slowly: {arrived} bytes in {window_s:g} s.")


class HttpClient:
    """Holds the connections. It ignores cookies, environment proxies and redirects."""

    def __init__(
        self,
        policy: FetchPolicy,
        guard: AddressGuard,
        agent: str,
        resolver: AbstractResolver | None = None,
    ) -> None:
        self._policy = policy
        self._guard = guard
        self._agent = agent
        self._resolver = resolver
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    @asynccontextmanager
    async def exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None,
        label: str, bounds: TransferLimits,
    ) -> AsyncIterator[OpenResponse]:  # fmt: skip
        """Send a request, and yield the response as soon as its headers are there."""
        session, loop = self._open(), asyncio.get_running_loop()
        before = loop.time()
        try:
            async with asyncio.timeout(min(bounds.timeout_s, self._policy.timeout_s)):
                response = await session.request(
                    method, URL(url, encoded=True), headers=headers, data=body,
                    allow_redirects=False,
                )  # fmt: skip
        except TRANSPORT_ERRORS as error:
            raise translate_error(error, label) from error
        try:
            if response.status < 200:
                raise FetchFailed(
                    f"{label} answered {response.status}, which does not complete a request."
                )
            yield OpenResponse(response, label, bounds, self._policy, loop.time() - before)
        finally:
            # A connection that was read to the end returns to the pool; all others are closed.
            response.release()

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(
                limit=0,  # pacing is the limit
                resolver=GuardedResolver(self._guard, self._resolver),
                socket_factory=self._guard.open_socket,
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                timeout=aiohttp.ClientTimeout(total=None, connect=self._policy.connect_timeout_s),
                headers={"User-Agent": self._agent, "Accept-Encoding": ACCEPTED_CODINGS},
                # No cookies: every response must be what any stranger would get.
                cookie_jar=aiohttp.DummyCookieJar(),
                # aiohttp undoes only one layer, and also codings that were not requested.
                auto_decompress=False,
                trust_env=False,
                max_line_size=LONGEST_HEADER,
                max_field_size=LONGEST_HEADER,
                max_headers=MOST_HEADERS,
            )
        return self._session


def translate_error(error: BaseException, label: str, *, amid: bool = False) -> AssayError:
    """Translate any transport error into one of Assay's."""
    cause = getattr(error, "os_error", error)
    if isinstance(cause, PrivateAddressError):
        return AddressRefused(f"{label} {cause.what}.", advice=ALLOW_ADVICE)
    if isinstance(error, TimeoutError):
        connecting = isinstance(error, aiohttp.ConnectionTimeoutError)
        return RequestFailed(
            f"{label} {'let no one in' if connecting else 'did not answer'} in time."
        )
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        unknown = isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_NONAME
        return RequestFailed(f"{label} is on a host that was not found.", again=not unknown)
    if isinstance(error, aiohttp.ClientSSLError):
        return RequestFailed(
            f"{label} has no valid certificate: {_describe_error(cause)}.", again=False
        )
    if isinstance(error, aiohttp.InvalidURL):
        return InvalidInput(f"{label} is not an address that can be requested.")
    if isinstance(error, aiohttp.ClientResponseError | HttpProcessingError) and not amid:
        return RequestFailed(
            f"{label} did not answer with valid HTTP: {_describe_error(error)}.", again=False
        )
    if isinstance(error, aiohttp.ClientConnectorError):
        return RequestFailed(f"{label} could not be reached: {_describe_error(cause)}.")
    if isinstance(error, aiohttp.ClientPayloadError | HttpProcessingError):
        reason = _describe_error(error.__cause__ or error)
        return RequestFailed(f"{label} broke off in the middle of its body: {reason}.")
    if isinstance(error, aiohttp.ClientError | OSError):
        return RequestFailed(f"{label} broke off: {_describe_error(error)}.")
    return InvalidInput(f"{label} cannot be requested: {_describe_error(error)}.")


def _describe_error(error: object) -> str:
    """What an error says, on one short line."""
    text = getattr(error, "strerror", None) or getattr(error, "message", None) or str(error)
    # aiohttp shows the bytes that it failed on; they may be anything, of any length.
    line = " ".join(str(text).split()).partition(": b'")[0] or type(error).__name__
    line = "".join(sign if sign.isprintable() else "�" for sign in line)
    return (line if len(line) <= 160 else f"{line[:160]}…").rstrip(".")
