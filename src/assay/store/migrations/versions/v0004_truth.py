"""What follows from evidence: facts, rules, conflicts, decisions, the audit log, releases."""

import sqlalchemy as sa
from alembic import op

from assay.store import guards

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

NEVER_DELETED = (
    "candidate_facts", "extraction_rejected", "coverage_reports", "rules", "source_pointers",
    "concepts", "concept_aliases", "rule_edges", "conflicts", "conflict_resolutions",
    "review_decisions", "audit_log", "audit_head", "releases", "released_rules", "embeddings",
)  # fmt: skip
APPEND_ONLY = (
    "candidate_facts", "extraction_rejected", "source_pointers", "conflict_resolutions",
    "review_decisions", "audit_log", "released_rules",
)  # fmt: skip
IMMUTABLE_COLUMNS = {
    "rules": (
        "rule_id", "pack", "concept", "domain", "tier", "value", "value_type", "unit",
        "effective_from", "effective_until", "applies_when", "created_ms",
    ),
    "releases": (
        "release_id", "pack", "version", "number", "previous", "manifest_hash", "content_hash",
        "rule_count", "changes", "audit_hash", "released_by", "created_ms",
    ),
}  # fmt: skip


def upgrade() -> None:
    _of_facts()
    _of_rules()
    _of_decisions()
    _of_releases()
    connection = op.get_bind()
    guards.forbid_delete(connection, NEVER_DELETED)
    for table in APPEND_ONLY:
        guards.forbid_update(connection, table)
    for table, columns in IMMUTABLE_COLUMNS.items():
        guards.forbid_update(connection, table, columns)


