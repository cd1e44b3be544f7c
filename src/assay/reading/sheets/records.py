"""Find how far apart the cells of a binary workbook are, from its records.

XLS and XLSB are chains of records: a number for the kind, a length, and that many bytes.
"""

import struct
from collections.abc import Iterator
from typing import Final

from assay.errors import ContentTooLarge

MOST_CELLS: Final = 10_000_000
"""Cells in the smallest rectangle around everything in one sheet; each takes 32 bytes."""
_MOST_RECORDS: Final = 10_000_000
_XLS_SHEET: Final = 0x0809
_XLS_CELLS: Final = frozenset({0x0006, 0x00BD, 0x00FD, 0x0203, 0x0204, 0x0205, 0x027E, 0x00D6})
_XLSB_ROW: Final = 0
_XLSB_CELLS: Final = range(2, 12)


def check_xls(stream: bytes) -> None:
    """Refuse an XLS workbook whose cells are too far apart."""
    span = CellSpan("of the workbook")
    for kind, at, size in _iter_xls_records(stream):
        if kind == _XLS_SHEET:
            span = CellSpan("of the workbook")
        elif kind in _XLS_CELLS and size >= 4:
            span.include(*struct.unpack_from("<HH", stream, at))


def check_xlsb(part: bytes, sheet: str) -> None:
    """Refuse a sheet of an XLSB workbook whose cells are too far apart."""
    span, row = CellSpan(sheet), 0
    for kind, at, size in _iter_xlsb_records(part):
        if size < 4 or kind not in (_XLSB_ROW, *_XLSB_CELLS):
            continue
        (value,) = struct.unpack_from("<I", part, at)
        if kind == _XLSB_ROW:
            row = value
        else:
            span.include(row, value)


class CellSpan:
    """The smallest rectangle around some cells."""

    def __init__(self, sheet: str) -> None:
        self._sheet = sheet
        self._first_row = self._first_column = 1 << 32
        self._last_row = self._last_column = 0

    def include(self, row: int, column: int) -> None:
        """Extend the rectangle to a cell."""
        if not (self._first_row <= row <= self._last_row):
            self._first_row, self._last_row = min(self._first_row, row), max(self._last_row, row)
            self._check()
        if not (self._first_column <= column <= self._last_column):
            self._first_column = min(self._first_column, column)
            self._last_column = max(self._last_column, column)
            self._check()

    def _check(self) -> None:
        rows = self._last_row - self._first_row + 1
        if rows * (self._last_column - self._first_column + 1) > MOST_CELLS:
            refuse_sheet(self._sheet, rows)


def refuse_sheet(sheet: str, rows: int) -> None:
    """Raise because a sheet is too large to be laid out."""
    raise ContentTooLarge(
        f"The sheet {sheet} spans {rows:,} rows, and more than {MOST_CELLS:,} cells with them.",
        advice="Delete the cells far away from the others, or save it as CSV.",
    )


def _iter_xls_records(stream: bytes) -> Iterator[tuple[int, int, int]]:
    at = 0
    for _ in range(_MOST_RECORDS):
        if at + 4 > len(stream):
            return
        kind, size = struct.unpack_from("<HH", stream, at)
        yield kind, at + 4, min(size, len(stream) - at - 4)
        at += 4 + size
    _refuse_records()


def _iter_xlsb_records(part: bytes) -> Iterator[tuple[int, int, int]]:
    at = 0
    for _ in range(_MOST_RECORDS):
        if at + 2 > len(part):
            return
        kind = part[at]
        at += 1
        if kind & 0x80:
            kind = kind & 0x7F | (part[at] & 0x7F) << 7
            at += 1
        size, shift = 0, 0
        while at < len(part) and shift < 28:
            size |= (part[at] & 0x7F) << shift
            shift += 7
            at += 1
            if not part[at - 1] & 0x80:
                break
        yield kind, at, min(size, len(part) - at)
        at += size
    _refuse_records()


def _refuse_records() -> None:
    raise ContentTooLarge(
        f"The workbook has more than {_MOST_RECORDS:,} records.",
        advice="Save it as CSV, sheet by sheet.",
    )
