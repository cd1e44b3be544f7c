"""The result of reading a document: its text, and the links from the text to the document."""

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from assay.model.content import ContentClass
from assay.model.hashes import canonical_json


@dataclass(frozen=True, slots=True)
class PageSpan:
    """Where a page is in the text. A sheet of a workbook is a page with a label."""

    number: int
    """From 1."""
    start: int
    end: int
    label: str = ""


class Segment(NamedTuple):
    """A stretch of the text and the stretch of the document that it comes from.

    A plain tuple, because a document has thousands of them, created one by one.
    """

    start: int
    end: int
    source_start: int
    source_end: int
    place: str = ""
    """What the source offsets refer to: empty for the characters of the decoded document
    itself, otherwise a part of it, such as `page 3`, `word/document.xml` or `Rates!B4`."""


class MarkKind(StrEnum):
    """How a document marks some of its own words."""

    STRUCK = "struck"
    INSERTED = "inserted"


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of the text that the document shows as struck out or as inserted."""

    kind: MarkKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TableData:
    """A table of the document, cell by cell; the text contains its words as well."""

    start: int
    end: int
    rows: tuple[tuple[str, ...], ...]
    page: int | None = None
    caption: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A document as text. Offsets count characters of `text`."""

    content_class: ContentClass
    text: str
    title: str | None = None
    encoding: str = ""
    """How the bytes were decoded, if the document is itself text."""
    pages: tuple[PageSpan, ...] = ()
    segments: tuple[Segment, ...] = ()
    tables: tuple[TableData, ...] = ()
    marks: tuple[Mark, ...] = ()
    warnings: tuple[str, ...] = ()
    """What could not be read, one line each."""
    pages_without_text: tuple[int, ...] = ()
    """Pages that are images."""

    def __post_init__(self) -> None:
        # Postgres does not store NUL, and a quote from the text must be stored as it is. The sign
        # for an unreadable character has the same length, so that all offsets stay true.
        if "\0" in self.text:
            object.__setattr__(self, "text", _replace_nul(self.text))
            tables = tuple(
                replace(
                    table,
                    rows=tuple(tuple(_replace_nul(cell) for cell in row) for row in table.rows),
                    caption=_replace_nul(table.caption),
                )
                for table in self.tables
            )
            object.__setattr__(self, "tables", tables)

    def page_of(self, offset: int) -> int | None:
        """The page that contains a character of the text."""
        for page in self.pages:
            if page.start <= offset < page.end:
                return page.number
        return None

    def map_json(self) -> bytes:
        """Everything except text and tables, as it is stored beside the text."""
        return canonical_json(
            {
                "class": self.content_class.value,
                "encoding": self.encoding,
                "marks": [[m.kind.value, m.start, m.end] for m in self.marks],
                "pages": [[p.number, p.start, p.end, p.label] for p in self.pages],
                "pages_without_text": list(self.pages_without_text),
                "segments": self.segments,
                "title": self.title,
                "warnings": list(self.warnings),
            }
        )

    def table_json(self) -> bytes:
        """The tables, as they are stored."""
        # Not `asdict`: it copies every cell.
        return canonical_json(
            [
                {
                    "start": table.start,
                    "end": table.end,
                    "rows": table.rows,
                    "page": table.page,
                    "caption": table.caption,
                }
                for table in self.tables
            ]
        )


def _replace_nul(text: str) -> str:
    return text.replace("\0", "\ufffd")


def clean_title(words: str) -> str | None:
    """A title on one line, without NUL, which Postgres does not store; None if nothing is left."""
    return " ".join(words.replace("\0", " ").split()) or None


def restore_reading(text: str, map_of_text: bytes, tables: bytes = b"[]") -> Reading:
    """Rebuild a reading from what was stored."""
    stored: dict[str, Any] = json.loads(map_of_text)
    return Reading(
        content_class=ContentClass(stored["class"]),
        text=text,
        title=stored["title"],
        encoding=stored["encoding"],
        pages=tuple(PageSpan(*page) for page in stored["pages"]),
        segments=tuple(Segment(*segment) for segment in stored["segments"]),
        tables=tuple(
            TableData(**{**table, "rows": tuple(tuple(row) for row in table["rows"])})
            for table in json.loads(tables)
        ),
        marks=tuple(Mark(MarkKind(kind), start, end) for kind, start, end in stored["marks"]),
        warnings=tuple(stored["warnings"]),
        pages_without_text=tuple(stored["pages_without_text"]),
    )
