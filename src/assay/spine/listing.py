"""Listing: reads one more page of an endpoint's listing, or one child of its sitemap."""

from collections.abc import Sequence

from assay.engine.contract import Failed, Gate, Outcome, QueueLimits, Result, Stage, StageFunction
from assay.engine.reader import Reader
from assay.errors import AddressRefused, AssayError
from assay.events import EndpointScanned
from assay.logs import Log
from assay.model.records import (
    Endpoint,
    EndpointPart,
)
from assay.sources.listing import ListingPart
from assay.spine.findings import (
    FINDING_READS,
    FINDING_WRITES,
    Trust,
    derive_findings,
    report_look,
)
from assay.spine.listing_fetcher import SITEMAP, ListingFetcher, ListingPage
from assay.spine.payloads import ListingJob
from assay.spine.sentinel import LONGEST_LOOK_S

log = Log("assay.spine.listing")


async def endpoint_exists(jobs: Sequence[ListingJob], read: Reader) -> list[str | None]:
    """The endpoint that the page belongs to is in the store."""
    found = await read.get_many(Endpoint, [job.endpoint_id for job in jobs])
    return [None if job.endpoint_id in found else "there is no such endpoint" for job in jobs]


LISTING = Stage(
    name="listing",
    version=1,
    payload=ListingJob,
    queue=QueueLimits(concurrency=2),
    reads=FINDING_READS,
    writes=FINDING_WRITES,
    gates=(Gate("endpoint_exists", endpoint_exists),),
    next=frozenset({"fetch", "listing", "scout"}),
    uses=frozenset({"http"}),
    once="run",
    timeout_s=LONGEST_LOOK_S,
    purpose="reads a further page of a listing",
)


def listing(listing_fetcher: ListingFetcher) -> StageFunction:
    """The stage, with the fetcher that it reads listings with."""

    async def look(jobs: Sequence[ListingJob], read: Reader) -> Sequence[Result]:
        return [await _read_listing_page(job, read, listing_fetcher) for job in jobs]

    return look


async def _read_listing_page(
    job: ListingJob, read: Reader, listing_fetcher: ListingFetcher
) -> Result:
    endpoint = await read.get(Endpoint, job.endpoint_id)
    assert endpoint is not None
    if not endpoint.active:
        return Outcome(note="skipped")
    before = await _load_previous_part(job, read)
    # Documents may change while the list of them does not, so once in a while a page is treated as
    # if it were new.
    due = before is not None and before.read_ms <= read.now_ms - listing_fetcher.revisit_ms
    believed = None if due else before
    leaf = believed if believed is not None and _is_leaf(endpoint, believed) else None
    # A list may become shorter, but what a tree names must be there: a portal says if not.
    portals, began_ms = listing_fetcher.portals, endpoint.last_scraped_ms
    trees = {SITEMAP, *portals}
    try:
        options = listing_fetcher.parse_options(endpoint)
        page = await listing_fetcher.fetch_page(
            endpoint,
            options,
            ListingPart(
                job.url,
                job.changed,
                job.number,
                job.body,
                is_form=job.is_form,
                headers=job.headers,
                step=job.step,
                context=job.context,
            ),
            etag=leaf.etag if leaf else None,
            last_modified=leaf.last_modified if leaf else None,
            may_be_gone=job.number > 1 and endpoint.strategy not in trees,
        )
    except AddressRefused as refusal:
        return Outcome(next=report_look(endpoint, portals, began_ms, refusal), note="refused")
    except AssayError as error:
        told = report_look(endpoint, portals, began_ms, error)
        return Failed(error, last=Outcome(records=_mark_unread(job, before), next=told))
    if page.head.is_gone:
        return Outcome(records=_mark_read(job, page, read.now_ms), note="gone")
    if leaf is not None and page.head.is_unchanged:
        return Outcome(records=(_mark_seen(job, leaf),), note="unchanged")
    same = believed is not None and page.content_hash == believed.last_content_hash
    trust = Trust(read.now_ms if due else read.now_ms - listing_fetcher.revisit_ms, page=same)
    found = await derive_findings(endpoint, options, page, listing_fetcher, read, trust)
    for warning in found.warnings:
        log.warning("listing_read_in_part", warning, endpoint_id=endpoint.endpoint_id, url=job.url)
    scanned = EndpointScanned(
        endpoint_id=endpoint.endpoint_id,
        items=len(page.listing.items),
        new_items=found.new_items,
    )
    lists_documents = any(item.parent is None for item in page.listing.items)
    told = report_look(endpoint, portals, began_ms) if lists_documents else ()
    part = (_mark_seen(job, believed),) if same and believed else _mark_read(job, page, read.now_ms)
    return Outcome(
        records=(*part, *found.records),
        moves=found.moves,
        next=(*found.next, *told),
        events=found.events if same else (scanned, *found.events),
        blobs=found.blobs,
        note="unchanged" if same else "done",
    )


async def _load_previous_part(job: ListingJob, read: Reader) -> EndpointPart | None:
    """This part as it was when it was last processed."""
    if job.body is not None:
        return None
    own = {"endpoint_id": job.endpoint_id}
    found = await read.find_where(EndpointPart, "url", [job.url], beside=own)
    return found[0] if found and found[0].read_ms else None


def _is_leaf(endpoint: Endpoint, part: EndpointPart) -> bool:
    """Whether it leads only to its items, so that it need not be read again if unchanged.

    A sitemap index may stay the same while its children change, and a page leads to the next one.
    """
    return endpoint.strategy == SITEMAP and part.item_count > 0


def _mark_seen(job: ListingJob, before: EndpointPart) -> EndpointPart:
    return before.model_copy(update={"changed": job.changed})


def _mark_unread(job: ListingJob, before: EndpointPart | None) -> tuple[EndpointPart, ...]:
    """Mark it as not read, whatever was known about it, so that the next look returns to it."""
    if job.body is not None:
        return ()
    part = before or EndpointPart(endpoint_id=job.endpoint_id, url=job.url, number=job.number)
    return (part.model_copy(update={"read_ms": 0}),)


def _mark_read(job: ListingJob, page: ListingPage, now_ms: int) -> tuple[EndpointPart, ...]:
    if job.body is not None:
        return ()
    return (
        EndpointPart(
            endpoint_id=job.endpoint_id,
            url=job.url,
            number=job.number,
            changed=job.changed,
            etag=page.head.etag,
            last_modified=page.head.last_modified,
            last_content_hash=page.content_hash,
            item_count=len(page.listing.items),
            read_ms=now_ms,
        ),
    )
