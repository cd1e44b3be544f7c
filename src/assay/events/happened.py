"""The events of the spine. Once a tag is in use, its meaning never changes."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Event(BaseModel):
    """Something that happened; stored together with the change it describes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tag: ClassVar[str]


class RunStarted(Event):
    tag: ClassVar[str] = "run.started"
    label: str
    jobs: int


class RunResumed(Event):
    tag: ClassVar[str] = "run.resumed"
    jobs_left: int


class EndpointScanned(Event):
    tag: ClassVar[str] = "endpoint.scanned"
    endpoint_id: str
    items: int
    new_items: int


class EvidenceStored(Event):
    tag: ClassVar[str] = "evidence.stored"
    evidence_id: str
    doc_id: str
    size: int


class DocumentChanged(Event):
    tag: ClassVar[str] = "document.changed"
    doc_id: str
    evidence_id: str
    previous_evidence_id: str


class DocumentGone(Event):
    tag: ClassVar[str] = "document.gone"
    doc_id: str
    status: int


class JobRetried(Event):
    tag: ClassVar[str] = "job.retried"
    attempt: int
    delay_s: float
    error_code: str
    error_class: str


class JobDied(Event):
    tag: ClassVar[str] = "job.died"
    attempt: int
    error_code: str
    error_class: str


class JobCancelled(Event):
    tag: ClassVar[str] = "job.cancelled"
    attempt: int


class CircuitTripped(Event):
    tag: ClassVar[str] = "circuit.tripped"
    stage: str
    error_class: str


class WorkerLost(Event):
    tag: ClassVar[str] = "worker.lost"
    worker_id: str
    batches: int


class HealthChanged(Event):
    """A source moved to another level of health."""

    tag: ClassVar[str] = "health.changed"
    source_slug: str
    before: str
    after: str
    score: float


class SourcePaused(Event):
    """A source may not spend for a while, or until a person unpauses it."""

    tag: ClassVar[str] = "source.paused"
    source_slug: str
    reason: str
    until_ms: int | None


class SourceUnpaused(Event):
    """A paused source may spend again: its pause expired, or a person ended it."""

    tag: ClassVar[str] = "source.unpaused"
    source_slug: str


class SourceFound(Event):
    """A publisher that nobody had added was discovered on another publisher's pages."""

    tag: ClassVar[str] = "source.found"
    found: str
    base_url: str


class YieldFell(Event):
    """An endpoint yields less than usual."""

    tag: ClassVar[str] = "yield.fell"
    endpoint_id: str
    told: str


class ReleasePublished(Event):
    """A new version of a pack's rules was published."""

    tag: ClassVar[str] = "release.published"
    release_id: str
    pack: str
    version: str
    rules: int


class ReleaseRetracted(Event):
    """A published version no longer counts."""

    tag: ClassVar[str] = "release.retracted"
    release_id: str
    pack: str
    version: str
    by: str


class RulePublished(Event):
    """Anyone who keeps a copy of the released rules must add this one."""

    tag: ClassVar[str] = "rule.published"
    rule_id: str
    concept: str
    release_id: str


class RuleChanged(Event):
    """Anyone who keeps a copy of the released rules must replace this one."""

    tag: ClassVar[str] = "rule.changed"
    rule_id: str
    concept: str
    release_id: str
    fields: str
    """The names of the fields that differ, separated by commas."""


class RuleRemoved(Event):
    """Anyone who keeps a copy of the released rules must remove this one."""

    tag: ClassVar[str] = "rule.removed"
    rule_id: str
    concept: str
    release_id: str
