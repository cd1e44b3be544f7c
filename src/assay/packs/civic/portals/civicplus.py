"""CivicPlus AgendaCenter: a search by date lists the agendas of every category (board).

A page shows one year of each category, so a check searches once for every year of its window. A
site that ignores the dates is asked for the missing year of each category. Agendas that exist as a
page are asked for their items. There is no time of day, except in a title.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final
from urllib.parse import urlsplit

from assay.packs.civic.portals.civicplus_agenda import read_agenda
from assay.packs.civic.portals.listed import ListedMeeting, MeetingPaper, MeetingStatus, PaperKind
from assay.packs.civic.portals.shared import (
    ENTRIES,
    CivicTenant,
    absolute_url,
    broken_page_error,
    build_agenda_items,
    build_meeting_items,
    clean,
    find_paper_kind,
    find_status,
    is_http,
    join_day_and_time,
    make_paper_name,
    parse_moment,
)
from assay.sdk.records import content_hash
from assay.sdk.sources import Node, Portal, PortalPage, PortalRequest, parse_html

_KEY = re.compile(r"_?(?<!\d)(\d{2})(\d{2})(\d{4})-(\d+)")
"""The date and the number of an agenda, as in `_08232022-482`."""
_ROW = re.compile(r"row(\d+?)[0-9a-f]{8}")
_YEAR = re.compile(r"changeYear\(\s*(\d{4})\s*,\s*(\d+)")
_FILE = re.compile(r"/ViewFile/(\w+)/", re.IGNORECASE)
_OLD = re.compile(r"/(PreviousVersions|ViewFile/Archived\w*)/", re.IGNORECASE)
_HALF = re.compile(r"\d\s*[ap]\.?\s*m\b|\bnoon\b", re.IGNORECASE)
_ARROWS = "►▼◄▲▸▾ \u00a0"
_ROWS: Final = "tr.catAgendaRow, tr[id^=row]"
_PAGE: Final = "#AgendaCenterContent, div.listing, ul.years, [id^=category-panel]"
_WHAT: Final = "a CivicPlus AgendaCenter"
_DOCUMENT_WORDS = re.compile(r"\b(agendas?|packets?|full|complete|pdf|html)\b|\W+", re.IGNORECASE)


class CivicplusTenant(CivicTenant):
    """A city with an AgendaCenter; `site` is its name at civicplus.com, or its own domain."""

    @property
    def base(self) -> str:
        site = re.sub(r"/AgendaCenter.*", "", self.site.strip(), flags=re.IGNORECASE)
        if "://" in site:
            return site.rstrip("/")
        if "." in site:
            return f"https://{site.strip('/').lower()}"
        return self.find_base("https://{site}.civicplus.com")


@dataclass(frozen=True)
class _Category:
    """A board's part of the page."""

    number: str | None
    name: str | None
    shown: str | None
    """The year whose agendas are shown."""
    years: frozenset[str]
    rows: Sequence[Node]


@dataclass(frozen=True)
class _Row:
    """One agenda: its meeting, and the page with its items."""

    meeting: ListedMeeting
    html: str | None
    stamp: str


def start(tenant: CivicplusTenant, today: date, since: date | None) -> list[PortalRequest]:
    """One search for every year of the window."""
    first, last = tenant.find_window(today)
    return [
        _search(tenant.base, max(first, date(year, 1, 1)), min(last, date(year, 12, 31)))
        for year in range(first.year, last.year + 1)
    ]


def recover(request: PortalRequest, status: int, tenant: CivicplusTenant) -> PortalPage | None:
    """The whole AgendaCenter instead of a search that the site does not have.

    Without its page of items, an agenda is still stored as a document.
    """
    if request.step == "agenda" and status in {404, 410, 500}:
        return PortalPage()
    if request.step != "search" or status not in {400, 404, 405, 500}:
        return None
    # The site ignores the year; without it, the page would be asked for once for all years.
    url = f"{tenant.base}/AgendaCenter?year={request.context['from'][:4]}"
    return PortalPage(
        requests=[PortalRequest(url=url, step="index", context=dict(request.context))]
    )


