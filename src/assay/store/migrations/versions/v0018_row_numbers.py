"""On SQLite, no row can be replaced through its number (`rowid`) either.

Every migration ends by completing the guards, so this one only makes sure that there is one.
"""

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass
