"""Dates in a text, in Croatian, English and German."""

import calendar
import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.model.months import list_month_numbers
from assay.ruling.facts.values.number_words import ORDINALS

_MONTHS = list_month_numbers()
_ENGLISH = frozenset(list_month_numbers("en"))
"""The months that may come before their day."""
_VERBS = frozenset({"may", "march"})
"""The months that are also verbs, unless they are capitalized."""
_GAP = "[ \\t\\n\u00a0\u202f]"
_MONTH = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})(?![^\W_])", re.IGNORECASE
)
_DAY_BEFORE = re.compile(
    rf"(?<![\w.,/-])([0-9]{{1,2}})(?:\.|st|nd|rd|th)?{_GAP}{{0,3}}"
    rf"(?:(?:of|day{_GAP}of){_GAP}{{1,3}})?$",
    re.IGNORECASE,
)
_RANGE_BEFORE = re.compile(
    rf"(?<![\w.,/-])([0-9]{{1,2}})(?:\.|st|nd|rd|th)?{_GAP}{{0,3}}"
    rf"(?:do|i|ili|to|and|or|bis|und|oder|-|–|—){_GAP}{{0,3}}$",
    re.IGNORECASE,
)
_YEAR_AFTER = re.compile(rf"\.?,?{_GAP}{{1,3}}([0-9]{{4}})(?![0-9]|[.,/-][0-9]|[^\W_])")
_DAY_AFTER = re.compile(
    rf"\.?{_GAP}{{1,3}}([0-9]{{1,2}})(?:st|nd|rd|th)?"
    rf"(?![0-9]|[.,/:-][0-9]|[^\W_]|{_GAP}?(?:[%€]|per|eur))"
    rf"(?:,?{_GAP}{{1,3}}([0-9]{{4}})(?![0-9]|[.,/-][0-9]|[^\W_]))?",
    re.IGNORECASE,
)
_NUMERIC = re.compile(
    rf"(?<![\w.,/-])([0-9]{{1,2}})\.{_GAP}?([0-9]{{1,2}})\.{_GAP}?([0-9]{{4}})"
    r"(?![0-9]|[.,/-][0-9]|[^\W_])"
)
_NUMERIC_BEFORE = re.compile(
    rf"(?<![\w.,/-])([0-9]{{1,2}})\.{_GAP}?([0-9]{{1,2}})\.{_GAP}{{0,3}}"
    rf"(?:do|to|bis|-|–|—){_GAP}{{0,3}}$"
)
_DAY_MONTH = rf"[0-9]{{1,2}}\.{_GAP}?[0-9]{{1,2}}\.(?!{_GAP}?[0-9]{{4}}|[0-9])"
_YEARLESS = re.compile(
    rf"(?<![^\W_])(?:do|od|dana|bis|zum|am|dem|den|vom|ab|prije|spätestens|najkasnije|jeweils)"
    rf"{_GAP}{{1,3}}({_DAY_MONTH}(?:(?:{_GAP}{{0,3}},|{_GAP}{{1,3}}(?:i|te|und|bis|do|oder|ili))"
    rf"{_GAP}{{1,3}}(?:zum{_GAP})?{_DAY_MONTH}){{0,11}})(?![^\W_])",
    re.IGNORECASE,
)
"""`bis zum 31.12.`; without such a word before them, two numbers may be a paragraph number."""
_DAY_AND_MONTH = re.compile(rf"([0-9]{{1,2}})\.{_GAP}?([0-9]{{1,2}})\.")
_MONTH_END = re.compile(
    rf"(?<![^\W_])(?:kraja|kraj|krajem|(?:the{_GAP})?end{_GAP}of|ende|(?:zadnj|posljednj)eg{_GAP}dana"
    rf"|(?:the{_GAP})?last{_GAP}day{_GAP}(?:of|in)){_GAP}{{1,3}}$",
    re.IGNORECASE,
)
_ORDINAL_BEFORE = re.compile(
    rf"(?<![^\W_])([^\W\d_]{{4,24}}){_GAP}{{1,3}}(?:(?:day{_GAP})?of{_GAP}{{1,3}}|dana{_GAP}{{1,3}})?$",
    re.IGNORECASE,
)
_ISO = re.compile(r"(?<![\w-])([0-9]{4})-([0-9]{2})-([0-9]{2})(?![0-9]|-[0-9]|[^\WT_])")
_SLASHED = re.compile(r"(?<![\w./-])([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})(?![\w/-])")
_BETWEEN = re.compile(rf"\.?{_GAP}{{0,3}}(?:do|to|bis(?:{_GAP}zum)?|until|-|–|—){_GAP}{{0,3}}")
_REACH = 24
"""How far a day may be from its month."""


@dataclass(frozen=True, slots=True)
class DateAt:
    """A date in a text."""

    start: int
    end: int
    iso: str
    """`2026-03-31`, or `--03-31` if no year is named."""


def is_date(value: str) -> bool:
    """Whether a value is a real date in canonical form, with a year or for every year."""
    year, rest = ("2000", value[1:]) if value.startswith("--") else (value[:4], value[4:])
    if re.fullmatch(r"-[0-9]{2}-[0-9]{2}", rest) is None or not re.fullmatch("[0-9]{4}", year):
        return False
    return _format_iso(int(year), int(rest[1:3]), int(rest[4:6])) is not None


