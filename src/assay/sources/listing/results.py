"""What a look at an endpoint gives."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ListedItem:
    """An item at an endpoint."""

    url: str
    """Absolute and normalised."""
    title: str | None = None
    published: str | None = None
    """An ISO date or moment, as far as the listing tells; never guessed."""
    changed: str | None = None
    """When the item changed last, as the listing says."""
    parent: str | None = None
    """The document that it belongs to: its address, or its id."""


@dataclass(frozen=True, slots=True)
class ListingPart:
    """Another page of the same listing: a child sitemap, a next page, a page to crawl."""

    url: str
    """Absolute, but spelt as the site spells it: some sites mind the order of a query."""
    changed: str | None = None
    number: int = 0
    """1, 2, … for pages, and the depth of a page that is crawled; 0 for a child sitemap."""
    body: str | None = None
    """What to send by POST; None asks with GET."""
    step: str = ""
    """Which kind of answer a portal expects."""
    context: tuple[tuple[str, str], ...] = ()
    """What a portal's reader has to know from earlier answers."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What one page of a listing holds."""

    items: tuple[ListedItem, ...] = ()
    parts: tuple[ListingPart, ...] = ()
    warnings: tuple[str, ...] = ()
    """What was left out or mended, and why, counted."""
