"""Resolve: asks services about works, and keeps what they say and what follows from it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from assay.packs.literature.folding import fold_text
from assay.packs.literature.identity import find_address, is_document_id, make_link
from assay.packs.literature.jobs import IDENTITY_STAGE, RESOLVE_STAGE, WorksJob, plan_works
from assay.packs.literature.listed import ListedReference
from assay.packs.literature.matches import build_match_request
from assay.packs.literature.matching import MatchVerdict, match_work
from assay.packs.literature.priorities import PlaceKind, rate_resolution
from assay.packs.literature.records import (
    IdLink,
    ResolutionStatus,
    WorkDetails,
    WorkId,
    WorkReference,
    WorkResolution,
)
from assay.packs.literature.resolving import arxiv, crossref, openalex
from assay.packs.literature.resolving.lookup import (
    LookupResult,
    SendRequest,
    look_up,
    make_sender,
)
from assay.packs.literature.resolving.requests import ServiceRequest, WrongWorkAnswered
from assay.packs.literature.resolving.works import FoundWork
from assay.packs.literature.texts import PACK
from assay.sdk.errors import AssayError, CallDenied
from assay.sdk.records import (
    Document,
    DocumentSource,
    IngestCandidate,
    Record,
    ReviewRequest,
    derive_id,
)
from assay.sdk.services import Services
from assay.sdk.stages import (
    CandidateState,
    Move,
    Outcome,
    QueueLimits,
    Reader,
    Result,
    Stage,
)

RESOLVE = Stage(
    name=RESOLVE_STAGE,
    version=1,
    payload=WorksJob,
    queue=QueueLimits(concurrency=1),
    reads=frozenset({WorkId, WorkReference, IngestCandidate}),
    writes=frozenset(
        {
            WorkDetails,
            IdLink,
            WorkResolution,
            Document,
            DocumentSource,
            IngestCandidate,
            ReviewRequest,
        }
    ),
    next=frozenset({IDENTITY_STAGE}),
    uses=frozenset({"http"}),
    batch=10,
    once="waiting",
    # arXiv allows one request in three seconds, to all processes together.
    timeout_s=3600.0,
    entry=True,
    purpose="asks OpenAlex, Crossref and arXiv about works",
)
_WAITING: Final = (CandidateState.DISCOVERED, CandidateState.BLOCKED)
_SOON_S: Final = 3600
"""When a service that failed is asked again."""


@dataclass
class AskedId:
    """An id that services are asked about, and what they said.

    Every id is asked about once, also one that is an alias by now: what is known in the end must
    not depend on which of two ids was found first.
    """

    id: str
    doc_id: str
    """The document of its work."""
    state: CandidateState
    """Where that document stands."""
    references: list[WorkReference]
    found: list[FoundWork] = field(default_factory=list)
    method: str = "id"
    asks: tuple[FoundWork, str] | None = None
    """A work that may be the same, and why only a person can tell."""
    reasons: list[str] = field(default_factory=list)
    """Why nothing was found."""
    error: AssayError | None = None
    """A service could not be asked."""

    @property
    def scheme(self) -> str:
        return self.id.partition(":")[0]

    def describe(self) -> ListedReference:
        """The work as the lists describe it; the fullest entry counts."""
        entries = sorted(self.references, key=lambda row: (-len(row.title), row.reference_id))
        if not entries:
            return ListedReference()
        best = entries[0]
        year = best.year or next((row.year for row in entries if row.year), None)
        authors = best.authors or next((row.authors for row in entries if row.authors), [])
        return ListedReference(
            title=best.title, authors=tuple(authors), year=year, venue=best.venue
        )


async def resolve_works(
    jobs: Sequence[WorksJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Ask about each id, in as few requests as possible.

    Each job asks separately, so that it asks the same whether it runs alone or with others; what
    was answered before is then found again instead of being paid for a second time.
    """
    left = await _load_ids({doc_id for job in jobs for doc_id in job.doc_ids}, read)
    return [
        await _resolve(
            job, [left.pop(each) for each in job.doc_ids if each in left], read, services
        )
        for job in jobs
    ]


