"""Legistar's calendar page, for cities whose API is switched off."""

import re
from datetime import date
from urllib.parse import parse_qs, urlsplit

from assay.packs.civic.filters import find_meeting_filter
from assay.packs.civic.portals.legistar_agendas import (
    LegistarTenant,
    find_note_status,
    leave_out_translations,
)
from assay.packs.civic.portals.legistar_grids import (
    GridRow,
    PageGrid,
    build_form,
    find_action,
    find_next_target,
    list_links,
    make_paper,
    open_page,
    read_grids,
    turn_page,
)
from assay.packs.civic.portals.listed import (
    ListedMeeting,
    MeetingPaper,
    MeetingStatus,
    PaperKind,
    hash_entry,
)
from assay.packs.civic.portals.shared import (
    build_meeting_items,
    clean,
    find_status,
    parse_clock,
    parse_moment,
)
from assay.sdk.errors import ContentBroken
from assay.sdk.records import content_hash
from assay.sdk.sources import Node, PortalPage, PortalRequest

_DATES = ("%m/%d/%Y", "%m/%d/%y")
_DATE_CELL = re.compile(r"\d{1,2}/\d{1,2}/(\d{4}|\d{2})(\s.*)?")
_DATE = r"\bdate\b"
_NAME = r"^(name|body|meeting( name| body)?|committee|board|department|legislative body)$"
_MEDIA = r"video|media|webcast|recording|stream"
_NOT_PAPERS = rf"{_NAME}|{_MEDIA}|audio|ecomment|comment|caption|transcript|detail|^ics$|ical"


def request_calendar(tenant: LegistarTenant, today: date) -> PortalRequest:
    """The first page of the calendar."""
    return PortalRequest(
        url=f"{tenant.base}/Calendar.aspx", step="calendar", context={"today": today.isoformat()}
    )


def read_calendar(data: bytes, request: PortalRequest, tenant: LegistarTenant) -> PortalPage:
    """The meetings of a page of the calendar, and the pages that the window needs besides."""
    page = open_page(data, request, "a Legistar calendar")
    grids = [] if page is None else [grid for grid in read_grids(page) if _lists_meetings(grid)]
    if page is None or not grids:
        raise ContentBroken(
            f"{request.url} has no list of meetings.",
            advice="The city may show its calendar in another form, or the name may be wrong.",
        )
    first, last = tenant.find_window(date.fromisoformat(request.context["today"]))
    years, warnings = _choose_years(page, request, first, last)
    found = [_read_meeting(row, tenant) for grid in grids for row in grid.rows]
    meetings = {
        meeting.vendor_id: meeting
        for meeting in found
        if meeting is not None
        and first.isoformat() <= meeting.starts[:10] <= last.isoformat()
        # Those of other years come again with their year.
        and int(meeting.starts[:4]) not in years
    }
    # The first page has asked for them.
    is_first = "number" not in request.context
    requests = [_request_year(page, request, year) for year in years if is_first]
    if set(range(first.year, last.year + 1)) - set(years):
        days = [meeting.starts[:10] for meeting in found if meeting is not None]
        requests += _request_next(page, request, tenant, days)
    wanted = leave_out_translations(meetings.values())
    requests += [_request_detail(meeting) for meeting in wanted if _has_page(meeting)]
    return PortalPage(
        items=build_meeting_items(tenant, tenant.base, wanted),
        requests=[each for each in requests if each is not None],
        warnings=warnings,
    )


def _lists_meetings(grid: PageGrid) -> bool:
    if any(re.search(_DATE, header) for header in grid.headers):
        return True
    return any(_find_date(row) for row in grid.rows)


