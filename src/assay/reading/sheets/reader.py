"""Workbooks as text: a page for each sheet, a line for each row, a tab between cells."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from python_calamine import (
    CalamineError,
    CalamineWorkbook,
    PasswordError,
    SheetMetadata,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from assay.errors import AssayError, ContentBroken, ContentEmpty, ContentEncrypted
from assay.model.content import ContentClass
from assay.reading.compound import MAGIC, Compound
from assay.reading.limits import ReadLimits
from assay.reading.result import PageSpan, Reading, Segment, TableData
from assay.reading.sheets.cells import Value, column_name, format_cell
from assay.reading.sheets.packed import Percents, scan_workbook
from assay.reading.sheets.records import check_xls

_PACKED: Final = b"PK"
_PANIC: Final = "PanicException"


def read_sheets(data: bytes, limits: ReadLimits) -> Reading:
    """Read the text of a workbook, sheet by sheet."""
    percents: Percents = {}
    if data.startswith(MAGIC):
        compound = Compound(data)
        compound.refuse_encrypted()
        check_xls(compound.read_stream("Workbook") or compound.read_stream("Book") or b"")
    elif data.startswith(_PACKED):
        percents = scan_workbook(data, limits)
    with _translate_errors():
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
    gathered = _SheetBuilder(limits, percents)
    with _translate_errors():
        gathered.read_sheets(workbook)
        workbook.close()
    return gathered.build_reading()


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Turn every error of a damaged workbook into one of Assay's."""
    try:
        yield
    except AssayError:
        raise
    except PasswordError as error:
        raise ContentEncrypted("The workbook is password-protected.") from error
    except (CalamineError, ValueError, OverflowError, OSError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ContentBroken(f"The workbook is damaged: {reason}.") from error
    except BaseException as error:
        # A failed check inside calamine arrives as a panic, which is not an Exception.
        if type(error).__name__ != _PANIC:
            raise
        raise ContentBroken("The workbook is damaged in a way that its reader gave up.") from error


class _SheetBuilder:
    """What was read from the sheets so far."""

    def __init__(self, limits: ReadLimits, percents: Percents) -> None:
        self._limits = limits
        self._percents = percents
        self._parts: list[str] = []
        self._at = 0
        self._pages: list[PageSpan] = []
        self._segments: list[Segment] = []
        self._tables: list[TableData] = []
        self._cells = 0
        self._warnings: list[str] = []
        self._full = False

    def read_sheets(self, workbook: CalamineWorkbook) -> None:
        """Read sheet after sheet."""
        sheets = list(workbook.sheets_metadata)
        hidden = [sheet.name for sheet in sheets if _is_hidden(sheet)]
        if hidden:
            named = ", ".join(hidden[:20]) + (", …" if len(hidden) > 20 else "")
            self._warnings.append(f"Hidden sheets are left out: {named}.")
        grids = [sheet for sheet in sheets if sheet.typ == SheetTypeEnum.WorkSheet]
        shown_sheets = [sheet for sheet in grids if not _is_hidden(sheet)]
        if len(shown_sheets) > self._limits.max_pages:
            most = self._limits.max_pages
            self._warnings.append(f"Only the first {most} of {len(shown_sheets)} sheets are read.")
        for sheet in shown_sheets[: self._limits.max_pages]:
            if self._full:
                return
            self._read_sheet(workbook, sheet.name)

    def _read_sheet(self, workbook: CalamineWorkbook, name: str) -> None:
        sheet = workbook.get_sheet_by_name(name)
        start = self._at
        first_column = sheet.start[1] if sheet.start else 0
        percents = self._percents.get(name, frozenset())
        rows: list[tuple[str, ...]] = []
        wide = 0
        for number, values in enumerate(sheet.iter_rows()):
            if len(rows) >= self._limits.max_rows:
                most = self._limits.max_rows
                self._warnings.append(f"Only the first {most:,} rows of the sheet {name} are read.")
                break
            if len(values) > self._limits.max_columns:
                wide = max(wide, len(values))
                values = values[: self._limits.max_columns]
            cells = _format_cells(values, number, first_column, percents)
            if cells:
                if not self._write_row(name, number, first_column, cells):
                    break
                rows.append(cells)
        if wide:
            self._warnings.append(
                f"Only the first {self._limits.max_columns:,} of {wide:,} columns of the sheet "
                f"{name} are read."
            )
        number_of_sheet = len(self._pages) + 1
        self._pages.append(PageSpan(number_of_sheet, start, self._at, name))
        self._add_table(rows, start, number_of_sheet, name)

    def _write_row(
        self, sheet: str, number: int, first_column: int, cells: tuple[str, ...]
    ) -> bool:
        """Write a row as a line; False if the text has reached its limit."""
        line = "\t".join(cells)
        if self._at + len(line) + 1 > self._limits.max_characters:
            self._full = True
            self._warnings.append(
                f"Only the first {self._at:,} characters are kept; they end in row {number} of "
                f"the sheet {sheet}."
            )
            return False
        self._add_segment(sheet, number, first_column, cells, len(line))
        self._parts.append(line + "\n")
        self._at += len(line) + 1
        return True

    def _add_segment(
        self, sheet: str, row: int, first_column: int, cells: tuple[str, ...], length: int
    ) -> None:
        if len(self._segments) >= self._limits.max_segments:
            return
        filled = [place for place, cell in enumerate(cells) if cell]
        if len(self._segments) + len(filled) > self._limits.max_segments // 2:
            first, last = column_name(first_column), column_name(first_column + len(cells) - 1)
            where = f"{sheet}!{first}{row + 1}:{last}{row + 1}"
            self._segments.append(Segment(self._at, self._at + length, 0, length, where))
            return
        at = self._at
        for place, cell in enumerate(cells):
            if cell:
                where = f"{sheet}!{column_name(first_column + place)}{row + 1}"
                self._segments.append(Segment(at, at + len(cell), 0, len(cell), where))
            at += len(cell) + 1

    def _add_table(self, rows: list[tuple[str, ...]], start: int, page: int, name: str) -> None:
        if len(rows) < 2 or max(map(len, rows)) < 2:
            return
        self._cells += sum(map(len, rows))
        room = len(self._tables) < self._limits.max_tables
        if room and self._cells <= self._limits.max_table_cells:
            self._tables.append(TableData(start, self._at - 1, tuple(rows), page, name))
        else:
            self._warnings.append(f"The sheet {name} is too large to be kept as a table.")

    def build_reading(self) -> Reading:
        """Assemble everything, once all sheets are read."""
        if not self._at:
            raise ContentEmpty(" ".join(("The workbook has no filled cell.", *self._warnings)))
        return Reading(
            content_class=ContentClass.XLSX,
            text="".join(self._parts),
            pages=tuple(self._pages),
            segments=tuple(self._segments),
            tables=tuple(self._tables),
            warnings=tuple(self._warnings),
        )


def _format_cells(
    values: list[Value], row: int, first_column: int, percents: frozenset[tuple[int, int]]
) -> tuple[str, ...]:
    """The cells of a row as text, up to the last filled one; none if all are empty."""
    if percents:
        cells = [
            format_cell(value, percent=(row, first_column + place) in percents)
            for place, value in enumerate(values)
        ]
    else:
        cells = list(map(format_cell, values))
    while cells and not cells[-1]:
        cells.pop()
    return tuple(cells)


def _is_hidden(sheet: SheetMetadata) -> bool:
    return sheet.visible != SheetVisibleEnum.Visible
