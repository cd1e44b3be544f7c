"""Fetches and reads one page of an endpoint's listing, without drawing conclusions from it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from pydantic import ValidationError

from assay.engine.process_pool import ProcessPool
from assay.errors import AssayError, ContentUnsupported, InvalidInput
from assay.model.hashes import canonical_json, content_hash
from assay.model.records import Endpoint
from assay.sources.fetching import Fetcher, ResponseHead
from assay.sources.folders import ADAPTER, read_adapter_listing
from assay.sources.listing import (
    ListedItem,
    Listing,
    ListingOptions,
    ListingPart,
    SitemapReader,
    check_options,
    read_listing,
)
from assay.sources.portals import Portal, read_portal_answer
from assay.sources.retrying import RequestFailed

SITEMAP = "SITEMAP_XML"
_OK = 200

AdapterFinder = Callable[[str], Path | None]
"""Finds the folder whose adapter reads a source."""


def find_no_adapter(_slug: str) -> None:
    """For installations whose sources have no adapters."""


@dataclass(frozen=True, slots=True)
class ListingPage:
    """What a page of a listing contains; nothing, if `head` says that it is unchanged or gone."""

    part: ListingPart
    """The part that was requested."""
    head: ResponseHead
    listing: Listing
    content_hash: str | None
    """The hash of what it lists, not of its bytes: a new token or clock is not a change."""


@dataclass(frozen=True, slots=True)
class ListingFetcher:
    """Fetches pages of listings, and has them read in the process pool."""

    fetcher: Fetcher
    pool: ProcessPool
    max_parts: int = 50_000
    """How many pages or child sitemaps one page may lead to."""
    revisit_ms: int = 30 * 86_400_000
    """How long to trust a listing that says that something has not changed."""
    adapter_of: AdapterFinder = find_no_adapter
    portals: Mapping[str, Portal] = field(default_factory=dict)
    random: Random = field(default_factory=Random)

    def parse_options(self, endpoint: Endpoint) -> ListingOptions:
        """How to read the listing, according to the endpoint's description."""
        return parse_listing_options(endpoint, self.portals)

    async def fetch_page(
        self,
        endpoint: Endpoint,
        options: ListingOptions,
        part: ListingPart,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        may_be_gone: bool = False,
        begins_look: bool = False,
    ) -> ListingPage:
        """Fetch one page of the endpoint's listing and read it.

        A missing page is an error, unless it `may_be_gone`.
        """
        asked: dict[str, Any] = {"etag": etag, "last_modified": last_modified}
        if (portal := self.portals.get(endpoint.strategy)) is not None:
            asked["pace"] = portal.choose_pace(self.random, begins_check=begins_look)
        if options.accept is not None:
            asked["accept"] = options.accept
        if part.headers:
            asked["headers"] = dict(part.headers)
        if part.body is not None and part.is_form:
            asked["form"] = part.body
        elif part.body is not None:
            asked["json"] = _parse_post_body(endpoint, part.body)
        if endpoint.strategy == SITEMAP:
            head, listing = await self._fetch_streamed(part, options, asked)
        else:
            head, listing = await self._fetch_whole(endpoint, part, options, asked)
        if listing is not None:
            listing = replace(listing, items=tuple(map(_clean_title, listing.items)))
            return ListingPage(part, head, listing, content_hash(_serialize_content(listing)))
        if head.is_unchanged or (head.is_gone and may_be_gone):
            return ListingPage(part, head, Listing(), None)
        # The fetcher has already raised for temporary problems, such as a 503 or a 429.
        raise ContentUnsupported(
            f"{head.url} answered {head.status}.",
            advice="Open it in a browser; it may have moved, or the site may block programs.",
        )

    async def _fetch_whole(
        self, endpoint: Endpoint, part: ListingPart, options: ListingOptions, asked: dict[str, Any]
    ) -> tuple[ResponseHead, Listing | None]:
        portal = self.portals.get(endpoint.strategy)
        if portal is not None:
            return await self._fetch_from_portal(portal, endpoint, part, asked)
        answer = await self.fetcher.fetch(part.url, **asked)
        if answer.status != _OK:
            return answer, None
        reader: tuple[Any, ...] = (_read_listing, endpoint.strategy)
        if endpoint.strategy == ADAPTER:
            folder = self.adapter_of(endpoint.source_slug)
            if folder is None:
                raise description_error(
                    endpoint, "its source has no adapter.", "Add one with 'assay sources add'."
                )
            reader = (read_adapter_listing, folder)
        listing = await self.pool.run(*reader, answer.body, answer.final_url, options, part.number)
        if part.body is not None:
            # The next page is requested in the same way as this one.
            parts = tuple(replace(p, body=p.body or part.body) for p in listing.parts)
            listing = replace(listing, parts=parts)
        return answer, listing

    async def _fetch_from_portal(
        self, portal: Portal, endpoint: Endpoint, part: ListingPart, asked: dict[str, Any]
    ) -> tuple[ResponseHead, Listing | None]:
        head: ResponseHead
        try:
            answer = await self.fetcher.fetch(part.url, **asked)
            head, content = answer, answer.body if answer.status == _OK else answer.status
        except RequestFailed as fault:
            if fault.status is None or portal.recover is None:
                # The request was repeated as often as it should be. The next check comes later.
                fault.final = True
                raise
            head = ResponseHead(url=part.url, final_url=part.url, status=fault.status)
            content = fault.status
        listing: Listing | None = await self.pool.run(
            read_portal_answer, portal, endpoint.options, content, head.final_url, part
        )
        return head, listing

    async def _fetch_streamed(
        self, part: ListingPart, options: ListingOptions, asked: dict[str, Any]
    ) -> tuple[ResponseHead, Listing | None]:
        """Read a sitemap in pieces, since it may be larger than any document held in memory."""
        found: dict[str, ListedItem | ListingPart] = {}
        async with self.fetcher.stream(part.url, **asked) as stream:
            if stream.head.status != _OK:
                return stream.head, None
            reader = SitemapReader(stream.head.final_url, options)
            async for chunk in stream:
                found.update((entry.url, entry) for entry in reader.feed(chunk))
                if len(found) > options.max_items:
                    # Each becomes a job, and all are stored at once, so their number is limited.
                    break
            else:
                found.update((entry.url, entry) for entry in reader.close())
        items = tuple(entry for entry in found.values() if isinstance(entry, ListedItem))
        warnings = reader.warnings
        if len(items) > options.max_items:
            warnings += (f"only the first {options.max_items} addresses were taken (max_items)",)
            items = items[: options.max_items]
        parts = tuple(entry for entry in found.values() if isinstance(entry, ListingPart))
        return stream.head, Listing(items, parts, warnings)


