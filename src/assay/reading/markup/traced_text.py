"""Text with its escapes resolved that still knows where each character came from."""

import html
import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Final

# What `html.unescape` treats as a reference.
_REFERENCE: Final = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)")


class TracedText:
    """A resolved text, and the map from its offsets to those of the source."""

    __slots__ = ("_at", "_source", "text")

    def __init__(self, text: str, at: list[int], source: list[int]) -> None:
        self.text = text
        self._at = at
        self._source = source

    def source_of(self, offset: int) -> int:
        """Where in the source the character at this offset is, or the end before it."""
        nearest = bisect_right(self._at, offset) - 1
        return self._source[nearest] + offset - self._at[nearest]


def trace_plain(source: str, start: int, end: int) -> TracedText:
    """A stretch of the source, unchanged."""
    return TracedText(source[start:end], [0], [start])


def resolve_escapes(
    source: str,
    start: int,
    end: int,
    escape: "re.Pattern[str]" = _REFERENCE,
    meaning: Callable[[str], str] = html.unescape,
) -> TracedText:
    """A stretch of the source with its escapes resolved; markup escapes by default."""
    parts: list[str] = []
    at, origin = [0], [start]
    length, reached = 0, start
    for match in escape.finditer(source, start, end):
        meant = meaning(match[0])
        if meant == match[0]:
            continue
        parts.append(source[reached : match.start()])
        parts.append(meant)
        length += match.start() - reached + len(meant)
        reached = match.end()
        at.append(length)
        origin.append(reached)
    parts.append(source[reached:end])
    return TracedText("".join(parts), at, origin)
