"""Watches, the notices of what they found, and their deliveries."""

import sqlalchemy as sa
from alembic import op

from assay.store import guards

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

NOTICE = (
    "notice_id", "kind", "title", "source_slug", "url", "concept", "evidence_id",
    "previous_evidence_id", "content", "happened_ms",
)  # fmt: skip
DELIVERY = ("delivery_id", "watch_id", "notice_id", "channel", "matched", "created_ms", "run_id")


def upgrade() -> None:
    op.create_table(
        "watches",
        *_texts("watch_id"),
        *_texts("source_slug", "url", "concept", null=True),
        *_lists("words", "channels"),
        *_texts("digest", "shown"),
        sa.Column("active", sa.Boolean(), nullable=False),
        *_numbers("created_ms"),
        sa.PrimaryKeyConstraint("watch_id", name=op.f("pk_watches")),
    )
    op.create_table(
        "notices",
        *_texts("notice_id", "kind", "title"),
        *_texts("source_slug", "url", "concept", "evidence_id", "previous_evidence_id", null=True),
        *_lists("content"),
        *_numbers("happened_ms"),
        sa.PrimaryKeyConstraint("notice_id", name=op.f("pk_notices")),
    )
    op.create_table(
        "deliveries",
        *_texts("delivery_id", "watch_id", "notice_id", "channel"),
        *_lists("matched"),
        *_texts("state"),
        *_numbers("created_ms"),
        *_numbers("sent_ms", null=True),
        *_texts("run_id"),
        sa.PrimaryKeyConstraint("delivery_id", name=op.f("pk_deliveries")),
        sa.UniqueConstraint(
            "watch_id", "notice_id", "channel",
            name=op.f("uq_deliveries_watch_id_notice_id_channel"),
        ),
    )  # fmt: skip
    for columns in (["channel", "created_ms"], ["state", "watch_id"]):
        op.create_index(f"ix_deliveries_{'_'.join(columns)}", "deliveries", columns)
    op.create_table(
        "notice_cursors",
        *_texts("log"),
        *_numbers("position"),
        sa.PrimaryKeyConstraint("log", name=op.f("pk_notice_cursors")),
    )
    op.create_index("ix_events_tag_at_ms", "events", ["tag", "at_ms"])
    connection = op.get_bind()
    guards.forbid_delete(connection, ("watches", "notices", "deliveries", "notice_cursors"))
    guards.forbid_update(connection, "notices", NOTICE)
    guards.forbid_update(connection, "deliveries", DELIVERY)
    guards.forbid_update(connection, "notice_cursors", ("log",))


def _texts(*names: str, null: bool = False) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=null) for name in names]


def _lists(*names: str) -> list[sa.Column[object]]:
    return [sa.Column(name, sa.JSON(), nullable=False) for name in names]


def _numbers(*names: str, null: bool = False) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger(), nullable=null) for name in names]
