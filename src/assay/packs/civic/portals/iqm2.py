"""IQM2: a calendar for any span of days, and a page with the outline of each meeting."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

from assay.packs.civic.filters import find_fetch_filter, find_meeting_filter
from assay.packs.civic.portals.iqm2_matter import drop_matter_page, is_matter_page, read_matter
from assay.packs.civic.portals.iqm2_outline import (
    MATTER_PAGE,
    is_meeting_page,
    read_iqm2_outline,
)
from assay.packs.civic.portals.listed import (
    ListedAgenda,
    ListedAgendaItem,
    ListedMeeting,
    MeetingPaper,
    MeetingStatus,
    PaperKind,
    hash_entry,
)
from assay.packs.civic.portals.pages import (
    PageLink,
    drop_when,
    find_links,
    read_when,
    skip_missing_page,
)
from assay.packs.civic.portals.shared import (
    ENTRIES,
    CivicTenant,
    absolute_url,
    build_agenda_items,
    build_meeting_items,
    clean,
    find_paper_kind,
    find_status,
)
from assay.sdk.errors import ContentBroken
from assay.sdk.records import content_hash
from assay.sdk.sources import Node, Portal, PortalPage, PortalRequest, parse_html

_MEETING = re.compile(r"Detail_Meeting\.aspx\?(?:[^#]*&)?ID=(\d+)", re.IGNORECASE)
_FILE = re.compile(r"FileOpen\.aspx\?", re.IGNORECASE)
_VIDEO = re.compile(r"SplitView\.aspx|Video|MediaPlayer|\.(mp4|m3u8)\b|youtu\.?be", re.IGNORECASE)
_FACT = re.compile(r"([A-Za-z ]{2,30}):\s*(.*)")
_OVER = re.compile(r"\b(closed|held|completed?|adjourned|ended|finalized)\b", re.IGNORECASE)
_EMPTY = re.compile(
    r"\bno (upcoming |past |scheduled )?(meetings?|records|events?)\b", re.IGNORECASE
)
_CALENDARS = (
    "[id*=pnlUpcomingMeetings], [id*=pnlPastMeetings], [id*=Calendar], [class*=MonthHeader], "
    "#MeetingListCalendar"
)
_KIND_BY_TYPE: Mapping[str, PaperKind] = {
    "1": PaperKind.PACKET,
    "12": PaperKind.MINUTES,
    "14": PaperKind.AGENDA,
    "15": PaperKind.MINUTES,
}
_NEAR = timedelta(days=14)
"""A meeting this near is asked for every day while no agenda is listed: some cities hide the link
in the calendar and show it on the meeting's page."""


class Iqm2Tenant(CivicTenant):
    """A city at IQM2."""

    documents: bool = True
    """Whether to ask for the page of each matter whose documents the outline does not name."""

    @property
    def base(self) -> str:
        """The address of its pages for citizens."""
        site = self.find_base("https://{site}.iqm2.com")
        found = re.match(r"(.*?/Citizens)\b", site, re.IGNORECASE)
        return found[1] if found else f"{site}/Citizens"


def start(tenant: Iqm2Tenant, today: date, since: date | None) -> list[PortalRequest]:
    """The calendar of the window."""
    first, last = tenant.find_window(today)
    query = urlencode(
        {"Frame": "Yes", "View": "List", "From": _write_day(first), "To": _write_day(last)}
    )
    context = {"from": first.isoformat(), "to": last.isoformat(), "today": today.isoformat()}
    return [
        PortalRequest(url=f"{tenant.base}/Calendar.aspx?{query}", step="calendar", context=context)
    ]


def _write_day(day: date) -> str:
    return f"{day.month}/{day.day}/{day.year}"


def recover(request: PortalRequest, status: int, tenant: Iqm2Tenant) -> PortalPage | None:
    """The home page lists recent meetings where there is no calendar."""
    if request.step != "calendar":
        return skip_missing_page(request, status, "meeting", "matter")
    if status not in (404, 500) or "Default.aspx" in request.url:
        return None
    home = PortalRequest(
        url=f"{tenant.base}/Default.aspx", step="calendar", context=request.context
    )
    return PortalPage(
        requests=[home],
        warnings=[f"{request.url} answered {status}; only the meetings of the home page are read."],
    )


