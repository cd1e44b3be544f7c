"""Units that several numbers share: `od 500 do 5.000 eura`, `13 i 25 %`, `EUR 500 to 5,000`."""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from assay.rules.values.numbers import NumberAt

_LINK = re.compile(
    "[ \\t\\n\u00a0\u202f]{0,3}"
    "(?:i|ili|odnosno|te|a|do|na|and|or|to|und|oder|bis|bzw\\.|beziehungsweise|auf|-|–|—)"
    "(?:[ \\n\u00a0\u202f]{1,3}(?:najviše|do|up to|bis zu|höchstens|at most|not more than))?"
    "[ \\t\\n\u00a0\u202f]{0,3}",
    re.IGNORECASE,
)
T = TypeVar("T")


def linked(text: str, first: NumberAt, second: NumberAt) -> bool:
    """Whether only a word such as `do`, `and` or `bis` stands between two numbers."""
    if second.scale != first.scale:
        # `2 do 3 milijuna`: nobody means two, and nobody wrote two million.
        return False
    return _LINK.fullmatch(text, first.end, second.start) is not None


def shared(
    text: str,
    numbers: Sequence[NumberAt],
    found: dict[int, T],
    lent: Callable[[NumberAt, T], T],
    *,
    forwards: Callable[[T], bool] = lambda _: False,
) -> None:
    """Lends what was found at a number to the bare numbers that are linked with it.

    A unit after the last number counts for all; one before the first only where `forwards` says.
    """
    for place in range(len(numbers) - 1, 0, -1):
        given = found.get(place)
        bare = place - 1 not in found
        if given is not None and bare and not forwards(given):
            if linked(text, numbers[place - 1], numbers[place]):
                found[place - 1] = lent(numbers[place - 1], given)
    for place in range(1, len(numbers)):
        given = found.get(place - 1)
        if given is not None and place not in found and forwards(given):
            if linked(text, numbers[place - 1], numbers[place]):
                found[place] = lent(numbers[place], given)
