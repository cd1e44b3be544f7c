"""The records of the spine and the corpus floor, one class a table."""

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

Frequency = Literal["EVERY_RUN", "DAILY", "TWICE_WEEKLY", "WEEKLY", "MONTHLY", "ADAPTIVE"]


class Record(BaseModel):
    """A row that a stage may read or return; frozen, and nothing undeclared fits in."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    PERSON_FIELDS: ClassVar[frozenset[str]] = frozenset()
    """What only a person's decision writes, never a stage."""
    BYTES: ClassVar[tuple[str, ...]] = ()
    """Fields that name stored bytes by their hash."""

    def row(self) -> dict[str, Any]:
        """The plain values that the store keeps."""
        return self.model_dump(mode="json")

    @classmethod
    def restored(cls, row: Mapping[str, Any]) -> Self:
        """A record from its row in the store, which was checked when it was written."""
        record = cls.__new__(cls)
        object.__setattr__(record, "__dict__", dict(row))
        object.__setattr__(record, "__pydantic_fields_set__", set(cls.model_fields))
        object.__setattr__(record, "__pydantic_extra__", None)
        object.__setattr__(record, "__pydantic_private__", None)
        return record

    @classmethod
    @cache
    def has(cls, field: str) -> bool:
        """Whether records of this class have such a field."""
        return field in cls.model_fields


class Source(Record):
    """A publisher that is watched."""

    source_slug: str
    name: str
    base_url: str
    pack: str = ""
    """The pack that knows what to look for here."""
    hierarchy: int = Field(default=7, ge=1, le=7)
    """Rank among sources, 1 the highest."""
    active: bool = True
    found_at: str | None = None
    """The endpoint on whose pages it was met; none where a person named it."""
    created_ms: int = 0


class Endpoint(Record):
    """One place of a source to look for new items, and how looking went so far."""

    endpoint_id: str
    source_slug: str
    url: str
    strategy: str
    frequency: Frequency = "EVERY_RUN"
    active: bool = True
    consecutive_errors: int = 0
    last_error: str | None = None
    last_content_hash: str | None = None
    last_scraped_ms: int | None = None
    item_count: int = 0
    """Items found at the last look."""
    options: dict[str, Any] = Field(default_factory=dict)
    """What the strategy needs to know: selectors, paths, the way to the next page."""
    etag: str | None = None
    last_modified: str | None = None
    velocity: float = Field(default=0.5, ge=0.0, le=1.0)
    """How often a look finds a change, lately."""
    risk: float = Field(default=1.0, gt=0.0)
    """How much worse than usual it is to see a change late."""
    next_due_ms: int | None = None
    expected_yield: dict[str, Any] = Field(default_factory=dict)
    """What it must give, where someone declares it: `min_items`, `min_new`, `per_days`."""
    yield_state: dict[str, Any] = Field(default_factory=dict)
    """What is usual here, as far as it is known."""
    alarm: str | None = None
    """What is wrong with the yield of the last look."""


class EndpointPart(Record):
    """One page of an endpoint's listing, or one child of its sitemap, as it was last read."""

    endpoint_id: str
    url: str
    number: int = 0
    changed: str | None = None
    """When it says that it changed."""
    etag: str | None = None
    last_modified: str | None = None
    last_content_hash: str | None = None
    item_count: int = 0
    read_ms: int = 0


class DiscoveredItem(Record):
    """An address found at an endpoint."""

    item_id: str
    endpoint_id: str
    source_slug: str
    url: str
    doc_id: str
    title: str | None = None
    published: str | None = None
    changed: str | None = None
    """Title and dates as the listing gives them."""
    first_seen_ms: int = 0
    last_seen_ms: int = 0
    run_id: str = ""
    """The run that saw it last."""


class ItemVisit(Record):
    """What the last successful fetch of an item gave, and how to ask whether it changed."""

    item_id: str
    evidence_id: str
    etag: str | None = None
    last_modified: str | None = None
    changed: str | None = None
    """What the listing said at that time of when the item changed."""
    visited_ms: int = 0


class Document(Record):
    """The lasting identity of a thing that may be found in many places."""

    doc_id: str
    source_slug: str
    url: str
    title: str | None = None
    first_seen_ms: int = 0


class DocumentSource(Record):
    """One place where a document was found."""

    doc_id: str
    source_kind: str
    source_ref: str
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)
    first_seen_ms: int = 0


