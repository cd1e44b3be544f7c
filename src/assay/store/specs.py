"""How each record is merged into its table, and what may never be taken back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sqlalchemy import Table

from assay.model import facts, records, rules
from assay.model.agent_runs import AgentRun
from assay.store import spending, truth
from assay.store import tables as t


class Merge(StrEnum):
    """What an upsert does with a column when the row is already there."""

    KEEP = "keep"
    """The stored value stays."""
    NEW = "new"
    """The new value replaces it."""
    RENEW = "renew"
    """The new value replaces it where there is one; nothing takes nothing away."""
    FILL = "fill"
    """The new value is taken only where nothing was stored."""
    MIN = "min"
    """The lesser value stays; nothing is greater than anything."""
    MAX = "max"
    """The greater value stays; nothing is less than anything."""


@dataclass(frozen=True)
class TableSpec:
    """How a record class is stored."""

    table: Table
    key: tuple[str, ...]
    merge: Mapping[str, Merge] = field(default_factory=dict)
    """Columns that an upsert may change; all others stay as they were first written."""
    canonical: bool = True
    """Part of the state that two equal histories share."""
    leftover: tuple[str, str | bool] | None = None
    """A column and the value that marks a row as a trace of how it came about: a question that
    was asked and became pointless might as well never have been asked."""
    of_evidence: str | None = None
    """The column that names evidence, in tables of what was made of it. Whether a copy was found
    out before or after it was worked on is luck: what was made of copies is such a trace, too."""


RECORDS: dict[type[records.Record], TableSpec] = {
    records.Source: TableSpec(
        t.source,
        ("source_slug",),
        {
            **dict.fromkeys(("name", "base_url", "pack", "hierarchy", "active"), Merge.NEW),
            "found_at": Merge.MIN,
        },
    ),
    records.Endpoint: TableSpec(
        t.endpoint,
        ("endpoint_id",),
        {
            c.name: Merge.NEW
            for c in t.endpoint.columns
            if c.name not in ("endpoint_id", "source_slug")
        },
    ),
    records.EndpointPart: TableSpec(
        t.endpoint_part,
        ("endpoint_id", "url"),
        {
            c.name: Merge.NEW
            for c in t.endpoint_part.columns
            if c.name not in ("endpoint_id", "url")
        },
    ),
    records.DiscoveredItem: TableSpec(
        t.item,
        ("item_id",),
        {
            "first_seen_ms": Merge.MIN,
            "last_seen_ms": Merge.MAX,
            **dict.fromkeys(("title", "published", "changed", "run_id"), Merge.NEW),
        },
    ),
    records.ItemVisit: TableSpec(
        t.item_visit,
        ("item_id",),
        {c.name: Merge.NEW for c in t.item_visit.columns if c.name != "item_id"},
    ),
    records.Document: TableSpec(
        # Which of several sources finds it first is luck, so that none may win by being first.
        t.document,
        ("doc_id",),
        dict.fromkeys(("source_slug", "url", "title", "first_seen_ms"), Merge.MIN),
    ),
    records.DocumentSource: TableSpec(
        t.document_source,
        ("doc_id", "source_kind", "source_ref"),
        {"confidence": Merge.MAX, "first_seen_ms": Merge.MIN},
    ),
    records.IngestCandidate: TableSpec(
        t.candidate,
        ("doc_id",),
        dict.fromkeys(
            (
                "state",
                "evidence_id",
                "retry_count",
                "next_retry_unix",
                "last_error",
                "event_count",
                "updated_ms",
            ),
            Merge.NEW,
        ),
        of_evidence="evidence_id",
    ),
    records.CandidateEvent: TableSpec(
        t.candidate_event, ("doc_id", "seq"), of_evidence="evidence_id"
    ),
    records.Evidence: TableSpec(
        t.evidence,
        ("evidence_id",),
        {"content_class": Merge.FILL, "primary_text_artifact_id": Merge.RENEW},
    ),
    records.Artifact: TableSpec(t.artifact, ("artifact_id",)),
    records.ScannedPage: TableSpec(
        t.scanned_page,
        ("evidence_id", "page"),
        dict.fromkeys(("confidence", "coverage", "length", "flags"), Merge.NEW),
    ),
    records.TextSignature: TableSpec(t.text_signature, ("evidence_id",), {"signature": Merge.NEW}),
    records.TextBand: TableSpec(t.text_band, ("band", "evidence_id")),
    records.ScoutResult: TableSpec(
        t.scout_result,
        ("evidence_id",),
        {
            **{c.name: Merge.NEW for c in t.scout_result.columns if c.name != "evidence_id"},
            # Once a copy, always a copy: a slow judge must not undo what a later one found.
            "duplicate_of": Merge.MIN,
            "version_of": Merge.MIN,
        },
    ),
    records.RoutingDecision: TableSpec(
        t.routing_decision,
        ("evidence_id",),
        {c.name: Merge.NEW for c in t.routing_decision.columns if c.name != "evidence_id"},
    ),
    records.ReviewRequest: TableSpec(
        # A person may have answered it meanwhile: asking again must not open it again.
        t.review_request,
        ("request_id",),
        {"question": Merge.NEW, "source_slug": Merge.NEW},
        leftover=("state", "MOOT"),
    ),
    records.SourceHealth: TableSpec(
        # In what order the attempts at a source end is luck, and its level follows that order.
        t.health,
        ("source_slug",),
        {c.name: Merge.NEW for c in t.health.columns if c.name != "source_slug"},
        canonical=False,
    ),
    records.PipelineProgress: TableSpec(t.progress, ("progress_id",), canonical=False),
    AgentRun: TableSpec(
        t.agent_run,
        ("agent_run_id",),
        dict.fromkeys(
            ("outcome", "items_produced", "tokens_used", "error_message", "ended_ms"), Merge.NEW
        ),
        canonical=False,
    ),
    records.DeadLetter: TableSpec(
        t.dead_letter,
        ("job_id",),
        {c.name: Merge.NEW for c in t.dead_letter.columns if c.name != "job_id"},
        canonical=False,
    ),
    facts.CandidateFact: TableSpec(truth.candidate_fact, ("fact_id",), of_evidence="evidence_id"),
    facts.ExtractionRejected: TableSpec(
        truth.extraction_rejected, ("rejected_id",), of_evidence="evidence_id"
    ),
    facts.CoverageReport: TableSpec(
        truth.coverage_report,
        ("evidence_id",),
        {c.name: Merge.NEW for c in truth.coverage_report.columns if c.name != "evidence_id"},
        of_evidence="evidence_id",
    ),
    # What becomes of a rule or a conflict is a change with a condition, never an upsert: a stage
    # that is late must not take back what a person decided meanwhile.
    # That it amends, any of several documents may say, and the first of them is luck.
    rules.Rule: TableSpec(truth.rule, ("rule_id",), {"amends": Merge.MAX}),
    rules.Conflict: TableSpec(truth.conflict, ("conflict_id",), leftover=("state", "MOOT")),
    rules.SourcePointer: TableSpec(
        truth.source_pointer, ("pointer_id",), of_evidence="evidence_id"
    ),
    rules.Concept: TableSpec(truth.concept, ("concept",), {"domain": Merge.MIN}),
    rules.ConceptAlias: TableSpec(truth.concept_alias, ("concept", "alias")),
    # An edge follows from the rules that are there; nobody decides it: the last look counts.
    rules.RuleEdge: TableSpec(
        truth.rule_edge,
        ("from_rule", "to_rule", "kind"),
        dict.fromkeys(("reason", "holds"), Merge.NEW),
        leftover=("holds", False),
    ),
    rules.ConflictResolution: TableSpec(
        truth.conflict_resolution, ("resolution_id",), canonical=False
    ),
    rules.ReviewDecision: TableSpec(truth.review_decision, ("decision_id",), canonical=False),
    rules.AuditEntry: TableSpec(truth.audit_log, ("seq",), canonical=False),
    rules.Release: TableSpec(truth.release, ("release_id",)),
    rules.ReleasedRule: TableSpec(truth.released_rule, ("release_id", "rule_id")),
    rules.Embedding: TableSpec(
        truth.embedding,
        ("subject", "model"),
        dict.fromkeys(("content_hash", "dimensions", "vector"), Merge.NEW),
    ),
}
"""Record class → table. Packs add theirs beside these."""

APPEND_ONLY: tuple[Table, ...] = (
    t.candidate_event,
    t.event,
    t.progress,
    truth.candidate_fact,
    truth.extraction_rejected,
    truth.source_pointer,
    truth.conflict_resolution,
    truth.review_decision,
    truth.audit_log,
    truth.released_rule,
)
"""Rows here are never changed once written."""

IMMUTABLE_COLUMNS: Mapping[Table, tuple[str, ...]] = {
    t.evidence: (
        "evidence_id",
        "url",
        "content_hash",
        "doc_id",
        "source_slug",
        "content_type",
        "size",
        "text_hash",
        "fetched_ms",
        "run_id",
    ),
    t.artifact: (
        "artifact_id",
        "evidence_id",
        "kind",
        "content_hash",
        "map_hash",
        "length",
        "page_count",
        "reader",
        "created_ms",
    ),
    spending.call: (
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
    ),
    spending.result: ("key", "kind"),
    truth.rule: (
        "rule_id",
        "pack",
        "concept",
        "domain",
        "tier",
        "value",
        "value_type",
        "unit",
        "effective_from",
        "effective_until",
        "applies_when",
        "created_ms",
    ),
    truth.release: tuple(c.name for c in truth.release.columns if c.name != "state"),
}
"""What was once stored as evidence, or granted, or means something, stays as it was."""

NEVER_DELETED: tuple[Table, ...] = (
    t.source,
    t.endpoint,
    t.endpoint_part,
    t.item,
    t.item_visit,
    t.document,
    t.document_source,
    t.candidate,
    t.candidate_event,
    t.evidence,
    t.artifact,
    t.scanned_page,
    t.text_signature,
    t.text_band,
    t.scout_result,
    t.routing_decision,
    t.review_request,
    t.progress,
    t.agent_run,
    t.health,
    t.run,
    t.job,
    t.event,
    spending.call,
    spending.meter,
    spending.batch,
    spending.batch_item,
    spending.result,
    truth.candidate_fact,
    truth.extraction_rejected,
    truth.coverage_report,
    truth.rule,
    truth.source_pointer,
    truth.concept,
    truth.concept_alias,
    truth.rule_edge,
    truth.conflict,
    truth.conflict_resolution,
    truth.review_decision,
    truth.audit_log,
    truth.audit_head,
    truth.release,
    truth.released_rule,
    truth.embedding,
)
"""No normal run takes a row out of these."""
