"""How values are shown to a person: tables, records, times and counts."""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from assay.display import escape_controls, escape_line

__all__ = [
    "FieldList",
    "StackingTable",
    "escape_controls",
    "escape_line",
    "format_counts",
    "format_time",
    "pluralize",
    "render_cell",
    "render_fields",
    "render_table",
]

_GAP = 2
"""Columns between the name of a field and its value."""
_BETWEEN = 3
"""Columns that a table puts between two of its own."""
_PROSE = 24
"""The least width in which text of several words is put into a column."""


def format_time(ms: int | None) -> str:
    """A time in UTC, to the second; "-" for none."""
    if ms is None:
        return "-"
    return time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(ms / 1000))


def render_cell(value: Any) -> Text:
    """Any value as plain text; markup in it is not interpreted."""
    if value is None or value == "":
        return Text("-", style="dim")
    if isinstance(value, Text):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return render_cell(", ".join(sorted(str(entry) for entry in value)))
    # Here, and not only when it is printed: a table is laid out by what it shows.
    return Text(escape_controls(str(value)))


def render_table(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = ""
) -> "StackingTable":
    """A plain table; where it is too wide for a terminal, each row becomes a block of fields.

    No word is ever cut or broken: names are there to be copied.
    """
    entries = [list(row) for row in rows]
    numeric = tuple(
        bool(entries) and all(isinstance(row[index], int | float) for row in entries)
        for index in range(len(columns))
    )
    cells = tuple(tuple(render_cell(value) for value in row) for row in entries)
    return StackingTable(tuple(columns), cells, numeric, title)


def render_fields(fields: Mapping[str, Any]) -> "FieldList":
    """One record, with one field per line, or on two where it would not fit."""
    lines = []
    for name, value in fields.items():
        if name.endswith("_ms") and (value is None or isinstance(value, int)):
            name, value = name.removesuffix("_ms"), format_time(value)
        if isinstance(value, dict):
            value = json.dumps(value, ensure_ascii=False, sort_keys=True)
        lines.append((name, render_cell(value)))
    return FieldList(tuple(lines))


@dataclass(frozen=True)
class FieldList:
    """Names and values, aligned if there is room, with no word broken."""

    fields: tuple[tuple[str, Text], ...]
    indent: int = 0

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width - self.indent
        column = max((cell_len(name) for name, _ in self.fields), default=0) + _GAP
        room = width - column
        for name, value in self.fields:
            label = Text(name, style="bold")
            if _measure_word(value) <= room and (room >= _PROSE or cell_len(value.plain) <= room):
                label.pad_right(column - cell_len(name))
                yield from _hang(console, label, value, self.indent, column, room)
            else:
                yield _indent(label, self.indent)
                # A word that is longer than a line is left to the terminal, which breaks it only
                # to show it: what is copied is the whole word.
                yield from _hang(console, Text("  "), value, self.indent, 2, max(1, width - 2))


@dataclass(frozen=True)
class StackingTable:
    """A table that becomes blocks of fields where its columns do not fit beside each other."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Text, ...], ...]
    numeric: tuple[bool, ...]
    title: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        widths = self._choose_widths(options.max_width)
        if widths is not None:
            yield self._build_table(widths)
            return
        if self.title:
            yield Text(self.title, style="italic")
        for row in self.rows:
            yield Text("")
            yield FieldList(
                tuple(
                    (name, value)
                    for number, (name, value) in enumerate(zip(self.columns, row, strict=True))
                    # What is empty would only make the block longer.
                    if number == 0 or value.plain not in ("", "-")
                )
            )
        yield Text("")

    def _choose_widths(self, most: int) -> list[int] | None:
        """The width of each column; None if they do not fit, or prose would be squeezed."""
        least, wanted = [], []
        for index, name in enumerate(self.columns):
            cells = [Text(name), *(row[index] for row in self.rows)]
            longest = max(cell_len(line) for cell in cells for line in cell.plain.split("\n"))
            word = max(_measure_word(cell) for cell in cells)
            least.append(max(word, min(longest, _PROSE)))
            wanted.append(longest)
        spare = most - sum(least) - _BETWEEN * len(self.columns)
        if spare < 0:
            return None
        widths = list(least)
        # Those that need the least get it first; what is left goes to the long ones.
        by_need = sorted(range(len(widths)), key=lambda index: wanted[index] - least[index])
        for place, index in enumerate(by_need):
            share = spare // (len(by_need) - place)
            extra = min(wanted[index] - least[index], share)
            widths[index] += extra
            spare -= extra
        return widths

    def _build_table(self, widths: Sequence[int]) -> Table:
        table = Table(
            box=box.SIMPLE_HEAD, title=self.title or None, title_justify="left", pad_edge=False
        )
        for name, width, numeric in zip(self.columns, widths, self.numeric, strict=True):
            table.add_column(name, justify="right" if numeric else "left", width=width)
        for row in self.rows:
            table.add_row(*row)
        return table


def _measure_word(text: Text) -> int:
    return max((cell_len(word) for word in text.plain.split()), default=0)


def _hang(
    console: Console, label: Text, value: Text, indent: int, column: int, room: int
) -> Iterator[Text]:
    """The value beside its label, its further lines below its first."""
    # Folding at the longest word breaks none.
    width = max(room, _measure_word(value))
    lines = value.wrap(console, width, overflow="fold", justify="left") if value else [Text("")]
    for number, line in enumerate(lines):
        line.rstrip()
        before = label if number == 0 else Text(" " * column)
        yield _indent(Text.assemble(before, line), indent)


def _indent(line: Text, indent: int) -> Text:
    whole = Text(" " * indent) + line
    # As it is, even if a long word goes beyond the edge.
    whole.no_wrap, whole.overflow = True, "ignore"
    return whole


def pluralize(count: int, what: str, many: str = "") -> str:
    """'1 job', '2 jobs', '2 entities'."""
    return f"{count} {what}" if count == 1 else f"{count} {many or what + 's'}"


def format_counts(counts: Mapping[str, int]) -> str:
    """'done 3, queued 1'."""
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"
