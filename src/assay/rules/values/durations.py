"""Stretches of time in a text, and the days of the month by which something is due."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from assay.rules.values.dates import dates_in
from assay.rules.values.numbers import NumberAt, numbers_in
from assay.rules.values.ranges import shared
from assay.rules.values.words import ORDINALS, words_in

DAY_OF_MONTH = "day_of_month"
_UNITS: Mapping[str, str] = {
    "working_days": "radnih dana|radna dana|radni dan|radnog dana|radnoga dana|working days|"
    "working day|business days|business day|werktage|werktagen|werktag|werktages|werktags|"
    "arbeitstage|arbeitstagen|arbeitstag|arbeitstages|bankarbeitstage|bankarbeitstagen|"
    "geschäftstage|geschäftstagen",
    "days": "dana|dan|danom|dane|kalendarskih dana|uzastopnih dana|punih dana|calendar days|"
    "calendar day|consecutive days|clear days|full days|days|day|tage|tagen|tag|tages|tags|"
    "kalendertage|kalendertagen|kalendertag|tägig|tägige|tägigen|tägiger|volle tage|vollen tagen",
    "weeks": "tjedana|tjedna|tjedan|tjedne|weeks|week|wochen|woche|wöchig|wöchige|wöchigen",
    "months": "mjeseci|mjeseca|mjesec|mjesece|kalendarskih mjeseci|punih mjeseci|"
    "calendar months|calendar month|months|month|monate|monaten|monat|monats|monates|"
    "kalendermonate|kalendermonaten|monatig|monatige|monatigen",
    "years": "godina|godine|godinu|godinama|kalendarskih godina|calendar years|years|year|"
    "jahre|jahren|jahr|jahres|jahrs|kalenderjahre|kalenderjahren|jährig|jährige|jährigen",
    "hours": "sati|sata|sat|hours|hour|stunden|stunde|stündig|stündige|stündigen",
}
_NAMES: Mapping[str, str] = {
    name: unit for unit, names in _UNITS.items() for name in names.split("|")
}
_GAP = "[ \\t\\n\u00a0\u202f]"
_ALTERNATIVES = "|".join(
    re.escape(name).replace("\\ ", _GAP + "{1,3}") for name in sorted(_NAMES, key=len, reverse=True)
)
_UNIT = re.compile(rf"[)]?(?:-|{_GAP}{{0,3}})(?P<name>{_ALTERNATIVES})(?![^\W_])", re.IGNORECASE)
_ORDINAL_DAY = re.compile(
    rf"\.?{_GAP}{{0,3}}(?P<name>(?:radnog{_GAP})?dana?|(?:working{_GAP}|business{_GAP})?day|"
    rf"tag|tages|tags|werktag|werktags|werktages|arbeitstag|arbeitstags)(?![^\W_])",
    re.IGNORECASE,
)
_ONE = re.compile(
    rf"(?<![^\W_])(?:(?P<hr>mjesec|godinu){_GAP}dana|"
    rf"(?:ein|eine|einen|einem|einer|eines){_GAP}"
    rf"(?P<de>tag|tages|tags|werktag|woche|monat|monats|jahr|jahres|jahrs|stunde))(?![^\W_])",
    re.IGNORECASE,
)
_DIGIT_ORDINAL = re.compile(
    r"(?<![\w.,/-])(?P<day>[0-9]{1,2})(?:\.|st|nd|rd|th|-og|-oga)(?![^\W_]|[0-9])", re.IGNORECASE
)
_DAY_N = re.compile(
    rf"(?<![^\W_])day{_GAP}(?P<day>[0-9]{{1,2}})(?![^\W_]|[0-9]|[.,][0-9])", re.IGNORECASE
)
_OF_MONTH = re.compile(
    rf"{_GAP}{{0,3}}(?:"
    rf"(?:dana{_GAP}{{1,3}})?(?:u{_GAP}{{1,3}})?(?:[^\W\d_]{{4,14}}{_GAP}{{1,3}}){{0,2}}"
    rf"mjesec(?:a|u|i)?"
    rf"|(?:calendar{_GAP}|working{_GAP})?(?:day{_GAP}{{1,3}})?(?:of|in){_GAP}{{1,3}}"
    rf"(?:[^\W\d_]{{1,10}}{_GAP}{{1,3}}){{0,3}}month"
    rf"|(?:tag(?:e|es|s)?{_GAP}{{1,3}})?(?:des|jedes|eines|im){_GAP}{{1,3}}"
    rf"(?:[^\W\d_]{{4,16}}{_GAP}{{1,3}}){{0,3}}[^\W\d_]{{0,16}}monate?s?"
    rf")(?![^\W_])",
    re.IGNORECASE,
)
_PARENTHESIS = re.compile(rf"{_GAP}{{0,3}}[(]")


@dataclass(frozen=True, slots=True)
class DurationAt:
    """A stretch of time of a text, or a day of the month."""

    start: int
    end: int
    amount: Decimal
    unit: str
    """hours, days, working_days, weeks, months, years or day_of_month."""
    ordinal: bool = False
    """Whether the text counts to a day: `osmog dana`, `on the twentieth day`."""


def durations_in(text: str, language: str | None = None) -> list[DurationAt]:
    """The stretches of time of a text and its days of the month, in order."""
    found = [*_days_of_month(text), *_counted_days(text), *_ones(text)]
    found += _stretches(text, language)
    # Of two that overlap, what was looked for first is the more exact: the sort is stable.
    kept: list[DurationAt] = []
    for duration in sorted(found, key=lambda duration: duration.start):
        if not kept or duration.start >= kept[-1].end:
            kept.append(duration)
    return kept


def _stretches(text: str, language: str | None) -> Iterator[DurationAt]:
    numbers = numbers_in(text, language)
    found: dict[int, DurationAt] = {}
    for place, number in enumerate(numbers):
        unit = _UNIT.match(text, number.end)
        if unit is None:
            continue
        name = " ".join(unit.group("name").lower().split())
        if _NAMES[name] == "years" and _is_year(number):
            continue
        start = number.start
        if place and _repeats(text, numbers[place - 1], number):
            start = numbers[place - 1].start
        found[place] = DurationAt(start, unit.end(), number.readings[0], _NAMES[name])
    shared(text, numbers, found, _lent)
    yield from (found[place] for place in sorted(found))


def _lent(number: NumberAt, given: DurationAt) -> DurationAt:
    return DurationAt(number.start, number.end, number.readings[0], given.unit)


def _is_year(number: NumberAt) -> bool:
    return number.end - number.start == 4 and 1500 <= number.readings[0] <= 2199


def _repeats(text: str, first: NumberAt, second: NumberAt) -> bool:
    """`thirty (30) days`: the same number twice."""
    between = _PARENTHESIS.fullmatch(text, first.end, second.start)
    return between is not None and first.readings[0] == second.readings[0]


def _ordinals(text: str) -> Iterator[tuple[int, int, int]]:
    for match in _DIGIT_ORDINAL.finditer(text):
        yield match.start(), match.end(), int(match.group("day"))
    for word in words_in(text):
        if word.word in ORDINALS:
            yield word.start, word.end, ORDINALS[word.word]


def _days_of_month(text: str) -> Iterator[DurationAt]:
    numbered = [(m.start(), m.end(), int(m.group("day"))) for m in _DAY_N.finditer(text)]
    dated = {date.start for date in dates_in(text)}
    for start, end, day in [*_ordinals(text), *numbered]:
        month = _OF_MONTH.match(text, end)
        if month is not None and 1 <= day <= 31 and start not in dated:
            yield DurationAt(start, month.end(), Decimal(day), DAY_OF_MONTH, ordinal=True)


def _counted_days(text: str) -> Iterator[DurationAt]:
    """`osmog dana od objave`, `on the twentieth day following`, `am 15. Tag nach`."""
    for start, end, day in _ordinals(text):
        named = _ORDINAL_DAY.match(text, end)
        if named is not None:
            name = named.group("name").lower()
            working = name.startswith(("radn", "work", "busi", "werk", "arbeit"))
            unit = "working_days" if working else "days"
            yield DurationAt(start, named.end(), Decimal(day), unit, ordinal=True)


def _ones(text: str) -> Iterator[DurationAt]:
    """`mjesec dana`, `eines Monats`: one, without a number."""
    for match in _ONE.finditer(text):
        name = match.group("hr") or match.group("de")
        yield DurationAt(match.start(), match.end(), Decimal(1), _NAMES[name.lower()])
