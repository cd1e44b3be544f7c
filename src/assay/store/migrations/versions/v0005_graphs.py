"""What whole requests gave, so that equal requests share one result."""

import sqlalchemy as sa
from alembic import op

from assay.store import guards

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

NEVER_DELETED = ("request_results",)
IMMUTABLE_COLUMNS = {"request_results": ("key", "kind")}


def upgrade() -> None:
    op.create_table(
        "request_results",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("completeness", sa.Text(), nullable=False),
        sa.Column("result_hash", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_request_results")),
    )
    op.create_index(
        "ix_request_results_request_id", "request_results", ["request_id"], unique=False
    )
    connection = op.get_bind()
    guards.forbid_delete(connection, NEVER_DELETED)
    for table, columns in IMMUTABLE_COLUMNS.items():
        guards.forbid_update(connection, table, columns)
