"""How the numeric dates of a list are written."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from assay.sources.listing.dates import parse_date

_NUMERIC = re.compile(
    r"(?<!\d)(?P<first>\d{1,2})(?P<sign>[./-])(?P<gap>\s?)(?P<second>\d{1,2})(?P=sign)\s?"
    r"(?P<year>\d{4}|\d{2})(?!\d)"
)


@dataclass(frozen=True, slots=True)
class DateOrder:
    """How the numeric dates of a list are written, if that can be told."""

    formats: tuple[str, ...] = ()
    is_ambiguous: bool = False


def has_date(text: str) -> bool:
    """Whether a text has a date, also one that can be read in two ways."""
    return parse_date(text) is not None or _NUMERIC.search(text) is not None


def find_date_order(texts: Iterable[str]) -> DateOrder:
    """The order of numeric dates, if one of them shows it: 31/01 is a day and a month."""
    found = [match for text in texts if (match := _NUMERIC.search(text))]
    if not found:
        return DateOrder()
    sign = Counter(match["sign"] for match in found).most_common(1)[0][0]
    found = [match for match in found if match["sign"] == sign]
    year = "%Y" if all(len(match["year"]) == 4 for match in found) else "%y"
    gap = " " if any(match["gap"] for match in found) else ""
    day_first = sign == "." or any(int(match["first"]) > 12 for match in found)
    month_first = any(int(match["second"]) > 12 for match in found)
    if day_first == month_first:
        return DateOrder(is_ambiguous=True)
    order = ("%d", "%m") if day_first else ("%m", "%d")
    return DateOrder(((f"{sign}{gap}").join((*order, year)),))
