"""eSCRIBE: one array of meetings for a range of days, and a page with the items of each.

The page of the minutes has the same form as that of the agenda, and also the motions and votes.
"""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from assay.packs.civic.portals.escribe_agenda import read_agenda_items
from assay.packs.civic.portals.listed import (
    ListedAgenda,
    ListedMeeting,
    MeetingPaper,
    MeetingStatus,
    PaperKind,
)
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
    read_words,
    refuse_garbage,
)
from assay.sdk.sources import Portal, PortalPage, PortalRequest, parse_html, parse_json

_FORMATS: Final = ("%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M", "%Y/%m/%d")
_TICKS = re.compile(r"/Date\((-?\d+)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CANCELLED = re.compile(r"\bannul[ée]", re.IGNORECASE)
_POSTPONED = re.compile(r"\breport[ée]e?\b", re.IGNORECASE)
_AGENDA_TYPES: Final = ("postminutes", "minutes", "merged", "postagenda", "agenda")
"""Which page to read the items from, the best first."""
_GONE: Final = frozenset({404, 410})


class EscribeTenant(CivicTenant):
    """A city at eSCRIBE; `site` is the name with or without its `pub-`."""

    language: str = "English"
    """The language of the pages to read, where a city publishes several."""

    @property
    def base(self) -> str:
        is_whole = self.site.strip().lower().startswith("pub-")
        name = "{site}" if is_whole else "pub-{site}"
        return self.find_base(f"https://{name}.escribemeetings.com")


def start(tenant: EscribeTenant, today: date, since: date | None) -> list[PortalRequest]:
    """All meetings in the window, in one request."""
    first, last = tenant.find_window(today)
    body = {
        "calendarStartDate": first.isoformat(),
        "calendarEndDate": (last + timedelta(days=1)).isoformat(),
    }
    return [
        PortalRequest(
            url=f"{tenant.base}/MeetingsCalendarView.aspx/GetCalendarMeetings",
            step="meetings",
            body=json.dumps(body),
            context={"from": first.isoformat(), "to": last.isoformat()},
        )
    ]


def read(data: bytes, request: PortalRequest, tenant: EscribeTenant) -> PortalPage:
    """The meetings of the calendar, or the items of a page."""
    if request.step == "agenda":
        return _read_agenda(data, request, tenant)
    return _read_meetings(data, request, tenant)


def recover(request: PortalRequest, status: int, tenant: EscribeTenant) -> PortalPage | None:
    """A page that was withdrawn leaves the meeting as it is listed."""
    if request.step == "agenda" and status in _GONE:
        return PortalPage(warnings=[f"The agenda at {request.url} is not public."])
    return None


def _read_meetings(data: bytes, request: PortalRequest, tenant: EscribeTenant) -> PortalPage:
    what = "a list of eSCRIBE meetings"
    answer = refuse_garbage(parse_json(data, request.url, what), dict, request.url, what)
    rows = answer.get("d")
    if isinstance(rows, str):
        rows = parse_json(rows.encode(), request.url, what)
    rows = refuse_garbage(rows, list, request.url, what)
    first, last = request.context.get("from", ""), request.context.get("to", "9999")
    meetings: list[ListedMeeting] = []
    requests: dict[str, PortalRequest] = {}
    warnings: list[str] = []
    for row in rows:
        starts = _find_start(row, tenant)
        if starts is None:
            warnings.append(f"Meeting {row.get('ID')} has no date and was left out.")
        elif first <= starts[:10] <= last:
            meetings.append(_read_meeting(row, starts, tenant))
            if found := _request_agenda(row, starts, tenant):
                requests.setdefault(found.url, found)
    items = build_meeting_items(tenant, tenant.base, meetings)
    return PortalPage(items=items, requests=list(requests.values()), warnings=warnings)


def _find_start(row: Mapping[str, Any], tenant: EscribeTenant) -> str | None:
    """The local start; ticks are UTC, which is why the written form is preferred to them."""
    given = clean(row.get("StartDate")) or ""
    written = parse_moment(clean(row.get("FormattedStart")))
    ticks = _TICKS.search(given)
    if ticks is None:
        return drop_midnight(parse_moment(given, _FORMATS)) or written
    if written and "T" in written:
        return written
    moment = datetime.fromtimestamp(int(ticks[1]) / 1000, UTC)
    local = moment.astimezone(ZoneInfo(tenant.timezone))
    return drop_midnight(local.strftime("%Y-%m-%dT%H:%M"))


def _read_meeting(row: Mapping[str, Any], starts: str, tenant: EscribeTenant) -> ListedMeeting:
    body = clean(row.get("MeetingType"))
    title = clean(row.get("MeetingName")) or body or "Meeting"
    location = read_words(row.get("Location"))
    notes = read_words(row.get("Description"))
    link = clean(row.get("Url")) or f"Meeting.aspx?Id={row['ID']}&lang={tenant.language}"
    papers = _read_papers(row, tenant)
    return ListedMeeting(
        vendor_id=str(row["ID"]),
        title=title,
        starts=starts,
        body=body,
        location=location,
        status=_find_meeting_status(title, papers),
        papers=papers,
        video=_find_video(row, tenant),
        page=absolute_url(f"{tenant.base}/", link),
        notes=None if notes == location else notes,
        raw=json.dumps(row, ensure_ascii=False, sort_keys=True),
    )


def _find_meeting_status(title: str, papers: Iterable[MeetingPaper]) -> MeetingStatus:
    if _CANCELLED.search(title):
        return MeetingStatus.CANCELLED
    if _POSTPONED.search(title):
        return MeetingStatus.POSTPONED
    found = find_status(title)
    is_over = any(paper.kind is PaperKind.MINUTES for paper in papers)
    return MeetingStatus.HELD if is_over and found is MeetingStatus.SCHEDULED else found


def _list_links(row: Mapping[str, Any], tenant: EscribeTenant) -> list[Mapping[str, Any]]:
    """The documents in the tenant's language; all if none is in it."""
    links: list[Mapping[str, Any]] = [
        link
        for link in row.get("MeetingDocumentLink") or []
        if isinstance(link, dict) and clean(link.get("Url"))
    ]
    return [link for link in links if _is_in_language(link, tenant.language)] or links


def _is_in_language(link: Mapping[str, Any], language: str) -> bool:
    wanted = language.lower()
    if found := re.search(r"[?&]lang=([A-Za-z]+)", str(link["Url"])):
        return found[1].lower() == wanted
    code = (clean(link.get("LanguageCode")) or wanted).lower()
    return code[:2] == wanted[:2]


def _read_papers(row: Mapping[str, Any], tenant: EscribeTenant) -> tuple[MeetingPaper, ...]:
    """One paper for each type of document: the PDF, or the page where there is no PDF."""
    best: dict[str, MeetingPaper] = {}
    links = sorted(_list_links(row, tenant), key=lambda link: not _is_pdf(link))
    for link in links:
        kind_name = clean(link.get("Type")) or ""
        if "video" in kind_name.lower() or "audio" in kind_name.lower():
            continue
        name = clean(link.get("Title")) or kind_name or "Document"
        kind = find_paper_kind(name)
        if kind is PaperKind.OTHER:
            kind = _find_kind(kind_name)
        url = absolute_url(f"{tenant.base}/", str(link["Url"]))
        # Papers of no known kind are told apart by their address.
        key = url if kind is PaperKind.OTHER else f"{kind}/{kind_name.lower()}"
        best.setdefault(key, MeetingPaper(kind=kind, url=url, name=name))
    return tuple({paper.url: paper for paper in best.values()}.values())


def _is_pdf(link: Mapping[str, Any]) -> bool:
    return "pdf" in str(link.get("Format") or "").lower()


def _find_kind(kind_name: str) -> PaperKind:
    if kind_name.lower() == "merged":
        return PaperKind.AGENDA
    return find_paper_kind(_CAMEL.sub(" ", kind_name))


def _find_video(row: Mapping[str, Any], tenant: EscribeTenant) -> str | None:
    for key in ("VideoUrl", "LiveVideoStandAloneLink"):
        if link := clean(row.get(key)):
            return absolute_url(f"{tenant.base}/", link)
    for each in _list_links(row, tenant):
        if "video" in str(each.get("Type") or "").lower():
            return absolute_url(f"{tenant.base}/", str(each["Url"]))
    if row.get("HasVideo"):
        return f"{tenant.base}/Players/ISIStandAlonePlayer.aspx?Id={row['ID']}"
    return None


def _request_agenda(
    row: Mapping[str, Any], starts: str, tenant: EscribeTenant
) -> PortalRequest | None:
    """The page with the items; its stamp is the list of documents, which a new version changes."""
    links = _list_links(row, tenant)
    pages = {
        str(link.get("Type") or "").lower(): str(link["Url"])
        for link in reversed(links)
        if "meeting.aspx" in str(link["Url"]).lower()
    }
    page = next((pages[kind] for kind in _AGENDA_TYPES if kind in pages), None)
    if page is None and not row.get("HasAgenda"):
        return None
    page = page or f"Meeting.aspx?Id={row['ID']}&Agenda=Merged&lang={tenant.language}"
    known = [(link.get("Type"), link.get("Title"), link["Url"]) for link in links]
    return PortalRequest(
        url=absolute_url(f"{tenant.base}/", page),
        step="agenda",
        changed=hash_row(row.get("MeetingName"), starts, known),
        context={"meeting": str(row["ID"]), "held": starts},
    )


def _read_agenda(data: bytes, request: PortalRequest, tenant: EscribeTenant) -> PortalPage:
    root = parse_html(data, request.url, "an eSCRIBE agenda")
    items, raw = read_agenda_items(root, tenant.base, request.url)
    agenda = ListedAgenda(meeting=request.context["meeting"], items=items, raw=raw)
    held = request.context["held"]
    return PortalPage(items=build_agenda_items(tenant, tenant.base, agenda, held))


ESCRIBE = Portal(
    name="escribe",
    settings=EscribeTenant,
    start=start,
    read=read,
    recover=recover,
    entries=ENTRIES,
)
