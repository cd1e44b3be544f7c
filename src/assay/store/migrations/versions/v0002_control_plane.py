"""The tables of the control plane, and the guards over its ledger."""

import sqlalchemy as sa
from alembic import op

from assay.store import guards

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

NEVER_DELETED = ("llm_calls", "llm_meters", "llm_batches", "llm_batch_items")
IMMUTABLE_COLUMNS = {
    "llm_calls": (
        "call_id",
        "request_id",
        "stage",
        "source_slug",
        "evidence_id",
        "run_id",
        "job_id",
        "provider",
        "model",
        "day",
        "reserved_prompt",
        "reserved_output",
        "reserved_ms",
    )
}


def upgrade() -> None:
    op.create_table(
        "llm_answers",
        sa.Column("cache_key", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("finish", sa.Text(), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("cache_key", name=op.f("pk_llm_answers")),
    )
    op.create_table(
        "llm_batch_items",
        sa.Column("batch_id", sa.Text(), nullable=False),
        sa.Column("item_key", sa.Text(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("batch_id", "item_key", name=op.f("pk_llm_batch_items")),
    )
    op.create_table(
        "llm_batches",
        sa.Column("batch_id", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("handle", sa.Text(), nullable=True),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("submitted_ms", sa.BigInteger(), nullable=True),
        sa.Column("ended_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("batch_id", name=op.f("pk_llm_batches")),
    )
    op.create_index("ix_llm_batches_state", "llm_batches", ["state"], unique=False)
    op.create_table(
        "llm_calls",
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("source_slug", sa.Text(), nullable=True),
        sa.Column("evidence_id", sa.Text(), nullable=True),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("job_id", sa.Text(), nullable=True),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reserved_prompt", sa.BigInteger(), nullable=False),
        sa.Column("reserved_output", sa.BigInteger(), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), nullable=False),
        sa.Column("charged_tokens", sa.BigInteger(), nullable=False),
        sa.Column("charged_micros", sa.BigInteger(), nullable=True),
        sa.Column("basis", sa.Text(), nullable=False),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("probe", sa.BigInteger(), nullable=False),
        sa.Column("slot", sa.BigInteger(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.Column("reserved_ms", sa.BigInteger(), nullable=False),
        sa.Column("sent_ms", sa.BigInteger(), nullable=True),
        sa.Column("settled_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("call_id", name=op.f("pk_llm_calls")),
    )
    op.create_index(
        "ix_llm_calls_day_source_slug", "llm_calls", ["day", "source_slug"], unique=False
    )
    op.create_index(
        "ix_llm_calls_evidence_id_day", "llm_calls", ["evidence_id", "day"], unique=False
    )
    op.create_index(
        "ix_llm_calls_open",
        "llm_calls",
        ["provider"],
        unique=False,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )
    op.create_index("ix_llm_calls_request_id", "llm_calls", ["request_id"], unique=False)
    op.create_table(
        "llm_cooldowns",
        sa.Column("source_slug", sa.Text(), nullable=False),
        sa.Column("empties", sa.BigInteger(), nullable=False),
        sa.Column("until_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("source_slug", name=op.f("pk_llm_cooldowns")),
    )
    op.create_table(
        "llm_estimates",
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("samples", sa.BigInteger(), nullable=False),
        sa.Column("factor", sa.Float(), nullable=False),
        sa.Column("highest", sa.Float(), nullable=False),
        sa.Column("updated_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("provider", "model", name=op.f("pk_llm_estimates")),
    )
    op.create_table(
        "llm_meters",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("meter", sa.Text(), nullable=False),
        sa.Column("calls", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("micros", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", "meter", name=op.f("pk_llm_meters")),
    )
    op.create_table(
        "llm_state",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("updated_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_llm_state")),
    )
    op.create_table(
        "llm_tickets",
        sa.Column("ticket_id", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("priority", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("since_ms", sa.BigInteger(), nullable=False),
        sa.Column("due_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("ticket_id", name=op.f("pk_llm_tickets")),
    )
    op.create_index("ix_llm_tickets_provider", "llm_tickets", ["provider"], unique=False)
    connection = op.get_bind()
    guards.forbid_delete(connection, NEVER_DELETED)
    for table, columns in IMMUTABLE_COLUMNS.items():
        guards.forbid_update(connection, table, columns)
