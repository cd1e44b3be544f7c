"""The tables of lists, references, ids, details, resolutions, texts and watches."""

import sqlalchemy as sa
from alembic import op

from assay.sdk.migrations import forbid_delete, forbid_update

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "literature_lists",
        sa.Column("list_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("tier", sa.Text(), nullable=False),
        sa.Column("follow", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("list_id", name="pk_literature_lists"),
    )
    op.create_table(
        "literature_references",
        sa.Column("reference_id", sa.Text(), nullable=False),
        sa.Column("list_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("citing", sa.Text(), nullable=False),
        sa.Column("ids", sa.JSON(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=True),
        sa.Column("urls", sa.JSON(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("authors", sa.JSON(), nullable=False),
        sa.Column("year", sa.BigInteger(), nullable=True),
        sa.Column("venue", sa.Text(), nullable=False),
        sa.Column("abstract", sa.Text(), nullable=False),
        sa.Column("section", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("end", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("reference_id", name="pk_literature_references"),
    )
    op.create_index("ix_literature_references_citing", "literature_references", ["citing"])
    op.create_index("ix_literature_references_doc_id", "literature_references", ["doc_id"])
    op.create_index("ix_literature_references_list_id", "literature_references", ["list_id"])
    op.create_index("ix_literature_references_run_id", "literature_references", ["run_id"])
    op.create_table(
        "literature_ids",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("is_disputed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_literature_ids"),
    )
    op.create_index("ix_literature_ids_doc_id", "literature_ids", ["doc_id"])
    op.create_table(
        "literature_links",
        sa.Column("link_id", sa.Text(), nullable=False),
        sa.Column("first", sa.Text(), nullable=False),
        sa.Column("second", sa.Text(), nullable=False),
        sa.Column("stated_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("link_id", name="pk_literature_links"),
    )
    op.create_index("ix_literature_links_first", "literature_links", ["first"])
    op.create_index("ix_literature_links_second", "literature_links", ["second"])
    op.create_table(
        "literature_decisions",
        sa.Column("link_id", sa.Text(), nullable=False),
        sa.Column("first", sa.Text(), nullable=False),
        sa.Column("second", sa.Text(), nullable=False),
        sa.Column("is_same", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("link_id", name="pk_literature_decisions"),
    )
    op.create_index("ix_literature_decisions_first", "literature_decisions", ["first"])
    op.create_index("ix_literature_decisions_second", "literature_decisions", ["second"])
    op.create_table(
        "literature_details",
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("ids", sa.JSON(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("authors", sa.JSON(), nullable=False),
        sa.Column("year", sa.BigInteger(), nullable=True),
        sa.Column("venue", sa.Text(), nullable=False),
        sa.Column("abstract", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("pdf_urls", sa.JSON(), nullable=False),
        sa.Column("landing_url", sa.Text(), nullable=False),
        sa.Column("cites", sa.JSON(), nullable=False),
        sa.Column("is_retracted", sa.Boolean(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("doc_id", "provider", name="pk_literature_details"),
    )
    op.create_table(
        "literature_resolutions",
        sa.Column("resolution_id", sa.Text(), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("found", sa.JSON(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("resolution_id", name="pk_literature_resolutions"),
    )
    op.create_index("ix_literature_resolutions_doc_id", "literature_resolutions", ["doc_id"])
    op.create_index("ix_literature_resolutions_run_id", "literature_resolutions", ["run_id"])
    op.create_table(
        "literature_texts",
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("artifact_id", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.Text(), nullable=False),
        sa.Column("passages_hash", sa.Text(), nullable=False),
        sa.Column("vectors_hash", sa.Text(), nullable=False),
        sa.Column("embedder", sa.Text(), nullable=False),
        sa.Column("passages", sa.BigInteger(), nullable=False),
        sa.Column("pages", sa.BigInteger(), nullable=False),
        sa.Column("sections", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("doc_id", name="pk_literature_texts"),
    )
    op.create_table(
        "literature_watches",
        sa.Column("watch_id", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("filters", sa.JSON(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("watch_id", name="pk_literature_watches"),
    )
    op.create_table(
        "literature_hits",
        sa.Column("watch_id", sa.Text(), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("found_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("watch_id", "doc_id", name="pk_literature_hits"),
    )
    forbid_delete(
        op.get_bind(),
        [
            "literature_lists",
            "literature_references",
            "literature_ids",
            "literature_links",
            "literature_decisions",
            "literature_details",
            "literature_resolutions",
            "literature_texts",
            "literature_watches",
            "literature_hits",
        ],
    )
    for table in ("literature_references", "literature_resolutions"):
        forbid_update(op.get_bind(), table)