def read(data: bytes, request: PortalRequest, tenant: CivicplusTenant) -> PortalPage:
    """The agendas of a page that are in the window, or the items of one agenda."""
    if request.step == "agenda":
        return _read_agenda(data, request, tenant)
    root = parse_html(data, request.url, _WHAT)
    if root.find_first(f"{_ROWS}, {_PAGE}") is None:
        raise broken_page_error(request.url, _WHAT)
    categories = _find_categories(root, request)
    found_rows = [
        [found for row in category.rows if (found := _read_row(row, category, tenant))]
        for category in categories
    ]
    if any(category.rows for category in categories) and not any(found_rows):
        raise broken_page_error(request.url, f"{_WHAT} with a known theme")
    first, last = request.context["from"], request.context["to"]
    rows: list[_Row] = []
    further: list[PortalRequest] = []
    for category, known in zip(categories, found_rows, strict=True):
        wanted = [row for row in _merge_rows(known) if first <= row.meeting.starts[:10] <= last]
        rows += wanted
        if not wanted and request.step != "category" and _lacks_year(category, first[:4]):
            further.append(_ask_year(tenant.base, category, first[:4], request))
    further += [_ask_agenda(row) for row in rows if _has_items(row)]
    meetings = [row.meeting for row in rows]
    return PortalPage(items=build_meeting_items(tenant, tenant.base, meetings), requests=further)


def _read_agenda(data: bytes, request: PortalRequest, tenant: CivicplusTenant) -> PortalPage:
    agenda = read_agenda(data, request, tenant.base)
    if agenda is None:
        return PortalPage(
            warnings=[f"{request.url} has no separate items; it is read only as a document."]
        )
    held = request.context["held"]
    return PortalPage(items=build_agenda_items(tenant, tenant.base, agenda, held))


def _search(base: str, first: date, last: date) -> PortalRequest:
    days = f"startDate={first:%m/%d/%Y}&endDate={last:%m/%d/%Y}"
    return PortalRequest(
        url=f"{base}/AgendaCenter/Search/?term=&CIDs=all&{days}&dateRange=&dateSelector=",
        step="search",
        context={"from": first.isoformat(), "to": last.isoformat()},
    )


def _ask_year(base: str, category: _Category, year: str, request: PortalRequest) -> PortalRequest:
    context = {**request.context, "category": category.number or "", "body": category.name or ""}
    return PortalRequest(
        url=f"{base}/AgendaCenter/UpdateCategoryList",
        step="category",
        form={"year": year, "catID": category.number or ""},
        headers={"Referer": f"{base}/AgendaCenter", "X-Requested-With": "XMLHttpRequest"},
        context=context,
    )


def _lacks_year(category: _Category, year: str) -> bool:
    return category.number is not None and category.shown != year and year in category.years


def _has_items(row: _Row) -> bool:
    return row.html is not None and row.meeting.status is not MeetingStatus.CANCELLED


def _ask_agenda(row: _Row) -> PortalRequest:
    return PortalRequest(
        url=row.html or "",
        step="agenda",
        changed=row.stamp,
        context={"meeting": row.meeting.vendor_id, "held": row.meeting.starts[:10]},
    )


def _find_categories(root: Node, request: PortalRequest) -> list[_Category]:
    """The categories of a page; of an answer about one category, only that one."""
    asked = request.context.get("category")
    if asked:
        # For a category without agendas, some sites answer with the whole page.
        groups = root.find_all(f"#section{asked}")
    else:
        groups = root.find_all("div.listing") or root.find_all("span[id^=section]") or [root]
    return [_read_category(group, request) for group in groups]


def _read_category(group: Node, request: PortalRequest) -> _Category:
    years: set[str] = set()
    number, label = request.context.get("category"), None
    for link in group.find_all("ul.years a"):
        if found := _YEAR.search(f"{link.get('href')} {link.get('onclick')}"):
            years.add(found[1])
            number = number or found[2]
            label = label or (link.get("aria-label") or "").removesuffix(found[1])
    current = group.find_first("ul.years li.current")
    heading = group.find_first("h2")
    name = clean(heading.read_text().strip(_ARROWS)) if heading is not None else None
    return _Category(
        number=number,
        name=name or clean(request.context.get("body")) or clean(label),
        shown=clean(current.read_text()) if current is not None else None,
        years=frozenset(years),
        rows=group.find_all(_ROWS),
    )


def _read_row(row: Node, category: _Category, tenant: CivicplusTenant) -> _Row | None:
    key = _find_key(row)
    heading = row.find_first("strong")
    words = (heading.get("aria-label") or heading.read_text()) if heading is not None else None
    day = parse_moment(words) or (key[0] if key else None)
    if key is None or day is None:
        return None
    title = _find_title(row) or category.name or "Meeting"
    papers, html, video = _read_links(row, title, tenant.base)
    if not papers and html:
        papers = (MeetingPaper(kind=PaperKind.AGENDA, url=html, name="Agenda"),)
    posted = _find_posted(row)
    meeting = ListedMeeting(
        vendor_id=key[1],
        title=title,
        body=category.name,
        starts=join_day_and_time(day, title if _HALF.search(title) else None),
        status=find_status(title, row.get("class")),
        papers=tuple(_stamp(paper, posted) for paper in papers),
        video=video,
        page=html,
        raw=row.markup,
    )
    return _Row(meeting, html, content_hash(row.markup.encode()))


