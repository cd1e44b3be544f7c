"""CivicClerk: an OData API of events, and one response with the agenda of each.

Times are marked as UTC but are local; the years 1 and 1900 mean "none".
"""

import json
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final
from urllib.parse import quote

from assay.packs.civic.portals.civicclerk_agenda import read_agenda_items
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
    is_http,
    parse_moment,
    read_words,
    refuse_garbage,
)
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import Portal, PortalPage, PortalRequest, parse_json

_MOST_PAGES: Final = 100
_UNPUBLISHED: Final = frozenset({"draft", "unpublished", "not published", "false"})
_GONE: Final = frozenset({404, 410})


class CivicclerkTenant(CivicTenant):
    """A city at CivicClerk; `site` may also be the address of its portal."""

    @property
    def base(self) -> str:
        """The address of the API."""
        found = self.find_base("https://{site}.api.civicclerk.com")
        return found.replace(".portal.civicclerk.", ".api.civicclerk.")

    @property
    def portal(self) -> str:
        """The address of the pages for people."""
        return self.base.replace(".api.civicclerk.", ".portal.civicclerk.")


def start(tenant: CivicclerkTenant, today: date, since: date | None) -> list[PortalRequest]:
    """The first page of the events in the window."""
    first, last = tenant.find_window(today)
    end = last + timedelta(days=1)
    wanted = f"startDateTime ge {first}T00:00:00Z and startDateTime lt {end}T00:00:00Z"
    order = "startDateTime asc, eventName asc"
    return [
        PortalRequest(
            url=f"{tenant.base}/v1/Events?$filter={quote(wanted)}&$orderby={quote(order)}",
            step="events",
            headers=_make_headers(tenant),
            context={"from": first.isoformat(), "to": last.isoformat(), "page": "1"},
        )
    ]


def read(data: bytes, request: PortalRequest, tenant: CivicclerkTenant) -> PortalPage:
    """The meetings of a page of events, or the items of an agenda."""
    if request.step == "agenda":
        return _read_agenda(data, request, tenant)
    return _read_events(data, request, tenant)


def recover(request: PortalRequest, status: int, tenant: CivicclerkTenant) -> PortalPage | None:
    """An agenda that is not public leaves the meeting as it is listed."""
    if request.step == "agenda" and status in _GONE:
        return PortalPage(warnings=[f"The agenda at {request.url} is not public."])
    return None


def _make_headers(tenant: CivicclerkTenant) -> dict[str, str]:
    """The API expects to be called by its own portal."""
    return {
        "Accept": "application/json",
        "Origin": tenant.portal,
        "Referer": f"{tenant.portal}/",
    }


def _read_events(data: bytes, request: PortalRequest, tenant: CivicclerkTenant) -> PortalPage:
    what = "a list of CivicClerk events"
    answer = refuse_garbage(parse_json(data, request.url, what), dict, request.url, what)
    rows = refuse_garbage(answer.get("value"), list, request.url, what)
    first, last = request.context.get("from", ""), request.context.get("to", "9999")
    meetings: list[ListedMeeting] = []
    requests: list[PortalRequest] = []
    warnings: list[str] = []
    for row in rows:
        if not _is_public(row):
            continue
        starts = _find_start(row)
        if starts is None:
            warnings.append(f"Event {row.get('id')} has no date and was left out.")
        elif first <= starts[:10] <= last:
            meetings.append(_read_meeting(row, starts, tenant))
            requests += _request_agenda(row, starts, tenant)
    requests += _request_next_page(answer, request, tenant)
    items = build_meeting_items(tenant, tenant.base, meetings)
    return PortalPage(items=items, requests=requests, warnings=warnings)


def _request_next_page(
    answer: Mapping[str, Any], request: PortalRequest, tenant: CivicclerkTenant
) -> list[PortalRequest]:
    link = answer.get("@odata.nextLink")
    if not link:
        return []
    page = int(request.context.get("page", "1")) + 1
    if page > _MOST_PAGES:
        raise ContentBroken(
            f"{request.url} leads to more than {_MOST_PAGES} pages.",
            advice="Choose a shorter window with days_back and days_ahead.",
        )
    return [
        PortalRequest(
            url=absolute_url(f"{tenant.base}/v1/", link),
            step="events",
            headers=_make_headers(tenant),
            context={**request.context, "page": str(page)},
        )
    ]


def _is_public(row: Mapping[str, Any]) -> bool:
    is_draft = str(row.get("isPublished", "")).strip().lower() in _UNPUBLISHED
    return not row.get("isDeleted") and not is_draft


def _find_start(row: Mapping[str, Any]) -> str | None:
    found = parse_moment(row.get("startDateTime")) or parse_moment(row.get("eventDate"))
    return drop_midnight(found)