def scan_dates(text: str, language: str | None = None) -> list[DateAt]:
    """The dates in a text, in order. Days that do not exist are left out.

    `03/04/2026` is left out because it is ambiguous; `03/31/2026` is read unless the language is
    known not to be English.
    """
    found = [
        *_find_month_name_dates(text),
        *_find_numeric_dates(text),
        *_find_triples(text, _ISO, (1, 2, 3)),
    ]
    found += _find_yearless_dates(text)
    if language in (None, "en"):
        found += _find_slashed_dates(text)
    found.sort(key=lambda date: (date.start, -date.end))
    dates: list[DateAt] = []
    for date in found:
        if not dates or date.start >= dates[-1].end:
            dates.append(date)
    return _share_years(text, dates)


def _format_iso(year: int | None, month: int, day: int) -> str | None:
    """A date in canonical form, or None if there is no such day."""
    try:
        date = datetime.date(2000 if year is None else year, month, day)
    except ValueError:
        return None
    return f"--{month:02}-{day:02}" if year is None else date.isoformat()


def _find_month_name_dates(text: str) -> Iterator[DateAt]:
    for month in _MONTH.finditer(text):
        name = month.group().lower()
        if name in _VERBS and month.group()[0].islower():
            continue
        number = _MONTHS[name]
        lead = max(0, month.start() - _REACH)
        year = _YEAR_AFTER.match(text, month.end())
        end = year.end() if year else month.end()
        named = int(year.group(1)) if year else None
        day = _find_day_before(text[lead : month.start()], number, named)
        if day is not None:
            start, number_of_day = lead + day[0], day[1]
            iso = _format_iso(named, number, number_of_day)
            if iso is not None:
                yield from _find_range_start(text, start, number, named)
                yield DateAt(start, end, iso)
        elif name in _ENGLISH and month.group()[0].isupper():
            yield from _find_day_after(text, month, number)


def _find_day_before(before: str, month: int, year: int | None) -> tuple[int, int] | None:
    """Where the day before a month starts, and which it is: `15.`, `first`, `the end of`."""
    if day := _DAY_BEFORE.search(before):
        return day.start(1), int(day[1])
    if last := _MONTH_END.search(before):
        # Without a year February has 28 days.
        days = calendar.monthrange(year or 2001, month)[1]
        return last.start(), days
    word = _ORDINAL_BEFORE.search(before)
    named = ORDINALS.get(word[1].casefold()) if word else None
    return (word.start(1), named) if word and named else None


def _find_range_start(text: str, start: int, month: int, year: int | None) -> Iterator[DateAt]:
    """The first day of `1. do 15. siječnja 2026.`, which shares the month of the second."""
    lead = max(0, start - _REACH)
    day = _RANGE_BEFORE.search(text[lead:start])
    iso = _format_iso(year, month, int(day.group(1))) if day else None
    if day is not None and iso is not None:
        yield DateAt(lead + day.start(1), lead + day.end(1), iso)


def _find_day_after(text: str, month: re.Match[str], number: int) -> Iterator[DateAt]:
    day = _DAY_AFTER.match(text, month.end())
    if day is None:
        return
    iso = _format_iso(int(day.group(2)) if day.group(2) else None, number, int(day.group(1)))
    if iso is not None:
        yield DateAt(month.start(), day.end(), iso)


def _find_numeric_dates(text: str) -> Iterator[DateAt]:
    for date in _find_triples(text, _NUMERIC, (3, 2, 1)):
        yield date
        lead = max(0, date.start - _REACH)
        before = _NUMERIC_BEFORE.search(text[lead : date.start])
        if before is not None:
            iso = _format_iso(int(date.iso[:4]), int(before.group(2)), int(before.group(1)))
            if iso is not None:
                yield DateAt(lead + before.start(1), lead + before.end(2), iso)


def _find_yearless_dates(text: str) -> Iterator[DateAt]:
    """`do 31.3., 30.6. i 31.12.`: days of every year in digits."""
    for listed in _YEARLESS.finditer(text):
        for one in _DAY_AND_MONTH.finditer(text, listed.start(1), listed.end(1)):
            iso = _format_iso(None, int(one[2]), int(one[1]))
            if iso is not None:
                yield DateAt(one.start(), one.end(), iso)


def _find_triples(
    text: str, form: re.Pattern[str], order: tuple[int, int, int]
) -> Iterator[DateAt]:
    for match in form.finditer(text):
        iso = _format_iso(*(int(match.group(place)) for place in order))
        if iso is not None:
            yield DateAt(match.start(), match.end(), iso)


def _find_slashed_dates(text: str) -> Iterator[DateAt]:
    for match in _SLASHED.finditer(text):
        year = int(match.group(3))
        first, second = int(match.group(1)), int(match.group(2))
        ways = {_format_iso(year, first, second), _format_iso(year, second, first)} - {None}
        if len(ways) == 1:
            yield DateAt(match.start(), match.end(), str(ways.pop()))


def _share_years(text: str, dates: list[DateAt]) -> list[DateAt]:
    """`1. siječnja do 31. ožujka 2026.`: the first date has the year of the second."""
    for place in range(len(dates) - 2, -1, -1):
        first, second = dates[place], dates[place + 1]
        yearless = first.iso.startswith("--") and not second.iso.startswith("--")
        if yearless and _BETWEEN.fullmatch(text, first.end, second.start):
            iso = _format_iso(int(second.iso[:4]), int(first.iso[2:4]), int(first.iso[5:7]))
            # A range across the turn of the year starts in the year before.
            if iso is not None and iso <= second.iso:
                dates[place] = DateAt(first.start, first.end, iso)
    return dates
