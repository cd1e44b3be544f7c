"""NovusAgenda: a grid of meetings, a page for each agenda, and a cover sheet for each item."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from assay.packs.civic.filters import find_fetch_filter, find_meeting_filter
from assay.packs.civic.portals.listed import (
    ListedAgenda,
    ListedAgendaItem,
    ListedMeeting,
    MeetingPaper,
    MeetingStatus,
    PaperKind,
    hash_entry,
)
from assay.packs.civic.portals.outline import read_outline
from assay.packs.civic.portals.pages import (
    PageLink,
    add_clock,
    drop_when,
    find_links,
    has_words,
    make_name_key,
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

_MOST_PAGES = 100
_MEETING_ID = re.compile(r"[?&]MeetingID=(\d+)", re.IGNORECASE)
_MINUTES_ID = re.compile(r"[?&]MinutesMeetingID=(\d+)", re.IGNORECASE)
_VIEW = re.compile(r"MeetingView\.aspx|MinutesView\.aspx", re.IGNORECASE)
_IS_MINUTES = re.compile(r"doctype=Minutes|MinutesView\.aspx|\?MinutesMeetingID=", re.IGNORECASE)
_PAPER = re.compile(r"DisplayAgendaPDF|MeetingView|MinutesView|AttachmentViewer|\.pdf\b", re.I)
_COVER = re.compile(r"CoverSheet\.aspx", re.IGNORECASE)
_ATTACHMENT = re.compile(r"AttachmentViewer\.ashx", re.IGNORECASE)
_VIDEO = re.compile(r"Video|VOD|Stream|MediaPlayer|youtu\.?be|\.mp4\b", re.IGNORECASE)
_UNPUBLISHED = re.compile(r"\bnot (yet |currently )?available\b", re.IGNORECASE)
_POSTBACK = re.compile(r"__doPostBack\('([^']+)','([^']*)'\)")
_NO_ROWS = ".rgNoRecords, [id*=radGridMeetings], [id*=SearchAgendas], #myTabContent"
_COLUMNS: Mapping[str, re.Pattern[str]] = {
    "date": re.compile(r"\bdate\b", re.IGNORECASE),
    "time": re.compile(r"\btime\b", re.IGNORECASE),
    "location": re.compile(r"\b(location|place|venue|address)\b", re.IGNORECASE),
    "status": re.compile(r"\bstatus\b", re.IGNORECASE),
    "name": re.compile(r"\b(type|board|body|committee|commission|group|meeting|name)\b", re.I),
}


class NovusAgendaTenant(CivicTenant):
    """A city at NovusAgenda."""

    pages: tuple[str, ...] = ("",)
    """The pages that list its meetings, below the address of the site, such as
    `meetingsresponsive.aspx?MeetingType=50`; the first page lists all bodies."""
    documents: bool = True
    """Whether to ask for the cover sheet of each agenda item, which names its documents."""

    @property
    def base(self) -> str:
        site = self.find_base("https://{site}.novusagenda.com/agendapublic")
        return site if re.search(r"/agendapublic$", site, re.I) else f"{site}/agendapublic"


def start(tenant: NovusAgendaTenant, today: date, since: date | None) -> list[PortalRequest]:
    """The pages that list meetings; by default they show half a year around today."""
    first, last = tenant.find_window(today)
    context = {"from": first.isoformat(), "to": last.isoformat()}
    return [
        PortalRequest(url=f"{tenant.base}/{page}", step="meetings", context=context)
        for page in tenant.pages
    ]


def read(data: bytes, request: PortalRequest, tenant: NovusAgendaTenant) -> PortalPage:
    """The meetings of a grid, the items of an agenda, or the documents of an item."""
    if request.step == "agenda":
        return _read_agenda(data, request, tenant)
    if request.step == "item":
        return _read_cover_sheet(data, request, tenant)
    root = parse_html(data, request.url, "a list of NovusAgenda meetings")
    grids = list(_iter_grids(root))
    meetings = [meeting for grid in grids for meeting in _read_grid(grid, f"{tenant.base}/")]
    if not meetings and (grids or root.find_first(_NO_ROWS) is None):
        raise ContentBroken(
            f"{request.url} has no list of meetings that can be read.",
            advice="Open it in a browser. The site's name may be wrong, or the city may have left "
            "NovusAgenda for another vendor.",
        )
    first, last = request.context.get("from", ""), request.context.get("to", "9999")
    wanted = [meeting for meeting in meetings if first <= meeting.starts[:10] <= last]
    further = _request_next_page(root, grids, request, [each.starts[:10] for each in meetings])
    return PortalPage(
        items=build_meeting_items(tenant, tenant.base, wanted),
        requests=[*(again for each in wanted for again in _request_agenda(each)), *further],
    )


@dataclass(frozen=True, slots=True)
class _Grid:
    """A table of meetings."""

    table: Node
    columns: tuple[str, ...]
    rows: tuple[Node, ...]


def _iter_grids(root: Node) -> Iterator[_Grid]:
    """The innermost tables with a date in each row; the grid of agenda items is another list."""
    left = {row for row in root.find_all("tr") if _is_meeting_row(row)}
    for table in reversed(root.find_all("table")):
        rows = [row for row in table.find_all("tr") if row in left]
        if not rows:
            continue
        left -= {*rows}
        heads = (list(row.find_children("th")) for row in table.find_all("tr"))
        names = next((cells for cells in heads if len(cells) > 1), [])
        columns = tuple(clean(cell.read_text()) or "" for cell in names)
        yield _Grid(table, columns, tuple(rows))


def _is_meeting_row(row: Node) -> bool:
    if "collapse" in (row.get("class") or "").split():
        return False
    cells = list(row.find_children("td"))
    links = find_links(row, "https://portal.invalid/")
    if len(cells) < 2 or any(_COVER.search(link.url) for link in links):
        return False
    return any(_is_date_cell(cell) for cell in cells) and row.find_first("tr tr") is None


def _is_date_cell(cell: Node) -> bool:
    text = cell.read_text()
    return read_when(text) is not None and not has_words(drop_when(text))


def _read_grid(grid: _Grid, base: str) -> list[ListedMeeting]:
    found: dict[str, ListedMeeting] = {}
    for row in grid.rows:
        meeting = _read_row(row, grid.columns, base)
        found.setdefault(meeting.vendor_id, meeting)
    return list(found.values())


def _read_row(row: Node, columns: Sequence[str], base: str) -> ListedMeeting:
    cells = list(row.find_children("td"))
    names = columns if len(columns) == len(cells) else [""] * len(cells)
    dated = next(cell for cell in cells if _is_date_cell(cell))
    texts = _name_cells(cells, names, dated)
    links = find_links(row, base)
    title = texts.get("name") or "Meeting"
    clocks = [text for cell in cells if cell != dated and not has_words(text := cell.read_text())]
    starts = add_clock(read_when(dated.read_text()) or "", texts.get("time"), *clocks)
    view = next((link for link in links if _is_agenda_view(link)), None)
    return ListedMeeting(
        vendor_id=_find_id(links) or f"{starts[:10]}-{make_name_key(title)}",
        title=title,
        starts=starts,
        body=texts.get("name"),
        location=texts.get("location"),
        status=find_status(texts.get("status"), title, texts.get("time"), texts.get("location")),
        papers=_read_papers(cells, names, base),
        video=next((link.url for link in links if _is_video(link)), None),
        page=view.url if view else None,
        raw=row.markup,
    )


def _name_cells(cells: Sequence[Node], names: Sequence[str], dated: Node) -> dict[str, str]:
    """The texts of the cells by what their column is called, or else by their order."""
    texts: dict[str, str] = {}
    unnamed: list[str] = []
    for cell, column in zip(cells, names, strict=True):
        words = clean(cell.read_text())
        if cell == dated or words is None or find_paper_kind(column) is not PaperKind.OTHER:
            continue
        kind = next((kind for kind, said in _COLUMNS.items() if said.search(column)), None)
        if kind and kind != "date":
            texts.setdefault(kind, words)
        elif not column and has_words(words) and find_paper_kind(words) is PaperKind.OTHER:
            unnamed.append(words)
    for kind in ("name", "location"):
        if kind not in texts and unnamed:
            texts[kind] = unnamed.pop(0)
    return texts


def _find_id(links: Iterable[PageLink]) -> str | None:
    urls = [link.url for link in links]
    numbers = [found[1] for url in urls if (found := _MEETING_ID.search(url))]
    minutes = [f"minutes-{found[1]}" for url in urls if (found := _MINUTES_ID.search(url))]
    return next(iter(numbers or minutes), None)


def _is_agenda_view(link: PageLink) -> bool:
    return _VIEW.search(link.url) is not None and _IS_MINUTES.search(link.url) is None


def _is_video(link: PageLink) -> bool:
    return _PAPER.search(link.url) is None and _VIDEO.search(link.url) is not None


def _read_papers(
    cells: Sequence[Node], names: Sequence[str], base: str
) -> tuple[MeetingPaper, ...]:
    """The documents of a row; the agenda as a page only if it is not a document as well."""
    papers: dict[str, MeetingPaper] = {}
    for cell, column in zip(cells, names, strict=True):
        for link in find_links(cell, base):
            if _PAPER.search(link.url):
                papers.setdefault(link.url, _read_paper(link, column))
    documents = {paper.kind for paper in papers.values() if not _VIEW.search(paper.url)}
    return tuple(
        paper
        for paper in papers.values()
        if not _VIEW.search(paper.url) or paper.kind not in documents
    )


def _read_paper(link: PageLink, column: str) -> MeetingPaper:
    name = column or link.name
    kind = find_paper_kind(name)
    if kind is PaperKind.OTHER:
        kind = find_paper_kind(link.name)
    if _IS_MINUTES.search(link.url) and kind is not PaperKind.DRAFT_MINUTES:
        kind = PaperKind.MINUTES
    elif kind is PaperKind.OTHER:
        kind = PaperKind.AGENDA
    return MeetingPaper(kind=kind, url=link.url, name=name)


def _request_agenda(meeting: ListedMeeting) -> list[PortalRequest]:
    if (
        meeting.page is None
        or meeting.status in (MeetingStatus.CANCELLED, MeetingStatus.POSTPONED)
        or find_meeting_filter(meeting.title) is not None
    ):
        return []
    context = {"meeting": meeting.vendor_id, "held": meeting.starts[:10]}
    return [
        PortalRequest(url=meeting.page, step="agenda", changed=hash_entry(meeting), context=context)
    ]


def _request_next_page(
    root: Node, grids: Sequence[_Grid], request: PortalRequest, days: Sequence[str]
) -> list[PortalRequest]:
    """The next page of a grid, unless the days have left the window."""
    first, last = request.context.get("from", ""), request.context.get("to", "9999")
    if not days or (days[-1] < first and days[0] >= days[-1]) or days[-1] > last >= days[0]:
        return []
    number = int(request.context.get("page", "1"))
    for grid in grids:
        target = _find_next(grid.table)
        if target is None:
            continue
        if number >= _MOST_PAGES:
            raise ContentBroken(
                f"{request.url} has more than {_MOST_PAGES} pages.",
                advice="Reduce days_back or days_ahead.",
            )
        form = _read_form(root) | {"__EVENTTARGET": target[0], "__EVENTARGUMENT": target[1]}
        context = {**request.context, "page": str(number + 1)}
        return [PortalRequest(url=request.url, step="meetings", form=form, context=context)]
    return []


def _find_next(table: Node) -> tuple[str, str] | None:
    """What the pager's link to the next page posts."""
    following = table.find_all(".rgPager a[title^=Next], .rgPager .rgCurrentPage + a")
    found = [_POSTBACK.search(link.get("href") or "") for link in following]
    return next(((each[1], each[2]) for each in found if each), None)


