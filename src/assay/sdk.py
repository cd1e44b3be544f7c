"""The only surface that a pack may import."""

from assay.errors import ContentBroken, InvalidInput
from assay.reading.result import Mark, MarkKind, PageSpan, Reading, TableData
from assay.rules.pack import Pack, Predicate, Range, Subject, load_pack
from assay.rules.proposals import (
    ALWAYS,
    Extraction,
    Extractor,
    Passage,
    ProposedFact,
    Sentence,
)

__all__ = [
    "ALWAYS",
    "ContentBroken",
    "Extraction",
    "Extractor",
    "InvalidInput",
    "Mark",
    "MarkKind",
    "Pack",
    "PageSpan",
    "Passage",
    "Predicate",
    "ProposedFact",
    "Range",
    "Reading",
    "Sentence",
    "Subject",
    "TableData",
    "load_pack",
]
