"""Whether the quote that supports a fact contains its value.

A number counts with its unit: `25` is a percentage in `25 %`, `13 i 25 %` and `25 posto`, not in
`članka 25.`, and `40` does not occur in `40.000`. A sum counts in the currency written with it, a
duration in its own unit, a date with its year if the value has one. A name counts as written, a
year if it is not part of a longer number, and a number with a measure outside the known units
(`km2`, `MW`) as a bare number.

In two cases a number is accepted without a unit beside it, both in tables, whose units are in the
header. If the quote includes the header, a number counts only if it fills a cell in the column
whose header names the unit. If the quote is the row alone, a number counts if it fills a cell other
than the first, and nothing in the row contradicts it: no other number in the row has a unit of that
kind, and no other currency is named.
"""

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from assay.ruling.facts.quotes import fold_quote
from assay.ruling.facts.values.dates import scan_dates
from assay.ruling.facts.values.durations import scan_durations
from assay.ruling.facts.values.money import scan_currencies, scan_sums
from assay.ruling.facts.values.numbers import exclude_taken, scan_numbers
from assay.ruling.facts.values.percentages import scan_percentages

PERCENT_UNITS = frozenset({"%", "‰"})
TIME_UNITS = frozenset(
    {"days", "working_days", "weeks", "months", "years", "hours", "day_of_month"}
)
_OF_RANGES = """
    - – — od do iznad preko više first next from to up over above more than von bis zu über mehr als
"""
_RANGE_WORDS = frozenset(_OF_RANGES.split())
_BETWEEN_CELLS = re.compile(r"[\t|]")
_LISTED_ROW = re.compile(r"^ {0,5}(?:\*|\d{1,3}[a-z]?\.) {1,9}\*(?: {1,5}|$)", re.MULTILINE)
_LISTED_CELL = re.compile(r"^ {3,9}\*(?: {1,5}|[ \t]*$)", re.MULTILINE)
"""A table that Markdown writes as a list of lists: `*    *   cell`, and `    *   cell` below it."""
_INDENTED = re.compile(r"[ \t]*\n[ \t]{2,}(?=[^\s*|–-])")
"""A line break inside an indented item may separate a number from its unit."""
_PERCENT_NAMED = re.compile(
    r"[%％]|(?P<permille>‰|(?<![^\W_])prom[iy]l\w{0,3})"
    r"|(?<![^\W_])(?:posto|postotak|per ?cent|prozent(?:s[aä]tz\w{0,2})?|in v\. ?h\.)(?![^\W_])",
    re.IGNORECASE,
)
_FRANCS = re.compile(r"(?:\(|(?<![^\W_])in )fr\.\)?$", re.IGNORECASE)
_REFERENCE = re.compile(
    r"(?:(?<![^\W_])(?:člank\w{1,3}|članak|stav\w{1,4}|točk\w{1,3}|čl|st|toč|br|broj\w{0,3}|nn|"
    r"articles?|art|sections?|sec|paragraphs?|para|points?|no|nos|annex|"
    r"artikels?|absatz\w{0,2}|abs|nummer|nr|ziffer)\.?|§{1,2})[ \u00a0(]{0,2}$",
    re.IGNORECASE,
)
_REACH = 16
_WORDED = frozenset({"cross_reference", "exemption_condition", "name"})
_CODE = re.compile(r"[A-Z]{3}")
_YEAR = re.compile(r"[0-9]{4}")
_ALONE = re.compile(r"(?<!\w)(?<![0-9][.,'’/])[0-9]{4}(?!\w|[.,'’/][0-9])")


def is_value_in_quote(value: str, value_type: str, unit: str, quote: str) -> bool:
    """Whether a quote contains a canonical value of that type and unit."""
    joined = _INDENTED.sub(" ", quote)
    return _is_value_in(value, value_type, unit, quote) or (
        joined != quote and _is_value_in(value, value_type, unit, joined)
    )


