"""One look at a page of an endpoint's listing: fetched, read, and nothing concluded yet."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from assay.errors import FetchFailed, InvalidInput
from assay.model.hashes import content_hash
from assay.model.records import Endpoint
from assay.reading.workshop import Workshop
from assay.sources.fetching import Fetcher, Head
from assay.sources.listing import (
    Found,
    Listing,
    ListingOptions,
    Part,
    SitemapReader,
    check_options,
    listed,
)


@dataclass(frozen=True, slots=True)
class Looked:
    """What a page of a listing holds, or that it has not changed."""

    head: Head
    listing: Listing
    content_hash: str | None

    @property
    def unchanged(self) -> bool:
        return self.head.unchanged


@dataclass(frozen=True, slots=True)
class Looker:
    """Whom to ask, and who reads the answers."""

    fetcher: Fetcher
    workshop: Workshop
    max_parts: int = 50_000
    """Most pages or child sitemaps that one page may lead to."""
    revisit_ms: int = 30 * 86_400_000
    """How long a listing is believed that says that something has not changed."""

    async def look(
        self,
        endpoint: Endpoint,
        part: Part,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
    ) -> Looked:
        """Fetch one page of the endpoint's listing and read it."""
        options = options_of(endpoint)
        asked: dict[str, Any] = {"etag": etag, "last_modified": last_modified}
        if options.accept is not None:
            asked["accept"] = options.accept
        if part.body is not None:
            asked["json"] = _posted(endpoint, part.body)
        if endpoint.strategy == "SITEMAP_XML":
            return await self._streamed(part, options, asked)
        answer = await self.fetcher.fetch(part.url, **asked)
        if answer.unchanged:
            return Looked(answer, Listing(), None)
        _require_ok(answer)
        listing = await self.workshop.run(
            _listed, endpoint.strategy, answer.body, answer.final_url, options, part.number
        )
        return Looked(answer, listing, content_hash(answer.body))

    async def _streamed(self, part: Part, options: ListingOptions, asked: dict[str, Any]) -> Looked:
        """A sitemap may be larger than what is kept in memory of any document."""
        digest = hashlib.sha256()
        found: dict[str, Found | Part] = {}
        async with self.fetcher.stream(part.url, **asked) as stream:
            if stream.head.unchanged:
                return Looked(stream.head, Listing(), None)
            _require_ok(stream.head)
            reader = SitemapReader(stream.head.final_url, options)
            async for chunk in stream:
                digest.update(chunk)
                found.update((entry.url, entry) for entry in reader.feed(chunk))
            found.update((entry.url, entry) for entry in reader.close())
        listing = Listing(
            items=tuple(entry for entry in found.values() if isinstance(entry, Found)),
            parts=tuple(entry for entry in found.values() if isinstance(entry, Part)),
            warnings=reader.warnings,
        )
        return Looked(stream.head, listing, digest.hexdigest())


def options_of(endpoint: Endpoint) -> ListingOptions:
    """What the endpoint's description says; a mistake in it is told with its place."""
    try:
        options = ListingOptions.model_validate(endpoint.options)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "options"
        raise InvalidInput(
            f"Endpoint {endpoint.endpoint_id}: '{name}' cannot be read: {first['msg']}.",
            advice="Correct the endpoint's options.",
        ) from error
    check_options(endpoint.strategy, options)
    return options


def _listed(strategy: str, body: bytes, url: str, options: ListingOptions, number: int) -> Listing:
    return listed(strategy, body, url, options, number=number)


def _posted(endpoint: Endpoint, body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise InvalidInput(
            f"Endpoint {endpoint.endpoint_id}: post_body is not JSON: {error}.",
            advice="Correct the endpoint's options.",
        ) from error


def _require_ok(head: Head) -> None:
    if head.status != 200:
        raise FetchFailed(f"{head.url} answered {head.status}.")
