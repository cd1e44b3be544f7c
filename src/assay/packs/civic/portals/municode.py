"""Municode Meetings: an API on some sites, otherwise tables of meetings, and agendas as pages.

A name with a hyphen, such as `columbus-ga`, is a site of its own with the API; where that is off,
its list of meetings is read page by page. A code without one, such as `CLOVIS`, is a page of
meetings.municode.com. All keep an agenda as a page with items under a meeting's GUID.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from assay.packs.civic.filters import find_meeting_filter
from assay.packs.civic.portals.listed import (
    ListedAgenda,
    ListedMeeting,
    MeetingPaper,
    MeetingStatus,
)
from assay.packs.civic.portals.municode_agenda import read_agenda
from assay.packs.civic.portals.municode_api import find_api_links, read_api_meetings
from assay.packs.civic.portals.municode_links import MeetingLinks
from assay.packs.civic.portals.municode_tables import MunicodeRow, find_next_page, read_rows
from assay.packs.civic.portals.shared import (
    ENTRIES,
    CivicTenant,
    broken_page_error,
    build_agenda_items,
    build_meeting_items,
    refuse_garbage,
)
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import Portal, PortalPage, PortalRequest, parse_html, parse_json

_HOST: Final = "https://meetings.municode.com"
_API: Final = "a list of Municode meetings"
_TABLE: Final = "a table of Municode meetings"
MOST_PAGES: Final = 100


class MunicodeTenant(CivicTenant):
    """A city at Municode Meetings."""

    page: str = "0"
    """The id of its page (`ppid`), for a city with several pages at meetings.municode.com."""
    code: str | None = None
    """Its code in the addresses of agendas, if its site does not show it."""

    @property
    def has_own_site(self) -> bool:
        """Whether it has a site of its own, with the API or a list of meetings."""
        site = self.site.strip()
        return "-" in site if "://" not in site else "meetings.municode.com" not in site

    @property
    def base(self) -> str:
        if self.has_own_site:
            return self.find_base("https://{site}.municodemeetings.com")
        return f"{_HOST}/{self.city}"

    @property
    def city(self) -> str:
        """The city's code, such as `CLOVIS`; for a site of its own, a likely one."""
        asked = parse_qs(urlsplit(self.site).query)
        named = self.code or next((asked[key][0] for key in ("cid", "cc") if key in asked), None)
        host = urlsplit(self.site).hostname if "://" in self.site else self.site
        return (named or (host or "").split(".")[0].replace("-", "").strip()).upper()

    @property
    def listing(self) -> str:
        """The address of its page at meetings.municode.com, without the number of the page."""
        asked = parse_qs(urlsplit(self.site).query)
        page = asked["ppid"][0] if "ppid" in asked else self.page
        return f"{_HOST}/PublishPage/index?cid={self.city}&ppid={page}"


def start(tenant: MunicodeTenant, today: date, since: date | None) -> list[PortalRequest]:
    """The API of a site of its own, or all meetings of a page."""
    first, last = tenant.find_window(today)
    context = {"from": first.isoformat(), "to": last.isoformat()}
    if not tenant.has_own_site:
        return [PortalRequest(url=f"{tenant.listing}&p=-1", step="table", context=context)]
    url = f"{tenant.base}/api/v1/public/meeting/list.json?datefrom={first}&dateto={last}"
    return [PortalRequest(url=url, step="api", context=context)]


def recover(request: PortalRequest, status: int, tenant: MunicodeTenant) -> PortalPage | None:
    """What to ask where the API is off, all meetings at once are too many, or an agenda has no
    page."""
    if request.step == "api" and status in {400, 401, 403, 404, 410, 500, 501}:
        return _ask_table(f"{tenant.base}/?page=0", request)
    if request.step == "table" and request.url.endswith("&p=-1") and status >= 500:
        return _ask_table(f"{tenant.listing}&p=1", request)
    if request.step == "agenda" and status in {400, 404, 410, 500}:
        agenda = _make_agenda(request, ())
        return _build_agenda(agenda, request, tenant) if agenda.papers else PortalPage()
    return None


def read(data: bytes, request: PortalRequest, tenant: MunicodeTenant) -> PortalPage:
    """The meetings of a list, the documents of one, or the items of an agenda."""
    match request.step:
        case "api":
            return _read_api(data, request, tenant)
        case "details":
            return _read_details(data, request, tenant)
        case "agenda":
            return _read_agenda(data, request, tenant)
        case _:
            return _read_table(data, request, tenant)


def _ask_table(url: str, request: PortalRequest) -> PortalPage:
    further = PortalRequest(url=url, step="table", context=dict(request.context))
    return PortalPage(requests=[further])


def _read_api(data: bytes, request: PortalRequest, tenant: MunicodeTenant) -> PortalPage:
    whole = refuse_garbage(parse_json(data, request.url, _API), dict, request.url, _API)
    rows = refuse_garbage(whole.get("Meetings"), list, request.url, _API)
    first, last = request.context["from"], request.context["to"]
    if rows and not any(isinstance(row, dict) and "MeetingID" in row for row in rows):
        raise broken_page_error(request.url, _API)
    found, warnings = read_api_meetings(rows, tenant.base, tenant.timezone)
    wanted = [row for row in found if first <= row.meeting.starts[:10] <= last]
    asked = (
        _ask_agenda(row, tenant) if row.links.papers else _ask_details(row, tenant)
        for row in wanted
    )
    further = [each for each in asked if each is not None]
    meetings = [row.meeting for row in wanted]
    items = build_meeting_items(tenant, tenant.base, meetings)
    return PortalPage(items=items, requests=further, warnings=warnings)


