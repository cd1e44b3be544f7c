"""Units that several numbers share: `od 500 do 5.000 eura`, `13 i 25 %`, `EUR 500 to 5,000`."""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from assay.ruling.facts.values.numbers import NumberAt

_LINK = re.compile(
    "[ \\t\\n\u00a0\u202f]{0,3}"
    "(?:i|ili|odnosno|te|a|do|na|and|or|to|und|oder|bis|bzw\\.|beziehungsweise|auf|-|–|—)"
    "(?:[ \\n\u00a0\u202f]{1,3}(?:najviše|do|up to|zu|höchstens|at most|not more than))?"
    "[ \\t\\n\u00a0\u202f]{0,3}",
    re.IGNORECASE,
)
_PARENTHESIS = re.compile("[ \\t\\n\u00a0\u202f]{0,3}[(]")
_COMMA = re.compile(",[ \\n\u00a0]{1,2}")
T = TypeVar("T")


def share_units(
    text: str,
    numbers: Sequence[NumberAt],
    found: dict[int, T],
    lent: Callable[[NumberAt, T], T],
    *,
    forwards: Callable[[T], bool] = lambda _: False,
) -> None:
    """Give the unit found at one number to the bare numbers that are linked with it.

    A unit after the last number counts for all; one before the first, only if `forwards` says so.
    """
    listed = False
    for place in range(len(numbers) - 1, 0, -1):
        first, second, given = numbers[place - 1], numbers[place], found.get(place)
        if given is None or forwards(given) or place - 1 in found:
            listed = False
        elif _is_linked(text, first, second) or (listed and _is_comma_between(text, first, second)):
            found[place - 1] = lent(first, given)
            listed = True
    for place in range(1, len(numbers)):
        first, second, given = numbers[place - 1], numbers[place], found.get(place - 1)
        lends = given is not None and place not in found and _is_linked(text, first, second)
        if given is not None and lends and forwards(given):
            found[place] = lent(second, given)


def _is_linked(text: str, first: NumberAt, second: NumberAt) -> bool:
    """Whether only a word such as `do`, `and` or `bis` is between two numbers."""
    if second.scale != first.scale:
        # `2 do 3 milijuna`: nobody means two, and nobody wrote two million.
        return False
    return _LINK.fullmatch(text, first.end, second.start) is not None


def _is_comma_between(text: str, first: NumberAt, second: NumberAt) -> bool:
    """Whether this is `5, 13` in `5, 13 i 25 %`, and not the year in `2025, 13 i 25 %`."""
    year = text[first.start : first.end].isdigit() and 1900 <= first.readings[0] <= 2199
    return not year and _COMMA.fullmatch(text, first.end, second.start) is not None


def find_number_start(text: str, numbers: Sequence[NumberAt], place: int) -> int:
    """Where a number starts that may be given twice: `thirty (30) days`, `1.000 (tisuću) eura`."""
    number, before = numbers[place], numbers[place - 1] if place else None
    if before is None or number.readings[0] != before.readings[0]:
        return number.start
    twice = _PARENTHESIS.fullmatch(text, before.end, number.start)
    return number.start if twice is None else before.start
