"""Dates as a listing writes them: read if they are unambiguous, otherwise ignored.

`03/04/2026` is in March in one country and in April in another, so a purely numeric date is read
only in ISO order, or in the order that the endpoint's description gives.
"""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from functools import lru_cache

from assay.errors import InvalidInput
from assay.model.months import list_month_abbreviations, list_month_numbers

_LONGEST = 300
_ISO = re.compile(
    r"(?<!\d)(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?"
    r"\s?(Z|[+-]\d{2}:?\d{2})?)?)?)?(?![\d-])"
)
_RFC_822 = re.compile(
    r"(?:[A-Za-z]{3},?\s+)?\d{1,2}\s+[A-Za-z]{3,9}\s+\d{2,4}\s+\d{1,2}:\d{2}(?::\d{2})?"
    r"(?:\s+(?:[+-]\d{4}|[A-Z]{1,5}))?"
)
_DOT_NET = re.compile(r"/Date\((-?\d{1,15})(?:[+-]\d{4})?\)/")
_NO_DATES = frozenset({"0001-01-01", "1900-01-01", "1970-01-01"})
_MONTH = list_month_numbers() | list_month_abbreviations()
_PIECES = {
    "Y": r"(?P<Y>\d{4})", "y": r"(?P<y>\d{2})", "m": r"(?P<m>\d{1,2})", "d": r"(?P<d>\d{1,2})",
    "B": r"(?P<B>[^\W\d_]{3,12})\.?", "H": r"(?P<H>\d{1,2})", "I": r"(?P<I>\d{1,2})",
    "M": r"(?P<M>\d{2})", "S": r"(?P<S>\d{2})", "p": r"(?P<p>[AaPp])\.?[Mm]\.?",
    "A": r"[^\W\d_]{2,12}\.?", "s": r"(?P<s>\d{13}|\d{10})", "%": "%",
}  # fmt: skip
_CLOCK = r"(?:[\s,]*(?:[-–—]|at|um|u)?\s*(?P<I>\d{1,2}):(?P<M>\d{2})\s*(?P<p>[AaPp])\.?[Mm]\b)?"
_SPOKEN = ("%B %d, %Y", "%d. %B %Y", "%d %B %Y")
"""A month in words is unambiguous in any order."""


def parse_date(text: str | None, formats: Sequence[str] = ()) -> str | None:
    """The first date in a text in ISO format, with its time if it has one."""
    if not text:
        return None
    text = " ".join(text[:_LONGEST].split())
    for wanted in formats:
        if found := _find_date(_compile_format(wanted), text):
            return _drop_placeholder(found)
    if ticks := _DOT_NET.search(text):
        return _drop_placeholder(_format_ticks(int(ticks.group(1))))
    if iso := _find_iso(text):
        return _drop_placeholder(iso)
    if (spelt := _RFC_822.search(text)) and (found := _parse_rfc_822(spelt.group())):
        return _drop_placeholder(found)
    for wanted in _SPOKEN:
        if found := _find_date(_compile_format(wanted, clock=True), text):
            return _drop_placeholder(found)
    return None


def _drop_placeholder(found: str | None) -> str | None:
    """None for the dates that programs write when they have none."""
    return None if found is None or found[:10] in _NO_DATES else found


@lru_cache(maxsize=256)
def _compile_format(wanted: str, *, clock: bool = False) -> re.Pattern[str]:
    """A format such as `%d.%m.%Y` as a pattern to search for; every piece of it is bounded."""
    pieces: list[str] = []
    at = 0
    while at < len(wanted):
        letter = wanted[at]
        if letter == "%":
            at += 1
            name = {"b": "B", "a": "A", "e": "d"}.get(wanted[at : at + 1], wanted[at : at + 1])
            if name not in _PIECES:
                raise InvalidInput(
                    f"{wanted!r} is not a date format: it has %{name}.",
                    advice="Use only %Y %y %m %d %B %H %I %M %S %p %A %s.",
                )
            pieces.append(_PIECES[name])
        else:
            pieces.append(r"\s*" if letter == " " else re.escape(letter))
        at += 1
    try:
        return re.compile(r"(?<!\d)" + "".join(pieces) + (_CLOCK if clock else r"(?!\d)"))
    except re.error as error:
        raise InvalidInput(f"{wanted!r} is not a date format: {error}.") from error


def check_format(wanted: str) -> None:
    """Refuse a format that cannot be read."""
    _compile_format(wanted)


def _find_date(pattern: re.Pattern[str], text: str) -> str | None:
    """The first match in the text that is a real date."""
    for place in pattern.finditer(text):
        if found := _date_from_groups(place.groupdict()):
            return found
    return None


def _date_from_groups(has: dict[str, str | None]) -> str | None:
    if has.get("Y") is None and has.get("y") is None:
        ticks = has.get("s")
        return _format_ticks(int(ticks) * (1 if len(ticks) == 13 else 1000)) if ticks else None
    year = int(has.get("Y") or f"20{has['y']}")
    named = _MONTH.get((has.get("B") or "").casefold())
    if has.get("B") and named is None:
        return None
    month = named or int(has.get("m") or 0)
    day = has.get("d")
    try:
        if not month:
            return f"{year:04}"
        if day is None:
            return date(year, month, 1).isoformat()[:7]
        return _add_clock(date(year, month, int(day)), has)
    except ValueError:
        return None


def _add_clock(day: date, has: dict[str, str | None]) -> str:
    hour = has.get("H") or has.get("I")
    if hour is None:
        return day.isoformat()
    hours = int(hour)
    if has.get("p"):
        hours = hours % 12 + (12 if (has["p"] or "").lower() == "p" else 0)
    moment = datetime(
        day.year, day.month, day.day, hours, int(has.get("M") or 0), int(has.get("S") or 0)
    )
    return moment.isoformat()


def _find_iso(text: str) -> str | None:
    for place in _ISO.finditer(text):
        year, month, day, hour, minute, second, part, zone = place.groups()
        if month is None and place.group() != text:
            continue  # A year among other words is not the date of the entry.
        try:
            if day is None:
                whole = date(int(year), int(month or 1), 1).isoformat()
                return whole[:7] if month else whole[:4]
            if hour is None:
                return date(int(year), int(month), int(day)).isoformat()
            fraction = int((part or "0")[:6].ljust(6, "0"))
            moment = datetime(
                int(year), int(month), int(day), int(hour), int(minute), int(second or 0), fraction
            )
            return moment.replace(tzinfo=_parse_zone(zone)).isoformat()
        except ValueError:
            continue
    return None


def _parse_zone(written: str | None) -> timezone | None:
    if written is None:
        return None
    if written == "Z":
        return UTC
    off = timedelta(hours=int(written[1:3]), minutes=int(written[-2:]))
    return timezone(-off if written[0] == "-" else off)


def _parse_rfc_822(written: str) -> str | None:
    try:
        return parsedate_to_datetime(written).isoformat()
    except (ValueError, TypeError, IndexError):
        return None


def _format_ticks(ticks_ms: int) -> str | None:
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ticks_ms)).isoformat()
    except OverflowError:
        return None
