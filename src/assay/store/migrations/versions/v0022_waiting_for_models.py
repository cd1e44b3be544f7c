"""A denied model keeps no document from its pack's own extractor any more.

A decision keeps how much the denied call needs, so that the next run sees whether it fits by now.
Documents that were held back as a whole go on with the next run.
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("routing_decisions", sa.Column("tokens", sa.BigInteger(), nullable=True))
    op.execute(
        "UPDATE ingest_candidates SET next_retry_unix = 0 WHERE state = 'blocked' AND evidence_id "
        "IN (SELECT evidence_id FROM routing_decisions WHERE decision = 'BLOCKED')"
    )
