"""Router: decides where scouted evidence goes, and says why."""

from collections.abc import Sequence

from assay.engine.contract import Gate, Outcome, Result, Stage
from assay.engine.profiles import QUEUES
from assay.engine.reader import Reader
from assay.errors import ErrorClass
from assay.model.lifecycle import CandidateState, Move
from assay.model.records import Evidence, IngestCandidate, RoutingDecision, ScoutResult
from assay.stages.payloads import RouterJob

THRESHOLD = 0.40
"""The floor for a source whose health is fair or unknown."""


async def scout_result_is_valid(jobs: Sequence[RouterJob], read: Reader) -> list[str | None]:
    """Scout has judged this evidence."""
    found = await read.many(ScoutResult, [job.evidence_id for job in jobs])
    return [None if job.evidence_id in found else "scout has not judged it" for job in jobs]


def _skipped(job: RouterJob, error: Exception) -> Outcome:
    decision = RoutingDecision(
        evidence_id=job.evidence_id,
        decision="SKIP",
        reason=str(error).strip(),
        worth_it_score=0.0,
        threshold=THRESHOLD,
    )
    return Outcome(records=(decision,), note="skipped")


ROUTER = Stage(
    name="router",
    version=1,
    payload=RouterJob,
    queue=QUEUES["router"],
    reads=frozenset({Evidence, ScoutResult, IngestCandidate}),
    writes=frozenset({RoutingDecision, IngestCandidate}),
    gates=(Gate("scout_result_is_valid", scout_result_is_valid),),
    batch=500,
    on_error={ErrorClass.VALIDATION: _skipped, ErrorClass.CONTENT: _skipped},
    purpose="decides where evidence goes, and why",
)


async def router(jobs: Sequence[RouterJob], read: Reader) -> Sequence[Result]:
    """Decide for a batch."""
    results = await read.many(ScoutResult, [job.evidence_id for job in jobs])
    evidence = await read.many(Evidence, list(results))
    candidates = await read.many(IngestCandidate, {entry.doc_id for entry in evidence.values()})
    return [
        _routed(results[job.evidence_id], candidates[evidence[job.evidence_id].doc_id])
        for job in jobs
    ]


def decide(result: ScoutResult, threshold: float) -> tuple[str, str]:
    """The rules in their order; the first that holds decides."""
    if result.duplicate_of is not None:
        return "SKIP", f"a copy of {result.duplicate_of}"
    if result.skip_reason is not None:
        return "SKIP", result.skip_reason
    if result.worth_it_score < threshold:
        return "SKIP", f"score {result.worth_it_score:.2f} is under {threshold:.2f}"
    if result.needs_ocr:
        return "OCR", "the pages are pictures"
    return "EXTRACT_LOCAL", f"score {result.worth_it_score:.2f} reaches {threshold:.2f}"


def _routed(result: ScoutResult, candidate: IngestCandidate) -> Outcome:
    name, reason = decide(result, THRESHOLD)
    decision = RoutingDecision(
        evidence_id=result.evidence_id,
        decision=name,
        reason=reason,
        worth_it_score=result.worth_it_score,
        threshold=THRESHOLD,
    )
    # An older version may be judged after a newer one came; only the newest moves its candidate.
    newest = candidate.evidence_id == result.evidence_id
    moves = (
        (Move(candidate.doc_id, CandidateState.SKIPPED, reason, evidence_id=result.evidence_id),)
        if name == "SKIP" and newest
        else ()
    )
    return Outcome(
        records=(decision,),
        moves=moves,
        note="skipped" if name == "SKIP" else "done",
    )
