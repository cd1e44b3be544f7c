"""PrimeGov: one array of upcoming meetings, one of archived meetings for each year, and a page
with the items of each agenda."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from assay.packs.civic.portals.listed import (
    ListedAgenda,
    ListedMeeting,
    MeetingPaper,
    MeetingStatus,
    PaperKind,
)
from assay.packs.civic.portals.primegov_agenda import read_agenda_items
from assay.packs.civic.portals.shared import (
    ENTRIES,
    CivicTenant,
    absolute_url,
    build_agenda_items,
    build_meeting_items,
    clean,
    drop_midnight,
    find_paper_kind,
    find_status,
    hash_row,
    parse_moment,
    refuse_garbage,
)
from assay.sdk.sources import Portal, PortalPage, PortalRequest, parse_html, parse_json

_PDF: Final = 1
_HTML: Final = 3
"""A `compileOutputType`: the same document as a page."""
_PREFERENCE: Final = (_PDF, _HTML)
"""Which form of a document is fetched; an agenda's page is read for its items in any case."""
_COMPLETED: Final = 3
"""A `meetingState`; 1 is scheduled and 2 in progress."""
_GONE: Final = frozenset({404, 410})


class PrimegovTenant(CivicTenant):
    """A city at PrimeGov."""

    @property
    def base(self) -> str:
        return self.find_base("https://{site}.primegov.com")


def start(tenant: PrimegovTenant, today: date, since: date | None) -> list[PortalRequest]:
    """The upcoming meetings, and the archive of every year in the window."""
    first, last = tenant.find_window(today)
    api = f"{tenant.base}/api/v2/PublicPortal"
    context = {"from": first.isoformat(), "to": last.isoformat()}
    lists = ["ListUpcomingMeetings"]
    lists += [
        f"ListArchivedMeetings?year={year}" for year in range(first.year, min(last, today).year + 1)
    ]
    return [PortalRequest(url=f"{api}/{each}", step="meetings", context=context) for each in lists]


def read(data: bytes, request: PortalRequest, tenant: PrimegovTenant) -> PortalPage:
    """The meetings of an array, those outside the window left out, or the items of an agenda."""
    if request.step == "agenda":
        return _read_agenda(data, request, tenant)
    return _read_meetings(data, request, tenant)


def recover(request: PortalRequest, status: int, tenant: PrimegovTenant) -> PortalPage | None:
    """An agenda that was withdrawn leaves the meeting as it is listed."""
    if request.step == "agenda" and status in _GONE:
        return PortalPage(warnings=[f"The agenda at {request.url} is not public."])
    return None


def _read_meetings(data: bytes, request: PortalRequest, tenant: PrimegovTenant) -> PortalPage:
    what = "a list of PrimeGov meetings"
    rows = refuse_garbage(parse_json(data, request.url, what), list, request.url, what)
    first, last = request.context.get("from", ""), request.context.get("to", "9999")
    meetings: list[ListedMeeting] = []
    requests: dict[str, PortalRequest] = {}
    warnings: list[str] = []
    for row in rows:
        starts = _find_start(row)
        if starts is None:
            warnings.append(f"Meeting {row.get('id')} has no date and was left out.")
        elif first <= starts[:10] <= last:
            meetings.append(_read_meeting(row, starts, tenant.base))
            if found := _request_agenda(row, starts, tenant.base):
                requests.setdefault(found.url, found)
    items = build_meeting_items(tenant, tenant.base, meetings)
    return PortalPage(items=items, requests=list(requests.values()), warnings=warnings)


def _find_start(row: Mapping[str, Any]) -> str | None:
    found = parse_moment(clean(row.get("dateTime")))
    return drop_midnight(found or parse_moment(f"{row.get('date')} {row.get('time') or ''}"))


