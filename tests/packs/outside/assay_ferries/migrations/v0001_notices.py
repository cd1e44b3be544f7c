"""The table of notices."""

import sqlalchemy as sa
from alembic import op

from assay.sdk.migrations import forbid_delete

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ferry_notices",
        sa.Column("notice_id", sa.Text(), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("notice_id", name="pk_ferry_notices"),
    )
    op.create_index("ix_ferry_notices_line", "ferry_notices", ["line"])
    op.create_index("ix_ferry_notices_state", "ferry_notices", ["state"])
    forbid_delete(op.get_bind(), ["ferry_notices"])