async def _resolve(
    job: WorksJob, asked: Sequence[AskedId], read: Reader, services: Services
) -> Outcome:
    if not asked:
        return Outcome(note="unchanged")
    send = make_sender(services)
    mailto = services.settings.contact or ""
    await _ask_by_id(asked, send, mailto)
    for each in asked:
        if each.scheme in ("title", "url"):
            await _ask_by_title(each, send, mailto)
    records: list[Record] = []
    moves: list[Move] = []
    for each in asked:
        records += _build_records(each, read.now_ms)
        moves += _build_moves(each, read.now_ms)
    # Where a service failed, nothing follows until it is asked again.
    known = {each.doc_id for each in asked if each.found or each.error is None}
    return Outcome(
        records=tuple(records),
        moves=tuple({move.doc_id: move for move in moves}.values()),
        next=tuple(plan_works(IDENTITY_STAGE, known, job.source, len(job.doc_ids))),
        note="blocked" if moves else "done",
    )


async def _load_ids(ids: Iterable[str], read: Reader) -> dict[str, AskedId]:
    rows = await read.find_where(WorkId, "id", ids)
    references: dict[str, list[WorkReference]] = defaultdict(list)
    for reference in await read.find_where(WorkReference, "doc_id", {row.id for row in rows}):
        references[reference.doc_id].append(reference)
    candidates = await read.get_many(IngestCandidate, {row.doc_id for row in rows})
    states = {key: CandidateState(each.state) for key, each in candidates.items()}
    return {
        row.id: AskedId(
            row.id,
            row.doc_id,
            states.get(row.doc_id, CandidateState.DISCOVERED),
            references[row.id],
        )
        for row in rows
    }


async def _ask_by_id(asked: Sequence[AskedId], send: SendRequest, mailto: str) -> None:
    """OpenAlex and arXiv at the same time, in lists; then Crossref about what is missing."""
    wanted = {each.id: each for each in asked if each.scheme in ("doi", "arxiv")}
    preprints = sorted(each for each in wanted if each.startswith("arxiv:"))
    # A comma or a bar separates filters of a list.
    listed = sorted(each for each in wanted if not {"|", ","} & {*each})
    requests = [openalex.build_id_request(each) for each in sorted(set(wanted) - set(listed))]
    requests += _divide(listed, openalex.MOST_IDS, openalex.build_list_request)
    requests += _divide(preprints, arxiv.MOST_IDS, arxiv.build_arxiv_request)
    answers = await look_up(requests, send)
    denied = [each for each in answers if isinstance(each.error, CallDenied)]
    if denied:
        # One by one it is free.
        alone = [openalex.build_id_request(each) for d in denied for each in d.request.wanted]
        answers = [each for each in answers if each not in denied]
        answers += await look_up(alone, send)
    for answer in answers:
        _note_answer(answer, wanted)
    missing = [each.id for each in asked if each.scheme == "doi" and not each.found]
    single = [crossref.build_doi_request(each, mailto) for each in missing]
    for answer in await look_up(single, send):
        _note_answer(answer, wanted)


def _divide(
    ids: Sequence[str], most: int, build: Callable[[Sequence[str]], ServiceRequest]
) -> list[ServiceRequest]:
    return [build(ids[at : at + most]) for at in range(0, len(ids), most)]


def _note_answer(answer: LookupResult, wanted: Mapping[str, AskedId]) -> None:
    service = answer.request.service
    asked = [wanted[each] for each in answer.request.wanted if each in wanted]
    for each in asked:
        # Only for what was asked: others have questions of their own.
        found = [w for w in answer.works if each.id in (*w.ids, *w.same_work_ids)]
        each.found += found
        if found:
            continue
        if isinstance(answer.error, WrongWorkAnswered):
            each.reasons.append(answer.error.what)
        elif answer.error is not None:
            each.error = answer.error
        elif each.id in answer.missing:
            each.reasons.append(f"{service} does not know {each.id}")
        else:
            each.reasons += [f"{service}: {reason}" for reason in answer.refused[:1]]


async def _ask_by_title(asked: AskedId, send: SendRequest, mailto: str) -> None:
    """Search for the title; what is found counts only if title, authors and year agree."""
    listed = asked.describe()
    if not fold_text(listed.title):
        asked.reasons.append("it has neither a known id nor a title")
        return
    asked.method = "title"
    for request in (
        openalex.build_search_request(listed.title, listed.year),
        crossref.build_title_request(listed.title, listed.authors, mailto),
    ):
        (answer,) = await look_up([request], send)
        if answer.error is not None:
            asked.error = answer.error
            continue
        decision = match_work(listed, answer.works)
        if decision.verdict is MatchVerdict.ACCEPT and decision.work is not None:
            asked.found.append(decision.work)
            asked.asks = None
            return
        if decision.verdict is MatchVerdict.ASK and decision.work is not None:
            asked.asks = asked.asks or (decision.work, decision.reason)
        asked.reasons.append(f"{request.service}: {decision.reason}")


