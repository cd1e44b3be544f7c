"""Coverage counts values, has no share of nothing, and names outdated facts."""

import sqlalchemy as sa
from alembic import op

from assay.store import guards
from assay.store.database import is_sqlite

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("coverage_reports") as batch:
        batch.alter_column("share", existing_type=sa.Float(), nullable=True)
        for name in ("values_total", "values_found"):
            batch.add_column(sa.Column(name, sa.BigInteger(), nullable=False, server_default="0"))
        batch.add_column(sa.Column("outdated", sa.JSON(), nullable=False, server_default="[]"))
    if is_sqlite(op.get_bind()):
        # There a column is changed by making the table anew, which loses its guards.
        guards.forbid_delete(op.get_bind(), ("coverage_reports",))
    op.execute("UPDATE coverage_reports SET share = NULL WHERE relevant = 0")
