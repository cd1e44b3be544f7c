"""Values in a text: addresses, dates, times, measures, money, percentages, numbers."""

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from assay.packs.graph.literals.datatypes import (
    ANY_URI,
    DATE,
    DATE_TIME,
    DURATION,
    FIRST_YEAR,
    G_MONTH_DAY,
    G_YEAR,
    G_YEAR_MONTH,
    LAST_YEAR,
    STRING,
    TEXTS,
    TIME,
    FoundLiteral,
    canonicalise_form,
    fit_reading,
    list_number_readings,
    rank_numbers,
    write_duration,
)
from assay.packs.graph.literals.quantities import (
    ATTACHED,
    MONTHS,
    SECONDS,
    code_symbol,
    find_sums,
    find_unit_after,
)
from assay.packs.graph.model import Literal
from assay.sdk.facts import NumberAt, scan_dates, scan_numbers, scan_percentages

_Value = tuple[int, int, tuple[Literal, ...]]

_MOMENT = re.compile(
    r"(?<![\w-])(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})[T ](?P<clock>[0-9]{2}:[0-9]{2})"
    r"(?P<seconds>:[0-9]{2}(?:\.[0-9]{1,9})?)?(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?(?![\w:])"
)
_MONTH_YEAR = re.compile(
    r"(?<![^\W_])(?P<month>[^\W\d_]{3,10})\.?,?[ \u00a0](?:of[ \u00a0])?(?P<year>[0-9]{4})"
    r"(?!\w|[.,/-][0-9])"
)
_END_OF = re.compile(r"(?:the\s)?(?:end|kraj|ende)", re.IGNORECASE)
_CLOCK = re.compile(
    r"(?<![\w:.,/-])(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9]))?)?"
    r"(?:[ \u00a0]?(?:(?P<half>[AaPp])(?:\.[Mm]\.|[Mm](?!\w))|(?P<said>Uhr|o['’]clock)(?!\w)))?"
    r"(?![\w:/-])"
)
_ERA = re.compile(
    r"(?<![\w.,/-])(?:(?P<before>AD|CE|A\.D\.)[ \u00a0](?P<first>[0-9]{1,4})(?![\w.,/-][0-9]|\w)"
    r"|(?P<year>[0-9]{1,4})[ \u00a0]?(?P<era>BCE|BC|B\.C\.E\.|B\.C\.|CE|AD|A\.D\.|C\.E\.)(?!\w))"
)


def find_moments(text: str) -> Iterator[_Value]:
    """Find dates with a time of day, in machine formats."""
    for match in _MOMENT.finditer(text):
        zone = "Z" if match["zone"] in ("+00:00", "-00:00") else match["zone"] or ""
        form = f"{match['day']}T{match['clock']}{match['seconds'] or ':00'}{zone}"
        value = canonicalise_form(form, DATE_TIME)
        if value is not None:
            yield match.start(), match.end(), (Literal(value, DATE_TIME),)


def find_dates(text: str, language: str | None) -> Iterator[_Value]:
    """Find dates, with or without a year."""
    for date in scan_dates(text, language):
        # The end of a month is not one of its days.
        if _END_OF.match(text, date.start) is None:
            kind = G_MONTH_DAY if date.iso.startswith("--") else DATE
            yield date.start, date.end, (Literal(date.iso, kind),)


def find_months(text: str) -> Iterator[_Value]:
    """Find `May 2001`, in every language whose months are known."""
    for match in _MONTH_YEAR.finditer(text):
        month = _find_month_number(match["month"])
        if month is not None:
            yield match.start(), match.end(), (Literal(f"{match['year']}-{month}", G_YEAR_MONTH),)


@lru_cache(maxsize=4096)
def _find_month_number(word: str) -> str | None:
    """Find the number of a month with the date scanner, which has the only list of months."""
    day = scan_dates(f"1. {word} 2001")
    return day[0].iso[5:7] if len(day) == 1 and day[0].iso.startswith("2001") else None


