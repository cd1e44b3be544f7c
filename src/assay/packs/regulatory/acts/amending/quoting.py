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
_LONGEST_LINE = 2_000
_MOST_LINES = 8
_ENUMERATOR = re.compile(r"\(?\w{1,4}[.)]")
_DEFINED = re.compile(
    r"[^\n‘’“”\"]{1,200}(?P<mark>[’”\"])\s+(?:means?|shall mean|includes?|refers? to|has the)\b"
)
"""A term that a line defines: the quotation is the term alone."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A text whose quotations are hidden; every character is still in its place."""

    text: str
    unclosed: frozenset[int]
    """Where quotations begin that have no end."""


def mask_quotations(
    text: str,
    marks: Mapping[str, str],
    boundary: re.Pattern[str],
    first: int = 0,
    announces: re.Pattern[str] | None = None,
) -> Masked:
    """Hide what is inside quotation marks. A quotation without an end stops at the next boundary,
    such as the heading of the amending act's next article, or at the end of its line.

    `marks` gives the closing marks of each opening one. What is before `first` stays as it is.
    `announces` finds what a line says that leads to a quotation: the one before has ended by then.
    """
    pieces: list[str] = [text[:first]]
    unclosed: set[int] = set()
    openers = re.compile("[" + "".join(map(re.escape, marks)) + "]")
    failed: Counter[str] = Counter()
    at = first
    while (found := openers.search(text, at)) is not None:
        start, close = found.start(), marks[found.group()]
        if close == "’" and start and text[start - 1].isalnum():
            pieces.append(text[at : start + 1])
            at = start + 1
            continue
        is_block = _begins_line(text, start)
        defined = _DEFINED.match(text, start + 1)
        end = defined.start("mark") if defined and defined["mark"] in close else None
        following: int | None = None
        if end is None and (not is_block or _is_within_line(text, start, found.group(), close)):
            end = _find_inline_end(text, start, found.group(), close)
        if end is None and failed[close] < _MOST_FAILED:
            end, following = _find_block_end(text, start, found.group(), close, announces)
            failed[close] += end is None and following is None
        if end is None and following is not None and announces is not None:
            stop_at = _find_announcement(text, start, following, boundary, announces)
            if not _lost_its_end_in_a_note(text, start, stop_at, announces):
                unclosed.add(start)
            pieces.append(text[at:start] + _hide(text, start, stop_at))
            at = stop_at
            continue
        if end is None and is_block:
            end = _find_inline_end(text, start, found.group(), close)
        if end is None:
            unclosed.add(start)
            line_end = text.find("\n", start)
            stop = boundary.search(text, start + 1) if is_block else None
            end = stop.start() if stop else len(text) if is_block or line_end < 0 else line_end
            pieces.append(text[at:start] + _hide(text, start, end))
            at = end
            continue
        pieces.append(text[at : start + 1] + HIDDEN * (end - start - 1) + text[end])
        at = end + 1
    pieces.append(text[at:])
    return Masked("".join(pieces), frozenset(unclosed))


def _hide(text: str, start: int, end: int) -> str:
    """A quotation that has no closing mark. What follows it still begins a line."""
    last = end - 1 if end - start > 1 and text[end - 1] == "\n" else end
    return text[start] + HIDDEN * (last - start - 1) + text[last:end]


def _find_block_end(
    text: str, start: int, opener: str, close: str, announces: re.Pattern[str] | None
) -> tuple[int | None, int | None]:
    """Where a quotation of whole lines ends, or where the next one begins that is announced."""
    depth = 1
    marks = re.compile(f"[{opener}{close}]")
    for match in marks.finditer(text, start + 1):
        place = match.start()
        if match.group() == opener and opener not in close:
            # Some traditions repeat the opening mark before each paragraph of the new text.
            if not _begins_line(text, place):
                depth += 1
            elif announces and announces.search(_read_line_before(text, place)):
                return None, place
            continue
        if close == "’" and _is_apostrophe(text, place):
            continue
        depth = max(0, depth - 1)
        if depth == 0 and _AFTER_BLOCK.match(text, place + 1):
            return place, None
    return None, None


def _read_line_before(text: str, place: int) -> str:
    """The line before the one of a place, if it ends with a colon."""
    end = text.rfind("\n", max(0, place - _LONGEST_LINE), place)
    start = text.rfind("\n", max(0, end - _LONGEST_LINE), max(0, end)) + 1
    line = text[start:end].strip() if end > 0 else ""
    return line if line.endswith(":") else ""


def _find_announcement(
    text: str, start: int, following: int, boundary: re.Pattern[str], announces: re.Pattern[str]
) -> int:
    """Where the words begin that announce a quotation: with their number, and with the heading and
    the first words of the amending act's article if they are right before."""
    at = text.rfind("\n", start, following)
    stop = at
    for _ in range(_MOST_LINES):
        at = text.rfind("\n", start, stop)
        if at < 0:
            break
        line = text[at + 1 : stop].strip()
        above = text.rfind("\n", start, at)
        heading_above = above >= 0 and boundary.fullmatch(text[above + 1 : at].strip())
        if heading_above and not boundary.fullmatch(line):
            return above + 1
        is_lead = line.endswith(":") and announces.search(line)
        if not (is_lead or _ENUMERATOR.fullmatch(line) or boundary.fullmatch(line)):
            break
        stop = at
        if boundary.fullmatch(line):
            break
    return stop + 1


def _lost_its_end_in_a_note(text: str, start: int, end: int, announces: re.Pattern[str]) -> bool:
    """Whether the end of a quotation was in a footnote, which editions on the web leave out, and
    nothing that may be an instruction follows before the next one."""
    lines = text[start:end].split("\n")
    return "(*" in text[start:end] and not any(
        announces.search(line[:_LONGEST_LINE]) for line in lines[1:]
    )


def _is_within_line(text: str, start: int, opener: str, close: str) -> bool:
    """Whether a quotation at the beginning of a line is a part of it: ‘No creditor worse off’
    principle."""
    if _read_line_before(text, start):
        return False
    end = _find_inline_end(text, start, opener, close)
    return end is not None and re.match(r"[ \t]+[a-z]", text[end + 1 : end + 4]) is not None


def _find_inline_end(text: str, start: int, opener: str, close: str) -> int | None:
    depth = 1
    line_end = text.find("\n", start)
    limit = min(len(text) if line_end < 0 else line_end, start + _MAX_INLINE)
    likely: int | None = None
    for place in range(start + 1, limit):
        character = text[place]
        if character == opener and opener not in close:
            if likely is not None:
                # Quotations within such a quotation have other marks, so it has ended before.
                return likely
            depth += 1
        elif character in close:
            if close == "’" and _is_apostrophe(text, place):
                if depth == 1 and likely is None and not text[place + 1].isalnum():
                    likely = place
                continue
            depth -= 1
            if depth == 0:
                return place
    return likely


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
