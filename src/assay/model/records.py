"""The records of the spine and the corpus floor, one class per table."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator

from assay.model.storage import APPEND_ONLY, VOLATILE, Merge, Moment, fixed_except
from assay.model.storage import Record as Record

Frequency = Literal["EVERY_RUN", "DAILY", "TWICE_WEEKLY", "WEEKLY", "MONTHLY", "ADAPTIVE"]


class Source(Record, table="sources", key=("source_slug",), merge=Merge.NEW):
    """A publisher that is watched."""

    source_slug: str
    name: str
    base_url: str
    packs: list[str] = Field(default_factory=list)
    """The packs that know what to look for here, sorted and without duplicates."""
    hierarchy: int = Field(default=7, ge=1, le=7)
    """Rank among sources, 1 the highest."""
    active: bool = True
    found_at: Annotated[str | None, Merge.MIN] = None
    """The endpoint on whose pages it was found; None where a person added it."""
    created_ms: Annotated[Moment, Merge.KEEP] = 0

    @field_validator("packs")
    @classmethod
    def _sort_packs(cls, packs: list[str]) -> list[str]:
        return sorted({pack for pack in packs if pack})


MAX_CONSECUTIVE_ERRORS = 5


class Endpoint(
    Record,
    table="endpoints",
    key=("endpoint_id",),
    unique=(("source_slug", "url"),),
    merge=Merge.NEW,
):
    """One place at a source to look for new items, and how the looks have gone so far."""

    endpoint_id: str
    source_slug: Annotated[str, Merge.KEEP]
    url: str
    strategy: str
    frequency: Frequency = "EVERY_RUN"
    active: bool = True
    consecutive_errors: int = 0
    last_error: str | None = None
    last_content_hash: str | None = None
    last_scraped_ms: Moment | None = None
    item_count: int = 0
    """Items found by the last look."""
    options: dict[str, Any] = Field(default_factory=dict)
    """What the strategy needs to know: selectors, paths, the way to the next page."""
    etag: str | None = None
    last_modified: str | None = None
    velocity: Annotated[float, VOLATILE] = Field(default=0.5, ge=0.0, le=1.0)
    """How often a look has found a change lately."""
    risk: float = Field(default=1.0, gt=0.0)
    """How much worse than usual it is to see a change late."""
    next_due_ms: Moment | None = None
    expected_yield: dict[str, Any] = Field(default_factory=dict)
    """What it must yield, if declared: `min_items`, `min_new`, `per_days`."""
    yield_state: Annotated[dict[str, Any], VOLATILE] = Field(default_factory=dict)
    """The usual yield here, as far as it is known."""
    alarm: Annotated[str | None, VOLATILE] = None
    """What is wrong with the yield of the last look."""

    @property
    def is_closed(self) -> bool:
        """Whether it has failed so often in a row that it is not looked at any more."""
        return self.consecutive_errors >= MAX_CONSECUTIVE_ERRORS


class EndpointPart(Record, table="endpoint_parts", key=("endpoint_id", "url"), merge=Merge.NEW):
    """One page of an endpoint's listing, or one child of its sitemap, as it was last read."""

    endpoint_id: str
    url: str
    number: int = 0
    changed: str | None = None
    """When it changed, according to itself."""
    etag: str | None = None
    last_modified: str | None = None
    last_content_hash: str | None = None
    item_count: int = 0
    read_ms: Moment = 0


class DiscoveredItem(
    Record,
    table="discovered_items",
    key=("item_id",),
    unique=(("endpoint_id", "url"),),
    indexes=(("doc_id",),),
):
    """An address found at an endpoint."""

    item_id: str
    endpoint_id: str
    source_slug: str
    url: str
    doc_id: str
    title: Annotated[str | None, Merge.NEW] = None
    published: Annotated[str | None, Merge.NEW] = None
    changed: Annotated[str | None, Merge.NEW] = None
    """Title and dates as the listing gives them."""
    parent_doc_id: Annotated[str | None, Merge.MIN] = None
    """The document that the listing names as its parent."""
    first_seen_ms: Annotated[Moment, Merge.MIN] = 0
    last_seen_ms: Annotated[Moment, Merge.MAX] = 0
    run_id: Annotated[str, Merge.NEW, VOLATILE] = ""
    """The run that last saw it."""


