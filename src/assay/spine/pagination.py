"""Where a page of a listing leads: which further pages to read now, and which to leave out."""

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
"""How deeply sitemap indexes may be nested; the standard does not allow nesting at all."""


@dataclass(frozen=True, slots=True)
class FurtherPages:
    """Jobs for further pages, and the records of those pages."""

    jobs: tuple[NextJob, ...] = ()
    records: tuple[EndpointPart, ...] = ()
    warnings: tuple[str, ...] = ()
    """What is left out, and why."""


async def plan_further_pages(
    endpoint: Endpoint,
    options: ListingOptions,
    page: ListingPage,
    parts: Sequence[ListingPart],
    listing_fetcher: ListingFetcher,
    read: Reader,
    *,
    all_known: bool,
) -> FurtherPages:
    """The pages to read after this one, out of `parts`.

    `all_known` says that every item of this page was known before. If the newest items come first,
    no later page has anything new in that case.
    """
    wanted = [part for part in parts if not _is_first(endpoint, part)]
    if all_known and options.until_known and is_paged(endpoint.strategy):
        wanted = [part for part in wanted if part.number <= page.part.number]
    if endpoint.strategy == SITEMAP:
        # A child sitemap has no page number, so the number counts its depth.
        wanted = [replace(part, number=page.part.number + 1) for part in wanted]
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
            # Recorded before it is read, so that it is not lost if reading fails.
            EndpointPart(endpoint_id=endpoint.endpoint_id, url=part.url, number=part.number)
            for part in wanted
            if part.body is None and part.url not in before
        ),
        warnings=warnings,
    )


async def list_unread_pages(endpoint: Endpoint, read: Reader) -> list[NextJob]:
    """Pages that earlier looks found but could not read.

    If the newest items come first, a look ends at the first page with nothing new. The pages behind
    it, and those that they lead to, would otherwise never be reached again.
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
        is_form=part.is_form,
        headers=part.headers,
        step=part.step,
        context=part.context,
    )
    return NextJob("listing", payload)


def _is_first(endpoint: Endpoint, part: ListingPart) -> bool:
    """Whether the part is the listing's first page."""
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
    """No more than allowed: a site that generates its pages can have any number of them."""
    allowed, warnings = list(parts), []
    if endpoint.strategy == SITEMAP and any(part.number > _DEEPEST for part in allowed):
        warnings.append(f"{len(allowed)} sitemaps are nested more than {_DEEPEST} levels deep")
        allowed = []
    if len(allowed) > listing_fetcher.max_parts:
        warnings.append(
            f"{len(allowed) - listing_fetcher.max_parts} pages exceed the limit listing_max_parts"
        )
        allowed = allowed[: listing_fetcher.max_parts]
    if endpoint.strategy == CRAWL:
        known = await read.count(EndpointPart, {"endpoint_id": endpoint.endpoint_id})
        room = max(0, options.max_pages - 1 - known)
        new = [part for part in allowed if part.url not in before]
        if len(new) > room:
            warnings.append(f"max_pages stops the crawl before {len(new) - room} more pages")
            beyond = {part.url for part in new[room:]}
            allowed = [part for part in allowed if part.url not in beyond]
    return allowed, tuple(warnings)


def _is_unchanged(part: ListingPart, before: EndpointPart | None, believed_ms: int) -> bool:
    return (
        before is not None
        and part.changed is not None
        and part.changed == before.changed
        and before.read_ms > believed_ms
    )