def read(data: bytes, request: PortalRequest, tenant: Iqm2Tenant) -> PortalPage:
    """The meetings of a calendar, or the agenda of one."""
    if request.step == "meeting":
        return _read_meeting_page(data, request, tenant)
    if request.step == "matter":
        return _read_matter_page(data, request, tenant)
    root = parse_html(data, request.url, "a calendar of IQM2")
    meetings, unread = _read_rows(root, tenant.base)
    if not meetings and (unread or not _is_empty_calendar(root)):
        raise ContentBroken(
            f"{request.url} is not a calendar of IQM2 that can be read.",
            advice="Open it in a browser. The site's name may be wrong, or the city may have left "
            "IQM2 for another vendor.",
        )
    first, last = request.context.get("from", ""), request.context.get("to", "9999")
    wanted = [meeting for meeting in meetings if first <= meeting.starts[:10] <= last]
    return PortalPage(
        items=build_meeting_items(tenant, tenant.base, wanted),
        requests=[
            _request_page(meeting, request.context.get("today"))
            for meeting in wanted
            if _is_worth_asking(meeting, request.context.get("today"))
        ],
        warnings=[f"The date of '{text}' cannot be read; it is left out." for text in unread],
    )


def _is_empty_calendar(root: Node) -> bool:
    return root.find_first(_CALENDARS) is not None or _EMPTY.search(root.read_text()) is not None


def _read_rows(root: Node, base: str) -> tuple[list[ListedMeeting], list[str]]:
    """The meetings of a page, each once, and what the rows say whose date cannot be read."""
    meetings: dict[str, ListedMeeting] = {}
    unread: list[str] = []
    rows = root.find_all(".MeetingRow") or [
        row
        for row in root.find_all("tr, li, div[class*=Row], div[class*=row]")
        if len({link.url for link in find_links(row, base) if _MEETING.search(link.url)}) == 1
    ]
    for row in rows:
        links = find_links(row, f"{base}/")
        page = next((link for link in links if _MEETING.search(link.url)), None)
        number = _MEETING.search(page.url) if page else None
        if page is None or number is None:
            continue
        meeting = _read_meeting(row, number[1], page, links)
        if meeting is None:
            unread.append(clean(row.read_text()) or page.url)
        else:
            meetings.setdefault(meeting.vendor_id, meeting)
    return list(meetings.values()), unread


def _read_meeting(
    row: Node, number: str, page: PageLink, links: list[PageLink]
) -> ListedMeeting | None:
    tooltip = _read_tooltip(row)
    facts, place = _read_facts(tooltip)
    starts = read_when(page.name) or read_when(tooltip) or read_when(row.read_text())
    if starts is None:
        return None
    body = _find_fact(facts, "board", "group", "committee", "body", "department")
    kind = _find_fact(facts, "type")
    details = row.find_first(".RowDetails, [id*=lblMeetingText]")
    title = clean(details.read_text()) if details else None
    said = _find_fact(facts, "status")
    return ListedMeeting(
        vendor_id=number,
        title=title or " - ".join(part for part in (body, kind) if part) or _name_row(row, links),
        starts=starts,
        body=body,
        location=place,
        status=_find_row_status(row, said, title),
        papers=_read_papers(links),
        video=next((link.url for link in links if _is_video(link)), None),
        page=page.url,
        raw=row.markup,
    )


def _name_row(row: Node, links: Iterable[PageLink]) -> str:
    """What a row says besides the date and its links."""
    words = drop_when(row.read_text())
    for link in links:
        words = words.replace(link.name, " ")
    return clean(words.strip(" -–|,")) or "Meeting"


def _read_tooltip(row: Node) -> str:
    tooltips = (node.get("title") or "" for node in row.find_all("[title]"))
    return next((text for text in tooltips if "\r" in text or "\n" in text), "")


def _read_facts(tooltip: str) -> tuple[dict[str, str], str | None]:
    """What a tooltip says: labelled facts, and the place on the indented lines below them."""
    facts: dict[str, str] = {}
    place: list[str] = []
    for line in re.split(r"[\r\n]+", tooltip)[1:]:
        found = _FACT.fullmatch(line) if not line.startswith("\t") else None
        if found:
            facts[found[1].strip().lower()] = clean(found[2]) or ""
        elif words := clean(line):
            place.append(words)
    return facts, ", ".join(place) or None


def _find_fact(facts: Mapping[str, str], *labels: str) -> str | None:
    return next((facts[label] for label in labels if facts.get(label)), None)


def _find_row_status(row: Node, said: str | None, title: str | None) -> MeetingStatus:
    if row.find_first("[class*=MeetingCancel]") is not None:
        found = find_status(row.read_text())
        return MeetingStatus.CANCELLED if found is MeetingStatus.SCHEDULED else found
    found = find_status(said, title)
    is_over = found is MeetingStatus.SCHEDULED and _OVER.search(said or "") is not None
    return MeetingStatus.HELD if is_over else found


def _is_video(link: PageLink) -> bool:
    return (
        not _FILE.search(link.url)
        and not _MEETING.search(link.url)
        and (_VIDEO.search(link.url) is not None)
    )


def _read_papers(links: Iterable[PageLink]) -> tuple[MeetingPaper, ...]:
    papers = (
        MeetingPaper(kind=_find_kind(link), url=_write_file_url(link.url), name=link.name)
        for link in links
        if _FILE.search(link.url)
    )
    return tuple({paper.url: paper for paper in papers}.values())


