"""Router: decides where scouted evidence goes, and says why."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.engine.contract import Gate, NextJob, Outcome, QueueLimits, Result, Stage, StageFunction
from assay.engine.reader import Reader
from assay.errors import ErrorClass
from assay.governor.budget import BudgetSnapshot, BudgetView
from assay.governor.standings import derive_standing
from assay.llm.scope import Denial
from assay.model.bookkeeping import SourceHealth
from assay.model.lifecycle import CandidateState, Move
from assay.model.records import (
    DiscoveredItem,
    Evidence,
    IngestCandidate,
    Record,
    RoutingDecision,
    ScoutResult,
    Source,
    TextBand,
    TextSignature,
)
from assay.reading.similarity import Resemblance
from assay.spine.handoffs import (
    NO_PACKS,
    Handoff,
    Handoffs,
    group_results_by_pack,
    read_watchers,
)
from assay.spine.near_copies import NO_NEAR_COPIES, NearCopies, find_near_copies
from assay.spine.payloads import OcrJob, RouterJob
from assay.spine.routing import (
    EXTRACTING,
    THRESHOLD,
    EvidenceRoute,
    RouteTarget,
    RoutingTerms,
    combine_routes,
    decide_for_pack,
    decide_route,
)

BudgetFinder = Callable[[], BudgetView | None]
"""Returns what may be spent; called when there is something to route."""
_MOVABLE = (CandidateState.READY, CandidateState.BLOCKED)
_ENDING = (RouteTarget.SKIP, RouteTarget.NO_PACK)


async def scout_result_is_valid(jobs: Sequence[RouterJob], read: Reader) -> list[str | None]:
    """Scout has judged this evidence."""
    found = await read.get_groups(ScoutResult, [job.evidence_id for job in jobs])
    return [None if job.evidence_id in found else "scout has not judged it" for job in jobs]


def _skip_failed(job: RouterJob, error: Exception) -> Outcome:
    decision = RoutingDecision(
        evidence_id=job.evidence_id,
        decision=RouteTarget.SKIP.value,
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
            Evidence, ScoutResult, TextSignature, TextBand, IngestCandidate, DiscoveredItem,
            Source, SourceHealth, RoutingDecision,
        }
    ),
    writes=frozenset({RoutingDecision, ScoutResult, IngestCandidate}),
    gates=(Gate("scout_result_is_valid", scout_result_is_valid),),
    next=frozenset({"ocr", "router"}),
    batch=500,
    on_error={ErrorClass.VALIDATION: _skip_failed, ErrorClass.CONTENT: _skip_failed},
    purpose="decides where evidence goes, and why",
)  # fmt: skip


def build_router_stage(handoffs: Iterable[Handoff]) -> Stage:
    """The declaration of a router that leads to the first stages of these packs."""
    return replace(ROUTER, next=ROUTER.next | {handoff.stage for handoff in handoffs})


def find_no_budget() -> None:
    """For installations without a configured model."""


def router(purse_of: BudgetFinder = find_no_budget, packs: Handoffs = NO_PACKS) -> StageFunction:
    """The stage, with what may be spent, and the stage where each pack's documents start."""

    async def route(jobs: Sequence[RouterJob], read: Reader) -> Sequence[Result]:
        results = await read.get_groups(ScoutResult, [job.evidence_id for job in jobs])
        evidence = await read.get_many(Evidence, list(results))
        candidates = await read.get_many(
            IngestCandidate, {entry.doc_id for entry in evidence.values()}
        )
        kin = await _find_near_copies(results, evidence, read)
        slugs = {job.source for job in jobs}
        health = await read.get_many(SourceHealth, slugs)
        sources = await read_watchers(evidence.values(), read)
        again = [job.evidence_id for job in jobs if job.original or job.visit]
        before = {
            (routed.evidence_id, routed.pack): routed
            for rows in (await read.get_groups(RoutingDecision, again)).values()
            for routed in rows
        }
        budget_view, prospects = purse_of(), None
        if budget_view is not None:
            # One snapshot for all of them: asking for each would cost more than everything else.
            prospects = await asyncio.to_thread(
                budget_view.take_snapshot, slugs, list(results), read.now_ms
            )
        terms = {slug: _build_terms(slug, health, prospects, read.now_ms) for slug in slugs}
        return [
            _build_outcome(
                job,
                [
                    _route_for_pack(
                        job,
                        pack,
                        packs.get(pack),
                        result,
                        kin.get(job.evidence_id, NO_NEAR_COPIES),
                        terms[job.source],
                        before.get((job.evidence_id, pack)),
                        candidates[evidence[job.evidence_id].doc_id],
                    )
                    for pack, result in group_results_by_pack(
                        results[job.evidence_id], sources.get(job.evidence_id)
                    ).items()
                    if not job.newcomers or pack in job.newcomers
                ],
                kin.get(job.evidence_id, NO_NEAR_COPIES),
                candidates[evidence[job.evidence_id].doc_id],
                is_taken=_is_taken_by_others(job, before.values()),
            )
            for job in jobs
        ]

    return route


