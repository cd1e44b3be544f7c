"""Facts keep the words that say which kind they are about."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "candidate_facts", sa.Column("qualifiers", sa.Text(), nullable=False, server_default="")
    )
