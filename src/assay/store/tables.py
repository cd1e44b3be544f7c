"""Every table of the store.

A column marked `VOLATILE` tells when, where or by which run something came about. It is kept,
but two histories that ended alike may differ in it, so the canonical dump leaves it out.
"""

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)
VOLATILE = {"volatile": True}


def _text(name: str, *, null: bool = False, volatile: bool = False) -> Column[Any]:
    return Column(name, Text, nullable=null, info=VOLATILE if volatile else {})


def _ms(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, BigInteger, nullable=null, info=VOLATILE)


def _int(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, BigInteger, nullable=null)


def _flag(name: str) -> Column[Any]:
    return Column(name, Boolean, nullable=False)


def _real(name: str) -> Column[Any]:
    return Column(name, Float, nullable=False)


source = Table(
    "sources",
    METADATA,
    _text("source_slug"),
    _text("name"),
    _text("base_url"),
    _text("pack"),
    _int("hierarchy"),
    _flag("active"),
    _ms("created_ms"),
    PrimaryKeyConstraint("source_slug"),
)

endpoint = Table(
    "endpoints",
    METADATA,
    _text("endpoint_id"),
    _text("source_slug"),
    _text("url"),
    _text("strategy"),
    _text("frequency"),
    _flag("active"),
    _int("consecutive_errors"),
    _text("last_error", null=True),
    _text("last_content_hash", null=True),
    _ms("last_scraped_ms", null=True),
    _int("item_count"),
    PrimaryKeyConstraint("endpoint_id"),
    UniqueConstraint("source_slug", "url"),
)

item = Table(
    "discovered_items",
    METADATA,
    _text("item_id"),
    _text("endpoint_id"),
    _text("source_slug"),
    _text("url"),
    _text("doc_id"),
    _ms("first_seen_ms"),
    _ms("last_seen_ms"),
    _text("run_id", volatile=True),
    PrimaryKeyConstraint("item_id"),
    UniqueConstraint("endpoint_id", "url"),
    Index("ix_discovered_items_doc_id", "doc_id"),
)

item_visit = Table(
    "item_visits",
    METADATA,
    _text("item_id"),
    _text("evidence_id"),
    _text("etag", null=True),
    _text("last_modified", null=True),
    _ms("visited_ms"),
    PrimaryKeyConstraint("item_id"),
)

document = Table(
    "documents",
    METADATA,
    _text("doc_id"),
    _text("source_slug"),
    _text("url"),
    _text("title", null=True),
    _ms("first_seen_ms"),
    PrimaryKeyConstraint("doc_id"),
)

document_source = Table(
    "document_sources",
    METADATA,
    _text("doc_id"),
    _text("source_kind"),
    _text("source_ref"),
    _real("confidence"),
    _ms("first_seen_ms"),
    PrimaryKeyConstraint("doc_id", "source_kind", "source_ref"),
)

candidate = Table(
    "ingest_candidates",
    METADATA,
    _text("doc_id"),
    _text("state"),
    _text("evidence_id", null=True),
    _int("retry_count"),
    Column("next_retry_unix", BigInteger, nullable=True, info=VOLATILE),
    _text("last_error", null=True),
    _int("event_count"),
    _ms("updated_ms"),
    PrimaryKeyConstraint("doc_id"),
    Index("ix_ingest_candidates_state_next_retry_unix", "state", "next_retry_unix"),
)

candidate_event = Table(
    "ingest_candidate_events",
    METADATA,
    _text("doc_id"),
    _int("seq"),
    _text("from_state"),
    _text("to_state"),
    _text("reason"),
    _text("evidence_id", null=True),
    _ms("at_ms"),
    PrimaryKeyConstraint("doc_id", "seq"),
)

evidence = Table(
    "evidence",
    METADATA,
    _text("evidence_id"),
    _text("url"),
    _text("content_hash"),
    _text("doc_id"),
    _text("source_slug"),
    _text("content_type"),
    _text("content_class", null=True),
    _int("size"),
    _text("primary_text_artifact_id", null=True),
    _ms("fetched_ms"),
    _text("run_id", volatile=True),
    PrimaryKeyConstraint("evidence_id"),
    UniqueConstraint("url", "content_hash"),
    Index("ix_evidence_content_hash", "content_hash"),
    Index("ix_evidence_run_id", "run_id"),
)

artifact = Table(
    "evidence_artifacts",
    METADATA,
    _text("artifact_id"),
    _text("evidence_id"),
    _text("kind"),
    _text("content_hash"),
    _int("length"),
    _ms("created_ms"),
    PrimaryKeyConstraint("artifact_id"),
    Index("ix_evidence_artifacts_evidence_id", "evidence_id"),
)

