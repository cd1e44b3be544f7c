"""What a listing leads to: items to record, documents to fetch, further pages to read."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from assay.engine.contract import NextJob, Outcome, Stage
from assay.engine.reader import Reader
from assay.errors import AssayError, InternalError
from assay.events import Event, SourceFound
from assay.model.hashes import content_hash
from assay.model.ids import derive_evidence_id, derive_item_id, doc_id_of_url
from assay.model.lifecycle import CandidateState, Move
from assay.model.records import (
    DiscoveredItem,
    Document,
    DocumentSource,
    Endpoint,
    EndpointPart,
    Evidence,
    IngestCandidate,
    ItemVisit,
    Record,
    Source,
)
from assay.sources.listing import ListedItem, ListingOptions, ListingPart
from assay.sources.portals import Portal
from assay.sources.responses import FetchResponse
from assay.spine.fetch import FetchedContent, FetchState, build_evidence_outcome
from assay.spine.handoffs import list_receivers, packs_of, read_watchers
from assay.spine.listing_fetcher import ListingFetcher, ListingPage
from assay.spine.pagination import plan_further_pages
from assay.spine.payloads import FetchJob, LookJob, PackJob, ScoutJob

FINDING_READS: frozenset[type[Record]] = frozenset(
    {Source, Endpoint, EndpointPart, DiscoveredItem, ItemVisit, Evidence, IngestCandidate}
)
"""What a stage that derives findings reads."""
FINDING_WRITES: frozenset[type[Record]] = frozenset(
    {*(FINDING_READS - {Endpoint}), Document, DocumentSource}
)


@dataclass(frozen=True, slots=True)
class Owners:
    """The sources of all hosts that a page leads to.

    A listing may lead to other hosts, if its description allows that. A host becomes a source the
    first time that a listing leads to it.
    """

    own: str
    """The source of the endpoint itself."""
    of_host: Mapping[str, Source] = field(default_factory=dict)
    records: tuple[Source, ...] = ()
    events: tuple[Event, ...] = ()

    def source_of(self, url: str) -> str:
        """The source that a URL belongs to."""
        found = self.of_host.get(host_of(url))
        return self.own if found is None else found.source_slug

    def is_off(self, url: str) -> bool:
        """Whether a person has switched off the source that a URL belongs to."""
        found = self.of_host.get(host_of(url))
        return found is not None and not found.active


def host_of(url: str) -> str:
    """The host of a URL, without "www.": for few sites it matters, and many use both."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


async def find_owners(
    endpoint: Endpoint, found_at: str, urls: Collection[str], read: Reader
) -> Owners:
    """The sources of these URLs; `found_at` is the final URL of the page that contains them."""
    hosts = sorted({host_of(url) for url in urls} - {host_of(endpoint.url), host_of(found_at)})
    if not hosts:
        return Owners(endpoint.source_slug)
    known = await _load_known_sources(hosts, read)
    named = await read.get_many(Source, [_make_slug(host) for host in hosts])
    of_host: dict[str, Source] = {}
    changed: list[Source] = []
    events: list[Event] = []
    for host in hosts:
        source = known.get(host) or named.get(_make_slug(host))
        if source is None:
            source = _make_source(host, endpoint, read.now_ms)
            changed.append(source)
            events.append(SourceFound(found=source.source_slug, base_url=source.base_url))
        elif source.found_at is not None and endpoint.endpoint_id < source.found_at:
            # Which of two endpoints leads there first is chance, and must not show in the data.
            changed.append(source.model_copy(update={"found_at": endpoint.endpoint_id}))
        of_host[host] = source
    return Owners(endpoint.source_slug, of_host, tuple(changed), tuple(events))


async def _load_known_sources(hosts: Collection[str], read: Reader) -> dict[str, Source]:
    """The sources whose base URL is one of these hosts; if there are two, the first by name."""
    pages = {
        f"{scheme}://{www}{host}{slash}": host
        for host in hosts
        for scheme in ("https", "http")
        for www in ("", "www.")
        for slash in ("", "/")
    }
    known: dict[str, Source] = {}
    for source in await read.find_where(Source, "base_url", pages):
        known.setdefault(pages[source.base_url], source)
    return known


def _make_source(host: str, endpoint: Endpoint, now_ms: int) -> Source:
    return Source(
        source_slug=_make_slug(host),
        name=host,
        base_url=f"https://{host}",
        found_at=endpoint.endpoint_id,
        created_ms=now_ms,
    )


def _make_slug(host: str) -> str:
    """A distinct name for each host: `a-b.test` and `a.b.test` are two sites."""
    return host.replace("-", "--").replace(".", "-").replace(":", "-")


@dataclass(frozen=True, slots=True)
class Findings:
    """The part of an outcome that comes from a listing."""

    records: tuple[Record, ...]
    moves: tuple[Move, ...]
    next: tuple[NextJob, ...]
    events: tuple[Event, ...]
    blobs: tuple[bytes, ...]
    warnings: tuple[str, ...]
    new_items: int


@dataclass(frozen=True, slots=True)
class Trust:
    """How far to trust a listing that says that nothing has changed."""

    since_ms: int
    """The date that a listing gives for an item is trusted if the last visit is later than this."""
    page: bool = False
    """The page is the same as when it was last processed, so all its items count as unchanged."""


def allow_entries(stage: Stage, portals: Mapping[str, Portal]) -> Stage:
    """A stage that reads listings, and may hand the documents that they contain to packs."""
    return replace(stage, next=stage.next | list_receivers(portals))


