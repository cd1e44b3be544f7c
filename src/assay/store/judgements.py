"""The tables of what was made of evidence: texts, judgements, routes and questions."""

from sqlalchemy import JSON, Column, Float, Index, Integer, PrimaryKeyConstraint, Table

from assay.store.columns import (
    METADATA,
    flag_column,
    int_column,
    ms_column,
    real_column,
    text_column,
)

artifact = Table(
    "evidence_artifacts",
    METADATA,
    text_column("artifact_id"),
    text_column("evidence_id"),
    text_column("kind"),
    text_column("content_hash"),
    text_column("map_hash", null=True),
    int_column("length"),
    int_column("page_count"),
    text_column("reader"),
    ms_column("created_ms"),
    PrimaryKeyConstraint("artifact_id"),
    Index("ix_evidence_artifacts_evidence_id", "evidence_id"),
)

scanned_page = Table(
    "scanned_pages",
    METADATA,
    text_column("evidence_id"),
    int_column("page"),
    real_column("confidence"),
    real_column("coverage"),
    int_column("length"),
    Column("flags", JSON, nullable=False),
    PrimaryKeyConstraint("evidence_id", "page"),
)

text_signature = Table(
    "text_signatures",
    METADATA,
    text_column("evidence_id"),
    text_column("signature"),
    PrimaryKeyConstraint("evidence_id"),
)

text_band = Table(
    "text_bands",
    METADATA,
    int_column("band"),
    text_column("evidence_id"),
    PrimaryKeyConstraint("band", "evidence_id"),
)

scout_result = Table(
    "scout_results",
    METADATA,
    text_column("evidence_id"),
    real_column("worth_it_score"),
    text_column("doc_type"),
    flag_column("needs_ocr"),
    text_column("duplicate_of", null=True),
    text_column("version_of", null=True),
    Column("similarity", Float, nullable=True),
    text_column("skip_reason", null=True),
    int_column("content_length"),
    text_column("language"),
    real_column("boilerplate_ratio"),
    flag_column("has_structured_data"),
    int_column("estimated_tokens"),
    real_column("determinism_confidence"),
    Column("stage_version", Integer, nullable=False),
    PrimaryKeyConstraint("evidence_id"),
)

routing_decision = Table(
    "routing_decisions",
    METADATA,
    text_column("evidence_id"),
    text_column("decision"),
    text_column("reason"),
    real_column("worth_it_score"),
    real_column("threshold"),
    text_column("provider", null=True),
    text_column("denial", null=True),
    ms_column("retry_ms", null=True),
    PrimaryKeyConstraint("evidence_id"),
)

review_request = Table(
    "review_requests",
    METADATA,
    text_column("request_id"),
    text_column("reason"),
    text_column("subject_kind"),
    text_column("subject"),
    text_column("source_slug", null=True),
    text_column("question"),
    text_column("state"),
    text_column("answer", null=True),
    text_column("answered_by", null=True),
    ms_column("answered_ms", null=True),
    ms_column("created_ms"),
    ms_column("deadline_ms"),
    PrimaryKeyConstraint("request_id"),
    Index("ix_review_requests_state_deadline_ms", "state", "deadline_ms"),
    Index("ix_review_requests_subject", "subject"),
)
