"""Moving candidates along their lifecycle, in the caller's transaction."""

from collections.abc import Sequence

import sqlalchemy as sa

from assay.model.lifecycle import (
    CandidateState,
    Move,
    RetryPolicy,
    advance_candidate,
    new_candidate,
)
from assay.model.records import CandidateEvent, IngestCandidate
from assay.store import tables as t
from assay.store.bulk import CHUNK, insert_new_rows
from assay.store.database import begin_writing
from assay.store.upserts import upsert_records


def move_candidates(
    connection: sa.Connection, moves: Sequence[Move], policy: RetryPolicy, now_ms: int
) -> int:
    """Apply the moves in order; each one that changes something writes an event."""
    if not moves:
        return 0
    held = _lock_or_begin(connection, sorted({move.doc_id for move in moves}))
    events: list[CandidateEvent] = []
    for move in moves:
        result = advance_candidate(held[move.doc_id], move, policy, now_ms)
        if result is not None:
            held[move.doc_id], event = result
            events.append(event)
    upsert_records(connection, list(held.values()))
    upsert_records(connection, events)
    return len(events)


def _lock_or_begin(connection: sa.Connection, doc_ids: Sequence[str]) -> dict[str, IngestCandidate]:
    """The candidates, created where they are missing, locked until the transaction ends."""
    begin_writing(connection)
    held = _lock_candidates(connection, doc_ids)
    missing = [doc_id for doc_id in doc_ids if doc_id not in held]
    # Two workers may meet a document at once; the second waits here, then sees the first's row.
    created = [new_candidate(doc_id).row() for doc_id in missing]
    insert_new_rows(connection, t.candidate, ("doc_id",), created)
    held.update(_lock_candidates(connection, missing))
    return held


def _lock_candidates(
    connection: sa.Connection, doc_ids: Sequence[str]
) -> dict[str, IngestCandidate]:
    held: dict[str, IngestCandidate] = {}
    for start in range(0, len(doc_ids), CHUNK):
        query = (
            sa.select(t.candidate)
            .where(t.candidate.c.doc_id.in_(doc_ids[start : start + CHUNK]))
            .order_by(t.candidate.c.doc_id)
            .with_for_update()
        )
        for row in connection.execute(query).mappings():
            held[row["doc_id"]] = IngestCandidate(**row)
    return held


def find_due_candidates(
    connection: sa.Connection, now_ms: int, limit: int = 1000
) -> list[IngestCandidate]:
    """Blocked candidates that are due for another try."""
    query = (
        sa.select(t.candidate)
        .where(t.candidate.c.state == CandidateState.BLOCKED.value)
        .where(t.candidate.c.next_retry_unix <= now_ms // 1000)
        .order_by(t.candidate.c.next_retry_unix, t.candidate.c.doc_id)
        .limit(limit)
    )
    return [IngestCandidate(**row) for row in connection.execute(query).mappings()]
