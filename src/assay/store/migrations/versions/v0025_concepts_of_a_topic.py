"""An index that finds the concepts of one subject and property."""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_concepts_subject_predicate", "concepts", ["subject", "predicate"])
