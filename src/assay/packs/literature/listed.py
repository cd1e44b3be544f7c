"""What a list says about a work, before anything is looked up."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

_PART: Final = 1000
"""References that are recorded together."""


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


@dataclass(frozen=True)
class PiecePlace:
    """Where a piece of a list begins, and what must be known to read it."""

    start: int = 0
    """In bytes."""
    place: int = 0
    """In characters of the decoded list."""
    state: bytes = b""
    """What the pieces before it left; empty for the first."""
    shared: bytes = b""
    """What every piece must know."""
    follows_gap: bool = False
    """Whether the piece before it could not be read; of the state, only the lasting part holds."""


@dataclass(frozen=True)
class ListPiece:
    """What was read of a piece of a list."""

    parts: list[bytes]
    """Its references as stored bytes; their places count from the beginning of the piece."""
    count: int
    notes: list[str]
    """What could not be read; at most a few."""
    following: PiecePlace | None = None
    """The next piece; None if this is the last."""


def encode_references(references: Sequence[ListedReference]) -> list[bytes]:
    """References as stored bytes: one JSON object a line, in parts of a bounded size."""
    return [
        b"".join(
            each.model_dump_json(exclude_defaults=True).encode() + b"\n"
            for each in references[at : at + _PART]
        )
        for at in range(0, len(references), _PART)
    ]
