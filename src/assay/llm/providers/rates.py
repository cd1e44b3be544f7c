"""Reads limits from providers' headers, whichever way they write a time."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_UNITS_MS = {"h": 3_600_000.0, "m": 60_000.0, "s": 1000.0, "ms": 1.0, "us": 0.001, "µs": 0.001}
# A number with more digits is not a time that anyone waits for, and does not fit into a float.
_FIGURE = r"[0-9]{1,15}(?:\.[0-9]+)?"
_PART = re.compile(rf"({_FIGURE})(ms|us|µs|h|m|s)")
_DURATION = re.compile(rf"(?:{_PART.pattern})+")
_NUMBER = re.compile(_FIGURE)


def read_amount(headers: Mapping[str, str], name: str) -> int | None:
    """A number that is zero or more; some providers send -1 for no limit."""
    value = headers.get(name, "").strip()
    return int(float(value)) if _NUMBER.fullmatch(value) else None


def read_limit(headers: Mapping[str, str], name: str) -> int | None:
    """An allowance per minute; None if it is not a positive number."""
    return read_amount(headers, name) or None


def parse_duration_ms(text: str | None) -> int | None:
    """`6m0s`, `1s`, `20ms`, `1.5s`, or bare seconds, rounded up."""
    text = (text or "").strip()
    if _NUMBER.fullmatch(text):
        return _round_up(float(text) * 1000)
    if not _DURATION.fullmatch(text):
        return None
    return _round_up(sum(float(number) * _UNITS_MS[unit] for number, unit in _PART.findall(text)))


def compute_wait_ms(stamp: str | None, now_ms: int) -> int | None:
    """Milliseconds from now to an RFC 3339 time, 0 if it has passed."""
    try:
        at = datetime.fromisoformat((stamp or "").strip())
    except ValueError:
        return None
    return _ms_from_now(at, now_ms)


def read_retry_after_ms(headers: Mapping[str, str], now_ms: int) -> int | None:
    """`retry-after-ms`, or `Retry-After` in seconds or as a date."""
    exact = headers.get("retry-after-ms", "").strip()
    if _NUMBER.fullmatch(exact):
        return _round_up(float(exact))
    value = headers.get("Retry-After", "").strip()
    if _NUMBER.fullmatch(value):
        return _round_up(float(value) * 1000)
    try:
        return _ms_from_now(parsedate_to_datetime(value), now_ms)
    except ValueError:
        return None


def _ms_from_now(at: datetime, now_ms: int) -> int:
    at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return max(0, _round_up(at.timestamp() * 1000) - now_ms)


def _round_up(milliseconds: float) -> int:
    # A thousandth of slack: 1.1 s is 1100.0000000000002 ms as a float.
    return math.ceil(milliseconds - 0.001)
