"""What the description of an endpoint may say about how to read it."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Shape = Literal["HTML_LIST", "HTML_TABLE", "JSON_API", "RSS_FEED", "SITEMAP_XML"]
Rule = Annotated[str, Field(min_length=1, max_length=300)]
Template = Annotated[str, Field(min_length=1, max_length=2000)]
Globs = Annotated[tuple[Rule, ...], Field(max_length=100)]
Column = Rule | Annotated[int, Field(ge=1, le=1000)]


class Columns(BaseModel):
    """Columns of a table, by their header words or by their number from 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    link: Column | Annotated[tuple[Column, ...], Field(max_length=20)] | None = None
    """Where the links are; this may be several columns."""
    title: Column | None = None
    date: Column | None = None


class ListingOptions(BaseModel):
    """How to read an endpoint; everything has a default, and an unknown name is refused.

    A selector is CSS; with `@name` at its end it takes that attribute instead of the text. In
    `JSON_API` the fields `title`, `date` and `next` are paths instead: `a.b[*].c`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    shape: Shape | None = None
    """How the pages of PAGINATION and DATE_FILTERED are read; HTML_LIST by default."""

    within: Rule | None = None
    """The region of a page that is the listing; a page without it is an error."""
    item: Rule | None = None
    """One entry of a page; links outside of entries do not count."""
    link: Rule | None = None
    """The links in an entry, or on the page; all of them by default."""
    title: Rule | None = None
    """Where an entry has its title; the link's own text by default."""
    date: Rule | None = None
    """Where an entry has its date."""
    columns: Columns | None = None
    """The columns of HTML_TABLE."""
    date_formats: Annotated[tuple[Rule, ...], Field(max_length=20)] = ()
    """How dates are written if their order is ambiguous: `%d.%m.%Y`, `%m/%d/%y`."""
    empty_text: Rule | None = None
    """What a page says when it has no entries; a page with neither is an error."""

    items: Rule | None = None
    """JSON: the path to the list of entries."""
    url: Rule | None = None
    """JSON: the path to an entry's address."""
    url_template: Template | None = None
    """JSON: an address built from an entry's fields, `https://example.org/act/{id}`."""
    changed: Rule | None = None
    """JSON: the path to the time when an entry changed."""
    total: Rule | None = None
    """JSON: the path to the total number of entries."""

    next: Rule | None = None
    """The link to the next page; in JSON its path, or that of a cursor for `page_param`."""
    page_param: Rule | None = None
    """The query field with the number of the page, or the offset."""
    page_template: Template | None = None
    """The address of a page, with `{page}` in it."""
    first_page: Annotated[int, Field(ge=0)] = 1
    """What the first page is called."""
    page_step: Annotated[int, Field(ge=1)] = 1
    """How much to add for each page; the page size if the site counts entries."""
    page_size: Annotated[int, Field(ge=1)] | None = None
    """How many entries a full page has; a page with fewer is the last one."""
    max_pages: Annotated[int, Field(ge=1, le=100_000)] = 100
    """Most pages to read in one check."""
    until_known: bool = True
    """Stop at a page whose items are all known; right if the newest come first."""

    days_back: Annotated[int, Field(ge=0, le=36_525)] = 7
    """DATE_FILTERED: how many days before today each check goes back."""
    first_days_back: Annotated[int, Field(ge=0, le=36_525)] | None = None
    """The same for the very first check."""
    days_ahead: Annotated[int, Field(ge=0, le=3_660)] = 0
    """DATE_FILTERED: how many days after today."""
    slice_days: Annotated[int, Field(ge=1)] | None = None
    """DATE_FILTERED with `{from}` and `{to}`: how many days to request at a time."""
    address_date: Rule = "%Y-%m-%d"
    """How a date is written in an address."""

    include: Globs = ()
    """Only items that match these: `/eli/*` for a path, `https://*/act-*` for a whole address."""
    exclude: Globs = ()
    """No items that match these."""
    hosts: Globs = ()
    """Other hosts whose links count: `cdn.example.org`, `*.example.org`."""
    follow: Globs = ()
    """CRAWL: only pages that match these are followed."""
    max_depth: Annotated[int, Field(ge=1, le=20)] = 2
    """CRAWL: the endpoint's own page is the first level."""
    max_items: Annotated[int, Field(ge=1, le=1_000_000)] = 50_000
    """Most items to take from one page: the sitemap protocol allows this many."""

    accept: Rule | None = None
    """The Accept header to send."""
    post_body: Annotated[str, Field(min_length=1, max_length=10_000)] | None = None
    """What to send by POST, with the same placeholders as an address."""
