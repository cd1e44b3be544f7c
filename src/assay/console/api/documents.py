"""Documents, their versions, and the facts found in them."""

from typing import Any

from pydantic import BaseModel

from assay.app import listings
from assay.app.documents import describe_document, describe_evidence, find_document
from assay.console.access import Reader
from assay.console.api.paging import WantedPage
from assay.console.api.routing import build_router
from assay.console.layout import OwnApp
from assay.model.facts import CandidateFact
from assay.model.lifecycle import CandidateState

router = build_router("documents")


class DocumentBrief(BaseModel):
    """A document, and where it is in the intake."""

    doc_id: str
    source_slug: str
    url: str
    title: str | None
    parent_doc_id: str | None
    first_seen_ms: int
    state: str | None
    evidence_id: str | None
    """Its current version; None before it was fetched."""


class DocumentPage(BaseModel):
    """Documents by their id."""

    documents: list[DocumentBrief]
    next: str | None = None


class EvidenceBrief(BaseModel):
    """One version of a document."""

    number: int
    is_current: bool
    evidence_id: str
    url: str
    content_hash: str
    doc_id: str
    source_slug: str
    content_type: str
    content_class: str | None
    size: int
    text_hash: str | None
    primary_text_artifact_id: str | None
    fetched_ms: int
    previous_seen_ms: int | None
    version: str | None
    version_ms: int | None
    run_id: str
    length: int | None
    """The characters of its text; None if it was not read."""


class EvidenceShown(EvidenceBrief):
    """One version of a document with its text, in which quotes have their places."""

    text: str
    facts: list[CandidateFact]


class DocumentShown(BaseModel):
    """Everything about a document."""

    doc_id: str
    source_slug: str
    url: str
    title: str | None
    parent_doc_id: str | None
    first_seen_ms: int
    state: str
    reason: str
    code: str | None
    retry_ms: int | None
    changed_ms: int | None
    seen: dict[str, Any] | None
    places: list[dict[str, Any]]
    parent: dict[str, Any] | None
    children: list[dict[str, Any]]
    versions: list[EvidenceBrief]
    scout_results: list[dict[str, Any]]
    routing: list[dict[str, Any]]
    facts: list[CandidateFact]
    history: list[dict[str, Any]]


class FactList(BaseModel):
    """Facts by their id."""

    facts: list[CandidateFact]
    next: str | None = None


@router.get("/api/documents")
def list_documents(
    app: OwnApp,
    _principal: Reader,
    page: WantedPage,
    source: str | None = None,
    state: CandidateState | None = None,
) -> DocumentPage:
    """The documents, optionally of one source or in one state."""
    found = listings.page_documents(app, page.after, page.limit, source=source, state=state)
    next_ = page.link_next(found)
    return DocumentPage.model_validate({"documents": found.rows, "next": next_})


@router.get("/api/documents/{doc_id}")
def show_document(app: OwnApp, _principal: Reader, doc_id: str) -> DocumentShown:
    """One document with its versions, what was decided about it, and its facts."""
    return DocumentShown.model_validate(describe_document(app, find_document(app, doc_id)))


@router.get("/api/evidence/{evidence_id}")
def show_evidence(app: OwnApp, _principal: Reader, evidence_id: str) -> EvidenceShown:
    """One version of a document with its text and the facts found in it."""
    return EvidenceShown.model_validate(describe_evidence(app, evidence_id))


@router.get("/api/facts")
def list_facts(
    app: OwnApp,
    _principal: Reader,
    page: WantedPage,
    concept: str | None = None,
    source: str | None = None,
    evidence: str | None = None,
) -> FactList:
    """The facts with their quotes, optionally of one concept, source or version."""
    found = listings.page_facts(
        app, page.after, page.limit, concept=concept, source=source, evidence_id=evidence
    )
    return FactList.model_validate({"facts": found.rows, "next": page.link_next(found)})
