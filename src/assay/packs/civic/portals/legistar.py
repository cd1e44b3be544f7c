"""Legistar: the Web API, and the city's pages where the API is switched off or of no use."""

import json
import re
from datetime import date, timedelta
from typing import Final
from urllib.parse import quote, urlencode

from assay.packs.civic.filters import find_meeting_filter
from assay.packs.civic.portals.legistar_agendas import (
    API_HEADERS,
    AgendaRow,
    LegistarTenant,
    arrange_rows,
    continue_details,
    find_note_status,
    leave_out_translations,
    read_votes,
    request_details,
)
from assay.packs.civic.portals.legistar_calendar import request_calendar
from assay.packs.civic.portals.legistar_pages import PAGE_READERS
from assay.packs.civic.portals.legistar_rows import (
    Row,
    read_flag,
    read_note,
    read_number,
    read_rows,
)
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
    absolute_url,
    build_agenda_items,
    build_meeting_items,
    clean,
    find_paper_kind,
    find_status,
    is_http,
    join_day_and_time,
    parse_moment,
)
from assay.sdk.errors import ContentBroken
from assay.sdk.records import canonical_json, content_hash
from assay.sdk.sources import Portal, PortalPage, PortalRequest

__all__ = ["LEGISTAR", "LegistarTenant", "read", "recover", "start"]

MOST_ROWS: Final = 1000
"""Rows of one response of the API; more are on the next page."""
_SWITCHED_OFF = frozenset({400, 401, 403, 404, 410, 500, 501})
_MISSING = frozenset({401, 403, 404, 410})
_PUBLISHED = (
    "EventAgendaFile", "EventMinutesFile", "EventAgendaLastPublishedUTC",
    "EventMinutesLastPublishedUTC",
)  # fmt: skip
_PAGE_BREAK = re.compile(r"\W*page\s*break\W*", re.IGNORECASE)
_VERSION = re.compile(r"\s*leg(?:islation)?\.?\s*ver(?:sion)?\.?\s*(\d+)", re.IGNORECASE)


def start(tenant: LegistarTenant, today: date, since: date | None) -> list[PortalRequest]:
    """The meetings of the window, from the API if the city has one."""
    if tenant.api_url is None:
        return [request_calendar(tenant, today)]
    return [_request_events(tenant, today, skip=0, seen="")]


def read(data: bytes, request: PortalRequest, tenant: LegistarTenant) -> PortalPage:
    """Read a response of the API or a page."""
    if request.step in PAGE_READERS:
        return PAGE_READERS[request.step](data, request, tenant)
    readers = {
        "events": _read_events, "items": _read_items, "votes": _read_votes,
        "sponsors": _read_sponsors,
    }  # fmt: skip
    return readers[request.step](data, request, tenant)


def recover(request: PortalRequest, status: int, tenant: LegistarTenant) -> PortalPage | None:
    """The city's pages, if its API is switched off; no detail, if a single one is missing."""
    missing = [f"{request.url} answered {status}"]
    if request.step == "events" and status in _SWITCHED_OFF and request.context["skip"] == "0":
        today = date.fromisoformat(request.context["today"])
        return PortalPage(requests=[request_calendar(tenant, today)], warnings=missing)
    if request.step == "items" and status in _SWITCHED_OFF and request.context["page"]:
        return PortalPage(requests=[_request_page(request)], warnings=missing)
    if request.step in {"votes", "sponsors", "history", "matter"} and status in _MISSING:
        return continue_details(request, tenant, {}, missing)
    if request.step in {"items", "detail"} and status in _MISSING:
        return PortalPage(warnings=missing)
    return None


def _request_events(tenant: LegistarTenant, today: date, skip: int, seen: str) -> PortalRequest:
    first, last = tenant.find_window(today)
    asked = {
        "$filter": f"EventDate ge datetime'{first}' and "
        f"EventDate lt datetime'{last + timedelta(days=1)}'",
        # The newest first: a city that ignores the filter need not be read to its end.
        "$orderby": "EventDate desc",
    }
    if skip:
        asked["$skip"] = str(skip)
    query = urlencode(asked, quote_via=quote, safe="$'")
    return PortalRequest(
        url=f"{tenant.api_url}/Events?{query}",
        step="events",
        headers=API_HEADERS,
        context={"today": today.isoformat(), "skip": str(skip), "seen": seen},
    )


