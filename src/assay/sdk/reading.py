"""The result of reading a document, the similarity of two texts, and the names of months."""

from dataclasses import dataclass

from assay.errors import AssayError
from assay.model.content import ContentClass
from assay.model.months import list_month_names, list_month_numbers
from assay.reading.result import Mark, MarkKind, PageSpan, Reading, TableData
from assay.ruling.release.vectors import compute_similarity, compute_vector

__all__ = [
    "ContentClass",
    "FileReading",
    "Mark",
    "MarkKind",
    "PageSpan",
    "Reading",
    "TableData",
    "compute_similarity",
    "compute_vector",
    "list_month_names",
    "list_month_numbers",
]


@dataclass(frozen=True, kw_only=True)
class FileReading:
    """The result for one file or URL: a reading, or the error that prevented it."""

    target: str
    reading: Reading | None = None
    error: AssayError | None = None
    notes: tuple[str, ...] = ()
    """What the reader could not do, such as reading scanned pages."""