def find_value_places(value: str, value_type: str, quote: str) -> list[tuple[int, int]]:
    """Where a quote has a value, if it can be told; a description has no place."""
    if value_type == "text":
        return []
    if value_type in _WORDED:
        words = re.compile(r"\s+".join(map(re.escape, value.split())), re.IGNORECASE)
        return [match.span() for match in words.finditer(quote)]
    dates = [date for date in scan_dates(quote) if date.iso.startswith(value)]
    if value_type in ("date", "year"):
        alone = [found.span() for found in _ALONE.finditer(quote) if found.group() == value]
        return alone + [(date.start, date.end) for date in dates]
    try:
        number = Decimal(value)
    except InvalidOperation:
        return []
    return [(at.start, at.end) for at in scan_numbers(quote) if number in at.readings]


def _is_value_in(value: str, value_type: str, unit: str, quote: str) -> bool:
    if value_type == "text":
        return True
    if value_type == "date":
        return any(date.iso == value for date in scan_dates(quote))
    if value_type in _WORDED:
        return _has_words(value, quote)
    if value_type == "year":
        return _has_year(value, quote)
    try:
        number = Decimal(value)
    except InvalidOperation:
        return False
    return number.is_finite() and _has_number(number, value_type, unit, quote)


def _has_number(number: Decimal, value_type: str, unit: str, quote: str) -> bool:
    if value_type == "percentage" or unit in PERCENT_UNITS:
        return _has_percentage(number, unit or "%", quote)
    if unit in TIME_UNITS:
        found = scan_durations(quote)
        return any(time.amount == number and time.unit == unit for time in found)
    if unit and (value_type != "number" or _CODE.fullmatch(unit)):
        return _has_sum(number, unit, quote)
    return value_type in ("threshold", "count", "number") and _has_bare_number(number, quote)


def _has_year(year: str, quote: str) -> bool:
    """Whether the four digits of a year stand alone, or belong to a date."""
    if _YEAR.fullmatch(year) is None:
        return False
    alone = any(found.group() == year for found in _ALONE.finditer(quote))
    return alone or any(date.iso.startswith(f"{year}-") for date in scan_dates(quote))


def _has_percentage(number: Decimal, unit: str, quote: str) -> bool:
    found = scan_percentages(quote)
    if any(number in at.readings and at.unit == unit for at in found):
        return True
    headed = _is_under_head(number, quote, lambda head: _find_head_percent(head) == unit)
    return headed or (not found and not _has_head(quote) and _fills_cell(number, quote))


def _has_sum(number: Decimal, currency: str, quote: str) -> bool:
    found = scan_sums(quote)
    if any(number in at.readings and at.currency == currency for at in found):
        return True
    if _is_under_head(number, quote, lambda head: _find_head_currencies(head) == {currency}):
        return True
    alone = not found and not _has_head(quote) and scan_currencies(quote) <= {currency}
    return alone and _fills_cell(number, quote)


def _has_bare_number(number: Decimal, quote: str) -> bool:
    """Whether the number counts things: it has no other kind of unit and is not a reference."""
    taken = [
        (at.start, at.end)
        for found in (scan_percentages(quote), scan_sums(quote), scan_durations(quote))
        for at in found
    ]
    return any(
        number in at.readings
        and _REFERENCE.search(quote[max(0, at.start - _REACH) : at.start]) is None
        for at in exclude_taken(scan_numbers(quote), taken)
    )


def _fills_cell(number: Decimal, quote: str) -> bool:
    """Whether a cell contains only this number. The first cell does not count: it names the row, so
    its number may be the row's own."""
    return any(
        _is_only_number(number, cell.strip())
        for row in quote.splitlines()
        for cell in _BETWEEN_CELLS.split(row.strip(" |"))[1:]
    )


