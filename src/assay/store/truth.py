"""The tables of facts, rules, conflicts, decisions, the audit log and releases."""

from sqlalchemy import Column, Float, PrimaryKeyConstraint, Table

from assay.model import facts, rules
from assay.model.storage import APPEND_ONLY, NEVER_DELETED
from assay.store.columns import (
    METADATA,
    int_columns,
    make_guard_info,
    ms_columns,
    text_columns,
)
from assay.store.record_tables import table_of

candidate_fact = table_of(facts.CandidateFact)
fact_end = table_of(facts.FactEnd)
extraction_rejected = table_of(facts.ExtractionRejected)
coverage_report = table_of(facts.CoverageReport)
rule = table_of(rules.Rule)
source_pointer = table_of(rules.SourcePointer)
concept = table_of(rules.Concept)
concept_alias = table_of(rules.ConceptAlias)
rule_edge = table_of(rules.RuleEdge)
conflict = table_of(rules.Conflict)
conflict_side = table_of(rules.ConflictSide)
conflict_resolution = table_of(rules.ConflictResolution)
review_decision = table_of(rules.ReviewDecision)
audit_log = table_of(rules.AuditEntry)
release = table_of(rules.Release)
released_rule = table_of(rules.ReleasedRule)
embedding = table_of(rules.Embedding)

audit_head = Table(
    "audit_head",
    METADATA,
    *text_columns("name"),
    *int_columns("seq"),
    *text_columns("hash"),
    PrimaryKeyConstraint("name"),
    info=make_guard_info(NEVER_DELETED),
)

row_hash = Table(
    "row_hashes",
    METADATA,
    *text_columns("table_name", "row_key", "hash"),
    *int_columns("seq"),
    PrimaryKeyConstraint("table_name", "row_key"),
    info=make_guard_info(APPEND_ONLY),
)
"""The hash of each row that must never change, and the entry of the audit log that covers it."""

conflict_pair = Table(
    "conflict_pairs",
    METADATA,
    *text_columns("conflict_id", "pack", "concept", "kind", "sign", "rule_a", "rule_b", "state"),
    *text_columns("resolution", "winner", "ground", null=True),
    Column("confidence", Float),
    *text_columns("recommendation", null=True),
    *ms_columns("created_ms"),
    PrimaryKeyConstraint("conflict_id"),
    info=make_guard_info(APPEND_ONLY),
)
"""The conflicts of stores before version 0011, each between two rules. Nothing is added to them;
decisions and resolutions of that time name them."""
