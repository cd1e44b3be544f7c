"""A site like Granicus: one page lists upcoming events and archived clips of a city."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from html import escape

from tests.packs.civic.portals.sites.generated_civic import find_city, show_document
from tests.packs.civic.portals.sites.model import SiteMeeting

_HTML = "text/html; charset=utf-8"


class GranicusSite:
    """The views and agendas of generated cities; a meeting in the past is a clip."""

    def __init__(self, meetings: Mapping[str, Sequence[SiteMeeting]]) -> None:
        self._meetings = meetings
        self.today = date(2026, 6, 15)

    def find_window(self, city: str, today: date, back: int, ahead: int) -> list[SiteMeeting]:
        """The meetings of a city from so many days ago to so many days ahead."""
        first, last = today - timedelta(days=back), today + timedelta(days=ahead)
        return [m for m in self._meetings[city] if first <= m.starts.date() <= last]

    def answer(
        self, method: str, path: str, query: Mapping[str, str], body: bytes,
        headers: Mapping[str, str],
    ) -> tuple[int, str, bytes]:  # fmt: skip
        host = headers["Host"]
        meetings = find_city(self._meetings, host)
        if meetings is None:
            return 404, _HTML, b"<h1>Not found</h1>"
        if path == "/ViewPublisher.php":
            return 200, _HTML, self._show_view(meetings, host).encode()
        if path == "/AgendaViewer.php":
            return self._show_agenda(meetings, query, host)
        if path in ("/MinutesViewer.php", "/MetaViewer.php"):
            return show_document(path, query)
        return 404, _HTML, b"<h1>Not found</h1>"

    def _is_archived(self, meeting: SiteMeeting) -> bool:
        return meeting.starts.date() < self.today

    def _show_view(self, meetings: Sequence[SiteMeeting], host: str) -> str:
        rows = {True: "", False: ""}
        for meeting in meetings:
            rows[self._is_archived(meeting)] += self._show_row(meeting, host)
        head = "<tr><th id='Name'>Name</th><th id='Date'>Date</th><th>Documents</th></tr>"
        return (
            f"<html><body><table class='listingTable' id='upcoming'>{head}{rows[False]}</table>"
            f"<table class='listingTable' id='archive'>{head}{rows[True]}</table></body></html>"
        )

    def _show_row(self, meeting: SiteMeeting, host: str) -> str:
        number = f"clip_id={meeting.number + 5000}"
        if not self._is_archived(meeting):
            number = f"event_id={meeting.number}"
        name = f"{'CANCELED - ' if meeting.cancelled else ''}{escape(meeting.title)}"
        when = meeting.starts.strftime("%B&nbsp;%d,&nbsp;%Y - %I:%M&nbsp;%p")
        links = ""
        if meeting.items:
            links += f"<a href='//{host}/AgendaViewer.php?view_id=2&amp;{number}'>Agenda</a>"
        if meeting.minutes and self._is_archived(meeting):
            links += f"<a href='//{host}/MinutesViewer.php?view_id=2&amp;{number}'>Minutes</a>"
        return (
            f"<tr class='listingRow'><td class='listItem' headers='Name'>{name}</td>"
            f"<td class='listItem' headers='Date'>{when}</td><td class='listItem'>{links}</td></tr>"
        )

    def _show_agenda(
        self, meetings: Sequence[SiteMeeting], query: Mapping[str, str], host: str
    ) -> tuple[int, str, bytes]:
        wanted = int(query.get("event_id") or int(query["clip_id"]) - 5000)
        meeting = next((m for m in meetings if m.number == wanted), None)
        if meeting is None:
            return 404, _HTML, b"<h1>Not found</h1>"
        tables = "".join(
            f"<table><tr><td class='numberspace'>{item.number}.</td><td>{escape(item.title)}"
            f"{f' File ID: {item.file}' if item.file else ''}</td></tr></table><blockquote>"
            + "".join(
                f"<a href='//{host}/MetaViewer.php?view_id=2&amp;meta_id={wanted}{item.number}"
                f"{place}'>{name}</a>"
                for place, name in enumerate(item.attachments)
            )
            + "</blockquote>"
            for item in meeting.items
        )
        return 200, _HTML, f"<html><body><h1>Agenda</h1>{tables}</body></html>".encode()