def find_times(text: str) -> Iterator[_Value]:
    """Find times of day. `14:30` alone may also be a score or a length, so it is words first."""
    for match in _CLOCK.finditer(text):
        hour, is_explicit = int(match["hour"]), bool(match["half"] or match["said"])
        if match["half"] and not 1 <= hour <= 12:
            continue
        if hour > 23 or not (is_explicit or match["minute"]):
            continue
        if match["half"]:
            hour = hour % 12 + (12 if match["half"] in "Pp" else 0)
        form = f"{hour:02}:{match['minute'] or '00'}:{match['second'] or '00'}"
        words = Literal(match.group(), STRING)
        time = Literal(form, TIME)
        yield match.start(), match.end(), (time,) if is_explicit else (words, time)


def find_spoken_years(text: str) -> Iterator[_Value]:
    """Find `79 AD`, `44 BC`. The year 1 BC is 0000, as in XSD 1.1."""
    for match in _ERA.finditer(text):
        year = int(match["first"] or match["year"])
        if not year:
            continue
        if match["era"] and match["era"].startswith("B"):
            year = 1 - year
        yield match.start(), match.end(), (Literal(f"{'-' * (year < 0)}{abs(year):04}", G_YEAR),)


Value = tuple[int, int, tuple[Literal, ...]]

_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“", "‘": "’", "«": "»"}
_URI = re.compile(r"(?<![\w@])(?:https?://|www\.)[^\s<>\"{}|\\^`\]]{2,2000}+")
_ANGLE = re.compile(
    r"(?<![\w.,])([0-9]{1,3}(?:\.[0-9]{1,9})?)°\s?"
    r"(?:([0-9]{1,2}(?:\.[0-9]{1,9})?)[′'’]\s?(?:([0-9]{1,2}(?:\.[0-9]{1,9})?)[″\"”]\s?)?)?"
    r"([NSEW])(?!\w)"
)
_FEET = re.compile(
    r"(?<![\w.,])([0-9]{1,5})(?:[ \u00a0-]?(?:ft|feet|foot)\.?,?[ \u00a0]?|['′’])"
    r"([0-9]{1,2}(?:\.[0-9]{1,4})?)(?:[ \u00a0-]?(?:inches|inch|in)(?!\w)|[\"″”])"
)
_JOINT = re.compile(r"[ \u00a0]?,?[ \u00a0]?(?:(?:and|und|i)[ \u00a0])?")
_BETWEEN = re.compile(r"[ \u00a0]?(?:-|–|—|to|and|or|bis|und|do)[ \u00a0]?")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)(?![^\W_])(?P<age>[ \u00a0-]?centur)?", re.IGNORECASE)
_SHORT_YEAR = re.compile(r"(?<![\w.,/-])([0-9]{4})[–-](?=([0-9]{2})(?![\w.,/-][0-9]|[0-9]))")
_LONGEST = 10**15
"""More seconds than this are not a real duration."""
_CHAIN = re.compile(r"(?<![\w-])[0-9]++(?:-[0-9]++){2,}+")
"""`0-19-280835-1` is not a number."""
_PRONOUN = re.compile(r"(?i:one)[ \u00a0](?:of|another|who|which|that|such)(?!\w)")
_BEFORE_ONE = re.compile(r"(?<!\w)(?:the|this|that|each|every|any|no|which|only)[ \u00a0]$", re.I)


class _Measure(NamedTuple):
    start: int
    end: int
    values: tuple[Decimal, ...]
    unit: str


def find_literals(text: str, language: str | None = None) -> list[FoundLiteral]:
    """Find the values of a text, in order, without nesting.

    Without a language, digits are read as in English first and in every other way after that, dates
    in all known languages, and number words in English.
    """
    numbers = _scan_all_numbers(text, language)
    ways: tuple[Callable[[], Iterator[Value]], ...] = (
        lambda: _find_addresses(text),
        lambda: find_moments(text),
        lambda: find_dates(text, language),
        lambda: find_months(text),
        lambda: _find_angles(text),
        lambda: find_times(text),
        lambda: find_sums(text, numbers, language),
        lambda: _find_percentages(text, language),
        lambda: _find_measures(text, numbers),
        lambda: find_spoken_years(text),
        lambda: _find_bare_numbers(text, numbers),
    )
    taken = bytearray(len(text))
    found: list[FoundLiteral] = []
    for way in ways:
        for start, end, readings in way():
            if taken.find(1, start, end) < 0:
                taken[start:end] = b"\1" * (end - start)
                found.append(FoundLiteral(start, end, " ".join(text[start:end].split()), readings))
    return sorted(found, key=lambda each: each.start)


