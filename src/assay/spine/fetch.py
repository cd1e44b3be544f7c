"""Fetch: downloads what sentinel finds, and stores every changed response as evidence."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.engine.contract import (
    Failed,
    Gate,
    NextJob,
    Outcome,
    QueueLimits,
    Result,
    Stage,
    StageFunction,
)
from assay.engine.grouping import group_pairs
from assay.engine.reader import Reader
from assay.errors import (
    AddressRefused,
    AssayError,
    ContentEmpty,
    ContentError,
    ContentUnsupported,
    FetchFailed,
)
from assay.events import DocumentChanged, DocumentGone, Event, EvidenceStored
from assay.model.hashes import content_hash
from assay.model.ids import derive_evidence_id
from assay.model.lifecycle import CandidateState, Move, find_ready_state
from assay.model.records import DiscoveredItem, Evidence, IngestCandidate, ItemVisit
from assay.reading.forms import DocumentForm, sniff_form
from assay.reading.page_look import look_at_page
from assay.sources.fetching import Fetcher, FetchResponse
from assay.sources.portals import ENTRY_SCHEME
from assay.sources.responses import is_bot_wall
from assay.spine.payloads import FetchJob, ScoutJob


def hash_without_noise(data: bytes, hash_of_content: str) -> str:
    """The hash of a page's words without scripts, attributes, menus, header and footer.

    Two versions of a page with the same hash say the same. Anything else is hashed as it is.
    """
    if not _is_page(data):
        return hash_of_content
    page = look_at_page(data)
    if not page.text:
        return hash_of_content
    return content_hash(f"{page.title or ''}\n{page.text}".encode("utf-8", "surrogatepass"))


def _is_page(data: bytes) -> bool:
    # By its form, not by any "<": a PDF has them too, and what is between them matters.
    try:
        return sniff_form(data) is DocumentForm.HTML
    except ContentError:
        return False


_LARGE_BYTES = 1_000_000


async def item_is_known(jobs: Sequence[FetchJob], read: Reader) -> list[str | None]:
    """The item was found at an endpoint."""
    found = await read.get_many(DiscoveredItem, [job.item_id for job in jobs])
    return [None if job.item_id in found else "there is no such item" for job in jobs]


FETCH = Stage(
    name="fetch",
    version=1,
    payload=FetchJob,
    queue=QueueLimits(concurrency=2),
    reads=frozenset({DiscoveredItem, ItemVisit, Evidence, IngestCandidate}),
    writes=frozenset({ItemVisit, Evidence, IngestCandidate}),
    gates=(Gate("item_is_known", item_is_known),),
    next=frozenset({"scout"}),
    uses=frozenset({"http"}),
    batch=20,
    once="run",
    # A host may ask for half a minute between requests, and a whole batch may be from one host.
    timeout_s=3600.0,
    purpose="downloads an address and stores it as evidence",
)


@dataclass(frozen=True, slots=True)
class FetchState:
    """What the store knows about an item before it is fetched."""

    item: DiscoveredItem
    visit: ItemVisit | None
    """The last visit to its address, for whichever item."""
    candidate: IngestCandidate | None
    previous: Evidence | None
    """What the last visit found."""
    others: tuple[DiscoveredItem, ...] = ()
    """Items of other listings that lead to the same address; it is fetched for all of them."""

    @property
    def is_blockable(self) -> bool:
        """Whether nothing has been done with the document yet, so a failure must be recorded."""
        # A pack may have found it ready to be fetched.
        waiting = (CandidateState.DISCOVERED, CandidateState.READY, CandidateState.BLOCKED)
        if self.candidate is None:
            return True
        # What the router blocked has its evidence, and returns when the router says.
        return self.candidate.state in waiting and self.candidate.evidence_id is None

    def note_visits(self, visit: ItemVisit) -> tuple[ItemVisit, ...]:
        """The visit, noted for every item that leads to the address."""
        return tuple(
            visit.model_copy(update={"item_id": item.item_id, "changed": item.changed})
            for item in (self.item, *self.others)
        )


def fetch(fetcher: Fetcher) -> StageFunction:
    """The stage, with the client that it uses to fetch."""
    # Hashing a page can take thirty times its size in memory: large ones go one at a time.
    large = asyncio.Semaphore(1)

    async def take(jobs: Sequence[FetchJob], read: Reader) -> Sequence[Result]:
        known = await _load_item_states(jobs, read)
        answers = await asyncio.gather(*(_fetch_item(entry, fetcher, large) for entry in known))
        keys = [answer.evidence_id for answer in answers if isinstance(answer, FetchedContent)]
        seen_before = await read.get_many(Evidence, keys)
        return [
            _decide_result(entry, answer, read.now_ms, seen_before)
            for entry, answer in zip(known, answers, strict=True)
        ]

    return take


async def _load_item_states(jobs: Sequence[FetchJob], read: Reader) -> list[FetchState]:
    asked = await read.get_many(DiscoveredItem, [job.item_id for job in jobs])
    docs = {item.doc_id for item in asked.values()}
    items = sorted(
        await read.find_where(DiscoveredItem, "doc_id", docs), key=lambda item: item.item_id
    )
    of_url = group_pairs((item.url, item) for item in items)
    found = await read.get_many(ItemVisit, [item.item_id for item in items])
    visits = {
        url: max(known, key=lambda visit: (visit.seen_ms, visit.visited_ms, visit.item_id))
        for url, same in of_url.items()
        if (known := [found[item.item_id] for item in same if item.item_id in found])
    }
    candidates = await read.get_many(IngestCandidate, docs)
    previous = await read.get_many(Evidence, {visit.evidence_id for visit in visits.values()})
    return [
        _build_state(of_url[url], visits.get(url), candidates, previous)
        for url in (asked[job.item_id].url for job in jobs)
    ]


def _build_state(
    items: Sequence[DiscoveredItem],
    visit: ItemVisit | None,
    candidates: Mapping[str, IngestCandidate],
    evidence: Mapping[str, Evidence],
) -> FetchState:
    """What is known about an address, and the item in whose name it is fetched.

    That is one of the source that the document belongs to already, or the first by its id: which
    of several listings was read first is chance, and must not show in the data.
    """
    previous = evidence.get(visit.evidence_id) if visit else None
    owned = [item for item in items if previous and item.source_slug == previous.source_slug]
    first = (owned or items)[0]
    others = tuple(item for item in items if item is not first)
    return FetchState(first, visit, candidates.get(first.doc_id), previous, others)


@dataclass(frozen=True, slots=True)
class FetchedContent:
    """A response that contains a document."""

    answer: FetchResponse
    evidence_id: str
    content_hash: str
    text_hash: str | None
    """The hash without noise; only if the bytes differ from those of the last visit."""


async def _fetch_item(
    known: FetchState, fetcher: Fetcher, large: asyncio.Semaphore
) -> FetchResponse | FetchedContent | AssayError:
    visit, url = known.visit, known.item.url
    if url.startswith(f"{ENTRY_SCHEME}://"):
        return AddressRefused(f"{url} came with a listing, and comes again with the next one.")
    try:
        answer = await fetcher.fetch(
            url,
            etag=visit.etag if visit else None,
            last_modified=visit.last_modified if visit else None,
        )
        if answer.is_gone or answer.is_unchanged:
            return answer
        _refuse_useless(url, answer)
    except AssayError as error:
        return error
    if len(answer.body) < _LARGE_BYTES:
        return await asyncio.to_thread(_hash_content, known, answer)
    async with large:
        return await asyncio.to_thread(_hash_content, known, answer)


def _refuse_useless(url: str, answer: FetchResponse) -> None:
    """Raise an error if the response does not contain a document."""
    if answer.status != 200:
        raise ContentUnsupported(
            f"{url} answered {answer.status}.",
            advice="Open it in a browser; the site may block programs or require a login.",
        )
    if not answer.body:
        raise ContentEmpty(f"{url} answered with nothing.", advice="Open it in a browser.")
    if is_bot_wall(answer.body):
        # This is not a new version of the document, and must not replace the stored one.
        raise FetchFailed(
            f"{url} answered with a check for robots in place of the document.",
            advice="Ask the site's owner to allow Assay, or find the document somewhere else.",
        )


def _hash_content(known: FetchState, answer: FetchResponse) -> FetchedContent:
    hash_of_content = content_hash(answer.body)
    same = known.previous is not None and known.previous.content_hash == hash_of_content
    return FetchedContent(
        answer,
        derive_evidence_id(known.item.url, hash_of_content),
        hash_of_content,
        None if same else hash_without_noise(answer.body, hash_of_content),
    )


def _decide_result(
    known: FetchState,
    answer: FetchResponse | FetchedContent | AssayError,
    now_ms: int,
    seen_before: Mapping[str, Evidence],
) -> Result:
    item = known.item
    if isinstance(answer, AddressRefused):
        # Not a failure: the site, or the user, does not want it fetched.
        return Outcome(moves=_build_block_moves(known, str(answer)), note="refused")
    if isinstance(answer, AssayError):
        return Failed(answer, last=Outcome(moves=_build_block_moves(known, answer.what)))
    if isinstance(answer, FetchedContent):
        return build_evidence_outcome(known, answer, now_ms, seen_before)
    # That it is gone is a result too: it is not fetched again until the listing changes.
    asked = {"visited_ms": now_ms} | ({"seen_ms": now_ms} if answer.is_unchanged else {})
    visit = None if known.visit is None else known.visit.model_copy(update=asked)
    visits = () if visit is None else known.note_visits(visit)
    if answer.is_unchanged:
        return Outcome(records=visits, note="unchanged")
    return Outcome(
        records=visits,
        moves=_build_block_moves(known, f"answered {answer.status}"),
        events=(DocumentGone(doc_id=item.doc_id, status=answer.status),),
        note="gone",
    )


def _build_block_moves(known: FetchState, reason: str) -> tuple[Move, ...]:
    """A document that was fetched before stays; one that never was is retried in some days."""
    if not known.is_blockable:
        return ()
    return (Move(known.item.doc_id, CandidateState.BLOCKED, reason),)


def build_evidence_outcome(
    known: FetchState, brought: FetchedContent, now_ms: int, seen_before: Mapping[str, Evidence]
) -> Outcome:
    """What to store of a document that arrived, and the job that judges it if it is new."""
    item, previous, answer = known.item, known.previous, brought.answer
    noise = previous is not None and brought.text_hash == previous.text_hash is not None
    same = previous is not None and brought.content_hash == previous.content_hash
    key = previous.evidence_id if previous is not None and (same or noise) else brought.evidence_id
    visit = ItemVisit(
        item_id=item.item_id,
        evidence_id=key,
        etag=answer.etag,
        last_modified=answer.last_modified,
        changed=item.changed,
        visited_ms=now_ms,
        seen_ms=now_ms,
    )
    visits = known.note_visits(visit)
    if previous is not None and key == previous.evidence_id:
        return Outcome(records=visits, note="unchanged" if same else "noise")
    evidence = Evidence(
        evidence_id=key,
        url=item.url,
        content_hash=brought.content_hash,
        doc_id=item.doc_id,
        source_slug=item.source_slug,
        content_type=answer.content_type,
        size=len(answer.body),
        text_hash=brought.text_hash,
        fetched_ms=now_ms,
        previous_seen_ms=known.visit.seen_ms if known.visit else None,
    )
    events: list[Event] = [
        EvidenceStored(evidence_id=key, doc_id=item.doc_id, size=len(answer.body))
    ]
    if previous is not None:
        events.append(
            DocumentChanged(
                doc_id=item.doc_id, evidence_id=key, previous_evidence_id=previous.evidence_id
            )
        )
    scout = ScoutJob(
        evidence_id=key,
        source=item.source_slug,
        visit=_number_return_visit(known, key, seen_before),
    )
    reason = "fetched" if previous is None else "changed"
    return Outcome(
        records=(*visits, evidence),
        moves=(Move(item.doc_id, find_ready_state(known.candidate), reason, evidence_id=key),),
        next=(NextJob("scout", scout),),
        events=tuple(events),
        blobs=(answer.body,),
    )


def _number_return_visit(
    known: FetchState, evidence_id: str, seen_before: Mapping[str, Evidence]
) -> int:
    """A number that is not 0 if the page went back to earlier content.

    Such a page is judged again, although its evidence is old. A page that another endpoint also
    leads to, with the same content there, is not.
    """
    candidate = known.candidate
    if candidate is None or evidence_id not in seen_before:
        return 0
    return 0 if candidate.evidence_id == evidence_id else candidate.event_count
