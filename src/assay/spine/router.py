"""Router: decides where scouted evidence goes, and says why."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.engine.contract import (
    Gate,
    NextJob,
    Outcome,
    QueueLimits,
    Result,
    Stage,
    StageFunction,
)
from assay.engine.reader import Reader
from assay.errors import ErrorClass
from assay.governor.prospects import Prospects, Purse
from assay.governor.standings import standing
from assay.llm.scope import Denial
from assay.model.bookkeeping import SourceHealth
from assay.model.ids import derived_id
from assay.model.lifecycle import CandidateState, Move
from assay.model.records import (
    Evidence,
    IngestCandidate,
    Record,
    ReviewRequest,
    RoutingDecision,
    ScoutResult,
    Source,
    TextBand,
    TextSignature,
)
from assay.reading.near import Relation
from assay.spine.near_copies import NO_KIN, Kin, kin_of
from assay.spine.payloads import OcrJob, PackJob, RouterJob
from assay.spine.routing import (
    LOOK_AGAIN_MS,
    PERSON_MS,
    THRESHOLD,
    Decision,
    Route,
    Terms,
    decide,
)
from assay.spine.scout import packs_of

PurseOf = Callable[[], Purse | None]
"""What may be spent, asked for when there is something to route."""
_MOVABLE = (CandidateState.READY, CandidateState.BLOCKED)


async def scout_result_is_valid(jobs: Sequence[RouterJob], read: Reader) -> list[str | None]:
    """Scout has judged this evidence."""
    found = await read.grouped(ScoutResult, [job.evidence_id for job in jobs])
    return [None if job.evidence_id in found else "scout has not judged it" for job in jobs]


def _skipped(job: RouterJob, error: Exception) -> Outcome:
    decision = RoutingDecision(
        evidence_id=job.evidence_id,
        decision=Decision.SKIP.value,
        reason=str(error).strip(),
        worth_it_score=0.0,
        threshold=THRESHOLD,
    )
    return Outcome(records=(decision,), note="skipped")


ROUTER = Stage(
    name="router",
    version=1,
    payload=RouterJob,
    queue=QueueLimits(20, per=60),
    reads=frozenset(
        {
            Evidence, ScoutResult, TextSignature, TextBand, IngestCandidate, Source, SourceHealth,
            RoutingDecision,
        }
    ),
    writes=frozenset({RoutingDecision, ScoutResult, ReviewRequest, IngestCandidate}),
    gates=(Gate("scout_result_is_valid", scout_result_is_valid),),
    next=frozenset({"ocr", "router"}),
    batch=500,
    on_error={ErrorClass.VALIDATION: _skipped, ErrorClass.CONTENT: _skipped},
    purpose="decides where evidence goes, and why",
)  # fmt: skip


@dataclass(frozen=True)
class Handoff:
    """Where a pack's documents begin."""

    stage: str
    payload: type[PackJob]


def router_stage(handoffs: Iterable[Handoff]) -> Stage:
    """The declaration of the router that leads to the first stages of these packs."""
    return replace(ROUTER, next=ROUTER.next | {handoff.stage for handoff in handoffs})


NO_PACKS: Mapping[str, Handoff] = {}


def no_purse() -> None:
    """For where no model is configured."""


def router(purse_of: PurseOf = no_purse, packs: Mapping[str, Handoff] = NO_PACKS) -> StageFunction:
    """The stage, with what may be spent, and where the documents of each pack begin."""

    async def route(jobs: Sequence[RouterJob], read: Reader) -> Sequence[Result]:
        judged = await read.grouped(ScoutResult, [job.evidence_id for job in jobs])
        results = {key: rows[0] for key, rows in judged.items()}
        evidence = await read.many(Evidence, list(results))
        candidates = await read.many(IngestCandidate, {entry.doc_id for entry in evidence.values()})
        kin = await _kin(results, evidence, read)
        sources = {job.source for job in jobs}
        health = await read.many(SourceHealth, sources)
        known = await read.many(Source, sources)
        # What turns out to be a copy may have been handed on already, and then counts no more.
        before = await read.grouped(RoutingDecision, [j.evidence_id for j in jobs if j.original])
        late = {
            (key, routed.pack)
            for key, rows in before.items()
            for routed in rows
            if routed.decision in _EXTRACTING
        }
        purse, prospects = purse_of(), None
        if purse is not None:
            # One look at the books for all of them: to ask for each would cost more than the rest.
            prospects = await asyncio.to_thread(
                purse.prospects, sources, list(results), read.now_ms
            )
        terms = {source: _terms(source, health, prospects, read.now_ms) for source in sources}
        return [
            _routed(
                job,
                judged[job.evidence_id],
                kin.get(job.evidence_id, NO_KIN),
                candidates[evidence[job.evidence_id].doc_id],
                terms[job.source],
                [
                    _Packed(name, packs, (job.evidence_id, name) in late)
                    for name in packs_of(known.get(job.source))
                ],
            )
            for job in jobs
        ]

    return route


