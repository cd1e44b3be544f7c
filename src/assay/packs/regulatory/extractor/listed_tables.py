"""Tables that Markdown writes as lists of lists: `*    *   cell`, and `    *   cell` below it."""

import re
from collections.abc import Iterator, Sequence

from assay.sdk.reading import ContentClass, Reading, TableData

_LINE = re.compile(r"[^\n\f]+")
_ROW = re.compile(r" {0,5}(?:\*|\d{1,3}[a-z]?\.) {1,9}\*(?: {1,5}(?=\S)|[ \t]*$)")
_CELL = re.compile(r" {3,9}\*(?: {1,5}(?=\S)|[ \t]*$)")
_INSIDE = re.compile(r" {6,}(?=\S)")
_NUMBER = re.compile(r"(?:\d{1,3}[a-z]?\.|[a-z]{1,2}\))?")
_FIGURE = re.compile(r"\d")

Cells = list[tuple[int, int]]
"""Where the cells of a row are."""


def find_listed_tables(reading: Reading) -> Iterator[TableData]:
    """The tables that are written as lists of lists, in order."""
    if reading.content_class is not ContentClass.TEXT or "\n    *" not in reading.text:
        return
    rows: list[Cells] = []
    for match in _LINE.finditer(reading.text):
        line, start = match[0], match.start()
        if not line.strip():
            continue
        if begun := _ROW.match(line):
            rows.append([(start + begun.end(), match.end())])
        elif rows and (begun := _CELL.match(line)):
            rows[-1].append((start + begun.end(), match.end()))
        elif rows and _INSIDE.match(line):
            rows[-1][-1] = (rows[-1][-1][0], match.end())
        elif rows:
            yield from _build_tables(reading.text, rows)
            rows = []
    yield from _build_tables(reading.text, rows)


def _build_tables(text: str, rows: Sequence[Cells]) -> Iterator[TableData]:
    """One table with a head; or each row by itself, as a name with its value."""
    first = next((at for at, row in enumerate(rows) if len(row) > 1), len(rows))
    rows = rows[first:]
    if not rows:
        return
    words = [[text[start:end].strip() for start, end in row] for row in rows]
    head = _find_head(words)
    if head:
        body = words[len(words) - head[1] :]
        if body:
            names = tuple(" ".join(name.split()) for name in head[0])
            start = text.rfind("\n", 0, rows[0][0][0]) + 1
            wide = (tuple(row) + ("",) * (len(row) == 1) for row in body)
            yield TableData(start, rows[-1][-1][1], (names, *wide))
        return
    for row, cells in zip(rows, words, strict=True):
        named = [cell for cell in cells if not _NUMBER.fullmatch(cell)]
        if len(named) > 1:
            start = text.rfind("\n", 0, row[0][0]) + 1
            yield TableData(start, row[-1][1], (tuple(named),))


def _find_head(words: Sequence[Sequence[str]]) -> tuple[list[str], int] | None:
    """The heads of the columns, and how many rows follow them."""
    first = words[0]
    if _NUMBER.fullmatch(first[0]) or len(words) < 2 or any(map(_FIGURE.search, first[1:])):
        return None
    second = words[1]
    width = max(map(len, words))
    if (
        len(second) > 1
        and len(first) + len(second) - 1 == width
        and not any(map(_FIGURE.search, second))
    ):
        # The last head spans the columns that the second row names.
        return [*first[:-1], *(f"{first[-1]} {cell}" for cell in second)], len(words) - 2
    return list(first), len(words) - 1
