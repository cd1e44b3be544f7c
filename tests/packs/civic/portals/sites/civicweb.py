"""A local CivicWeb: the service and, where a city has switched it off, its pages."""

import html
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.packs.civic.portals.sites.cities import find_city
from tests.packs.civic.portals.sites.model import SiteItem, SiteMeeting

_SERVICE = "/Services/MeetingsService.svc/meetings"
_JSON = "application/json"


class CivicWebSite:
    """Answers like the vendor's site; cities in `closed` have no service."""

    def __init__(
        self, meetings: Mapping[str, Sequence[SiteMeeting]], closed: Sequence[str] = ()
    ) -> None:
        self._cities = meetings
        self._closed = closed

    def answer(
        self, method: str, path: str, query: Mapping[str, str], body: bytes,
        headers: Mapping[str, str],
    ) -> tuple[int, str, bytes]:  # fmt: skip
        city, rest = find_city(self._cities, path, headers)
        if city is None or (city in self._closed and rest.startswith("/Services")):
            return 404, "text/html", b"<html><body>Not found</body></html>"
        home = path.removesuffix(rest)
        if rest == _SERVICE:
            rows = [
                _make_row(each)
                for each in self._cities[city]
                if query["from"] <= each.starts.date().isoformat() <= query["to"]
            ]
            return 200, _JSON, json.dumps(rows).encode()
        if found := re.fullmatch(rf"{_SERVICE}/(\d+)/meetingDocuments", rest):
            return 200, _JSON, json.dumps(self._list_documents(city, int(found[1]), home)).encode()
        if found := re.fullmatch(r"/api/videolink/(\d+)", rest):
            video = json.dumps([{"ShowVideoLink": True, "YouTubeEventId": f"yt{found[1]}"}])
            return 200, _JSON, json.dumps(video).encode()
        if rest == "/Portal/MeetingTypeList.aspx":
            return 200, "text/html", self._show_list(city).encode()
        if rest == "/Portal/MeetingInformation.aspx":
            return 200, "text/html", self._show_meeting(city, int(query["Id"]), home).encode()
        if rest.startswith("/document/"):
            return 200, "application/pdf", b"%PDF-1.4 " + rest.encode()
        return 404, "text/html", b""

    def _find(self, city: str, number: int) -> SiteMeeting:
        return next(each for each in self._cities[city] if each.number == number)

    def _list_documents(self, city: str, number: int, home: str) -> list[dict[str, Any]]:
        meeting = self._find(city, number)
        kinds = [1] * bool(meeting.items) + [2] * meeting.minutes
        return [
            {
                "Id": number * 10 + kind, "Type": kind, "DocumentType": 1 if kind == 1 else 10,
                "IsPublic": True, "Name": _name(meeting), "AgendaCover": "",
                "Html": _make_agenda(meeting, home) if kind == 1 else "", "MeetingId": number,
            }
            for kind in kinds
        ]  # fmt: skip

    def _show_list(self, city: str) -> str:
        rows: list[str] = []
        for body in dict.fromkeys(each.body for each in self._cities[city]):
            rows.append(
                f'<a href="MeetingInformation.aspx?type={len(rows)}">{html.escape(body)}</a>'
            )
            rows += [
                f'<li><a href="MeetingInformation.aspx?Org=Cal&amp;Id={each.number}">'
                f"{html.escape(_name(each))}</a></li>"
                for each in self._cities[city]
                if each.body == body
            ]
        return f"<html><body><form id='aspnetForm'>{''.join(rows)}</form></body></html>"

    def _show_meeting(self, city: str, number: int, home: str) -> str:
        meeting = self._find(city, number)
        link = f'<a href="{home}/document/{number * 10 + 1}/Agenda.pdf?handle=A1">Agenda - PDF</a>'
        agenda = _make_agenda(meeting, home) if meeting.items else ""
        return f"<html><body><form>{link if meeting.items else ''}{agenda}</form></body></html>"


def _name(meeting: SiteMeeting) -> str:
    return f"{meeting.title} - {meeting.starts:%b %d %Y}"


def _make_row(meeting: SiteMeeting) -> dict[str, Any]:
    return {
        "Id": meeting.number,
        "Name": _name(meeting),
        "MeetingDate": f"{meeting.starts:%Y-%m-%d}",
        "MeetingDateTime": f"{meeting.starts:%Y-%m-%d %H:%M}",
        "MeetingTime": f"{meeting.starts:%I:%M %p}",
        "MeetingLocation": meeting.location,
        "MeetingTypeName": meeting.body,
        "Published": bool(meeting.items),
        "ExternalCalendar": False,
        "VideoIcon": "<em class='video-event'></em>" if meeting.minutes else "",
        "TypeId": 20,
    }


def _make_agenda(meeting: SiteMeeting, home: str) -> str:
    rows = "".join(
        _make_item(item, meeting.number * 100 + place, home)
        for place, item in enumerate(meeting.items)
    )
    return (
        "<html><body><p>City of Somewhere</p><p><a name='AgendaHeading9'></a>&nbsp;</p>"
        "<table><tr><td><p>1.</p></td><td><p><span>BUSI</span><span>NESS</span></p></td></tr></table>"
        f"{rows}</body></html>"
    )


def _make_item(item: SiteItem, number: int, home: str) -> str:
    links = "".join(
        f"<p><a target='AgendaAttachment' href='{home}/document/{number}{place}/a.pdf?handle=B2'>"
        f"{html.escape(name)}</a></p>"
        for place, name in enumerate(item.attachments)
    )
    return (
        f"<p><a name='AgendaItem{number}'></a>&nbsp;</p><table><tr><td><p>&nbsp;</p></td>"
        f"<td><p>{item.number}.</p></td><td><p>{html.escape(item.title)}</p>{links}</td>"
        "<td><p>12</p></td></tr></table>"
    )
