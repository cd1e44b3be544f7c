"""The tables of acts, their amendments, and people's answers about them.

Documents that are stored already are read once more: which act each is the text of, which acts it
amends, and which facts it states under the names that concepts have since. No model is asked.
"""

import sqlalchemy as sa
from alembic import op

from assay.sdk.migrations import UpgradeJob, forbid_delete, queue_upgrade_jobs

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_PACK = "regulatory"
_EXTRACTED = ("EXTRACT_LOCAL", "EXTRACT_CLOUD")


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
    queue_upgrade_jobs(op.get_bind(), _list_jobs(op.get_bind()))


def _list_jobs(connection: sa.Connection) -> list[UpgradeJob]:
    """A job for the newest evidence of each document that the pack extracted."""
    names = ("ingest_candidates", "evidence", "routing_decisions")
    tables = sa.MetaData()
    tables.reflect(connection, only=names)
    candidates, evidence, routed = (tables.tables[name] for name in names)
    key = evidence.c.evidence_id
    query = (
        sa.select(key, evidence.c.source_slug)
        .join(candidates, candidates.c.evidence_id == key)
        .join(routed, routed.c.evidence_id == key)
        .where(routed.c.pack == _PACK, routed.c.decision.in_(_EXTRACTED))
        .order_by(key)
    )
    return [_build_job(*row) for row in connection.execute(query)]


def _build_job(evidence_id: str, source: str) -> UpgradeJob:
    payload = {"evidence_id": evidence_id, "source": source, "original": None, "visit": 0,
               "pack": _PACK, "provider": None}  # fmt: skip
    return UpgradeJob("law_act", 1, f"{evidence_id}/{_PACK}", payload, source)


def _create(table: str, names: tuple[str, ...], keys: int) -> None:
    op.create_table(
        table,
        *(sa.Column(name, sa.Text(), nullable=False) for name in names),
        sa.PrimaryKeyConstraint(*names[:keys], name=f"pk_{table}"),
    )
    for column in ("act_key", "doc_id"):
        op.create_index(f"ix_{table}_{column}", table, [column])
