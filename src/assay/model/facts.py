"""What was extracted from evidence, what was rejected, and how much of a document is covered."""

from typing import Any, Final

from pydantic import Field

from assay.model.storage import APPEND_ONLY, Merge, Moment, Record

FIRST_DAY_OF_ALL: Final = "0001-01-01"
"""A fact without a known first day that ended on this day never held."""


class CandidateFact(
    Record,
    table="candidate_facts",
    key=("fact_id",),
    indexes=(("evidence_id",), ("concept",)),
    guard=APPEND_ONLY,
    of_evidence="evidence_id",
    hashed=True,
):
    """A claim extracted from evidence that has passed every gate."""

    fact_id: str
    pack: str
    evidence_id: str
    artifact_id: str
    doc_id: str
    source_slug: str
    domain: str
    concept: str
    qualifiers: str = ""
    """Which kind of it, in the words of the document."""
    context: str = ""
    """Words outside the quote that a reader needs: its heading, what introduces its list, the
    sentence that it goes on with."""
    subject: str
    predicate: str
    value: str
    value_type: str
    unit: str = ""
    quote: str
    start: int = Field(ge=0)
    """The quote is the text of the artifact from `start` to `end`."""
    end: int = Field(ge=0)
    page: int | None = None
    confidence: float = Field(ge=0.0, le=1.0)
    effective_from: str | None = None
    effective_until: str | None = None
    applies_when: str
    """The condition, as canonical JSON."""
    article: str = ""
    amends: bool = False
    replaces: str | None = None
    amended: dict[str, Any] | None = None
    """The words that it amends, if the quote alone does not say what it is about: evidence_id,
    artifact_id, doc_id, quote, start, end."""
    extractor: str
    """What found it: `deterministic@2`, or the prompt and the model."""


class FactEnd(
    Record,
    table="fact_ends",
    key=("fact_id", "by_evidence_id"),
    indexes=(("by_evidence_id",),),
    merge=Merge.NEW,
    leftover=("holds", False),
    of_evidence="by_evidence_id",
):
    """A fact that no longer holds from a day on, because a later document says so.

    It follows from the documents, so the latest look counts.
    """

    fact_id: str
    by_evidence_id: str
    """The evidence that ends it."""
    pack: str
    day: str
    """The first day on which it no longer holds, or may no longer hold; empty if unknown."""
    since: str = ""
    """If the day is not known exactly: the first day on which the fact may already have ended. On
    `day` it surely has; nothing that rests on it is certain between the two."""
    doubt: str = ""
    """Why it is not certain that it ended, or since when; empty if it is. Without `since`, nothing
    that rests on the fact is certain from `day` on, until a person has answered."""
    quote: str
    """The words that end it."""
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    holds: bool = True


class ExtractionRejected(
    Record,
    table="extraction_rejected",
    key=("rejected_id",),
    indexes=(("evidence_id",),),
    guard=APPEND_ONLY,
    of_evidence="evidence_id",
):
    """A claim that failed a gate, kept with the reason."""

    rejected_id: str
    pack: str
    evidence_id: str
    source_slug: str
    reason: str
    detail: str
    proposal: dict[str, Any]
    """The claim as it was made."""
    extractor: str
    created_ms: Moment = 0


class CoverageReport(
    Record,
    table="coverage_reports",
    key=("evidence_id", "pack"),
    merge=Merge.NEW,
    of_evidence="evidence_id",
):
    """How much of a document's relevant sentences, and of the values in them, became facts."""

    evidence_id: str
    pack: str
    artifact_id: str
    sentences: int
    relevant: int
    covered: int
    """Relevant sentences of which a fact states a value or a duty."""
    values_total: int = 0
    """Values in the relevant sentences: rates, amounts, periods, days."""
    values_found: int = 0
    """Those of them that a fact states."""
    facts: int
    rejected: int
    share: float | None = Field(default=None, ge=0.0, le=1.0)
    """Covered sentences as a share of the relevant ones; None if there is nothing to cover."""
    outdated: list[str] = Field(default_factory=list)
    """Facts that an earlier version of the extractor found in it and this one does not. They
    support nothing."""
    extractor: str
    created_ms: Moment = 0
