"""Tables as a document has them: where each cell is, and which tables are data."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from assay.reading.limits import ReadLimits

MOST_SPANNED: Final = 100
"""Rows or columns that one cell may span."""
# Columns beyond these may share a place: finding a free one costs a step for each.
_MOST_TRACKED: Final = 300
# A cell of data is a name, a number, a sentence or two. Tables with more in a cell on average
# only lay out a page.
_CELL_CHARACTERS: Final = 400


@dataclass(slots=True, eq=False)
class Cell:
    """One cell of a table, and its position. Each is only equal to itself."""

    table: int
    row: int
    column: int
    rows: int = 1
    columns: int = 1


@dataclass(slots=True)
class MarkupTable:
    """A table as it is being read."""

    number: int
    has_table: bool = False
    """Whether it contains another table."""
    caption: str = ""
    _row: int = -1
    _column: int = 0
    _taken: dict[int, int] = field(default_factory=dict)
    """The row up to which a cell above occupies a column."""

    def next_row(self) -> None:
        """Begin a row."""
        self._row += 1
        self._column = 0

    def next_cell(self, rows: int = 1, columns: int = 1) -> Cell:
        """Begin a cell, in the next place that no cell above occupies."""
        if self._row < 0:
            self.next_row()
        while self._column < _MOST_TRACKED and self._taken.get(self._column, 0) > self._row:
            self._column += 1
        cell = Cell(self.number, self._row, self._column, rows, columns)
        if rows > 1:
            for column in range(self._column, min(self._column + columns, _MOST_TRACKED)):
                self._taken[column] = self._row + rows
        self._column += columns
        return cell


def parse_span(value: str | None) -> int:
    """How many rows or columns a cell claims to span."""
    if value is None or not value.isdecimal():
        return 1
    return min(max(int(value[:4]), 1), MOST_SPANNED)


def is_data_table(table: MarkupTable, cells: Sequence[tuple[Cell, str]]) -> bool:
    """Whether a table holds data: rows and columns of short cells, and no table inside."""
    if table.has_table or len(cells) < 2:
        return False
    rows = {cell.row for cell, _ in cells}
    columns = {cell.column for cell, _ in cells}
    characters = sum(len(text) for _, text in cells)
    return len(rows) > 1 and len(columns) > 1 and characters <= _CELL_CHARACTERS * len(cells)


def build_grid(
    cells: Sequence[tuple[Cell, str]], limits: ReadLimits
) -> tuple[tuple[str, ...], ...]:
    """The rows of a table, each cell in every place that it spans; empty rows are left out."""
    places: dict[int, dict[int, str]] = {}
    for cell, text in cells:
        if cell.rows == 1 == cell.columns:
            _put_text(places, cell.row, cell.column, text)
            continue
        for row in range(cell.row, cell.row + cell.rows):
            for column in range(cell.column, cell.column + cell.columns):
                _put_text(places, row, column, text)
    # A cell that claims to span more rows than the table has adds none.
    last = max(cell.row for cell, _ in cells)
    width = min(max(max(row) for row in places.values()) + 1, limits.max_columns)
    return tuple(
        tuple([places[row].get(column, "") for column in range(width)])
        for row in sorted(places)
        if row <= last
    )


def _put_text(places: dict[int, dict[int, str]], row: int, column: int, text: str) -> None:
    in_row = places.setdefault(row, {})
    in_row[column] = f"{in_row[column]} {text}" if column in in_row else text
