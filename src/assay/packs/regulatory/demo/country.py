"""The invented country of the labelled corpus: who publishes what, and from which day on.

Every publisher has its own site with a feed. The documents are the files of the corpus, byte for
byte.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from functools import cache
from html import escape, unescape
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from assay.packs.regulatory import CORPUS
from assay.sdk.demo import ANY_BASE, SitePage
from assay.sdk.errors import InvalidInput
from assay.sdk.records import Endpoint, Source
from assay.sdk.sources import read_yaml

PACK: Final = "regulatory"
LAST_DAY: Final = 2
"""The last day on which anything changes."""
_FEED: Final = "/feed.xml"
_TITLE: Final = re.compile(rb"<title[^<>]*>([^<>]{1,300})</title>", re.IGNORECASE)
_TYPES: Final = {
    ".html": "text/html",
    ".xml": "application/xml",
    ".txt": "text/plain; charset=utf-8",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


class ServedDocument(BaseModel):
    """A document of the corpus, and its address."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    document: str
    """The file in the corpus, such as `seen/pdv-zakon.html`."""
    published: date
    day: int = Field(ge=1, le=LAST_DAY)
    """The first day on which it is published."""
    replaces: str | None = None
    """The file that was at its path before."""


class Publisher(BaseModel):
    """A publisher and its rank."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    slug: str
    name: str
    hierarchy: int
    documents: tuple[ServedDocument, ...]

    @property
    def host(self) -> str:
        """A lasting name, because the server's port changes with every start."""
        return f"{self.slug}.demo.test"

    @property
    def source(self) -> Source:
        return Source(
            source_slug=f"demo-{self.slug}",
            name=self.name,
            base_url=f"http://{self.host}/",
            packs=[PACK],
            hierarchy=self.hierarchy,
        )

    @property
    def endpoint(self) -> Endpoint:
        slug = self.source.source_slug
        return Endpoint(
            endpoint_id=f"{slug}/feed",
            source_slug=slug,
            url=f"http://{self.host}{_FEED}",
            strategy="RSS_FEED",
        )

    def list_documents(self, day: int) -> tuple[ServedDocument, ...]:
        """What it serves on a day: the newest document at each path."""
        newest: dict[str, ServedDocument] = {}
        for served in sorted(self.documents, key=lambda served: served.day):
            if served.day <= day:
                newest[served.path] = served
        return tuple(newest.values())


@cache
def load_publishers() -> tuple[Publisher, ...]:
    """All publishers of the country, as the corpus lists them."""
    listed = read_yaml(CORPUS / "sources.yml")["sources"]
    return tuple(Publisher.model_validate(entry) for entry in listed)


@dataclass(frozen=True)
class Country:
    """All sites of the country on one day."""

    day: int = 1
    documents: frozenset[str] | None = None
    """Only these files of the corpus, if a part of the country is enough."""

    def __post_init__(self) -> None:
        if self.day < 1:
            raise ValueError(f"the country begins on day 1; there is no day {self.day}")
        known = {served.document for entry in load_publishers() for served in entry.documents}
        for unknown in sorted((self.documents or frozenset()) - known):
            raise InvalidInput(f"No publisher of the country has a document {unknown}.")

    def list_served(self, publisher: Publisher) -> tuple[ServedDocument, ...]:
        """What one publisher serves on the day."""
        found = publisher.list_documents(self.day)
        if self.documents is None:
            return found
        return tuple(served for served in found if served.document in self.documents)

    def build_pages(self) -> dict[str, SitePage]:
        """Every page of the day by its host and path."""
        pages: dict[str, SitePage] = {}
        for publisher in load_publishers():
            own = [(served, (CORPUS / served.document).read_bytes())
                   for served in self.list_served(publisher)]  # fmt: skip
            for page in (*(_build_page(*pair) for pair in own), _build_feed(publisher, own)):
                pages[f"{publisher.host}{page.path}"] = page
        return pages


def _build_page(served: ServedDocument, body: bytes) -> SitePage:
    return SitePage.of(
        served.path, body, _find_content_type(served, body), _publication_time(served.published)
    )


def _publication_time(day: date) -> datetime:
    return datetime.combine(day, time(6), UTC)


def _find_content_type(served: ServedDocument, body: bytes) -> str:
    kind = _TYPES[Path(served.document).suffix]
    if kind != _TYPES[".html"]:
        return kind
    try:
        body.decode()
    except UnicodeDecodeError:
        # The page itself declares its encoding, as on sites older than UTF-8.
        return kind
    return f"{kind}; charset=utf-8"


def _build_feed(
    publisher: Publisher, documents: Iterable[tuple[ServedDocument, bytes]]
) -> SitePage:
    newest = sorted(documents, key=lambda pair: (pair[0].published, pair[0].path), reverse=True)
    items = "\n".join(_build_item(served, body) for served, body in newest)
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>'
        f"<title>{escape(publisher.name)}</title><link>{ANY_BASE}/</link>"
        f"<description>{escape(publisher.name)}</description>\n{items}\n</channel></rss>\n"
    )
    days = [served.published for served, _ in newest]
    modified = _publication_time(max(days, default=date(2024, 1, 1)))
    return SitePage.of(_FEED, text.encode(), "application/rss+xml; charset=utf-8", modified)


def _build_item(served: ServedDocument, body: bytes) -> str:
    when = _publication_time(served.published)
    return (
        f"<item><title>{escape(_find_title(served, body))}</title>"
        f"<link>{ANY_BASE}{served.path}</link>"
        f"<guid>{ANY_BASE}{served.path}</guid><pubDate>{format_datetime(when, usegmt=True)}"
        f"</pubDate><atom:updated>{when.isoformat()}</atom:updated></item>"
    )


def _find_title(served: ServedDocument, body: bytes) -> str:
    """The title of the page; a file that is not a page goes by its name."""
    found = _TITLE.search(body) if Path(served.document).suffix == ".html" else None
    if found is None:
        return Path(served.document).stem.replace("-", " ")
    try:
        return unescape(found.group(1).decode()).strip()
    except UnicodeDecodeError:
        return unescape(found.group(1).decode("cp1250", "replace")).strip()
