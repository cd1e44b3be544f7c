"""A work as a service describes it."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from assay.packs.literature.ids import parse_arxiv_id, parse_doi


class FoundWork(BaseModel):
    """One work, as one service describes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: str
    """The service: `openalex`, `crossref` or `arxiv`."""
    ids: tuple[str, ...] = ()
    """As in `ListedReference`: all ids that the service gives to this work itself."""
    version: int | None = None
    """Of the arXiv paper."""
    title: str = ""
    authors: tuple[str, ...] = ()
    """Given Family."""
    year: int | None = None
    venue: str = ""
    volume: str = ""
    pages: str = ""
    """As given; begins with the first page, or is the number of the article."""
    abstract: str = ""
    pdf_urls: tuple[str, ...] = ()
    landing_url: str = ""
    kind: str = ""
    """The service's word for it, such as `article`, `preprint` or `book-chapter`."""
    is_retracted: bool = False
    cites: tuple[str, ...] = ()
    """Ids of works that it cites."""
    same_work_ids: tuple[str, ...] = ()
    """Ids that the service itself states to be another version of this work."""


def sort_ids(ids: Iterable[str | None]) -> tuple[str, ...]:
    """Ids in order, each once."""
    return tuple(sorted({each for each in ids if each}))


def make_doi_id(doi: str) -> str | None:
    """The id of a DOI; that of an arXiv paper if the DOI stands for one; None if it is invalid."""
    text = doi.strip()
    if (at := text.casefold().find("10.48550/arxiv.")) >= 0:
        found = parse_arxiv_id(text[at + len("10.48550/arxiv.") :])
        return f"arxiv:{found[0]}" if found else None
    parsed = parse_doi(text)
    return f"doi:{parsed}" if parsed else None
