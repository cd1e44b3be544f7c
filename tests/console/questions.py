"""Questions in a store: one about a rule, and others that are answered in words."""

import sqlalchemy as sa

from assay.app import App
from assay.model.records import ReviewRequest
from assay.store import truth
from assay.store.upserts import upsert_records
from tests.server.stored import LINES, publish

ABOUT_RULE, ABOUT_EVIDENCE = "rq_rule", "rq_evidence"


def ask_people(app: App) -> None:
    """A rule that waits for a person, and a question about evidence."""
    publish(app, *LINES)
    now_ms = app.clock.now_ms()
    asked = [
        ReviewRequest(
            request_id=request_id,
            reason="QUALITY",
            subject_kind=kind,
            subject=subject,
            question="Does it hold?",
            created_ms=now_ms,
            deadline_ms=now_ms + 1_000,
        )
        for request_id, kind, subject in (
            (ABOUT_RULE, "rule", "rl_books"),
            (ABOUT_EVIDENCE, "evidence", "ev_1"),
        )
    ]
    rule = truth.rule
    with app.engine.begin() as connection:
        upsert_records(connection, asked)
        connection.execute(
            sa.update(rule)
            .where(rule.c.rule_id == "rl_books")
            .values(status="PENDING_REVIEW", approved_by=None)
        )
