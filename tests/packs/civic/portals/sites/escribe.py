"""A local eSCRIBE: a calendar that is asked by POST, and a page for each agenda."""

import html
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from tests.packs.civic.portals.sites.cities import find_city
from tests.packs.civic.portals.sites.model import SiteItem, SiteMeeting


class EscribeSite:
    """Answers like the vendor's public site."""

    def __init__(self, meetings: Mapping[str, Sequence[SiteMeeting]]) -> None:
        self._cities = meetings

    def answer(
        self, method: str, path: str, query: Mapping[str, str], body: bytes,
        headers: Mapping[str, str],
    ) -> tuple[int, str, bytes]:  # fmt: skip
        city, rest = find_city(self._cities, path, headers)
        if city is None:
            return 404, "text/html", b"<html><body>Not found</body></html>"
        if rest == "/MeetingsCalendarView.aspx/GetCalendarMeetings":
            if method != "POST":
                return 405, "text/html", b""
            asked = json.loads(body)
            first, last = asked["calendarStartDate"], asked["calendarEndDate"]
            rows = [
                _make_row(city, each)
                for each in self._cities[city]
                if first <= each.starts.date().isoformat() < last
            ]
            return 200, "application/json", json.dumps({"d": rows}).encode()
        if rest == "/Meeting.aspx":
            return self._show(city, query)
        if rest.lower() == "/filestream.ashx":
            return 200, "application/pdf", b"%PDF-1.4 " + query["DocumentId"].encode()
        return 404, "text/html", b""

    def _show(self, city: str, query: Mapping[str, str]) -> tuple[int, str, bytes]:
        for each in self._cities[city]:
            if make_id(city, each) == query.get("Id") and each.items:
                return 200, "text/html", _make_page(each).encode()
        return 404, "text/html", b""


def make_id(city: str, meeting: SiteMeeting) -> str:
    """The id of a meeting at the vendor."""
    return str(uuid5(NAMESPACE_URL, f"{city}/{meeting.number}"))


def _make_row(city: str, meeting: SiteMeeting) -> dict[str, Any]:
    meeting_id = make_id(city, meeting)
    kinds = ["Agenda"] * bool(meeting.items) + ["PostMinutes"] * meeting.minutes
    links = []
    for place, kind in enumerate(kinds):
        name = "Minutes" if kind == "PostMinutes" else "Agenda"
        page = f"Meeting.aspx?Id={meeting_id}&Agenda={kind}&lang=English"
        file = f"FileStream.ashx?DocumentId={meeting.number * 10 + place}"
        links += [
            {"Type": kind, "Format": "HTML", "Title": f"{name} (HTML)", "Url": page},
            {"Type": kind, "Format": ".pdf", "Title": f"{name} (PDF)", "Url": file},
        ]
    return {
        "ID": meeting_id,
        "MeetingName": meeting.title,
        "MeetingType": meeting.body,
        "StartDate": f"{meeting.starts:%Y/%m/%d %H:%M:%S}",
        "FormattedStart": f"{meeting.starts:%A, %B %d, %Y @ %I:%M %p}",
        "Location": meeting.location,
        "Description": meeting.location,
        "Url": "",
        "HasAgenda": bool(meeting.items),
        "HasVideo": False,
        "MeetingDocumentLink": links,
    }


def _make_page(meeting: SiteMeeting) -> str:
    inner = "".join(
        _make_item(item, meeting.number * 100 + place) for place, item in enumerate(meeting.items)
    )
    heading = _make_title("1.", "Business")
    return (
        "<html><body><HEADER><DIV class='AgendaHeaderTitle'>Agenda</DIV></HEADER>"
        "<DIV class='AgendaItems'><DIV class='AgendaItemContainer indent'>"
        f"<DIV class='AgendaItem AgendaItem{meeting.number * 100 + 99}'>{heading}"
        f"</DIV><DIV>{inner}</DIV></DIV></DIV></body></html>"
    )


def _make_title(number: str, title: str) -> str:
    return (
        f"<DIV class='AgendaItemTitleRow'><H3><DIV class='AgendaItemCounter'>{number}</DIV>"
        "<DIV class='AgendaItemTitle'><a href=\"javascript:SelectItem(1);\">"
        f"{html.escape(title)}</a></DIV></H3></DIV>"
    )


def _make_item(item: SiteItem, number: int) -> str:
    title = f"20{item.file}: {item.title}" if item.file else item.title
    links = "".join(
        f"<DIV class='AgendaItemAttachment'><a class='Link' "
        f'href="filestream.ashx?DocumentId={number * 100 + place}">{html.escape(name)}</a></DIV>'
        for place, name in enumerate(item.attachments)
    )
    inner = re.sub(r"SelectItem\(1\)", f"SelectItem({number})", _make_title(item.number, title))
    return (
        f"<DIV class='AgendaItemContainer indent'><DIV class='AgendaItem AgendaItem{number}'>"
        f"{inner}{links}</DIV></DIV>"
    )