def _write_file_url(url: str) -> str:
    """The address of a document, the same whether the calendar or the meeting's page links it."""
    query = {key.lower(): values[0] for key, values in parse_qs(urlsplit(url).query).items()}
    if not query.keys() >= {"type", "id"}:
        return url
    return f"{url.partition('?')[0]}?Type={query['type']}&ID={query['id']}&Inline=True"


def _find_kind(link: PageLink) -> PaperKind:
    kind = find_paper_kind(link.name)
    if kind is not PaperKind.OTHER or link.name.lower().startswith("summary"):
        return kind
    number = next(iter(parse_qs(urlsplit(link.url).query).get("Type", [])), "")
    return _KIND_BY_TYPE.get(number, kind)


def _is_worth_asking(meeting: ListedMeeting, today: str | None) -> bool:
    if meeting.status in (MeetingStatus.CANCELLED, MeetingStatus.POSTPONED):
        return False
    if find_meeting_filter(meeting.title) is not None:
        return False
    return bool(meeting.papers) or _is_near(meeting, today)


def _is_near(meeting: ListedMeeting, today: str | None) -> bool:
    if today is None:
        return True
    return abs(date.fromisoformat(meeting.starts[:10]) - date.fromisoformat(today)) <= _NEAR


def _request_page(meeting: ListedMeeting, today: str | None) -> PortalRequest:
    has_agenda = any(paper.kind is not PaperKind.OTHER for paper in meeting.papers)
    return PortalRequest(
        url=meeting.page or "",
        step="meeting",
        changed=hash_entry(meeting) if has_agenda else f"{hash_entry(meeting)} {today}",
        context={"meeting": meeting.vendor_id, "held": meeting.starts[:10]},
    )


def _read_meeting_page(data: bytes, request: PortalRequest, tenant: Iqm2Tenant) -> PortalPage:
    root = parse_html(data, request.url, "a meeting of IQM2")
    if not is_meeting_page(root):
        raise ContentBroken(
            f"{request.url} is not a meeting of IQM2.",
            advice="Open it in a browser; the site may ask for a login or may have changed.",
        )
    context = request.context
    downloads = [
        link
        for node in root.find_all("[id*=pnlDownloads] a, a[id*=AgendaFile], a[id*=MinutesFile]")
        for link in find_links(node, absolute_url(f"{tenant.base}/", request.url))
    ]
    items = read_iqm2_outline(root, f"{tenant.base}/")
    agenda = ListedAgenda(
        meeting=context["meeting"],
        items=tuple(drop_matter_page(item) if tenant.documents else item for item in items),
        papers=_read_papers(downloads),
        video=next((link.url for link in downloads if _is_video(link)), None),
        raw=_read_raw(root),
    )
    if not agenda.items and not agenda.papers:
        return PortalPage()
    return PortalPage(
        items=build_agenda_items(tenant, tenant.base, agenda, context["held"]),
        requests=_request_matters(items, context) if tenant.documents else [],
    )


def _request_matters(
    items: Iterable[ListedAgendaItem], context: Mapping[str, str]
) -> list[PortalRequest]:
    """The pages of the matters for which the outline names no documents."""
    return [
        PortalRequest(
            url=paper.url,
            step="matter",
            changed=content_hash(item.model_dump_json().encode()),
            context={**context, "item": drop_matter_page(item).model_dump_json()},
        )
        for item in items
        for paper in item.attachments
        if MATTER_PAGE.search(paper.url) and find_fetch_filter(item.title) is None
    ]


def _read_matter_page(data: bytes, request: PortalRequest, tenant: Iqm2Tenant) -> PortalPage:
    """An item again, with what the page of its matter says."""
    root = parse_html(data, request.url, "a matter of IQM2")
    if not is_matter_page(root):
        raise ContentBroken(
            f"{request.url} is not a matter of IQM2.",
            advice="Open it in a browser; the site may ask for a login or may have changed.",
        )
    context = request.context
    item = ListedAgendaItem.model_validate_json(context["item"])
    whole = read_matter(root, f"{tenant.base}/", item, context["held"])
    part = ListedAgenda(
        meeting=context["meeting"], part=item.vendor_id, items=(whole,), raw=root.markup
    )
    return PortalPage(items=build_agenda_items(tenant, tenant.base, part, context["held"]))


def _read_raw(root: Node) -> str:
    """The outline and the downloads; the rest of the page is the same for all meetings."""
    parts = root.find_all("[id*=pnlDownloads], table#MeetingDetail")
    return "\n".join(part.markup for part in parts) or root.markup


IQM2 = Portal(
    name="iqm2",
    settings=Iqm2Tenant,
    start=start,
    read=read,
    recover=recover,
    entries=ENTRIES,
)
