"""Values and periods in a form for people."""

from datetime import date

from assay.model.months import list_month_names

_MONTHS = list_month_names("en")
_SINGULAR = {
    "days": "day",
    "working_days": "working day",
    "weeks": "week",
    "months": "month",
    "years": "year",
    "hours": "hour",
}
_EVERY_YEAR = "--"


def describe_value(value: str, value_type: str, unit: str = "") -> str:
    """`25 %`, `39,816.84 EUR`, `30 days`, `31 March of every year`, or the text itself."""
    if value_type == "date":
        return _describe_day(value)
    if unit == "day_of_month":
        return f"day {value} of the month"
    if unit in _SINGULAR:
        return f"{value} {_SINGULAR[unit] if value == '1' else unit.replace('_', ' ')}"
    if value_type in ("currency", "threshold", "percentage", "count", "number"):
        return f"{_group_digits(value)} {unit}".rstrip()
    return f"{value} {unit}".rstrip()


def describe_period(first: date | str | None, end: date | str | None) -> str:
    """When something applies; `end` is the first day on which it no longer does."""
    since = f"from {first}" if first is not None else "from an unknown day"
    return f"{since} until {end} (not included)" if end is not None else f"{since} on"


def _group_digits(number: str) -> str:
    whole, point, fraction = number.partition(".")
    digits = whole.removeprefix("-")
    if not digits.isascii() or not digits.isdecimal():
        return number
    sign = "-" if whole.startswith("-") else ""
    # Years and small counts read better without a comma.
    grouped = f"{int(digits):,}" if len(digits) > 4 else digits
    return f"{sign}{grouped}{point}{fraction}"


def _describe_day(value: str) -> str:
    yearly = value.startswith(_EVERY_YEAR)
    try:
        day = date.fromisoformat(f"2000-{value[2:]}" if yearly else value)
    except ValueError:
        return value
    year = "of every year" if yearly else str(day.year)
    return f"{day.day} {_MONTHS[day.month - 1]} {year}"