def _choose_years(
    page: Node, request: PortalRequest, first: date, last: date
) -> tuple[list[int], list[str]]:
    """The years of the window to ask for, because the page that was asked for shows less."""
    field = page.find_first("input[name$='lstYears']")
    shown = clean(field.get("value") if field is not None else None) or ""
    asked = request.context.get("year")
    if asked is not None:
        # Only what was asked for is on the page, and on those that follow.
        wrong = shown and shown != asked
        return [], [f"{request.url} shows '{shown}' instead of {asked}"] if wrong else []
    covered = _find_covered(shown, date.fromisoformat(request.context["today"]))
    missing = [
        year
        for year in range(first.year, last.year + 1)
        if not any(
            start <= max(first, date(year, 1, 1)) and min(last, date(year, 12, 31)) <= end
            for start, end in covered
        )
    ]
    if field is None or build_form(page, "") is None:
        return [], [f"{request.url} cannot be asked for other years"] if missing else []
    # A year that is not offered has no meetings.
    offered = {clean(entry.read_text()) for entry in page.find_all("[id*='lstYears'] li")}
    return [year for year in missing if not offered or str(year) in offered], []


def _find_covered(shown: str, today: date) -> list[tuple[date, date]]:
    """The days that the selected range of the calendar covers."""
    words = shown.lower()
    if words.startswith("all"):
        return [(date.min, date.max)]
    year = int(words) if re.fullmatch(r"\d{4}", words) else None
    if words == "this year":
        year = today.year
    if year is not None:
        return [(date(year, 1, 1), date(year, 12, 31))]
    if words == "this month":
        following = date(today.year + today.month // 12, today.month % 12 + 1, 1)
        return [(today.replace(day=1), date.fromordinal(following.toordinal() - 1))]
    return []


def _request_year(page: Node, request: PortalRequest, year: int) -> PortalRequest | None:
    field = page.find_first("input[name$='lstYears']")
    state = page.find_first("input[name$='lstYears_ClientState']")
    name = "" if field is None else field.get("name") or ""
    state_name = (state.get("name") if state is not None else None) or (
        name.replace("$", "_") + "_ClientState"
    )
    form = build_form(page, name, **{state_name: f'{{"value":"{year}"}}'})
    if form is None:
        return None
    return PortalRequest(
        url=find_action(page, request.url),
        step="calendar",
        form=form,
        context={**request.context, "year": str(year), "state": state_name},
    )


def _request_next(
    page: Node, request: PortalRequest, tenant: LegistarTenant, days: list[str]
) -> list[PortalRequest | None]:
    """The next page of the calendar, unless it is already beyond the window."""
    target = find_next_target(page)
    first, last = tenant.find_window(date.fromisoformat(request.context["today"]))
    is_past = bool(days) and (
        (days == sorted(days, reverse=True) and days[-1] < first.isoformat())
        or (days == sorted(days) and days[-1] > last.isoformat())
    )
    if target is None or is_past:
        return []
    return [turn_page(page, request, target, tenant.most_pages)]


def _read_meeting(row: GridRow, tenant: LegistarTenant) -> ListedMeeting | None:
    """A row of the calendar; None for one without a date, such as a recording."""
    day = _find_date(row)
    title = _find_name(row)
    if day is None or title is None:
        return None
    base = f"{tenant.base}/"
    links = [url for url, _ in list_links(row.node, base)]
    page = next((url for url in links if "meetingdetail.aspx" in url.lower()), None)
    place, notes = _read_place(row)
    papers = _read_papers(row, base)
    found = find_status(title, row.find_text("status"))
    if found is MeetingStatus.SCHEDULED:
        found = find_note_status(place, notes, row.find_text("time"))
    if found is MeetingStatus.SCHEDULED and any(p.kind is PaperKind.MINUTES for p in papers):
        found = MeetingStatus.HELD
    topic = row.find_text(r"topic|subject|purpose|remarks|notes?$")
    return ListedMeeting(
        vendor_id=_find_meeting_id(row, links) or f"row-{content_hash(f'{title} {day}'.encode())}",
        title=title,
        starts=day,
        body=title,
        location=None
        if place and find_note_status(place) is not MeetingStatus.SCHEDULED
        else place,
        status=found,
        papers=papers,
        video=_find_media(row, base),
        page=page,
        notes="; ".join(note for note in (notes, topic) if note) or None,
        raw=row.node.markup,
    )


def _find_name(row: GridRow) -> str | None:
    link = row.node.find_first("[id*='hypBody']")
    named = clean(link.read_text()) if link is not None else None
    if found := named or row.find_text(_NAME):
        return found
    texts = (clean(cell.read_text()) for _, cell in row.cells)
    return next((text for text in texts if text and not _DATE_CELL.fullmatch(text)), None)


def _find_date(row: GridRow) -> str | None:
    """The day of a meeting, with its time if it is given."""
    texts = [row.find_text(_DATE), *(clean(cell.read_text()) for _, cell in row.cells)]
    text = next((text for text in texts if text and _DATE_CELL.fullmatch(text)), None)
    text = text or texts[0]
    day = parse_moment(text, _DATES)
    if day is None or len(day) > len("2026-01-01"):
        return day
    label = row.node.find_first("[id*='lblTime']")
    clock = parse_clock(row.find_text("time") or (label.read_text() if label is not None else None))
    return day if clock is None or clock == "00:00" else f"{day}T{clock}"


def _read_place(row: GridRow) -> tuple[str | None, str | None]:
    """Where a meeting is held, and the remark below it."""
    cell = row.find_cell(r"location|place|venue|room|where")
    if cell is None:
        return None, None
    remark = clean(" ".join(found.read_text() for found in cell.find_all("em")))
    text = clean(cell.read_text())
    if remark and text:
        text = clean(text.removesuffix(remark))
    return text, remark


def _find_meeting_id(row: GridRow, links: list[str]) -> str | None:
    """The id of a meeting on the pages; that of the API is another number."""
    for url in links:
        parts = urlsplit(url)
        is_meeting = re.search(r"(MeetingDetail\.aspx|View\.ashx)$", parts.path, re.IGNORECASE)
        query = {name.upper(): values[0] for name, values in parse_qs(parts.query).items()}
        if is_meeting and query.get("ID", "").isdigit():
            return f"web-{query['ID']}"
    event = row.node.find_first("[data-event-id]")
    return None if event is None else f"event-{(event.get('data-event-id') or '').lower()}"


def _read_papers(row: GridRow, base: str) -> tuple[MeetingPaper, ...]:
    papers: dict[str, MeetingPaper] = {}
    for header, cell in row.cells:
        if header and re.search(_NOT_PAPERS, header):
            continue
        for url, link in list_links(cell, base):
            if not re.search(r"(MeetingDetail|DepartmentDetail|Video|Calendar)\.aspx|M=IC\b", url):
                paper = make_paper(url, header, link)
                papers.setdefault(url, paper)
    kinds = {paper.kind for paper in papers.values() if "M=AADA" not in paper.url}
    # The accessible agenda is the same document again.
    return tuple(
        paper for paper in papers.values() if "M=AADA" not in paper.url or paper.kind not in kinds
    )


def _find_media(row: GridRow, base: str) -> str | None:
    """The recording: the video, or else the sound."""
    for words in (_MEDIA, "audio"):
        cell = row.find_cell(words)
        if cell is not None and (found := next(list_links(cell, base), None)):
            return found[0]
    return None


def _has_page(meeting: ListedMeeting) -> bool:
    is_off = meeting.status in (MeetingStatus.CANCELLED, MeetingStatus.POSTPONED)
    return meeting.page is not None and not is_off and find_meeting_filter(meeting.title) is None


def _request_detail(meeting: ListedMeeting) -> PortalRequest:
    return PortalRequest(
        url=meeting.page or "",
        step="detail",
        changed=hash_entry(meeting),
        context={
            "meeting": meeting.vendor_id,
            "held": meeting.starts,
            "papers": "\n".join(paper.url for paper in meeting.papers),
        },
    )
