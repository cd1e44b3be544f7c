"""What a listing leads to: items to record, documents to fetch, further pages to read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.engine.contract import NextJob
from assay.engine.reader import Reader
from assay.events import Event
from assay.model.ids import derive_item_id, doc_id_of_url
from assay.model.lifecycle import CandidateState, Move
from assay.model.records import (
    DiscoveredItem,
    Document,
    DocumentSource,
    Endpoint,
    IngestCandidate,
    ItemVisit,
    Record,
)
from assay.sources.listing import ListedItem, ListingOptions, ListingPart
from assay.spine.item_owners import Owners, find_owners
from assay.spine.listing_fetcher import ListingFetcher, ListingPage
from assay.spine.pagination import plan_further_pages
from assay.spine.payloads import FetchJob


@dataclass(frozen=True, slots=True)
class Findings:
    """The part of an outcome that comes from a listing."""

    records: tuple[Record, ...]
    moves: tuple[Move, ...]
    next: tuple[NextJob, ...]
    events: tuple[Event, ...]
    warnings: tuple[str, ...]
    new_items: int


@dataclass(frozen=True, slots=True)
class Trust:
    """How far to trust a listing that says that nothing has changed."""

    since_ms: int
    """The date that a listing gives for an item is trusted if the last visit is later than this."""
    page: bool = False
    """The page is the same as when it was last processed, so all its items count as unchanged."""


async def derive_findings(
    endpoint: Endpoint,
    options: ListingOptions,
    page: ListingPage,
    listing_fetcher: ListingFetcher,
    read: Reader,
    trust: Trust,
    more: Sequence[ListingPart] = (),
) -> Findings:
    """Everything that follows from reading this page; `more` are pages that it does not name but
    that must be read as well."""
    items = page.listing.items
    ids = {derive_item_id(endpoint.endpoint_id, found.url): found for found in items}
    known = await read.get_many(DiscoveredItem, ids)
    whose = await find_owners(endpoint, page.head.final_url, [found.url for found in items], read)
    new = [key for key in ids if key not in known]
    leads_to = await plan_further_pages(
        endpoint, options, page, (*more, *page.listing.parts), listing_fetcher, read,
        all_known=bool(ids) and not new,
    )  # fmt: skip
    fetched = [] if trust.page else await _choose_items_to_fetch(ids, known, whose, read, trust)
    return Findings(
        records=(
            *whose.records,
            *leads_to.records,
            *(
                record
                for key, found in ids.items()
                for record in _build_item_records(endpoint, key, found, whose, known, read.now_ms)
            ),
        ),
        moves=tuple(
            Move(doc_id_of_url(ids[key].url), CandidateState.DISCOVERED, "found") for key in new
        ),
        next=(
            *(
                NextJob("fetch", FetchJob(item_id=key, source=whose.source_of(ids[key].url)))
                for key in fetched
            ),
            *leads_to.jobs,
        ),
        events=whose.events,
        warnings=(*page.listing.warnings, *leads_to.warnings),
        new_items=len(new),
    )


async def _choose_items_to_fetch(
    ids: Mapping[str, ListedItem],
    known: Mapping[str, DiscoveredItem],
    whose: Owners,
    read: Reader,
    trust: Trust,
) -> list[str]:
    """The items to fetch now."""
    dated = [key for key, found in ids.items() if found.changed is not None]
    visits = await read.get_many(ItemVisit, dated)
    docs = {key: doc_id_of_url(found.url) for key, found in ids.items()}
    candidates = await read.get_many(IngestCandidate, docs.values())
    return [
        key
        for key, found in ids.items()
        if not whose.is_off(found.url)
        and not _is_settled(found, visits.get(key), trust)
        and not _is_waiting(found, known.get(key), candidates.get(docs[key]), read.now_ms)
    ]


def _is_settled(found: ListedItem, visit: ItemVisit | None, trust: Trust) -> bool:
    """Whether it was fetched recently, and has not changed since according to the listing."""
    return (
        visit is not None
        and found.changed is not None
        and visit.changed == found.changed
        and visit.visited_ms > trust.since_ms
    )


def _is_waiting(
    found: ListedItem, known: DiscoveredItem | None, candidate: IngestCandidate | None, now_ms: int
) -> bool:
    """Whether it is too early to retry it, or it was given up for good."""
    if candidate is None:
        return False
    if candidate.state == CandidateState.FAILED:
        # Until the listing says that it has changed.
        return known is None or found.changed is None or found.changed == known.changed
    return (
        candidate.state == CandidateState.BLOCKED
        and candidate.next_retry_unix is not None
        and candidate.next_retry_unix > now_ms // 1000
    )


def _build_item_records(
    endpoint: Endpoint,
    key: str,
    found: ListedItem,
    whose: Owners,
    known: Mapping[str, DiscoveredItem],
    now_ms: int,
) -> list[Record]:
    fields = {"title": found.title, "published": found.published, "changed": found.changed}
    parent, before = _parent_of(found), known.get(key)
    doc_id, slug = doc_id_of_url(found.url), whose.source_of(found.url)
    document = Document(
        doc_id=doc_id,
        source_slug=slug,
        url=found.url,
        title=found.title,
        parent_doc_id=parent,
        first_seen_ms=now_ms,
    )
    if before is not None:
        fields["parent_doc_id"] = parent or before.parent_doc_id
        seen = before.model_copy(update={**fields, "last_seen_ms": now_ms, "run_id": ""})
        # The listing did not say before what the document belongs to.
        has_new_parent = seen.parent_doc_id != before.parent_doc_id
        return [seen, document] if has_new_parent else [seen]
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
            parent_doc_id=parent,
        ),
        document,
        DocumentSource(
            doc_id=doc_id, source_kind="endpoint", source_ref=endpoint.endpoint_id,
            first_seen_ms=now_ms,
        ),
    ]  # fmt: skip


def _parent_of(found: ListedItem) -> str | None:
    """The id of the document that an item belongs to; a listing names it by URL or id."""
    if found.parent is None or "://" not in found.parent:
        return found.parent
    return doc_id_of_url(found.parent)
