"""What holds, for whom, from when to when; what contradicts it; and what was published of it."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import Field

from assay.model.storage import APPEND_ONLY, VOLATILE, Merge, Moment, Record, fixed_except

PERSON_APPROVED = (
    "tier IN ('T2', 'T3') OR status NOT IN ('APPROVED', 'PUBLISHED') "
    "OR (approved_by IS NOT NULL AND approved_by <> '')"
)
"""The database itself refuses a rate, deadline, penalty or threshold that no person approved."""


class RuleStatus(StrEnum):
    """Where a rule stands."""

    DRAFT = "DRAFT"
    PENDING_REVIEW = "PENDING_REVIEW"
    APPROVED = "APPROVED"
    PUBLISHED = "PUBLISHED"
    DEPRECATED = "DEPRECATED"
    REJECTED = "REJECTED"


class EdgeKind(StrEnum):
    """What one rule does to another."""

    AMENDS = "AMENDS"
    INTERPRETS = "INTERPRETS"
    REQUIRES = "REQUIRES"
    EXEMPTS = "EXEMPTS"
    DEPENDS_ON = "DEPENDS_ON"
    SUPERSEDES = "SUPERSEDES"
    OVERRIDES = "OVERRIDES"


class ConflictKind(StrEnum):
    """What two rules disagree about."""

    SOURCE = "SOURCE"
    TEMPORAL = "TEMPORAL"
    SCOPE = "SCOPE"
    INTERPRETATION = "INTERPRETATION"


class ConflictSign(StrEnum):
    """How it was seen."""

    VALUE_MISMATCH = "VALUE_MISMATCH"
    DATE_OVERLAP = "DATE_OVERLAP"
    AUTHORITY_SUPERSEDE = "AUTHORITY_SUPERSEDE"
    CROSS_SLUG_DUPLICATE = "CROSS_SLUG_DUPLICATE"


class ConflictState(StrEnum):
    """What became of a conflict."""

    OPEN = "OPEN"
    ESCALATED = "ESCALATED"
    """A person has to decide."""
    RESOLVED = "RESOLVED"
    MOOT = "MOOT"
    """One of the two no longer stands, so that nothing is left to decide."""


class Resolution(StrEnum):
    """How a conflict ends."""

    RULE_A_PREVAILS = "RULE_A_PREVAILS"
    RULE_B_PREVAILS = "RULE_B_PREVAILS"
    MERGE_RULES = "MERGE_RULES"
    ESCALATE_TO_HUMAN = "ESCALATE_TO_HUMAN"


class Rule(
    Record,
    table="rules",
    key=("rule_id",),
    indexes=(("concept",), ("pack", "status")),
    checks={"person_approved": PERSON_APPROVED},
    guard=fixed_except(
        "amends",
        "status",
        "status_reason",
        "confidence",
        "approved_by",
        "approved_ms",
        "approved_key",
        "person_version",
    ),
):
    """A composed statement of what holds. Its id follows from its meaning.

    What becomes of a rule or a conflict is a change with a condition, never an upsert: a stage that
    is late must not take back what a person decided meanwhile.
    """

    PERSON_FIELDS: ClassVar[frozenset[str]] = frozenset(
        {"approved_by", "approved_ms", "approved_key", "person_version"}
    )

    rule_id: str
    pack: str
    concept: str
    domain: str
    tier: str
    value: str
    value_type: str
    unit: str = ""
    effective_from: str | None = None
    """Inclusive; None: since nobody knows when."""
    effective_until: str | None = None
    """Exclusive, as the evidence states it. A rule that supersedes it ends it as well."""
    applies_when: str
    """The condition, as canonical JSON."""
    amends: Annotated[bool, Merge.MAX] = False
    """Any of several documents may say that it amends, and which comes first is luck."""
    status: str = RuleStatus.DRAFT.value
    status_reason: str = ""
    confidence: float = Field(default=0.0, ge=0.0, le=1.0)
    approved_by: str | None = None
    approved_ms: Moment | None = None
    approved_key: str | None = None
    """What the approval rests on: the key of the evidence that the person saw."""
    person_version: dict[str, Any] | None = None
    """What a person changed; the machine's version stays in the other fields."""
    created_ms: Moment = 0


class SourcePointer(
    Record,
    table="source_pointers",
    key=("pointer_id",),
    indexes=(("rule_id",), ("doc_id",)),
    guard=APPEND_ONLY,
    of_evidence="evidence_id",
):
    """The link from a rule to the words that it rests on."""

    pointer_id: str
    rule_id: str
    fact_id: str
    evidence_id: str
    artifact_id: str
    doc_id: str
    source_slug: str
    quote: str
    start: int
    end: int
    page: int | None = None
    article: str = ""
    confidence: float = Field(ge=0.0, le=1.0)
    replaces: str | None = None
    """The value that it puts an end to, in the document's own words."""
    borrowed: bool = False
    """Whether the words are those of a statement without a date: they bear the rule out, but it
    never rests on them alone."""


