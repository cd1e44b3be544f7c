"""What reading brings: parts of listings, maps of texts, scanned pages, near copies, questions."""

import sqlalchemy as sa
from alembic import op

from assay.store import guards

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

NEVER_DELETED = (
    "endpoint_parts",
    "scanned_pages",
    "text_signatures",
    "text_bands",
    "review_requests",
)
IMMUTABLE_COLUMNS = {
    "evidence": (
        "evidence_id",
        "url",
        "content_hash",
        "doc_id",
        "source_slug",
        "content_type",
        "size",
        "text_hash",
        "fetched_ms",
        "run_id",
    ),
    "evidence_artifacts": (
        "artifact_id",
        "evidence_id",
        "kind",
        "content_hash",
        "map_hash",
        "length",
        "page_count",
        "reader",
        "created_ms",
    ),
}


def upgrade() -> None:
    _columns()
    _tables()
    connection = op.get_bind()
    guards.forbid_delete(connection, NEVER_DELETED)
    for table, columns in IMMUTABLE_COLUMNS.items():
        guards.renew_update(connection, table, columns)


def _columns() -> None:
    text, real, whole = sa.Text(), sa.Float(), sa.BigInteger()
    added: dict[str, list[sa.Column[object]]] = {
        "sources": [sa.Column("found_at", text)],
        "endpoints": [
            sa.Column("options", sa.JSON(), nullable=False, server_default="{}"),
            sa.Column("etag", text),
            sa.Column("last_modified", text),
            sa.Column("velocity", real, nullable=False, server_default="0.5"),
            sa.Column("risk", real, nullable=False, server_default="1"),
            sa.Column("next_due_ms", whole),
            sa.Column("expected_yield", sa.JSON(), nullable=False, server_default="{}"),
            sa.Column("yield_state", sa.JSON(), nullable=False, server_default="{}"),
            sa.Column("alarm", text),
        ],
        "discovered_items": [
            sa.Column("title", text),
            sa.Column("published", text),
            sa.Column("changed", text),
        ],
        "item_visits": [sa.Column("changed", text)],
        "evidence": [sa.Column("text_hash", text)],
        "evidence_artifacts": [
            sa.Column("map_hash", text),
            sa.Column("page_count", whole, nullable=False, server_default="0"),
            sa.Column("reader", text, nullable=False, server_default=""),
        ],
        "scout_results": [sa.Column("version_of", text), sa.Column("similarity", real)],
        "routing_decisions": [
            sa.Column("provider", text),
            sa.Column("denial", text),
            sa.Column("retry_ms", whole),
        ],
    }
    for table, columns in added.items():
        for column in columns:
            op.add_column(table, column)


def _tables() -> None:
    op.create_table(
        "endpoint_parts",
        sa.Column("endpoint_id", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("changed", sa.Text(), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("last_content_hash", sa.Text(), nullable=True),
        sa.Column("item_count", sa.BigInteger(), nullable=False),
        sa.Column("read_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("endpoint_id", "url", name=op.f("pk_endpoint_parts")),
    )
    op.create_table(
        "scanned_pages",
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("page", sa.BigInteger(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("coverage", sa.Float(), nullable=False),
        sa.Column("length", sa.BigInteger(), nullable=False),
        sa.Column("flags", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("evidence_id", "page", name=op.f("pk_scanned_pages")),
    )
    op.create_table(
        "text_signatures",
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("evidence_id", name=op.f("pk_text_signatures")),
    )
    op.create_table(
        "text_bands",
        sa.Column("band", sa.BigInteger(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("band", "evidence_id", name=op.f("pk_text_bands")),
    )
    op.create_table(
        "review_requests",
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("subject_kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("source_slug", sa.Text(), nullable=True),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("deadline_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("request_id", name=op.f("pk_review_requests")),
    )
    op.create_index(
        "ix_review_requests_state_deadline_ms",
        "review_requests",
        ["state", "deadline_ms"],
        unique=False,
    )
