"""The lines of an agenda without what every page repeats."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from assay.sdk.reading import PageSpan

_LINE = re.compile(r"[^\n\r\f]+")
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"(page\s*)?\d{1,4}(\s*(of|/)\s*\d{1,4})?|-\s*\d{1,4}\s*-", re.IGNORECASE)
_NAMED_PAGE = re.compile(r"page\s+\d{1,4}(\s+of\s+\d{1,4})?", re.IGNORECASE)
_LEADERS = re.compile(r"(?:\.{4}|(?:\. ){4}|…{2}|_{4})[._… ]*\d{1,4}$")
_TOP_LINES: Final = 8
_BOTTOM_LINES: Final = 5
_LONGEST_LINE: Final = 2000


@dataclass(frozen=True, slots=True)
class AgendaLine:
    """One line with words on it. Offsets count characters of the whole text."""

    start: int
    end: int
    words: str
    """The line without the white space around it."""
    wraps: bool
    """Whether it ends in two spaces, as PDF readers leave them where a paragraph goes on."""
    follows_gap: bool
    """Whether an empty line, a page break or a removed line precedes it."""
    has_leaders: bool
    """Whether it ends in a row of dots and a page number, as a table of contents does."""


def split_agenda_lines(text: str, pages: Sequence[PageSpan] = ()) -> list[AgendaLine]:
    """The lines of the text in order, without page numbers, headers and footers."""
    repeated = _find_repeated_lines(text, pages)
    lines: list[AgendaLine] = []
    last = 0
    for start, end in _find_spans(text, 0, len(text)):
        words = text[start:end]
        if start in repeated or _NAMED_PAGE.fullmatch(words):
            continue
        lines.append(
            AgendaLine(
                start=start,
                end=end,
                words=words,
                wraps=text.startswith("  ", end) and text[end : end + 8].strip(" ")[:1] == "\n",
                follows_gap=not lines
                or bool(text[last:start].strip())
                or _has_gap(text, last, start),
                has_leaders=bool(_LEADERS.search(words[-60:])),
            )
        )
        last = end
    return lines


def _find_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for found in _LINE.finditer(text, start, end):
        words = found.group()
        stripped = words.strip()
        if stripped:
            first = found.start() + len(words) - len(words.lstrip())
            yield first, first + len(stripped)


def _has_gap(text: str, start: int, end: int) -> bool:
    between = text[start:end]
    return between.count("\n") > 1 or "\f" in between


def _find_repeated_lines(text: str, pages: Sequence[PageSpan]) -> set[int]:
    """Where the lines start that are at the edge of at least half of the pages."""
    edges: list[tuple[int, str]] = []
    numbers: set[int] = set()
    seen: Counter[str] = Counter()
    for page in pages:
        spans = list(_find_spans(text, page.start, page.end))
        chosen = dict.fromkeys(spans[:_TOP_LINES] + spans[-_BOTTOM_LINES:])
        keys = set()
        for start, end in chosen:
            words = text[start:end]
            if _PAGE_NUMBER.fullmatch(words):
                if (start, end) in (spans[0], spans[-1]) or not words.isdigit():
                    numbers.add(start)
                continue
            key = _DIGITS.sub("#", " ".join(words[:_LONGEST_LINE].casefold().split()))
            if any(letter.isalpha() for letter in key):
                keys.add(key)
                edges.append((start, key))
        seen.update(keys)
    least = max(2, (len(pages) + 1) // 2)
    return numbers | {start for start, key in edges if seen[key] >= least}
