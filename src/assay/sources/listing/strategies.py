"""The strategies: how each kind of endpoint is read."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from assay.errors import ContentUnsupported, InvalidInput
from assay.sources.listing.builder import ListingBuilder, address_matches
from assay.sources.listing.dates import check_format
from assay.sources.listing.feeds import read_feed
from assay.sources.listing.json_api import check_template, read_json_listing
from assay.sources.listing.json_paths import parse_json_path
from assay.sources.listing.markup import Node, check_selector
from assay.sources.listing.options import ListingOptions
from assay.sources.listing.pages import read_list, read_table
from assay.sources.listing.paging import (
    IsKnown,
    PagingState,
    check_paging,
    follow_answer,
    follow_link,
    follow_page,
)
from assay.sources.listing.results import Listing
from assay.sources.listing.sitemaps import SitemapReader

_NO_PAGE = (
    ".pdf", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".ods", ".rtf", ".txt",
    ".csv", ".xml", ".json", ".zip", ".gz", ".rar", ".7z", ".jpg", ".jpeg", ".png", ".gif",
    ".svg", ".webp", ".ico", ".css", ".js", ".mp3", ".mp4", ".avi", ".mov", ".wav", ".ics",
)  # fmt: skip


def read_crawled_page(body: bytes, gathering: ListingBuilder, depth: int) -> None:
    """Add the links of a page as items, and those that may be pages as parts one level deeper.

    The caller keeps track of the pages already read: this function sees one page at a time.
    """
    options = gathering.options
    read_list(body, gathering)
    if depth >= options.max_depth:
        return
    # Pages lead on whether or not they are items themselves, so all links are examined again.
    anywhere = ListingBuilder(
        gathering.base_url, ListingOptions(exclude=options.exclude, hosts=options.hosts)
    )
    read_list(body, anywhere)
    for url in anywhere.items:
        if _is_page(url) and (not options.follow or address_matches(url, options.follow)):
            gathering.add_part(url, number=depth + 1)


def _is_page(url: str) -> bool:
    return not urlsplit(url).path.lower().endswith(_NO_PAGE)


_MAX_UNPACKED = 200_000_000
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class _PageToRead:
    """One page to be read, and its position in its listing."""

    body: bytes
    gathering: ListingBuilder
    number: int
    known: IsKnown | None
    paged: bool
    """Whether a next page is followed if the description does not name one."""

    def turn(self, entries: int) -> PagingState:
        return PagingState(self.number, entries, self.known)


def _read_sitemap(look: _PageToRead) -> None:
    gathering = look.gathering
    reader = SitemapReader(gathering.base_url, gathering=gathering, max_bytes=_MAX_UNPACKED)
    for at in range(0, len(look.body), _PIECE):
        reader.feed(look.body[at : at + _PIECE])
    reader.close()


def _read_feed(look: _PageToRead) -> None:
    following = read_feed(look.body, look.gathering)
    follow_link(following, look.gathering, look.turn(look.gathering.entries))


def _read_html(
    read: Callable[[bytes, ListingBuilder], tuple[Node, int]], look: _PageToRead
) -> None:
    root, entries = read(look.body, look.gathering)
    follow_page(root, look.gathering, look.turn(entries), by_itself=look.paged)


def _read_json(look: _PageToRead) -> None:
    whole, entries = read_json_listing(look.body, look.gathering)
    follow_answer(whole, look.gathering, look.turn(entries))


_SHAPES: dict[str, Callable[[_PageToRead], None]] = {
    "SITEMAP_XML": _read_sitemap,
    "RSS_FEED": _read_feed,
    "HTML_LIST": partial(_read_html, read_list),
    "HTML_TABLE": partial(_read_html, read_table),
    "JSON_API": _read_json,
    "CRAWL": lambda look: read_crawled_page(look.body, look.gathering, look.number),
}
_SHAPED = ("PAGINATION", "DATE_FILTERED")
STRATEGIES = (*_SHAPES, *_SHAPED)


def read_listing(
    strategy: str,
    body: bytes,
    base_url: str,
    options: ListingOptions | None = None,
    *,
    known: IsKnown | None = None,
    number: int = 1,
) -> Listing:
    """Read a page of a listing: its items, and the parts where there is more.

    `known` says whether an item was seen before, and `number` which page this is, from the
    `ListingPart` that led to it; both only decide whether there is a next page. A body that the
    strategy cannot read is an error that says what arrived instead, never an empty list.
    """
    options = options or ListingOptions()
    gathering = ListingBuilder(base_url, options)
    read = _SHAPES[shape_of(strategy, options)]
    read(_PageToRead(body, gathering, max(1, number), known, paged=strategy in _SHAPED))
    return gathering.build_listing()


def shape_of(strategy: str, options: ListingOptions) -> str:
    """How the pages of an endpoint are read."""
    if strategy not in STRATEGIES:
        raise ContentUnsupported(
            f"Strategy {strategy} is not known here.", advice=f"Use {', '.join(STRATEGIES)}."
        )
    if strategy not in _SHAPED:
        return strategy
    return options.shape or ("HTML_TABLE" if options.columns is not None else "HTML_LIST")


def check_options(strategy: str, options: ListingOptions) -> None:
    """Refuse invalid selectors, paths and formats before anything is fetched."""
    shape = shape_of(strategy, options)
    if options.shape is not None and strategy not in _SHAPED:
        raise InvalidInput(f"'shape' is for {' and '.join(_SHAPED)}, not for {strategy}.")
    shared = (options.title, options.date, options.next)
    rules = (options.within, options.item, options.link)
    paths = (options.items, options.url, options.changed, options.total)
    foreign, own = (rules, paths) if shape == "JSON_API" else (paths, rules)
    if any(foreign) or (options.url_template and shape != "JSON_API"):
        raise InvalidInput(
            f"The description has options that {shape} does not read.",
            advice="Pages have selectors (within, item, link); JSON has paths (items, url).",
        )
    for rule in (*own, *shared):
        if rule is not None:
            (parse_json_path if shape == "JSON_API" else check_selector)(rule)
    if options.url_template is not None:
        check_template(options.url_template)
    for wanted in options.date_formats:
        check_format(wanted)
    check_paging(options)
