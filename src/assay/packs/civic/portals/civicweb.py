"""CivicWeb (also Diligent Community): a list of meetings, and the documents of each.

Where a city has switched the service off, its pages are read instead.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from assay.packs.civic.portals.civicweb_agenda import find_cover_status, read_agenda_items
from assay.packs.civic.portals.listed import (
    ListedAgenda,
    ListedAgendaItem,
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
    is_http,
    join_day_and_time,
    parse_moment,
    read_words,
    refuse_garbage,
)
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import Node, Portal, PortalPage, PortalRequest, parse_html, parse_json

_MONTH: Final = r"[A-Za-zÀ-ÿ]{3,10}\.?"
_DATE = re.compile(
    rf"\s*[-–—,]?\s*\b(?:\d{{1,2}}\s+{_MONTH},?\s+\d{{4}}|{_MONTH}\s+\d{{1,2}},?\s+\d{{4}})\b"
)
_FORMATS: Final = ("%d %B %Y", "%B %d %Y", "%B %d, %Y")
_DOCUMENT = re.compile(r"/document/([\w-]+)", re.IGNORECASE)
_MEETING = re.compile(r"MeetingInformation\.aspx\?(?:.*&)?Id=(\d+)", re.IGNORECASE)
_BODY = re.compile(r"MeetingInformation\.aspx\?(?:.*&)?type=\d+", re.IGNORECASE)
_KINDS: Final = {1: PaperKind.AGENDA, 2: PaperKind.MINUTES}
"""The `Type` of a document."""
_AGENDA_PAGE: Final = 1
"""The `DocumentType` of the agenda itself; others of the same `Type` are its package."""
_SETTLED_DAYS: Final = 90
_OFF: Final = frozenset({400, 403, 404, 405, 410, 500, 501})
_GONE: Final = frozenset({404, 410})


class CivicwebTenant(CivicTenant):
    """A city at CivicWeb; for one at Diligent Community, `site` is the whole address."""

    @property
    def base(self) -> str:
        return self.find_base("https://{site}.civicweb.net")


def start(tenant: CivicwebTenant, today: date, since: date | None) -> list[PortalRequest]:
    """All meetings in the window, in one request."""
    first, last = tenant.find_window(today)
    service = f"{tenant.base}/Services/MeetingsService.svc/meetings"
    return [
        PortalRequest(
            url=f"{service}?from={first}&to={last}",
            step="meetings",
            context={"from": str(first), "to": str(last), "today": str(today)},
        )
    ]


def read(data: bytes, request: PortalRequest, tenant: CivicwebTenant) -> PortalPage:
    """The meetings of a list, the video of one, or its documents."""
    match request.step:
        case "documents":
            return _read_documents(data, request, tenant)
        case "video":
            return PortalPage(
                requests=[_request_documents(request, tenant, _find_video(data, request))]
            )
        case "page":
            return _read_meeting_page(data, request, tenant)
        case "list":
            return _read_meeting_list(data, request, tenant)
        case _:
            return _read_meetings(data, request, tenant)


def recover(request: PortalRequest, status: int, tenant: CivicwebTenant) -> PortalPage | None:
    """The pages if the service is off; the documents alone if there is no video after all."""
    if request.step == "meetings" and status in _OFF:
        url = f"{tenant.base}/Portal/MeetingTypeList.aspx"
        return PortalPage(requests=[PortalRequest(url=url, step="list", context=request.context)])
    if request.step == "video" and status in _OFF:
        return PortalPage(requests=[_request_documents(request, tenant, None)])
    if request.step in {"documents", "page"} and status in _GONE:
        return PortalPage(warnings=[f"The documents at {request.url} are not public."])
    return None


def _read_meetings(data: bytes, request: PortalRequest, tenant: CivicwebTenant) -> PortalPage:
    what = "a list of CivicWeb meetings"
    rows = refuse_garbage(parse_json(data, request.url, what), list, request.url, what)
    first, last = request.context.get("from", ""), request.context.get("to", "9999")
    meetings: list[ListedMeeting] = []
    requests: list[PortalRequest] = []
    warnings: list[str] = []
    for row in _drop_drafts(rows):
        starts = _find_start(row)
        if starts is None:
            warnings.append(f"Meeting {row.get('Id')} has no date and was left out.")
        elif first <= starts[:10] <= last:
            meetings.append(_read_meeting(row, starts, tenant))
            if row.get("Published") and not row.get("ExternalCalendar"):
                requests.append(_request_details(row, starts, request, tenant))
    items = build_meeting_items(tenant, tenant.base, meetings)
    return PortalPage(items=items, requests=requests, warnings=warnings)


def _drop_drafts(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows without the unpublished copies of published meetings."""
    published = {
        (row.get("Name"), row.get("MeetingDateTime")) for row in rows if row.get("Published")
    }
    return [
        row
        for row in rows
        if row.get("Published") or (row.get("Name"), row.get("MeetingDateTime")) not in published
    ]