def _read_events(data: bytes, request: PortalRequest, tenant: LegistarTenant) -> PortalPage:
    rows = read_rows(data, request.url, "a list of Legistar events", "EventId")
    today, skip = date.fromisoformat(request.context["today"]), int(request.context["skip"])
    if not rows and skip == 0:
        # Some cities keep an API without meetings; their pages know.
        return PortalPage(requests=[request_calendar(tenant, today)])
    first, last = (day.isoformat() for day in tenant.find_window(today))
    # Rows move to the next page when others are added before them.
    seen = set(request.context["seen"].split())
    # Some cities ignore the filter.
    wanted = {
        event: row
        for row in rows
        if (event := str(row["EventId"])) not in seen and first <= _find_day(row) <= last
    }
    meetings = leave_out_translations(_read_meeting(row, tenant) for row in wanted.values())
    requests = [
        _request_items(wanted[meeting.vendor_id], meeting, tenant)
        for meeting in meetings
        if _has_agenda(wanted[meeting.vendor_id], meeting)
    ]
    if len(rows) >= MOST_ROWS and not _is_past(rows, first):
        requests.append(_request_next(rows, skip, tenant, today))
    return PortalPage(items=build_meeting_items(tenant, tenant.base, meetings), requests=requests)


def _request_next(rows: list[Row], skip: int, tenant: LegistarTenant, today: date) -> PortalRequest:
    if skip >= MOST_ROWS * (tenant.most_pages - 1):
        raise ContentBroken(
            f"{tenant.api_url} lists more than {MOST_ROWS * tenant.most_pages} meetings.",
            advice="It may ignore the filter by date; with 'api: false' its pages are read.",
        )
    seen = " ".join(str(row["EventId"]) for row in rows)
    return _request_events(tenant, today, skip + MOST_ROWS, seen)


def _is_past(rows: list[Row], first: str) -> bool:
    """Whether the rows are in order, the newest first, and already before the window."""
    days = [_find_day(row) for row in rows]
    return days[-1] < first and days == sorted(days, reverse=True)


def _find_day(row: Row) -> str:
    """The day of a meeting; empty if it has none."""
    return (parse_moment(clean(row.get("EventDate"))) or "")[:10]


def _read_meeting(row: Row, tenant: LegistarTenant) -> ListedMeeting:
    title = clean(row.get("EventBodyName")) or "Meeting"
    page = clean(row.get("EventInSiteURL"))
    # Midnight means that no time is given.
    moment = (parse_moment(clean(row.get("EventDate"))) or "").removesuffix("T00:00")
    timed = join_day_and_time(moment, clean(row.get("EventTime"))).removesuffix("T00:00")
    papers = _read_papers(row, tenant)
    return ListedMeeting(
        vendor_id=str(row["EventId"]),
        title=title,
        starts=timed if len(timed) > len("2026-01-01") else moment,
        body=clean(row.get("EventBodyName")),
        location=clean(row.get("EventLocation")),
        status=_find_status(row, papers),
        papers=papers,
        video=_find_video(row, tenant),
        page=absolute_url(f"{tenant.base}/", page) if page else None,
        notes=clean(row.get("EventComment")),
        raw=json.dumps(row, ensure_ascii=False, sort_keys=True),
    )


def _find_status(row: Row, papers: tuple[MeetingPaper, ...]) -> MeetingStatus:
    named = (
        "EventBodyName", "EventTime", "EventAgendaStatusName", "EventMinutesStatusName",
    )  # fmt: skip
    found = find_status(*(clean(row.get(name)) for name in named))
    if found is MeetingStatus.SCHEDULED:
        found = find_note_status(row.get("EventComment"), row.get("EventLocation"))
    has_minutes = any(paper.kind is PaperKind.MINUTES for paper in papers)
    return MeetingStatus.HELD if has_minutes and found is MeetingStatus.SCHEDULED else found


def _read_papers(row: Row, tenant: LegistarTenant) -> tuple[MeetingPaper, ...]:
    papers: list[MeetingPaper] = []
    for name in ("Agenda", "Minutes"):
        if link := clean(row.get(f"Event{name}File")):
            status = clean(row.get(f"Event{name}StatusName")) or ""
            papers.append(
                MeetingPaper(
                    kind=find_paper_kind(f"{status if name == 'Minutes' else ''} {name}"),
                    url=absolute_url(f"{tenant.base}/", link),
                    name=name,
                    changed=clean(row.get(f"Event{name}LastPublishedUTC")),
                )
            )
    return tuple(papers)


