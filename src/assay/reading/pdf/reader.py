"""A whole PDF: its text page by page, and the class of most of its pages."""

import re
from typing import Final

from assay.errors import ContentBroken, ContentEmpty, ContentTooLarge
from assay.model.content import ContentClass
from assay.reading.limits import ReadLimits
from assay.reading.pdf.pages import PageContent, PageKind, read_page
from assay.reading.pdf.pdfium import PdfDocument, open_pdf
from assay.reading.pdf.words import CharacterRun
from assay.reading.result import Mark, PageSpan, Reading, Segment, TableData, clean_title

_PAGE: Final = re.compile(rb"/Type\s{0,4}/Page(?![A-Za-z])")
_OBJECT: Final = re.compile(rb"(\d{1,8})\s{1,4}(\d{1,5})\s{1,4}obj")
_WITHIN: Final = 4_000
_NEW: Final = 10_000_000
"""Object numbers that no real document reaches."""


def mend_pdf(data: bytes, most: int) -> bytes | None:
    """The document with a new end; None if no page is left, or the key to them is lost."""
    if b"/Encrypt" in data:
        return None
    pages: dict[bytes, None] = {}
    for page in _PAGE.finditer(data):
        head = data[max(0, page.start() - _WITHIN) : page.start()]
        found = list(_OBJECT.finditer(head, head.rfind(b"endobj") + 1))
        if found:
            pages[b"%s %s R" % found[-1].groups()] = None
        if len(pages) > most:
            break
    if not pages:
        return None
    kids = b" ".join(pages)
    return data + (
        b"\nendstream\nendobj\n%d 0 obj\n<</Type/Catalog/Pages %d 0 R>>\nendobj\n"
        b"%d 0 obj\n<</Type/Pages/Count %d/Kids[%s]>>\nendobj\n"
        b"trailer\n<</Root %d 0 R/Size %d>>\nstartxref\n0\n%%%%EOF\n"
        % (_NEW, _NEW + 1, _NEW + 1, len(pages), kids, _NEW, _NEW + 2)
    )


_END = b"%%EOF"
_END_WITHIN = 4096
_CUT_OFF = "The file is cut off: its end is missing."
_NO_LIST = "The list of the pages is damaged: those that could be found are read."
_TITLE_PREFIX = "Microsoft Word - "
_NO_TITLE = frozenset({"untitled", "(anonymous)", "unknown"})


def read_pdf(data: bytes, limits: ReadLimits) -> Reading:
    """Read the text of a PDF, with its pages, marks and tables."""
    damage = "" if _END in data[-_END_WITHIN:] else _CUT_OFF
    try:
        return _read_pages(data, limits, damage)
    except ContentBroken:
        whole = mend_pdf(data, limits.max_pages)
        if whole is None:
            raise
    return _read_pages(whole, limits, damage or _NO_LIST)


def _read_pages(data: bytes, limits: ReadLimits, damage: str) -> Reading:
    with open_pdf(data) as document:
        count = document.page_count
        if count == 0:
            raise ContentEmpty("The PDF has no pages.")
        if count > limits.max_pages:
            raise ContentTooLarge(
                f"The PDF has {count} pages; at most {limits.max_pages} are read.",
                advice="Raise read_max_pages, or split the document.",
            )
        gathered = _PdfBuilder(limits, count, damage)
        gathered.read_pages(document)
        gathered.warn_of(document)
        return gathered.build_reading(_clean_title(document.read_title()))


