"""One page: its words, the marks on them, its tables, and whether it is an image."""

from dataclasses import dataclass
from enum import StrEnum

from assay.reading.pdf import grids, strikes
from assay.reading.pdf.geometry import Box
from assay.reading.pdf.pdfium import PdfNote, PdfPage
from assay.reading.pdf.shapes import PageShapes, find_shapes
from assay.reading.pdf.words import PageWords, looks_written, read_page_words
from assay.reading.result import MarkKind

LEAST_CHARACTERS = 50
"""A page with fewer characters than this, and an image, is an image."""
_STAMP = 200
"""Text that a portal prints in the margin of a scan is not the page's text."""
_PICTURE, _WHOLE_PICTURE = 0.2, 0.85
_MOST_NOTES = 2_000
_MOST_BOXES = 50_000
"""In a page with more characters than this, no lines through them are looked for."""
_LOOK_PIXELS = 200
_FEW_LINES = 3


class PageKind(StrEnum):
    """What kind of page it is for a reader."""

    TEXT = "text"
    PICTURE = "picture"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class PageContent:
    """The content of one page. Offsets refer to its own text."""

    kind: PageKind
    words: PageWords
    marks: tuple[tuple[MarkKind, int, int], ...] = ()
    tables: tuple[tuple[int, int, tuple[tuple[str, ...], ...]], ...] = ()
    garbled: bool = False
    """It has text that cannot be read; the text is left out."""
    layered: bool = False
    """Its words come from a scanner, written without ink over an image."""
    inserts: int = 0
    """Notes with words that the text does not have."""


def read_page(page: PdfPage, limit: int) -> PageContent:
    """Read everything on one page, up to a number of characters."""
    words = read_page_words(page, limit)
    shapes = find_shapes(page)
    layered = (
        shapes.picture_area >= _PICTURE and bool(words.text) and _is_mostly_invisible(page, shapes)
    )
    readable = words.readable and (not layered or looks_written(words.text))
    if words.text and not readable:
        kind = _classify_page(page, PageWords(""), shapes)
        # Letters that cannot be identified are still ink.
        kind = PageKind.PICTURE if kind is PageKind.BLANK else kind
        return PageContent(kind, PageWords(""), garbled=True, layered=layered)
    kind = PageKind.TEXT if layered else _classify_page(page, words, shapes)
    notes = tuple(page.iter_notes(_MOST_NOTES))
    inserts = sum(note.kind == strikes.CARET and bool(note.text.strip()) for note in notes)
    marks, tables = _find_marks_and_tables(page, words, shapes, notes) if words.text else ((), ())
    return PageContent(kind, words, marks, tables, layered=layered, inserts=inserts)


def _is_mostly_invisible(page: PdfPage, shapes: PageShapes) -> bool:
    """Whether most of the text is written without ink."""
    step = max(1, len(shapes.texts) // 40)
    asked = shapes.texts[::step]
    return bool(asked) and 2 * sum(map(page.is_invisible, asked)) > len(asked)


def _classify_page(page: PdfPage, words: PageWords, shapes: PageShapes) -> PageKind:
    length = words.length
    if length < LEAST_CHARACTERS and shapes.picture_area >= _PICTURE:
        return PageKind.PICTURE
    if length < _STAMP and shapes.picture_area >= _WHOLE_PICTURE:
        return PageKind.PICTURE
    if length:
        return PageKind.TEXT
    if not shapes.ink and not page.note_count():
        return PageKind.BLANK
    if shapes.picture_area:
        return PageKind.PICTURE
    return PageKind.PICTURE if _has_ink(page) else PageKind.BLANK


def _has_ink(page: PdfPage) -> bool:
    """Whether a page that only has drawings shows anything: many only paint themselves white."""
    wide, high = page.get_size()
    longest = max(wide, high, 1.0)
    size = (max(1, int(wide * _LOOK_PIXELS / longest)), max(1, int(high * _LOOK_PIXELS / longest)))
    return len(set(page.render(*size))) > 1


def _find_strike_lines(page: PdfPage, level: list[Box]) -> list[Box]:
    """The lines that may strike out words; a few are tried one by one, which is cheaper."""
    if len(level) > _FEW_LINES:
        return strikes.find_strike_lines(level, page.lines_of_text())
    return [
        (left, bottom, right, top)
        for left, bottom, right, top in level
        if page.has_letter((left + right) / 2, (bottom + top) / 2, (right - left) / 2)
    ]


def _find_marks_and_tables(
    page: PdfPage, words: PageWords, shapes: PageShapes, notes: tuple[PdfNote, ...]
) -> tuple[
    tuple[tuple[MarkKind, int, int], ...], tuple[tuple[int, int, tuple[tuple[str, ...], ...]], ...]
]:
    if page.character_count > _MOST_BOXES:
        return (), ()
    lines = _find_strike_lines(page, shapes.level)
    drawn = grids.find_grids(shapes.level, shapes.upright)
    marking = [note for note in notes if strikes.mark_kind_of(note)]
    if not lines and not drawn and not marking:
        return (), ()
    boxes = page.character_boxes(page.character_count)
    letters = words.join_letters(len(boxes))
    runs = [(MarkKind.STRUCK, run) for run in strikes.find_struck(lines, boxes, letters)]
    runs.extend(strikes.find_noted(marking, boxes, letters))
    marks = []
    for kind, (first, after) in runs:
        start, last = words.offset_of(first), words.offset_of(after - 1)
        if start is not None and last is not None:
            marks.append((kind, start, last + 1))
    tables = []
    for grid in drawn:
        table = grids.read_grid_table(grid, boxes, letters)
        if table is not None:
            start, last = words.offset_of(table.first), words.offset_of(table.last - 1)
            if start is not None and last is not None:
                tables.append((start, max(start, last) + 1, table.rows))
    return tuple(sorted(marks, key=lambda mark: mark[1:])), tuple(sorted(tables))
