"""Inspect a packed workbook before reading it: how large it is, and which cells are in percent.

A sheet with a cell in each of two far corners is a small file, but takes all memory once it is
laid out as a grid, so the corners are found first.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from assay.errors import ContentBroken, ContentEncrypted
from assay.reading.archives import Archive
from assay.reading.elements import Attributes, WellFormedCheck, walk_elements
from assay.reading.limits import ReadLimits
from assay.reading.sheets.cells import column_number
from assay.reading.sheets.records import MOST_CELLS, check_xlsb, refuse_sheet

_REFERENCE: Final = re.compile(rb"""\br\s*=\s*["']\s*([A-Za-z]{1,3})(\d{1,7})["']""")
_FILLED: Final = re.compile(
    rb"""<(?:\w{1,20}:)?c\s(?:[^>]{0,400}?\s)?r\s*=\s*["']([A-Za-z]{1,3})(\d{1,7})["']
    [^>]{0,400}(?<!/)>(?!\s{0,20}</)""",
    re.VERBOSE,
)
_STYLED: Final = re.compile(rb"<(?:\w{1,20}:)?c\s[^>]{0,400}>")
_STYLE: Final = re.compile(rb"""\ss\s*=\s*["'](\d{1,6})["']""")
_ODS: Final = re.compile(rb"<table:(table-row|table-cell|covered-table-cell|table)([\s/>][^>]*)?>")
_ROWS: Final = re.compile(rb'number-rows-repeated\s*=\s*["\'](\d{1,9})')
_COLUMNS: Final = re.compile(rb'number-columns-repeated\s*=\s*["\'](\d{1,9})')
_OVERLAP: Final = 1_000
_MOST_PERCENT: Final = 200_000
_BUILT_IN_PERCENT: Final = frozenset({"9", "10"})
_READ: Final = (".xml", ".bin", ".rels")

Percents = dict[str, frozenset[tuple[int, int]]]
"""Row and column of the cells that are shown in percent, by sheet name."""


def scan_workbook(data: bytes, limits: ReadLimits) -> Percents:
    """Refuse a workbook that would take too much memory; find which cells are in percent."""
    archive = Archive(data, limits)
    if "content.xml" in archive.names:
        _check_ods(archive)
        return {}
    styles = _find_percent_styles(archive, limits)
    names = _read_sheet_names(archive, limits) if styles else {}
    found: Percents = {}
    for part in archive.names:
        if not part.startswith("xl/") or not part.endswith(_READ) or part == "xl/styles.xml":
            continue
        if part.startswith("xl/worksheets/") and part.endswith(".xml"):
            found[names.get(part, "")] = frozenset(_scan_sheet(archive, part, styles))
        elif part.startswith("xl/worksheets/") and part.endswith(".bin"):
            check_xlsb(archive.read_part(part) or b"", part.rpartition("/")[2])
        else:
            for _ in archive.iter_chunks(part):
                pass
    return found


def _overlap_chunks(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks, each preceded by the end of the previous one, so no element is cut in two."""
    before = b""
    for chunk in chunks:
        yield before + chunk
        before = chunk[-_OVERLAP:]


def _scan_sheet(archive: Archive, part: str, styles: frozenset[bytes]) -> set[tuple[int, int]]:
    percents: set[tuple[int, int]] = set()
    corners = _Corners()
    for chunk in _overlap_chunks(archive.iter_chunks(part)):
        corners.stretch_over(_REFERENCE.findall(chunk))
        if styles:
            percents.update(_find_percents(chunk, styles))
            if len(percents) > _MOST_PERCENT:
                styles = frozenset()
    if corners.area > MOST_CELLS:
        # Cells that are only coloured do not count; excluding them takes a slower scan.
        corners = _Corners()
        for chunk in _overlap_chunks(archive.iter_chunks(part)):
            corners.stretch_over(_FILLED.findall(chunk))
        corners.check(part.rpartition("/")[2])
    return percents


def _find_percents(chunk: bytes, styles: frozenset[bytes]) -> Iterator[tuple[int, int]]:
    for cell in _STYLED.findall(chunk):
        style, place = _STYLE.search(cell), _REFERENCE.search(cell)
        if style and place and style.group(1) in styles:
            yield int(place.group(2)) - 1, column_number(place.group(1).decode())


@dataclass(slots=True)
class _Corners:
    """The smallest rectangle around some cells."""

    columns: set[bytes] = field(default_factory=set)
    first_row: int = 1 << 31
    last_row: int = 0

    def stretch_over(self, references: list[tuple[bytes, bytes]]) -> None:
        if references:
            columns, rows = zip(*references, strict=True)
            numbers = list(map(int, set(rows)))
            self.columns.update(columns)
            self.first_row = min(self.first_row, *numbers)
            self.last_row = max(self.last_row, *numbers)

    @property
    def area(self) -> int:
        if not self.columns:
            return 0
        numbers = [column_number(column.decode()) for column in self.columns]
        return (self.last_row - self.first_row + 1) * (max(numbers) - min(numbers) + 1)

    def check(self, sheet: str) -> None:
        if self.area > MOST_CELLS:
            refuse_sheet(sheet, self.last_row - self.first_row + 1)


def _check_ods(archive: Archive) -> None:
    """Follow the repetitions, with which a few bytes can stand for any number of cells."""
    if b"encryption-data" in (archive.read_part("META-INF/manifest.xml") or b""):
        raise ContentEncrypted("The workbook is password-protected.")
    row = column = repeated = last_row = last_column = 0
    rest = b""
    # calamine waits forever for the end of an element that never ends.
    check = WellFormedCheck("its content")
    for chunk in archive.iter_chunks("content.xml"):
        check.feed(chunk)
        chunk = rest + chunk
        last = chunk.rfind(b"<")
        chunk, rest = chunk[:last], chunk[last:][-100_000:]
        for element in _ODS.finditer(chunk):
            kind, attributes = element.group(1), element.group(2) or b""
            if kind == b"table":
                row = column = repeated = last_row = last_column = 0
            elif kind == b"table-row":
                row, column = row + repeated, 0
                repeated = _read_repetition(_ROWS, attributes)
            else:
                times = _read_repetition(_COLUMNS, attributes)
                column += times
                if b"value-type" in attributes or b"formula" in attributes:
                    last_row = row + repeated
                    last_column = max(last_column, column)
                    if last_row * last_column > MOST_CELLS:
                        refuse_sheet("of the workbook", last_row)
    check.end()


def _read_repetition(pattern: re.Pattern[bytes], attributes: bytes) -> int:
    found = pattern.search(attributes)
    return max(1, int(found.group(1))) if found else 1


def _find_percent_styles(archive: Archive, limits: ReadLimits) -> frozenset[bytes]:
    source = archive.read_part("xl/styles.xml")
    if source is None:
        return frozenset()
    walker = _Styles()
    try:
        walk_elements(source, walker, limits, "its styles")
    except ContentBroken:
        return frozenset()
    return frozenset(walker.percent)


class _Styles:
    """Finds the styles of cells whose format is a percentage."""

    def __init__(self) -> None:
        self.percent: set[bytes] = set()
        self._formats = set(_BUILT_IN_PERCENT)
        self._inside = False
        self._count = 0

    def begin(self, name: str, attributes: Attributes, here: Callable[[], int]) -> None:
        if name == "x:numFmt" and "%" in attributes.get("formatCode", ""):
            self._formats.add(attributes.get("numFmtId", ""))
        elif name == "x:cellXfs":
            self._inside = True
        elif name == "x:xf" and self._inside:
            if attributes.get("numFmtId") in self._formats:
                self.percent.add(str(self._count).encode())
            self._count += 1

    def end(self, name: str, here: Callable[[], int]) -> None:
        if name == "x:cellXfs":
            self._inside = False

    def add_characters(self, text: str, here: Callable[[], int]) -> None:
        pass


def _read_sheet_names(archive: Archive, limits: ReadLimits) -> dict[str, str]:
    """The name of the sheet in each part."""
    walker = _Workbook()
    try:
        for part in ("xl/_rels/workbook.xml.rels", "xl/workbook.xml"):
            walk_elements(archive.read_part(part) or b"", walker, limits, "its list of sheets")
    except ContentBroken:
        return {}
    return walker.names


class _Workbook:
    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self._parts: dict[str, str] = {}

    def begin(self, name: str, attributes: Attributes, here: Callable[[], int]) -> None:
        if name == "rel:Relationship":
            target = attributes.get("Target", "").lower()
            target = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
            self._parts[attributes.get("Id", "")] = target
        elif name == "x:sheet":
            part = self._parts.get(attributes.get("r:id", ""), "")
            self.names[part] = attributes.get("name", "")

    def end(self, name: str, here: Callable[[], int]) -> None:
        pass

    def add_characters(self, text: str, here: Callable[[], int]) -> None:
        pass
