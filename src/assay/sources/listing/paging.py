"""Which pages of a listing to request first, which one comes next, and when there is none."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from assay.errors import InvalidInput
from assay.model.ids import normalise_url
from assay.sources.listing.builder import ListingBuilder
from assay.sources.listing.json_paths import JsonPlace, parse_json_path
from assay.sources.listing.markup import Node, select_nodes
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


_NEXT_LINKS = "link[rel~=next][href], a[rel~=next][href]"
_NEXT_FIELDS = (
    '["@odata.nextLink"]', '["odata.nextLink"]', "next_page_url", "next", "next_url", "nextLink",
    "links.next", "links.next.href", "_links.next.href", "paging.next", "meta.next",
)  # fmt: skip
# Other scripts have their own digits, and no listing has more entries than this can count.
_COUNT = re.compile(r"[0-9]{1,18}")

IsKnown = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class PagingState:
    """The page that was just read."""

    number: int
    """1 for the first."""
    entries: int
    """How many entries it had, with a link or without."""
    known: IsKnown | None = None
    """Whether an item was seen before."""


def follow_page(
    root: Node, gathering: ListingBuilder, turn: PagingState, *, by_itself: bool
) -> None:
    """Add the page after an HTML page; `by_itself` uses rel=next if nothing is declared."""
    options = gathering.options
    if options.next is not None:
        address = _find_link(root, options.next)
    elif counted := _build_page_url(gathering.base_url, options, turn):
        address = counted
    else:
        address = _find_link(root, _NEXT_LINKS) if by_itself else None
    follow_link(address, gathering, turn)


def follow_answer(whole: Any, gathering: ListingBuilder, turn: PagingState) -> None:
    """Add the page after a response of a JSON API."""
    options = gathering.options
    if _is_last_page(whole, options, turn):
        return
    if options.next is not None:
        value = parse_json_path(options.next).find_first(JsonPlace(whole))
        cursor = isinstance(value, str | int) and not isinstance(value, bool) and value != ""
        address = str(value) if cursor else None
        if address is not None and options.page_param is not None:
            address = _set_query_field(gathering.base_url, options.page_param, address)
    elif counted := _build_page_url(gathering.base_url, options, turn):
        address = counted
    else:
        address = _find_next_field(whole)
    follow_link(address, gathering, turn)


def _is_last_page(whole: Any, options: ListingOptions, turn: PagingState) -> bool:
    """Whether the response's own count says that this was the last page."""
    if options.total is None:
        return False
    total = parse_json_path(options.total).find_first(JsonPlace(whole))
    size = options.page_size or (options.page_step if options.page_step > 1 else None)
    if not isinstance(total, int | str) or not _COUNT.fullmatch(str(total)) or size is None:
        return False
    return (turn.number - 1) * size + turn.entries >= int(total)


def follow_link(address: str | None, gathering: ListingBuilder, turn: PagingState) -> None:
    """Add the next page at this address, unless this page was the last one to read."""
    options = gathering.options
    if address is None or not gathering.entries:
        return
    if options.page_size is not None and turn.entries < options.page_size:
        return
    if options.until_known and _are_all_known(gathering, turn):
        return
    if turn.number >= options.max_pages:
        gathering.notes.append(f"max_pages ends the look after {turn.number} pages")
        return
    absolute = gathering.resolve_address(address)
    if absolute is None:
        gathering.notes.append("the next page cannot be followed")
    elif normalise_url(absolute) == normalise_url(gathering.base_url):
        gathering.notes.append("the next page is this page again")
    else:
        gathering.add_part(absolute, number=turn.number + 1)


def _are_all_known(gathering: ListingBuilder, turn: PagingState) -> bool:
    known = turn.known
    return known is not None and bool(gathering.items) and all(map(known, gathering.items))


def _find_link(root: Node, rule: str) -> str | None:
    for node, value in select_nodes(root, rule):
        address = value if value is not None else node.get("href")
        if address and address.strip() not in ("", "#"):
            return address
    return None


def _build_page_url(url: str, options: ListingOptions, turn: PagingState) -> str | None:
    """The next page by its number, if pages are numbered."""
    value = options.first_page + turn.number * options.page_step
    if options.page_template is not None:
        return options.page_template.replace("{page}", str(value))
    if options.page_param is not None:
        return _set_query_field(url, options.page_param, str(value))
    return None


def _set_query_field(url: str, name: str, value: str) -> str:
    """The address with one field of its query set, the others unchanged."""
    parts = urlsplit(url)
    fields = parse_qsl(parts.query, keep_blank_values=True)
    if any(known == name for known, _ in fields):
        fields = [(known, value if known == name else old) for known, old in fields]
    else:
        fields.append((name, value))
    return urlunsplit(parts._replace(query=urlencode(fields, safe="$"), fragment=""))


def _find_next_field(whole: Any) -> str | None:
    """The next address under one of its usual names, if it is an address at all."""
    for name in _NEXT_FIELDS:
        value = parse_json_path(name).find_first(JsonPlace(whole))
        if isinstance(value, str) and value.startswith(("http://", "https://", "/", "?")):
            return value
    return None


def check_paging(options: ListingOptions) -> None:
    """Refuse a page template without a placeholder for the page."""
    if options.page_template is not None and "{page}" not in options.page_template:
        raise InvalidInput(f"page_template {options.page_template!r} has no {{page}} in it.")
