"""A pack's part of the demo: fictional sites, day by day, and a fictional reviewer.

`assay demo` serves the sites of all packs on loopback, runs the pipeline over them, lets the
fictional reviewer decide, and creates a release. A pack declares only what is specific to it.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import urlsplit

from assay.errors import InvalidInput
from assay.model.records import Endpoint, Record, Source
from assay.ruling.review.judgement import RuleCase

if TYPE_CHECKING:
    from assay.sdk.services import Services

__all__ = [
    "ANY_BASE",
    "Demo",
    "DemoQuestion",
    "DemoReviewer",
    "RuleCase",
    "SitePage",
]

ANY_BASE: Final = "http://site.invalid"
"""A placeholder for a site's own address until a page is served; see `SitePage.with_base`."""
_RESERVED: Final = ".test"
"""A top-level domain that no real site can have (RFC 6761)."""


@dataclass(frozen=True)
class SitePage:
    """A page as a site serves it: one response."""

    path: str
    body: bytes
    content_type: str
    last_modified: str
    etag: str

    @classmethod
    def of(cls, path: str, body: bytes, content_type: str, modified: datetime) -> Self:
        """A page whose headers are derived from its bytes and the time of its last change."""
        etag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
        return cls(path, body, content_type, format_datetime(modified, usegmt=True), etag)

    def with_base(self, base: str) -> "SitePage":
        """The page as served from a base URL such as `http://127.0.0.1:8080`."""
        return replace(self, body=self.body.replace(ANY_BASE.encode(), escape(base).encode()))


@dataclass(frozen=True)
class DemoReviewer:
    """A fictional person in whose name the demo makes decisions."""

    name: str
    find_objection: Callable[[RuleCase], str | None]
    """Returns why the person leaves a rule waiting, or None to approve it."""


@dataclass(frozen=True)
class DemoQuestion:
    """A question that the demo asks about the release at the end."""

    concept: str
    as_of: date
    situation: Mapping[str, object] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """The same question on the command line."""
        given = "".join(f"{name}={value} " for name, value in self.situation.items())
        return f"ask --as-of {self.as_of} {given}{self.concept}"


@dataclass(frozen=True, kw_only=True)
class Demo:
    """What a pack shows in the demo."""

    sources: tuple[Source, ...]
    endpoints: tuple[Endpoint, ...]
    """The endpoints to watch. Every host name ends in `.test` and leads to the demo's server."""
    pages: Callable[[int], Mapping[str, SitePage]]
    """Returns what the sites serve on a day, from 1 to `last_day`: by host, path and query."""
    stands_in_for: tuple[str, ...] = ()
    """The hosts of public services, such as an API, that the demo's server plays. Nothing in the
    demo reaches the real ones."""
    records: tuple[Record, ...] = ()
    """Records of the pack that belong to the sources, stored with them."""
    last_day: int = 1
    """The last day on which anything changes."""
    reviewer: DemoReviewer | None = None
    """The person who decides about the rules; None: they stay undecided."""
    questions: tuple[DemoQuestion, ...] = ()
    epilogue: "Callable[[Services], str] | None" = None
    """Writes what is shown at the end, such as a digest: Markdown that starts with its title."""
    remarks: tuple[str, ...] = ()
    """Sentences that explain what was found."""
    try_next: tuple[str, ...] = ()
    """Commands to try next, as typed after `assay`."""

    def __post_init__(self) -> None:
        if self.last_day < 1:
            raise InvalidInput(f"A demo starts on day 1; its last day cannot be {self.last_day}.")
        for host in sorted(self.hosts.difference(self.stands_in_for)):
            if not host.endswith(_RESERVED):
                # The demo's server would answer for this name in everything that the home watches.
                raise InvalidInput(
                    f"The demo cannot serve '{host}': it could be the name of a real site.",
                    advice=f"Use host names that end in '{_RESERVED}'.",
                )

    @property
    def hosts(self) -> frozenset[str]:
        """The host names of all sites."""
        urls = [source.base_url for source in self.sources]
        urls += [endpoint.url for endpoint in self.endpoints]
        return frozenset(urlsplit(url).hostname or "" for url in urls).union(self.stands_in_for)