def parse_listing_options(endpoint: Endpoint, portals: Mapping[str, Portal]) -> ListingOptions:
    """The options in the endpoint's description; an error names the one that is wrong."""
    try:
        if (portal := portals.get(endpoint.strategy)) is not None:
            portal.parse_tenant(endpoint.options)
            return ListingOptions()
        options = ListingOptions.model_validate(endpoint.options)
        if endpoint.strategy != ADAPTER:
            check_options(endpoint.strategy, options)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "options"
        raise description_error(endpoint, f"'{name}' cannot be read: {first['msg']}.") from error
    except AssayError as error:
        raise description_error(endpoint, error.what, error.advice) from error
    return options


def description_error(endpoint: Endpoint, what: str, advice: str = "") -> InvalidInput:
    """The error for an endpoint's description that is wrong; nothing was fetched yet."""
    return InvalidInput(
        f"Endpoint {endpoint.endpoint_id}: {what}",
        advice=advice or "Correct the endpoint's description.",
    )


def _read_listing(
    strategy: str, body: bytes, url: str, options: ListingOptions, number: int
) -> Listing:
    return read_listing(strategy, body, url, options, number=number)


def _clean_title(found: ListedItem) -> ListedItem:
    """The item with a title that every database accepts: JSON may contain NULs and lone
    surrogates."""
    if found.title is None or found.title.isprintable():
        return found
    plain = found.title.replace("\0", " ").encode("utf-8", "replace").decode()
    return replace(found, title=plain)


def _serialize_content(listing: Listing) -> bytes:
    """What a page lists, independent of the order."""
    items = sorted(
        [i.url, i.title or "", i.published or "", i.changed or ""] for i in listing.items
    )
    parts = sorted([p.url, p.changed or "", p.body or ""] for p in listing.parts)
    return canonical_json([items, parts])


def _parse_post_body(endpoint: Endpoint, body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise description_error(endpoint, f"post_body is not JSON: {error}.") from error