def _build_records(asked: AskedId, now_ms: int) -> Iterable[Record]:
    for found in asked.found:
        yield _build_details(asked.id, found)
        stated = {*found.ids, *found.same_work_ids} - {asked.id}
        papers = {each for each in stated if each.startswith("arxiv:")}
        if asked.scheme == "arxiv" or len(papers) > 1:
            # Another arXiv paper is another work, whatever a service says.
            stated -= papers
        for each in sorted(stated):
            yield make_link(asked.id, each, found.provider)
            if is_document_id(each):
                # Whether a list names it, too, before or after this, must not matter.
                yield Document(
                    doc_id=each, source_slug=PACK, url=find_address(each, []), first_seen_ms=now_ms
                )
    if asked.found:
        first = asked.found[0]
        ids = sorted({each for found in asked.found for each in found.ids})
        pdf_urls = [url for found in asked.found for url in found.pdf_urls]
        confidence = rate_resolution(ids, pdf_urls)
        yield DocumentSource(
            doc_id=asked.id,
            source_kind=PlaceKind.RESOLVED,
            source_ref=first.provider,
            confidence=confidence,
            first_seen_ms=now_ms,
        )
        yield _build_resolution(
            asked, first.provider, ResolutionStatus.RESOLVED, ids, confidence,
            f"found by its {asked.method}", now_ms,
        )  # fmt: skip
    elif asked.asks is not None:
        found, reason = asked.asks
        if found.ids:
            yield build_match_request(asked.id, found.ids[0], reason, now_ms)
        yield _build_resolution(
            asked, found.provider, ResolutionStatus.ASKED, list(found.ids), 0.0,
            f"a person decides: {reason}", now_ms,
        )  # fmt: skip
    elif asked.error is None:
        yield _build_resolution(
            asked, openalex.SERVICE, ResolutionStatus.UNRESOLVED, [], 0.0,
            f"not resolved: {_explain(asked)}", now_ms,
        )  # fmt: skip


def _build_details(doc_id: str, found: FoundWork) -> WorkDetails:
    return WorkDetails(
        doc_id=doc_id,
        provider=found.provider,
        ids=list(found.ids),
        title=found.title,
        authors=list(found.authors),
        year=found.year,
        venue=found.venue,
        abstract=found.abstract,
        kind=found.kind,
        pdf_urls=list(found.pdf_urls),
        landing_url=found.landing_url,
        cites=list(found.cites),
        is_retracted=found.is_retracted,
        version=found.version,
    )


def _build_resolution(
    asked: AskedId,
    provider: str,
    status: ResolutionStatus,
    found: list[str],
    confidence: float,
    reason: str,
    now_ms: int,
) -> WorkResolution:
    key = (asked.id, provider, status, asked.method, *found, reason)
    return WorkResolution(
        resolution_id=derive_id("res", *key),
        doc_id=asked.id,
        provider=provider,
        status=status,
        method=asked.method,
        found=found,
        confidence=confidence,
        reason=reason,
        at_ms=now_ms,
    )


def _explain(asked: AskedId) -> str:
    return "; ".join(dict.fromkeys(asked.reasons)) or "no service knows it"


def _build_moves(asked: AskedId, now_ms: int) -> Iterable[Move]:
    """A work waits if a service could not be asked; everything else the next stage decides."""
    error = asked.error
    if asked.found or asked.asks is not None or error is None or asked.state not in _WAITING:
        return
    is_denied = isinstance(error, CallDenied)
    later_ms = now_ms + _SOON_S * 1000
    if isinstance(error, CallDenied):
        later_ms = error.recovers_ms or later_ms
    yield Move(
        asked.doc_id,
        CandidateState.BLOCKED,
        error.what,
        next_retry_unix=-(-later_ms // 1000),
        # A denied budget is not a failure.
        counts=not is_denied,
        only_from=asked.state,
    )
