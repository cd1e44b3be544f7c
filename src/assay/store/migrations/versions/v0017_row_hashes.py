"""Facts, rules, pointers and decisions are hashed into the audit log.

The rows of earlier versions are hashed now, by entries marked as a baseline: what happened to them
before cannot be told.
"""

import time
from collections.abc import Iterator, Sequence

import sqlalchemy as sa
from alembic import op

from assay.store import guards
from assay.store.row_hashes import HashedRow, append_row_hashes, hash_row

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

HASHED = {
    "candidate_facts": (
        "fact_id", "pack", "evidence_id", "artifact_id", "doc_id", "source_slug", "domain",
        "concept", "qualifiers", "context", "subject", "predicate", "value", "value_type", "unit",
        "quote", "start", "end", "page", "confidence", "effective_from", "effective_until",
        "applies_when", "article", "amends", "replaces", "amended", "extractor",
    ),
    "conflict_resolutions": (
        "resolution_id", "conflict_id", "resolution", "winner", "ground", "confidence",
        "decided_by", "note", "undoes", "at_ms",
    ),
    "review_decisions": (
        "decision_id", "subject_kind", "subject", "decision", "person", "note", "machine",
        "version", "evidence_key", "at_ms",
    ),
    "rules": (
        "rule_id", "pack", "concept", "domain", "tier", "value", "value_type", "unit",
        "effective_from", "effective_until", "applies_when", "created_ms",
    ),
    "source_pointers": (
        "pointer_id", "rule_id", "fact_id", "evidence_id", "artifact_id", "doc_id", "source_slug",
        "quote", "start", "end", "page", "article", "confidence", "replaces", "amended",
        "borrowed",
    ),
}  # fmt: skip
"""Table → the columns that its rows' hashes cover; the first is the key."""
CHUNK = 10_000


def upgrade() -> None:
    connection = op.get_bind()
    op.create_table(
        "guard_marks",
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_guard_marks")),
    )
    op.create_table(
        "row_hashes",
        *(sa.Column(n, sa.Text(), nullable=False) for n in ("table_name", "row_key", "hash")),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("table_name", "row_key", name=op.f("pk_row_hashes")),
    )
    guards.forbid_delete(connection, ("row_hashes",))
    guards.forbid_update(connection, "row_hashes")
    now_ms = int(time.time() * 1000)
    for table, columns in HASHED.items():
        for rows in _hash_table(connection, table, columns):
            append_row_hashes(connection, rows, now_ms, baseline=True)


def _hash_table(
    connection: sa.Connection, name: str, columns: Sequence[str]
) -> Iterator[list[HashedRow]]:
    table = sa.Table(name, sa.MetaData(), autoload_with=connection)
    query = sa.select(*(table.c[column] for column in columns))
    for rows in (
        connection.execute(query.execution_options(yield_per=CHUNK)).mappings().partitions()
    ):
        yield [HashedRow(name, str(row[columns[0]]), hash_row(name, dict(row))) for row in rows]
