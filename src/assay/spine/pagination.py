"""Where a page of a listing leads on to: which of its parts are read now, and which need not be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.engine.contract import NextJob
from assay.engine.reader import Reader
from assay.model.ids import normalise_url
from assay.model.records import Endpoint, EndpointPart
from assay.sources.folders import ADAPTER
from assay.sources.listing import STRATEGIES, ListingOptions, ListingPart
from assay.spine.listing_fetcher import SITEMAP, ListingFetcher, ListingPage
from assay.spine.payloads import ListingJob

CRAWL = "CRAWL"
_PAGED = {*STRATEGIES, ADAPTER} - {SITEMAP, CRAWL}
_DEEPEST = 5
"""An index of sitemaps may name other indexes, so many levels deep; the standard allows none."""


@dataclass(frozen=True, slots=True)
class FurtherPages:
    """Jobs for further pages, and how these pages are remembered."""

    jobs: tuple[NextJob, ...] = ()
    records: tuple[EndpointPart, ...] = ()
    warnings: tuple[str, ...] = ()
    """What is left out, and why."""


async def plan_further_pages(
    endpoint: Endpoint,
    options: ListingOptions,
    looked: ListingPage,
    parts: Sequence[ListingPart],
    listing_fetcher: ListingFetcher,
    read: Reader,
    *,
    all_known: bool,
) -> FurtherPages:
    """The pages to be read after this one, of which these are named.

    `all_known` says that every item of this page was known before. Where the newest come first,
    no later page has anything new then.
    """
    wanted = [part for part in parts if not _is_first(endpoint, part)]
    if all_known and options.until_known and is_paged(endpoint.strategy):
        wanted = [part for part in wanted if part.number <= looked.part.number]
    if endpoint.strategy == SITEMAP:
        # A child has no number of its own, so that its depth is counted here.
        wanted = [replace(part, number=looked.part.number + 1) for part in wanted]
    before = await _load_known_parts(endpoint, wanted, read)
    wanted, warnings = await _limit_parts(endpoint, options, wanted, before, listing_fetcher, read)
    believed_ms = read.now_ms - listing_fetcher.revisit_ms
    return FurtherPages(
        jobs=tuple(
            make_listing_job(endpoint, part)
            for part in wanted
            if not _is_unchanged(part, before.get(part.url), believed_ms)
        ),
        records=tuple(
            # Remembered before it was read, so that it is not lost if it never can be.
            EndpointPart(endpoint_id=endpoint.endpoint_id, url=part.url, number=part.number)
            for part in wanted
            if part.body is None and part.url not in before
        ),
        warnings=warnings,
    )


async def list_unread_pages(endpoint: Endpoint, read: Reader) -> list[NextJob]:
    """Pages that earlier looks led to and that could not be read.

    Where the newest come first, a look ends at the first page that has nothing new. So nobody
    would ever come to a page behind it again, nor to those that it leads to.
    """
    if not is_paged(endpoint.strategy):
        return []
    own = [endpoint.endpoint_id]
    left = await read.find_where(EndpointPart, "endpoint_id", own, beside={"read_ms": 0})
    return [make_listing_job(endpoint, ListingPart(part.url, number=part.number)) for part in left]


def is_paged(strategy: str) -> bool:
    """Whether one page leads to the next; sitemaps, crawled pages and portals are trees."""
    return strategy in _PAGED


def make_listing_job(endpoint: Endpoint, part: ListingPart) -> NextJob:
    """The job that reads a part."""
    payload = ListingJob(
        endpoint_id=endpoint.endpoint_id,
        source=endpoint.source_slug,
        url=part.url,
        number=part.number,
        changed=part.changed,
        body=part.body,
        step=part.step,
        context=part.context,
    )
    return NextJob("listing", payload)


def _is_first(endpoint: Endpoint, part: ListingPart) -> bool:
    """Whether a listing leads back to its own beginning."""
    return part.body is None and normalise_url(part.url) == normalise_url(endpoint.url)


async def _load_known_parts(
    endpoint: Endpoint, parts: Sequence[ListingPart], read: Reader
) -> dict[str, EndpointPart]:
    urls = [part.url for part in parts if part.body is None]
    own = {"endpoint_id": endpoint.endpoint_id}
    return {part.url: part for part in await read.find_where(EndpointPart, "url", urls, beside=own)}


async def _limit_parts(
    endpoint: Endpoint,
    options: ListingOptions,
    parts: Sequence[ListingPart],
    before: Mapping[str, EndpointPart],
    listing_fetcher: ListingFetcher,
    read: Reader,
) -> tuple[list[ListingPart], tuple[str, ...]]:
    """No more than may be: a site that writes its pages by a program can have any number."""
    kept, warnings = list(parts), []
    if endpoint.strategy == SITEMAP and any(part.number > _DEEPEST for part in kept):
        warnings.append(f"{len(kept)} sitemaps are nested more than {_DEEPEST} levels deep")
        kept = []
    if len(kept) > listing_fetcher.max_parts:
        warnings.append(
            f"{len(kept) - listing_fetcher.max_parts} pages are more than listing_max_parts"
        )
        kept = kept[: listing_fetcher.max_parts]
    if endpoint.strategy == CRAWL:
        known = await read.count(EndpointPart, {"endpoint_id": endpoint.endpoint_id})
        room = max(0, options.max_pages - 1 - known)
        new = [part for part in kept if part.url not in before]
        if len(new) > room:
            warnings.append(f"max_pages ends the crawl before {len(new) - room} more pages")
            beyond = {part.url for part in new[room:]}
            kept = [part for part in kept if part.url not in beyond]
    return kept, tuple(warnings)


def _is_unchanged(part: ListingPart, before: EndpointPart | None, believed_ms: int) -> bool:
    return (
        before is not None
        and part.changed is not None
        and part.changed == before.changed
        and before.read_ms > believed_ms
    )
