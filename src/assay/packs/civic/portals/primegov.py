"""PrimeGov: one array of upcoming meetings, and one of archived meetings for each year."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from assay.packs.civic.portals.listed import ListedMeeting, MeetingPaper, MeetingStatus, PaperKind
from assay.packs.civic.portals.shared import (
    ENTRIES,
    CivicTenant,
    absolute_url,
    build_meeting_items,
    clean,
    find_paper_kind,
    find_status,
    parse_moment,
    refuse_garbage,
)
from assay.sdk.sources import Portal, PortalPage, PortalRequest, parse_json

_HTML = 3
"""A `compileOutputType`: the same document as a page; 1 is a PDF."""


class PrimegovTenant(CivicTenant):
    """A city at PrimeGov."""

    @property
    def base(self) -> str:
        return self.find_base("https://{site}.primegov.com")


def start(tenant: PrimegovTenant, today: date, since: date | None) -> list[PortalRequest]:
    """The upcoming meetings, and the archive of every year in the window."""
    first, last = tenant.find_window(today)
    api = f"{tenant.base}/api/v2/PublicPortal"
    return [
        PortalRequest(url=f"{api}/ListUpcomingMeetings", step="meetings"),
        *(
            PortalRequest(
                url=f"{api}/ListArchivedMeetings?year={year}",
                step="meetings",
                context={"from": first.isoformat(), "to": last.isoformat()},
            )
            for year in range(first.year, min(last, today).year + 1)
        ),
    ]


def read(data: bytes, request: PortalRequest, tenant: PrimegovTenant) -> PortalPage:
    """The meetings of an array, those outside the window left out."""
    what = "a list of PrimeGov meetings"
    rows = refuse_garbage(parse_json(data, request.url, what), list, request.url, what)
    meetings = [_read_meeting(row, tenant.base) for row in rows]
    first, last = request.context.get("from", ""), request.context.get("to", "9999")
    wanted = [meeting for meeting in meetings if first <= meeting.starts[:10] <= last]
    return PortalPage(items=build_meeting_items(tenant, tenant.base, wanted))


def _read_meeting(row: Mapping[str, Any], base: str) -> ListedMeeting:
    title = clean(row["title"]) or "Meeting"
    video = row.get("videoUrl")
    papers = _read_papers(row.get("documentList") or [], base)
    return ListedMeeting(
        vendor_id=str(row["id"]),
        title=title,
        starts=parse_moment(row["dateTime"]) or "",
        status=_find_status(row, title),
        papers=papers,
        video=absolute_url(base, video) if video else None,
        page=next((p.url for p in papers if "/Portal/Meeting" in p.url), None),
        raw=json.dumps(row, ensure_ascii=False, sort_keys=True),
    )


def _find_status(row: Mapping[str, Any], title: str) -> MeetingStatus:
    found = find_status(title)
    is_over = row.get("meetingState") == 3
    return MeetingStatus.HELD if is_over and found is MeetingStatus.SCHEDULED else found


def _read_papers(rows: list[Mapping[str, Any]], base: str) -> tuple[MeetingPaper, ...]:
    """One paper for each template: the page where there is one, because it has links and items."""
    best: dict[Any, MeetingPaper] = {}
    for row in sorted(rows, key=lambda row: row.get("compileOutputType") != _HTML):
        name = clean(row.get("templateName")) or "Document"
        template = row["templateId"]
        if " - SAP" in name:
            # A copy in Spanish of another document.
            continue
        url = (
            f"{base}/Portal/Meeting?meetingTemplateId={template}"
            if row.get("compileOutputType") == _HTML
            else f"{base}/Public/CompiledDocument?meetingTemplateId={template}&compileOutputType=1"
        )
        kind = find_paper_kind(name)
        # "HTML Agenda" and "Agenda" are two templates of the same document.
        key = kind if kind in (PaperKind.AGENDA, PaperKind.PACKET) else template
        paper = MeetingPaper(kind=kind, url=url, name=name, changed=row.get("publishDate"))
        best.setdefault(key, paper)
    return tuple(best.values())


PRIMEGOV = Portal(name="primegov", settings=PrimegovTenant, start=start, read=read, entries=ENTRIES)