def _ask_details(row: MunicodeRow, tenant: MunicodeTenant) -> PortalRequest | None:
    if not _is_wanted(row.meeting):
        return None
    return PortalRequest(
        url=f"{tenant.base}/api/v1/public/meeting/{row.meeting.vendor_id}/details.json",
        step="details",
        changed=row.stamp,
        context={**_make_context(row), "guid": row.links.guid or ""},
    )


def _read_details(data: bytes, request: PortalRequest, tenant: MunicodeTenant) -> PortalPage:
    """The documents of a meeting; its agenda, which follows, is stored together with them."""
    what = "the details of a Municode meeting"
    whole = refuse_garbage(parse_json(data, request.url, what), dict, request.url, what)
    if not {"Meetings", "MeetingID"} & set(whole):
        raise broken_page_error(request.url, what)
    links = find_api_links(whole, tenant.base)
    guid = links.guid or request.context.get("guid") or None
    papers = json.dumps([paper.model_dump(mode="json") for paper in links.papers])
    context = {**request.context, "papers": papers, "video": links.video or ""}
    url = links.html or (_make_agenda_url(tenant, links, guid) if guid else None)
    if url is None:
        agenda = _make_agenda(PortalRequest(url=request.url, context=context), ())
        has_something = agenda.papers or agenda.video
        return _build_agenda(agenda, request, tenant) if has_something else PortalPage()
    context["guessed"] = "" if links.html else "yes"
    changed = request.changed
    return PortalPage(
        requests=[PortalRequest(url=url, step="agenda", changed=changed, context=context)]
    )


def _read_table(data: bytes, request: PortalRequest, tenant: MunicodeTenant) -> PortalPage:
    root = parse_html(data, request.url, _TABLE)
    rows = read_rows(root, request.url)
    if rows is None:
        raise broken_page_error(request.url, _TABLE)
    first, last = request.context["from"], request.context["to"]
    wanted = [row for row in rows if first <= row.meeting.starts[:10] <= last]
    further = [asked for row in wanted if (asked := _ask_agenda(row, tenant))]
    following = find_next_page(root, request.url)
    if following and not _is_past(rows, first, last):
        number = int(request.context.get("number", "1")) + 1
        if number > MOST_PAGES:
            raise ContentBroken(
                f"{request.url} still has pages after {MOST_PAGES}.",
                advice="Choose a shorter window, or report the site: its order is unknown.",
            )
        context = {**request.context, "number": str(number)}
        further.append(PortalRequest(url=following, step="table", context=context))
    meetings = [row.meeting for row in wanted]
    return PortalPage(items=build_meeting_items(tenant, tenant.base, meetings), requests=further)


def _is_past(rows: Sequence[MunicodeRow], first: str, last: str) -> bool:
    """Whether the pages that follow are all outside the window, judged by the order of this one."""
    days = [row.meeting.starts[:10] for row in rows]
    if len(days) < 2:
        return bool(days) and days[0] < first
    if days == sorted(days, reverse=True):
        return days[-1] < first
    return days == sorted(days) and days[-1] > last


def _ask_agenda(row: MunicodeRow, tenant: MunicodeTenant) -> PortalRequest | None:
    """The agenda as a page: where the row links to it, or where it probably is."""
    links = row.links
    if not _is_wanted(row.meeting) or not (links.html or (links.guid and links.papers)):
        return None
    guess = _make_agenda_url(tenant, links, links.guid) if links.guid else ""
    return PortalRequest(
        url=links.html or guess,
        step="agenda",
        changed=row.stamp,
        context={**_make_context(row), "guessed": "" if links.html else "yes"},
    )


def _is_wanted(meeting: ListedMeeting) -> bool:
    is_cancelled = meeting.status is MeetingStatus.CANCELLED
    return not is_cancelled and find_meeting_filter(meeting.title) is None


def _make_context(row: MunicodeRow) -> dict[str, str]:
    return {"meeting": row.meeting.vendor_id, "held": row.meeting.starts[:10]}


def _make_agenda_url(tenant: MunicodeTenant, links: MeetingLinks, guid: str | None) -> str:
    code = tenant.code or links.code or tenant.city
    return f"{_HOST}/adaHtmlDocument/index?cc={code}&me={guid}&ip=True"


def _read_agenda(data: bytes, request: PortalRequest, tenant: MunicodeTenant) -> PortalPage:
    found = read_agenda(data, request.url)
    if found is None:
        if not request.context.get("guessed"):
            raise broken_page_error(request.url, "a Municode agenda")
        # The meeting has its documents, but no page of items.
        agenda = _make_agenda(request, ())
        has_something = agenda.papers or agenda.video
        return _build_agenda(agenda, request, tenant) if has_something else PortalPage()
    raw = data.decode("utf-8", "replace")
    more = {"raw": raw, "starts": found.starts, "location": found.location}
    agenda = _make_agenda(request, found.items).model_copy(update=more)
    return _build_agenda(agenda, request, tenant)


def _make_agenda(request: PortalRequest, items: Sequence[Any]) -> ListedAgenda:
    papers: list[Mapping[str, Any]] = json.loads(request.context.get("papers") or "[]")
    return ListedAgenda(
        meeting=request.context["meeting"],
        items=tuple(items),
        papers=tuple(MeetingPaper.model_validate(paper) for paper in papers),
        video=request.context.get("video") or None,
    )


def _build_agenda(
    agenda: ListedAgenda, request: PortalRequest, tenant: MunicodeTenant
) -> PortalPage:
    items = build_agenda_items(tenant, tenant.base, agenda, request.context["held"])
    return PortalPage(items=items)


MUNICODE = Portal(
    name="municode",
    settings=MunicodeTenant,
    start=start,
    read=read,
    recover=recover,
    entries=ENTRIES,
)
