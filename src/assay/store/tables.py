"""The tables of the spine and the corpus floor.

A column marked `VOLATILE` tells when, where or by which run something came about. It is kept,
but two histories that ended alike may differ in it, so the canonical dump leaves it out.
"""

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Float,
    Index,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
    text,
)

from assay.store import spending as spending
from assay.store import truth as truth
from assay.store.columns import METADATA as METADATA
from assay.store.columns import (
    VOLATILE,
    flag_column,
    int_column,
    ms_column,
    real_column,
    text_column,
)
from assay.store.judgements import artifact as artifact
from assay.store.judgements import review_request as review_request
from assay.store.judgements import routing_decision as routing_decision
from assay.store.judgements import scanned_page as scanned_page
from assay.store.judgements import scout_result as scout_result
from assay.store.judgements import text_band as text_band
from assay.store.judgements import text_signature as text_signature

source = Table(
    "sources",
    METADATA,
    text_column("source_slug"),
    text_column("name"),
    text_column("base_url"),
    text_column("pack"),
    int_column("hierarchy"),
    flag_column("active"),
    text_column("found_at", null=True),
    ms_column("created_ms"),
    PrimaryKeyConstraint("source_slug"),
)

endpoint = Table(
    "endpoints",
    METADATA,
    text_column("endpoint_id"),
    text_column("source_slug"),
    text_column("url"),
    text_column("strategy"),
    text_column("frequency"),
    flag_column("active"),
    int_column("consecutive_errors"),
    text_column("last_error", null=True),
    text_column("last_content_hash", null=True),
    ms_column("last_scraped_ms", null=True),
    int_column("item_count"),
    Column("options", JSON, nullable=False),
    text_column("etag", null=True),
    text_column("last_modified", null=True),
    Column("velocity", Float, nullable=False, info=VOLATILE),
    real_column("risk"),
    ms_column("next_due_ms", null=True),
    Column("expected_yield", JSON, nullable=False),
    Column("yield_state", JSON, nullable=False, info=VOLATILE),
    text_column("alarm", null=True, volatile=True),
    PrimaryKeyConstraint("endpoint_id"),
    UniqueConstraint("source_slug", "url"),
)

endpoint_part = Table(
    "endpoint_parts",
    METADATA,
    text_column("endpoint_id"),
    text_column("url"),
    int_column("number"),
    text_column("changed", null=True),
    text_column("etag", null=True),
    text_column("last_modified", null=True),
    text_column("last_content_hash", null=True),
    int_column("item_count"),
    ms_column("read_ms"),
    PrimaryKeyConstraint("endpoint_id", "url"),
)

item = Table(
    "discovered_items",
    METADATA,
    text_column("item_id"),
    text_column("endpoint_id"),
    text_column("source_slug"),
    text_column("url"),
    text_column("doc_id"),
    text_column("title", null=True),
    text_column("published", null=True),
    text_column("changed", null=True),
    ms_column("first_seen_ms"),
    ms_column("last_seen_ms"),
    text_column("run_id", volatile=True),
    PrimaryKeyConstraint("item_id"),
    UniqueConstraint("endpoint_id", "url"),
    Index("ix_discovered_items_doc_id", "doc_id"),
)

item_visit = Table(
    "item_visits",
    METADATA,
    text_column("item_id"),
    text_column("evidence_id"),
    text_column("etag", null=True),
    text_column("last_modified", null=True),
    text_column("changed", null=True),
    ms_column("visited_ms"),
    PrimaryKeyConstraint("item_id"),
)

document = Table(
    "documents",
    METADATA,
    text_column("doc_id"),
    text_column("source_slug"),
    text_column("url"),
    text_column("title", null=True),
    ms_column("first_seen_ms"),
    PrimaryKeyConstraint("doc_id"),
)

document_source = Table(
    "document_sources",
    METADATA,
    text_column("doc_id"),
    text_column("source_kind"),
    text_column("source_ref"),
    real_column("confidence"),
    ms_column("first_seen_ms"),
    PrimaryKeyConstraint("doc_id", "source_kind", "source_ref"),
)

candidate = Table(
    "ingest_candidates",
    METADATA,
    text_column("doc_id"),
    text_column("state"),
    text_column("evidence_id", null=True),
    int_column("retry_count"),
    Column("next_retry_unix", BigInteger, nullable=True, info=VOLATILE),
    text_column("last_error", null=True),
    int_column("event_count"),
    ms_column("updated_ms"),
    PrimaryKeyConstraint("doc_id"),
    Index("ix_ingest_candidates_state_next_retry_unix", "state", "next_retry_unix"),
)

candidate_event = Table(
    "ingest_candidate_events",
    METADATA,
    text_column("doc_id"),
    int_column("seq"),
    text_column("from_state"),
    text_column("to_state"),
    text_column("reason"),
    text_column("evidence_id", null=True),
    ms_column("at_ms"),
    PrimaryKeyConstraint("doc_id", "seq"),
)