def _read_meeting(row: Mapping[str, Any], starts: str, tenant: CivicclerkTenant) -> ListedMeeting:
    title = clean(row.get("eventName")) or clean(row.get("agendaName")) or "Meeting"
    papers = _read_papers(row.get("publishedFiles") or [], tenant)
    notice = read_words(row.get("eventNotice"))
    return ListedMeeting(
        vendor_id=str(row["id"]),
        title=title,
        starts=starts,
        body=clean(row.get("categoryName")) or clean(row.get("eventCategoryName")),
        location=_join_location(row.get("eventLocation")),
        status=_find_meeting_status(row, papers, title, notice),
        papers=papers,
        video=_find_video(row),
        page=f"{tenant.portal}/event/{row['id']}/files",
        notes=clean(" ".join(filter(None, (notice, read_words(row.get("eventDescription")))))),
        raw=json.dumps(row, ensure_ascii=False, sort_keys=True),
    )


def _find_meeting_status(
    row: Mapping[str, Any], papers: Sequence[MeetingPaper], title: str, notice: str | None
) -> MeetingStatus:
    notices = [paper.name for paper in papers if "cancel" in paper.name.lower()]
    found = find_status(title, clean(row.get("agendaName")), notice, *notices)
    ends = (parse_moment(row.get(key)) for key in ("meetingEndTime", "liveEndTime"))
    is_over = any(ends) or any(paper.kind is PaperKind.MINUTES for paper in papers)
    return MeetingStatus.HELD if is_over and found is MeetingStatus.SCHEDULED else found


def _join_location(place: Mapping[str, Any] | None) -> str | None:
    if not place:
        return None
    region = " ".join(filter(None, (clean(place.get("state")), clean(place.get("zipCode")))))
    parts = (*(clean(place.get(key)) for key in ("address1", "address2", "city")), region)
    # Clerks also write the first line of the address into the second.
    return clean(", ".join(dict.fromkeys(filter(None, parts))))


def _find_video(row: Mapping[str, Any]) -> str | None:
    for key in ("externalMediaUrl", "mediaStreamPath", "mediaSourcePathMp4", "mediaSourcePath"):
        link = clean(row.get(key))
        if link and is_http(found := absolute_url("https:", link)):
            return found
    youtube = clean(row.get("youtubeVideoId"))
    return f"https://www.youtube.com/watch?v={youtube}" if youtube else None


def _read_papers(
    rows: Sequence[Mapping[str, Any]], tenant: CivicclerkTenant
) -> tuple[MeetingPaper, ...]:
    found: dict[str, MeetingPaper] = {}
    for row in rows:
        kind_name, name = clean(row.get("type")), clean(row.get("name"))
        number = row.get("fileId")
        link = clean(row.get("streamUrl"))
        if number:
            stream = f"GetMeetingFileStream(fileId={number},plainText=false)"
            url = f"{tenant.base}/v1/Meetings/{stream}"
        elif link:
            url = absolute_url(f"{tenant.base}/v1/", link)
        else:
            continue
        found.setdefault(
            url,
            MeetingPaper(
                kind=_find_kind(kind_name, name),
                url=url,
                name=name or kind_name or "Document",
                changed=row["publishOn"] if parse_moment(row.get("publishOn")) else None,
            ),
        )
    return tuple(found.values())


def _find_kind(kind_name: str | None, name: str | None) -> PaperKind:
    """What a file is: its type decides, its name where the type says nothing."""
    kind = find_paper_kind(kind_name or "")
    named = find_paper_kind(name or "")
    if kind is PaperKind.MINUTES and named is PaperKind.DRAFT_MINUTES:
        return named
    return named if kind is PaperKind.OTHER else kind


def _request_agenda(
    row: Mapping[str, Any], starts: str, tenant: CivicclerkTenant
) -> list[PortalRequest]:
    """Items become public together with the first file."""
    files = [
        (each.get("fileId"), each.get("publishOn")) for each in row.get("publishedFiles") or []
    ]
    stamp = clean(row.get("publishedAgendaTimeStamp"))
    if not row.get("agendaId") or not (files or stamp):
        return []
    return [
        PortalRequest(
            url=f"{tenant.base}/v1/Meetings/{row['agendaId']}",
            step="agenda",
            headers=_make_headers(tenant),
            changed=hash_row(row.get("eventName"), starts, stamp, files),
            context={"meeting": str(row["id"]), "held": starts},
        )
    ]


def _read_agenda(data: bytes, request: PortalRequest, tenant: CivicclerkTenant) -> PortalPage:
    what = "a CivicClerk agenda"
    answer = refuse_garbage(parse_json(data, request.url, what), dict, request.url, what)
    rows = refuse_garbage(answer.get("items"), list, request.url, what)
    agenda = ListedAgenda(
        meeting=request.context["meeting"],
        items=read_agenda_items(rows, tenant.base),
        raw=json.dumps(answer, ensure_ascii=False, sort_keys=True),
    )
    held = request.context["held"]
    return PortalPage(items=build_agenda_items(tenant, tenant.base, agenda, held))


CIVICCLERK = Portal(
    name="civicclerk",
    settings=CivicclerkTenant,
    start=start,
    read=read,
    recover=recover,
    entries=ENTRIES,
)
