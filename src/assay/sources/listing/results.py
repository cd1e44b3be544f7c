"""The result of checking an endpoint."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ListedItem:
    """An item at an endpoint."""

    url: str
    """Absolute and normalised."""
    title: str | None = None
    published: str | None = None
    """An ISO date or moment, as far as the listing says; never guessed."""
    changed: str | None = None
    """When the item last changed, according to the listing."""
    parent: str | None = None
    """The document that it belongs to: its address, or its id."""
    content: bytes | None = None
    """The document itself, if the listing contains it; it is not fetched."""
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class ListingPart:
    """Another page of the same listing: a child sitemap, a next page, a page to crawl."""

    url: str
    """Absolute, but spelt as the site spells it: on some sites the order of a query matters."""
    changed: str | None = None
    number: int = 0
    """1, 2, … for pages, and the depth of a page that is crawled; 0 for a child sitemap."""
    body: str | None = None
    """What to send by POST; None means GET."""
    is_form: bool = False
    """Whether the body is a form; otherwise it is JSON."""
    headers: tuple[tuple[str, str], ...] = ()
    step: str = ""
    """Which kind of response a portal expects."""
    context: tuple[tuple[str, str], ...] = ()
    """What a portal's reader needs from earlier responses."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The content of one page of a listing."""

    items: tuple[ListedItem, ...] = ()
    parts: tuple[ListingPart, ...] = ()
    warnings: tuple[str, ...] = ()
    """What was left out or repaired, with reasons and counts."""