def _find_video(row: Row, tenant: LegistarTenant) -> str | None:
    if path := clean(row.get("EventVideoPath")):
        return absolute_url(f"{tenant.base}/", path)
    clip = clean(row.get("EventMedia"))
    if clip is None or not clip.isdigit():
        return None
    return f"{tenant.base}/Video.aspx?Mode=Granicus&ID1={clip}&Mode2=Video"


def _has_agenda(row: Row, meeting: ListedMeeting) -> bool:
    """Whether to ask for the items of a meeting: not before anything about it is published."""
    if meeting.status in (MeetingStatus.CANCELLED, MeetingStatus.POSTPONED):
        return False
    if find_meeting_filter(meeting.title) is not None:
        return False
    status = (clean(row.get("EventAgendaStatusName")) or "").lower()
    return (
        any(clean(row.get(name)) for name in _PUBLISHED)
        or not any(name in row for name in _PUBLISHED)
        or any(word in status for word in ("final", "approved", "published"))
    )


def _request_items(row: Row, meeting: ListedMeeting, tenant: LegistarTenant) -> PortalRequest:
    return PortalRequest(
        url=f"{tenant.api_url}/Events/{quote(meeting.vendor_id)}/EventItems"
        "?AgendaNote=1&MinutesNote=1&Attachments=1",
        step="items",
        headers=API_HEADERS,
        changed=content_hash(canonical_json(row)),
        context={
            "meeting": meeting.vendor_id,
            "held": meeting.starts,
            "page": meeting.page or "",
            "papers": "\n".join(paper.url for paper in meeting.papers),
        },
    )


def _request_page(request: PortalRequest) -> PortalRequest:
    """The page of a meeting, instead of its items from the API."""
    return PortalRequest(
        url=request.context["page"],
        step="detail",
        changed=request.changed,
        context={name: request.context[name] for name in ("meeting", "held", "papers")},
    )


def _read_items(data: bytes, request: PortalRequest, tenant: LegistarTenant) -> PortalPage:
    rows = read_rows(data, request.url, "a list of Legistar agenda items", "EventItemId")
    if _is_garbage(rows) and request.context["page"]:
        return PortalPage(requests=[_request_page(request)])
    listed = [_read_row(row, tenant) for row in sorted(rows, key=_find_place) if _is_listed(row)]
    arranged = arrange_rows(listed)
    meeting, held = request.context["meeting"], request.context["held"]
    agenda = ListedAgenda(
        meeting=meeting,
        items=tuple(row.item for row in arranged),
        raw=json.dumps(rows, ensure_ascii=False, sort_keys=True),
    )
    return PortalPage(
        items=build_agenda_items(tenant, tenant.base, agenda, held) if arranged else [],
        requests=request_details(arranged, meeting, held),
    )


def _is_garbage(rows: list[Row]) -> bool:
    """Whether the API lists the lines of a printed agenda instead of its items."""
    bare = sum(not (clean(row.get("EventItemAgendaNumber")) or _has_matter(row)) for row in rows)
    return 2 * bare > len(rows) and any(map(_is_page_break, rows))


def _is_page_break(row: Row) -> bool:
    return _PAGE_BREAK.fullmatch(clean(row.get("EventItemTitle")) or "") is not None


def _has_matter(row: Row) -> bool:
    return bool(clean(row.get("EventItemMatterId")) or clean(row.get("EventItemMatterFile")))


def _is_listed(row: Row) -> bool:
    """Whether a row is on the agenda; the minutes have rows of their own."""
    is_on_agenda = row.get("EventItemAgendaSequence") is not None or _has_matter(row)
    return is_on_agenda and _find_title(row) is not None and not _is_page_break(row)


def _find_place(row: Row) -> tuple[bool, int]:
    agenda = read_number(row.get("EventItemAgendaSequence"))
    minutes = read_number(row.get("EventItemMinutesSequence"))
    return agenda is None, (minutes or 0) if agenda is None else agenda


def _find_title(row: Row) -> str | None:
    return clean(row.get("EventItemTitle")) or clean(row.get("EventItemMatterName"))