async def _kin(
    results: Mapping[str, ScoutResult], evidence: Mapping[str, Evidence], read: Reader
) -> dict[str, Kin]:
    """What the documents that are worth a comparison are to others."""
    worth = [
        evidence[key]
        for key, result in results.items()
        if result.skip_reason is None and not result.needs_ocr
    ]
    return await kin_of(worth, read) if worth else {}


def _related(result: ScoutResult, kin: Kin) -> ScoutResult:
    """The judgement with what is known of the document's likes.

    Who is known as its original already may have been found by others, and stays if it comes
    before all that are found now: so the order in which they are found does not matter.
    """
    original = _first(result.duplicate_of, kin.original)
    version_of = _first(result.version_of, kin.version_of)
    nearest = kin.original if original is not None else kin.version_of
    told = nearest is not None and nearest.evidence_id == (original or version_of)
    return result.model_copy(
        update={
            "duplicate_of": original,
            "version_of": version_of,
            "similarity": round(nearest.share, 4) if nearest and told else result.similarity,
        }
    )


def _first(known: str | None, found: Relation | None) -> str | None:
    """Of two, the one with the lesser id."""
    if known is None or found is None:
        return known or (found.evidence_id if found else None)
    return min(known, found.evidence_id)


def _terms(
    source: str, health: Mapping[str, SourceHealth], prospects: Prospects | None, now_ms: int
) -> Terms:
    known = health.get(source)
    return Terms(
        source=source,
        threshold=THRESHOLD if known is None else known.min_scout_score,
        standing=standing(known, now_ms),
        prospects=prospects,
        now_ms=now_ms,
    )


def _routed(
    job: RouterJob,
    judged: Sequence[ScoutResult],
    kin: Kin,
    candidate: IngestCandidate,
    terms: Terms,
    watching: Sequence["_Packed"],
) -> Outcome:
    """What is decided for each pack that watches the source, in one outcome."""
    of_pack = {result.pack: result for result in judged}
    records: dict[Record, None] = {}
    following: dict[NextJob, None] = {}
    routes: list[Route] = []
    for packed in watching:
        # What could not be read, or was judged before the pack watched the source, has no
        # judgement of the pack's own.
        known = of_pack.get(packed.name, judged[0])
        result = _related(known, kin)
        route = packed.waits(decide(result, terms), terms.now_ms)
        routes.append(route)
        if result != known:
            records[result] = None
        records[_decision(packed.name, result, route, terms)] = None
        if route.denial is Denial.EVIDENCE_TOO_LARGE:
            records[_question(result, route, terms)] = None
        following |= dict.fromkeys(_following(job, route, result, packed))
    route = min(routes, key=_weight)
    return Outcome(
        records=tuple(records),
        moves=_moves(route, candidate, result, terms),
        next=(*following, *_told(job, kin)),
        note=_NOTES.get(route.decision, "done"),
    )


def _weight(route: Route) -> int:
    """Which of several decisions moves the document: it waits if it waits for any pack, and is
    skipped only if all packs skip it."""
    return {Decision.BLOCKED: 0, Decision.SKIP: 2}.get(route.decision, 1)


def _decision(pack: str, result: ScoutResult, route: Route, terms: Terms) -> RoutingDecision:
    return RoutingDecision(
        evidence_id=result.evidence_id,
        pack=pack,
        decision=route.decision.value,
        reason=route.reason,
        worth_it_score=result.worth_it_score,
        threshold=terms.threshold,
        provider=route.provider,
        denial=None if route.denial is None else route.denial.value,
        retry_ms=route.retry_ms,
    )


