"""Dates, months, years and times of day in a text."""

import re
from collections.abc import Iterator
from functools import lru_cache

from assay.packs.graph.literals.datatypes import (
    DATE,
    DATE_TIME,
    G_MONTH_DAY,
    G_YEAR,
    G_YEAR_MONTH,
    STRING,
    TIME,
    canonical_form,
)
from assay.packs.graph.model import Literal
from assay.sdk.facts import dates_in

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


def moments(text: str) -> Iterator[_Value]:
    """Days with a time of day, as machines write them."""
    for match in _MOMENT.finditer(text):
        zone = "Z" if match["zone"] in ("+00:00", "-00:00") else match["zone"] or ""
        form = f"{match['day']}T{match['clock']}{match['seconds'] or ':00'}{zone}"
        value = canonical_form(form, DATE_TIME)
        if value is not None:
            yield match.start(), match.end(), (Literal(value, DATE_TIME),)


def dates(text: str, language: str | None) -> Iterator[_Value]:
    """Days, with a year or of every year."""
    for date in dates_in(text, language):
        # The end of a month is no day of it.
        if _END_OF.match(text, date.start) is None:
            kind = G_MONTH_DAY if date.iso.startswith("--") else DATE
            yield date.start, date.end, (Literal(date.iso, kind),)


def months(text: str) -> Iterator[_Value]:
    """`May 2001`, in every language whose months are known."""
    for match in _MONTH_YEAR.finditer(text):
        month = _number_of_month(match["month"])
        if month is not None:
            yield match.start(), match.end(), (Literal(f"{match['year']}-{month}", G_YEAR_MONTH),)


@lru_cache(maxsize=4096)
def _number_of_month(word: str) -> str | None:
    """Asked of the reader of dates, so that there is one list of months."""
    day = dates_in(f"1. {word} 2001")
    return day[0].iso[5:7] if len(day) == 1 and day[0].iso.startswith("2001") else None


def times(text: str) -> Iterator[_Value]:
    """Times of day. `14:30` alone may be a result or a length as well, and stays words."""
    for match in _CLOCK.finditer(text):
        hour, told = int(match["hour"]), bool(match["half"] or match["said"])
        if match["half"] and not 1 <= hour <= 12:
            continue
        if hour > 23 or not (told or match["minute"]):
            continue
        if match["half"]:
            hour = hour % 12 + (12 if match["half"] in "Pp" else 0)
        form = f"{hour:02}:{match['minute'] or '00'}:{match['second'] or '00'}"
        words = Literal(match.group(), STRING)
        time = Literal(form, TIME)
        yield match.start(), match.end(), (time,) if told else (words, time)


def spoken_years(text: str) -> Iterator[_Value]:
    """`79 AD`, `44 BC`. The year 1 BC is 0000, as XSD 1.1 counts."""
    for match in _ERA.finditer(text):
        year = int(match["first"] or match["year"])
        if not year:
            continue
        if match["era"] and match["era"].startswith("B"):
            year = 1 - year
        yield match.start(), match.end(), (Literal(f"{'-' * (year < 0)}{abs(year):04}", G_YEAR),)
