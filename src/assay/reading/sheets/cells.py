"""A cell as a person would read it: integers without a point, ISO dates, shares in percent."""

import datetime as dt
from decimal import Decimal
from typing import Final

Value = int | float | str | bool | dt.time | dt.date | dt.datetime | dt.timedelta

_ON_ONE_LINE: Final = str.maketrans("\r\n\t\x0b\x0c\x00", "      ")
_SOME_DAY: Final = dt.date(2000, 1, 1)
_NOISE: Final = 1_000
_EXACT: Final = 1e15
_LONGEST_PLAIN: Final = 21


def format_cell(value: Value, *, percent: bool = False) -> str:
    """The text of a cell; `percent` if its format is a percentage."""
    if value == "":
        return ""
    if isinstance(value, str):
        return value.translate(_ON_ONE_LINE).strip()
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _format_number(value * 100) + "%" if percent else _format_number(value)
    if isinstance(value, dt.timedelta):
        return _format_span(value)
    if isinstance(value, dt.datetime):
        moment = _round_to_second(value)
        midnight = moment.time() == dt.time()
        return moment.date().isoformat() if midnight else moment.isoformat()
    if isinstance(value, dt.time):
        return _round_to_second(dt.datetime.combine(_SOME_DAY, value)).time().isoformat()
    return value.isoformat()


def _round_to_second(value: dt.datetime) -> dt.datetime:
    """A moment without the noise of a fraction of a day; real fractions of a second stay."""
    if _NOISE < value.microsecond < 1_000_000 - _NOISE or value.year >= dt.MAXYEAR:
        return value
    return (value + dt.timedelta(microseconds=_NOISE)).replace(microsecond=0)


def _format_number(value: float) -> str:
    if abs(value) < _EXACT and value == int(value):
        return str(int(value))
    # A cell has fifteen digits; the rest is noise of binary fractions.
    digits = f"{value:.15g}"
    if "e" not in digits:
        return digits
    plain = f"{Decimal(digits):f}"
    return plain if len(plain) <= _LONGEST_PLAIN else digits


def _format_span(value: dt.timedelta) -> str:
    seconds = round(value.total_seconds())
    sign = "-" if seconds < 0 else ""
    minutes, seconds = divmod(abs(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}:{minutes:02d}:{seconds:02d}"


def column_name(index: int) -> str:
    """`A` for 0, `AA` for 26."""
    name = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


def column_number(name: str) -> int:
    """0 for `A`, 26 for `AA`."""
    number = 0
    for letter in name.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
