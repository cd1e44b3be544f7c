"""A local PrimeGov: upcoming and archived meetings, and agenda pages in three forms."""

import html
import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from tests.packs.civic.portals.sites.cities import find_city
from tests.packs.civic.portals.sites.model import SiteItem, SiteMeeting

_API = "/api/v2/PublicPortal"
_FORMS = 3


class PrimeGovSite:
    """Answers like the vendor's site on a certain day."""

    def __init__(
        self, meetings: Mapping[str, Sequence[SiteMeeting]], today: date = date(2026, 4, 15)
    ) -> None:
        self._cities = meetings
        self._today = today

    def answer(
        self, method: str, path: str, query: Mapping[str, str], body: bytes,
        headers: Mapping[str, str],
    ) -> tuple[int, str, bytes]:  # fmt: skip
        city, rest = find_city(self._cities, path, headers)
        if city is None:
            return 404, "text/html", b"<html><body>Not found</body></html>"
        rows = self._cities[city]
        if rest == f"{_API}/ListUpcomingMeetings":
            rows = [each for each in rows if each.starts.date() >= self._today]
            return 200, "application/json", json.dumps([_make_row(each) for each in rows]).encode()
        if rest == f"{_API}/ListArchivedMeetings":
            # A meeting of today is in both lists.
            year = int(query["year"])
            rows = [each for each in rows if each.starts.date() <= self._today]
            listed = [_make_row(each) for each in rows if each.starts.year == year]
            return 200, "application/json", json.dumps(listed).encode()
        if rest == "/Portal/Meeting":
            number = int(query["meetingTemplateId"]) // 10
            found = next((each for each in rows if each.number == number), None)
            if found is not None and found.items:
                return 200, "text/html", _make_page(found, path.removesuffix(rest)).encode()
        if "CompiledDocument" in rest or "historyattachment" in rest:
            return 200, "application/pdf", b"%PDF-1.4 " + str(sorted(query.items())).encode()
        return 404, "text/html", b""


def _make_row(meeting: SiteMeeting) -> dict[str, Any]:
    kinds = [("HTML Agenda", 3, 1), ("Agenda", 1, 1)] if meeting.items else []
    kinds += [("Minutes", 1, 2)] * meeting.minutes
    return {
        "id": meeting.number,
        "title": meeting.title,
        "dateTime": f"{meeting.starts:%Y-%m-%dT%H:%M:%S}",
        "date": f"{meeting.starts:%b %d, %Y}",
        "time": f"{meeting.starts:%I:%M %p}",
        "videoUrl": f"//video.invalid/MediaPlayer.php?clip_id={meeting.number}",
        "meetingState": 3 if meeting.minutes else 1,
        "documentList": [
            {
                "templateName": name, "compileOutputType": form,
                "templateId": meeting.number * 10 + kind, "publishDate": "2026-01-02T03:04:05",
            }
            for name, form, kind in kinds
        ],
    }  # fmt: skip


def _make_page(meeting: SiteMeeting, home: str) -> str:
    """The page of an agenda; the number of the meeting decides which form it has."""
    make = (_make_wrapped, _make_plain, _make_table)[meeting.number % _FORMS]
    rows = "".join(
        make(item, str(meeting.number * 100 + place), home)
        for place, item in enumerate(meeting.items)
    )
    return (
        "<html><body><div data-sectionid='7'><table><tr class='section-row'>"
        "<td class='number-cell-section'>I.</td><td class='section-heading'><p><b>New</b> Business"
        f"</p></td></tr></table></div>{rows}</body></html>"
    )


def _make_area(item: SiteItem, item_id: str, home: str) -> str:
    links = "".join(
        f"<div class='attachment-holder'><a href='/viewer/preview?id=1&amp;uid={item_id}-{place}'>"
        f"<span></span></a><a href='{home}/api/compilemeetingattachmenthistory/historyattachment/"
        f"?historyId={item_id}-{place}' title='Download {html.escape(name)}'><span></span>&nbsp;"
        f"{html.escape(name)}</a></div>"
        for place, name in enumerate(item.attachments)
    )
    return f"<div class='item_contents' id='agenda_item_area_{item_id}'>{links}</div>"


def _make_wrapped(item: SiteItem, item_id: str, home: str) -> str:
    words = (
        "<table class='forcepopulate'>"
        f"<tr><td colspan='2'>{item.file or ''}</td></tr>"
        f"<tr><td>CD 4</td><td><div>{html.escape(item.title)}</div></td></tr></table>"
    )
    return (
        f"<div class='meeting-item' data-itemid='{item_id}' data-mig='m{item_id}'>"
        f"<table class='item-table'><tr><td class='number-cell'>({item.number})</td>"
        f"<td class='item-cell'><div class='agenda-item' id='AgendaItem_{item_id}'>{words}</div>"
        f"{_make_area(item, item_id, home)}</td></tr></table></div>"
    )


def _make_plain(item: SiteItem, item_id: str, home: str) -> str:
    return (
        f"<div class='agenda-item' id='AgendaItem_{item_id}'><p>{html.escape(item.title)}</p></div>"
        f"{_make_area(item, item_id, home)}"
    )


def _make_table(item: SiteItem, item_id: str, home: str) -> str:
    return (
        f"<table data-itemid='{item_id}'><tr><td class='attachmentCell'>x</td>"
        f"<td>{item.number}.</td><td>{html.escape(item.title)}</td></tr></table>"
        f"{_make_area(item, item_id, home)}"
    )