def _is_taken_by_others(job: RouterJob, before: Iterable[RoutingDecision]) -> bool:
    """Whether a pack that is not a newcomer has the document already."""
    return bool(job.newcomers) and any(
        routed.evidence_id == job.evidence_id
        and routed.pack not in job.newcomers
        and routed.decision in EXTRACTING
        for routed in before
    )


@dataclass(frozen=True)
class _PackRoute:
    """The decision about a document for one pack."""

    pack: str
    handoff: Handoff | None
    judged: ScoutResult
    """Scout's result."""
    result: ScoutResult
    """Scout's result, with what is known about near-duplicates of the document."""
    terms: RoutingTerms
    route: EvidenceRoute
    before: RoutingDecision | None
    """The last decision, if the document is routed again."""
    keeps_waiting: bool = False
    """Whether the pack has the document, and only its model still has to wait."""

    @property
    def was_handed_on(self) -> bool:
        return self.before is not None and self.before.decision in EXTRACTING

    @property
    def is_finished(self) -> bool:
        """Whether the pack has the document, and waits for nothing."""
        return self.was_handed_on and self.before is not None and self.before.retry_ms is None

    @property
    def is_late_copy(self) -> bool:
        """Whether the document turns out to be a copy when the pack already has it."""
        return self.was_handed_on and self.result.duplicate_of is not None

    def records(self) -> list[Record]:
        decision = RoutingDecision(
            evidence_id=self.result.evidence_id,
            pack=self.pack,
            decision=self.route.decision.value,
            reason=self.route.reason,
            worth_it_score=self.result.worth_it_score,
            threshold=self.terms.threshold,
            provider=self.route.provider,
            denial=None if self.route.denial is None else self.route.denial.value,
            retry_ms=self.route.retry_ms,
            tokens=self.terms.tokens if self.keeps_waiting else None,
        )
        return [decision] if self.result == self.judged else [self.result, decision]


def _route_for_pack(
    job: RouterJob,
    pack: str,
    handoff: Handoff | None,
    judged: ScoutResult,
    kin: NearCopies,
    terms: RoutingTerms,
    before: RoutingDecision | None,
    candidate: IngestCandidate,
) -> _PackRoute:
    """The decision for one pack.

    A denied model keeps no document from its pack: the stage that asks the model waits with it.
    A document that comes back from there waits on if the model is still denied.
    """
    result = _add_near_copies(judged, kin)
    if handoff is not None and handoff.scouting.threshold is not None:
        terms = replace(terms, threshold=handoff.scouting.threshold)
    waits = _waits_for_model(before, candidate)
    if waits and before is not None:
        terms = replace(terms, tokens=before.tokens)
    route = decide_for_pack(pack, result, terms, is_installed=handoff is not None)
    keeps_waiting = False
    if route.decision in EXTRACTING:
        # What sends a document here for another reason does not end its wait.
        keeps_waiting = waits and (route.denial is not None or job.original is not None)
        if not keeps_waiting:
            route = replace(route, denial=None, retry_ms=None)
        elif route.denial is None and before is not None:
            denial, retry_ms = Denial(str(before.denial)), before.retry_ms or terms.now_ms
            route = replace(route, reason=before.reason, denial=denial, retry_ms=retry_ms)
    return _PackRoute(pack, handoff, judged, result, terms, route, before, keeps_waiting)


def _waits_for_model(before: RoutingDecision | None, candidate: IngestCandidate) -> bool:
    """Whether a pack has taken the document, all but what a model was to read."""
    return (
        before is not None
        and before.decision in EXTRACTING
        and before.denial is not None
        and candidate.state == CandidateState.BLOCKED
        and candidate.evidence_id == before.evidence_id
    )


async def _find_near_copies(
    results: Mapping[str, Sequence[ScoutResult]],
    evidence: Mapping[str, Evidence],
    read: Reader,
) -> dict[str, NearCopies]:
    """How the documents that are worth comparing relate to others."""
    worth = [
        evidence[key]
        for key, judged in results.items()
        if any(result.skip_reason is None and not result.needs_ocr for result in judged)
    ]
    return await find_near_copies(worth, read) if worth else {}


def _add_near_copies(result: ScoutResult, kin: NearCopies) -> ScoutResult:
    """Scout's result, with what is known about near-duplicates of the document.

    An original that was found earlier, from another document, stays if its id is lower than those
    found now. The order in which they are found therefore does not matter.
    """
    original = _choose_first_id(result.duplicate_of, kin.original)
    version_of = _choose_first_id(result.version_of, kin.version_of)
    nearest = kin.original if original is not None else kin.version_of
    is_nearest = nearest is not None and nearest.evidence_id == (original or version_of)
    return result.model_copy(
        update={
            "duplicate_of": original,
            "version_of": version_of,
            "similarity": round(nearest.share, 4) if nearest and is_nearest else result.similarity,
        }
    )


