"""Municode Meetings for generated cities: the API, a publish page, or a list that runs Drupal."""

import json
from collections.abc import Mapping, Sequence
from hashlib import md5
from html import escape
from typing import Literal

from tests.packs.civic.portals.sites.model import SiteMeeting

STORAGE = "https://mccmeetings.blob.core.usgovcloudapi.net"
Mode = Literal["api", "details", "drupal", "publish", "publish_pages"]


def make_guid(meeting: SiteMeeting) -> str:
    return md5(str(meeting.number).encode(), usedforsecurity=False).hexdigest()


class MunicodeSite:
    """Cities by their name, such as `elmford-oh`, whose code is `ELMFORDOH`."""

    def __init__(
        self, meetings: Mapping[str, Sequence[SiteMeeting]], mode: Mode = "api", per_page: int = 4
    ) -> None:
        self.meetings = meetings
        self.mode = mode
        self.per_page = per_page

    def answer(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes,
        headers: Mapping[str, str],
    ) -> tuple[int, str, bytes]:
        if headers["Host"] == "meetings.municode.com":
            return self._answer_shared(path, query)
        city = headers["Host"].split(".")[0]
        ours = self.meetings[city]
        if path == "/" and self.mode == "drupal":
            return _page(self._show_drupal(city, int(query.get("page", "0"))))
        if self.mode not in {"api", "details"} or not path.startswith("/api/v1/public/meeting/"):
            return 404, "text/html", b"<h1>Page not found</h1>"
        if path.endswith("/list.json"):
            rows = [self._show_api(city, m, self.mode == "api") for m in ours]
            return _json({"Meetings": rows})
        number = int(path.split("/")[-2])
        meeting = next(m for m in ours if m.number == number)
        return _json({"Meetings": [self._show_api(city, meeting, links=True)]})

    def _answer_shared(self, path: str, query: Mapping[str, str]) -> tuple[int, str, bytes]:
        if path == "/adaHtmlDocument/index":
            city = self._find_city(query["cc"])
            found = [m for m in self.meetings[city] if make_guid(m) == query["me"]]
            return _page(_show_agenda(city, found[0]))
        city, number = self._find_city(query["cid"]), int(query["p"])
        if number == -1 and self.mode == "publish_pages":
            return 500, "text/html", b"<h1>Server Error</h1>"
        return _page(self._show_publish(city, number))

    def _find_city(self, code: str) -> str:
        return next(city for city in self.meetings if _make_code(city) == code)

    def _show_api(self, city: str, meeting: SiteMeeting, links: bool) -> dict[str, object]:
        row: dict[str, object] = {
            "MeetingID": meeting.number,
            "RevisionID": meeting.number * 10,
            "Title": meeting.title + (" - CANCELED" if meeting.cancelled else ""),
            "GroupName": meeting.body,
            "CalendarDate": [{"FromDate": f"{meeting.starts:%Y-%m-%d %H:%M:%S}"}],
            "Location": meeting.location,
        }
        if meeting.items and links:
            guid = make_guid(meeting)
            row["OriginMeetingID"] = guid
            row["AgendaLinks"] = [{"AgendaLinksURL": _store(city, "Agenda", guid)}]
            if meeting.minutes:
                row["MinutesLinks"] = [{"MinutesLinksURL": _store(city, "Minutes", guid)}]
        return row

    def _take_page(self, city: str, number: int) -> list[SiteMeeting]:
        newest = sorted(self.meetings[city], key=lambda m: m.starts, reverse=True)
        if number < 0:
            return newest
        return newest[number * self.per_page : (number + 1) * self.per_page]

    def _show_publish(self, city: str, number: int) -> str:
        rows = "".join(
            f'<tr><td class="venue">{m.location}</td><td class="meeting">{_show_title(m)}</td>'
            f'<td class="date">{m.starts:%m/%d/%Y}</td><td class="time">{m.starts:%I:%M %p}</td>'
            f'<td class="agenda">{_link(city, "Agenda", m)}</td>'
            f'<td class="minutes">{_link(city, "Minutes", m) if m.minutes else ""}</td></tr>'
            for m in self._take_page(city, number - 1 if number > 0 else -1)
        )
        head = "".join(
            f"<th>{name}</th>" for name in ("Venue", "Meeting", "Date", "Time", "Agenda", "Minutes")
        )
        last = -(-len(self.meetings[city]) // self.per_page)
        options = "".join(f'<option value="{n}">{n}</option>' for n in range(1, last + 1))
        pager = f'<select id="agendapal.page.dropbox">{options}</select>' if number > 0 else ""
        return f"<table><thead><tr>{head}</tr></thead>{rows}</table>{pager}"

    def _show_drupal(self, city: str, number: int) -> str:
        rows = "".join(
            f'<tr><td data-th="Date"><span class="date-display-single" '
            f'content="{m.starts:%Y-%m-%dT%H:%M:%S}-05:00">{m.starts:%m/%d/%Y} - '
            f'{m.starts:%I:%M%p}</span></td><td data-th="Meeting">{_show_title(m)}</td>'
            f'<td data-th="Agenda">{_link(city, "Agenda", m)}</td>'
            f'<td data-th="Minutes">{_link(city, "Minutes", m) if m.minutes else ""}</td></tr>'
            for m in self._take_page(city, number)
        )
        is_last = (number + 1) * self.per_page >= len(self.meetings[city])
        following = f'<li class="pager-next"><a href="/?page={number + 1}">next</a></li>'
        return f'<table class="views-table">{rows}</table>{"" if is_last else following}'


def _make_code(city: str) -> str:
    return city.replace("-", "").upper()


def _store(city: str, kind: str, guid: str) -> str:
    return f"{STORAGE}/{_make_code(city).lower()}-pubu/MEET-{kind}-{guid}.pdf"


def _show_title(meeting: SiteMeeting) -> str:
    return escape(meeting.title + (" - CANCELED" if meeting.cancelled else ""))


def _link(city: str, kind: str, meeting: SiteMeeting) -> str:
    if not meeting.items:
        return ""
    stored = _store(city, kind, make_guid(meeting))
    name = f"{kind}-{meeting.title}-{meeting.starts:%B %d, %Y %I.%M %p}.pdf"
    return f'<a href="https://meetings.municode.com/d/f?u={stored}&n={name}"><img></a>'


def _show_agenda(city: str, meeting: SiteMeeting) -> str:
    items = ""
    for item in meeting.items:
        files = "".join(
            f'<li><a href="{STORAGE}/{_make_code(city).lower()}-pubu/{meeting.number}/{name}">'
            f"{name}</a> (0.02 MB)</li>"
            for name in item.attachments
        )
        items += (
            f'<li><div class="Section0"><p><num>{item.number}.</num>'
            f"<span>{escape(item.title)}</span></p></div></li>"
            f'<ul class="agenda_item_attachments">{files}</ul>'
        )
    return (
        '<div class="ap-agenda"><section class="agenda-section"><h2 class="section-header">'
        f'<num>1.</num>NEW BUSINESS</h2><ul class="agenda-items">{items}</ul></section></div>'
    )


def _page(inner: str) -> tuple[int, str, bytes]:
    return 200, "text/html", f"<html><body>{inner}</body></html>".encode()


def _json(value: object) -> tuple[int, str, bytes]:
    return 200, "application/json", json.dumps(value).encode()
