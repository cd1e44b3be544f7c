"""The lines of a read text, and which of them begin a paragraph."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

_LINE: Final = re.compile(r"[^\n\f]+")
_EDGES: Final = " \t\r\v\u00a0"
_HASHES: Final = re.compile(r"#{1,6}[ \t]+")
_FRONT: Final = re.compile(r"---[ \t]*\n(?:[^\n]*\n){0,60}?---[ \t]*\n")
_MARKDOWN: Final = re.compile(r"^#{1,6} \S", re.MULTILINE)
_NUMBERED: Final = re.compile(r"\((\d{1,3})\)\s")
_NEXT_NUMBER: Final = re.compile(r"(?<=[.;:!?])\s{1,3}\((\d{1,3})\)\s(?=[^\W\d_])")
_WIDEST: Final = 140
_ENDS: Final = ".;:,!?—–"
_GOES_ON: Final = 12
"""At least one line of so many goes on in the next one, in a text with wrapped lines."""


class ActLine(NamedTuple):
    """A line without the space around it."""

    start: int
    end: int
    indent: int = 0
    is_heading: bool = False
    """Whether it is a heading in Markdown; `start` is after the hashes."""
    begins: bool = True
    """Whether it surely begins a paragraph; otherwise it may continue the line before it."""


@dataclass(frozen=True, slots=True)
class ActLines:
    """The lines of a text."""

    lines: Sequence[ActLine]
    is_markdown: bool
    """Whether indents show which list an item belongs to."""
    wraps: bool
    """Whether a paragraph may run over several lines."""


def split_lines(text: str) -> ActLines:
    """The lines of a text, without the front matter of Markdown."""
    is_markdown = _MARKDOWN.search(text) is not None
    front = _FRONT.match(text) if is_markdown else None
    wraps = is_markdown or _are_wrapped(text)
    lines: list[ActLine] = []
    last_end, last_heading = -1, False
    for match in _LINE.finditer(text, front.end() if front else 0):
        start, end = _trim(text, match.start(), match.end())
        if start >= end:
            continue
        indent = start - match.start()
        hashes = _HASHES.match(text, start, end) if is_markdown and not indent else None
        if hashes:
            start = hashes.end()
        begins = (
            not wraps
            or hashes is not None
            or last_heading
            or last_end < 0
            or text.count("\n", last_end, start) != 1
        )
        for first, last in _split_paragraphs(text, start, end):
            lines.append(ActLine(first, last, indent, hashes is not None, begins or first > start))
        last_end, last_heading = end, hashes is not None
    return ActLines(lines, is_markdown, wraps)


def _split_paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Paragraphs that share a line, `(1) … . (2) …`, as some pages print them; only numbers that
    follow each other at the start of a sentence divide it."""
    first = _NUMBERED.match(text, start, end)
    if first is None:
        yield start, end
        return
    number = int(first[1])
    for found in _NEXT_NUMBER.finditer(text, start, end):
        if int(found[1]) == number + 1:
            number += 1
            yield start, found.start()
            start = found.end() - len(found[0].lstrip())
    yield start, end


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    line = text[start:end]
    start += len(line) - len(line.lstrip(_EDGES))
    return start, max(start, end - (len(line) - len(line.rstrip(_EDGES))))


def _are_wrapped(text: str) -> bool:
    """Whether paragraphs run over several lines: then many lines go on in the next one."""
    spans = [_trim(text, match.start(), match.end()) for match in _LINE.finditer(text)]
    spans = [span for span in spans if span[0] < span[1]]
    lengths = sorted(end - start for start, end in spans)
    if not lengths or lengths[len(lengths) * 95 // 100] > _WIDEST:
        return False
    goes_on = sum(
        text[start].islower() and text[end - 1] not in _ENDS
        for (_, end), (start, _) in pairwise(spans)
        if text.count("\n", end, start) == 1
    )
    return goes_on * _GOES_ON > len(spans)