def _read_row(row: Row, tenant: LegistarTenant) -> AgendaRow:
    matter = clean(row.get("EventItemMatterId"))
    action = clean(row.get("EventItemActionName"))
    passed = read_flag(row.get("EventItemPassedFlag"))
    attachments = _read_attachments(row.get("EventItemMatterAttachments") or [], tenant)
    item = ListedAgendaItem(
        vendor_id=str(row["EventItemId"]),
        sequence=0,
        title=_find_title(row) or "",
        number=clean(row.get("EventItemAgendaNumber")),
        matter_file=clean(row.get("EventItemMatterFile")),
        matter_id=matter,
        matter_type=clean(row.get("EventItemMatterType")),
        text=_find_text(row),
        attachments=attachments,
        consent=bool(read_flag(row.get("EventItemConsent"))),
        action=action,
        passed=passed,
        mover=clean(row.get("EventItemMover")),
        seconder=clean(row.get("EventItemSeconder")),
        tally=clean(row.get("EventItemTally")),
    )
    is_decided = passed is not None or bool(read_flag(row.get("EventItemRollCallFlag")))
    steps: list[tuple[str, str]] = []
    if tenant.votes and is_decided:
        steps.append(("votes", f"{tenant.api_url}/EventItems/{item.vendor_id}/Votes"))
    if tenant.sponsors and matter:
        steps.append(("sponsors", f"{tenant.api_url}/Matters/{matter}/Sponsors"))
    return AgendaRow(
        item,
        is_firm=_has_matter(row) or bool(attachments or action) or passed is not None,
        steps=tuple(steps),
        stamp=clean(row.get("EventItemLastModifiedUtc")) or "",
    )


def _find_text(row: Row) -> str | None:
    """What the agenda and the minutes say about an item."""
    names = ("EventItemAgendaNote", "EventItemMinutesNote", "EventItemActionText")
    notes = [note for name in names if (note := read_note(row.get(name)))]
    # The text of an action often only repeats its name.
    known = {_find_title(row), clean(row.get("EventItemActionName"))}
    return "\n\n".join(dict.fromkeys(note for note in notes if note not in known)) or None


def _read_attachments(rows: list[Row], tenant: LegistarTenant) -> tuple[MeetingPaper, ...]:
    found: dict[str, MeetingPaper] = {}
    versions = [_find_version(row) for row in rows]
    for row in sorted(rows, key=lambda row: read_number(row.get("MatterAttachmentSort")) or 0):
        link = clean(row.get("MatterAttachmentHyperlink"))
        is_hidden = read_flag(row.get("MatterAttachmentShowOnInternetPage")) is False
        version = _find_version(row)
        # Each version of the text is attached; only the last one counts.
        if link is None or is_hidden or (version and version < max(versions)):
            continue
        url = absolute_url(tenant.files, link)
        if is_http(url):
            found.setdefault(
                url,
                MeetingPaper(
                    kind=PaperKind.ATTACHMENT,
                    url=url,
                    name=clean(row.get("MatterAttachmentName")) or link.rpartition("/")[2],
                    changed=clean(row.get("MatterAttachmentLastModifiedUtc")),
                ),
            )
    return tuple(found.values())


def _find_version(row: Row) -> int:
    found = _VERSION.match(clean(row.get("MatterAttachmentName")) or "")
    return int(found[1]) if found else 0


def _read_votes(data: bytes, request: PortalRequest, tenant: LegistarTenant) -> PortalPage:
    rows = read_rows(data, request.url, "a list of Legistar votes", "VotePersonName")
    rows.sort(key=lambda row: read_number(row.get("VoteSort")) or 0)
    votes, unknown = read_votes(
        (
            clean(row["VotePersonName"]),
            clean(row.get("VoteValueName")),
            clean(row.get("VotePersonId")),
        )
        for row in rows
    )
    warnings = [f"votes not understood at {request.url}: {', '.join(unknown)}"] if unknown else []
    return continue_details(request, tenant, {"votes": votes}, warnings)


def _read_sponsors(data: bytes, request: PortalRequest, tenant: LegistarTenant) -> PortalPage:
    rows = read_rows(data, request.url, "a list of Legistar sponsors", "MatterSponsorName")
    rows.sort(key=lambda row: read_number(row.get("MatterSponsorSequence")) or 0)
    names = dict.fromkeys(name for row in rows if (name := clean(row["MatterSponsorName"])))
    return continue_details(request, tenant, {"sponsors": tuple(names)}, [])


LEGISTAR = Portal(
    name="legistar",
    settings=LegistarTenant,
    start=start,
    read=read,
    recover=recover,
    entries=ENTRIES,
)
