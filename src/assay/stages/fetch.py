"""Fetch: the hands of sentinel. Keeps every changed answer as evidence."""

import asyncio
from collections.abc import Sequence

from assay.engine.contract import Failed, Gate, NextJob, Outcome, Result, Stage, StageFunction
from assay.engine.profiles import QUEUES
from assay.engine.reader import Reader
from assay.errors import AssayError, ContentEmpty, ContentUnsupported
from assay.events import DocumentChanged, DocumentGone, Event, EvidenceStored
from assay.model.hashes import content_hash
from assay.model.ids import evidence_id
from assay.model.lifecycle import CandidateState, Move
from assay.model.records import DiscoveredItem, Evidence, IngestCandidate
from assay.sources.fetching import Answer, Fetcher
from assay.stages.payloads import FetchJob, ScoutJob


async def item_is_known(jobs: Sequence[FetchJob], read: Reader) -> list[str | None]:
    """The item was found at an endpoint."""
    found = await read.many(DiscoveredItem, [job.item_id for job in jobs])
    return [None if job.item_id in found else "there is no such item" for job in jobs]


FETCH = Stage(
    name="fetch",
    version=1,
    payload=FetchJob,
    queue=QUEUES["fetch"],
    reads=frozenset({DiscoveredItem}),
    writes=frozenset({DiscoveredItem, Evidence, IngestCandidate}),
    gates=(Gate("item_is_known", item_is_known),),
    next=frozenset({"scout"}),
    uses=frozenset({"http"}),
    batch=20,
    once="run",
    purpose="keeps what lies at an address as evidence",
)


def fetch(fetcher: Fetcher) -> StageFunction:
    """The stage, with the client that it fetches through."""

    async def take(jobs: Sequence[FetchJob], read: Reader) -> Sequence[Result]:
        items = await read.many(DiscoveredItem, [job.item_id for job in jobs])
        return await asyncio.gather(
            *(_take(job, items[job.item_id], read.now_ms, fetcher) for job in jobs)
        )

    return take


async def _take(job: FetchJob, item: DiscoveredItem, now_ms: int, fetcher: Fetcher) -> Result:
    try:
        answer = await fetcher.fetch(item.url, etag=item.etag, last_modified=item.last_modified)
        if answer.unchanged:
            return Outcome(note="unchanged")
        if answer.gone:
            return _gone(item, answer)
        if answer.status != 200:
            raise ContentUnsupported(f"{item.url} answered {answer.status}.")
        if not answer.body:
            raise ContentEmpty(f"{item.url} answered with nothing.")
    except AssayError as error:
        blocked = Move(item.doc_id, CandidateState.BLOCKED, error.what)
        return Failed(error, last=Outcome(moves=() if item.evidence_id else (blocked,)))
    return _kept(job, item, answer, now_ms)


def _gone(item: DiscoveredItem, answer: Answer) -> Outcome:
    """What was fetched before stays; what never was is tried again in some days."""
    blocked = Move(item.doc_id, CandidateState.BLOCKED, f"answered {answer.status}")
    return Outcome(
        moves=() if item.evidence_id else (blocked,),
        events=(DocumentGone(doc_id=item.doc_id, status=answer.status),),
        note="gone",
    )


def _kept(job: FetchJob, item: DiscoveredItem, answer: Answer, now_ms: int) -> Outcome:
    hash_of_content = content_hash(answer.body)
    key = evidence_id(item.url, hash_of_content)
    visited = item.model_copy(
        update={
            "evidence_id": key,
            "etag": answer.etag,
            "last_modified": answer.last_modified,
            "last_seen_ms": now_ms,
            "run_id": "",
        }
    )
    if key == item.evidence_id:
        return Outcome(records=(visited,), note="unchanged")
    evidence = Evidence(
        evidence_id=key,
        url=item.url,
        content_hash=hash_of_content,
        doc_id=item.doc_id,
        source_slug=item.source_slug,
        content_type=answer.content_type,
        size=len(answer.body),
        fetched_ms=now_ms,
    )
    events: list[Event] = [
        EvidenceStored(evidence_id=key, doc_id=item.doc_id, size=len(answer.body))
    ]
    if item.evidence_id is not None:
        events.append(
            DocumentChanged(
                doc_id=item.doc_id, evidence_id=key, previous_evidence_id=item.evidence_id
            )
        )
    reason = "fetched" if item.evidence_id is None else "changed"
    return Outcome(
        records=(visited, evidence),
        moves=(Move(item.doc_id, CandidateState.READY, reason, evidence_id=key),),
        next=(NextJob("scout", ScoutJob(evidence_id=key, source=item.source_slug)),),
        events=tuple(events),
        blobs=(answer.body,),
    )
