"""Percentages in a text."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from assay.ruling.facts.values.numbers import NumberAt, find_number_start, scan_numbers, share_units

_UNIT = re.compile(
    r"[ \t\n\u00a0\u202f\u2009)]{0,3}-?(?:"
    r"(?P<percent>[%％]|(?:posto|postotaka|postotn(?:i|a|e|u|og|oj|om)(?!\s(?:poen|bod))"
    r"|per[ \u00a0]cent|per[ \u00a0]centum|percent|prozent|prozentig|"
    r"v\.[ \u00a0]?h\.|vh|vom[ \u00a0]hundert)(?![^\W_]))"
    r"|(?P<permille>‰|(?:promila|promil|promille|per[ \u00a0]mille|per[ \u00a0]mill)(?![^\W_])))",
    re.IGNORECASE,
)
_FRACTIONS = {
    "half": Decimal("0.5"),
    "quarter": Decimal("0.25"),
    "fourth": Decimal("0.25"),
    "tenth": Decimal("0.1"),
    "½": Decimal("0.5"),
    "¼": Decimal("0.25"),
    "¾": Decimal("0.75"),
    "⅛": Decimal("0.125"),
}
_FRACTION_OF = re.compile(
    r"(?<![^\W_])(?:(?:one|a)[ \u00a0-])?(?P<part>half|quarter|fourth|tenth|[½¼¾⅛])"
    r"[ \u00a0]of[ \u00a0]{0,2}$",
    re.IGNORECASE,
)
_AND_FRACTION = re.compile(
    r"[ \u00a0]and[ \u00a0](?:one|a)[ \u00a0-](?P<part>half|quarter|fourth)(?![^\W_])",
    re.IGNORECASE,
)
_POINTS = re.compile(r"[ \u00a0-]{0,2}(?:points?|punkt|bod|poen|postotn\w{1,4} bod)", re.IGNORECASE)
_MARGIN = re.compile(
    r"\s{1,3}(?:prozentpunkten?|percentage\spoints?|postotn\w{1,3}\spoena?)"
    r"(?P<above>(?:\s[^\W\d_]{2,10}){0,2}?\s(?:über|above|over|iznad)(?![^\W_]))?",
    re.IGNORECASE,
)
"""`five percentage points above the base rate` is a rate; points by which one rose are not."""
_ADDED = re.compile(r"(?<![^\W_])uveća\w{1,6}(?:\s[^\W\d_]{1,14}){0,4}\sza\s{1,2}$", re.IGNORECASE)
_ZERO = re.compile(
    r"(?<![^\W_])(?:zero|nil|null)[ \n\u00a0-](?:per[ \n\u00a0]?cent|prozent|%)(?![^\W_])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PercentageAt:
    """A percentage in a text."""

    start: int
    end: int
    amount: Decimal
    unit: str
    """`%` or `‰`."""
    readings: tuple[Decimal, ...]
    """Everything that the number can mean; `amount` is one of them."""


def scan_percentages(text: str, language: str | None = None) -> list[PercentageAt]:
    """The percentages in a text, in order; percentage points count only as a margin on a rate."""
    numbers = scan_numbers(text, language)
    found: dict[int, PercentageAt] = {}
    for place, read in enumerate(numbers):
        number = _add_fraction(text, read)
        unit = _UNIT.match(text, number.end)
        if unit is not None and _POINTS.match(text, unit.end()) is None:
            symbol = "%" if unit.group("percent") else "‰"
            start = min(number.start, find_number_start(text, numbers, place))
            found[place] = _make_percentage(number, start, unit.end(), symbol)
        elif unit is None and _is_margin(text, number):
            found[place] = _make_percentage(number, number.start, number.end, "%")
    share_units(text, numbers, found, _lend_unit)
    zero = (Decimal(0),)
    none = [PercentageAt(at.start(), at.end(), *zero, "%", zero) for at in _ZERO.finditer(text)]
    return sorted([*found.values(), *none], key=lambda one: one.start)


def _is_margin(text: str, number: NumberAt) -> bool:
    """Whether a number of percentage points is added to a rate that is known elsewhere."""
    points = _MARGIN.match(text, number.end)
    if points is None:
        return False
    before = text[max(0, number.start - 70) : number.start]
    return points["above"] is not None or _ADDED.search(before) is not None


def _add_fraction(text: str, number: NumberAt) -> NumberAt:
    """`six and one-half percent`, `one-half of 1 percent`."""
    added = _AND_FRACTION.match(text, number.end)
    if added is not None:
        more = _FRACTIONS[added["part"].lower()]
        return replace(
            number, end=added.end(), readings=tuple(one + more for one in number.readings)
        )
    lead = max(0, number.start - 18)
    of = _FRACTION_OF.search(text[lead : number.start])
    if of is None:
        return number
    times = _FRACTIONS[of["part"].lower()]
    return replace(
        number, start=lead + of.start(), readings=tuple(one * times for one in number.readings)
    )


def _lend_unit(number: NumberAt, given: PercentageAt) -> PercentageAt:
    return _make_percentage(number, number.start, number.end, given.unit)


def _make_percentage(number: NumberAt, start: int, end: int, unit: str) -> PercentageAt:
    # `12.345 %` is a precise rate, not more than a hundred times the whole.
    return PercentageAt(start, end, min(number.readings, key=abs), unit, number.readings)
