"""Jobs that wait have a key, so that each subject waits once."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("jobs", sa.Column("waiting_key", sa.Text(), nullable=True))
    op.create_index(
        "uq_jobs_waiting_key",
        "jobs",
        ["waiting_key"],
        unique=True,
        sqlite_where=sa.text("waiting_key IS NOT NULL"),
        postgresql_where=sa.text("waiting_key IS NOT NULL"),
    )
