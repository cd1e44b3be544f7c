"""The addresses that a check begins with; for DATE_FILTERED one for each day, month or span."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from assay.errors import InvalidInput
from assay.sources.listing.options import ListingOptions
from assay.sources.listing.results import ListingPart

_FIELD = re.compile(r"\{(date|day|month|year|from|to|page)\}")
_SPAN = frozenset({"from", "to"})


def build_first_parts(
    strategy: str, endpoint_url: str, options: ListingOptions, today: date, since: date | None
) -> list[ListingPart]:
    """What to request first: the endpoint's address, or its dated forms, the oldest first.

    `since` is the day of the last successful check; a pause longer than `days_back` is made up
    for. Nothing is left out silently: more addresses than `max_pages` are refused.
    """
    template, body = endpoint_url, options.post_body
    wanted = set(_FIELD.findall(template)) | set(_FIELD.findall(body or ""))
    if not wanted:
        if strategy == "DATE_FILTERED":
            raise InvalidInput(
                f"{endpoint_url} is filtered by date, but has no placeholder for one.",
                advice="Add {date}, {month}, {year}, or {from} and {to} to it.",
            )
        return [ListingPart(endpoint_url, number=1, body=body)]
    parts: dict[ListingPart, None] = {}
    for begin, end in _split_window(
        wanted, _compute_window(options, today, since), options.slice_days
    ):
        words = _build_words(begin, end, options)
        filled = None if body is None else _fill_template(body, words)
        parts.setdefault(ListingPart(_fill_template(template, words), number=1, body=filled))
        if len(parts) > options.max_pages:
            raise InvalidInput(
                f"The dates of {endpoint_url} give more than {options.max_pages} addresses.",
                advice="Raise max_pages, or ask for months or longer slices.",
            )
    return list(parts)


def build_first_addresses(
    strategy: str, endpoint_url: str, options: ListingOptions, today: date, since: date | None
) -> list[str]:
    """The addresses to request first."""
    return [part.url for part in build_first_parts(strategy, endpoint_url, options, today, since)]


def _compute_window(options: ListingOptions, today: date, since: date | None) -> tuple[date, date]:
    back = options.days_back
    if since is None and options.first_days_back is not None:
        back = options.first_days_back
    begin = today - timedelta(days=back)
    if since is not None:
        begin = min(begin, since)
    return begin, today + timedelta(days=options.days_ahead)


def _split_window(
    wanted: set[str], window: tuple[date, date], slice_days: int | None
) -> Iterator[tuple[date, date]]:
    """Parts of the window, as fine as the template requires; both ends are included."""
    begin, last = window
    while begin <= last:
        if wanted & {"date", "day"}:
            end = begin
        elif wanted & _SPAN:
            end = last if slice_days is None else begin + timedelta(days=slice_days - 1)
        elif "month" in wanted:
            end = (begin.replace(day=1) + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        elif "year" in wanted:
            end = date(begin.year, 12, 31)
        else:
            end = last
        end = min(end, last)
        yield begin, end
        begin = end + timedelta(days=1)


def _build_words(begin: date, end: date, options: ListingOptions) -> dict[str, str]:
    written = options.address_date
    return {
        "date": begin.strftime(written),
        "day": f"{begin.day:02}",
        "month": f"{begin.month:02}",
        "year": f"{begin.year:04}",
        "from": begin.strftime(written),
        "to": end.strftime(written),
        "page": str(options.first_page),
    }


def _fill_template(template: str, words: dict[str, str]) -> str:
    return _FIELD.sub(lambda field: words[field.group(1)], template)
