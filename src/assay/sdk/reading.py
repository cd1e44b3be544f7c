"""What reading a document gives, how alike two texts are, and the names of months."""

from dataclasses import dataclass

from assay.errors import AssayError
from assay.model.content import ContentClass
from assay.model.months import name_months, number_months
from assay.reading.result import Mark, MarkKind, PageSpan, Reading, TableData
from assay.ruling.release.vectors import likeness, vector_of

__all__ = [
    "ContentClass",
    "FileReading",
    "Mark",
    "MarkKind",
    "PageSpan",
    "Reading",
    "TableData",
    "likeness",
    "name_months",
    "number_months",
    "vector_of",
]


@dataclass(frozen=True, kw_only=True)
class FileReading:
    """What came of one file or address: a reading, or the reason why there is none."""

    target: str
    reading: Reading | None = None
    error: AssayError | None = None
    notes: tuple[str, ...] = ()
    """What the reader could not do here, such as reading scanned pages."""
