"""Try a way of reading a listing: what it yields, which selectors match, and what looks wrong."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from assay.errors import ContentError
from assay.model.ids import normalise_url
from assay.sources.listing.builder import ListingBuilder
from assay.sources.listing.json_api import parse_json_body
from assay.sources.listing.json_paths import JsonPlace, parse_json_path
from assay.sources.listing.markup import Node, select_nodes
from assay.sources.listing.options import ListingOptions
from assay.sources.listing.pages import LINKS, parse_listing_page
from assay.sources.listing.results import ListedItem, Listing
from assay.sources.listing.strategies import read_listing, shape_of

_MENU_WORDS = frozenset({
    "home", "homepage", "start", "contact", "about", "imprint", "impressum", "privacy",
    "datenschutz", "kontakt", "login", "search", "sitemap", "accessibility", "cookies", "help",
    "faq", "naslovnica", "početna", "facebook", "twitter", "youtube", "instagram", "linkedin",
    "rss", "contact us", "about us", "privacy policy", "log in", "sign in", "site map", "o nama",
    "terms of use",
})  # fmt: skip
_NOTHING = Listing()
_ON_PAGES = ("HTML_LIST", "HTML_TABLE", "CRAWL")
_SHOWN = 3
_MANY = 0.5


@dataclass(frozen=True, slots=True)
class SelectorCount:
    """How often a selector or path of the options matches."""

    option: str
    written: str
    matches: int
    within: int
    """In how many places it was looked for."""


@dataclass(frozen=True, slots=True)
class ListingTrial:
    """What a body yields when it is read in one way."""

    listing: Listing = _NOTHING
    error: str = ""
    """Why it cannot be read at all."""
    selectors: tuple[SelectorCount, ...] = ()
    doubts: tuple[str, ...] = ()
    """What looks wrong, one sentence each."""


def try_listing(strategy: str, body: bytes, url: str, options: ListingOptions) -> ListingTrial:
    """Read a body, and report on it; that it cannot be read is a result as well."""
    shape = shape_of(strategy, options)
    selectors: tuple[SelectorCount, ...] = ()
    try:
        if shape in _ON_PAGES:
            selectors = tuple(_count_on_page(body, url, options))
        elif shape == "JSON_API":
            selectors = tuple(_count_in_json(body, url, options))
        listing = read_listing(strategy, body, url, options)
    except ContentError as error:
        return ListingTrial(error=str(error), selectors=selectors)
    doubts = (*_find_doubts(listing, url, shape), *_sentences(listing.warnings))
    return ListingTrial(listing, "", selectors, doubts)


def _count_on_page(body: bytes, url: str, options: ListingOptions) -> Iterator[SelectorCount]:
    root = parse_listing_page(body, ListingBuilder(url, options))
    regions = [root]
    if options.within is not None:
        regions = root.find_all(options.within)
        yield SelectorCount("within", options.within, len(regions), 1)
    entries = regions
    if options.item is not None:
        entries = [entry for region in regions for entry in region.find_all(options.item)]
        yield SelectorCount("item", options.item, len(entries), len(regions))
    for name, written in (("link", options.link or LINKS), ("title", options.title),
                          ("date", options.date)):  # fmt: skip
        if written is not None and (name != "link" or options.link is not None):
            yield SelectorCount(name, written, _count_having(entries, written), len(entries))
    if options.next is not None:
        yield SelectorCount("next", options.next, len(select_nodes(root, options.next)), 1)


def _count_having(entries: Sequence[Node], written: str) -> int:
    """The number of entries in which something is there."""
    return sum(
        1
        for entry in entries
        if any(value is not None or "@" not in written for _, value in select_nodes(entry, written))
    )


def _count_in_json(body: bytes, url: str, options: ListingOptions) -> Iterator[SelectorCount]:
    whole = JsonPlace(parse_json_body(body, url))
    if options.items is None:
        return
    found = list(parse_json_path(options.items).iter_places(whole))
    entries = [
        JsonPlace(entry, place.around)
        for place in found
        for entry in (place.value if isinstance(place.value, list) else [place.value])
    ]
    yield SelectorCount("items", options.items, len(entries), 1)
    named = {"url": options.url, "title": options.title, "date": options.date,
             "changed": options.changed}  # fmt: skip
    for name, path in named.items():
        if path is not None:
            read = parse_json_path(path)
            having = sum(1 for entry in entries if read.find_first(entry) not in (None, ""))
            yield SelectorCount(name, path, having, len(entries))


def _find_doubts(listing: Listing, url: str, shape: str) -> Iterator[str]:
    items = listing.items
    if not items:
        return
    checks: tuple[Callable[[Sequence[ListedItem], str], str | None], ...] = (
        _doubt_dates, _doubt_titles, _doubt_menus, _doubt_itself,
    )  # fmt: skip
    for check in checks:
        # A sitemap has only addresses, and usually says when a page changed.
        if shape == "SITEMAP_XML" and check in (_doubt_titles, _doubt_menus):
            continue
        if doubt := check(items, url):
            yield doubt


def _doubt_dates(items: Sequence[ListedItem], _url: str) -> str | None:
    undated = sum(1 for item in items if item.published is None and item.changed is None)
    if undated == len(items):
        return "No entry has a date."
    return f"{undated} of {len(items)} entries have no date." if undated else None


def _doubt_titles(items: Sequence[ListedItem], _url: str) -> str | None:
    titles = Counter(item.title for item in items)
    title, count = titles.most_common(1)[0]
    if count < 2 or count < _MANY * len(items):
        return None
    if title is None:
        return f"{count} of {len(items)} entries have no title."
    return f"{count} of {len(items)} entries have the same title, {title[:40]!r}."


def _doubt_menus(items: Sequence[ListedItem], _url: str) -> str | None:
    menus = [
        item.title or item.url
        for item in items
        if (item.title or "").casefold() in _MENU_WORDS
        or (urlsplit(item.url).path in ("", "/") and not urlsplit(item.url).query)
    ]
    if not menus:
        return None
    shown = ", ".join(menus[:_SHOWN]) + (" and others" if len(menus) > _SHOWN else "")
    one = len(menus) == 1
    return f"{len(menus)} {'entry looks' if one else 'entries look'} like a menu: {shown}."


def _doubt_itself(items: Sequence[ListedItem], url: str) -> str | None:
    own = normalise_url(url)
    return "One entry is the listing itself." if any(i.url == own for i in items) else None


def _sentences(warnings: Sequence[str]) -> list[str]:
    return [f"{warning[:1].upper()}{warning[1:]}." for warning in warnings]
