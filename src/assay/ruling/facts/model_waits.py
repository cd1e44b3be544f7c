"""Documents whose model was denied: what was found without it counts, and the rest waits.

The decision about the document keeps why it waits and how much the denied call needs, so that each
run sees whether the reason is over. If not even one section fits into the cap on one document, a
person is asked.
"""

from dataclasses import dataclass

from assay.engine.contract import Change
from assay.errors import CallDenied, PriceUnknown
from assay.governor.large_documents import REASON, build_request
from assay.llm.scope import Denial
from assay.model.lifecycle import CandidateState, Move
from assay.model.records import Record
from assay.ruling.facts.extraction_inputs import ExtractionInput
from assay.ruling.review.consequences import ask_once, close_requests
from assay.spine.routing import EXTRACTING, LOOK_AGAIN_MS


@dataclass(frozen=True)
class ModelWait:
    """What to store of a document that waits for a model."""

    records: tuple[Record, ...]
    changes: tuple[Change, ...]
    moves: tuple[Move, ...]


def deny_unpriced(error: PriceUnknown) -> CallDenied:
    """Without a price, nobody can say whether a call stays within the cap on money."""
    return CallDenied(
        error.what, reason=Denial.GLOBAL_DAILY_CAP_EXCEEDED.value, advice=error.advice
    )


def plan_model_wait(subject: ExtractionInput, denied: CallDenied, now_ms: int) -> ModelWait:
    """Let a document wait until the model may be asked, and ask a person if that is never."""
    retry_ms = now_ms + LOOK_AGAIN_MS if denied.recovers_ms is None else denied.recovers_ms
    reason = f"no model may be asked now: {denied.what}"
    records: list[Record] = [
        decision.model_copy(
            update={
                "reason": reason,
                "denial": denied.reason or None,
                "retry_ms": retry_ms,
                "tokens": denied.tokens,
            }
        )
        for decision in subject.decisions
        if decision.pack == subject.job.pack and decision.decision in EXTRACTING
    ]
    changes: list[Change] = []
    if denied.reason == REASON and denied.recovers_ms is None:
        job, known = subject.job, [subject.question] if subject.question else []
        request = build_request(job.evidence_id, job.source, denied.what, now_ms)
        asked, changes = ask_once(request, known, now_ms)
        records += asked
    return ModelWait(tuple(records), tuple(changes), _build_moves(subject, reason, retry_ms))


def _build_moves(subject: ExtractionInput, reason: str, retry_ms: int) -> tuple[Move, ...]:
    evidence_id = subject.job.evidence_id
    candidate = subject.candidate
    if candidate is None or candidate.evidence_id != evidence_id:
        return ()
    # Another pack may have finished with the document, which waits all the same.
    return tuple(
        Move(
            subject.evidence.doc_id,
            CandidateState.BLOCKED,
            reason,
            evidence_id=evidence_id,
            next_retry_unix=-(-retry_ms // 1000),
            counts=False,
            only_with=evidence_id,
            only_from=state,
        )
        for state in (CandidateState.READY, CandidateState.INGESTED)
    )


def close_question(subject: ExtractionInput) -> tuple[Change, ...]:
    """The question about a document that has been read is closed, unless another pack waits."""
    waits_elsewhere = any(
        decision.denial == REASON and decision.pack != subject.job.pack
        for decision in subject.decisions
    )
    if subject.question is None or waits_elsewhere:
        return ()
    return tuple(close_requests([subject.question], None, frozenset({REASON})))
