"""A page that changed on an unknown day: when its earlier version was last seen, and since when
facts may have ended. Earlier stores did not record whether the last visit found the page gone."""

import sqlalchemy as sa
from alembic import op

from assay.store import guards

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

IMMUTABLE = (
    "evidence_id", "url", "content_hash", "doc_id", "source_slug", "content_type", "size",
    "text_hash", "fetched_ms", "previous_seen_ms", "run_id",
)  # fmt: skip


def upgrade() -> None:
    op.add_column("evidence", sa.Column("previous_seen_ms", sa.BigInteger(), nullable=True))
    guards.renew_update(op.get_bind(), "evidence", IMMUTABLE)
    op.add_column(
        "item_visits", sa.Column("seen_ms", sa.BigInteger(), nullable=False, server_default="0")
    )
    op.execute("UPDATE item_visits SET seen_ms = visited_ms")
    op.add_column("fact_ends", sa.Column("since", sa.Text(), nullable=False, server_default=""))
