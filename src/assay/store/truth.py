"""The tables of facts, rules, conflicts, decisions, the audit log and releases."""

from sqlalchemy import PrimaryKeyConstraint, Table

from assay.model import facts, rules
from assay.model.storage import NEVER_DELETED
from assay.store.columns import METADATA, int_columns, make_guard_info, text_columns
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
