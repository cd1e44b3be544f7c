"""Quoted words and quoted new text: where they end, found by structure.

New text often contains quotation marks itself, and the typographic apostrophe is also a closing
mark. So a quotation that begins a line ends where a closing mark ends a line, not at the next mark.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

HIDDEN = "\ue000"
"""Stands for each character inside a quotation."""
_AFTER_BLOCK = re.compile(
    r"[”“«’\"]?[.,;:]?[ \t]?[\"”]?(?:[ \t]*(?:and|und|oder|or|i|te)\b[ \t]*[.,;]?)?[ \t]*(?=\n|$)"
)
_MAX_INLINE = 3000
_MOST_FAILED = 20
"""Searches for the end of a quotation that may fail before no further one is made: each reads the
rest of the text."""
_DEFINED = re.compile(
    r"[^\n‘’“”\"]{1,200}[’”\"]\s+(?:means?|shall mean|includes?|refers? to|has the)\b"
)
"""A term that a line defines: the quotation is the term alone."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A text whose quotations are hidden; every character is still in its place."""

    text: str
    unclosed: frozenset[int]
    """Where quotations begin that have no end."""


def mask_quotations(text: str, marks: Mapping[str, str], boundary: re.Pattern[str]) -> Masked:
    """Hide what is inside quotation marks. A quotation without an end stops at the next boundary,
    such as the heading of the amending act's next article, or at the end of its line.

    `marks` gives the closing marks of each opening one.
    """
    pieces: list[str] = []
    unclosed: set[int] = set()
    openers = re.compile("[" + "".join(map(re.escape, marks)) + "]")
    failed: Counter[str] = Counter()
    at = 0
    while (found := openers.search(text, at)) is not None:
        start, close = found.start(), marks[found.group()]
        if close == "’" and start and text[start - 1].isalnum():
            pieces.append(text[at : start + 1])
            at = start + 1
            continue
        is_block = _begins_line(text, start)
        is_defined = is_block and _DEFINED.match(text, start + 1) is not None
        is_inline = is_defined or not is_block
        end = _find_inline_end(text, start, found.group(), close) if is_inline else None
        if end is None and failed[close] < _MOST_FAILED:
            end = _find_block_end(text, start, found.group(), close)
            failed[close] += end is None
        if end is None and is_block:
            end = _find_inline_end(text, start, found.group(), close)
        if end is None:
            unclosed.add(start)
            line_end = text.find("\n", start)
            stop = boundary.search(text, start + 1) if is_block else None
            end = stop.start() if stop else len(text) if is_block or line_end < 0 else line_end
            pieces.append(text[at:start] + found.group() + HIDDEN * (end - start - 1))
            at = end
            continue
        pieces.append(text[at : start + 1] + HIDDEN * (end - start - 1) + text[end])
        at = end + 1
    pieces.append(text[at:])
    return Masked("".join(pieces), frozenset(unclosed))


def _find_block_end(text: str, start: int, opener: str, close: str) -> int | None:
    depth = 1
    marks = re.compile(f"[{opener}{close}]")
    for match in marks.finditer(text, start + 1):
        place = match.start()
        if match.group() == opener and opener not in close:
            # Some traditions repeat the opening mark before each paragraph of the new text.
            if not _begins_line(text, place):
                depth += 1
            continue
        if close == "’" and _is_apostrophe(text, place):
            continue
        depth = max(0, depth - 1)
        if depth == 0 and _AFTER_BLOCK.match(text, place + 1):
            return place
    return None


def _find_inline_end(text: str, start: int, opener: str, close: str) -> int | None:
    depth = 1
    line_end = text.find("\n", start)
    limit = min(len(text) if line_end < 0 else line_end, start + _MAX_INLINE)
    for place in range(start + 1, limit):
        character = text[place]
        if character == opener and opener not in close:
            depth += 1
        elif character in close:
            if close == "’" and _is_apostrophe(text, place):
                continue
            depth -= 1
            if depth == 0:
                return place
    return None


def _is_apostrophe(text: str, place: int) -> bool:
    """Whether a mark belongs to a word: "Member States’ authorities", "don’t"."""
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if before.isalnum() and after.isalnum():
        return True
    return (
        before == "s"
        and bool(re.match(r" [a-z]", text[place + 1 : place + 3]))
        and not (
            re.match(
                r" (?:is|are|and|shall|in|each|the|with|to|by|or|from|substitute|insert)\b",
                text[place + 1 : place + 14],
            )
        )
    )


def _begins_line(text: str, place: int) -> bool:
    while place > 0 and text[place - 1] in " \t":
        place -= 1
    return place == 0 or text[place - 1] == "\n"
