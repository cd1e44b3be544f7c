"""Which city a request to a local site is for, and cities to try a portal with."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from tests.packs.civic.portals.sites.model import SiteItem, SiteMeeting


def find_city(
    cities: Mapping[str, Sequence[SiteMeeting]], path: str, headers: Mapping[str, str]
) -> tuple[str | None, str]:
    """The city and the rest of the path: the first part of the path names it, or the host does."""
    first, _, rest = path.lstrip("/").partition("/")
    if first in cities:
        return first, f"/{rest}"
    host = next((value for key, value in headers.items() if key.lower() == "host"), "")
    name = host.partition(".")[0].removeprefix("pub-")
    return (name if name in cities else None), path


def make_meetings(around: datetime, count: int) -> tuple[SiteMeeting, ...]:
    """Meetings every four days: past ones with minutes, some cancelled, some without an agenda."""
    made = []
    for number in range(count):
        starts = around + timedelta(days=4 * (number - count // 2))
        body = ("City Council", "Planning Board", "Parks & Trees Committee")[number % 3]
        items = tuple(
            SiteItem(
                number=f"{place // 3 + 1}.{place % 3 + 1}",
                title=f"Ordinance {number}-{place} on “kerbs” & <gutters>",
                file=f"2{number % 10}-{1000 + place}" if place % 2 else None,
                attachments=tuple(f"Report {number}-{place}-{each}" for each in range(place % 3)),
            )
            for place in range(number % 5)
        )
        made.append(
            SiteMeeting(
                number=500 + number,
                title=f"{body} Meeting" + (" - CANCELLED" if number % 7 == 3 else ""),
                body=body,
                starts=starts,
                location="1 Main St",
                cancelled=number % 7 == 3,
                items=items,
                minutes=starts < around and bool(items),
            )
        )
    return tuple(made)