def _of_facts() -> None:
    op.create_table(
        "candidate_facts",
        sa.Column("fact_id", sa.Text(), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("artifact_id", sa.Text(), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("source_slug", sa.Text(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("concept", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("predicate", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("value_type", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("end", sa.BigInteger(), nullable=False),
        sa.Column("page", sa.BigInteger(), nullable=True),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("effective_from", sa.Text(), nullable=True),
        sa.Column("effective_until", sa.Text(), nullable=True),
        sa.Column("applies_when", sa.Text(), nullable=False),
        sa.Column("article", sa.Text(), nullable=False),
        sa.Column("amends", sa.Boolean(), nullable=False),
        sa.Column("replaces", sa.Text(), nullable=True),
        sa.Column("extractor", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("fact_id", name=op.f("pk_candidate_facts")),
    )
    op.create_index("ix_candidate_facts_concept", "candidate_facts", ["concept"], unique=False)
    op.create_index(
        "ix_candidate_facts_evidence_id", "candidate_facts", ["evidence_id"], unique=False
    )
    op.create_table(
        "coverage_reports",
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("artifact_id", sa.Text(), nullable=False),
        sa.Column("sentences", sa.BigInteger(), nullable=False),
        sa.Column("relevant", sa.BigInteger(), nullable=False),
        sa.Column("covered", sa.BigInteger(), nullable=False),
        sa.Column("facts", sa.BigInteger(), nullable=False),
        sa.Column("rejected", sa.BigInteger(), nullable=False),
        sa.Column("share", sa.Float(), nullable=False),
        sa.Column("extractor", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("evidence_id", name=op.f("pk_coverage_reports")),
    )
    op.create_table(
        "extraction_rejected",
        sa.Column("rejected_id", sa.Text(), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("source_slug", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("proposal", sa.JSON(), nullable=False),
        sa.Column("extractor", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("rejected_id", name=op.f("pk_extraction_rejected")),
    )
    op.create_index(
        "ix_extraction_rejected_evidence_id", "extraction_rejected", ["evidence_id"], unique=False
    )


def _of_rules() -> None:
    op.create_table(
        "concept_aliases",
        sa.Column("concept", sa.Text(), nullable=False),
        sa.Column("alias", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("concept", "alias", name=op.f("pk_concept_aliases")),
    )
    op.create_table(
        "concepts",
        sa.Column("concept", sa.Text(), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("predicate", sa.Text(), nullable=False),
        sa.Column("tier", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("concept", name=op.f("pk_concepts")),
    )
    op.create_table(
        "conflicts",
        sa.Column("conflict_id", sa.Text(), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("concept", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("sign", sa.Text(), nullable=False),
        sa.Column("rule_a", sa.Text(), nullable=False),
        sa.Column("rule_b", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("resolution", sa.Text(), nullable=True),
        sa.Column("winner", sa.Text(), nullable=True),
        sa.Column("ground", sa.Text(), nullable=True),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("recommendation", sa.Text(), nullable=True),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("conflict_id", name=op.f("pk_conflicts")),
    )
    op.create_index("ix_conflicts_concept", "conflicts", ["concept"], unique=False)
    op.create_index("ix_conflicts_rule_a", "conflicts", ["rule_a"], unique=False)
    op.create_index("ix_conflicts_rule_b", "conflicts", ["rule_b"], unique=False)
    op.create_index("ix_conflicts_state", "conflicts", ["state"], unique=False)
    op.create_table(
        "rule_edges",
        sa.Column("from_rule", sa.Text(), nullable=False),
        sa.Column("to_rule", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("holds", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("from_rule", "to_rule", "kind", name=op.f("pk_rule_edges")),
    )
    op.create_index("ix_rule_edges_to_rule", "rule_edges", ["to_rule"], unique=False)
    op.create_table(
        "rules",
        sa.Column("rule_id", sa.Text(), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("concept", sa.Text(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("tier", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("value_type", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("effective_from", sa.Text(), nullable=True),
        sa.Column("effective_until", sa.Text(), nullable=True),
        sa.Column("applies_when", sa.Text(), nullable=False),
        sa.Column("amends", sa.Boolean(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("status_reason", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("approved_by", sa.Text(), nullable=True),
        sa.Column("approved_ms", sa.BigInteger(), nullable=True),
        sa.Column("approved_key", sa.Text(), nullable=True),
        sa.Column("person_version", sa.JSON(), nullable=True),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "tier IN ('T2', 'T3') OR status NOT IN ('APPROVED', 'PUBLISHED') "
            "OR (approved_by IS NOT NULL AND approved_by <> '')",
            name="ck_rules_person_approved",
        ),
        sa.PrimaryKeyConstraint("rule_id", name=op.f("pk_rules")),
    )
    op.create_index("ix_rules_concept", "rules", ["concept"], unique=False)
    op.create_index("ix_rules_pack_status", "rules", ["pack", "status"], unique=False)
    op.create_table(
        "source_pointers",
        sa.Column("pointer_id", sa.Text(), nullable=False),
        sa.Column("rule_id", sa.Text(), nullable=False),
        sa.Column("fact_id", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("artifact_id", sa.Text(), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("source_slug", sa.Text(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("end", sa.BigInteger(), nullable=False),
        sa.Column("page", sa.BigInteger(), nullable=True),
        sa.Column("article", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("replaces", sa.Text(), nullable=True),
        sa.Column("borrowed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("pointer_id", name=op.f("pk_source_pointers")),
    )
    op.create_index("ix_source_pointers_doc_id", "source_pointers", ["doc_id"], unique=False)
    op.create_index("ix_source_pointers_rule_id", "source_pointers", ["rule_id"], unique=False)


def _of_decisions() -> None:
    op.create_table(
        "audit_head",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_audit_head")),
    )
    op.create_table(
        "audit_log",
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("audit_id", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject_kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("previous_hash", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_audit_log")),
        sa.UniqueConstraint("audit_id", name=op.f("uq_audit_log_audit_id")),
    )
    op.create_index("ix_audit_log_subject", "audit_log", ["subject"], unique=False)
    op.create_table(
        "conflict_resolutions",
        sa.Column("resolution_id", sa.Text(), nullable=False),
        sa.Column("conflict_id", sa.Text(), nullable=False),
        sa.Column("resolution", sa.Text(), nullable=False),
        sa.Column("winner", sa.Text(), nullable=True),
        sa.Column("ground", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("undoes", sa.Text(), nullable=True),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("resolution_id", name=op.f("pk_conflict_resolutions")),
    )
    op.create_index(
        "ix_conflict_resolutions_conflict_id", "conflict_resolutions", ["conflict_id"], unique=False
    )
    op.create_table(
        "review_decisions",
        sa.Column("decision_id", sa.Text(), nullable=False),
        sa.Column("subject_kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("machine", sa.JSON(), nullable=False),
        sa.Column("version", sa.JSON(), nullable=False),
        sa.Column("evidence_key", sa.Text(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("decision_id", name=op.f("pk_review_decisions")),
    )
    op.create_index("ix_review_decisions_subject", "review_decisions", ["subject"], unique=False)
    op.add_column("review_requests", sa.Column("answer", sa.Text(), nullable=True))
    op.add_column("review_requests", sa.Column("answered_by", sa.Text(), nullable=True))
    op.add_column("review_requests", sa.Column("answered_ms", sa.BigInteger(), nullable=True))
    op.create_index("ix_review_requests_subject", "review_requests", ["subject"], unique=False)


def _of_releases() -> None:
    op.create_table(
        "embeddings",
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("dimensions", sa.BigInteger(), nullable=False),
        sa.Column("vector", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("subject", "model", name=op.f("pk_embeddings")),
    )
    op.create_table(
        "released_rules",
        sa.Column("release_id", sa.Text(), nullable=False),
        sa.Column("rule_id", sa.Text(), nullable=False),
        sa.Column("concept", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("release_id", "rule_id", name=op.f("pk_released_rules")),
    )
    op.create_index("ix_released_rules_rule_id", "released_rules", ["rule_id"], unique=False)
    op.create_table(
        "releases",
        sa.Column("release_id", sa.Text(), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("previous", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("manifest_hash", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("rule_count", sa.BigInteger(), nullable=False),
        sa.Column("changes", sa.JSON(), nullable=False),
        sa.Column("audit_hash", sa.Text(), nullable=False),
        sa.Column("released_by", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("release_id", name=op.f("pk_releases")),
        sa.UniqueConstraint("pack", "number", name=op.f("uq_releases_pack_number")),
        sa.UniqueConstraint("pack", "version", name=op.f("uq_releases_pack_version")),
    )