def _find_start(row: Mapping[str, Any]) -> str | None:
    found = parse_moment(clean(row.get("MeetingDateTime")))
    if found and "T" in found:
        return drop_midnight(found)
    day = found or parse_moment(clean(row.get("MeetingDate"))) or _find_day(row.get("Name"))
    return day and drop_midnight(join_day_and_time(day, clean(row.get("MeetingTime"))))


def _find_day(name: object) -> str | None:
    found = parse_moment(clean(name), _FORMATS)
    return found and found[:10]


def _read_meeting(row: Mapping[str, Any], starts: str, tenant: CivicwebTenant) -> ListedMeeting:
    name = clean(row.get("Name")) or ""
    title = clean(row.get("CleanName")) or _drop_date(name)
    return ListedMeeting(
        vendor_id=str(row["Id"]),
        title=title or name or "Meeting",
        starts=starts,
        body=clean(row.get("MeetingTypeName")),
        location=clean(row.get("MeetingLocation")),
        status=find_status(name),
        page=f"{tenant.base}/Portal/MeetingInformation.aspx?Org=Cal&Id={row['Id']}",
        raw=json.dumps(row, ensure_ascii=False, sort_keys=True),
    )


def _drop_date(name: str) -> str | None:
    """`Work Session - CIAC` for `Work Session - CIAC - Jan 22 2026`; words after it stay."""
    return clean(_DATE.sub("", name).strip(" -–—,")) if _find_day(name) else clean(name)


def _request_details(
    row: Mapping[str, Any], starts: str, request: PortalRequest, tenant: CivicwebTenant
) -> PortalRequest:
    """The video first if there is one, so that it is known when the documents arrive."""
    changed = _make_stamp(row, starts, request.context.get("today"))
    context = {"meeting": str(row["Id"]), "held": starts}
    if "video" in str(row.get("VideoIcon") or "").lower():
        url = f"{tenant.base}/api/videolink/{row['Id']}"
        return PortalRequest(url=url, step="video", changed=changed, context=context)
    return PortalRequest(
        url=_make_documents_url(tenant, str(row["Id"])),
        step="documents",
        changed=changed,
        context=context,
    )


def _make_stamp(row: Mapping[str, Any], starts: str, today: str | None) -> str:
    """A row does not say when its documents changed, so an upcoming meeting is asked for every
    day, one that was held every week, and one of long ago only if its row changes."""
    period = ""
    if today:
        now = date.fromisoformat(today)
        age = (now - date.fromisoformat(starts[:10])).days
        if age <= 0:
            period = today
        elif age <= _SETTLED_DAYS:
            period = f"{now:%G-W%V}"
    return hash_row(row, period)


def _make_documents_url(tenant: CivicwebTenant, meeting: str) -> str:
    return f"{tenant.base}/Services/MeetingsService.svc/meetings/{meeting}/meetingDocuments"


def _request_documents(
    request: PortalRequest, tenant: CivicwebTenant, video: str | None
) -> PortalRequest:
    context = {**request.context, **({"video": video} if video else {})}
    url = _make_documents_url(tenant, request.context["meeting"])
    return PortalRequest(url=url, step="documents", changed=request.changed, context=context)


def _find_video(data: bytes, request: PortalRequest) -> str | None:
    """The address of the video; an empty string means that there is none."""
    if data.strip() in (b"", b'""', b"null"):
        return None
    found = parse_json(data, request.url, "a CivicWeb video link")
    rows = found if isinstance(found, list) else [found]
    for row in rows:
        if not isinstance(row, dict) or row.get("ShowVideoLink") is False:
            continue
        event = row.get("Event")
        nested = event.get("eventId") if isinstance(event, dict) and row.get("YouTube") else None
        if youtube := clean(row.get("YouTubeEventId")) or clean(nested):
            return f"https://www.youtube.com/watch?v={youtube}"
        for value in row.values():
            if isinstance(value, str) and is_http(value.strip()):
                return value.strip()
    return None


def _read_documents(data: bytes, request: PortalRequest, tenant: CivicwebTenant) -> PortalPage:
    what = "a list of CivicWeb documents"
    answer = parse_json(data, request.url, what)
    if isinstance(answer, dict):
        answer = answer.get("Documents")
    rows = refuse_garbage(answer, list, request.url, what)
    public = [row for row in rows if row.get("IsPublic") is not False]
    items: tuple[ListedAgendaItem, ...] = ()
    status: MeetingStatus | None = None
    for row in public:
        if row.get("Type") in (None, 1) and row.get("Html"):
            page = parse_html(str(row["Html"]).encode(), request.url, "a CivicWeb agenda")
            items = items or read_agenda_items(page, tenant.base)
            status = status or find_cover_status(page, str(row.get("AgendaCover") or ""))
    agenda = ListedAgenda(
        meeting=request.context["meeting"],
        items=items,
        papers=_read_papers(public, tenant),
        video=request.context.get("video"),
        status=status,
        raw=json.dumps(answer, ensure_ascii=False, sort_keys=True),
    )
    held = request.context["held"]
    return PortalPage(items=build_agenda_items(tenant, tenant.base, agenda, held))