scout_result = Table(
    "scout_results",
    METADATA,
    _text("evidence_id"),
    _real("worth_it_score"),
    _text("doc_type"),
    _flag("needs_ocr"),
    _text("duplicate_of", null=True),
    _text("skip_reason", null=True),
    _int("content_length"),
    _text("language"),
    _real("boilerplate_ratio"),
    _flag("has_structured_data"),
    _int("estimated_tokens"),
    _real("determinism_confidence"),
    Column("stage_version", Integer, nullable=False),
    PrimaryKeyConstraint("evidence_id"),
)

routing_decision = Table(
    "routing_decisions",
    METADATA,
    _text("evidence_id"),
    _text("decision"),
    _text("reason"),
    _real("worth_it_score"),
    _real("threshold"),
    PrimaryKeyConstraint("evidence_id"),
)

progress = Table(
    "pipeline_progress",
    METADATA,
    _text("progress_id"),
    _text("run_id"),
    _text("job_id"),
    _text("parent_job_id", null=True),
    _text("stage"),
    _text("queue"),
    _text("source_slug", null=True),
    _text("subject"),
    _text("outcome"),
    _int("attempt"),
    _int("records_written"),
    _int("jobs_scheduled"),
    _text("error_code", null=True),
    _text("error_class", null=True),
    _text("error_message", null=True),
    _ms("started_ms"),
    _ms("ended_ms"),
    PrimaryKeyConstraint("progress_id"),
    Index("ix_pipeline_progress_run_id", "run_id", "stage", "outcome"),
)

agent_run = Table(
    "agent_runs",
    METADATA,
    _text("agent_run_id"),
    _text("run_id"),
    _text("job_id"),
    _text("stage"),
    _text("source_slug", null=True),
    _text("evidence_id", null=True),
    _text("provider", null=True),
    _text("model", null=True),
    _text("outcome"),
    _int("items_produced"),
    _int("tokens_used"),
    _text("error_message", null=True),
    _ms("started_ms"),
    _ms("ended_ms"),
    PrimaryKeyConstraint("agent_run_id"),
)

health = Table(
    "source_health",
    METADATA,
    _text("source_slug"),
    _ms("window_start_ms"),
    _int("window_size_hours"),
    _int("total_attempts"),
    _int("success_count"),
    _int("empty_count"),
    _int("error_count"),
    _int("total_tokens_used"),
    _int("total_items_produced"),
    _real("avg_tokens_per_item"),
    _real("health_score"),
    _flag("is_paused"),
    _ms("paused_ms", null=True),
    _text("pause_reason", null=True),
    _ms("pause_expires_ms", null=True),
    _real("min_scout_score"),
    _flag("allow_cloud"),
    _real("budget_multiplier"),
    _ms("updated_ms"),
    PrimaryKeyConstraint("source_slug"),
)

dead_letter = Table(
    "dead_letters",
    METADATA,
    _text("job_id"),
    _text("stage"),
    _text("run_id"),
    _text("source_slug", null=True),
    Column("payload", JSON, nullable=False),
    _int("attempt"),
    _text("error_code"),
    _text("error_class"),
    _text("error_message"),
    _ms("died_ms"),
    PrimaryKeyConstraint("job_id"),
)

run = Table(
    "runs",
    METADATA,
    _text("run_id"),
    _text("label"),
    Column("params", JSON, nullable=False),
    _text("state"),
    _ms("started_ms"),
    _ms("ended_ms", null=True),
    _text("manifest_hash", null=True),
    PrimaryKeyConstraint("run_id"),
    Index("ix_runs_state", "state"),
)

job = Table(
    "jobs",
    METADATA,
    _text("job_id"),
    _text("stage"),
    _text("subject"),
    _text("run_id"),
    _text("parent_job_id", null=True),
    _text("source_slug", null=True),
    _text("batch_id"),
    _text("state"),
    _int("priority"),
    _int("attempt"),
    Column("payload", JSON, nullable=False),
    _text("error_code", null=True),
    _text("error_class", null=True),
    _text("error_message", null=True),
    _ms("created_ms"),
    _ms("not_before_ms", null=True),
    _ms("ended_ms", null=True),
    PrimaryKeyConstraint("job_id"),
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
    _text("event_id"),
    _text("tag"),
    _text("run_id", null=True),
    _text("job_id", null=True),
    _text("source_slug", null=True),
    Column("body", JSON, nullable=False),
    _ms("at_ms"),
    PrimaryKeyConstraint("event_id"),
    Index("ix_events_run_id", "run_id"),
)

worker = Table(
    "workers",
    METADATA,
    _text("worker_id"),
    _text("host"),
    _int("pid"),
    _text("state"),
    _ms("started_ms"),
    _ms("heartbeat_ms"),
    _int("lease_ms"),
    PrimaryKeyConstraint("worker_id"),
)
