"""Reading the pages of a scan: each page separately, in the process pool, and never twice.

The process that reads a page saves the result at once, so that after a crash only the pages in
progress are read again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from assay.engine.process_pool import ProcessPool
from assay.errors import AssayError
from assay.extras import needs_extra
from assay.reading.ocr import OcrDocument, OcrOptions, OcrPage, assemble_document
from assay.reading.ocr.page import NO_TEXT
from assay.reading.result import Mark, PageSpan, Reading, Segment, TableData
from assay.store.scratch import ScratchFolder

S = TypeVar("S", Mark, TableData)
_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class ScannedDocument:
    """The result of reading a document's scanned pages."""

    reading: Reading
    """The text of all pages: those that were scanned, and those that already had text."""
    document: OcrDocument
    """Only the pages that were scanned."""
    pages: tuple[OcrPage, ...]

    def describe(self) -> str:
        """A description for a person."""
        flagged = ", ".join(f"{p.number} ({', '.join(p.flags)})" for p in self.pages if p.flags)
        count = f"{len(self.pages)} scanned page{'s' if len(self.pages) != 1 else ''}"
        return f"{count} at {self.document.confidence:.0%} confidence" + (
            f"; look at {flagged}" if flagged else ""
        )

    def values(self) -> list[dict[str, Any]]:
        """The pages as values, for a program."""
        return [
            {
                "page": page.number,
                "confidence": round(page.confidence, 4),
                "coverage": round(page.coverage, 4),
                "flags": list(page.flags),
                "characters": len(page.text),
            }
            for page in self.pages
        ]


@dataclass(frozen=True, slots=True)
class Scanner:
    """Reads scanned pages in the process pool."""

    pool: ProcessPool
    options: OcrOptions
    scratch: ScratchFolder
    page_timeout_s: float = 120.0

    async def scan(
        self,
        file: Path,
        hash_of_content: str,
        reading: Reading,
        *,
        on_page: Callable[[], None] | None = None,
    ) -> ScannedDocument:
        """Read those pages of a document that contain no text."""
        work = f"{hash_of_content}-{self.options.key()}"
        found: dict[int, OcrPage | AssayError] = {}
        for number in reading.pages_without_text:
            # What an earlier attempt finished before it ended.
            if (saved := self.scratch.get(work, f"page-{number}")) is not None:
                found[number] = OcrPage.from_json(saved)
                if on_page is not None:
                    on_page()
        missing = [number for number in reading.pages_without_text if number not in found]

        def keep(place: int, page: OcrPage | AssayError) -> None:
            # The process that reads a page cannot write.
            found[missing[place]] = page
            if isinstance(page, OcrPage):
                self.scratch.put(work, f"page-{missing[place]}", page.to_json())
            if on_page is not None:
                on_page()

        await self.pool.run_each(
            read_scanned_page,
            [(file, number, self.options) for number in missing],
            timeout_s=self.page_timeout_s,
            on_done=keep,
        )
        pages = tuple(
            _make_unread_page(number) if isinstance(page := found[number], AssayError) else page
            for number in reading.pages_without_text
        )
        document = assemble_document(pages, self.options)
        whole = merge_readings(reading, document.reading)
        warnings = (
            *whole.warnings,
            *(
                f"Page {number} could not be read: {page.what}"
                for number in reading.pages_without_text
                if isinstance(page := found[number], AssayError)
            ),
        )
        return ScannedDocument(replace(whole, warnings=warnings), document, pages)


def read_scanned_page(file: Path, number: int, options: OcrOptions) -> OcrPage:
    """One page, in a process of the pool."""
    with needs_extra("ocr", "Reading scanned pages"):
        from assay.reading.ocr.recognition import ocr_page
    return ocr_page(file.read_bytes(), number, options)


def _make_unread_page(number: int) -> OcrPage:
    """A page that exceeded the limits: it is reported, not lost."""
    return OcrPage(
        number=number,
        text="",
        confidence=0.0,
        coverage=0.0,
        characters_per_inch=0.0,
        width=0,
        height=0,
        dpi=0,
        skew_degrees=0.0,
        turned=0,
        flags=(NO_TEXT,),
        strategy="",
        attempts=(),
        engine="",
    )


def merge_readings(layer: Reading, scans: Reading) -> Reading:
    """All pages in order, each from the reading that contains its text."""
    if not layer.text.strip():
        return replace(scans, title=layer.title, warnings=(*layer.warnings, *scans.warnings))
    scanned = {page.number: page for page in scans.pages}
    parts = _ReadingBuilder()
    for page in sorted(layer.pages, key=lambda page: page.number):
        if page.number in scanned:
            parts.add(scans, scanned[page.number])
        else:
            parts.add(layer, page)
    return parts.build(layer, scans)


class _ReadingBuilder:
    """A document assembled from the pages of several readings."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._at = 0
        self._pages: list[PageSpan] = []
        self._segments: list[Segment] = []
        self._marks: list[Mark] = []
        self._tables: list[TableData] = []

    def add(self, reading: Reading, page: PageSpan) -> None:
        words = reading.text[page.start : page.end]
        if words and self._at:
            self._text.append(_BETWEEN)
            self._at += len(_BETWEEN)
        by = self._at - page.start
        self._text.append(words)
        self._at += len(words)
        self._pages.append(replace(page, start=page.start + by, end=page.end + by))
        self._segments += [
            s._replace(start=s.start + by, end=s.end + by)
            for s in reading.segments
            if _is_within(s, page)
        ]
        self._marks += [_shift_span(m, by) for m in reading.marks if _is_within(m, page)]
        self._tables += [_shift_span(t, by) for t in reading.tables if _is_within(t, page)]

    def build(self, layer: Reading, scans: Reading) -> Reading:
        return replace(
            layer,
            text="".join(self._text),
            pages=tuple(self._pages),
            segments=tuple(self._segments),
            marks=tuple(self._marks),
            tables=tuple(self._tables),
            warnings=(*layer.warnings, *scans.warnings),
            pages_without_text=scans.pages_without_text,
        )


def _is_within(span: Segment | Mark | TableData, page: PageSpan) -> bool:
    return page.start <= span.start and span.end <= page.end


def _shift_span(span: S, by: int) -> S:
    return replace(span, start=span.start + by, end=span.end + by)
