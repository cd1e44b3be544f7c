"""The candidate lifecycle: one state machine, and the only place that knows its arrows.

discovered ──► ready ──► ingested          every arrow leaves an event
    │  │        │ ▲ ▲        │
    │  │        │ │ └────────┘             new evidence opens it again
    │  │        │ └──────── skipped        looked at, not worth a token
    │  │        ▼             ▲
    │  └──► blocked ──────────┘            it may come back, to be ready or skipped
    │           └──► failed                after the retry limit
    └─────► resolved                       an alias of another document
"""

from dataclasses import dataclass
from enum import StrEnum

from assay.errors import IllegalTransition
from assay.model.records import CandidateEvent, IngestCandidate


class CandidateState(StrEnum):
    """Where a document stands in the intake."""

    DISCOVERED = "discovered"
    READY = "ready"
    INGESTED = "ingested"
    BLOCKED = "blocked"
    SKIPPED = "skipped"
    FAILED = "failed"
    RESOLVED = "resolved"


_S = CandidateState

TRANSITIONS: dict[CandidateState, frozenset[CandidateState]] = {
    _S.DISCOVERED: frozenset({_S.READY, _S.BLOCKED, _S.RESOLVED}),
    _S.READY: frozenset({_S.INGESTED, _S.BLOCKED, _S.SKIPPED, _S.FAILED, _S.RESOLVED}),
    _S.BLOCKED: frozenset({_S.READY, _S.BLOCKED, _S.SKIPPED, _S.FAILED, _S.RESOLVED}),
    _S.INGESTED: frozenset({_S.READY, _S.BLOCKED, _S.RESOLVED}),
    _S.SKIPPED: frozenset({_S.READY, _S.RESOLVED}),
    _S.FAILED: frozenset({_S.READY, _S.RESOLVED}),
    _S.RESOLVED: frozenset(),
}
"""From each state, the states that it may move to. `failed` is reached only by the limit, in the
place of a `blocked` too many."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long a blocked candidate waits, and how often."""

    days: float = 14.0
    limit: int = 5


@dataclass(frozen=True, slots=True)
class Move:
    """A request to move a candidate; the lifecycle decides whether and where to."""

    doc_id: str
    to: CandidateState
    reason: str
    evidence_id: str | None = None
    next_retry_unix: int | None = None
    """When a blocked candidate may come back; by default after the policy's number of days."""
    counts: bool = True
    """Whether being blocked uses up a try. A denied budget does not, because nothing failed."""
    only_with: str | None = None
    """Move it only while it has this evidence: if newer evidence has arrived in the meantime, a
    decision about the older one no longer matters."""
    only_from: CandidateState | None = None
    """Move it only out of this state: if someone has moved it in the meantime, that stands."""


def new_candidate(doc_id: str) -> IngestCandidate:
    """A candidate at the start of the lifecycle."""
    return IngestCandidate(doc_id=doc_id, state=CandidateState.DISCOVERED.value)


def find_ready_state(candidate: IngestCandidate | None) -> CandidateState:
    """Where new evidence leads a document: an alias of another stays one, with its new evidence."""
    is_alias = candidate is not None and candidate.state == CandidateState.RESOLVED
    return CandidateState.RESOLVED if is_alias else CandidateState.READY


def advance_candidate(
    candidate: IngestCandidate, move: Move, policy: RetryPolicy, now_ms: int
) -> tuple[IngestCandidate, CandidateEvent] | None:
    """The candidate after the move and the event that records it; None if nothing changes."""
    if move.only_with is not None and move.only_with != candidate.evidence_id:
        return None
    if move.only_from is not None and move.only_from != candidate.state:
        return None
    here = CandidateState(candidate.state)
    target = move.to
    if target is CandidateState.FAILED:
        raise IllegalTransition(
            f"Candidate {move.doc_id} cannot be moved to 'failed'; only the retry limit does that.",
            advice="Block it with a reason instead.",
        )
    if here is target and target is not CandidateState.BLOCKED:
        return _renew_evidence(candidate, move, now_ms)
    if target is CandidateState.DISCOVERED or _is_already_handled(candidate, move):
        return None
    if target not in TRANSITIONS[here]:
        raise IllegalTransition(
            f"Candidate {move.doc_id} cannot go from '{here}' to '{target}' ({move.reason}).",
            advice="See the lifecycle in docs/concepts/lifecycle.md.",
        )
    retries = candidate.retry_count
    next_retry: int | None = None
    if target is CandidateState.BLOCKED:
        retries += move.counts
        if move.counts and retries > policy.limit:
            target = CandidateState.FAILED
        else:
            next_retry = move.next_retry_unix
            if next_retry is None:
                next_retry = now_ms // 1000 + int(policy.days * 86_400)
    elif here is CandidateState.FAILED or target is CandidateState.INGESTED:
        retries = 0
    return _apply_move(candidate, move, target, retries, next_retry, now_ms)


def _is_already_handled(candidate: IngestCandidate, move: Move) -> bool:
    """Whether it was only found again in another place, with evidence already dealt with."""
    ended = candidate.state in (CandidateState.INGESTED, CandidateState.SKIPPED)
    again = move.evidence_id is not None and move.evidence_id == candidate.evidence_id
    # A move that requires a state to start from knows that it was dealt with.
    return ended and again and move.to is CandidateState.READY and move.only_from is None


def _renew_evidence(
    candidate: IngestCandidate, move: Move, now_ms: int
) -> tuple[IngestCandidate, CandidateEvent] | None:
    """Record new evidence for a candidate that is already waiting; its state stays the same."""
    if move.evidence_id is None or move.evidence_id == candidate.evidence_id:
        return None
    return _apply_move(
        candidate,
        move,
        CandidateState(candidate.state),
        candidate.retry_count,
        candidate.next_retry_unix,
        now_ms,
    )


def _apply_move(
    candidate: IngestCandidate,
    move: Move,
    to: CandidateState,
    retries: int,
    next_retry: int | None,
    now_ms: int,
) -> tuple[IngestCandidate, CandidateEvent]:
    stopped = to in (CandidateState.BLOCKED, CandidateState.FAILED)
    after = candidate.model_copy(
        update={
            "state": to.value,
            "retry_count": retries,
            "next_retry_unix": next_retry,
            "last_error": move.reason if stopped else candidate.last_error,
            "evidence_id": move.evidence_id or candidate.evidence_id,
            "event_count": candidate.event_count + 1,
            "updated_ms": now_ms,
        }
    )
    event = CandidateEvent(
        doc_id=candidate.doc_id,
        seq=after.event_count,
        from_state=candidate.state,
        to_state=to.value,
        reason=move.reason,
        evidence_id=after.evidence_id,
        at_ms=now_ms,
    )
    return after, event
