"""Recognize what an address answers with, and propose how to read it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from assay.errors import ContentUnsupported
from assay.model.markup import decode_markup
from assay.sources.decompression import GzipUnpacker
from assay.sources.listing.builder import ListingBuilder
from assay.sources.listing.feeds import read_feed
from assay.sources.listing.markup import Node, WorkBudget, parse_page
from assay.sources.listing.options import ListingOptions
from assay.sources.listing.pages import parse_listing_page
from assay.sources.listing.wrong_content import describe_body, find_page_title
from assay.sources.proposals.json_lists import find_json_list
from assay.sources.proposals.next_pages import find_next_options
from assay.sources.proposals.outline import list_all_links
from assay.sources.proposals.page_lists import PageList, find_page_list

SITEMAP = "SITEMAP_XML"
FEED = "RSS_FEED"
PAGE = "HTML_LIST"
JSON = "JSON_API"
_ROOT = re.compile(r"<(?!\?|!)(?:[\w.-]{1,40}:)?([A-Za-z][\w.-]{0,40})")
_ROOTS = {"urlset": SITEMAP, "sitemapindex": SITEMAP, "rss": FEED, "feed": FEED, "RDF": FEED}
_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json")
_FEED_TITLE = re.compile(r"<title[^<>]*>(?:<!\[CDATA\[)?([^<\]]{1,200})", re.IGNORECASE)
_OWN_ADDRESS = (
    ("link[rel~=canonical]", "href"), ("meta[property='og:url']", "content"), ("base[href]", "href")
)  # fmt: skip
_HEAD = 20_000
_MOST_WORK = 8_000_000
_MOST_LINKS = 5


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Other listings that a page links to, which may be easier to read than the page."""

    feeds: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListingProposal:
    """How an address could be read."""

    url: str
    strategy: str | None
    """None: nothing on the page repeats, so that nothing can be proposed."""
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    """What the page calls itself."""
    links: PageLinks = PageLinks()
    dated: int = 0
    """How many entries have a date; only of a page."""
    notes: tuple[str, ...] = ()


def recognize_listing(body: bytes, url: str, strategy: str | None = None) -> ListingProposal:
    """Propose how to read a body that came from this address.

    With a `strategy`, only what it needs is looked for. A body that is not a listing of any known
    kind raises an error that says what it is.
    """
    kind = strategy or _recognize_kind(body)
    if kind in (SITEMAP, FEED):
        options = {} if kind == SITEMAP else _find_feed_hosts(body, url)
        return ListingProposal(url, kind, options, _find_feed_title(body))
    if kind == JSON:
        return _propose_json(body, url)
    return _propose_page(body, url)


def _recognize_kind(body: bytes) -> str:
    unpacked = _unpack(body)
    text = decode_markup(unpacked[:_HEAD]).lstrip("\ufeff \t\r\n")
    if text[:1] in ("{", "[") or text[:2] in ('"{', '"['):
        return FEED if "jsonfeed.org" in text[:2000] else JSON
    root = _ROOT.search(text)
    if root is not None and (known := _ROOTS.get(root.group(1))):
        return known
    if text[:1] == "<" and not text.startswith("<?xml"):
        return PAGE
    if text.startswith("<?xml") and "<html" in text[:2000].lower():
        return PAGE
    first = text.partition("\n")[0].strip()
    if first.startswith(("http://", "https://")) and " " not in first:
        return SITEMAP
    raise ContentUnsupported(
        f"It is {describe_body(unpacked)}, which does not list documents.",
        advice="Give the address of a page, feed, sitemap or JSON answer that lists them; a single "
        "document is added with 'assay add'.",
    )


def _unpack(body: bytes) -> bytes:
    """The beginning of a body, unpacked if it is compressed."""
    if not body.startswith(b"\x1f\x8b"):
        return body
    pieces = b""
    for piece in GzipUnpacker(_HEAD * 10).feed(body[:_HEAD]):
        pieces += piece
        if len(pieces) > _HEAD:
            break
    return pieces


