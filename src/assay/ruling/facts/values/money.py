"""Sums of money in a text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from assay.ruling.facts.values.numbers import NumberAt, find_number_start, scan_numbers, share_units

_NAMES: Mapping[str, str] = {
    name: code
    for code, names in {
        "EUR": "€|eur|euro|euros|eura|euri|eurima|euru",
        "HRK": "kn|hrk|kuna|kune|kunu|kunama",
        "USD": "$|us$|usd|us dollars|us dollar|u.s. dollars|dollars|dollar|us-dollar|"
        "dolara|američkih dolara|dolar",
        "GBP": "£|gbp|pounds sterling|pound sterling|pfund sterling|britanskih funti|funti|funta",
        "CHF": "chf|franken|schweizer franken|sfr.|sfr|fr.|swiss francs|francs|franaka|"
        "švicarskih franaka",
        "BAM": "bam|km|konvertibilnih maraka",
        "RSD": "rsd|dinara|dinar",
        "HUF": "huf|forinti|forinta|forint|ft",
        "CZK": "czk|kč|čeških kruna|czech koruna|tschechische kronen",
        "PLN": "pln|zł|zlota|zloty|złoty",
        "SEK": "sek|švedskih kruna|swedish kronor|schwedische kronen",
        "NOK": "nok|norveških kruna|norwegian kroner|norwegische kronen",
        "DKK": "dkk|danskih kruna|danish kroner|dänische kronen",
        "JPY": "jpy|¥|yen|jena",
        "CAD": "cad|c$|ca$|can$|canadian dollars|kanadskih dolara|kanadische dollar",
        "AUD": "aud|a$|$a|au$|australian dollars|australskih dolara|australische dollar",
        "DEM": "dem|dm|d-mark|deutsche mark|njemačkih maraka",
        "ATS": "ats|schilling|ös",
    }.items()
    for name in names.split("|")
}
_BEFORE: Mapping[str, str] = {
    name: code
    for name, code in _NAMES.items()
    if name
    in {
        "$",
        "us$",
        "€",
        "£",
        "¥",
        "c$",
        "ca$",
        "can$",
        "a$",
        "$a",
        "au$",
        "euro",
        "kn",
        "sfr.",
        "fr.",
        "dm",
        "km",
    }
    or name.upper() == code
}
"""Names that may come before the number."""
_PENCE = re.compile(r"[ \u00a0\u202f]?(?:pence|penny)(?![^\W_])", re.IGNORECASE)
_ALSO_WORDS = frozenset({"km", "ft", "dem"})
"""Names that are also measures or an article; after a number, they mean money only in capitals."""
_SYMBOLS = frozenset("$€£¥")
"""Directly before a digit, they belong to the number that follows."""
_GAP = "[ \\t\\n\u00a0\u202f\u2009]{0,3}"
_AFTER = re.compile(
    rf"(?:,[-–—]{{1,2}}|,?=)?{_GAP}[)]?{_GAP}"
    rf"(?P<name>{'|'.join(map(re.escape, sorted(_NAMES, key=len, reverse=True)))})(?![^\W_])",
    re.IGNORECASE,
)
_IN_FRONT = re.compile(
    rf"(?<![^\W_])(?P<name>{'|'.join(map(re.escape, sorted(_BEFORE, key=len, reverse=True)))})"
    rf"\.?{_GAP}-?$",
    re.IGNORECASE,
)
_NEXT = re.compile(rf"{_GAP}[0-9]")
_ANYWHERE = re.compile(
    "|".join(
        rf"(?<![^\W_]){re.escape(name)}(?![^\W_])" if name[0].isalpha() else re.escape(name)
        for name in sorted(_NAMES, key=len, reverse=True)
        if name not in {"fr.", "km", "ft", "jena", "dm"}
    ),
    re.IGNORECASE,
)
_SHORT = re.compile(r"(?P<scale>[mk])(?![^\W_])", re.IGNORECASE)
_REACH = 8


@dataclass(frozen=True, slots=True)
class SumAt:
    """A sum of money in a text."""

    start: int
    end: int
    amount: Decimal
    currency: str
    """The ISO code."""
    readings: tuple[Decimal, ...]
    """Everything that the number can mean; `amount` is one of them."""
    in_front: bool = False
    """Whether the currency comes before the number."""
    in_pence: bool = False
    """Whether the text counts in hundredths of the currency: `5 pence`."""


def scan_sums(text: str, language: str | None = None) -> list[SumAt]:
    """The sums in a text, in order, with both ends of ranges that name their currency once."""
    numbers = scan_numbers(text, language)
    found: dict[int, SumAt] = {}
    least = 0
    for place, number in enumerate(numbers):
        start = find_number_start(text, numbers, place)
        after, before = (
            _read_currency_after(text, number, start),
            _read_currency_before(text, number, least),
        )
        # `EUR 55,000 EUR 60,000`: a currency between two numbers belongs to the second.
        lends = before is not None and after is not None and _NEXT.match(text, after.end)
        given = before if lends else after or before
        if given is not None:
            found[place] = given
        least = number.end if given is None else given.end
    share_units(text, numbers, found, _lend_currency, forwards=lambda given: given.in_front)
    return [found[place] for place in sorted(found)]


def scan_currencies(text: str) -> frozenset[str]:
    """The currencies that a text names, with a number or without."""
    return frozenset(_code_of(match.group()) for match in _ANYWHERE.finditer(text))


def _code_of(name: str) -> str:
    return _NAMES[name.lower()]


def _read_currency_after(text: str, number: NumberAt, start: int) -> SumAt | None:
    if pence := _PENCE.match(text, number.end):
        readings = _count_pence(number)
        return SumAt(start, pence.end(), readings[0], "GBP", readings, in_pence=True)
    after = _AFTER.match(text, number.end)
    if after is None:
        return None
    name = after.group("name")
    if name in _ALSO_WORDS or (name in _SYMBOLS and text[after.end() : after.end() + 1].isdigit()):
        return None
    return SumAt(start, after.end(), number.readings[0], _code_of(name), number.readings)


def _read_currency_before(text: str, number: NumberAt, least: int) -> SumAt | None:
    lead = max(least, number.start - _REACH)
    # One more character than needed, so that `xEUR` is recognized as another word.
    before = _IN_FRONT.search(text[max(0, lead - 1) : number.start])
    if before is None or max(0, lead - 1) + before.start() < least:
        return None
    if before.group("name") == "dem":
        # The German article: `nach dem 31. Dezember`.
        return None
    code = _BEFORE[before.group("name").lower()]
    start, end, readings = max(0, lead - 1) + before.start(), number.end, number.readings
    short = _SHORT.match(text, end)
    if short is not None:
        # `£5m`; a bare `5m` is a length.
        factor = 10**6 if short.group("scale").lower() == "m" else 10**3
        readings, end = tuple(reading * factor for reading in readings), short.end()
    return SumAt(start, end, readings[0], code, readings, in_front=True)


def _count_pence(number: NumberAt) -> tuple[Decimal, ...]:
    return tuple(reading / 100 for reading in number.readings)


def _lend_currency(number: NumberAt, given: SumAt) -> SumAt:
    readings = _count_pence(number) if given.in_pence else number.readings
    return SumAt(
        number.start, number.end, readings[0], given.currency, readings, in_front=given.in_front
    )
