"""The tables of acts, their amendments, and people's answers about them."""

import sqlalchemy as sa
from alembic import op

from assay.sdk.migrations import forbid_delete

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create("law_texts", ("evidence_id", "doc_id", "source_slug", "act_key", "title"), 1)
    _create("law_amendments", ("evidence_id", "act_key", "doc_id", "source_slug", "act_name"), 2)
    op.create_table(
        "law_answers",
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("request_id", name="pk_law_answers"),
    )
    op.create_table(
        "law_states",
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("ends", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("subject", name="pk_law_states"),
    )
    tables = ("law_texts", "law_amendments", "law_answers", "law_states")
    forbid_delete(op.get_bind(), tables)


def _create(table: str, names: tuple[str, ...], keys: int) -> None:
    op.create_table(
        table,
        *(sa.Column(name, sa.Text(), nullable=False) for name in names),
        sa.PrimaryKeyConstraint(*names[:keys], name=f"pk_{table}"),
    )
    for column in ("act_key", "doc_id"):
        op.create_index(f"ix_{table}_{column}", table, [column])
