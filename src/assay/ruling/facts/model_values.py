"""Converts numbers and dates from the forms that models write to the canonical form of facts.

Only what can mean one thing is converted. Everything else stays as it is, for a gate to judge.
"""

import re
from collections.abc import Iterable
from decimal import Decimal

from assay.ruling.facts.values import (
    format_number,
    is_value_in_quote,
    read_number,
    scan_dates,
    scan_durations,
    scan_percentages,
    scan_sums,
)
from assay.ruling.facts.values.numbers import NUMERIC_TYPES

_PLAIN = re.compile(r"[-+]?[0-9]{1,24}(?:\.[0-9]{1,24})?")
_LANGUAGES = ("en", "hr")
"""One that writes `1,234.5`, and one that writes `1.234,5`."""


def normalize_value(value: str, value_type: str, unit: str, quote: str) -> tuple[str, str]:
    """A value and its unit, from forms such as `25.0`, `25 %`, `EUR 1,000` or `1 January 2026`."""
    text, known = " ".join(value.split()), _normalize_unit(unit)
    if value_type == "date":
        return normalize_day(text) or text, known
    if value_type not in NUMERIC_TYPES:
        return text, known
    with_unit = [(n, u) for n, u in _read_with_unit(text) if known in ("", u)]
    if with_unit:
        known = with_unit[0][1]
    readings = (*_read_numbers(text), *(n for n, _ in with_unit))
    numbers = {format_number(number) for number in readings}
    quoted = [n for n in sorted(numbers) if is_value_in_quote(n, value_type, known, quote)]
    if len(quoted) == 1:
        return quoted[0], known
    plain = _PLAIN.fullmatch(text)
    return (format_number(Decimal(text)) if plain else text), known


def normalize_day(text: str | None) -> str | None:
    """A date in canonical form; the text itself if it is not a date, or an ambiguous one."""
    if text is None or not text.strip():
        return None
    plain = " ".join(text.split())
    whole = (0, len(plain.rstrip(".")))
    found = [date.iso for date in scan_dates(plain) if (date.start, date.end) == whole]
    return found[0] if len(found) == 1 else plain


def _read_numbers(text: str) -> Iterable[Decimal]:
    if _PLAIN.fullmatch(text):
        yield Decimal(text)
    for language in _LANGUAGES:
        number = read_number(text, language)
        if number is not None:
            yield number


def _read_with_unit(text: str) -> list[tuple[Decimal, str]]:
    """What the text can mean if it is a number with a unit and nothing else."""
    whole = (0, len(text))
    found = [(n, at.unit) for at in scan_percentages(text) if (at.start, at.end) == whole
             for n in at.readings]  # fmt: skip
    found += [(n, at.currency) for at in scan_sums(text) if (at.start, at.end) == whole
              for n in at.readings]  # fmt: skip
    return found + [
        (at.amount, at.unit) for at in scan_durations(text) if (at.start, at.end) == whole
    ]


def _normalize_unit(unit: str) -> str:
    """The canonical name of a unit, such as `percent`, `€` or `day`."""
    plain = unit.strip()
    names = {name for _, name in _read_with_unit(f"2 {plain}")} if plain else set()
    return names.pop() if len(names) == 1 else plain
