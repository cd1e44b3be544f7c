"""Generated meetings for local portals: held, planned and cancelled, in two years."""

from datetime import date, datetime, timedelta

from tests.packs.civic.portals.sites.model import SiteItem, SiteMeeting

TODAY = date(2026, 12, 10)
BOARDS = ("City Council", "Planning Commission")


def generate_meetings(count: int = 12) -> list[SiteMeeting]:
    """Meetings from well before the usual window to after it, every third without an agenda."""
    begin = datetime(2026, 9, 1, 18, 30)
    return [
        SiteMeeting(
            number=100 + place,
            title=f"{BOARDS[place % 2]} Regular Meeting",
            body=BOARDS[place % 2],
            starts=begin + timedelta(days=16 * place),
            location="12 Main Street",
            cancelled=place % 5 == 4,
            items=_generate_items(place) if place % 3 else (),
            minutes=place % 4 == 0,
        )
        for place in range(count)
    ]


def _generate_items(place: int) -> tuple[SiteItem, ...]:
    return (
        SiteItem("1", f"Resolution {place} on the harbor budget", attachments=("Report.pdf",)),
        SiteItem("2", f"Contract {place} for street lights"),
    )


def find_expected(
    meetings: list[SiteMeeting], back: int = 30, ahead: int = 60
) -> list[SiteMeeting]:
    """Those in the window."""
    first, last = TODAY - timedelta(days=back), TODAY + timedelta(days=ahead)
    return [m for m in meetings if first <= m.starts.date() <= last]
