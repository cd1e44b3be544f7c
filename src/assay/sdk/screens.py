"""How values are shown to a person: tables, records, times and counts."""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from assay.display import escape_controls, escape_line

__all__ = [
    "escape_controls",
    "escape_line",
    "format_counts",
    "format_time",
    "pluralize",
    "render_cell",
    "render_fields",
    "render_table",
]

_NAME_WIDTH = 48


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
) -> Table:
    """A plain table; numbers are right-aligned, and long words are wrapped, never cut off."""
    entries = [list(row) for row in rows]
    table = Table(box=box.SIMPLE_HEAD, title=title or None, title_justify="left", pad_edge=False)
    for index, name in enumerate(columns):
        numeric = bool(entries) and all(isinstance(row[index], int | float) for row in entries)
        # People copy names from the first column, so the other columns give way to it.
        longest = max((len(str(row[0])) for row in entries), default=0) if index == 0 else 0
        table.add_column(
            name,
            justify="right" if numeric else "left",
            overflow="fold",
            min_width=min(longest, _NAME_WIDTH) or None,
        )
    for row in entries:
        table.add_row(*(render_cell(value) for value in row))
    return table


def render_fields(fields: Mapping[str, Any]) -> Table:
    """One record, with one field per line."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in fields.items():
        if name.endswith("_ms") and (value is None or isinstance(value, int)):
            name, value = name.removesuffix("_ms"), format_time(value)
        if isinstance(value, dict):
            value = json.dumps(value, ensure_ascii=False, sort_keys=True)
        table.add_row(name, render_cell(value))
    return table


def pluralize(count: int, what: str, many: str = "") -> str:
    """'1 job', '2 jobs', '2 entities'."""
    return f"{count} {what}" if count == 1 else f"{count} {many or what + 's'}"


def format_counts(counts: Mapping[str, int]) -> str:
    """'done 3, queued 1'."""
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"
