"""Assemble lines into a text with its segments, tables and marks."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from assay.reading.limits import ReadLimits
from assay.reading.markup.flow import TextLine
from assay.reading.markup.tables import Cell, MarkupTable, build_grid, is_data_table
from assay.reading.result import Mark, Segment, TableData

_BETWEEN_CELLS: Final = "\t"


@dataclass(frozen=True, slots=True)
class Draft:
    """The result of assembling lines."""

    text: str
    segments: tuple[Segment, ...]
    tables: tuple[TableData, ...]
    marks: tuple[Mark, ...]
    warnings: tuple[str, ...]


def build_draft(
    lines: Sequence[TextLine], tables: Sequence[MarkupTable], limits: ReadLimits
) -> Draft:
    """Build the text of some lines: one line each, but the cells of a data row share one."""
    warnings: list[str] = []
    lines = _cut_to_limits(lines, limits, warnings)
    layout = _Layout(lines, tables)
    starts, text = layout.place_lines()
    segments = [
        Segment(start, start + len(line.text), line.start, line.end, line.place)
        for start, line in zip(starts, lines, strict=True)
        if line.end > line.start
    ]
    if len(lines) > limits.max_segments:
        warnings.append(
            f"The text has a way back to the document for its first {limits.max_segments:,} lines "
            f"of {len(lines):,}."
        )
        del segments[limits.max_segments :]
    marks = [
        Mark(kind, start + first, start + last)
        for start, line in zip(starts, lines, strict=True)
        if line.marks
        for kind, first, last in line.marks
    ]
    data = layout.build_data_tables(starts, limits, warnings)
    return Draft(text, tuple(segments), data, tuple(marks), tuple(warnings))


def _cut_to_limits(
    lines: Sequence[TextLine], limits: ReadLimits, warnings: list[str]
) -> Sequence[TextLine]:
    room = limits.max_characters
    for count, line in enumerate(lines):
        if len(line.text) > room:
            warnings.append(
                f"Only the first {limits.max_characters:,} characters of the text were kept."
            )
            # Half a line cannot be traced back: the source offset of its middle was not counted.
            half = replace(line, text=line.text[:room], end=line.start, marks=())
            return [*lines[:count], half] if half.text else lines[:count]
        room -= len(line.text) + 1
    return lines


class _Layout:
    """Which lines share one line of the text."""

    def __init__(self, lines: Sequence[TextLine], tables: Sequence[MarkupTable]) -> None:
        self._lines = lines
        self._tables = tables
        self._of_table: dict[int, list[int]] = {}
        self._cells: dict[int, list[tuple[Cell, str]]] = {}
        for at, line in enumerate(lines):
            if (cell := line.cell) is not None:
                self._of_table.setdefault(cell.table, []).append(at)
                self._cells.setdefault(cell.table, []).append((cell, line.text))
        self._data = {
            number for number, cells in self._cells.items() if is_data_table(tables[number], cells)
        }
        # In a table that is not data, a row with a cell of several lines is laid out as lines.
        self._tall: set[tuple[int, int]] = set()
        for number in self._cells.keys() - self._data:
            counted = Counter(cell for cell, _ in self._cells[number])
            self._tall.update((number, cell.row) for cell in counted if counted[cell] > 1)

    def place_lines(self) -> tuple[list[int], str]:
        """Where each line begins in the text, and the text."""
        starts: list[int] = []
        parts: list[str] = []
        at = 0
        before: Cell | None = None
        for line in self._lines:
            cell, text = line.cell, line.text
            # Every separator between lines is one character long.
            between = (
                "\n" if cell is None or before is None else self._choose_separator(before, cell)
            )
            starts.append(at)
            parts += (between, text)
            at += len(text) + 1
            before = cell
        return starts, "".join(parts[1:])

    def build_data_tables(
        self, starts: Sequence[int], limits: ReadLimits, warnings: list[str]
    ) -> tuple[TableData, ...]:
        """The tables that are data."""
        found: list[TableData] = []
        room = limits.max_table_cells
        for number in sorted(self._data):
            cells = self._cells[number]
            room -= sum(cell.rows * cell.columns for cell, _ in cells)
            if room < 0 or len(found) >= limits.max_tables:
                warnings.append(
                    f"Only {len(found):,} of {len(self._data):,} tables were kept as data."
                )
                break
            of_table = self._of_table[number]
            last = of_table[-1]
            end = starts[last] + len(self._lines[last].text)
            caption = self._tables[number].caption
            found.append(
                TableData(starts[of_table[0]], end, build_grid(cells, limits), caption=caption)
            )
        return tuple(found)

    def _choose_separator(self, one: Cell, other: Cell) -> str:
        if one.table != other.table or one.row != other.row:
            return "\n"
        if one.table not in self._data and (one.table, one.row) in self._tall:
            return "\n"
        return " " if one is other else _BETWEEN_CELLS
