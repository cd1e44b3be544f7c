"""Coverage counts relevant sentences. Older homes have that column under the name of a pack."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    names = [each["name"] for each in sa.inspect(op.get_bind()).get_columns("coverage_reports")]
    if "relevant" not in names:
        # Whatever it is called, it follows the number of sentences.
        before = names[names.index("sentences") + 1]
        op.execute(f'ALTER TABLE coverage_reports RENAME COLUMN "{before}" TO relevant')
