"""What a list says about a work, before anything is looked up."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class ListKind(StrEnum):
    """The kinds of lists that references are read from."""

    AWESOME = "awesome"
    """Markdown, and the YAML or JSON databases behind such lists."""
    VISIONBIB = "visionbib"
    BIBTEX = "bibtex"
    RIS = "ris"
    CSL = "csl"
    """CSL-JSON, as Zotero and Crossref give it."""
    CSV = "csv"
    """Zotero's CSV export."""
    ARXIV = "arxiv"
    """An Atom or RSS feed of arXiv."""
    BIBLIOGRAPHY = "bibliography"
    """Reference strings: a paper's own section, or one per line."""


class ListedReference(BaseModel):
    """One reference, as a list gives it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ids: tuple[str, ...] = ()
    """Ids in their one spelling, sorted, the same twice only once: `arxiv:2312.07559` (without
    version), `doi:10.1/x` (case-folded), `pmid:123`, `isbn:9780000000000` (13 digits),
    `openalex:W123`."""
    version: int | None = None
    """The version of the arXiv paper."""
    urls: tuple[str, ...] = ()
    """Other addresses: project pages, code, PDFs; normalised."""
    title: str = ""
    authors: tuple[str, ...] = ()
    """As given: "Given Family" or "Family, Given"."""
    year: int | None = None
    venue: str = ""
    abstract: str = ""
    section: str = ""
    """The heading above it."""
    start: int = 0
    """Its place in the decoded text of the list."""
    end: int = 0
