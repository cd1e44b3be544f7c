"""The pack's part of the demo: the council of a town, at a vendor's portal on loopback.

Two meetings of the council, at which a matter returns; one of a commission whose items have no
documents but the pages of a packet; and one of a board that is cancelled on the second day, when
minutes appear as well. The dates are near the present one.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final

from assay.packs.civic.jobs import make_endpoint_id
from assay.packs.civic.records import City
from assay.sdk.demo import Demo, SitePage
from assay.sdk.records import Endpoint, Source
from assay.sdk.services import Services
from assay.sdk.sources import read_yaml

TOWN: Final = "vedrineharbourVD"
LAST_DAY: Final = 2
_NAME: Final = "Vedrine Harbour"
_COUNCIL: Final = "Town Council"
_HOST: Final = "council.demo.test"
_SITE: Final = f"http://{_HOST}"
_ZONE: Final = "Europe/Zagreb"
_RETURNED: Final = "26-011"
"""The matter that comes before two meetings."""
_API: Final = "/api/v2/PublicPortal"
_DAYS: Final = 75
"""How far from now the meetings can be."""
_PDF, _HTML = 1, 3
"""What PrimeGov calls the forms of its documents."""


def build_council_demo(today: date | None = None) -> Demo:
    """Build the demo of the council, with meetings around a day."""
    day = today or datetime.now(UTC).date()
    slug, url = TOWN, f"{_SITE}/"
    options = {"site": _SITE, "timezone": _ZONE, "days_back": _DAYS, "days_ahead": _DAYS}
    city = City(banana=TOWN, name=_NAME, state="VD", vendor="primegov", site=_SITE, timezone=_ZONE)
    return Demo(
        sources=(Source(source_slug=slug, name=_NAME, base_url=url, packs=["civic"]),),
        endpoints=(
            Endpoint(
                endpoint_id=make_endpoint_id(TOWN),
                source_slug=slug,
                url=url,
                strategy="primegov",
                options=options,
            ),
        ),
        records=(city,),
        pages=lambda number: _Council(day, number).build_pages(),
        last_day=LAST_DAY,
        epilogue=lambda services: _write_epilogue(services, day),
        try_next=("civic meetings", f"civic matter {TOWN}_{_RETURNED}", "civic search harbour"),
    )


def _write_epilogue(services: Services, today: date) -> str:
    """The digest, and the way of the matter that returned."""
    # Only the end of the demo needs them.
    from assay.packs.civic.outputs.digest import build_digest, format_start
    from assay.packs.civic.outputs.digest_markdown import render_markdown
    from assay.packs.civic.queries import list_appearances

    since = (today - timedelta(days=_DAYS)).isoformat()
    lines = [render_markdown(build_digest(services, since, TOWN, None))]
    lines += [f"## {_RETURNED}, meeting by meeting", ""]
    for row in list_appearances(services, f"{TOWN}_{_RETURNED}"):
        decision = ", ".join(filter(None, (row["decision"], row["tally"]))) or "not decided yet"
        lines.append(f"- {row['title']}, {format_start(row['starts'])}: {decision}")
    return "\n".join(lines)


@dataclass(frozen=True)
class _Council:
    """The portal on one day of the demo."""

    today: date
    day: int

    def build_pages(self) -> dict[str, SitePage]:
        found = [*self._build_lists(), *self._build_documents()]
        for meeting in _load()["meetings"]:
            found += self._build_papers(meeting)
        return {f"{_HOST}{page.path}": page for page in found}

    def _build_lists(self) -> Iterator[SitePage]:
        meetings = _load()["meetings"]
        upcoming = [m for m in meetings if m["months"] > 0]
        yield _make_json(f"{_API}/ListUpcomingMeetings", [self._list(m) for m in upcoming])
        for year in (self.today.year - 1, self.today.year, self.today.year + 1):
            past = [
                self._list(meeting)
                for meeting in meetings
                if meeting["months"] < 0 and self._find_date(meeting).year == year
            ]
            yield _make_json(f"{_API}/ListArchivedMeetings?year={year}", past)

    def _list(self, meeting: Mapping[str, Any]) -> dict[str, Any]:
        """A meeting as the portal's API lists it."""
        number = meeting["number"]
        # Under the name of the agenda, a page would be searched for items that the portal itself
        # lists, and which come first is a matter of chance.
        papers = [("Agenda Packet", _HTML, number * 10)] if "items" in meeting else []
        papers += [("Agenda Packet", _PDF, number * 10)] if "packet" in meeting else []
        papers += [("Minutes", _PDF, number * 10 + 1)] if self._has_minutes(meeting) else []
        is_cancelled = self.day >= meeting.get("cancelled", LAST_DAY + 1)
        return {
            "id": number,
            "title": f"CANCELLED - {meeting['title']}" if is_cancelled else meeting["title"],
            "dateTime": f"{self._find_date(meeting)}T19:00:00",
            "meetingState": 3 if meeting["months"] < 0 else 1,
            "videoUrl": None,
            "documentList": [
                {
                    "templateId": template,
                    "templateName": name,
                    "compileOutputType": form,
                    "publishDate": "2026-01-02T10:00:00",
                }
                for name, form, template in papers
            ],
        }

    def _find_date(self, meeting: Mapping[str, Any]) -> date:
        """The second Tuesday of its month; boards meet on the day after."""
        months = self.today.year * 12 + self.today.month - 1 + meeting["months"]
        first = date(months // 12, months % 12 + 1, 1)
        tuesday = first + timedelta(days=(1 - first.weekday()) % 7 + 7)
        return tuesday + timedelta(days=meeting["title"] != _COUNCIL)

    def _has_minutes(self, meeting: Mapping[str, Any]) -> bool:
        return self.day >= int(meeting.get("minutes", LAST_DAY + 1))

    def _build_papers(self, meeting: Mapping[str, Any]) -> Iterator[SitePage]:
        number, compiled = meeting["number"], "/Public/CompiledDocument?compileOutputType=1"
        if "items" in meeting:
            entries = "".join(
                _make_entry(number * 100 + place, item)
                for place, item in enumerate(meeting["items"], 1)
            )
            yield _make_page(f"/Portal/Meeting?meetingTemplateId={number * 10}", entries)
        if "packet" in meeting:
            pages = "\f".join("\n\n".join(page) for page in meeting["packet"])
            yield _make_text(f"{compiled}&meetingTemplateId={number * 10}", pages)
        if self._has_minutes(meeting):
            paragraphs = "".join(f"<p>{escape(line)}</p>" for line in _load()["minutes"])
            yield _make_page(f"{compiled}&meetingTemplateId={number * 10 + 1}", paragraphs)

    def _build_documents(self) -> Iterator[SitePage]:
        for name, sentences in _load()["documents"].items():
            text = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
            yield _make_page(f"/meeting/document/{name}.html", text)


def _make_entry(item_id: int, item: Mapping[str, Any]) -> str:
    """An item as the portal's agenda has it."""
    lines = [str(item[name]) for name in ("file", "title") if name in item]
    words = "".join(f"<p>{escape(line)}</p>" for line in lines)
    link = ""
    if "document" in item:
        link = f"<a href='/meeting/document/{item['document']}.html'>Staff report</a>"
    return (
        f"<div class='agenda-item' id='AgendaItem_{item_id}'>{words}</div>"
        f"<div class='item_contents' id='agenda_item_area_{item_id}'>{link}</div>"
    )


@cache
def _load() -> Mapping[str, Any]:
    return dict(read_yaml(Path(__file__).parent / "council.yml"))


def _make_json(path: str, rows: list[dict[str, Any]]) -> SitePage:
    return _make(path, json.dumps(rows), "application/json")


def _make_page(path: str, body: str) -> SitePage:
    html = f"<html><head><title>{_NAME}</title></head><body><main>{body}</main></body></html>"
    return _make(path, html, "text/html; charset=utf-8")


def _make_text(path: str, text: str) -> SitePage:
    return _make(path, text, "text/plain; charset=utf-8")


def _make(path: str, text: str, content_type: str) -> SitePage:
    return SitePage.of(path, text.encode(), content_type, datetime(2026, 1, 2, tzinfo=UTC))
