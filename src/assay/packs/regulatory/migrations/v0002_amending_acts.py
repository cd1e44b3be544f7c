"""The table of texts that only amend other acts, so that a later act which amends one is noticed.

Documents that are stored already are not read again: they become known with their next version.
"""

import sqlalchemy as sa
from alembic import op

from assay.sdk.migrations import forbid_delete

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_TABLE = "law_amending_acts"


def upgrade() -> None:
    op.create_table(
        _TABLE,
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in ("evidence_id", "doc_id", "source_slug", "act_key")
        ),
        sa.PrimaryKeyConstraint("evidence_id", name=f"pk_{_TABLE}"),
    )
    for column in ("act_key", "doc_id"):
        op.create_index(f"ix_{_TABLE}_{column}", _TABLE, [column])
    forbid_delete(op.get_bind(), (_TABLE,))