def _read_meeting(row: Mapping[str, Any], starts: str, base: str) -> ListedMeeting:
    title = clean(row.get("title")) or "Meeting"
    video = clean(row.get("videoUrl"))
    page = _find_page(row)
    papers = _read_papers(_list_documents(row), base)
    return ListedMeeting(
        vendor_id=str(row["id"]),
        title=title,
        starts=starts,
        status=_find_status(row, title, papers),
        papers=papers,
        video=absolute_url(base, video) if video else None,
        page=_make_page_url(page, base) if page else None,
        raw=json.dumps(row, ensure_ascii=False, sort_keys=True),
    )


def _find_status(
    row: Mapping[str, Any], title: str, papers: Sequence[MeetingPaper]
) -> MeetingStatus:
    """Clerks forget to end meetings in the system, so minutes also show that one was held."""
    found = find_status(title)
    has_minutes = any(paper.kind is PaperKind.MINUTES for paper in papers)
    is_over = has_minutes or row.get("meetingState") == _COMPLETED
    return MeetingStatus.HELD if is_over and found is MeetingStatus.SCHEDULED else found


def _list_documents(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The documents of a meeting without the copies in Spanish."""
    documents = row.get("documentList") or []
    return [each for each in documents if " - SAP" not in str(each.get("templateName") or "")]


def _name_document(document: Mapping[str, Any]) -> str:
    return clean(document.get("templateName")) or "Document"


def _find_page(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The page of the agenda; if there is none, that of the packet."""
    pages = [each for each in _list_documents(row) if each.get("compileOutputType") == _HTML]
    for kind in (PaperKind.AGENDA, PaperKind.PACKET):
        for each in pages:
            if find_paper_kind(_name_document(each)) is kind:
                return each
    return None


def _make_page_url(document: Mapping[str, Any], base: str) -> str:
    return f"{base}/Portal/Meeting?meetingTemplateId={document['templateId']}"


def _make_document_url(document: Mapping[str, Any], base: str) -> str:
    form = document.get("compileOutputType")
    if form == _HTML:
        return _make_page_url(document, base)
    query = f"meetingTemplateId={document['templateId']}&compileOutputType={form or _PDF}"
    return f"{base}/Public/CompiledDocument?{query}"


def _read_papers(documents: Sequence[Mapping[str, Any]], base: str) -> tuple[MeetingPaper, ...]:
    """One paper for each template, in the best form that there is."""
    best: dict[Any, MeetingPaper] = {}
    for document in sorted(documents, key=_rank_form):
        name = _name_document(document)
        kind = find_paper_kind(name)
        # "HTML Agenda" and "Agenda" are two templates of the same document.
        is_single = kind in (PaperKind.AGENDA, PaperKind.PACKET)
        paper = MeetingPaper(
            kind=kind,
            url=_make_document_url(document, base),
            name=name,
            changed=document.get("publishDate"),
        )
        best.setdefault(kind if is_single else document["templateId"], paper)
    return tuple(best.values())


def _rank_form(document: Mapping[str, Any]) -> int:
    form = document.get("compileOutputType")
    return _PREFERENCE.index(form) if form in _PREFERENCE else len(_PREFERENCE)


def _request_agenda(row: Mapping[str, Any], starts: str, base: str) -> PortalRequest | None:
    page = _find_page(row)
    if page is None:
        return None
    return PortalRequest(
        url=_make_page_url(page, base),
        step="agenda",
        changed=clean(page.get("publishDate")) or hash_row(page),
        context={"meeting": str(row["id"]), "held": starts},
    )


def _read_agenda(data: bytes, request: PortalRequest, tenant: PrimegovTenant) -> PortalPage:
    page = parse_html(data, request.url, "a PrimeGov agenda")
    agenda = ListedAgenda(
        meeting=request.context["meeting"],
        items=read_agenda_items(page, tenant.base, request.url),
        raw=page.markup,
    )
    held = request.context["held"]
    return PortalPage(items=build_agenda_items(tenant, tenant.base, agenda, held))


PRIMEGOV = Portal(
    name="primegov",
    settings=PrimegovTenant,
    start=start,
    read=read,
    recover=recover,
    entries=ENTRIES,
)
