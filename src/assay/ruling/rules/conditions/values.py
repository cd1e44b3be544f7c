"""How values are read, whatever form they arrive in, and matched in linear time."""

import re
import unicodedata
from datetime import date, datetime
from decimal import Decimal

import re2

from assay.ruling.rules.conditions.nodes import Value

LOOKS_LIKE_A_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# A leading zero means that it is not a number: 01234567890 is an identifier, not an amount.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_WORDS = {"true": True, "false": False}
MAX_PATTERN = 100
"""The maximum length of a pattern."""
MAX_MEMORY = 1 << 20
"""The maximum size of a compiled pattern in bytes; about 128 are cached at a time."""


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


class PatternRefused(ValueError):
    """A pattern that is not accepted; the message says why."""


def check_pattern(pattern: str) -> None:
    """Refuse a pattern that is too long, malformed, or cannot be matched in linear time."""
    if not pattern:
        raise PatternRefused("it is empty")
    if len(pattern) > MAX_PATTERN:
        raise PatternRefused(f"it has {len(pattern)} characters; at most {MAX_PATTERN} are allowed")
    try:
        re2.compile(pattern, _make_options())
    except re2.error as error:
        raise PatternRefused(_describe_error(error)) from error
    except UnicodeEncodeError as error:
        raise PatternRefused("it is not valid Unicode") from error


def matches_pattern(pattern: str, text: str) -> bool:
    """Whether the whole text matches the pattern, ignoring case."""
    # A lone surrogate cannot be encoded; it becomes a question mark rather than an error.
    data = text.encode("utf-8", "replace")
    return re2.compile(pattern, _make_options()).fullmatch(data) is not None


def _make_options() -> re2.Options:
    options = re2.Options()
    options.max_mem = MAX_MEMORY
    options.case_sensitive = False
    options.never_capture = True
    options.log_errors = False
    return options


def _describe_error(error: Exception) -> str:
    message = error.args[0] if error.args else ""
    text = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
    if text.startswith("invalid perl operator: (?"):
        return f"look-around is not possible ({text})"
    if text.startswith("invalid escape sequence: \\") and text[-1].isdigit():
        return f"back-references are not possible ({text})"
    return text or "it is malformed"
