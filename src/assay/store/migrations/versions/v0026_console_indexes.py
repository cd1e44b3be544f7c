"""Indexes for the newest jobs and dead letters, what was done lately, and a source's documents."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_jobs_created_ms_job_id", "jobs", ["created_ms", "job_id"])
    given_up = sa.text("state IN ('dead', 'cancelled', 'discarded')")
    op.create_index(
        "ix_jobs_given_up",
        "jobs",
        ["created_ms", "job_id"],
        sqlite_where=given_up,
        postgresql_where=given_up,
    )
    op.create_index("ix_evidence_doc_id", "evidence", ["doc_id"])
    op.create_index("ix_documents_source_slug", "documents", ["source_slug"])
    op.create_index("ix_dead_letters_died_ms_job_id", "dead_letters", ["died_ms", "job_id"])
    op.create_index(
        "ix_pipeline_progress_ended_ms_stage", "pipeline_progress", ["ended_ms", "stage"]
    )
