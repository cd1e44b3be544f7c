"""The result of reading a document, its sentences, the similarity of texts, names of months."""

from dataclasses import dataclass

from assay.errors import AssayError
from assay.model.content import ContentClass
from assay.model.months import list_month_names, list_month_numbers
from assay.reading.decoding import decode_bytes
from assay.reading.language import identify_language
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
from assay.reading.statements import LANGUAGES as STATEMENT_LANGUAGES
from assay.reading.statements import StatementMode, judge_quote
from assay.ruling.release.vectors import compute_similarity, compute_vector

__all__ = [
    "STATEMENT_LANGUAGES",
    "ContentClass",
    "FileReading",
    "Mark",
    "MarkKind",
    "MarkupToken",
    "PageSpan",
    "Reading",
    "Segment",
    "StatementMode",
    "TableData",
    "TokenKind",
    "compute_similarity",
    "compute_vector",
    "decode_bytes",
    "find_deletions",
    "identify_language",
    "judge_quote",
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