class _PdfBuilder:
    """What was read from the pages so far."""

    def __init__(self, limits: ReadLimits, count: int, damage: str) -> None:
        self.warnings = [damage] if damage else []
        self._is_damaged = bool(damage)
        self._limits = limits
        self._count = count
        self._text: list[str] = []
        self._at = 0
        self._pages: list[PageSpan] = []
        self._segments: list[Segment] = []
        self._marks: list[Mark] = []
        self._tables: list[TableData] = []
        self._cells = 0
        self._kinds: list[PageKind] = []
        self._pictures: list[int] = []
        self._damaged: list[int] = []
        self._garbled: list[int] = []
        self._layered: list[int] = []
        self._inserts = 0

    def read_pages(self, document: PdfDocument) -> None:
        """Read page after page, until the text reaches its limit."""
        for number in range(1, self._count + 1):
            left = self._limits.max_characters - self._at
            if left <= 0:
                self._warn_of_cut(number - 1)
                return
            with document.open_page(number - 1) as page:
                read = None if page is None else read_page(page, left)
            if read is None:
                self._damaged.append(number)
                self._pages.append(PageSpan(number, self._at, self._at))
                continue
            self._add(number, read)
            if read.words.cut:
                self._warn_of_cut(number)
                return

    def _warn_of_cut(self, last: int) -> None:
        most = self._limits.max_characters
        self.warnings.append(
            f"Only the first {most} characters are kept; they end on page {last} of {self._count}."
        )

    def _add(self, number: int, read: PageContent) -> None:
        self._kinds.append(read.kind)
        if read.kind is PageKind.PICTURE:
            self._pictures.append(number)
        if read.garbled:
            self._garbled.append(number)
        if read.layered:
            self._layered.append(number)
        self._inserts += read.inserts
        start, place = self._at, f"page {number}"
        words = read.words
        if words.text:
            self._text.append(words.text + "\n")
            self._at += len(words.text) + 1
            self._add_segments(read, start, place)
            self._marks.extend(Mark(kind, start + a, start + b) for kind, a, b in read.marks)
            for first, end, rows in read.tables:
                self._keep_table(TableData(start + first, start + end, rows, number))
        self._pages.append(PageSpan(number, start, self._at))

    def _add_segments(self, read: PageContent, start: int, place: str) -> None:
        runs = read.words.runs
        if len(self._segments) + len(runs) + self._count > self._limits.max_segments:
            runs = (CharacterRun(0, runs[-1].end, runs[0].source_start, runs[-1].source_end),)
        self._segments.extend(Segment(start + a, start + b, c, d, place) for a, b, c, d in runs)

    def _keep_table(self, table: TableData) -> None:
        self._cells += sum(map(len, table.rows))
        room = len(self._tables) < self._limits.max_tables
        if room and self._cells <= self._limits.max_table_cells:
            self._tables.append(table)

    def warn_of(self, document: PdfDocument) -> None:
        """Warn about everything in the document that was not read."""
        if self._damaged:
            self.warnings.append(f"Damaged and not read: {_format_pages(self._damaged)}.")
        if self._garbled:
            self.warnings.append(
                f"The letters of {_format_pages(self._garbled)} cannot be identified; that text "
                "is left out."
            )
        good = [number for number in self._layered if number not in set(self._garbled)]
        if good:
            self.warnings.append(
                f"The text of {_format_pages(good)} is a scanner's, under a picture."
            )
        if self._inserts:
            self.warnings.append(
                f"{self._inserts} notes contain text of their own, which is left out."
            )
        if document.has_script():
            self.warnings.append("It contains JavaScript, which is ignored.")
        if attached := document.attachment_count():
            self.warnings.append(f"It has {attached} attached files, which are not read.")
        if form := document.detect_form():
            kind = "an XFA form" if form == "xfa" else "form fields"
            self.warnings.append(f"It has {kind}; what is filled in is not read.")

    def build_reading(self, title: str | None) -> Reading:
        """Assemble everything, once all pages are read."""
        if not self._kinds:
            raise ContentBroken(f"None of the {self._count} pages of the PDF can be read.")
        shown = [kind for kind in self._kinds if kind is not PageKind.BLANK]
        if not shown and self._is_damaged:
            raise ContentBroken("The PDF is damaged: nothing is left of what its pages showed.")
        if not shown:
            raise ContentEmpty(f"The PDF is blank on all of its {len(self._kinds)} pages.")
        scanned = 2 * len(self._pictures) > len(shown)
        return Reading(
            content_class=ContentClass.PDF_SCANNED if scanned else ContentClass.PDF_TEXT,
            text="".join(self._text),
            title=title,
            pages=tuple(self._pages),
            segments=tuple(self._segments),
            tables=tuple(self._tables),
            marks=tuple(self._marks),
            warnings=tuple(self.warnings),
            pages_without_text=tuple(self._pictures),
        )


def _clean_title(raw_title: str) -> str | None:
    title = clean_title(raw_title.removeprefix(_TITLE_PREFIX))
    return None if title is None or title.lower() in _NO_TITLE else title


def _format_pages(numbers: list[int]) -> str:
    """`page 3`, `pages 1-4, 9`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    named = ", ".join("-".join(map(str, run)) for run in runs[:20])
    more = ", …" if len(runs) > 20 else ""
    return f"{'page' if len(numbers) == 1 else 'pages'} {named}{more}"