def report_look(
    endpoint: Endpoint,
    portals: Mapping[str, Portal],
    began_ms: int | None,
    error: AssayError | None = None,
    *,
    was_made: bool = True,
) -> tuple[NextJob, ...]:
    """The job that tells the pack of a portal how a check goes, if it wants to know."""
    portal = portals.get(endpoint.strategy)
    if portal is None or portal.report is None:
        return ()
    payload = LookJob(
        endpoint_id=endpoint.endpoint_id,
        source=endpoint.source_slug,
        began_ms=began_ms or 0,
        error=None if error is None else str(error),
        was_made=was_made,
    )
    return (NextJob(portal.report, payload),)


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
    if endpoint.strategy in listing_fetcher.portals:
        # A vendor keeps the documents of all its tenants on shared hosts.
        whose = Owners(endpoint.source_slug)
    else:
        urls = [found.url for found in items]
        whose = await find_owners(endpoint, page.head.final_url, urls, read)
    new = [key for key in ids if key not in known]
    leads_to = await plan_further_pages(
        endpoint, options, page, (*more, *page.listing.parts), listing_fetcher, read,
        all_known=bool(ids) and not new,
    )  # fmt: skip
    chosen = [] if trust.page else await _choose_items_to_fetch(ids, known, whose, read, trust)
    fetched = [key for key in chosen if ids[key].content is None]
    records = {
        key: _build_item_records(endpoint, key, found, whose, known, read.now_ms)
        for key, found in ids.items()
    }
    entries = [
        (records[key][0], found) for key in chosen if (found := ids[key]).content is not None
    ]
    stored = await _store_entries(entries, listing_fetcher.portals.get(endpoint.strategy), read)
    newly_watched = await _plan_new_watchers([ids[key].url for key in new], whose, read)
    return Findings(
        records=(
            *whose.records,
            *leads_to.records,
            *(record for built in records.values() for record in built),
            *(record for outcome in stored for record in outcome.records),
        ),
        moves=(
            *(Move(doc_id_of_url(ids[key].url), CandidateState.DISCOVERED, "found") for key in new),
            *(move for outcome in stored for move in outcome.moves),
        ),
        next=(
            *(
                NextJob("fetch", FetchJob(item_id=key, source=whose.source_of(url), url=url))
                for key in fetched
                for url in [ids[key].url]
            ),
            *(job for outcome in stored for job in outcome.next),
            *newly_watched,
            *leads_to.jobs,
        ),
        events=(*whose.events, *(event for outcome in stored for event in outcome.events)),
        blobs=tuple(blob for outcome in stored for blob in outcome.blobs),
        warnings=(*page.listing.warnings, *leads_to.warnings),
        new_items=len(new),
    )


async def _plan_new_watchers(urls: Collection[str], whose: Owners, read: Reader) -> list[NextJob]:
    """The jobs that judge stored documents again, for the packs of a source that lists them now."""
    docs = {doc_id_of_url(url): whose.source_of(url) for url in urls}
    candidates = await read.get_many(IngestCandidate, docs)
    fetched = {each.evidence_id for each in candidates.values() if each.evidence_id is not None}
    stored = await read.get_many(Evidence, fetched)
    others = {
        entry.evidence_id: docs[entry.doc_id]
        for entry in stored.values()
        if entry.source_slug != docs[entry.doc_id]
    }
    if not others:
        return []
    known = await read_watchers((stored[key] for key in others), read)
    sources = await read.get_many(Source, set(others.values()))
    return [
        NextJob(
            "scout",
            ScoutJob(
                evidence_id=key,
                source=stored[key].source_slug,
                visit=candidates[stored[key].doc_id].event_count + 1,
            ),
        )
        for key, slug in others.items()
        if slug in sources and not set(packs_of(sources[slug])) <= set(packs_of(known.get(key)))
    ]


async def _store_entries(
    entries: Sequence[tuple[Record, ListedItem]], portal: Portal | None, read: Reader
) -> list[Outcome]:
    """What to store of documents that the listing itself contains."""
    if not entries:
        return []
    if portal is None or portal.entries is None:
        raise InternalError("A listing contains documents, but its portal names no stage for them.")
    items = {item.item_id: item for item, _ in entries if isinstance(item, DiscoveredItem)}
    contents = {
        item.item_id: _make_content(item.url, found)
        for item, (_, found) in zip(items.values(), entries, strict=True)
    }
    visits = await read.get_many(ItemVisit, items)
    candidates = await read.get_many(IngestCandidate, [item.doc_id for item in items.values()])
    ids = {visit.evidence_id for visit in visits.values()}
    evidence = await read.get_many(Evidence, ids | {c.evidence_id for c in contents.values()})
    outcomes = []
    for key, item in items.items():
        visit, content = visits.get(key), contents[key]
        previous = evidence.get(visit.evidence_id) if visit else None
        state = FetchState(item, visit, candidates.get(item.doc_id), previous)
        outcome = build_evidence_outcome(state, content, read.now_ms, evidence)
        outcomes.append(replace(outcome, next=tuple(_hand_on(job, portal) for job in outcome.next)))
    return outcomes


def _make_content(url: str, found: ListedItem) -> FetchedContent:
    body = found.content or b""
    digest = content_hash(body)
    answer = FetchResponse(
        url=url, final_url=url, status=200, content_type=found.content_type, body=body
    )
    return FetchedContent(answer, derive_evidence_id(url, digest), digest, digest)


def _hand_on(job: NextJob, portal: Portal) -> NextJob:
    """The job for the pack's stage; the worth of an entry need not be judged."""
    assert portal.entries is not None and isinstance(job.payload, ScoutJob)
    given = job.payload
    payload = PackJob(
        evidence_id=given.evidence_id, source=given.source, visit=given.visit, pack=portal.pack
    )
    return NextJob(portal.entries, payload)


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
