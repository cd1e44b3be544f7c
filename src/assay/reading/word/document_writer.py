"""The text of a document while it is being written, with its source places and its marks."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from assay.model.content import ContentClass
from assay.reading.limits import ReadLimits
from assay.reading.result import Mark, MarkKind, PageSpan, Reading, Segment, TableData

_MOST_BLANK_PAGES: Final = 100


@dataclass(slots=True)
class _Table:
    start: int
    rows: list[tuple[str, ...]] = field(default_factory=list)
    row: list[str] | None = None
    cell: tuple[int, int] | None = None
    """The part with which the open cell begins, and how many columns it spans."""


class DocumentWriter:
    """Words in order. What separates them is only written once more words follow."""

    def __init__(self, limits: ReadLimits, place: str = "") -> None:
        self.place = place
        self.full = False
        self.at = 0
        self._limits = limits
        self._parts: list[str] = []
        self._pending = ""
        self._segments: list[list[int]] = []
        self._places: list[str] = []
        self._marks: list[tuple[MarkKind, int, int]] = []
        self._breaks: list[int] = []
        self._pages_ended = 0
        self._open: list[_Table] = []
        self._tables: list[TableData] = []
        self._cells = 0

    def add_words(self, text: str, start: int, end: int, mark: MarkKind | None = None) -> None:
        """Add words, with the stretch of the source that contains them."""
        if not text or self.full:
            return
        self._settle()
        text = self._cut_to_fit(text)
        first, self.at = self.at, self.at + len(text)
        self._parts.append(text)
        self._add_segment(first, self.at, start, end, self.place)
        if mark is not None:
            self._mark(mark, first, self.at)

    def add_gap(self, text: str, mark: MarkKind | None = None) -> None:
        """Add characters that the source expresses in another way: a tab, a list number."""
        if self.full:
            return
        self._settle()
        text = self._cut_to_fit(text)
        self._parts.append(text)
        self.at += len(text)
        if mark is not None and self._marks and self._marks[-1][:1] == (mark,):
            kind, first, last = self._marks[-1]
            if last == self.at - len(text):
                self._marks[-1] = (kind, first, self.at)

    def end_paragraph(self) -> None:
        """Put what follows on a new line."""
        if not self._pending.endswith(("\n", "\t")):
            self._pending += "\n"

    def end_page(self) -> None:
        """Put what follows on the next page."""
        self._pages_ended = min(self._pages_ended + 1, _MOST_BLANK_PAGES)

    @property
    def in_table(self) -> bool:
        """Whether a cell is open."""
        return bool(self._open) and self._open[-1].cell is not None

    def begin_table(self) -> None:
        """Begin a table, perhaps in a cell of another."""
        self.end_paragraph()
        self._open.append(_Table(self.at + len(self._pending)))

    def begin_row(self) -> None:
        """Begin the next row of the table."""
        if self._open:
            self._open[-1].row = []

    def begin_cell(self, columns: int = 1) -> None:
        """Begin the next cell of the row."""
        if self._open and self._open[-1].row is not None:
            self._open[-1].cell = (len(self._parts), max(1, columns))

    def end_cell(self) -> None:
        """Complete the cell."""
        table = self._open[-1] if self._open else None
        if table is None or table.row is None or table.cell is None:
            return
        first, columns = table.cell
        table.cell = None
        self._pending = self._pending.rstrip("\n") + "\t"
        if len(table.row) < self._limits.max_columns:
            text = " ".join("".join(self._parts[first:]).split())
            table.row.extend([text, *[""] * min(columns - 1, self._limits.max_columns)])

    def end_row(self) -> None:
        """Complete the row."""
        table = self._open[-1] if self._open else None
        if table is None or table.row is None:
            return
        row, table.row = table.row, None
        self._pending = self._pending.rstrip("\t")
        self.end_paragraph()
        self._cells += len(row)
        room = len(table.rows) < self._limits.max_rows
        if room and self._cells <= self._limits.max_table_cells:
            table.rows.append(tuple(row))

    def end_table(self) -> None:
        """Complete the table."""
        if not self._open:
            return
        self.end_row()
        table = self._open.pop()
        filled = any(cell for row in table.rows for cell in row)
        if filled and len(self._tables) < self._limits.max_tables and table.start < self.at:
            page = len(self._breaks) + 1 if self._breaks else None
            self._tables.append(TableData(table.start, self.at, tuple(table.rows), page))

    def absorb(self, other: "DocumentWriter", *, own_line: bool = True) -> None:
        """Append what was written separately: a box, a note, deleted words."""
        if not other.at or self.full:
            return
        if own_line:
            self.end_paragraph()
        self._settle()
        base = self.at
        self._parts.extend(other._parts)
        self.at += other.at
        for (start, end, first, last), place in zip(other._segments, other._places, strict=True):
            self._add_segment(base + start, base + end, first, last, place)
        for kind, start, end in other._marks:
            self._mark(kind, base + start, base + end)
        self._tables.extend(
            TableData(base + table.start, base + table.end, table.rows) for table in other._tables
        )
        self.full = self.full or other.full or self.at >= self._limits.max_characters
        if own_line:
            self.end_paragraph()

    def build_text(self) -> str:
        """Everything that was written."""
        return "".join(self._parts)

    def build_reading(
        self, title: str | None, warnings: Sequence[str], *, encoding: str = ""
    ) -> Reading:
        """Everything that was written, with its places, marks and tables."""
        full = f"Only the first {self._limits.max_characters:,} characters are kept."
        return Reading(
            content_class=ContentClass.DOC,
            text=self.build_text(),
            title=title,
            encoding=encoding,
            pages=self._list_pages(),
            segments=tuple(
                Segment(start, end, first, last, place)
                for (start, end, first, last), place in zip(
                    self._segments, self._places, strict=True
                )
            ),
            tables=tuple(sorted(self._tables, key=lambda table: (table.start, -table.end))),
            marks=tuple(Mark(*mark) for mark in self._marks),
            warnings=(*warnings, full) if self.full else tuple(warnings),
        )

    def _list_pages(self) -> tuple[PageSpan, ...]:
        """The pages, if the document records where they end."""
        if not self._breaks:
            return ()
        starts = [0, *self._breaks]
        ends = [*self._breaks, self.at]
        return tuple(
            PageSpan(number, start, end)
            for number, (start, end) in enumerate(zip(starts, ends, strict=True), start=1)
        )

    def _settle(self) -> None:
        if self._pending:
            if self.at:
                self._parts.append(self._pending)
                self.at += len(self._pending)
            elif self._open:
                self._open[-1].start = min(self._open[-1].start, self.at)
            self._pending = ""
        if self._pages_ended:
            if self.at or self._breaks:
                self._breaks.extend([self.at] * self._pages_ended)
            self._pages_ended = 0

    def _cut_to_fit(self, text: str) -> str:
        room = self._limits.max_characters - self.at
        if len(text) >= room:
            self.full = True
            return text[: max(0, room)]
        return text

    def _add_segment(self, start: int, end: int, first: int, last: int, place: str) -> None:
        if self._segments and self._places[-1] == place:
            before = self._segments[-1]
            one_for_one = end - start == last - first and before[1] - before[0] == (
                before[3] - before[2]
            )
            follows = before[1] == start and before[3] == first and one_for_one
            if follows or (len(self._segments) >= self._limits.max_segments and first >= before[2]):
                before[1], before[3] = end, max(before[3], last)
                return
        self._segments.append([start, end, first, last])
        self._places.append(place)

    def _mark(self, kind: MarkKind, start: int, end: int) -> None:
        if self._marks and self._marks[-1][0] is kind and self._marks[-1][2] == start:
            self._marks[-1] = (kind, self._marks[-1][1], end)
        else:
            self._marks.append((kind, start, end))