class Concept(Record, table="concepts", key=("concept",)):
    """A thing of which rules speak, under one name."""

    concept: str
    pack: str
    domain: Annotated[str, Merge.MIN]
    subject: str
    predicate: str
    tier: str
    label: str


class ConceptAlias(Record, table="concept_aliases", key=("concept", "alias")):
    """Another name of a concept."""

    concept: str
    alias: str


class RuleEdge(
    Record,
    table="rule_edges",
    key=("from_rule", "to_rule", "kind"),
    indexes=(("to_rule",),),
    merge=Merge.NEW,
    leftover=("holds", False),
):
    """What one rule does to another.

    An edge follows from the rules that are there; nobody decides it: the last look counts.
    """

    from_rule: str
    to_rule: str
    kind: str
    reason: str = ""
    holds: bool = True
    """False for one that others have come between, or whose rules lost their ground."""


class Conflict(
    Record,
    table="conflicts",
    key=("conflict_id",),
    indexes=(("concept",), ("rule_a",), ("rule_b",), ("state",)),
    leftover=("state", "MOOT"),
):
    """Two rules that cannot both hold; `rule_a` is the one with the lesser id."""

    conflict_id: str
    pack: str
    concept: str
    kind: str
    sign: str
    rule_a: str
    rule_b: str
    state: str = ConflictState.OPEN.value
    resolution: str | None = None
    winner: str | None = None
    ground: str | None = None
    """What decided it: `authority`, `hierarchy`, `later`, `precedent`, `model`, `person`."""
    confidence: float | None = None
    recommendation: str | None = None
    """The rule that the machine would let prevail, where a person has to decide."""
    created_ms: Moment = 0


class ConflictResolution(
    Record,
    table="conflict_resolutions",
    key=("resolution_id",),
    indexes=(("conflict_id",),),
    guard=APPEND_ONLY,
    canonical=False,
):
    """One decision about a conflict; undoing it is another."""

    resolution_id: str
    conflict_id: str
    resolution: str
    winner: str | None = None
    ground: str
    confidence: float
    decided_by: str
    note: str = ""
    undoes: str | None = None
    """The resolution that it takes back."""
    at_ms: Moment = 0


class ReviewDecision(
    Record,
    table="review_decisions",
    key=("decision_id",),
    indexes=(("subject",),),
    guard=APPEND_ONLY,
    canonical=False,
):
    """What a person said, beside what the machine had said."""

    decision_id: str
    subject_kind: str
    subject: str
    decision: str
    """APPROVE, REJECT, EDIT, RESOLVE, UNDO, WITHDRAW."""
    person: str
    note: str = ""
    machine: dict[str, Any] = Field(default_factory=dict)
    version: dict[str, Any] = Field(default_factory=dict)
    evidence_key: str = ""
    at_ms: Moment = 0


class AuditEntry(
    Record,
    table="audit_log",
    key=("seq",),
    unique=(("audit_id",),),
    indexes=(("subject",),),
    guard=APPEND_ONLY,
    canonical=False,
):
    """One line of the audit log; each carries the hash of the one before."""

    seq: int
    audit_id: str
    action: str
    subject_kind: str
    subject: str
    actor: str
    body: dict[str, Any]
    run_id: str = ""
    at_ms: Moment = 0
    previous_hash: str
    hash: str


class Release(
    Record,
    table="releases",
    key=("release_id",),
    unique=(("pack", "version"), ("pack", "number")),
    guard=fixed_except("state"),
):
    """An immutable, versioned, hashed set of approved rules."""

    BYTES: ClassVar[tuple[str, ...]] = ("manifest_hash",)

    release_id: str
    pack: str
    version: str
    number: int
    """Its place among the releases of its pack, from 1."""
    previous: str | None = None
    """The release that it was made after."""
    state: str = "PUBLISHED"
    """PUBLISHED, or ROLLED_BACK."""
    manifest_hash: str
    """The stored bytes of the manifest."""
    content_hash: str
    """Over the rules sorted by concept, as canonical JSON."""
    rule_count: int
    changes: dict[str, Any] = Field(default_factory=dict)
    """What was added, changed and removed since the previous release."""
    audit_hash: Annotated[str, VOLATILE] = ""
    """The head of the audit log when it was made."""
    released_by: str = ""
    created_ms: Moment = 0


class ReleasedRule(
    Record,
    table="released_rules",
    key=("release_id", "rule_id"),
    indexes=(("rule_id",),),
    guard=APPEND_ONLY,
):
    """That a rule is part of a release."""

    release_id: str
    rule_id: str
    concept: str


class Embedding(Record, table="embeddings", key=("subject", "model"), merge=Merge.NEW):
    """A vector of something published, for search by likeness."""

    subject: str
    model: str
    content_hash: str
    """The words that it was made of."""
    dimensions: int
    vector: str
    """In hexadecimal, 32-bit floats, little end first."""
