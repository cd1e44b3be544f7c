"""Facts end when a later document says so, and may quote the words that they amend."""

import sqlalchemy as sa
from alembic import op

from assay.store import guards

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "fact_ends",
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in ("fact_id", "by_evidence_id", "pack", "day", "doubt", "quote")
        ),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("end", sa.BigInteger(), nullable=False),
        sa.Column("holds", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("fact_id", "by_evidence_id", name=op.f("pk_fact_ends")),
    )
    op.create_index("ix_fact_ends_by_evidence_id", "fact_ends", ["by_evidence_id"])
    guards.forbid_delete(op.get_bind(), ("fact_ends",))
    for table in ("candidate_facts", "source_pointers"):
        op.add_column(table, sa.Column("amended", sa.JSON(), nullable=True))