def _read_form(root: Node) -> dict[str, str]:
    """The hidden fields and the choices of the page's form."""
    fields = {
        name: field.get("value") or ""
        for field in root.find_all("input[type=hidden]")
        if (name := field.get("name"))
    }
    for choice in root.find_all("select"):
        chosen = choice.find_first("option[selected]")
        if (name := choice.get("name")) and chosen is not None:
            fields[name] = chosen.get("value") or ""
    return fields


def _read_agenda(data: bytes, request: PortalRequest, tenant: NovusAgendaTenant) -> PortalPage:
    root = parse_html(data, request.url, "a NovusAgenda agenda")
    context = request.context
    outline = read_outline(root, absolute_url(f"{tenant.base}/", request.url))
    if not outline.items:
        text = root.read_text()
        if _UNPUBLISHED.search(text) or not has_words(text):
            return PortalPage()
        return PortalPage(warnings=[f"The agenda at {request.url} names no items."])
    items = tuple(_drop_cover(item) if tenant.documents else item for item in outline.items)
    agenda = ListedAgenda(
        meeting=context["meeting"], items=items, papers=outline.papers, raw=root.markup
    )
    return PortalPage(
        items=build_agenda_items(tenant, tenant.base, agenda, context["held"]),
        requests=_request_cover_sheets(outline.items, context) if tenant.documents else [],
    )


