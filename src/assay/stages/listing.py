"""Listing: reads one more page of an endpoint's listing, or one child of its sitemap."""

from collections.abc import Sequence

from assay.engine.contract import Failed, Gate, Outcome, Result, Stage, StageFunction
from assay.engine.profiles import QUEUES
from assay.engine.reader import Reader
from assay.errors import AddressRefused, AssayError
from assay.events import EndpointScanned
from assay.logs import Log
from assay.model.records import (
    DiscoveredItem,
    Document,
    DocumentSource,
    Endpoint,
    EndpointPart,
    IngestCandidate,
    ItemVisit,
    Source,
)
from assay.sources.listing import Part
from assay.stages.findings import findings
from assay.stages.looking import Looked, Looker, options_of
from assay.stages.payloads import ListingJob

log = Log("assay.stages.listing")


async def endpoint_exists(jobs: Sequence[ListingJob], read: Reader) -> list[str | None]:
    """The endpoint that it is a part of is in the store."""
    found = await read.many(Endpoint, [job.endpoint_id for job in jobs])
    return [None if job.endpoint_id in found else "there is no such endpoint" for job in jobs]


LISTING = Stage(
    name="listing",
    version=1,
    payload=ListingJob,
    queue=QUEUES["listing"],
    reads=frozenset({Source, Endpoint, EndpointPart, DiscoveredItem, ItemVisit, IngestCandidate}),
    writes=frozenset(
        {Source, EndpointPart, DiscoveredItem, Document, DocumentSource, IngestCandidate}
    ),
    gates=(Gate("endpoint_exists", endpoint_exists),),
    next=frozenset({"fetch", "listing"}),
    uses=frozenset({"http"}),
    once="run",
    purpose="reads a further page of a listing",
)


def listing(looker: Looker) -> StageFunction:
    """The stage, with the eyes that it looks through."""

    async def look(jobs: Sequence[ListingJob], read: Reader) -> Sequence[Result]:
        return [await _look(job, read, looker) for job in jobs]

    return look


async def _look(job: ListingJob, read: Reader, looker: Looker) -> Result:
    endpoint = await read.get(Endpoint, job.endpoint_id)
    assert endpoint is not None
    if not endpoint.active:
        return Outcome(note="skipped")
    before = await _before(job, read, looker.revisit_ms)
    try:
        options = options_of(endpoint)
        looked = await looker.look(
            endpoint,
            Part(job.url, job.changed, job.number, job.body),
            etag=before.etag if before else None,
            last_modified=before.last_modified if before else None,
        )
    except AddressRefused:
        return Outcome(note="refused")
    except AssayError as error:
        return Failed(error)
    if before is not None and (looked.unchanged or looked.content_hash == before.last_content_hash):
        seen = before.model_copy(update={"changed": job.changed})
        return Outcome(records=(seen,), note="unchanged")
    found = await findings(
        endpoint, looked.listing, options, read,
        max_parts=looker.max_parts, revisit_ms=looker.revisit_ms,
    )  # fmt: skip
    for warning in looked.listing.warnings:
        log.warning("listing_read_in_part", warning, endpoint_id=endpoint.endpoint_id, url=job.url)
    scanned = EndpointScanned(
        endpoint_id=endpoint.endpoint_id,
        items=len(looked.listing.items),
        new_items=found.new_items,
    )
    return Outcome(
        records=(*_read_now(job, looked, read.now_ms), *found.records),
        moves=found.moves,
        next=found.next,
        events=(scanned, *found.events),
    )


async def _before(job: ListingJob, read: Reader, revisit_ms: int) -> EndpointPart | None:
    """How this part was when it was gone through last, not too long ago.

    A part that has not changed since is not gone through again, but its documents may have
    changed though the list of them has not: so once in a while it is taken as if it were new.
    """
    if job.body is not None:
        return None
    for part in await read.where(EndpointPart, "url", [job.url]):
        if part.endpoint_id == job.endpoint_id and part.read_ms > read.now_ms - revisit_ms:
            return part
    return None


def _read_now(job: ListingJob, looked: Looked, now_ms: int) -> tuple[EndpointPart, ...]:
    if job.body is not None:
        return ()
    return (
        EndpointPart(
            endpoint_id=job.endpoint_id,
            url=job.url,
            number=job.number,
            changed=job.changed,
            etag=looked.head.etag,
            last_modified=looked.head.last_modified,
            last_content_hash=looked.content_hash,
            item_count=len(looked.listing.items),
            read_ms=now_ms,
        ),
    )