class IngestCandidate(Record):
    """A document's place in the intake lifecycle."""

    doc_id: str
    state: str
    evidence_id: str | None = None
    retry_count: int = 0
    next_retry_unix: int | None = None
    last_error: str | None = None
    event_count: int = 0
    updated_ms: int = 0


class CandidateEvent(Record):
    """One arrow of the lifecycle that a candidate went along."""

    doc_id: str
    seq: int
    from_state: str
    to_state: str
    reason: str
    evidence_id: str | None = None
    at_ms: int = 0


class Evidence(Record):
    """One immutable fetched version of something; its bytes are never changed."""

    BYTES: ClassVar[tuple[str, ...]] = ("content_hash",)

    evidence_id: str
    url: str
    content_hash: str
    doc_id: str
    source_slug: str
    content_type: str
    content_class: str | None = None
    size: int
    text_hash: str | None = None
    """The hash of what is left when the noise is taken away: scripts, menus, counters."""
    primary_text_artifact_id: str | None = None
    fetched_ms: int = 0
    run_id: str = ""
    """The run that fetched it first."""


class Artifact(Record):
    """Text derived from evidence."""

    BYTES: ClassVar[tuple[str, ...]] = ("content_hash", "map_hash")

    artifact_id: str
    evidence_id: str
    kind: str
    content_hash: str
    map_hash: str | None = None
    """The bytes that lead from its characters back to the evidence, with pages and marks."""
    length: int
    page_count: int = 0
    reader: str = ""
    """What made it, with its version."""
    created_ms: int = 0


class ScannedPage(Record):
    """How well one scanned page was read."""

    evidence_id: str
    page: int
    confidence: float = Field(ge=0.0, le=1.0)
    coverage: float = Field(ge=0.0)
    length: int
    flags: list[str] = Field(default_factory=list)


class TextSignature(Record):
    """What tells whether another document says nearly the same."""

    evidence_id: str
    signature: str
    """In hexadecimal."""


class TextBand(Record):
    """One of the keys under which documents that may be alike meet."""

    band: int
    evidence_id: str


class ScoutResult(Record):
    """What the cheap look at a piece of evidence found."""

    evidence_id: str
    worth_it_score: float = Field(ge=0.0, le=1.0)
    doc_type: str
    needs_ocr: bool = False
    duplicate_of: str | None = None
    """The evidence that says the same and counts as the original."""
    version_of: str | None = None
    """Evidence that says nearly the same, with other figures."""
    similarity: float | None = None
    """How much of the words is shared with it, from 0 to 1."""
    skip_reason: str | None = None
    content_length: int
    language: str
    boilerplate_ratio: float = Field(ge=0.0, le=1.0)
    has_structured_data: bool = False
    estimated_tokens: int = 0
    determinism_confidence: float = Field(default=0.0, ge=0.0, le=1.0)
    stage_version: int = 1


class RoutingDecision(Record):
    """Where a piece of evidence goes next, and why."""

    evidence_id: str
    decision: str
    reason: str
    worth_it_score: float
    threshold: float
    provider: str | None = None
    denial: str | None = None
    retry_ms: int | None = None
    """When it is decided again, where it was denied."""


class ReviewRequest(Record):
    """A question to a person."""

    request_id: str
    reason: str
    subject_kind: str
    """What it is about: `evidence`, `rule`, `conflict`, …"""
    subject: str
    source_slug: str | None = None
    question: str
    state: str = "OPEN"
    """OPEN, ANSWERED, or MOOT where nothing is left to ask."""
    answer: str | None = None
    answered_by: str | None = None
    answered_ms: int | None = None
    created_ms: int = 0
    deadline_ms: int = 0


class PipelineProgress(Record):
    """What became of one attempt at one job; written for every stage by the runner."""

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
    started_ms: int
    ended_ms: int


class SourceHealth(Record):
    """How well a source has done lately."""

    source_slug: str
    window_start_ms: int = 0
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
    paused_ms: int | None = None
    pause_reason: str | None = None
    pause_expires_ms: int | None = None
    min_scout_score: float = 0.4
    allow_cloud: bool = True
    budget_multiplier: float = 1.0
    updated_ms: int = 0


class DeadLetter(Record):
    """A job that will not be tried again by itself."""

    job_id: str
    stage: str
    run_id: str
    source_slug: str | None = None
    payload: dict[str, Any]
    attempt: int
    error_code: str
    error_class: str
    error_message: str
    died_ms: int
