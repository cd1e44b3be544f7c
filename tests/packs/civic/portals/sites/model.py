"""The meetings of a generated city, from which a local site makes its pages."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class SiteItem:
    """An item of an agenda."""

    number: str
    title: str
    file: str | None = None
    attachments: tuple[str, ...] = ()


@dataclass(frozen=True)
class SiteMeeting:
    """A meeting of a city."""

    number: int
    title: str
    body: str
    starts: datetime
    location: str
    cancelled: bool = False
    items: tuple[SiteItem, ...] = ()
    minutes: bool = False
