"""How an old Word document records that words are struck out, inserted, hidden or in a table.

The looks of characters and paragraphs are stored in pages of 512 bytes. Each page has the places
where a look begins and ends, and its differences from the plain look as short instructions.
"""

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from assay.reading.result import MarkKind

_PAGE: Final = 512
_CHARACTERS, _PARAGRAPHS = 0xFA, 0x102
"""Where the main stream records the place of the lists of pages."""
_DELETED, _INSERTED, _STRUCK, _HIDDEN, _STRUCK_TWICE = 0x0800, 0x0801, 0x0837, 0x083C, 0x2A53
_IN_TABLE, _ROW_END = 0x2416, 0x2417
_LONG_TABLE, _TABS = 0xD608, 0xC615
_SIZES: Final = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}


class CharacterLook(NamedTuple):
    """How some characters look."""

    mark: MarkKind | None = None
    hidden: bool = False


_PLAIN: Final = CharacterLook()


class TableParagraph(NamedTuple):
    """A paragraph in a table; the one that ends a row is not a cell."""

    start: int
    end: int
    ends_row: bool


@dataclass(frozen=True, slots=True)
class CharacterLooks:
    """The looks of the characters, by their place in the stream; plain ones are left out."""

    starts: list[int]
    ends: list[int]
    looks: list[CharacterLook]

    def list_within(
        self, start: int, end: int, width: int
    ) -> Iterator[tuple[int, int, CharacterLook]]:
        """The stretches with one look between two places; none splits a character."""
        number = max(0, bisect_right(self.starts, start) - 1)
        at = start
        while at < end:
            while number < len(self.starts) and self.ends[number] <= at:
                number += 1
            if number == len(self.starts) or self.starts[number] >= end:
                yield at, end, _PLAIN
                return
            first = start + -(-(self.starts[number] - start) // width) * width
            if first > at:
                yield at, first, _PLAIN
                at = first
            after = min(end, start + -(-(self.ends[number] - start) // width) * width)
            if after > at:
                yield at, after, self.looks[number]
                at = after
            number += 1


def read_looks(main: bytes, table: bytes) -> CharacterLooks:
    """The looks of all characters that are not plain."""
    found: dict[int, tuple[int, CharacterLook]] = {}
    for page in _iter_pages(main, table, _CHARACTERS):
        for number, (start, end) in enumerate(page.places):
            offset = 2 * page.data[4 * (len(page.places) + 1) + number]
            if offset:
                look = _parse_look(page.data[offset + 1 : offset + 1 + page.data[offset]])
                if look != _PLAIN and end > start:
                    found[start] = (end, look)
    starts = sorted(found)
    return CharacterLooks(starts, [found[at][0] for at in starts], [found[at][1] for at in starts])


def read_table_paragraphs(main: bytes, table: bytes) -> list[TableParagraph]:
    """The paragraphs in tables, in order of their places."""
    found: list[TableParagraph] = []
    for page in _iter_pages(main, table, _PARAGRAPHS):
        for number, (start, end) in enumerate(page.places):
            offset = 2 * page.data[4 * (len(page.places) + 1) + 13 * number]
            if not offset:
                continue
            size = page.data[offset]
            # A size of zero means that the real size follows, counted in words.
            first, length = (
                (offset + 1, 2 * size - 1) if size else (offset + 2, 2 * page.data[offset + 1])
            )
            values = dict(_iter_instructions(page.data[first + 2 : first + length]))
            if values.get(_IN_TABLE) or values.get(_ROW_END):
                found.append(TableParagraph(start, end, bool(values.get(_ROW_END))))
    return sorted(found)


def _parse_look(instructions: bytes) -> CharacterLook:
    values = dict(_iter_instructions(instructions))
    struck = values.get(_DELETED) or values.get(_STRUCK) or values.get(_STRUCK_TWICE)
    mark = MarkKind.INSERTED if values.get(_INSERTED) else None
    return CharacterLook(MarkKind.STRUCK if struck else mark, bool(values.get(_HIDDEN)))


def _iter_instructions(data: bytes) -> Iterator[tuple[int, int]]:
    """Each instruction with the first byte of its operand."""
    at = 0
    while at + 3 <= len(data):
        code = data[at] | data[at + 1] << 8
        size = _SIZES.get(code >> 13)
        at += 2
        yield code, data[at]
        if size is not None:
            at += size
        elif code == _LONG_TABLE:
            at += 1 + (data[at] | (data[at + 1] if at + 1 < len(data) else 0) << 8)
        elif code == _TABS and data[at] == 255:
            return
        else:
            at += 1 + data[at]


class _Page(NamedTuple):
    data: bytes
    places: list[tuple[int, int]]


def _iter_pages(main: bytes, table: bytes, told_at: int) -> Iterator[_Page]:
    at, length = struct.unpack_from("<II", main, told_at)
    listed = table[at : at + length]
    count = max(0, (len(listed) - 4) // 8)
    seen: set[int] = set()
    for number in range(count):
        (page,) = struct.unpack_from("<I", listed, 4 * (count + 1) + 4 * number)
        page &= 0x3FFFFF
        data = main[page * _PAGE : (page + 1) * _PAGE]
        if len(data) < _PAGE or page in seen:
            continue
        seen.add(page)
        runs = min(data[_PAGE - 1], 101)
        places = struct.unpack_from(f"<{runs + 1}I", data, 0)
        # A look may point past the end of its page; a page of twice the length allows for that.
        yield _Page(data + bytes(_PAGE), list(pairwise(places)))
