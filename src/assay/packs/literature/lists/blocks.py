"""The blocks of a Markdown text: headings, items, table rows and paragraphs, with their places.

Lines decide, as authors of lists indent and nest more freely than any grammar of Markdown allows.
"""

import re
from bisect import bisect_right
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Final

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_BLANKED = re.compile(r"[^\n]")
_FENCE = re.compile(r"[ \t]{0,12}(`{3,}|~{3,})")
_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})(?!#)[ \t]*(.*?)[ \t#]*$")
_HEADING_TAG = re.compile(
    r"[ \t]{0,8}<h([1-6])\b[^<>]{0,300}>(.*?)(?:</h[1-6]>.*)?$", re.IGNORECASE
)
_UNDERLINE = re.compile(r"[ \t]{0,3}(=+|-+)[ \t]*$")
_ITEM = re.compile(r"([ \t>]{0,40})(?:[-*+•◦▪●]|\(?\d{1,4}[.)])(?:[ \t]{1,8}|(?=\[))")
_SEPARATOR = re.compile(
    r"[ \t]{0,8}\|?[ \t]*:?-{1,200}:?[ \t]*(?:\|[ \t]*:?-{0,200}:?[ \t]*){0,60}$"
)
_TAG_ITEM = re.compile(r"<(?:li|tr|dt)\b[^<>]{0,300}>", re.IGNORECASE)
_CELL_BREAK = re.compile(r"(?<!\\)\|")
_TAB: Final = 4


class ListBlockKind(StrEnum):
    HEADING = "heading"
    ITEM = "item"
    ROW = "row"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class ListBlock:
    """A part of a text: its place, how deep it is, and for a table's row the names of columns."""

    kind: ListBlockKind
    start: int
    end: int
    depth: int
    """The level of a heading, or the indent of an item."""
    columns: tuple[str, ...] = ()
    is_inside: bool = False
    """Whether it is an item of HTML inside a passage that began before it."""


def hide_comments(text: str, *, is_inside: bool = False) -> str:
    """The text with blanks where comments are, so that places stay the same.

    `is_inside` says that the text begins inside a comment.
    """
    if is_inside:
        closed = text.find("-->") + 3
        hidden = text[:closed] if closed > 2 else text
        text = _BLANKED.sub(" ", hidden) + text[len(hidden) :]
    if "<!--" not in text:
        return text
    return _COMMENT.sub(lambda found: _BLANKED.sub(" ", found[0]), text)


def is_in_comment(text: str, place: int, *, is_inside: bool = False) -> bool:
    """Whether a place is inside a comment; `is_inside` as for `hide_comments`."""
    opened, closed = text.rfind("<!--", 0, place), text.rfind("-->", 0, place)
    return opened > closed or (is_inside and closed < 0)


def find_blocks(text: str, after: ListBlock | None = None) -> Iterator[ListBlock]:
    """The blocks of a text in order; fenced code is left out.

    `after` is a block like the first, if that is a row or an item inside something that began
    before the text.
    """
    lines = list(_list_lines(text))
    ends = _find_fence_ends(text, lines)
    number = 0
    if after is not None and after.columns:
        number = yield from _read_rows(text, lines, 0, after.columns)
    elif after is not None and after.is_inside and lines:
        number = yield from _read_passage(text, lines, 0, after.depth - 1)
    while number < len(lines):
        start, end = lines[number]
        line = text[start:end]
        if not line.strip():
            number += 1
            continue
        fence = _FENCE.match(line)
        if fence:
            number = _skip_fence(ends, number, fence[1])
        elif heading := _HEADING.match(line) or _HEADING_TAG.match(line):
            depth = len(heading[1]) if heading[1][0] == "#" else int(heading[1])
            yield ListBlock(
                ListBlockKind.HEADING, start + heading.start(2), start + heading.end(2), depth
            )
            number += 1
        elif _starts_table(text, lines, number):
            number = yield from _read_table(text, lines, number)
        else:
            number = yield from _read_passage(text, lines, number)


def split_cells(row: str) -> list[str]:
    """The cells of a table's row."""
    cells = _CELL_BREAK.split(row.strip())
    if cells and not cells[0].strip():
        cells = cells[1:]
    if cells and not cells[-1].strip():
        cells = cells[:-1]
    return cells


def starts_tag_item(text: str, place: int) -> bool:
    """Whether an item or a row of HTML begins at a place."""
    return _TAG_ITEM.match(text, place) is not None


def _list_lines(text: str) -> Iterator[tuple[int, int]]:
    place = 0
    while place < len(text):
        end = text.find("\n", place)
        end = len(text) if end < 0 else end
        yield place, end
        place = end + 1


def _find_fence_ends(text: str, lines: list[tuple[int, int]]) -> list[tuple[int, str]]:
    """The lines that can close a fence, found once: a text may open a million of them."""
    found = []
    for number, (start, end) in enumerate(lines):
        line = text[start:end].strip()
        if line.startswith(("```", "~~~")) and not line.strip(line[0]):
            found.append((number, line))
    return found


def _skip_fence(ends: list[tuple[int, str]], number: int, mark: str) -> int:
    """The line after a fence; one that never closes is not a fence."""
    for other, line in islice(ends, bisect_right(ends, (number, "\uffff")), None):
        if line.startswith(mark):
            return other + 1
    return number + 1


def _starts_table(text: str, lines: list[tuple[int, int]], number: int) -> bool:
    if number + 1 >= len(lines):
        return False
    first, second = (text[start:end] for start, end in lines[number : number + 2])
    return "|" in first and "|" in second and bool(_SEPARATOR.match(second.rstrip()))


def _read_table(
    text: str, lines: list[tuple[int, int]], number: int
) -> Generator[ListBlock, None, int]:
    """The rows of a table; returns the number of the line after it."""
    start, end = lines[number]
    columns = tuple(cell.strip(" *_`").lower()[:60] for cell in split_cells(text[start:end]))
    return (yield from _read_rows(text, lines, number + 2, columns))


def _read_rows(
    text: str, lines: list[tuple[int, int]], number: int, columns: tuple[str, ...]
) -> Generator[ListBlock, None, int]:
    while number < len(lines):
        start, end = lines[number]
        line = text[start:end]
        if "|" not in line or _HEADING.match(line):
            break
        if not _SEPARATOR.match(line.rstrip()):
            yield ListBlock(ListBlockKind.ROW, start, end, 0, columns)
        number += 1
    return number


def _read_passage(
    text: str, lines: list[tuple[int, int]], number: int, inside: int | None = None
) -> Generator[ListBlock, None, int]:
    """An item or a paragraph with the lines that continue it; returns the next line's number.

    `inside` is the depth of a passage that began before.
    """
    first = number
    start, end = lines[number]
    item = _ITEM.match(text[start:end])
    if inside is None and text[start:end].lstrip().startswith("|"):
        yield ListBlock(ListBlockKind.ROW, start, end, 0)
        return number + 1
    number += 1
    while number < len(lines):
        begin, finish = lines[number]
        line = text[begin:finish]
        if not line.strip() or _FENCE.match(line) or _HEADING.match(line):
            break
        if _ITEM.match(line) or _starts_table(text, lines, number) or _HEADING_TAG.match(line):
            break
        is_second = number == first + 1 and inside is None
        if item is None and is_second and _UNDERLINE.match(line):
            depth = 1 if "=" in line else 2
            yield ListBlock(ListBlockKind.HEADING, start, end, depth)
            return number + 1
        end = finish
        number += 1
    kind = ListBlockKind.ITEM if item else ListBlockKind.TEXT
    depth = len(item[1].expandtabs(_TAB)) if item else -1
    depth = depth if inside is None else inside
    yield from _split_tags(text, ListBlock(kind, start, end, depth))
    return number


def _split_tags(text: str, block: ListBlock) -> Iterator[ListBlock]:
    """A block of HTML as its items and rows."""
    places = [found.start() for found in _TAG_ITEM.finditer(text, block.start, block.end)]
    if not places:
        yield block
        return
    if places[0] > block.start:
        yield ListBlock(block.kind, block.start, places[0], block.depth)
    for start, end in zip(places, [*places[1:], block.end], strict=True):
        yield ListBlock(ListBlockKind.ITEM, start, end, block.depth + 1, is_inside=True)
