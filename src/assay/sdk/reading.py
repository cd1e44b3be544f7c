"""What reading a document gives, and how alike two texts are."""

from assay.model.content import ContentClass
from assay.reading.result import Mark, MarkKind, PageSpan, Reading, TableData
from assay.ruling.release.vectors import likeness, vector_of

__all__ = [
    "ContentClass",
    "Mark",
    "MarkKind",
    "PageSpan",
    "Reading",
    "TableData",
    "likeness",
    "vector_of",
]
