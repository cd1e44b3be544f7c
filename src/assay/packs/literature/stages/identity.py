"""Identity: decides which ids are one work, and what has to be done for the work next."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from assay.packs.literature.identity import (
    IdNetwork,
    SameWork,
    group_ids,
    is_document_id,
)
from assay.packs.literature.jobs import (
    IDENTITY_STAGE,
    INDEX_STAGE,
    RESOLVE_STAGE,
    WorksJob,
    plan_works,
)
from assay.packs.literature.matches import build_match_request
from assay.packs.literature.priorities import (
    TRUST,
    PlaceKind,
    compute_priority,
    find_source_kind,
    rate_resolution,
)
from assay.packs.literature.records import (
    FullText,
    IdentityDecision,
    IdLink,
    ResolutionStatus,
    WorkDetails,
    WorkId,
    WorkReference,
    WorkResolution,
)
from assay.packs.literature.texts import (
    TEXTS_ENDPOINT,
    list_text_urls,
    make_text_source,
)
from assay.sdk.records import (
    DiscoveredItem,
    IngestCandidate,
    Record,
    ReviewRequest,
    Source,
    derive_item_id,
)
from assay.sdk.services import Services
from assay.sdk.stages import (
    CandidateState,
    FetchJob,
    Move,
    NextJob,
    Outcome,
    QueueLimits,
    Reader,
    Result,
    Stage,
)

IDENTITY = Stage(
    name=IDENTITY_STAGE,
    version=1,
    payload=WorksJob,
    # One at a time: two jobs that see only a part of what is linked would decide differently.
    queue=QueueLimits(concurrency=1),
    reads=frozenset(
        {
            IdLink, IdentityDecision, WorkId, IngestCandidate, WorkResolution, WorkDetails,
            WorkReference,
            DiscoveredItem, FullText,
        }
    ),
    writes=frozenset(
        {WorkId, IngestCandidate, DiscoveredItem, ReviewRequest, Source}
    ),
    next=frozenset({RESOLVE_STAGE, INDEX_STAGE, "fetch"}),
    batch=20,
    once="waiting",
    entry=True,
    purpose="decides which ids are one work, and what is done for it next",
)  # fmt: skip
_STRONG: Final = ("arxiv:", "doi:")
_TOGETHER: Final = 50
"""Works that a service is asked about at once."""
_INDEXED: Final = 200


async def decide_identities(
    jobs: Sequence[WorksJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Group the ids of all jobs at once, and continue with each work."""
    doc_ids = {doc_id for job in jobs for doc_id in job.doc_ids}
    outcome = await _decide(doc_ids, jobs[0].source, read)
    return [outcome, *(Outcome(note=outcome.note) for _ in jobs[1:])]


@dataclass
class _Known:
    """What is stored about some works."""

    candidates: Mapping[str, IngestCandidate]
    ids: Mapping[str, WorkId]
    resolutions: Mapping[str, WorkResolution]
    """The last for each id that services have been asked about."""
    details: Mapping[str, list[WorkDetails]]
    references: Mapping[str, list[WorkReference]]
    items: Mapping[str, DiscoveredItem]
    texts: Mapping[str, FullText]


@dataclass
class _Plan:
    """What follows from the identities of some works."""

    records: list[Record] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    next: list[NextJob] = field(default_factory=list)
    to_resolve: set[str] = field(default_factory=set)
    to_index: set[str] = field(default_factory=set)


async def _decide(doc_ids: Collection[str], source: str, read: Reader) -> Outcome:
    network = await load_network(doc_ids, read)
    works = group_ids(doc_ids, network)
    known = await _load_known(works, read)
    plan = _Plan()
    for work in works:
        _note_ids(work, known, plan, read.now_ms)
        _continue_work(work, known, plan, read.now_ms)
    plan.next += plan_works(RESOLVE_STAGE, plan.to_resolve, source, _TOGETHER)
    plan.next += plan_works(INDEX_STAGE, plan.to_index, source, _INDEXED)
    note = "done" if plan.records or plan.moves or plan.next else "unchanged"
    return Outcome(
        records=tuple(plan.records), moves=tuple(plan.moves), next=tuple(plan.next), note=note
    )


async def load_network(ids: Iterable[str], read: Reader) -> IdNetwork:
    """Everything that is linked with these ids, however far away."""
    network = IdNetwork()
    seen: set[str] = set()
    frontier = set(ids)
    while frontier:
        seen |= frontier
        links: list[IdLink | IdentityDecision] = []
        for column in ("first", "second"):
            links += await read.find_where(IdLink, column, frontier)
            links += await read.find_where(IdentityDecision, column, frontier)
        for link in links:
            if isinstance(link, IdLink):
                network.links[link.link_id] = link
            else:
                network.decisions[link.link_id] = link
        frontier = {each for link in links for each in (link.first, link.second)} - seen
    return network


async def _load_known(works: Sequence[SameWork], read: Reader) -> _Known:
    ids = {each for work in works for each in work.ids}
    docs = {each for each in ids if is_document_id(each)}
    references: dict[str, list[WorkReference]] = defaultdict(list)
    for reference in await read.find_where(WorkReference, "doc_id", docs):
        references[reference.doc_id].append(reference)
    resolutions = sorted(
        await read.find_where(WorkResolution, "doc_id", docs), key=lambda each: each.at_ms
    )
    items = await read.find_where(DiscoveredItem, "doc_id", docs)
    return _Known(
        candidates=await read.get_many(IngestCandidate, docs),
        ids=await read.get_many(WorkId, ids),
        resolutions={each.doc_id: each for each in resolutions},
        details=await read.get_groups(WorkDetails, docs),
        references=references,
        items={item.url: item for item in items},
        texts=await read.get_many(FullText, docs),
    )


