"""Indexes for the newest jobs and dead letters, and for what was done lately."""

from alembic import op

revision = "0026"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_jobs_created_ms_job_id", "jobs", ["created_ms", "job_id"])
    op.create_index("ix_dead_letters_died_ms_job_id", "dead_letters", ["died_ms", "job_id"])
    op.create_index(
        "ix_pipeline_progress_ended_ms_stage", "pipeline_progress", ["ended_ms", "stage"]
    )
