"""Words that a page shows as struck out or inserted: by a line through them, or by a note."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from assay.reading.pdf.geometry import Box, Boxes, Row
from assay.reading.pdf.pdfium import PdfNote
from assay.reading.result import MarkKind

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