def _find_key(row: Node) -> tuple[str | None, str] | None:
    """The day in the links of an agenda, and its number."""
    for link in row.find_all("a"):
        for name in ("href", "name", "id"):
            if found := _KEY.search(link.get(name) or ""):
                month, day, year, number = found.groups()
                return parse_moment(f"{year}-{month}-{day}"), number
    found = _ROW.fullmatch(row.get("id") or "")
    return (None, found[1]) if found else None


def _find_title(row: Node) -> str | None:
    for paragraph in row.find_all("p"):
        if title := clean(paragraph.read_text()):
            return title
    for link in row.find_all("a[href*=ViewFile]"):
        if title := clean(link.get("title")) or clean(link.read_text()):
            return title
    return None


def _find_posted(row: Node) -> str | None:
    """When the agenda was posted, which some sites say after its date."""
    for heading in row.find_all("h3, h4, h5"):
        day = heading.find_first("strong")
        words = heading.read_text().removeprefix(day.read_text() if day is not None else "")
        if posted := parse_moment(words):
            return posted
    return None


def _stamp(paper: MeetingPaper, posted: str | None) -> MeetingPaper:
    if posted is None or paper.kind not in {PaperKind.AGENDA, PaperKind.PACKET}:
        return paper
    return paper.model_copy(update={"changed": posted})


def _read_links(
    row: Node, title: str, base: str
) -> tuple[tuple[MeetingPaper, ...], str | None, str | None]:
    """The documents of a row, the page of its agenda, and its video."""
    papers: dict[str, MeetingPaper] = {}
    html = video = None
    for cell in row.find_children("td", "th"):
        column = (cell.get("class") or "").lower()
        for link in cell.find_all("a[href]"):
            href = (link.get("href") or "").strip()
            url = absolute_url(f"{base}/AgendaCenter/", href)
            if not href or href.startswith("#") or not is_http(url) or _OLD.search(url):
                continue
            if "html=true" in urlsplit(url).query.lower():
                html = html or url
            elif re.search("video|media|audio", column) and not _FILE.search(url):
                video = video or url
            else:
                kind = _find_kind(url, column, clean(link.read_text()) or "", title)
                papers.setdefault(url, MeetingPaper(kind=kind, url=url, name=make_paper_name(kind)))
    return tuple(papers.values()), html, video


def _find_kind(url: str, column: str, label: str, title: str) -> PaperKind:
    folder = _FILE.search(url)
    if "minutes" in column or (folder and folder[1].lower() == "minutes"):
        found = find_paper_kind(f"{label} minutes")
        return found if found is PaperKind.DRAFT_MINUTES else PaperKind.MINUTES
    if "packet=true" in urlsplit(url).query.lower():
        return PaperKind.PACKET
    if folder is None:
        return find_paper_kind(label)
    is_packet = PaperKind.PACKET in {find_paper_kind(label), find_paper_kind(title)}
    return PaperKind.PACKET if is_packet else PaperKind.AGENDA


def _merge_rows(rows: Iterable[_Row]) -> list[_Row]:
    """The agendas of a category, an agenda and a packet in two rows put together."""
    merged: dict[tuple[str, str], _Row] = {}
    for row in rows:
        meeting = row.meeting
        key = (meeting.starts[:10], _DOCUMENT_WORDS.sub("", meeting.title).lower())
        known = merged.get(key)
        if known is None:
            merged[key] = row
        elif _is_packet(known) != _is_packet(row):
            first, second = (row, known) if _is_packet(known) else (known, row)
            merged[key] = _join_rows(first, second)
        elif known.meeting.vendor_id != meeting.vendor_id:
            merged[key[0], meeting.vendor_id] = row
    return list(merged.values())


def _is_packet(row: _Row) -> bool:
    return find_paper_kind(row.meeting.title) is PaperKind.PACKET


def _join_rows(agenda: _Row, packet: _Row) -> _Row:
    ours, theirs = agenda.meeting, packet.meeting
    papers = {paper.url: paper for paper in (*ours.papers, *theirs.papers)}
    meeting = ours.model_copy(
        update={
            "papers": tuple(papers.values()),
            "video": ours.video or theirs.video,
            "raw": ours.raw + theirs.raw,
        }
    )
    return replace(
        agenda, meeting=meeting, html=agenda.html or packet.html, stamp=agenda.stamp + packet.stamp
    )


CIVICPLUS = Portal(
    name="civicplus",
    settings=CivicplusTenant,
    start=start,
    read=read,
    recover=recover,
    entries=ENTRIES,
)