def _split_rows(quote: str) -> list[list[str]]:
    """The rows of a quote that consist of cells, each as a list of cells."""
    if _LISTED_ROW.search(quote) and _LISTED_CELL.search(quote):
        rows = _LISTED_ROW.split(quote)
        listed = [[" ".join(cell.split()) for cell in _LISTED_CELL.split(row)] for row in rows]
        return [cells for cells in listed if len(cells) > 1]
    lines = (line.strip("\n\r").strip("|") for line in quote.splitlines())
    parted = ([cell.strip() for cell in _BETWEEN_CELLS.split(line)] for line in lines)
    return [cells for cells in parted if len(cells) > 1]


def _has_head(quote: str) -> bool:
    """Whether the first row has no values and others follow: the header of a table."""
    rows = _split_rows(quote)
    return len(rows) > 1 and not any(
        cell[:1].isdigit() or scan_sums(cell) or scan_percentages(cell) for cell in rows[0]
    )


def _is_under_head(number: Decimal, quote: str, names_unit: Callable[[str], bool]) -> bool:
    """Whether the number fills a cell whose column header names the unit."""
    if not _has_head(quote):
        return False
    head, *rows = _split_rows(quote)
    if len(rows) > 1 and _is_second_head(head, rows):
        # The last header spans the columns that the second row names.
        head = [*head[:-1], *(f"{head[-1]} {name}" for name in rows.pop(0))]
    return any(
        names_unit(named) and _is_bare(number, cell)
        for row in rows
        for cell, named in zip(row, _align_heads(head, len(row)), strict=True)
    )


def _is_second_head(head: list[str], rows: list[list[str]]) -> bool:
    """Whether the first row has no figures and names exactly the columns that the head lacks."""
    names = not any(character.isdigit() for cell in rows[0] for character in cell)
    return names and len(head) + len(rows[0]) - 1 == max(map(len, rows[1:]))


def _align_heads(head: list[str], columns: int) -> list[str]:
    """The headers aligned with their columns; the first column often has none."""
    if len(head) == columns - 1:
        head = ["", *head]
    return head if len(head) == columns else [""] * columns


def _is_bare(number: Decimal, cell: str) -> bool:
    """Whether a cell contains the number without a unit, alone or as one end of a range."""
    found = scan_numbers(cell)
    if not 1 <= len(found) <= 2 or not any(number in at.readings for at in found):
        return False
    rest = cell
    for at in reversed(found):
        rest = rest[: at.start] + " " + rest[at.end :]
    # `480.–` and `480,-` are sums without cents.
    words = {word.strip(".,") for word in rest.casefold().split()}
    return words <= _RANGE_WORDS | {""}


def _find_head_currencies(head: str) -> frozenset[str]:
    """The currencies that a header names; `(Fr.)` counts as one only in a header."""
    return frozenset({"CHF"}) if _FRANCS.search(head) else scan_currencies(head)


def _find_head_percent(head: str) -> str:
    """The percent sign that a header names: `Stopa u %`, `Rate (per cent)`."""
    match = _PERCENT_NAMED.search(head)
    if match is None:
        return ""
    return "‰" if match["permille"] else "%"


def _is_only_number(number: Decimal, cell: str) -> bool:
    found = scan_numbers(cell)
    if len(found) != 1 or number not in found[0].readings:
        return False
    return (cell[: found[0].start] + cell[found[0].end :]) in ("", "-", "−")


def _has_words(value: str, quote: str) -> bool:
    """Whether a quote contains these words as written, and not as part of longer ones."""
    words, within = fold_quote(value), fold_quote(quote)
    place = within.find(words) if words else -1
    while place >= 0:
        end = place + len(words)
        before, after = within[max(0, place - 1) : place], within[end : end + 2]
        if not (before.isalnum() and words[0].isalnum()) and not _continues_after(words, after):
            return True
        place = within.find(words, place + 1)
    return False


def _continues_after(words: str, after: str) -> bool:
    """Whether the last word or number of a value continues: `članka 4` in `članka 40`."""
    if words[-1].isalnum() and after[:1].isalnum():
        return True
    return words[-1].isdigit() and after[:1] in (".", ",") and after[1:2].isdigit()
