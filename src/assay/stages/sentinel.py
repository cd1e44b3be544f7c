"""Sentinel: looks at an endpoint and tells which addresses are there."""

from collections.abc import Iterable, Sequence

from assay.engine.contract import Failed, Gate, NextJob, Outcome, Result, Stage, StageFunction
from assay.engine.profiles import QUEUES
from assay.engine.reader import Reader
from assay.errors import AssayError, FetchFailed
from assay.events import EndpointScanned
from assay.model.hashes import content_hash
from assay.model.ids import doc_id_of_url, item_id
from assay.model.lifecycle import CandidateState, Move
from assay.model.records import (
    DiscoveredItem,
    Document,
    DocumentSource,
    Endpoint,
    IngestCandidate,
    Record,
)
from assay.sources.fetching import Fetcher
from assay.sources.listing import addresses
from assay.stages.payloads import FetchJob, SentinelJob

MAX_CONSECUTIVE_ERRORS = 5


async def endpoint_is_open(jobs: Sequence[SentinelJob], read: Reader) -> list[str | None]:
    """The endpoint exists, is active, and has not failed too often in a row."""
    found = await read.many(Endpoint, [job.endpoint_id for job in jobs])
    return [_closed(found.get(job.endpoint_id)) for job in jobs]


def _closed(endpoint: Endpoint | None) -> str | None:
    if endpoint is None:
        return "there is no such endpoint"
    if not endpoint.active:
        return "the endpoint is switched off"
    if endpoint.consecutive_errors >= MAX_CONSECUTIVE_ERRORS:
        return f"it failed {endpoint.consecutive_errors} times in a row ({endpoint.last_error})"
    return None


SENTINEL = Stage(
    name="sentinel",
    version=1,
    payload=SentinelJob,
    queue=QUEUES["sentinel"],
    reads=frozenset({Endpoint, DiscoveredItem, IngestCandidate}),
    writes=frozenset({Endpoint, DiscoveredItem, Document, DocumentSource, IngestCandidate}),
    gates=(Gate("endpoint_is_open", endpoint_is_open),),
    next=frozenset({"fetch"}),
    uses=frozenset({"http"}),
    once="run",
    entry=True,
    purpose="finds the addresses at an endpoint",
)


def sentinel(fetcher: Fetcher) -> StageFunction:
    """The stage, with the client that it looks through."""

    async def look(jobs: Sequence[SentinelJob], read: Reader) -> Sequence[Result]:
        return [await _look(job, read, fetcher) for job in jobs]

    return look


async def _look(job: SentinelJob, read: Reader, fetcher: Fetcher) -> Result:
    endpoint = await read.get(Endpoint, job.endpoint_id)
    assert endpoint is not None
    try:
        answer = await fetcher.fetch(endpoint.url)
        if answer.status != 200:
            raise FetchFailed(f"{endpoint.url} answered {answer.status}.")
        found = addresses(endpoint.strategy, answer.body, endpoint.url)
    except AssayError as error:
        return Failed(error, last=Outcome(records=(_one_more_error(endpoint, error),)))
    ids = {item_id(endpoint.endpoint_id, url): url for url in found}
    known = await read.many(DiscoveredItem, ids)
    waiting = await _waiting(ids.values(), read)
    records: list[Record] = [
        endpoint.model_copy(
            update={
                "consecutive_errors": 0,
                "last_error": None,
                "last_content_hash": content_hash(answer.body),
                "last_scraped_ms": read.now_ms,
                "item_count": len(ids),
            }
        )
    ]
    moves: list[Move] = []
    for key, url in ids.items():
        records.extend(_seen(endpoint, key, url, known.get(key), read.now_ms))
        if key not in known:
            moves.append(Move(doc_id_of_url(url), CandidateState.DISCOVERED, "found"))
    return Outcome(
        records=tuple(records),
        moves=tuple(moves),
        next=tuple(
            NextJob("fetch", FetchJob(item_id=key, source=job.source))
            for key, url in ids.items()
            if doc_id_of_url(url) not in waiting
        ),
        events=(
            EndpointScanned(
                endpoint_id=endpoint.endpoint_id,
                items=len(ids),
                new_items=sum(key not in known for key in ids),
            ),
        ),
    )


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


def _one_more_error(endpoint: Endpoint, error: AssayError) -> Endpoint:
    count = endpoint.consecutive_errors + 1
    return endpoint.model_copy(update={"consecutive_errors": count, "last_error": error.what})


def _seen(
    endpoint: Endpoint, key: str, url: str, known: DiscoveredItem | None, now_ms: int
) -> list[Record]:
    if known is not None:
        return [known.model_copy(update={"last_seen_ms": now_ms, "run_id": ""})]
    doc_id = doc_id_of_url(url)
    return [
        DiscoveredItem(
            item_id=key,
            endpoint_id=endpoint.endpoint_id,
            source_slug=endpoint.source_slug,
            url=url,
            doc_id=doc_id,
            first_seen_ms=now_ms,
            last_seen_ms=now_ms,
        ),
        Document(doc_id=doc_id, source_slug=endpoint.source_slug, url=url, first_seen_ms=now_ms),
        DocumentSource(
            doc_id=doc_id, source_kind="endpoint", source_ref=endpoint.endpoint_id,
            first_seen_ms=now_ms,
        ),
    ]  # fmt: skip
