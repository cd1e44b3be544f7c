"""Documents that wait for a model: which may go on, and what a person's answer does to them."""

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.governor.budget import BudgetRequest, BudgetSnapshot
from assay.governor.large_documents import REASON, is_yes
from assay.governor.standings import derive_standing
from assay.model.bookkeeping import SourceHealth
from assay.model.lifecycle import CandidateState, Move
from assay.model.records import IngestCandidate, ReviewRequest
from assay.spine.routing import SECTION_TOKENS, is_wait_over
from assay.store import tables as t
from assay.store.bulk import CHUNK


def find_released_candidates(
    app: App, connection: sa.Connection, now_ms: int, limit: int
) -> list[IngestCandidate]:
    """Documents whose time has not come, but whose model may be asked by now: a cap was raised, a
    circuit closed, a source unpaused, or no model is configured any more."""
    decided = t.routing_decision
    query = (
        sa.select(t.candidate, decided.c.worth_it_score, decided.c.tokens, t.evidence.c.source_slug)
        .join(decided, decided.c.evidence_id == t.candidate.c.evidence_id)
        .join(t.evidence, t.evidence.c.evidence_id == t.candidate.c.evidence_id)
        .where(
            t.candidate.c.state == CandidateState.BLOCKED.value,
            t.candidate.c.next_retry_unix > now_ms // 1000,
            decided.c.denial.is_not(None),
        )
        .order_by(t.candidate.c.doc_id, decided.c.pack)
        .limit(limit)
    )
    rows = [dict(row) for row in connection.execute(query).mappings()]
    if not rows:
        return []
    sources = {row["source_slug"] for row in rows}
    prospects = None
    # Only where something waits: most runs need not load what knows the providers.
    if (view := app.budget_view) is not None:
        evidence = {row["evidence_id"] for row in rows}
        prospects = view.read_snapshot(connection, sources, evidence, now_ms)
    health = _read_health(connection, sources)
    released = {row["doc_id"]: row for row in rows if _is_released(row, health, prospects, now_ms)}
    return [
        IngestCandidate.model_validate({name: row[name] for name in IngestCandidate.model_fields})
        for row in released.values()
    ]


def _is_released(
    row: Mapping[str, Any],
    health: Mapping[str, SourceHealth],
    prospects: BudgetSnapshot | None,
    now_ms: int,
) -> bool:
    request = BudgetRequest(
        source=row["source_slug"],
        evidence=row["evidence_id"],
        tokens=row["tokens"] or SECTION_TOKENS,
        standing=derive_standing(health.get(row["source_slug"]), now_ms),
    )
    return is_wait_over(row["worth_it_score"], request, prospects)


def _read_health(connection: sa.Connection, sources: Iterable[str]) -> dict[str, SourceHealth]:
    ordered = sorted(sources)
    query = sa.select(t.health)
    return {
        row["source_slug"]: SourceHealth.from_row(dict(row))
        for start in range(0, len(ordered), CHUNK)
        for row in connection.execute(
            query.where(t.health.c.source_slug.in_(ordered[start : start + CHUNK]))
        ).mappings()
    }


def plan_answer(connection: sa.Connection, request: ReviewRequest, answer: str) -> list[Move]:
    """What an answer does to a document of which no section fits into its cap.

    After a yes, the next run lets a model read it; after a no, it waits no longer.
    """
    evidence = sa.select(t.evidence.c.doc_id).where(t.evidence.c.evidence_id == request.subject)
    doc_id = connection.execute(evidence).scalar_one_or_none()
    said = is_yes(answer)
    if doc_id is None:
        return []
    held: dict[str, Any] = {"evidence_id": request.subject, "only_with": request.subject}
    if said or _waits_for_more(connection, request.subject):
        reason = "a person lets a model read it" if said else "a person lets no model read it"
        again = Move(
            doc_id, CandidateState.BLOCKED, reason, next_retry_unix=0, counts=False,
            only_from=CandidateState.BLOCKED, **held,
        )  # fmt: skip
        return [again]
    reason = "a person lets no model read it; its facts were extracted"
    return [
        Move(doc_id, CandidateState.READY, reason, only_from=CandidateState.BLOCKED, **held),
        Move(doc_id, CandidateState.INGESTED, reason, only_from=CandidateState.READY, **held),
    ]


def _waits_for_more(connection: sa.Connection, evidence_id: str) -> bool:
    """Whether another pack waits for the document for another reason."""
    decided = t.routing_decision
    query = sa.select(sa.func.count()).where(
        decided.c.evidence_id == evidence_id,
        decided.c.retry_ms.is_not(None),
        decided.c.denial.is_distinct_from(REASON),
    )
    return bool(connection.execute(query).scalar_one())
