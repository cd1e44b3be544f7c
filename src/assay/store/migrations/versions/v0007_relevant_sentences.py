"""Coverage counts relevant sentences: what a pack looks for need not be a regulation."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE coverage_reports RENAME COLUMN regulatory TO relevant")