def _choose_first_id(known: str | None, found: Resemblance | None) -> str | None:
    """Of two, the one with the lower id."""
    if known is None or found is None:
        return known or (found.evidence_id if found else None)
    return min(known, found.evidence_id)


def _build_terms(
    source: str, health: Mapping[str, SourceHealth], prospects: BudgetSnapshot | None, now_ms: int
) -> RoutingTerms:
    known = health.get(source)
    return RoutingTerms(
        source=source,
        threshold=THRESHOLD if known is None else known.min_scout_score,
        standing=derive_standing(known, now_ms),
        prospects=prospects,
        now_ms=now_ms,
    )


def _build_outcome(
    job: RouterJob,
    routes: Sequence[_PackRoute],
    kin: NearCopies,
    candidate: IngestCandidate,
    *,
    is_taken: bool = False,
) -> Outcome:
    if not routes:
        # The pack that was to get it does not watch the source any more.
        return Outcome(note="skipped")
    records = [record for entry in routes for record in entry.records()]
    whole = combine_routes({entry.pack: entry.route for entry in routes})
    return Outcome(
        records=tuple(records),
        moves=_build_moves(whole, candidate, routes, is_taken=is_taken),
        next=(*_build_next_jobs(job, routes, candidate), *_build_reroute_jobs(job, kin)),
        note="blocked" if whole.is_waiting else "skipped" if whole.decision in _ENDING else "done",
    )


def _build_next_jobs(
    job: RouterJob, routes: Sequence[_PackRoute], candidate: IngestCandidate
) -> list[NextJob]:
    """The jobs that carry out the decisions: one for each pack, and at most one for OCR."""
    jobs: list[NextJob] = []
    if any(entry.route.decision is RouteTarget.OCR for entry in routes):
        scan = OcrJob(
            evidence_id=job.evidence_id,
            source=job.source,
            visit=job.visit,
            newcomers=job.newcomers,
        )
        jobs.append(NextJob("ocr", scan))
    # A document that waited for one pack, or that another source lists now, is not handed again to
    # packs that have finished with it.
    waited = any(entry.before and entry.before.retry_ms is not None for entry in routes)
    waited |= (candidate.state, candidate.evidence_id) == (CandidateState.INGESTED, job.evidence_id)
    for entry in routes:
        is_new = not (waited and entry.is_finished) and not entry.keeps_waiting
        if entry.is_late_copy or (entry.route.decision in EXTRACTING and is_new):
            jobs += _build_pack_jobs(job, entry)
    return jobs


def _build_pack_jobs(job: RouterJob, entry: _PackRoute) -> list[NextJob]:
    if entry.handoff is None:
        return []
    payload = entry.handoff.payload(
        evidence_id=job.evidence_id,
        source=job.source,
        visit=job.visit,
        pack=entry.pack,
        provider=entry.route.provider,
        # The pack has already worked on it, and must learn that it is a copy.
        original=entry.result.duplicate_of if entry.is_late_copy else None,
    )
    return [NextJob(entry.handoff.stage, payload)]


def _build_reroute_jobs(job: RouterJob, kin: NearCopies) -> list[NextJob]:
    """Documents that may have been routed before this one was known are routed again."""
    return [
        NextJob(
            "router",
            RouterJob(
                evidence_id=other.evidence_id, source=other.source_slug, original=job.evidence_id
            ),
        )
        for other in kin.others
    ]


def _build_moves(
    route: EvidenceRoute,
    candidate: IngestCandidate,
    routes: Sequence[_PackRoute],
    *,
    is_taken: bool,
) -> tuple[Move, ...]:
    # An older version may be judged after a newer one came; only the newest moves its candidate.
    evidence_id = routes[0].result.evidence_id
    if candidate.evidence_id != evidence_id or candidate.state not in _MOVABLE:
        return ()
    if route.is_waiting:
        to, reason = CandidateState.BLOCKED, route.reason
    elif route.decision in _ENDING and is_taken:
        to, reason = CandidateState.INGESTED, "another pack has it"
    elif route.decision in _ENDING:
        lasting = {
            entry.pack: replace(route, reason=_describe_lasting_reason(entry)) for entry in routes
        }
        to, reason = CandidateState.SKIPPED, combine_routes(lasting).reason
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
        # A denied budget is not a failure.
        counts=False,
        only_with=evidence_id,
        # Another worker may finish with it in the meantime: it has the copy of a document, which
        # the pack is told to take back.
        only_from=CandidateState(candidate.state),
    )
    return (move,)


def _describe_lasting_reason(entry: _PackRoute) -> str:
    """Why a document is skipped, as its history keeps it.

    The decision names the original; the history does not, because an earlier original may be found
    later, and a document that is already skipped does not move a second time.
    """
    if entry.result.duplicate_of is None:
        return entry.route.reason
    alone = entry.result.model_copy(update={"duplicate_of": None})
    without = decide_route(alone, replace(entry.terms, prospects=None))
    return without.reason if without.decision is RouteTarget.SKIP else "a copy of another document"