def _drop_cover(item: ListedAgendaItem) -> ListedAgendaItem:
    """The item without its cover sheet, which is read instead of fetched."""
    if find_fetch_filter(item.title) is not None:
        return item
    kept = tuple(paper for paper in item.attachments if not _COVER.search(paper.url))
    return item.model_copy(update={"attachments": kept})


def _request_cover_sheets(
    items: Iterable[ListedAgendaItem], context: Mapping[str, str]
) -> list[PortalRequest]:
    return [
        PortalRequest(
            url=paper.url,
            step="item",
            changed=content_hash(item.model_dump_json().encode()),
            context={**context, "item": _drop_cover(item).model_dump_json()},
        )
        for item in items
        for paper in item.attachments
        if _COVER.search(paper.url) and find_fetch_filter(item.title) is None
    ]


def _read_cover_sheet(data: bytes, request: PortalRequest, tenant: NovusAgendaTenant) -> PortalPage:
    """An item again, with the text and the documents of its cover sheet."""
    root = parse_html(data, request.url, "a NovusAgenda cover sheet")
    item = ListedAgendaItem.model_validate_json(request.context["item"])
    named = [
        MeetingPaper(kind=PaperKind.ATTACHMENT, url=link.url, name=link.name)
        for link in find_links(root, f"{tenant.base}/")
        if _ATTACHMENT.search(link.url)
    ]
    papers = {paper.url: paper for paper in (*item.attachments, *named)}
    content = root.find_first("#ns-ContentArea, #content, body")
    whole = item.model_copy(
        update={
            "attachments": tuple(papers.values()),
            "text": item.text or (clean(content.read_text(most=None)) if content else None),
        }
    )
    part = ListedAgenda(
        meeting=request.context["meeting"], part=item.vendor_id, items=(whole,), raw=root.markup
    )
    return PortalPage(items=build_agenda_items(tenant, tenant.base, part, request.context["held"]))


def recover(request: PortalRequest, status: int, tenant: NovusAgendaTenant) -> PortalPage | None:
    """A list still names agendas and cover sheets that were withdrawn."""
    return skip_missing_page(request, status, "agenda", "item")


NOVUSAGENDA = Portal(
    name="novusagenda",
    settings=NovusAgendaTenant,
    start=start,
    read=read,
    recover=recover,
    entries=ENTRIES,
)
