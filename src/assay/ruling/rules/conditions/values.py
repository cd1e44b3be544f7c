"""How values are read: numbers, dates, true or false, and text, whatever form they arrive in."""

import re
import unicodedata
from datetime import date, datetime
from decimal import Decimal

from assay.ruling.rules.conditions.nodes import Value

LOOKS_LIKE_A_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# A leading zero means that it is not a number: 01234567890 is an identifier, not an amount.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_WORDS = {"true": True, "false": False}


def tidy_text(text: str) -> str:
    """Text with single spaces and without invisible characters such as soft hyphens."""
    seen = "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
    return " ".join(unicodedata.normalize("NFC", seen).split())


def fold_text(text: str) -> str:
    """Text in the form in which it is compared: case, width and white space make no difference."""
    while True:
        plain = tidy_text(unicodedata.normalize("NFKC", tidy_text(text).casefold()))
        # A few characters need a second round, such as letters whose fold decomposes once more.
        if plain == text:
            return plain
        text = plain


def parse_text_value(text: str) -> Value:
    """The value of a text: a number, a date, true or false; otherwise the text itself, tidied."""
    plain = fold_text(text)
    if plain in _WORDS:
        return _WORDS[plain]
    if _NUMBER.fullmatch(plain):
        return Decimal(plain)
    if LOOKS_LIKE_A_DAY.fullmatch(plain):
        try:
            return date.fromisoformat(plain)
        except ValueError:
            return tidy_text(text)
    return tidy_text(text)


def parse_value(value: object) -> Value | None:
    """A value of a situation; None if there is none, or none that can be compared."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return parse_text_value(value) if tidy_text(value) else None
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, int | float | Decimal):
        number = as_decimal(value)
        return number if number.is_finite() else None
    return None


def as_decimal(number: int | float | Decimal) -> Decimal:
    """A number by its shortest notation: 0.1 is one tenth."""
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)


def compare_order(one: Value, other: Value) -> int | None:
    """Less (-1), equal (0) or more (1); None for values without an order, such as text."""
    if isinstance(one, Decimal) and isinstance(other, Decimal):
        return (one > other) - (one < other)
    if isinstance(one, date) and isinstance(other, date):
        return (one > other) - (one < other)
    return None


def format_value(value: Value) -> str:
    """A value as text: `60000`, `2026-01-01`, `true`, or the text itself."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format_decimal(value)
    return value.isoformat() if isinstance(value, date) else value


def format_decimal(number: Decimal) -> str:
    """A plain decimal without an exponent and without trailing zeros."""
    if not number:
        return "0"
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