def _find_feed_title(body: bytes) -> str | None:
    found = _FEED_TITLE.search(decode_markup(_unpack(body)[:_HEAD]))
    return " ".join(found.group(1).split()) or None if found else None


def _find_feed_hosts(body: bytes, url: str) -> dict[str, Any]:
    """A feed may be on another host than the pages that it lists."""
    gathering = ListingBuilder(url, ListingOptions(hosts=("*",)))
    read_feed(body, gathering)
    return _allow_hosts(list(gathering.items), url)


def _allow_hosts(urls: list[str], url: str) -> dict[str, Any]:
    own = (urlsplit(url).hostname or "").removeprefix("www.")
    hosts = dict.fromkeys(urlsplit(each).hostname or "" for each in urls)
    away = [host for host in hosts if host.removeprefix("www.") != own]
    count = sum(1 for each in urls if (urlsplit(each).hostname or "") in away)
    return {"hosts": away[:_MOST_LINKS]} if count > len(urls) / 2 else {}


def _propose_json(body: bytes, url: str) -> ListingProposal:
    found = find_json_list(body, url)
    if found is None:
        raise ContentUnsupported(
            f"There is no list of objects in the JSON from {url}.",
            advice="Give the address of an answer that lists documents.",
        )
    if not found.has_addresses:
        raise ContentUnsupported(
            f"No field of the {found.entries} entries from {url} is an address "
            f"(their fields: {', '.join(found.fields)}).",
            advice="Build it with a template: 'assay sources try URL --strategy JSON_API "
            "--select url_template=https://…/{id}'.",
        )
    return ListingProposal(url, JSON, found.options)


def _propose_page(body: bytes, url: str) -> ListingProposal:
    # A page is looked through once for every selector that might describe its list.
    work = WorkBudget(_MOST_WORK)
    root = parse_listing_page(body, ListingBuilder(url, ListingOptions()), work=work)
    found: PageList | None = find_page_list(root, url)
    links = _find_links(root, url)
    title = find_page_title(decode_markup(body))
    if found is None:
        return ListingProposal(url, None, {}, title, links)
    notes = (
        ("The order of day and month in its dates is not clear; add date_formats.",)
        if found.has_ambiguous_dates
        else ()
    )
    options = {**found.options, **find_next_options(root, url)}
    return ListingProposal(url, PAGE, options, title, links, found.dated, notes)


def find_own_address(body: bytes) -> str | None:
    """Where a saved page says that it is from."""
    if _recognize_kind(body) != PAGE:
        return None
    root = parse_page(body)
    if root is None:
        return None
    for rule, attribute in _OWN_ADDRESS:
        node = root.find_first(rule)
        address = node.get(attribute) if node else None
        if address and address.startswith(("http://", "https://")):
            return address
    return None


def _find_links(root: Node, url: str) -> PageLinks:
    """The feeds and sitemaps that a page names, on its own host."""
    resolver = ListingBuilder(url, ListingOptions())
    feeds = [
        (node.get("href") or "", node.get("title") or "")
        for node in root.find_all("link[rel~=alternate][href]")
        if (node.get("type") or "").partition(";")[0].strip().lower() in _FEED_TYPES
    ]
    sitemaps = [node.get("href") or "" for node in root.find_all("link[rel~=sitemap][href]")]
    sitemaps += [
        link.url
        for link in list_all_links(root, url)
        if re.search(r"sitemap[^/]*\.xml(?:\.gz)?$", urlsplit(link.url).path, re.IGNORECASE)
    ]
    about = [href for href, title in feeds if "comment" not in f"{href} {title}".lower()]
    return PageLinks(
        tuple(_resolve_each(about, resolver)), tuple(_resolve_each(sitemaps, resolver))
    )


def _resolve_each(addresses: list[str], resolver: ListingBuilder) -> Iterator[str]:
    found = (resolver.resolve_address(address) for address in dict.fromkeys(addresses) if address)
    yield from [address for address in found if address][:_MOST_LINKS]
