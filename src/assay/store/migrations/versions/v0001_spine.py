"""The tables of the spine and the corpus floor, and the guards over them."""

import sqlalchemy as sa
from alembic import op

from assay.store import guards

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NEVER_DELETED = (
    "sources",
    "endpoints",
    "discovered_items",
    "item_visits",
    "documents",
    "document_sources",
    "ingest_candidates",
    "ingest_candidate_events",
    "evidence",
    "evidence_artifacts",
    "scout_results",
    "routing_decisions",
    "pipeline_progress",
    "agent_runs",
    "source_health",
    "runs",
    "jobs",
    "events",
)
APPEND_ONLY = (
    "ingest_candidate_events",
    "events",
    "pipeline_progress",
)
IMMUTABLE_COLUMNS = {
    "evidence": (
        "evidence_id",
        "url",
        "content_hash",
        "doc_id",
        "source_slug",
        "content_type",
        "size",
        "fetched_ms",
        "run_id",
    ),
    "evidence_artifacts": (
        "artifact_id",
        "evidence_id",
        "kind",
        "content_hash",
        "length",
        "created_ms",
    ),
}


def upgrade() -> None:
    op.create_table(
        "agent_runs",
        sa.Column("agent_run_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("source_slug", sa.Text(), nullable=True),
        sa.Column("evidence_id", sa.Text(), nullable=True),
        sa.Column("provider", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("items_produced", sa.BigInteger(), nullable=False),
        sa.Column("tokens_used", sa.BigInteger(), nullable=False),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("started_ms", sa.BigInteger(), nullable=False),
        sa.Column("ended_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("agent_run_id", name=op.f("pk_agent_runs")),
    )
    op.create_table(
        "dead_letters",
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("source_slug", sa.Text(), nullable=True),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("error_code", sa.Text(), nullable=False),
        sa.Column("error_class", sa.Text(), nullable=False),
        sa.Column("error_message", sa.Text(), nullable=False),
        sa.Column("died_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_dead_letters")),
    )
    op.create_table(
        "discovered_items",
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("endpoint_id", sa.Text(), nullable=False),
        sa.Column("source_slug", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("first_seen_ms", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_ms", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("item_id", name=op.f("pk_discovered_items")),
        sa.UniqueConstraint("endpoint_id", "url", name=op.f("uq_discovered_items_endpoint_id_url")),
    )
    op.create_index("ix_discovered_items_doc_id", "discovered_items", ["doc_id"], unique=False)
    op.create_table(
        "document_sources",
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("source_kind", sa.Text(), nullable=False),
        sa.Column("source_ref", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("first_seen_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(
            "doc_id", "source_kind", "source_ref", name=op.f("pk_document_sources")
        ),
    )
    op.create_table(
        "documents",
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("source_slug", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("first_seen_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("doc_id", name=op.f("pk_documents")),
    )
    op.create_table(
        "endpoints",
        sa.Column("endpoint_id", sa.Text(), nullable=False),
        sa.Column("source_slug", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("strategy", sa.Text(), nullable=False),
        sa.Column("frequency", sa.Text(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("consecutive_errors", sa.BigInteger(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("last_content_hash", sa.Text(), nullable=True),
        sa.Column("last_scraped_ms", sa.BigInteger(), nullable=True),
        sa.Column("item_count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("endpoint_id", name=op.f("pk_endpoints")),
        sa.UniqueConstraint("source_slug", "url", name=op.f("uq_endpoints_source_slug_url")),
    )
    op.create_table(
        "events",
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("job_id", sa.Text(), nullable=True),
        sa.Column("source_slug", sa.Text(), nullable=True),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_events")),
    )
    op.create_index("ix_events_run_id", "events", ["run_id"], unique=False)
    op.create_table(
        "evidence",
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("source_slug", sa.Text(), nullable=False),
        sa.Column("content_type", sa.Text(), nullable=False),
        sa.Column("content_class", sa.Text(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("primary_text_artifact_id", sa.Text(), nullable=True),
        sa.Column("fetched_ms", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("evidence_id", name=op.f("pk_evidence")),
        sa.UniqueConstraint("url", "content_hash", name=op.f("uq_evidence_url_content_hash")),
    )
    op.create_index("ix_evidence_content_hash", "evidence", ["content_hash"], unique=False)
    op.create_index("ix_evidence_run_id", "evidence", ["run_id"], unique=False)
    op.create_table(
        "evidence_artifacts",
        sa.Column("artifact_id", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("length", sa.BigInteger(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("artifact_id", name=op.f("pk_evidence_artifacts")),
    )
    op.create_index(
        "ix_evidence_artifacts_evidence_id", "evidence_artifacts", ["evidence_id"], unique=False
    )
    op.create_table(
        "ingest_candidate_events",
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("from_state", sa.Text(), nullable=False),
        sa.Column("to_state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=True),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("doc_id", "seq", name=op.f("pk_ingest_candidate_events")),
    )
    op.create_table(
        "ingest_candidates",
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=True),
        sa.Column("retry_count", sa.BigInteger(), nullable=False),
        sa.Column("next_retry_unix", sa.BigInteger(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("event_count", sa.BigInteger(), nullable=False),
        sa.Column("updated_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("doc_id", name=op.f("pk_ingest_candidates")),
    )
    op.create_index(
        "ix_ingest_candidates_state_next_retry_unix",
        "ingest_candidates",
        ["state", "next_retry_unix"],
        unique=False,
    )
    op.create_table(
        "item_visits",
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("visited_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("item_id", name=op.f("pk_item_visits")),
    )
    op.create_table(
        "jobs",
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("parent_job_id", sa.Text(), nullable=True),
        sa.Column("source_slug", sa.Text(), nullable=True),
        sa.Column("batch_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("priority", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("error_class", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("not_before_ms", sa.BigInteger(), nullable=True),
        sa.Column("ended_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_jobs")),
    )
    op.create_index("ix_jobs_batch_id", "jobs", ["batch_id"], unique=False)
    op.create_index(
        "ix_jobs_live",
        "jobs",
        ["stage", "created_ms"],
        unique=False,
        sqlite_where=sa.text("state = 'queued'"),
        postgresql_where=sa.text("state = 'queued'"),
    )
    op.create_index("ix_jobs_run_id", "jobs", ["run_id", "stage", "state"], unique=False)
    op.create_table(
        "pipeline_progress",
        sa.Column("progress_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("parent_job_id", sa.Text(), nullable=True),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("source_slug", sa.Text(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("records_written", sa.BigInteger(), nullable=False),
        sa.Column("jobs_scheduled", sa.BigInteger(), nullable=False),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("error_class", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("started_ms", sa.BigInteger(), nullable=False),
        sa.Column("ended_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("progress_id", name=op.f("pk_pipeline_progress")),
    )
    op.create_index(
        "ix_pipeline_progress_run_id",
        "pipeline_progress",
        ["run_id", "stage", "outcome"],
        unique=False,
    )
    op.create_table(
        "routing_decisions",
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("worth_it_score", sa.Float(), nullable=False),
        sa.Column("threshold", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("evidence_id", name=op.f("pk_routing_decisions")),
    )
    op.create_table(
        "runs",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("started_ms", sa.BigInteger(), nullable=False),
        sa.Column("ended_ms", sa.BigInteger(), nullable=True),
        sa.Column("manifest_hash", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_runs")),
    )
    op.create_index("ix_runs_state", "runs", ["state"], unique=False)
    op.create_table(
        "scout_results",
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("worth_it_score", sa.Float(), nullable=False),
        sa.Column("doc_type", sa.Text(), nullable=False),
        sa.Column("needs_ocr", sa.Boolean(), nullable=False),
        sa.Column("duplicate_of", sa.Text(), nullable=True),
        sa.Column("skip_reason", sa.Text(), nullable=True),
        sa.Column("content_length", sa.BigInteger(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("boilerplate_ratio", sa.Float(), nullable=False),
        sa.Column("has_structured_data", sa.Boolean(), nullable=False),
        sa.Column("estimated_tokens", sa.BigInteger(), nullable=False),
        sa.Column("determinism_confidence", sa.Float(), nullable=False),
        sa.Column("stage_version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("evidence_id", name=op.f("pk_scout_results")),
    )
    op.create_table(
        "source_health",
        sa.Column("source_slug", sa.Text(), nullable=False),
        sa.Column("window_start_ms", sa.BigInteger(), nullable=False),
        sa.Column("window_size_hours", sa.BigInteger(), nullable=False),
        sa.Column("total_attempts", sa.BigInteger(), nullable=False),
        sa.Column("success_count", sa.BigInteger(), nullable=False),
        sa.Column("empty_count", sa.BigInteger(), nullable=False),
        sa.Column("error_count", sa.BigInteger(), nullable=False),
        sa.Column("total_tokens_used", sa.BigInteger(), nullable=False),
        sa.Column("total_items_produced", sa.BigInteger(), nullable=False),
        sa.Column("avg_tokens_per_item", sa.Float(), nullable=False),
        sa.Column("health_score", sa.Float(), nullable=False),
        sa.Column("is_paused", sa.Boolean(), nullable=False),
        sa.Column("paused_ms", sa.BigInteger(), nullable=True),
        sa.Column("pause_reason", sa.Text(), nullable=True),
        sa.Column("pause_expires_ms", sa.BigInteger(), nullable=True),
        sa.Column("min_scout_score", sa.Float(), nullable=False),
        sa.Column("allow_cloud", sa.Boolean(), nullable=False),
        sa.Column("budget_multiplier", sa.Float(), nullable=False),
        sa.Column("updated_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("source_slug", name=op.f("pk_source_health")),
    )
    op.create_table(
        "sources",
        sa.Column("source_slug", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("base_url", sa.Text(), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("hierarchy", sa.BigInteger(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("source_slug", name=op.f("pk_sources")),
    )
    op.create_table(
        "workers",
        sa.Column("worker_id", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("started_ms", sa.BigInteger(), nullable=False),
        sa.Column("heartbeat_ms", sa.BigInteger(), nullable=False),
        sa.Column("lease_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("worker_id", name=op.f("pk_workers")),
    )
    connection = op.get_bind()
    guards.forbid_delete(connection, NEVER_DELETED)
    for table in APPEND_ONLY:
        guards.forbid_update(connection, table)
    for table, columns in IMMUTABLE_COLUMNS.items():
        guards.forbid_update(connection, table, columns)
