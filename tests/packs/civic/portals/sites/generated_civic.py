"""Meetings of a generated city, around a day."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

from tests.packs.civic.portals.sites.model import SiteItem, SiteMeeting

TODAY = date(2026, 6, 15)
_BODIES = ("City Council", "Planning Commission", "Parks Board")


def make_meetings() -> list[SiteMeeting]:
    """Some before the window, some after it, one cancelled, one without an agenda."""
    begin = datetime(2026, 4, 7, 18, 30)
    return [
        SiteMeeting(
            number=100 + place,
            title=f"{_BODIES[place % 3]} Meeting",
            body=_BODIES[place % 3],
            starts=begin + timedelta(days=11 * place, minutes=15 * (place % 3)),
            location="Hall, 5 Quay Street",
            cancelled=place == 5,
            items=() if place == 7 else _make_items(place),
            minutes=place < 6,
        )
        for place in range(16)
    ]


def _make_items(place: int) -> tuple[SiteItem, ...]:
    return (
        SiteItem("1", f"Budget of pier {place}", attachments=("Budget.pdf", "Map.pdf")),
        SiteItem("2", f"Lease of shed {place}", file=f"2026-{place:04d}"),
        SiteItem("3", f"Repair of crane {place}", attachments=("Quote.pdf",)),
    )


def find_city(
    meetings: Mapping[str, Sequence[SiteMeeting]], host: str
) -> Sequence[SiteMeeting] | None:
    """The meetings of the city that a host names; of the only one, if the host names none."""
    if len(meetings) == 1:
        return next(iter(meetings.values()))
    return meetings.get(host.partition(".")[0])


def show_document(path: str, query: Mapping[str, str]) -> tuple[int, str, bytes]:
    """A document, which says what was asked for."""
    said = ", ".join(f"{key} {value}" for key, value in query.items())
    body = f"<html><body><h1>{path.strip('/')}</h1><p>Document with {said}.</p></body></html>"
    return 200, "text/html; charset=utf-8", body.encode()