class ItemVisit(Record, table="item_visits", key=("item_id",), merge=Merge.NEW):
    """The result of the last successful fetch of an item, and how to ask whether it changed."""

    item_id: str
    evidence_id: str
    etag: str | None = None
    last_modified: str | None = None
    changed: str | None = None
    """When the item had changed, according to the listing at that time."""
    visited_ms: Moment = 0
    """When it was last asked for, with whatever result."""
    seen_ms: Moment = 0
    """When it last showed this evidence: an address that is gone shows nothing."""


class Document(
    Record,
    table="documents",
    key=("doc_id",),
    indexes=(("parent_doc_id",), ("source_slug",)),
    # Which of several sources finds it first is chance, so being first must not matter.
    merge=Merge.MIN,
):
    """The lasting identity of a thing that may be found in many places."""

    doc_id: str
    source_slug: str
    url: str
    title: str | None = None
    parent_doc_id: str | None = None
    """The document that it is part of: an attachment's agenda, an act's journal issue."""
    first_seen_ms: Moment = 0


class DocumentSource(Record, table="document_sources", key=("doc_id", "source_kind", "source_ref")):
    """One place where a document was found."""

    doc_id: str
    source_kind: str
    source_ref: str
    confidence: Annotated[float, Merge.MAX] = Field(default=1.0, ge=0.0, le=1.0)
    first_seen_ms: Annotated[Moment, Merge.MIN] = 0


class IngestCandidate(
    Record,
    table="ingest_candidates",
    key=("doc_id",),
    indexes=(("state", "next_retry_unix"),),
    merge=Merge.NEW,
    of_evidence="evidence_id",
):
    """A document's place in the intake lifecycle."""

    doc_id: str
    state: str
    evidence_id: str | None = None
    retry_count: int = 0
    next_retry_unix: Annotated[int | None, VOLATILE] = None
    last_error: str | None = None
    event_count: int = 0
    updated_ms: Moment = 0


class CandidateEvent(
    Record,
    table="ingest_candidate_events",
    key=("doc_id", "seq"),
    guard=APPEND_ONLY,
    of_evidence="evidence_id",
):
    """One step of a candidate through the lifecycle."""

    doc_id: str
    seq: int
    from_state: str
    to_state: str
    reason: str
    evidence_id: str | None = None
    at_ms: Moment = 0


class Evidence(
    Record,
    table="evidence",
    key=("evidence_id",),
    unique=(("url", "content_hash"),),
    indexes=(("content_hash",), ("run_id",), ("doc_id",)),
    guard=fixed_except("content_class", "primary_text_artifact_id"),
):
    """One immutable fetched version of something; its bytes are never changed."""

    BYTES: ClassVar[tuple[str, ...]] = ("content_hash",)

    evidence_id: str
    url: str
    content_hash: str
    doc_id: str
    source_slug: str
    content_type: str
    content_class: Annotated[str | None, Merge.FILL] = None
    size: int
    text_hash: str | None = None
    """The hash of what is left without the noise: scripts, menus, counters."""
    primary_text_artifact_id: Annotated[str | None, Merge.RENEW] = None
    fetched_ms: Moment = 0
    previous_seen_ms: Moment | None = None
    """When its address last showed the version before it; None if there was none. It changed
    between then and `shown_ms`."""
    version: str | None = None
    """What its source calls this version, such as a commit; None if it has no name."""
    version_ms: Moment | None = None
    """When its source began to show this version, according to the source itself."""
    run_id: Annotated[str, VOLATILE] = ""
    """The run that first fetched it."""

    @property
    def shown_ms(self) -> int:
        """Since when its address shows it: as the source says, or when it was first fetched."""
        return self.fetched_ms if self.version_ms is None else self.version_ms


class RepositoryFile(
    Record, table="repository_files", key=("endpoint_id", "path"), merge=Merge.NEW
):
    """A file of a watched git repository, as the last commit left it."""

    endpoint_id: str
    path: str
    doc_id: str
    """The document; a file that was moved unchanged is still the same one."""
    url: str
    """The document's address, by the path under which it was first seen."""
    blob: str | None = None
    """The id of its content in the repository; None: it is gone from this path."""
    is_moved: bool = False
    """Whether the document is now at another path."""
    commit_id: str
    """The last commit that changed it."""
    version_ms: Moment = 0
    """Since when it is as it is."""
    evidence_id: str | None = None


