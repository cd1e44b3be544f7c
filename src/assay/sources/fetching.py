"""Fetching one address over HTTP, within bounds."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import urlsplit, urlunsplit

import aiohttp

from assay import __version__
from assay.errors import ContentTooLarge, FetchFailed, InvalidInput


@dataclass(frozen=True, slots=True)
class Answer:
    """What a site said."""

    url: str
    status: int
    body: bytes
    content_type: str
    etag: str | None
    last_modified: str | None

    @property
    def unchanged(self) -> bool:
        return self.status == 304

    @property
    def gone(self) -> bool:
        return self.status in (404, 410)


class Fetcher:
    """A client that tells who it is and never takes more than it may.

    `hosts` sends a host name to another address, so that a world on loopback can have
    lasting names.
    """

    def __init__(
        self,
        *,
        contact: str = "",
        timeout_s: float = 30.0,
        max_bytes: int = 20_000_000,
        hosts: Mapping[str, str] | None = None,
    ) -> None:
        self._agent = f"Assay/{__version__}" + (f" (+{contact})" if contact else "")
        self._timeout = aiohttp.ClientTimeout(total=timeout_s)
        self._max_bytes = max_bytes
        self._hosts = dict(hosts or {})
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> "Fetcher":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def fetch(
        self, url: str, *, etag: str | None = None, last_modified: str | None = None
    ) -> Answer:
        """The answer, which may say that nothing changed or that nothing is there."""
        target, headers = self._addressed(url)
        if etag is not None:
            headers["If-None-Match"] = etag
        if last_modified is not None:
            headers["If-Modified-Since"] = last_modified
        try:
            async with self._client().get(target, headers=headers) as response:
                if response.status >= 500 or response.status in (408, 425, 429):
                    raise FetchFailed(f"{url} answered {response.status}.")
                body = await self._bounded(response, url)
        except TimeoutError as error:
            raise FetchFailed(f"{url} did not answer in time.") from error
        except aiohttp.ClientError as error:
            raise FetchFailed(f"{url} could not be fetched: {type(error).__name__}.") from error
        return Answer(
            url=url,
            status=response.status,
            body=body,
            content_type=response.headers.get("Content-Type", ""),
            etag=response.headers.get("ETag"),
            last_modified=response.headers.get("Last-Modified"),
        )

    async def _bounded(self, response: aiohttp.ClientResponse, url: str) -> bytes:
        """The decoded bytes, counted as they come so that a bomb is stopped early."""
        chunks: list[bytes] = []
        size = 0
        async for chunk in response.content.iter_chunked(65_536):
            size += len(chunk)
            if size > self._max_bytes:
                raise ContentTooLarge(f"{url} has more than {self._max_bytes} bytes.")
            chunks.append(chunk)
        return b"".join(chunks)

    def _addressed(self, url: str) -> tuple[str, dict[str, str]]:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput(f"{url!r} is not an http address.")
        stand_in = self._hosts.get(parts.hostname)
        if stand_in is None:
            return url, {}
        base = urlsplit(stand_in)
        moved = urlunsplit((base.scheme, base.netloc, parts.path, parts.query, ""))
        return moved, {"Host": parts.netloc}

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            # No cookies: every answer must be what a stranger would get.
            self._session = aiohttp.ClientSession(
                timeout=self._timeout,
                headers={"User-Agent": self._agent},
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session
