"""Percentages in a text."""

import re
from dataclasses import dataclass
from decimal import Decimal

from assay.rules.values.numbers import NumberAt, numbers_in
from assay.rules.values.ranges import shared, start_of

_UNIT = re.compile(
    r"[ \t\n\u00a0\u202f\u2009)]{0,3}-?(?:"
    r"(?P<percent>[%％]|(?:posto|postotaka|postotn(?:i|a|e|u|og|oj|om)|per[ \u00a0]cent|"
    r"percent|prozent|prozentig|v\.[ \u00a0]?h\.|vh|vom[ \u00a0]hundert)(?![^\W_]))"
    r"|(?P<permille>‰|(?:promila|promil|promille|per[ \u00a0]mille|per[ \u00a0]mill)(?![^\W_])))",
    re.IGNORECASE,
)
_POINTS = re.compile(r"[ \u00a0-]{0,2}(?:points?|punkt|bod|postotn\w{1,4} bod)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PercentageAt:
    """A percentage of a text."""

    start: int
    end: int
    amount: Decimal
    unit: str
    """`%` or `‰`."""
    readings: tuple[Decimal, ...]
    """Everything that the number can mean; `amount` is one of them."""


def percentages_in(text: str, language: str | None = None) -> list[PercentageAt]:
    """The percentages of a text, in order; percentage points are none."""
    numbers = numbers_in(text, language)
    found: dict[int, PercentageAt] = {}
    for place, number in enumerate(numbers):
        unit = _UNIT.match(text, number.end)
        if unit is not None and _POINTS.match(text, unit.end()) is None:
            symbol = "%" if unit.group("percent") else "‰"
            start = start_of(text, numbers, place)
            found[place] = _percentage(number, start, unit.end(), symbol)
    shared(text, numbers, found, _lent)
    return [found[place] for place in sorted(found)]


def _lent(number: NumberAt, given: PercentageAt) -> PercentageAt:
    return _percentage(number, number.start, number.end, given.unit)


def _percentage(number: NumberAt, start: int, end: int, unit: str) -> PercentageAt:
    # `12.345 %` is a fine rate, not twelve thousand times the whole.
    return PercentageAt(start, end, min(number.readings, key=abs), unit, number.readings)
