"""The tables of facts, rules, conflicts, decisions, the audit log and releases."""

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    Float,
    Index,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
)

from assay.store.columns import (
    METADATA,
    flag_column,
    int_column,
    ms_column,
    real_column,
    text_column,
)

PERSON_APPROVED = (
    "tier IN ('T2', 'T3') OR status NOT IN ('APPROVED', 'PUBLISHED') "
    "OR (approved_by IS NOT NULL AND approved_by <> '')"
)
"""The database itself refuses a rate, deadline, penalty or threshold that no person approved."""

candidate_fact = Table(
    "candidate_facts",
    METADATA,
    text_column("fact_id"),
    text_column("pack"),
    text_column("evidence_id"),
    text_column("artifact_id"),
    text_column("doc_id"),
    text_column("source_slug"),
    text_column("domain"),
    text_column("concept"),
    text_column("subject"),
    text_column("predicate"),
    text_column("value"),
    text_column("value_type"),
    text_column("unit"),
    text_column("quote"),
    int_column("start"),
    int_column("end"),
    int_column("page", null=True),
    real_column("confidence"),
    text_column("effective_from", null=True),
    text_column("effective_until", null=True),
    text_column("applies_when"),
    text_column("article"),
    flag_column("amends"),
    text_column("replaces", null=True),
    text_column("extractor"),
    PrimaryKeyConstraint("fact_id"),
    Index("ix_candidate_facts_evidence_id", "evidence_id"),
    Index("ix_candidate_facts_concept", "concept"),
)

extraction_rejected = Table(
    "extraction_rejected",
    METADATA,
    text_column("rejected_id"),
    text_column("pack"),
    text_column("evidence_id"),
    text_column("source_slug"),
    text_column("reason"),
    text_column("detail"),
    Column("proposal", JSON, nullable=False),
    text_column("extractor"),
    ms_column("created_ms"),
    PrimaryKeyConstraint("rejected_id"),
    Index("ix_extraction_rejected_evidence_id", "evidence_id"),
)

coverage_report = Table(
    "coverage_reports",
    METADATA,
    text_column("evidence_id"),
    text_column("pack"),
    text_column("artifact_id"),
    int_column("sentences"),
    int_column("relevant"),
    int_column("covered"),
    int_column("facts"),
    int_column("rejected"),
    real_column("share"),
    text_column("extractor"),
    ms_column("created_ms"),
    PrimaryKeyConstraint("evidence_id"),
)

rule = Table(
    "rules",
    METADATA,
    text_column("rule_id"),
    text_column("pack"),
    text_column("concept"),
    text_column("domain"),
    text_column("tier"),
    text_column("value"),
    text_column("value_type"),
    text_column("unit"),
    text_column("effective_from", null=True),
    text_column("effective_until", null=True),
    text_column("applies_when"),
    flag_column("amends"),
    text_column("status"),
    text_column("status_reason"),
    real_column("confidence"),
    text_column("approved_by", null=True),
    ms_column("approved_ms", null=True),
    text_column("approved_key", null=True),
    Column("person_version", JSON, nullable=True),
    ms_column("created_ms"),
    PrimaryKeyConstraint("rule_id"),
    CheckConstraint(PERSON_APPROVED, name="ck_rules_person_approved"),
    Index("ix_rules_concept", "concept"),
    Index("ix_rules_pack_status", "pack", "status"),
)

source_pointer = Table(
    "source_pointers",
    METADATA,
    text_column("pointer_id"),
    text_column("rule_id"),
    text_column("fact_id"),
    text_column("evidence_id"),
    text_column("artifact_id"),
    text_column("doc_id"),
    text_column("source_slug"),
    text_column("quote"),
    int_column("start"),
    int_column("end"),
    int_column("page", null=True),
    text_column("article"),
    real_column("confidence"),
    text_column("replaces", null=True),
    flag_column("borrowed"),
    PrimaryKeyConstraint("pointer_id"),
    Index("ix_source_pointers_rule_id", "rule_id"),
    Index("ix_source_pointers_doc_id", "doc_id"),
)

concept = Table(
    "concepts",
    METADATA,
    text_column("concept"),
    text_column("pack"),
    text_column("domain"),
    text_column("subject"),
    text_column("predicate"),
    text_column("tier"),
    text_column("label"),
    PrimaryKeyConstraint("concept"),
)

