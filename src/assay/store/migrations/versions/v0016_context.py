"""Facts keep what a reader needs to know who sees only their quote."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "candidate_facts", sa.Column("context", sa.Text(), nullable=False, server_default="")
    )
