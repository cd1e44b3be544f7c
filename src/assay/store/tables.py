"""The tables of the spine and the engine, both those of records and all others."""

from collections.abc import Iterable

from sqlalchemy import JSON, Column, Index, PrimaryKeyConstraint, Table

from assay.model import access, bookkeeping, watches
from assay.model import records as r
from assay.model.agent_runs import AgentRun
from assay.model.storage import APPEND_ONLY, DELETABLE, NEVER_DELETED, Record
from assay.store import spending as spending
from assay.store import truth as truth
from assay.store.columns import METADATA as METADATA
from assay.store.columns import (
    int_columns,
    make_guard_info,
    ms_columns,
    partial_index,
    text_columns,
)
from assay.store.record_tables import table_of

source = table_of(r.Source)
endpoint = table_of(r.Endpoint)
endpoint_part = table_of(r.EndpointPart)
item = table_of(r.DiscoveredItem)
item_visit = table_of(r.ItemVisit)
document = table_of(r.Document)
document_source = table_of(r.DocumentSource)
candidate = table_of(r.IngestCandidate)
candidate_event = table_of(r.CandidateEvent)
evidence = table_of(r.Evidence)
artifact = table_of(r.Artifact)
scanned_page = table_of(r.ScannedPage)
text_signature = table_of(r.TextSignature)
text_band = table_of(r.TextBand)
scout_result = table_of(r.ScoutResult)
routing_decision = table_of(r.RoutingDecision)
review_request = table_of(r.ReviewRequest)
progress = table_of(bookkeeping.PipelineProgress)
health = table_of(bookkeeping.SourceHealth)
seen_version = table_of(bookkeeping.SeenVersion)
answered_request = table_of(bookkeeping.AnsweredRequest)
dead_letter = table_of(bookkeeping.DeadLetter)
agent_run = table_of(AgentRun)
watch = table_of(watches.Watch)
notice = table_of(watches.Notice)
delivery = table_of(watches.Delivery)
notice_cursor = table_of(watches.NoticeCursor)
user = table_of(access.User)
login_session = table_of(access.LoginSession)
api_token = table_of(access.ApiToken)
login_attempts = table_of(access.LoginAttempts)

GIVEN_UP = "state IN ('dead', 'cancelled', 'discarded')"
"""Jobs that ended without a result: few, among very many that were done."""

run = Table(
    "runs",
    METADATA,
    *text_columns("run_id", "label"),
    Column("params", JSON, nullable=False),
    *text_columns("state"),
    *ms_columns("started_ms"),
    *ms_columns("ended_ms", null=True),
    *text_columns("manifest_hash", null=True),
    PrimaryKeyConstraint("run_id"),
    Index("ix_runs_state", "state"),
    info=make_guard_info(NEVER_DELETED),
)

job = Table(
    "jobs",
    METADATA,
    *text_columns("job_id", "stage", "subject", "run_id"),
    *text_columns("parent_job_id", "source_slug", null=True),
    *text_columns("batch_id", "state"),
    *int_columns("priority", "attempt"),
    Column("payload", JSON, nullable=False),
    *text_columns("error_code", "error_class", "error_message", null=True),
    *ms_columns("created_ms"),
    *ms_columns("not_before_ms", "ended_ms", null=True),
    *text_columns("waiting_key", null=True),
    PrimaryKeyConstraint("job_id"),
    partial_index(
        "uq_jobs_waiting_key", "waiting_key", where="waiting_key IS NOT NULL", unique=True
    ),
    Index("ix_jobs_batch_id", "batch_id"),
    Index("ix_jobs_run_id", "run_id", "stage", "state"),
    Index("ix_jobs_created_ms_job_id", "created_ms", "job_id"),
    partial_index("ix_jobs_given_up", "created_ms", "job_id", where=GIVEN_UP),
    partial_index("ix_jobs_live", "stage", "created_ms", where="state = 'queued'"),
    info=make_guard_info(NEVER_DELETED),
)

event = Table(
    "events",
    METADATA,
    *text_columns("event_id", "tag"),
    *text_columns("run_id", "job_id", "source_slug", null=True),
    Column("body", JSON, nullable=False),
    *ms_columns("at_ms"),
    PrimaryKeyConstraint("event_id"),
    Index("ix_events_run_id", "run_id"),
    Index("ix_events_tag_at_ms", "tag", "at_ms"),
    Index("ix_events_at_ms", "at_ms", "event_id"),
    info=make_guard_info(APPEND_ONLY),
)

worker = Table(
    "workers",
    METADATA,
    *text_columns("worker_id", "host"),
    *int_columns("pid"),
    *text_columns("state"),
    *ms_columns("started_ms", "heartbeat_ms"),
    *int_columns("lease_ms"),
    PrimaryKeyConstraint("worker_id"),
    info=make_guard_info(DELETABLE),
)

pace = Table(
    "paces",
    METADATA,
    *text_columns("line", "holder"),
    *ms_columns("free_ms"),
    *int_columns("gap_ms"),
    PrimaryKeyConstraint("line"),
    info=make_guard_info(DELETABLE),
)

guard_mark = Table(
    "guard_marks",
    METADATA,
    *text_columns("name"),
    PrimaryKeyConstraint("name"),
    info=make_guard_info(DELETABLE),
)
"""Between the two triggers of an insert on SQLite: the table in which its key was taken."""


def list_tables(records: Iterable[type[Record]]) -> list[Table]:
    """Every table of a store with these records in addition to the core's, sorted by name."""
    tables = {**METADATA.tables, **{table_of(entry).name: table_of(entry) for entry in records}}
    return [table for _, table in sorted(tables.items())]
