"""What reading a document gives, how alike two texts are, and the names of months."""

from assay.model.content import ContentClass
from assay.model.months import name_months, number_months
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
    "name_months",
    "number_months",
    "vector_of",
]
