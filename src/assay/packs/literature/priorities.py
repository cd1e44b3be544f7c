"""How far a reference is trusted, and which work is fetched first."""

from enum import StrEnum

from assay.packs.literature.listed import ListKind


class PlaceKind(StrEnum):
    """Where a document was found."""

    CURATED = "curated_repo"
    FEED = "arxiv_feed"
    RESOLVED = "openalex_resolved"
    CITED = "scraped_pdf"


TRUST = {
    PlaceKind.CURATED: 1.0,
    PlaceKind.FEED: 0.9,
    PlaceKind.RESOLVED: 0.7,
    PlaceKind.CITED: 0.5,
}
_BY_CONFIDENCE = ((0.95, 0.4), (0.75, 0.3), (0.6, 0.2))
"""The least confidence, and what it adds to the priority."""


def find_source_kind(list_kind: str, *, is_cited: bool = False) -> PlaceKind:
    """The kind of source that a list is."""
    if is_cited:
        return PlaceKind.CITED
    return PlaceKind.FEED if list_kind == ListKind.ARXIV else PlaceKind.CURATED


def rate_reference(doc_id: str, version: int | None, urls: list[str]) -> float:
    """How certain it is that a reference leads to the work's text, before anything is looked up."""
    if doc_id.startswith("arxiv:") and version is not None:
        return 0.9
    return 0.6 if any(url.lower().endswith(".pdf") for url in urls) else 0.3


def rate_resolution(ids: list[str], pdf_urls: list[str]) -> float:
    """The same after a service was asked."""
    if any(each.startswith("arxiv:") for each in ids):
        return 0.95
    return 0.75 if pdf_urls else 0.3


def compute_priority(trust: float, confidence: float, age_years: float, retries: int) -> float:
    """Which work is fetched first: well chosen, certain to have a text, recent, not yet tried."""
    resolution = next((more for least, more in _BY_CONFIDENCE if confidence >= least), 0.0)
    return trust + resolution + max(0.0, 0.2 - age_years) + 0.05 * confidence - 0.15 * retries