def _read_papers(
    rows: Sequence[Mapping[str, Any]], tenant: CivicwebTenant
) -> tuple[MeetingPaper, ...]:
    found: dict[str, MeetingPaper] = {}
    for row in rows:
        kind = _KINDS.get(row.get("Type") or 0, PaperKind.OTHER)
        name = clean(row.get("Name")) or "Document"
        named = find_paper_kind(name)
        if kind is PaperKind.OTHER or named is PaperKind.DRAFT_MINUTES:
            kind = named
        elif kind is PaperKind.AGENDA and row.get("DocumentType") not in (None, _AGENDA_PAGE):
            kind = PaperKind.PACKET
        url = f"{tenant.base}/document/{row['Id']}/?printPdf=true"
        found.setdefault(url, MeetingPaper(kind=kind, url=url, name=name))
    return tuple(found.values())


def _read_meeting_list(data: bytes, request: PortalRequest, tenant: CivicwebTenant) -> PortalPage:
    """The meetings of the page that lists them by body."""
    root = parse_html(data, request.url, "a CivicWeb page of meetings")
    links = root.find_all("a[href*=MeetingInformation], a[href*=meetinginformation]")
    if not links and root.find_first("[id*=MeetingType], [class*=meeting]") is None:
        raise ContentBroken(
            f"{request.url} is not a CivicWeb page of meetings.",
            advice="The site's name may be wrong, or the city may have closed its portal.",
        )
    first, last = request.context.get("from", ""), request.context.get("to", "9999")
    found: dict[str, ListedMeeting] = {}
    body: str | None = None
    for link in links:
        href, name = link.get("href") or "", read_words(link)
        meeting = _MEETING.search(href)
        if meeting is None:
            body = name if _BODY.search(href) else body
            continue
        day = _find_day(name)
        if name and day and first <= day <= last:
            listed = _make_listed(meeting[1], name, day, body, link, tenant)
            found.setdefault(meeting[1], listed)
    requests = [_request_page(each, request, tenant) for each in found.values()]
    items = build_meeting_items(tenant, tenant.base, found.values())
    return PortalPage(items=items, requests=requests)


def _make_listed(
    meeting: str, name: str, day: str, body: str | None, link: Node, tenant: CivicwebTenant
) -> ListedMeeting:
    return ListedMeeting(
        vendor_id=meeting,
        title=_drop_date(name) or name,
        starts=join_day_and_time(day, _DATE.sub(" ", name)),
        body=body,
        status=find_status(name),
        page=absolute_url(f"{tenant.base}/Portal/", link.get("href") or ""),
        raw=link.markup,
    )


def _request_page(
    meeting: ListedMeeting, request: PortalRequest, tenant: CivicwebTenant
) -> PortalRequest:
    row = {"Id": meeting.vendor_id, "Name": meeting.title}
    return PortalRequest(
        url=meeting.page or "",
        step="page",
        changed=_make_stamp(row, meeting.starts, request.context.get("today")),
        context={"meeting": meeting.vendor_id, "held": meeting.starts},
    )


def _read_meeting_page(data: bytes, request: PortalRequest, tenant: CivicwebTenant) -> PortalPage:
    """The documents that a meeting's own page links, and its items if it contains the agenda."""
    root = parse_html(data, request.url, "a CivicWeb page of a meeting")
    if root.find_first("form, [id*=ctl00], a[href*='/document/']") is None:
        raise ContentBroken(
            f"{request.url} is not a CivicWeb page of a meeting.",
            advice="The city may have closed its portal.",
        )
    items = read_agenda_items(root, tenant.base)
    attached = {paper.url for item in items for paper in item.attachments}
    papers: dict[str, MeetingPaper] = {}
    for link in root.find_all("a[href*='/document/']"):
        url = absolute_url(f"{tenant.base}/", link.get("href") or "")
        document = _DOCUMENT.search(url)
        name = read_words(link) or clean(link.get("title")) or "Document"
        if document and url not in attached:
            paper = MeetingPaper(kind=find_paper_kind(name), url=url, name=name)
            papers.setdefault(document[1], paper)
    agenda = ListedAgenda(
        meeting=request.context["meeting"],
        items=items,
        papers=tuple(papers.values()),
        raw=root.markup,
    )
    held = request.context["held"]
    return PortalPage(items=build_agenda_items(tenant, tenant.base, agenda, held))


CIVICWEB = Portal(
    name="civicweb",
    settings=CivicwebTenant,
    start=start,
    read=read,
    recover=recover,
    entries=ENTRIES,
)
