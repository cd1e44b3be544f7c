"""One page: its words, the marks on them, its tables, and whether it is an image."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from assay.reading.pdf import grids
from assay.reading.pdf.geometry import Box, Boxes, Row
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
    inserts = sum(note.kind == CARET and bool(note.text.strip()) for note in notes)
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
        return find_strike_lines(level, page.lines_of_text())
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
    marking = [note for note in notes if mark_kind_of(note)]
    if not lines and not drawn and not marking:
        return (), ()
    boxes = page.character_boxes(page.character_count)
    letters = words.join_letters(len(boxes))
    runs = [(MarkKind.STRUCK, run) for run in find_struck(lines, boxes, letters)]
    runs.extend(find_noted(marking, boxes, letters))
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


UNDERLINE, STRIKE_OUT, CARET = 10, 12, 14
_FOOT, _HEAD = 0.32, 0.64
"""A line that strikes out a character runs between these shares of its height."""
_THICKEST = 0.2
_COVERED = 0.6
"""A line that only passes some words is longer than they are."""
_LEAST_STRUCK = 3
_MOST_LINES = 1_000
_NO_BREAK_SPACE = 0xA0

Stretch = tuple[int, int]
"""The first index of some characters, and the one after the last."""


def find_strike_lines(lines: Sequence[Box], rows: Boxes) -> list[Box]:
    """The lines that run through the middle of a row of text, by a rough first check."""
    if not len(rows):
        return []
    drawn = np.array(lines[:_MOST_LINES])[:, :, None]
    left, bottom, right, top = rows.T
    high = top - bottom
    middle = (drawn[:, 1] + drawn[:, 3]) / 2
    near = (bottom + 0.15 * high < middle) & (middle < top - 0.15 * high)
    near &= (left < drawn[:, 2]) & (drawn[:, 0] < right)
    near &= drawn[:, 3] - drawn[:, 1] <= 0.3 * high
    return [lines[place] for place in np.flatnonzero(near.any(axis=1)).tolist()]


def find_struck(lines: Sequence[Box], boxes: Boxes, letters: str) -> list[Stretch]:
    """Characters with a line through them."""
    if not lines:
        return []
    seen = _find_inked(letters)
    left, bottom, right, top = boxes.T
    high, centre = top - bottom, (left + right) / 2
    found = np.zeros(len(boxes), dtype=bool)
    for start, foot, end, head in lines:
        middle = (foot + head) / 2
        hit = seen & (bottom + _FOOT * high <= middle) & (middle <= bottom + _HEAD * high)
        hit &= (head - foot <= _THICKEST * high) & (start - 0.5 <= centre) & (centre <= end + 0.5)
        if hit.sum() < 2:
            continue
        if right[hit].max() - left[hit].min() >= _COVERED * (end - start):
            found |= hit
    return [
        run for run in _join_stretches(np.flatnonzero(found), letters) if _is_meant(run, letters)
    ]


def find_noted(
    notes: Iterable[PdfNote], boxes: Boxes, letters: str
) -> Iterator[tuple[MarkKind, Stretch]]:
    """Characters under notes that strike them out or mark them as inserted."""
    seen = _find_inked(letters)
    across, up = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    for note in notes:
        kind = mark_kind_of(note)
        if kind is None:
            continue
        under = np.zeros(len(boxes), dtype=bool)
        for left, bottom, right, top in note.areas:
            under |= (left <= across) & (across <= right) & (bottom <= up) & (up <= top)
        for run in _join_stretches(np.flatnonzero(under & seen), letters):
            yield kind, run


def mark_kind_of(note: PdfNote) -> MarkKind | None:
    """What a note says about the words under it; a plain underline says nothing."""
    if note.kind == STRIKE_OUT:
        return MarkKind.STRUCK
    if note.kind == UNDERLINE and "insert" in note.text.lower():
        return MarkKind.INSERTED
    return None


def _find_inked(letters: str) -> Row:
    """Which characters have ink."""
    codes = np.frombuffer(letters.encode("utf-32-le", errors="replace"), dtype=np.uint32)
    seen: Row = (codes > ord(" ")) & (codes != _NO_BREAK_SPACE)
    return seen


def _join_stretches(indexes: Iterable[int], letters: str) -> list[Stretch]:
    """Join neighbouring indexes into stretches; spaces do not separate them."""
    runs: list[Stretch] = []
    for index in map(int, indexes):
        if runs and not letters[runs[-1][1] : index].strip():
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return runs


def _is_meant(run: Stretch, letters: str) -> bool:
    """Whether a line strikes out a whole word, or enough of one not to be a speck."""
    first, after = run
    outside = letters[max(0, first - 1) : first] + letters[after : after + 1]
    return after - first >= _LEAST_STRUCK or not any(map(str.isalnum, outside))
