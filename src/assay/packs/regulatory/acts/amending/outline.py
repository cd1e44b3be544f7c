"""The depth of numbered lines, found from the row of their numbers.

`(i)` may be the letter after `(h)` or the first Roman numeral below it. The numbers before and
after decide, as they do for a reader.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.packs.regulatory.acts.amending.paths import (
    follows,
    is_first,
    order_key,
    read_roman,
)


@dataclass(frozen=True, slots=True)
class LineMark:
    """A number at the beginning of a line: `(a)`, `1.`, `aa)`."""

    style: str
    """The number's surroundings: `()`, `.`, `)`, or a word such as `art`."""
    number: str
    text: str = ""
    """The words behind it."""


def classify(number: str) -> set[str]:
    """What a number can be: a digit, a letter, a capital, a Roman numeral."""
    if number[:1].isdigit():
        return {"1"}
    kinds = set()
    if read_roman(number) is not None:
        kinds.add("I" if number.isupper() else "i")
    if len(set(number.lower())) == 1 and not (kinds and len(number) > 1):
        kinds.add("A" if number.isupper() else "a")
    return kinds or {"w"}


DEEPEST = 12
"""What seems to be nested deeper was not drafted that way; every level costs time at each mark."""
Ladder = Sequence[str]
"""What numbers look like at each depth, where a tradition fixes it: `a`, `1`, `i`, `A`."""


def find_depths(
    marks: Sequence[LineMark], ladder: Ladder = (), start: int = 0, above: Sequence[str] = ()
) -> list[int]:
    """The depth of each mark; `above` are the numbers of the provisions that the text is in."""
    depths: list[int] = []
    stack: list[LineMark | None] = [LineMark("", number) for number in above]
    while len(stack) < start:
        stack.append(None)
    for index, mark in enumerate(marks):
        following = marks[index + 1] if index + 1 < len(marks) else None
        depth = choose_depth(
            mark, following, stack, ladder, start, marks[index - 1] if index else None
        )
        del stack[depth:]
        stack.append(mark)
        depths.append(depth)
    return depths


def choose_depth(
    mark: LineMark,
    following: LineMark | None,
    stack: Sequence[LineMark | None],
    ladder: Ladder,
    start: int,
    previous: LineMark | None,
) -> int:
    """The depth of a mark below those of the provisions that are open."""

    def fits(depth: int) -> bool:
        if not ladder:
            return depth <= DEEPEST
        return depth < len(ladder) and ladder[depth] in classify(mark.number)

    levels = [d for d in range(len(stack) - 1, start - 1, -1) if fits(d) and stack[d]]
    siblings = [d for d in levels if is_next(mark, stack[d])]
    child = len(stack) if is_first(mark.number) and fits(len(stack)) else None
    if child is not None and siblings:
        return child if begins_row(mark, following, previous) else siblings[0]
    if child is not None:
        return child
    if siblings:
        return siblings[0]
    # `(k) * * *` is only shown for what is below it.
    if previous and previous.text.strip(" *") == "" and ladder and fits(len(stack)):
        return len(stack)
    later = [d for d in levels if _is_later(mark, stack[d])]
    if later:
        return later[0]
    if fits(len(stack)) or not levels:
        return min(len(stack), DEEPEST)
    return levels[-1] if ladder else levels[0]


def is_next(mark: LineMark, other: LineMark | None) -> bool:
    """Whether a mark goes on with the list of another one."""
    return other is not None and _same_style(mark, other) and follows(mark.number, other.number)


def _is_later(mark: LineMark, other: LineMark | None) -> bool:
    if other is None or not _same_style(mark, other):
        return False
    shared = classify(mark.number) & classify(other.number)
    if not shared:
        return False
    hint = ["i"] if shared & {"i", "I"} and not shared & {"a", "A"} else []
    first, second = order_key(other.number, hint), order_key(mark.number, hint)
    return [type(e) for e in first] == [type(e) for e in second] and second > first


def _same_style(mark: LineMark, other: LineMark) -> bool:
    return not other.style or mark.style == other.style


def begins_row(mark: LineMark, following: LineMark | None, previous: LineMark | None) -> bool:
    """Whether an `(i)` after `(h)` is the first of a new row."""
    if following is not None and following.style == mark.style:
        if following.number.lower() == "ii":
            return True
        if following.number.lower() == "j":
            return False
    return bool(previous and re.search(r"[:—]\s*$", previous.text))
