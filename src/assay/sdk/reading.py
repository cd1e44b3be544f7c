"""The result of reading a document, its sentences, the similarity of texts, names of months."""

from dataclasses import dataclass

from assay.errors import AssayError
from assay.model.content import ContentClass
from assay.model.months import list_month_names, list_month_numbers
from assay.reading.decoding import decode_bytes
from assay.reading.markup.tokens import Token as MarkupToken
from assay.reading.markup.tokens import (
    TokenKind,
    find_deletions,
    parse_attributes,
    tokenize_xml,
)
from assay.reading.result import (
    Mark,
    MarkKind,
    PageSpan,
    Reading,
    Segment,
    TableData,
    restore_reading,
)
from assay.reading.sentences import skip_space, split_paragraphs, split_sentences
from assay.ruling.release.vectors import compute_similarity, compute_vector

__all__ = [
    "ContentClass",
    "FileReading",
    "Mark",
    "MarkKind",
    "MarkupToken",
    "PageSpan",
    "Reading",
    "Segment",
    "TableData",
    "TokenKind",
    "compute_similarity",
    "compute_vector",
    "decode_bytes",
    "find_deletions",
    "list_month_names",
    "list_month_numbers",
    "parse_attributes",
    "restore_reading",
    "skip_space",
    "split_paragraphs",
    "split_sentences",
    "tokenize_xml",
]


@dataclass(frozen=True, kw_only=True)
class FileReading:
    """The result for one file or URL: a reading, or the error that prevented it."""

    target: str
    reading: Reading | None = None
    error: AssayError | None = None
    notes: tuple[str, ...] = ()
    """What the reader could not do, such as reading scanned pages."""