def read_literal(words: str, datatype: str, language: str | None = None) -> Literal | None:
    """Read words as a value of a datatype; None if they, as a whole, are not one.

    A date of which only the year is given is returned as a year; see `fit_reading`.
    """
    plain = _strip_quotes(words)
    if not plain:
        return None
    if datatype in TEXTS:
        return fit_reading((), plain, datatype)
    form = canonicalise_form(plain, datatype)
    if form is not None:
        return Literal(form, datatype)
    for said in dict.fromkeys((plain, plain.rstrip("."))):
        # After a space, a leading minus sign is not mistaken for a list marker.
        found = find_literals(f" {said}", language)
        if len(found) == 1 and (found[0].start, found[0].end) == (1, len(said) + 1):
            return found[0].fit_datatype(datatype)
    return None


def _strip_quotes(words: str) -> str:
    """Remove the quotes around words, and put one space between them."""
    plain = " ".join(words.split())
    while len(plain) > 1 and _QUOTES.get(plain[0]) == plain[-1]:
        plain = plain[1:-1].strip()
    return plain


def _scan_all_numbers(text: str, language: str | None) -> list[NumberAt]:
    digits = [_complete_number(text, each, language) for each in scan_numbers(text, language)]
    spoken = scan_numbers(text, language or "en")
    found = [each for each in digits if _has_digit(text, each)]
    found += [each for each in spoken if not _has_digit(text, each)]
    return sorted(found, key=lambda each: each.start)


def _has_digit(text: str, number: NumberAt) -> bool:
    return any(letter.isdecimal() for letter in text[number.start : number.end])


def _complete_number(text: str, number: NumberAt, language: str | None) -> NumberAt:
    """Complete a number with its minus sign, and put its likeliest reading first."""
    signed = number.readings[0] < 0 and text[number.start - 1 : number.start] in ("-", "−")
    readings = rank_numbers(number.readings, text[number.start : number.end], language)
    return NumberAt(number.start - signed, number.end, readings, number.scale)


def _find_addresses(text: str) -> Iterator[Value]:
    for match in _URI.finditer(text):
        uri = match.group().rstrip(".,;:!?'")
        if uri.endswith(")") and "(" not in uri:
            uri = uri.rstrip(").,;:")
        yield match.start(), match.start() + len(uri), (Literal(uri, ANY_URI),)


def _find_angles(text: str) -> Iterator[Value]:
    for match in _ANGLE.finditer(text):
        whole, minutes, seconds = (Decimal(match[place] or 0) for place in (1, 2, 3))
        degrees = round(whole + minutes / 60 + seconds / 3600, 6)
        signed = -degrees if match[4] in "SW" else degrees
        yield match.start(), match.end(), list_number_readings(signed, "deg")


def _find_percentages(text: str, language: str | None) -> Iterator[Value]:
    for each in scan_percentages(text, language):
        unit = "%" if each.unit == "%" else "[ppth]"
        values = rank_numbers(each.readings, text[each.start : each.end], language)
        yield each.start, each.end, _list_readings(values, unit)


def _list_readings(values: tuple[Decimal, ...], unit: str = "") -> tuple[Literal, ...]:
    return tuple(
        dict.fromkeys(one for value in values for one in list_number_readings(value, unit))
    )


def _find_measures(text: str, numbers: list[NumberAt]) -> Iterator[Value]:
    for match in _FEET.finditer(text):
        inches = 12 * Decimal(match[1]) + Decimal(match[2])
        yield match.start(), match.end(), list_number_readings(inches, "[in_i]")
    held: list[_Measure] = []
    for measure in _find_units(text, numbers):
        if held and not _continues_measure(text, held[-1], measure):
            yield _read_measure(held)
            held = []
        held.append(measure)
    if held:
        yield _read_measure(held)


