"""Several packs may watch a source and judge its documents; documents have parents."""

import sqlalchemy as sa
from alembic import op

from assay.store import guards
from assay.store.database import is_sqlite

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

PER_PACK = ("scout_results", "routing_decisions", "coverage_reports")


def upgrade() -> None:
    _add_parents()
    _judge_for_each_pack()
    _let_packs_share_a_source()
    # Named after all of its columns, as the other indexes are.
    op.drop_index("ix_pipeline_progress_run_id", "pipeline_progress")
    op.create_index(
        "ix_pipeline_progress_run_id_stage_outcome",
        "pipeline_progress",
        ["run_id", "stage", "outcome"],
    )


def _add_parents() -> None:
    op.add_column("documents", sa.Column("parent_doc_id", sa.Text()))
    op.create_index("ix_documents_parent_doc_id", "documents", ["parent_doc_id"])
    op.add_column("discovered_items", sa.Column("parent_doc_id", sa.Text()))


def _judge_for_each_pack() -> None:
    """What was judged before was judged for the one pack that its source had."""
    for table in ("scout_results", "routing_decisions"):
        op.add_column(table, sa.Column("pack", sa.Text(), nullable=False, server_default=""))
        op.execute(
            f"UPDATE {table} SET pack = coalesce((SELECT s.pack FROM evidence e JOIN sources s "
            f"ON s.source_slug = e.source_slug WHERE e.evidence_id = {table}.evidence_id), '')"
        )
    for table in PER_PACK:
        with op.batch_alter_table(table) as batch:
            if table == "scout_results":
                batch.alter_column("stage_version", type_=sa.BigInteger(), nullable=False)
            batch.drop_constraint(f"pk_{table}", type_="primary")
            batch.create_primary_key(f"pk_{table}", ["evidence_id", "pack"])
    if is_sqlite(op.get_bind()):
        # There a key is changed by making the table anew, which loses its guards.
        guards.forbid_delete(op.get_bind(), PER_PACK)


def _let_packs_share_a_source() -> None:
    op.add_column("sources", sa.Column("packs", sa.JSON(), nullable=False, server_default="[]"))
    connection = op.get_bind()
    sources = sa.table("sources", sa.column("pack", sa.Text), sa.column("packs", sa.JSON))
    for pack in list(connection.execute(sa.select(sources.c.pack).distinct()).scalars()):
        if pack:
            of_pack = sa.update(sources).where(sources.c.pack == pack)
            connection.execute(of_pack.values(packs=[pack]))
    op.drop_column("sources", "pack")
