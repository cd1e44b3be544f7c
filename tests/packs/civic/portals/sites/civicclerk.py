"""A local CivicClerk: pages of ten events, and the agenda of each."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from tests.packs.civic.portals.sites.cities import find_city
from tests.packs.civic.portals.sites.model import SiteItem, SiteMeeting

_PAGE = 10
_JSON = "application/json"
_AGENDAS = 7000
"""Agendas have other numbers than events."""


class CivicClerkSite:
    """Answers like the API of the vendor."""

    def __init__(self, meetings: Mapping[str, Sequence[SiteMeeting]]) -> None:
        self._cities = meetings

    def answer(
        self, method: str, path: str, query: Mapping[str, str], body: bytes,
        headers: Mapping[str, str],
    ) -> tuple[int, str, bytes]:  # fmt: skip
        city, rest = find_city(self._cities, path, headers)
        if city is None:
            return 404, "text/html", b"<html><body>Not found</body></html>"
        if rest == "/v1/Events":
            home = f"http://{headers.get('Host', 'local')}{path.removesuffix(rest)}"
            return 200, _JSON, self._list(city, query, home)
        if found := re.fullmatch(r"/v1/Meetings/(\d+)", rest):
            return self._show(city, int(found[1]) - _AGENDAS)
        if re.fullmatch(r"/v1/Meetings/Get\w+File\w*\(.*\)", rest):
            return 200, "application/pdf", b"%PDF-1.4 " + rest.encode()
        return 404, _JSON, b'{"error":{"code":"NotFound"}}'

    def _list(self, city: str, query: Mapping[str, str], home: str) -> bytes:
        bounds = re.findall(r"(ge|lt) (\d{4}-\d{2}-\d{2})", query.get("$filter", ""))
        first, last = dict(bounds).get("ge", ""), dict(bounds).get("lt", "9999")
        wanted = [
            each for each in self._cities[city] if first <= each.starts.date().isoformat() < last
        ]
        skip = int(query.get("$skip", "0"))
        answer: dict[str, Any] = {
            "@odata.context": f"{home}/v1/$metadata#Events",
            "value": [_make_event(each) for each in wanted[skip : skip + _PAGE]],
        }
        if skip + _PAGE < len(wanted):
            further = urlencode({**query, "$skip": str(skip + _PAGE)})
            answer["@odata.nextLink"] = f"{home}/v1/Events?{further}"
        return json.dumps(answer).encode()

    def _show(self, city: str, number: int) -> tuple[int, str, bytes]:
        meeting = next((each for each in self._cities[city] if each.number == number), None)
        if meeting is None or not meeting.items:
            return 404, _JSON, b""
        items = [_make_item(item, number, place) for place, item in enumerate(meeting.items)]
        section = {
            "id": number * 1000, "isSection": 1, "agendaObjectItemName": "<p>New Business</p>",
            "childItems": items, "attachmentsList": [], "sortOrder": 1,
        }  # fmt: skip
        return 200, _JSON, json.dumps({"id": number + _AGENDAS, "items": [section]}).encode()


def _make_event(meeting: SiteMeeting) -> dict[str, Any]:
    kinds = ["Agenda"] * bool(meeting.items) + ["Minutes"] * meeting.minutes
    return {
        "id": meeting.number,
        "eventName": meeting.title,
        "startDateTime": f"{meeting.starts:%Y-%m-%dT%H:%M:%S}Z",
        "categoryName": meeting.body,
        "isPublished": "Published",
        "isDeleted": False,
        "agendaId": meeting.number + _AGENDAS,
        "hasAgenda": True,
        "liveEndTime": "1900-01-01T00:00:00Z",
        "eventLocation": {"address1": meeting.location, "address2": None, "city": None},
        "publishedFiles": [
            {
                "fileId": meeting.number * 10 + place, "type": kind, "name": kind,
                "publishOn": "2026-01-01T08:00:00Z", "url": f"stream/CITY/{place}.pdf",
            }
            for place, kind in enumerate(kinds)
        ],
    }  # fmt: skip


def _make_item(item: SiteItem, number: int, place: int) -> dict[str, Any]:
    title = item.title.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return {
        "id": number * 1000 + place + 1,
        "isSection": 0,
        "agendaObjectItemName": f"<p>{title}</p>",
        "agendaObjectItemOutlineNumber": f"{item.number}.",
        "resolutionFormattedNumber": item.file,
        "sortOrder": place + 1,
        "childItems": [],
        "attachmentsList": [
            {
                "id": number * 10000 + place * 100 + each, "fileName": name,
                "pdfVersionFullPath": f"https://blob.invalid/{name}.pdf?sig=1", "isPublished": True,
            }
            for each, name in enumerate(item.attachments)
        ],
    }  # fmt: skip
