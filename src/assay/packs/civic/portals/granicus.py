"""Granicus: one page per view lists upcoming events and archived clips, in several themes.

A meeting is an event until it is archived, and a clip with another number afterwards. So that it
stays the same meeting, its id is its day and its name.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any
from urllib.parse import parse_qs, urlsplit

from assay.packs.civic.filters import find_meeting_filter
from assay.packs.civic.portals.granicus_rows import (
    AGENDA_VIEWER,
    GranicusRow,
    GranicusView,
    is_listing,
    read_view,
)
from assay.packs.civic.portals.listed import (
    ListedAgenda,
    ListedMeeting,
    MeetingPaper,
    MeetingStatus,
    PaperKind,
    hash_entry,
)
from assay.packs.civic.portals.outline import read_outline
from assay.packs.civic.portals.pages import find_site, make_name_key, skip_missing_page
from assay.packs.civic.portals.shared import (
    ENTRIES,
    CivicTenant,
    build_agenda_items,
    build_meeting_items,
)
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import Node, Portal, PortalPage, PortalRequest, parse_html

_UNPUBLISHED = re.compile(
    r"\b(agenda|document|file) (is )?not (currently |yet )?(published|available)|no agenda",
    re.IGNORECASE,
)
_AGENDA_ONLINE = re.compile(
    r"(https?://[^\s\"'<>]+/AgendaOnline)/Meetings/ViewMeeting\?(?:[^\s\"'<>]*&(?:amp;)?)?id=(\d+)",
    re.IGNORECASE,
)


class GranicusTenant(CivicTenant):
    """A city at Granicus."""

    views: tuple[int, ...] = (1,)
    """The numbers of the pages that list its meetings: `view_id` in their addresses."""
    items: bool = True
    """Whether to ask for each agenda, for its items and their documents."""

    @property
    def base(self) -> str:
        return find_site(self.find_base("https://{site}.granicus.com"))

    @property
    def view_ids(self) -> tuple[int, ...]:
        """The views; that of the address, if `site` is the address of a view."""
        named = parse_qs(urlsplit(self.site).query).get("view_id", [])
        return tuple(int(number) for number in named if number.isdigit()) or self.views


def start(tenant: GranicusTenant, today: date, since: date | None) -> list[PortalRequest]:
    """The page of every view; each lists all years."""
    first, last = tenant.find_window(today)
    context = {
        "from": first.isoformat(),
        "to": last.isoformat(),
        "today": today.isoformat(),
    }
    return [
        PortalRequest(
            url=f"{tenant.base}/ViewPublisher.php?view_id={view}", step="meetings", context=context
        )
        for view in tenant.view_ids
    ]


def read(data: bytes, request: PortalRequest, tenant: GranicusTenant) -> PortalPage:
    """The meetings of a view, or the items of an agenda."""
    if request.step == "agenda":
        return _read_agenda(data, request, tenant)
    root = parse_html(data, request.url, "a list of Granicus meetings")
    context = request.context
    view = read_view(
        root,
        tenant.base,
        tenant.timezone,
        first=context.get("from", ""),
        last=context.get("to", "9999"),
        today=context.get("today"),
    )
    if view.count == 0 and view.strays:
        raise _unknown_page(request.url, "lists meetings in a way that is not known")
    if view.count == 0 and not is_listing(root):
        raise _unknown_page(request.url, "has no list of meetings")
    meetings = build_meetings(view.rows)
    return PortalPage(
        items=build_meeting_items(tenant, tenant.base, meetings),
        requests=[again for meeting in meetings for again in _request_agenda(meeting, tenant)],
        warnings=_warn(view),
    )


def _unknown_page(url: str, why: str) -> ContentBroken:
    return ContentBroken(
        f"{url} {why}.",
        advice="Open the page in a browser. The view's number or the site's name may be wrong, "
        "or the site may have a new theme.",
    )


def _warn(view: GranicusView) -> list[str]:
    warnings = [
        f"'{row.title}' has no date that can be read and is left out." for row in view.undated
    ]
    if view.strays:
        count, one = len(view.strays), view.strays[0]
        warnings.append(f"{count} links belong to no meeting that can be read: {one}")
    return warnings


def build_meetings(rows: Iterable[GranicusRow]) -> list[ListedMeeting]:
    """One meeting for all rows about it: recent and archived, event and clip."""
    groups: dict[str, list[list[GranicusRow]]] = {}
    for row in rows:
        same_name = groups.setdefault(f"{row.starts[:10]}-{make_name_key(row.title)}", [])
        for group in same_name:
            if all(_is_same(row, other) for other in group):
                group.append(row)
                break
        else:
            same_name.append([row])
    return [
        _merge_rows(f"{key}-{number}" if number > 1 else key, group)
        for key, same_name in groups.items()
        for number, group in enumerate(sorted(same_name, key=_order_groups), 1)
    ]


def _is_same(one: GranicusRow, other: GranicusRow) -> bool:
    """Whether two rows with the same day and name are about the same meeting."""
    if one.ids & other.ids:
        return True
    clocks = {row.starts[10:] for row in (one, other) if row.starts[10:]}
    kinds = [{kind for kind, _ in row.ids} for row in (one, other)]
    return len(clocks) < 2 and not kinds[0] & kinds[1]


def _order_groups(group: Sequence[GranicusRow]) -> tuple[str, int]:
    numbers = [int(number) for row in group for _, number in row.ids]
    return min(row.starts for row in group), min(numbers, default=0)


def _merge_rows(vendor_id: str, rows: Sequence[GranicusRow]) -> ListedMeeting:
    # What is archived is the later state.
    rows = sorted(rows, key=lambda row: not row.is_archived)
    known = rows[0]
    found = next((row.status for row in rows if row.status is not MeetingStatus.SCHEDULED), None)
    held = MeetingStatus.HELD if known.is_archived else MeetingStatus.SCHEDULED
    return ListedMeeting(
        vendor_id=vendor_id,
        title=known.title,
        starts=max((row.starts for row in rows), key=len),
        body=next((row.body for row in rows if row.body), None),
        location=next((row.location for row in rows if row.location), None),
        status=found or held,
        papers=_choose_papers(paper for row in rows for paper in row.papers),
        video=next((row.video for row in rows if row.video), None),
        raw="\n".join(row.raw for row in rows),
    )


def _choose_papers(papers: Iterable[MeetingPaper]) -> tuple[MeetingPaper, ...]:
    """Each paper once; the agenda of the event and of the clip are the same."""
    chosen: dict[str, MeetingPaper] = {}
    for paper in papers:
        viewer = AGENDA_VIEWER.search(paper.url)
        chosen.setdefault("agenda" if viewer else paper.url, paper)
    return tuple(chosen.values())


def _request_agenda(meeting: ListedMeeting, tenant: GranicusTenant) -> list[PortalRequest]:
    if (
        not tenant.items
        or meeting.status in (MeetingStatus.CANCELLED, MeetingStatus.POSTPONED)
        or find_meeting_filter(meeting.title) is not None
    ):
        return []
    return [
        PortalRequest(
            url=paper.url,
            step="agenda",
            changed=hash_entry(meeting),
            context={"meeting": meeting.vendor_id, "held": meeting.starts[:10]},
        )
        for paper in meeting.papers
        if paper.kind is PaperKind.AGENDA and AGENDA_VIEWER.search(paper.url)
    ]


def _read_agenda(data: bytes, request: PortalRequest, tenant: GranicusTenant) -> PortalPage:
    """The items of an agenda that is a page; a PDF is fetched as a paper and has none."""
    if b"<" not in data[:2000] or data.lstrip().startswith((b"%PDF", b"PK", b"{\\rtf")):
        return PortalPage()
    root = parse_html(data, request.url, "a Granicus agenda")
    context = request.context
    outline = read_outline(root, request.url)
    if not outline.items:
        return _explain_empty_agenda(root, data, request)
    agenda = ListedAgenda(
        meeting=context["meeting"], items=outline.items, papers=outline.papers, raw=root.markup
    )
    return PortalPage(items=build_agenda_items(tenant, tenant.base, agenda, context["held"]))


def _explain_empty_agenda(root: Node, data: bytes, request: PortalRequest) -> PortalPage:
    if follow := _follow_agenda_online(data, request):
        return PortalPage(requests=[follow])
    if _UNPUBLISHED.search(root.read_text()):
        return PortalPage()
    return PortalPage(
        warnings=[f"The agenda at {request.url} names no items in a way that is known."]
    )


def _follow_agenda_online(data: bytes, request: PortalRequest) -> PortalRequest | None:
    """The accessible agenda of OnBase, to which some viewers lead through an empty frame."""
    if "followed" in request.context:
        return None
    page = f"{request.url}\n{data[:200_000].decode('utf-8', 'replace')}"
    found = _AGENDA_ONLINE.search(page)
    if found is None:
        return None
    context: Mapping[str, Any] = {**request.context, "followed": "yes"}
    url = f"{found[1]}/Meetings/ViewMeetingAgenda?meetingId={found[2]}&type=agenda"
    return PortalRequest(url=url, step="agenda", changed=request.changed, context=context)


def recover(request: PortalRequest, status: int, tenant: GranicusTenant) -> PortalPage | None:
    """Viewers of old meetings lead to documents that no longer exist."""
    return skip_missing_page(request, status, "agenda")


GRANICUS = Portal(
    name="granicus",
    settings=GranicusTenant,
    start=start,
    read=read,
    recover=recover,
    entries=ENTRIES,
)
