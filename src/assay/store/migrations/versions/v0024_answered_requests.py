"""Requests over HTTP that must not take effect twice, and an index for events in their order."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "answered_requests",
        sa.Column("request_key", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("status", sa.BigInteger(), nullable=True),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("request_key", name=op.f("pk_answered_requests")),
    )
    op.create_index("ix_answered_requests_expires_ms", "answered_requests", ["expires_ms"])
    op.create_index("ix_events_at_ms", "events", ["at_ms", "event_id"])