@dataclass(frozen=True)
class _Packed:
    """The pack that a source names; none where its documents are only kept."""

    name: str
    packs: Mapping[str, Handoff]
    was_handed_on: bool = False
    """Whether the pack was given the document before."""

    @property
    def is_there(self) -> bool:
        return self.name in self.packs

    def waits(self, route: Route, now_ms: int) -> Route:
        """The route, but for a document whose pack is not installed: it waits for it."""
        if not self.name or self.is_there or route.decision not in _EXTRACTING or not self.packs:
            return route
        reason = f"{route.reason}; but the pack '{self.name}' is not installed"
        return Route(decision=Decision.BLOCKED, reason=reason, retry_ms=now_ms + LOOK_AGAIN_MS)


_EXTRACTING = (Decision.EXTRACT_LOCAL, Decision.EXTRACT_CLOUD)
_NOTES = {Decision.SKIP: "skipped", Decision.BLOCKED: "blocked"}


def _following(
    job: RouterJob, route: Route, result: ScoutResult, packed: _Packed
) -> tuple[NextJob, ...]:
    """The job that carries the decision out.

    Where no pack knows what to look for, the decision is kept, and nothing follows from it.
    """
    evidence_id, source, visit = job.evidence_id, job.source, job.visit
    handoff = packed.packs.get(packed.name)
    is_late_copy = packed.was_handed_on and result.duplicate_of is not None
    if not is_late_copy and route.decision is Decision.OCR:
        return (NextJob("ocr", OcrJob(evidence_id=evidence_id, source=source, visit=visit)),)
    if handoff is None or not (is_late_copy or route.decision in _EXTRACTING):
        return ()
    payload = handoff.payload(
        evidence_id=evidence_id,
        source=source,
        visit=visit,
        pack=packed.name,
        provider=route.provider,
        # Worked on already, and then found to be a copy: the pack is told.
        original=result.duplicate_of if is_late_copy else None,
    )
    return (NextJob(handoff.stage, payload),)


def _told(job: RouterJob, kin: Kin) -> list[NextJob]:
    """Those that may have been routed before this one was known of are routed once more."""
    return [
        NextJob(
            "router",
            RouterJob(
                evidence_id=other.evidence_id, source=other.source_slug, original=job.evidence_id
            ),
        )
        for other in kin.others
    ]


def _moves(
    route: Route, candidate: IngestCandidate, result: ScoutResult, terms: Terms
) -> tuple[Move, ...]:
    # An older version may be judged after a newer one came; only the newest moves its candidate.
    evidence_id = result.evidence_id
    if candidate.evidence_id != evidence_id or candidate.state not in _MOVABLE:
        return ()
    if route.decision is Decision.SKIP:
        to, reason = CandidateState.SKIPPED, _lasting(route, result, terms)
    elif route.decision is Decision.BLOCKED:
        to, reason = CandidateState.BLOCKED, route.reason
    elif candidate.state == CandidateState.BLOCKED:
        to, reason = CandidateState.READY, f"routed again: {route.reason}"
    else:
        return ()
    move = Move(
        candidate.doc_id,
        to,
        reason,
        evidence_id=evidence_id,
        next_retry_unix=None if route.retry_ms is None else -(-route.retry_ms // 1000),
        # To be denied a budget is nobody's failure.
        counts=False,
        only_with=evidence_id,
    )
    return (move,)


def _lasting(route: Route, result: ScoutResult, terms: Terms) -> str:
    """Why a document is skipped, as it stays in its history.

    Who its original is, the decision tells. That another one comes before it may turn out later,
    and a document that is skipped already has no second move.
    """
    if result.duplicate_of is None:
        return route.reason
    alone = result.model_copy(update={"duplicate_of": None})
    without = decide(alone, replace(terms, prospects=None))
    return without.reason if without.decision is Decision.SKIP else "a copy of another document"


def _question(result: ScoutResult, route: Route, terms: Terms) -> ReviewRequest:
    """Only a person can say what becomes of a document that no budget is large enough for."""
    reason = Denial.EVIDENCE_TOO_LARGE.value
    return ReviewRequest(
        request_id=derived_id("rq", reason, result.evidence_id),
        reason=reason,
        subject_kind="evidence",
        subject=result.evidence_id,
        source_slug=terms.source,
        question=f"Shall it be read all the same? {route.reason[:1].upper()}{route.reason[1:]}.",
        created_ms=terms.now_ms,
        deadline_ms=terms.now_ms + PERSON_MS,
    )
