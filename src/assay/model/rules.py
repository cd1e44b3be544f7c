"""Rules (what applies, to whom, and when), the conflicts between them, and their releases."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import Field

from assay.model.storage import APPEND_ONLY, VOLATILE, Merge, Moment, Record, fixed_except

PERSON_TIERS = frozenset({"T0", "T1"})
"""Rates, deadlines, penalties and thresholds: only a person approves a rule of these tiers."""
PERSON_APPROVED = (
    "tier IN ('T2', 'T3') OR status NOT IN ('APPROVED', 'PUBLISHED') "
    "OR (approved_by IS NOT NULL AND approved_by <> '')"
)
"""The database itself rejects a rate, deadline, penalty or threshold that no person approved."""


class RuleStatus(StrEnum):
    """The status of a rule."""

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
    """What the rules of a conflict disagree about."""

    SOURCE = "SOURCE"
    TEMPORAL = "TEMPORAL"
    SCOPE = "SCOPE"
    INTERPRETATION = "INTERPRETATION"


class ConflictSign(StrEnum):
    """How a conflict was detected."""

    VALUE_MISMATCH = "VALUE_MISMATCH"
    DATE_OVERLAP = "DATE_OVERLAP"
    AUTHORITY_SUPERSEDE = "AUTHORITY_SUPERSEDE"
    CROSS_SLUG_DUPLICATE = "CROSS_SLUG_DUPLICATE"


class ConflictState(StrEnum):
    """The state of a conflict."""

    OPEN = "OPEN"
    ESCALATED = "ESCALATED"
    """A person has to decide."""
    RESOLVED = "RESOLVED"
    MOOT = "MOOT"
    """Its rules no longer contradict each other, so there is nothing left to decide."""


class Resolution(StrEnum):
    """How a conflict ends."""

    RULE_PREVAILS = "RULE_PREVAILS"
    """The others give way, unless they say the same."""
    IN_TURN = "IN_TURN"
    """Each holds until the next one begins."""
    DIFFERENT_THINGS = "DIFFERENT_THINGS"
    """They do not contradict each other."""
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
    hashed=True,
):
    """A composed statement of what applies. Its id is derived from its meaning.

    A rule or a conflict is only ever updated by a conditional change, never by an upsert: a late
    stage must not undo what a person decided in the meantime.
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
    """Inclusive; None where the start is unknown."""
    effective_until: str | None = None
    """Exclusive, as the evidence states it. A rule that supersedes this one ends it as well."""
    applies_when: str
    """The condition, as canonical JSON."""
    amends: Annotated[bool, Merge.MAX] = False
    """Any of several documents may say that it amends, and which one comes first is chance."""
    status: str = RuleStatus.DRAFT.value
    status_reason: str = ""
    confidence: float = Field(default=0.0, ge=0.0, le=1.0)
    approved_by: str | None = None
    approved_ms: Moment | None = None
    approved_key: str | None = None
    """The basis of the approval: the key of the evidence that the person saw."""
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
    hashed=True,
):
    """The link from a rule to the words that support it."""

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
    """The value that it replaces, in the document's own words."""
    amended: dict[str, Any] | None = None
    """The words that its quote amends, as in a fact."""
    borrowed: bool = False
    """Whether an earlier version of Assay took the words from another rule with the same value.
    They support nothing."""


class Concept(Record, table="concepts", key=("concept",), indexes=(("subject", "predicate"),)):
    """A thing that rules are about, under one name."""

    concept: str
    pack: str
    domain: Annotated[str, Merge.MIN]
    subject: str
    predicate: str
    tier: str
    label: Annotated[str, Merge.MIN]
    """In words; documents may use different ones for the same kind."""


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

    An edge follows from the existing rules; nobody decides it, so the latest look counts.
    """

    from_rule: str
    to_rule: str
    kind: str
    reason: str = ""
    holds: bool = True
    """False if other rules have come in between, or if its rules have lost their support."""


class Conflict(
    Record,
    table="conflicts",
    key=("conflict_id",),
    indexes=(("concept",), ("state",)),
    leftover=("state", "MOOT"),
):
    """Rules about one case that cannot all hold; there is at most one conflict for each case."""

    conflict_id: str
    pack: str
    concept: str
    value_type: str
    unit: str = ""
    applies_when: str
    """The condition that its rules share, as canonical JSON."""
    kind: str
    sign: str
    state: str = ConflictState.OPEN.value
    resolution: str | None = None
    winner: str | None = None
    ground: str | None = None
    """What decided it: `authority`, `hierarchy`, `later`, `precedent`, `model`, `person`."""
    confidence: float | None = None
    recommendation: str | None = None
    """What the machine recommends if a person has to decide: a rule, or `in-turn`."""
    words_key: str = ""
    """Identifies the words of its sides when it was last looked at."""
    created_ms: Moment = 0


class ConflictSide(
    Record,
    table="conflict_sides",
    key=("side_id",),
    indexes=(("conflict_id",), ("rule_id",)),
    leftover=("holds", False),
):
    """A rule that is a side of a conflict, and what became of it there."""

    side_id: str
    conflict_id: str
    rule_id: str
    until: str | None = None
    """The first day on which it no longer applies: the one its evidence states, or the first day of
    an amendment that names its value."""
    contested: bool = True
    """Whether another side contradicts it, and nobody has decided that yet."""
    gave_way_to: str | None = None
    """The rule that prevailed over it."""
    holds: bool = True
    """False if it no longer contradicts another rule, or lost its support."""


class ConflictResolution(
    Record,
    table="conflict_resolutions",
    key=("resolution_id",),
    indexes=(("conflict_id",),),
    guard=APPEND_ONLY,
    canonical=False,
    hashed=True,
):
    """One decision about a conflict; undoing it is a further decision."""

    resolution_id: str
    conflict_id: str
    resolution: str
    winner: str | None = None
    ground: str
    confidence: float
    decided_by: str
    note: str = ""
    undoes: str | None = None
    """The resolution that it undoes."""
    at_ms: Moment = 0


class ReviewDecision(
    Record,
    table="review_decisions",
    key=("decision_id",),
    indexes=(("subject",),),
    guard=APPEND_ONLY,
    canonical=False,
    hashed=True,
):
    """A person's decision, kept beside the machine's."""

    decision_id: str
    subject_kind: str
    subject: str
    decision: str
    """APPROVE, REJECT, EDIT, RESOLVE, UNDO, WITHDRAW; AGREE for the first of two approvals."""
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
    """One entry of the audit log; each carries the hash of the one before."""

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
    """Its number among the releases of its pack, from 1."""
    previous: str | None = None
    """The release before it."""
    state: str = "PUBLISHED"
    """PUBLISHED, or ROLLED_BACK."""
    manifest_hash: str
    """The hash of the stored manifest."""
    content_hash: str
    """The hash of the rules sorted by concept, as canonical JSON."""
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
    """A rule that is part of a release."""

    release_id: str
    rule_id: str
    concept: str


class Embedding(Record, table="embeddings", key=("subject", "model"), merge=Merge.NEW):
    """A vector for something published, used in similarity search."""

    subject: str
    model: str
    content_hash: str
    """The hash of the words it was made from."""
    dimensions: int
    vector: str
    """In hexadecimal: 32-bit floats, little-endian."""
