"""Storing a single event, in the caller's transaction."""

import secrets

import sqlalchemy as sa

from assay.events import Event
from assay.store import tables as t
from assay.store.bulk import insert_rows


def write_event(
    connection: sa.Connection,
    event: Event,
    at_ms: int,
    *,
    run_id: str | None = None,
    job_id: str | None = None,
    source_slug: str | None = None,
) -> None:
    """Store an event together with the change it describes."""
    row = {
        "event_id": f"{event.tag}:{secrets.token_hex(12)}",
        "tag": event.tag,
        "run_id": run_id,
        "job_id": job_id,
        "source_slug": source_slug,
        "body": event.model_dump_json(),
        "at_ms": at_ms,
    }
    insert_rows(connection, t.event, [row])
