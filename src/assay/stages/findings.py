"""What follows from a listing: items to remember, documents to fetch, further pages to read."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from assay.engine.contract import NextJob
from assay.engine.reader import Reader
from assay.events import Event, SourceFound
from assay.model.ids import doc_id_of_url, item_id
from assay.model.lifecycle import CandidateState, Move
from assay.model.records import (
    DiscoveredItem,
    Document,
    DocumentSource,
    Endpoint,
    EndpointPart,
    IngestCandidate,
    ItemVisit,
    Record,
    Source,
)
from assay.sources.listing import Found, Listing, ListingOptions, Part
from assay.stages.payloads import FetchJob, ListingJob


@dataclass(frozen=True, slots=True)
class Findings:
    """The part of an outcome that a listing brings about."""

    records: tuple[Record, ...]
    moves: tuple[Move, ...]
    next: tuple[NextJob, ...]
    events: tuple[Event, ...]
    new_items: int


async def findings(
    endpoint: Endpoint,
    listing: Listing,
    options: ListingOptions,
    read: Reader,
    *,
    max_parts: int,
    revisit_ms: int,
) -> Findings:
    """Everything that is to be true after this page was read."""
    ids = {item_id(endpoint.endpoint_id, found.url): found for found in listing.items}
    known = await read.many(DiscoveredItem, ids)
    sources = await _sources(endpoint, [found.url for found in listing.items], read)
    slugs = {key: _slug(endpoint, found.url, sources) for key, found in ids.items()}
    settled = await _settled(ids, read, read.now_ms - revisit_ms)
    waiting = await _waiting([found.url for found in listing.items], read)
    fetches = [
        NextJob("fetch", FetchJob(item_id=key, source=slugs[key]))
        for key, found in ids.items()
        if key not in settled and doc_id_of_url(found.url) not in waiting
    ]
    new = [key for key in ids if key not in known]
    parts = [] if _is_old(listing, options, new) else listing.parts[:max_parts]
    further = await _unread(endpoint, parts, read, read.now_ms - revisit_ms)
    created = {
        source.source_slug: source for source in sources.values() if source.found_at is not None
    }
    return Findings(
        records=(
            *created.values(),
            *(
                record
                for key, found in ids.items()
                for record in _seen(endpoint, key, found, slugs[key], known, read.now_ms)
            ),
        ),
        moves=tuple(
            Move(doc_id_of_url(ids[key].url), CandidateState.DISCOVERED, "found") for key in new
        ),
        next=(*fetches, *further),
        events=tuple(
            SourceFound(found=source.source_slug, base_url=source.base_url)
            for source in created.values()
            if source.created_ms == read.now_ms
        ),
        new_items=len(new),
    )


def _is_old(listing: Listing, options: ListingOptions, new: Collection[str]) -> bool:
    """Whether the newest come first and none is new, so that later pages have nothing either."""
    paged = any(part.number > 1 for part in listing.parts)
    return paged and options.until_known and bool(listing.items) and not new


async def _unread(
    endpoint: Endpoint, parts: Sequence[Part], read: Reader, believed_ms: int
) -> list[NextJob]:
    """Jobs for the parts that are new, or may have changed since they were read."""
    urls = {part.url for part in parts}
    before = {
        part.url: part
        for part in await read.where(EndpointPart, "endpoint_id", [endpoint.endpoint_id])
        if part.url in urls
    }
    return [
        NextJob(
            "listing",
            ListingJob(
                endpoint_id=endpoint.endpoint_id,
                source=endpoint.source_slug,
                url=part.url,
                number=part.number,
                changed=part.changed,
                body=part.body,
            ),
        )
        for part in parts
        if not _is_unchanged(part, before.get(part.url), believed_ms)
    ]


def _is_unchanged(part: Part, before: EndpointPart | None, believed_ms: int) -> bool:
    return (
        before is not None
        and part.changed is not None
        and part.changed == before.changed
        and before.read_ms > believed_ms
    )


async def _settled(ids: Mapping[str, Found], read: Reader, believed_ms: int) -> set[str]:
    """Items that the listing says have not changed since they were fetched, not long ago."""
    dated = [key for key, found in ids.items() if found.changed is not None]
    visits = await read.many(ItemVisit, dated)
    return {
        key
        for key, visit in visits.items()
        if visit.changed == ids[key].changed and visit.visited_ms > believed_ms
    }


async def _waiting(urls: Iterable[str], read: Reader) -> set[str]:
    """Documents that were blocked and whose time to be tried again has not come."""
    candidates = await read.many(IngestCandidate, [doc_id_of_url(url) for url in urls])
    return {
        doc_id
        for doc_id, candidate in candidates.items()
        if candidate.state == CandidateState.BLOCKED
        and candidate.next_retry_unix is not None
        and candidate.next_retry_unix > read.now_ms // 1000
    }


async def _sources(endpoint: Endpoint, urls: Iterable[str], read: Reader) -> dict[str, Source]:
    """For each other host that was met, the source it belongs to, made where there is none."""
    own = _host(endpoint.url)
    hosts = sorted({_host(url) for url in urls} - {own})
    if not hosts:
        return {}
    bases = {f"{scheme}://{host}{end}": host for host in hosts
             for scheme in ("http", "https") for end in ("", "/")}  # fmt: skip
    known = {bases[s.base_url]: s for s in await read.where(Source, "base_url", bases)}
    by_slug = await read.many(Source, [_slug_of(host) for host in hosts])
    return {
        host: known.get(host)
        or by_slug.get(_slug_of(host))
        or Source(
            source_slug=_slug_of(host),
            name=host,
            base_url=f"https://{host}",
            pack="",
            found_at=endpoint.endpoint_id,
            created_ms=read.now_ms,
        )
        for host in hosts
    }


def _slug(endpoint: Endpoint, url: str, sources: Mapping[str, Source]) -> str:
    found = sources.get(_host(url))
    return endpoint.source_slug if found is None else found.source_slug


def _host(url: str) -> str:
    return urlsplit(url).netloc.lower()


def _slug_of(host: str) -> str:
    return host.removeprefix("www.").replace(".", "-").replace(":", "-")


def _seen(
    endpoint: Endpoint,
    key: str,
    found: Found,
    slug: str,
    known: Mapping[str, DiscoveredItem],
    now_ms: int,
) -> list[Record]:
    told = {"title": found.title, "published": found.published, "changed": found.changed}
    before = known.get(key)
    if before is not None:
        return [before.model_copy(update={**told, "last_seen_ms": now_ms, "run_id": ""})]
    doc_id = doc_id_of_url(found.url)
    return [
        DiscoveredItem(
            item_id=key,
            endpoint_id=endpoint.endpoint_id,
            source_slug=slug,
            url=found.url,
            doc_id=doc_id,
            first_seen_ms=now_ms,
            last_seen_ms=now_ms,
            title=found.title,
            published=found.published,
            changed=found.changed,
        ),
        Document(
            doc_id=doc_id, source_slug=slug, url=found.url, title=found.title, first_seen_ms=now_ms
        ),
        DocumentSource(
            doc_id=doc_id, source_kind="endpoint", source_ref=endpoint.endpoint_id,
            first_seen_ms=now_ms,
        ),
    ]  # fmt: skip