def _find_units(text: str, numbers: list[NumberAt]) -> list[_Measure]:
    found: dict[int, _Measure] = {}
    for number in numbers:
        unit = find_unit_after(text, number.end)
        if unit is not None:
            found[number.start] = _Measure(number.start, unit[0], number.readings, unit[1])
    for match in ATTACHED.finditer(text):
        read = scan_numbers(match["number"])
        if len(read) == 1 and read[0].end == len(match["number"]):
            values = rank_numbers(read[0].readings, match["number"], None)
            code = code_symbol(match["unit"])
            found[match.start()] = _Measure(match.start(), match.end(), values, code)
    for place in range(len(numbers) - 2, -1, -1):
        # `5 to 10 km`: the unit is written once.
        one, other = numbers[place], found.get(numbers[place + 1].start)
        if one.start in found or other is None:
            continue
        if _BETWEEN.fullmatch(text, one.end, other.start):
            found[one.start] = _Measure(one.start, one.end, one.readings, other.unit)
    return [found[start] for start in sorted(found)]


def _continues_measure(text: str, one: _Measure, other: _Measure) -> bool:
    """Whether two measures are one duration: `2 hours and 30 minutes`."""
    if one.end > other.start or not _JOINT.fullmatch(text, one.end, other.start):
        return False
    if len(one.values) > 1 or len(other.values) > 1:
        return False
    clock = SECONDS.get(one.unit, 0) > SECONDS.get(other.unit, 0) > 0
    return clock or MONTHS.get(one.unit, 0) > MONTHS.get(other.unit, 0) > 0


def _read_measure(held: list[_Measure]) -> Value:
    start, end, last = held[0].start, held[-1].end, held[-1]
    scale = SECONDS if last.unit in SECONDS else MONTHS
    if last.unit not in scale:
        return start, end, _list_readings(last.values, last.unit)
    if len(held) == 1:
        values = last.values
    else:
        total = sum((each.values[0] * scale[each.unit] for each in held), Decimal(0))
        values = (total / scale[last.unit],)
    readings: list[Literal] = []
    for value in values:
        readings += _list_durations(value * scale[last.unit], clock=scale is SECONDS)
        readings += list_number_readings(value, last.unit)
    return start, end, tuple(dict.fromkeys(readings))


def _list_durations(total: Decimal, *, clock: bool) -> list[Literal]:
    """Return a duration of so many seconds or months; none for half a month."""
    if not 0 <= total < _LONGEST or (not clock and total != total.to_integral_value()):
        return []
    form = write_duration(0, total) if clock else write_duration(int(total), Decimal(0))
    return [Literal(form, DURATION)]


def _find_bare_numbers(text: str, numbers: list[NumberAt]) -> Iterator[Value]:
    chained = {place for match in _CHAIN.finditer(text) for place in range(*match.span())}
    short = {match.start(2): match for match in _SHORT_YEAR.finditer(text)}
    for number in numbers:
        start, end = number.start, number.end
        if start in chained or text[max(0, start - 1) : start].isalpha():
            continue
        ordinal = _ORDINAL.match(text, end)
        if ordinal is not None and text[start:end].isdecimal():
            if ordinal["age"]:
                # A century is not a number.
                continue
            yield start, ordinal.end(), _list_readings(number.readings)
        elif not _is_pronoun(text, start, end):
            year = _read_year(text[start:end]) or _read_second_year(short.get(start))
            years = () if year is None else (Literal(year, G_YEAR),)
            yield start, end, _list_readings(number.readings) + years


def _read_year(digits: str) -> str | None:
    fits = len(digits) == 4 and digits.isdecimal() and FIRST_YEAR <= int(digits) <= LAST_YEAR
    return digits if fits else None


def _read_second_year(match: re.Match[str] | None) -> str | None:
    """Read the 1995 of `1990–95`."""
    if match is None or int(match[2]) <= int(match[1][2:]):
        return None
    return _read_year(match[1][:2] + match[2])


def _is_pronoun(text: str, start: int, end: int) -> bool:
    if text[start:end].casefold() != "one":
        return False
    if _PRONOUN.match(text, start):
        return True
    return _BEFORE_ONE.search(text[max(0, start - 7) : start]) is not None