def _note_ids(work: SameWork, known: _Known, plan: _Plan, now_ms: int) -> None:
    """Record what each id stands for, and which documents are aliases."""
    changed = False
    for each in work.ids:
        made = WorkId(id=each, doc_id=work.doc_id, is_disputed=each in work.disputed)
        if known.ids.get(each) != made:
            changed = True
            plan.records.append(made)
        if each != work.doc_id and is_document_id(each):
            candidate = known.candidates.get(each)
            if candidate is None or candidate.state != CandidateState.RESOLVED:
                reason = f"an alias of {work.doc_id}"
                plan.moves.append(Move(each, CandidateState.RESOLVED, reason))
    plan.records += [
        build_match_request(each, work.doc_id, "it is linked with several papers", now_ms)
        for each in work.disputed
        if is_document_id(each)
    ]
    if changed or work.doc_id not in known.candidates:
        plan.to_index.add(work.doc_id)


def _continue_work(work: SameWork, known: _Known, plan: _Plan, now_ms: int) -> None:
    """Resolve the work, or fetch its text, or say why there is none."""
    candidate = known.candidates.get(work.doc_id)
    state = CandidateState.DISCOVERED if candidate is None else CandidateState(candidate.state)
    unasked = [each for each in _list_askable(work) if each not in known.resolutions]
    # An id that is new to the work is asked about wherever the work stands, because the order in
    # which ids are found must not matter. The others of a blocked work wait until it is due.
    plan.to_resolve.update(
        each
        for each in unasked
        if state is CandidateState.DISCOVERED or _is_new_to(work, each, known)
    )
    if unasked or state not in (CandidateState.DISCOVERED, CandidateState.BLOCKED):
        return
    if given := [each for each in work.ids if each.startswith("url:") and each in known.texts]:
        reason = f"its text came with {given[0]}"
        plan.moves += [
            Move(work.doc_id, CandidateState.READY, reason, only_from=state),
            Move(work.doc_id, CandidateState.INGESTED, reason, only_from=CandidateState.READY),
        ]
        return
    details = [row for each in work.ids for row in known.details.get(each, ())]
    references = [row for each in work.ids for row in known.references.get(each, ())]
    urls = list_text_urls(work.doc_id, details, references)
    untried = [url for url in urls if url not in known.items]
    if untried:
        retries = 0 if candidate is None else candidate.retry_count
        reason = f"its full text is at {untried[0]}"
        plan.moves.append(Move(work.doc_id, CandidateState.READY, reason, only_from=state))
        _plan_fetch(work, untried[0], details, references, retries, plan, now_ms)
    elif state is CandidateState.DISCOVERED or (not urls and _is_due(candidate, now_ms)):
        reason = _explain(work, known)
        plan.moves.append(Move(work.doc_id, CandidateState.BLOCKED, reason, only_from=state))


def _list_askable(work: SameWork) -> list[str]:
    """The ids that services are asked about: DOIs and arXiv ids, or else the only one."""
    strong = [each for each in work.ids if each.startswith(_STRONG)]
    return strong or [work.doc_id]


def _is_new_to(work: SameWork, id_of_work: str, known: _Known) -> bool:
    """Whether a DOI or arXiv id was not one of this work until now."""
    stored = known.ids.get(id_of_work)
    return id_of_work.startswith(_STRONG) and (stored is None or stored.doc_id != work.doc_id)


def _is_due(candidate: IngestCandidate | None, now_ms: int) -> bool:
    """Whether a blocked work was to be tried again by now."""
    due = None if candidate is None else candidate.next_retry_unix
    return due is not None and due <= now_ms // 1000


def _explain(work: SameWork, known: _Known) -> str:
    """Why there is no text."""
    asked = [known.resolutions[each] for each in _list_askable(work)]
    if any(each.status == ResolutionStatus.RESOLVED for each in asked):
        return "no open full text is known"
    return asked[0].reason


def _plan_fetch(
    work: SameWork,
    url: str,
    details: Sequence[WorkDetails],
    references: Sequence[WorkReference],
    retries: int,
    plan: _Plan,
    now_ms: int,
) -> None:
    source = make_text_source(url, now_ms)
    item_id = derive_item_id(TEXTS_ENDPOINT, url)
    plan.records += [
        source,
        DiscoveredItem(
            item_id=item_id,
            endpoint_id=TEXTS_ENDPOINT,
            source_slug=source.source_slug,
            url=url,
            doc_id=work.doc_id,
            first_seen_ms=now_ms,
            last_seen_ms=now_ms,
        ),
    ]
    confidence = rate_resolution(list(work.ids), [url])
    said = [*(row.year for row in details), *(row.year for row in references)]
    years = [year for year in said if year is not None]
    now_year = datetime.fromtimestamp(now_ms / 1000, UTC).year
    age = max(0.0, float(now_year - max(years))) if years else 1.0
    kinds = {find_source_kind(row.kind, is_cited=bool(row.citing)) for row in references}
    trust = max((TRUST[kind] for kind in kinds), default=TRUST[PlaceKind.RESOLVED])
    priority = round(100 * compute_priority(trust, confidence, age, retries))
    job = FetchJob(item_id=item_id, source=source.source_slug, url=url)
    plan.next.append(NextJob("fetch", job, max(0, priority)))