concept_alias = Table(
    "concept_aliases",
    METADATA,
    text_column("concept"),
    text_column("alias"),
    PrimaryKeyConstraint("concept", "alias"),
)

rule_edge = Table(
    "rule_edges",
    METADATA,
    text_column("from_rule"),
    text_column("to_rule"),
    text_column("kind"),
    text_column("reason"),
    flag_column("holds"),
    PrimaryKeyConstraint("from_rule", "to_rule", "kind"),
    Index("ix_rule_edges_to_rule", "to_rule"),
)

conflict = Table(
    "conflicts",
    METADATA,
    text_column("conflict_id"),
    text_column("pack"),
    text_column("concept"),
    text_column("kind"),
    text_column("sign"),
    text_column("rule_a"),
    text_column("rule_b"),
    text_column("state"),
    text_column("resolution", null=True),
    text_column("winner", null=True),
    text_column("ground", null=True),
    Column("confidence", Float, nullable=True),
    text_column("recommendation", null=True),
    ms_column("created_ms"),
    PrimaryKeyConstraint("conflict_id"),
    Index("ix_conflicts_concept", "concept"),
    Index("ix_conflicts_rule_a", "rule_a"),
    Index("ix_conflicts_rule_b", "rule_b"),
    Index("ix_conflicts_state", "state"),
)

conflict_resolution = Table(
    "conflict_resolutions",
    METADATA,
    text_column("resolution_id"),
    text_column("conflict_id"),
    text_column("resolution"),
    text_column("winner", null=True),
    text_column("ground"),
    real_column("confidence"),
    text_column("decided_by"),
    text_column("note"),
    text_column("undoes", null=True),
    ms_column("at_ms"),
    PrimaryKeyConstraint("resolution_id"),
    Index("ix_conflict_resolutions_conflict_id", "conflict_id"),
)

review_decision = Table(
    "review_decisions",
    METADATA,
    text_column("decision_id"),
    text_column("subject_kind"),
    text_column("subject"),
    text_column("decision"),
    text_column("person"),
    text_column("note"),
    Column("machine", JSON, nullable=False),
    Column("version", JSON, nullable=False),
    text_column("evidence_key"),
    ms_column("at_ms"),
    PrimaryKeyConstraint("decision_id"),
    Index("ix_review_decisions_subject", "subject"),
)

audit_log = Table(
    "audit_log",
    METADATA,
    Column("seq", BigInteger, nullable=False, autoincrement=False),
    text_column("audit_id"),
    text_column("action"),
    text_column("subject_kind"),
    text_column("subject"),
    text_column("actor"),
    Column("body", JSON, nullable=False),
    text_column("run_id"),
    ms_column("at_ms"),
    text_column("previous_hash"),
    text_column("hash"),
    PrimaryKeyConstraint("seq"),
    UniqueConstraint("audit_id"),
    Index("ix_audit_log_subject", "subject"),
)

audit_head = Table(
    "audit_head",
    METADATA,
    text_column("name"),
    int_column("seq"),
    text_column("hash"),
    PrimaryKeyConstraint("name"),
)

release = Table(
    "releases",
    METADATA,
    text_column("release_id"),
    text_column("pack"),
    text_column("version"),
    int_column("number"),
    text_column("previous", null=True),
    text_column("state"),
    text_column("manifest_hash"),
    text_column("content_hash"),
    int_column("rule_count"),
    Column("changes", JSON, nullable=False),
    text_column("audit_hash", volatile=True),
    text_column("released_by"),
    ms_column("created_ms"),
    PrimaryKeyConstraint("release_id"),
    UniqueConstraint("pack", "version"),
    UniqueConstraint("pack", "number"),
)

released_rule = Table(
    "released_rules",
    METADATA,
    text_column("release_id"),
    text_column("rule_id"),
    text_column("concept"),
    PrimaryKeyConstraint("release_id", "rule_id"),
    Index("ix_released_rules_rule_id", "rule_id"),
)

embedding = Table(
    "embeddings",
    METADATA,
    text_column("subject"),
    text_column("model"),
    text_column("content_hash"),
    int_column("dimensions"),
    text_column("vector"),
    PrimaryKeyConstraint("subject", "model"),
)