class Artifact(
    Record,
    table="evidence_artifacts",
    key=("artifact_id",),
    indexes=(("evidence_id",),),
    guard=APPEND_ONLY,
):
    """Text derived from evidence."""

    BYTES: ClassVar[tuple[str, ...]] = ("content_hash", "map_hash")

    artifact_id: str
    evidence_id: str
    kind: str
    content_hash: str
    map_hash: str | None = None
    """The bytes that map its characters back to the evidence, with pages and marks."""
    length: int
    page_count: int = 0
    reader: str = ""
    """The reader that made it, with its version."""
    created_ms: Moment = 0


class ScannedPage(Record, table="scanned_pages", key=("evidence_id", "page"), merge=Merge.NEW):
    """How well one scanned page was read."""

    evidence_id: str
    page: int
    confidence: float = Field(ge=0.0, le=1.0)
    coverage: float = Field(ge=0.0)
    length: int
    flags: list[str] = Field(default_factory=list)


class TextSignature(Record, table="text_signatures", key=("evidence_id",), merge=Merge.NEW):
    """A signature that shows whether another document says nearly the same."""

    evidence_id: str
    signature: str
    """In hexadecimal."""


class TextBand(Record, table="text_bands", key=("band", "evidence_id")):
    """One of the keys that similar documents are likely to share."""

    band: int
    evidence_id: str


class ScoutResult(Record, table="scout_results", key=("evidence_id", "pack"), merge=Merge.NEW):
    """The result of the cheap first look at a piece of evidence, for one pack."""

    evidence_id: str
    pack: str = ""
    """The pack that it was judged for; empty where no pack watches the source."""
    worth_it_score: float = Field(ge=0.0, le=1.0)
    doc_type: str
    needs_ocr: bool = False
    # Once a copy, always a copy: a slow judgement must not undo what a later one found.
    duplicate_of: Annotated[str | None, Merge.MIN] = None
    """The evidence that says the same and counts as the original."""
    version_of: Annotated[str | None, Merge.MIN] = None
    """Evidence that says nearly the same, with other figures."""
    similarity: float | None = None
    """The share of words in common with it, from 0 to 1."""
    skip_reason: str | None = None
    content_length: int
    language: str
    boilerplate_ratio: float = Field(ge=0.0, le=1.0)
    has_structured_data: bool = False
    estimated_tokens: int = 0
    determinism_confidence: float = Field(default=0.0, ge=0.0, le=1.0)
    stage_version: int = 1


class RoutingDecision(
    Record,
    table="routing_decisions",
    key=("evidence_id", "pack"),
    merge=Merge.NEW,
):
    """Where a piece of evidence goes next for one pack, and why."""

    evidence_id: str
    pack: str = ""
    """The pack that it was decided for; empty where no pack watches the source."""
    decision: str
    reason: str
    worth_it_score: float
    threshold: float
    provider: str | None = None
    denial: str | None = None
    retry_ms: Moment | None = None
    """When the decision is made again: the pack is not there yet, or its model was denied."""
    tokens: int | None = None
    """What the next call to the model needs, if it was denied."""


class ReviewRequest(
    Record,
    table="review_requests",
    key=("request_id",),
    indexes=(("state", "deadline_ms"), ("subject",)),
    leftover=("state", "MOOT"),
):
    """A question to a person.

    A person may already have answered it, so asking again does not reopen it.
    """

    request_id: str
    reason: str
    subject_kind: str
    """What it is about: `evidence`, `rule`, `conflict`, …"""
    subject: str
    source_slug: Annotated[str | None, Merge.NEW] = None
    question: Annotated[str, Merge.NEW]
    state: str = "OPEN"
    """OPEN, ANSWERED, or MOOT if there is nothing left to ask."""
    answer: str | None = None
    answered_by: str | None = None
    answered_ms: Moment | None = None
    created_ms: Moment = 0
    deadline_ms: Moment = 0
