"""Versions that a source dates itself, and the files of watched git repositories."""

import sqlalchemy as sa
from alembic import op

from assay.store import guards

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

IMMUTABLE = (
    "evidence_id", "url", "content_hash", "doc_id", "source_slug", "content_type", "size",
    "text_hash", "fetched_ms", "previous_seen_ms", "version", "version_ms", "run_id",
)  # fmt: skip


def upgrade() -> None:
    op.add_column("evidence", sa.Column("version", sa.Text(), nullable=True))
    op.add_column("evidence", sa.Column("version_ms", sa.BigInteger(), nullable=True))
    guards.renew_update(op.get_bind(), "evidence", IMMUTABLE)
    op.create_table(
        "repository_files",
        sa.Column("endpoint_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("blob", sa.Text(), nullable=True),
        sa.Column("is_moved", sa.Boolean(), nullable=False),
        sa.Column("commit_id", sa.Text(), nullable=False),
        sa.Column("version_ms", sa.BigInteger(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("endpoint_id", "path", name=op.f("pk_repository_files")),
    )
    guards.forbid_delete(op.get_bind(), ("repository_files",))
