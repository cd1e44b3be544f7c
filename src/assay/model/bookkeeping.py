"""What the engine and the governor write: attempts, dead jobs, the health of sources."""

from typing import Any

from pydantic import Field

from assay.model.storage import APPEND_ONLY, DELETABLE, Merge, Moment, Record


class PipelineProgress(
    Record,
    table="pipeline_progress",
    key=("progress_id",),
    indexes=(("run_id", "stage", "outcome"), ("ended_ms", "stage")),
    guard=APPEND_ONLY,
    canonical=False,
):
    """The outcome of one attempt at one job; the runner writes it for every stage."""

    progress_id: str
    run_id: str
    job_id: str
    parent_job_id: str | None = None
    stage: str
    queue: str
    source_slug: str | None = None
    subject: str
    outcome: str
    attempt: int
    records_written: int = 0
    jobs_scheduled: int = 0
    error_code: str | None = None
    error_class: str | None = None
    error_message: str | None = None
    started_ms: Moment
    ended_ms: Moment


class SourceHealth(
    Record,
    table="source_health",
    key=("source_slug",),
    merge=Merge.NEW,
    canonical=False,
):
    """How well a source has done lately.

    It depends on the order in which the attempts at a source happen to end, so it is not canonical.
    """

    source_slug: str
    window_start_ms: Moment = 0
    window_size_hours: int = 168
    total_attempts: int = 0
    success_count: int = 0
    empty_count: int = 0
    error_count: int = 0
    total_tokens_used: int = 0
    total_items_produced: int = 0
    avg_tokens_per_item: float = 0.0
    health_score: float = Field(default=0.5, ge=0.0, le=1.0)
    is_paused: bool = False
    paused_ms: Moment | None = None
    pause_reason: str | None = None
    pause_expires_ms: Moment | None = None
    min_scout_score: float = 0.4
    allow_cloud: bool = True
    budget_multiplier: float = 1.0
    updated_ms: Moment = 0


class SeenVersion(
    Record,
    table="seen_versions",
    key=("doc_id",),
    merge=Merge.NEW,
    guard=DELETABLE,
    canonical=False,
):
    """The version of a document that a person last marked as seen; later ones are compared with
    it."""

    doc_id: str
    evidence_id: str
    seen_ms: Moment


class DeadLetter(
    Record,
    table="dead_letters",
    key=("job_id",),
    indexes=(("died_ms", "job_id"),),
    merge=Merge.NEW,
    guard=DELETABLE,
    canonical=False,
):
    """A job that will not be tried again automatically."""

    job_id: str
    stage: str
    run_id: str
    source_slug: str | None = None
    payload: dict[str, Any]
    attempt: int
    error_code: str
    error_class: str
    error_message: str
    died_ms: Moment


class AnsweredRequest(
    Record,
    table="answered_requests",
    key=("request_key",),
    indexes=(("expires_ms",),),
    guard=DELETABLE,
    canonical=False,
):
    """A request over HTTP that must not take effect twice, and its response."""

    request_key: str
    """The hash of who sent it and of the key that they gave it."""
    holder: str
    """Which of several requests with this key was first."""
    fingerprint: str
    """The hash of what was asked for."""
    status: int | None = None
    """None until it is answered."""
    body: str | None = None
    expires_ms: Moment
