"""The pace towards vendors' portals, which all workers share."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "paces",
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("free_ms", sa.BigInteger(), nullable=False),
        sa.Column("gap_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("line", name=op.f("pk_paces")),
    )
