"""Harnesses of what sites list: feeds, sitemaps and robots.txt."""

import math

from assay.sources.listing import Listing, ListingOptions, SitemapReader, read_listing
from assay.sources.robots import RobotsRules, parse_robots
from tests.fuzz.oracles import check_listing, check_words, require, run_twice

SITE = "https://example.org/list"
ADDRESSES = (
    "https://example.org/",
    "https://example.org/private/a?b=c%20d",
    "https://example.org/zakon/č%C4%8D*$",
    "https://example.org//x/../y;z#f",
)


def check_feed(data: bytes) -> None:
    """RSS, Atom, or a JSON feed."""
    check_listing(run_twice(lambda: read_listing("RSS_FEED", data, SITE)))


def check_sitemap(data: bytes) -> None:
    """A sitemap at once, and as it may arrive: in pieces of any size."""
    listing = run_twice(lambda: read_listing("SITEMAP_XML", data, SITE))
    check_listing(listing)
    for size in (1, 7, 4096):
        if len(data) // size < 20_000:
            _compare_pieces(data, size, listing)


def _compare_pieces(data: bytes, size: int, listing: Listing) -> None:
    reader = SitemapReader(SITE, ListingOptions())
    found = []
    for at in range(0, len(data), size):
        found += reader.feed(data[at : at + size])
    found += reader.close()
    whole = {item.url for item in listing.items} | {part.url for part in listing.parts}
    pieces = {each.url for each in found}
    # The whole listing is cut at its most items; pieces are passed on without a limit.
    if len(listing.items) < ListingOptions().max_items:
        require(whole == pieces, "pieces", f"in pieces of {size}: {sorted(whole ^ pieces)[:3]}")


def check_robots(data: bytes) -> None:
    """The rules of a site: every address has an answer, and a delay is a number of seconds."""
    rules = parse_robots(data)
    delay = rules.crawl_delay_s
    require(math.isfinite(delay) and delay >= 0.0, "delay", delay)
    check_words("a sitemap", rules.sitemaps)
    answers = run_twice(lambda: _ask(parse_robots(data)))
    require(_ask(rules) == answers, "same", "the same rules answer differently")


def _ask(rules: RobotsRules) -> tuple[object, ...]:
    return (rules.crawl_delay_s, rules.sitemaps, *(rules.allows(url) for url in ADDRESSES))
