"""Questions to a person that nobody has answered yet."""

from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.store import tables as t
from assay.store.database import plain_errors

OPEN = "OPEN"


def open_questions(app: App, limit: int = 50) -> tuple[list[dict[str, Any]], int]:
    """The most urgent first; and how many were left out."""
    is_open = t.review_request.c.state == OPEN
    query = (
        sa.select(t.review_request)
        .where(is_open)
        .order_by(t.review_request.c.deadline_ms, t.review_request.c.request_id)
        .limit(limit)
    )
    with plain_errors(), app.engine.connect() as connection:
        found = [dict(row) for row in connection.execute(query).mappings()]
        count = sa.select(sa.func.count()).select_from(t.review_request).where(is_open)
        whole = int(connection.execute(count).scalar_one())
    return found, whole - len(found)
