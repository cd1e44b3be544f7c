"""The records of the corpus: what lists say, what services found, and which ids are one work.

What is known about a work is never merged into one row. Lists, services and the paper itself each
have their own rows, and what is shown is chosen from them. The order in which they arrive therefore
does not matter.
"""

from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import Field

from assay.sdk.records import APPEND_ONLY, VOLATILE, Merge, Moment, Record


class ReferenceList(Record, table="literature_lists", key=("list_id",), merge=Merge.NEW):
    """A list of references that is watched, or was given as a file."""

    list_id: str
    """Also the slug of its source."""
    kind: str
    url: str
    """Where it is; empty for a file."""
    tier: str = "A"
    """How far its choice is trusted; `tierA_*.txt` lists the works of lists of tier A."""
    follow: bool = False
    """Whether the works that its papers cite become part of the corpus."""


class WorkReference(
    Record,
    table="literature_references",
    key=("reference_id",),
    indexes=(("doc_id",), ("list_id",), ("run_id",), ("citing",)),
    guard=APPEND_ONLY,
):
    """One reference to a work, as it was found for the first time."""

    reference_id: str
    """Made from its list and its content: the same entry read again is the same reference."""
    list_id: str
    """The list, or the source of the paper that cites the work."""
    kind: str
    doc_id: str
    """The document that it alone identifies. It may be an alias of another, see `WorkId`."""
    citing: str = ""
    """The document that cites it; empty for an entry of a list."""
    ids: list[str]
    version: int | None = None
    urls: list[str]
    title: str
    authors: list[str]
    year: int | None = None
    venue: str
    abstract: str = ""
    section: Annotated[str, VOLATILE] = ""
    evidence_id: Annotated[str, VOLATILE] = ""
    start: Annotated[int, VOLATILE] = 0
    end: Annotated[int, VOLATILE] = 0
    """Where it was found first: in which version of the list, and at which place there."""
    run_id: Annotated[str, VOLATILE] = ""


class WorkId(
    Record,
    table="literature_ids",
    key=("id",),
    indexes=(("doc_id",),),
    merge=Merge.NEW,
):
    """An id, and the work that it stands for."""

    id: str
    doc_id: str
    """The document that all ids of the work lead to."""
    is_disputed: bool = False
    """Whether it could belong to several works, and a person has yet to decide."""


class IdLink(
    Record,
    table="literature_links",
    key=("link_id",),
    indexes=(("first",), ("second",)),
):
    """Two ids that someone says belong to one work."""

    link_id: str
    first: str
    second: str
    stated_by: Annotated[str, Merge.MIN]
    """A list, a service, or a person."""


class IdentityDecision(
    Record,
    table="literature_decisions",
    key=("link_id",),
    merge=Merge.NEW,
    indexes=(("first",), ("second",)),
):
    """What a person decided about two ids. It stands, whatever lists and services say."""

    link_id: str
    first: str
    second: str
    is_same: bool


class WorkDetails(
    Record,
    table="literature_details",
    key=("doc_id", "provider"),
    merge=Merge.NEW,
):
    """What a service says about a work."""

    doc_id: str
    """The id that was asked about."""
    provider: str
    ids: list[str]
    title: str
    authors: list[str]
    year: int | None = None
    venue: str = ""
    abstract: str = ""
    kind: str = ""
    pdf_urls: list[str] = Field(default_factory=list)
    landing_url: str = ""
    cites: list[str] = Field(default_factory=list)
    is_retracted: bool = False
    version: int | None = None


class ResolutionStatus(StrEnum):
    """How an attempt to resolve a reference ended."""

    RESOLVED = "resolved"
    UNRESOLVED = "unresolved"
    """No service knows the work, or none of those found is certainly the same."""
    ASKED = "asked"
    """A person decides whether it is the same work."""


class WorkResolution(
    Record,
    table="literature_resolutions",
    key=("resolution_id",),
    indexes=(("doc_id",), ("run_id",)),
    guard=APPEND_ONLY,
):
    """The result of one attempt to resolve a reference."""

    resolution_id: str
    doc_id: str
    provider: str
    status: str
    method: str
    """How it was found: by `id` or by `title`."""
    found: list[str]
    """The ids of the work that was found."""
    confidence: float
    reason: str
    at_ms: Moment = 0
    run_id: Annotated[str, VOLATILE] = ""


class FullText(
    Record,
    table="literature_texts",
    key=("doc_id",),
    merge=Merge.NEW,
    of_evidence="evidence_id",
):
    """The text of a work, divided into passages; made again only when the content changes."""

    BYTES: ClassVar[tuple[str, ...]] = ("passages_hash", "vectors_hash")

    doc_id: str
    """The document whose evidence it is, which may be one of several of a work."""
    evidence_id: str
    artifact_id: str
    text_hash: str
    passages_hash: str
    vectors_hash: str
    embedder: str
    """What made the vectors, with its version."""
    passages: int
    pages: int = 0
    sections: list[str] = Field(default_factory=list)
    title: str = ""
    abstract: str = ""
    """What the text says about itself; services are believed first."""


class LiteratureWatch(Record, table="literature_watches", key=("watch_id",), merge=Merge.NEW):
    """A query whose new matches are reported."""

    watch_id: str
    query: str
    filters: dict[str, Any] = Field(default_factory=dict)
    is_active: bool = True


class WatchedWork(Record, table="literature_hits", key=("watch_id", "doc_id"), canonical=False):
    """A work that matches a watch."""

    watch_id: str
    doc_id: str
    score: float
    found_ms: Moment = 0