evidence = Table(
    "evidence",
    METADATA,
    text_column("evidence_id"),
    text_column("url"),
    text_column("content_hash"),
    text_column("doc_id"),
    text_column("source_slug"),
    text_column("content_type"),
    text_column("content_class", null=True),
    int_column("size"),
    text_column("text_hash", null=True),
    text_column("primary_text_artifact_id", null=True),
    ms_column("fetched_ms"),
    text_column("run_id", volatile=True),
    PrimaryKeyConstraint("evidence_id"),
    UniqueConstraint("url", "content_hash"),
    Index("ix_evidence_content_hash", "content_hash"),
    Index("ix_evidence_run_id", "run_id"),
)

progress = Table(
    "pipeline_progress",
    METADATA,
    text_column("progress_id"),
    text_column("run_id"),
    text_column("job_id"),
    text_column("parent_job_id", null=True),
    text_column("stage"),
    text_column("queue"),
    text_column("source_slug", null=True),
    text_column("subject"),
    text_column("outcome"),
    int_column("attempt"),
    int_column("records_written"),
    int_column("jobs_scheduled"),
    text_column("error_code", null=True),
    text_column("error_class", null=True),
    text_column("error_message", null=True),
    ms_column("started_ms"),
    ms_column("ended_ms"),
    PrimaryKeyConstraint("progress_id"),
    Index("ix_pipeline_progress_run_id", "run_id", "stage", "outcome"),
)

agent_run = Table(
    "agent_runs",
    METADATA,
    text_column("agent_run_id"),
    text_column("run_id"),
    text_column("job_id"),
    text_column("stage"),
    text_column("source_slug", null=True),
    text_column("evidence_id", null=True),
    text_column("provider", null=True),
    text_column("model", null=True),
    text_column("outcome"),
    int_column("items_produced"),
    int_column("tokens_used"),
    text_column("error_message", null=True),
    ms_column("started_ms"),
    ms_column("ended_ms"),
    PrimaryKeyConstraint("agent_run_id"),
)

health = Table(
    "source_health",
    METADATA,
    text_column("source_slug"),
    ms_column("window_start_ms"),
    int_column("window_size_hours"),
    int_column("total_attempts"),
    int_column("success_count"),
    int_column("empty_count"),
    int_column("error_count"),
    int_column("total_tokens_used"),
    int_column("total_items_produced"),
    real_column("avg_tokens_per_item"),
    real_column("health_score"),
    flag_column("is_paused"),
    ms_column("paused_ms", null=True),
    text_column("pause_reason", null=True),
    ms_column("pause_expires_ms", null=True),
    real_column("min_scout_score"),
    flag_column("allow_cloud"),
    real_column("budget_multiplier"),
    ms_column("updated_ms"),
    PrimaryKeyConstraint("source_slug"),
)

dead_letter = Table(
    "dead_letters",
    METADATA,
    text_column("job_id"),
    text_column("stage"),
    text_column("run_id"),
    text_column("source_slug", null=True),
    Column("payload", JSON, nullable=False),
    int_column("attempt"),
    text_column("error_code"),
    text_column("error_class"),
    text_column("error_message"),
    ms_column("died_ms"),
    PrimaryKeyConstraint("job_id"),
)

run = Table(
    "runs",
    METADATA,
    text_column("run_id"),
    text_column("label"),
    Column("params", JSON, nullable=False),
    text_column("state"),
    ms_column("started_ms"),
    ms_column("ended_ms", null=True),
    text_column("manifest_hash", null=True),
    PrimaryKeyConstraint("run_id"),
    Index("ix_runs_state", "state"),
)

job = Table(
    "jobs",
    METADATA,
    text_column("job_id"),
    text_column("stage"),
    text_column("subject"),
    text_column("run_id"),
    text_column("parent_job_id", null=True),
    text_column("source_slug", null=True),
    text_column("batch_id"),
    text_column("state"),
    int_column("priority"),
    int_column("attempt"),
    Column("payload", JSON, nullable=False),
    text_column("error_code", null=True),
    text_column("error_class", null=True),
    text_column("error_message", null=True),
    ms_column("created_ms"),
    ms_column("not_before_ms", null=True),
    ms_column("ended_ms", null=True),
    text_column("waiting_key", null=True),
    PrimaryKeyConstraint("job_id"),
    Index(
        "uq_jobs_waiting_key",
        "waiting_key",
        unique=True,
        sqlite_where=text("waiting_key IS NOT NULL"),
        postgresql_where=text("waiting_key IS NOT NULL"),
    ),
    Index("ix_jobs_batch_id", "batch_id"),
    Index("ix_jobs_run_id", "run_id", "stage", "state"),
    Index(
        "ix_jobs_live",
        "stage",
        "created_ms",
        sqlite_where=text("state = 'queued'"),
        postgresql_where=text("state = 'queued'"),
    ),
)

event = Table(
    "events",
    METADATA,
    text_column("event_id"),
    text_column("tag"),
    text_column("run_id", null=True),
    text_column("job_id", null=True),
    text_column("source_slug", null=True),
    Column("body", JSON, nullable=False),
    ms_column("at_ms"),
    PrimaryKeyConstraint("event_id"),
    Index("ix_events_run_id", "run_id"),
)

worker = Table(
    "workers",
    METADATA,
    text_column("worker_id"),
    text_column("host"),
    int_column("pid"),
    text_column("state"),
    ms_column("started_ms"),
    ms_column("heartbeat_ms"),
    int_column("lease_ms"),
    PrimaryKeyConstraint("worker_id"),
)
