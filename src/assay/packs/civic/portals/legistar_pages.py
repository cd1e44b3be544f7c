"""Legistar's pages of meetings, matters and actions, for cities whose API is switched off."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import parse_qs, urlsplit

from assay.packs.civic.filters import find_fetch_filter
from assay.packs.civic.portals.legistar_agendas import (
    AgendaRow,
    LegistarTenant,
    arrange_rows,
    continue_details,
    read_votes,
    request_details,
)
from assay.packs.civic.portals.legistar_calendar import read_calendar
from assay.packs.civic.portals.legistar_grids import (
    GridRow,
    PageGrid,
    find_next_target,
    list_links,
    make_paper,
    open_page,
    read_code,
    read_grids,
    turn_page,
)
from assay.packs.civic.portals.listed import (
    ListedAgenda,
    ListedAgendaItem,
    MeetingPaper,
    PaperKind,
)
from assay.packs.civic.portals.shared import build_agenda_items, clean
from assay.sdk.errors import ContentBroken
from assay.sdk.records import content_hash
from assay.sdk.sources import Node, PortalPage, PortalRequest

_FILE = (
    r"^(file|record|legislation|matter|bill|document|item|leg\w*)\b.*(#|no\.?|number|id)$|^file$"
)
_NUMBER = r"agenda.*(#|no\.?|number|item|order)|^item$"
_TITLE = r"^title|subject|description|summary|^item (title|description)"
_TYPE = r"^(matter |file |item )?type$"
_PASSED: Final = {
    True: r"^(pass|approved|adopted|carried|affirm)",
    False: r"^(fail|defeat|reject|lost)",
}


def read_detail(data: bytes, request: PortalRequest, tenant: LegistarTenant) -> PortalPage:
    """The agenda on the page of a meeting."""
    page = open_page(data, request, "a Legistar meeting")
    if page is None:
        return PortalPage(warnings=[f"{request.url} was deleted"])
    # Other grids list what people say about the items.
    grids = sorted(filter(_lists_items, read_grids(page)), key=_count_known, reverse=True)[:1]
    if not grids and page.find_first("[id*='ContentPlaceHolder1_lblDate']") is None:
        raise ContentBroken(
            f"{request.url} is not the page of a meeting.",
            advice="Open it in a browser; the city may not publish its meetings' pages.",
        )
    base, before = f"{tenant.base}/", int(request.context.get("items", "0"))
    rows = [found for grid in grids for found in _read_rows(grid, base, tenant)]
    arranged = arrange_rows(rows, before + 1)
    number = request.context.get("number")
    papers = () if number else _read_more_papers(page, request, base)
    agenda = ListedAgenda(
        meeting=request.context["meeting"],
        part=f"page-{number}" if number else None,
        items=tuple(row.item for row in arranged),
        papers=papers,
        raw="\n".join(row.node.markup for grid in grids for row in grid.rows),
    )
    held = request.context["held"]
    requests = request_details(arranged, agenda.meeting, held)
    target = find_next_target(page)
    turned = turn_page(page, request, target, tenant.most_pages) if target else None
    if turned is not None:
        context = {**turned.context, "items": str(before + len(arranged))}
        requests.append(replace(turned, context=context))
    items = build_agenda_items(tenant, tenant.base, agenda, held) if arranged or papers else []
    return PortalPage(items=items, requests=requests)


def _lists_items(grid: PageGrid) -> bool:
    return any(
        re.search(words, header) for header in grid.headers for words in (_FILE, _NUMBER, _TITLE)
    ) or any(row.node.find_first("a[href*='LegislationDetail']") for row in grid.rows)


def _count_known(grid: PageGrid) -> int:
    known = (_FILE, _NUMBER, _TITLE, _TYPE, r"^ver\b")
    return sum(any(re.search(words, header) for header in grid.headers) for words in known)


def _read_more_papers(page: Node, request: PortalRequest, base: str) -> tuple[MeetingPaper, ...]:
    """The documents of a meeting that the calendar does not name."""
    known = set(request.context.get("papers", "").split())
    # The API names the agenda and the minutes under other addresses.
    others = {"", "IC", "AADA"} | ({"A", "M"} if known else set())
    inside = {
        url for row in page.find_all("tr.rgRow, tr.rgAltRow") for url, _ in list_links(row, base)
    }
    found: dict[str, MeetingPaper] = {}
    for url, link in list_links(page, base):
        if read_code(url) not in others and url not in known | inside:
            found.setdefault(url, make_paper(url, "", link))
    return tuple(found.values())


def _read_rows(grid: PageGrid, base: str, tenant: LegistarTenant) -> list[AgendaRow]:
    rows: list[AgendaRow] = []
    group: str | None = None
    for row in grid.rows:
        if row.group is not None and row.group != group:
            group = row.group
            heading = ListedAgendaItem(vendor_id=f"group-{len(rows)}", sequence=0, title=group)
            rows.append(AgendaRow(heading, is_firm=False, is_heading=True))
        if (found := _read_row(row, base, tenant)) is not None:
            rows.append(found)
    return rows


def _read_row(row: GridRow, base: str, tenant: LegistarTenant) -> AgendaRow | None:
    links = dict(list_links(row.node, base))
    matter = next((url for url in links if "legislationdetail.aspx" in url.lower()), None)
    history = next((url for url in links if "historydetail.aspx" in url.lower()), None)
    file = clean(links[matter].read_text()) if matter else row.find_text(_FILE)
    title = row.find_text(_TITLE) or row.find_text("^name$|short title") or _find_longest(row)
    if title is None:
        return None
    action, result = row.find_text(r"^action( taken)?$"), row.find_text("^result|outcome")
    number = row.find_text(_NUMBER)
    matter_id = _find_id(matter)
    known = matter_id or _find_id(history)
    item = ListedAgendaItem(
        vendor_id=f"web-{known}" if known else f"row-{content_hash(f'{number} {title}'.encode())}",
        sequence=0,
        title=title,
        number=number,
        matter_file=file,
        matter_id=f"web-{matter_id}" if matter_id else None,
        matter_type=row.find_text(_TYPE),
        text=_find_short_name(row, title),
        attachments=_read_attachments(row.node, base),
        action=action,
        passed=_find_passed(result),
        mover=row.find_text("^mover|moved by"),
        seconder=row.find_text("^second"),
        tally=row.find_text("tally|^votes?$"),
    )
    steps: list[tuple[str, str]] = []
    if tenant.votes and history and result:
        steps.append(("history", history))
    if tenant.attachments and matter and not find_fetch_filter(title):
        steps.append(("matter", matter))
    return AgendaRow(item, is_firm=bool(file or action or item.attachments), steps=tuple(steps))


def _find_longest(row: GridRow) -> str | None:
    texts = [text for _, cell in row.cells if (text := clean(cell.read_text()))]
    return max((text for text in texts if text.lower() != "action details"), key=len, default=None)


def _find_short_name(row: GridRow, title: str) -> str | None:
    name = row.find_text("^name$")
    return None if name == title else name


def _find_id(url: str | None) -> str | None:
    query = parse_qs(urlsplit(url or "").query)
    return next(iter(query.get("ID") or query.get("id") or []), None)


def _find_passed(result: str | None) -> bool | None:
    words = (result or "").lower()
    return next((passed for passed, start in _PASSED.items() if re.match(start, words)), None)


def _read_attachments(node: Node, base: str) -> tuple[MeetingPaper, ...]:
    found: dict[str, MeetingPaper] = {}
    for url, link in list_links(node, base):
        if read_code(url) in {"F", "E", "L", "O"}:
            name = clean(link.read_text()) or "Attachment"
            found.setdefault(url, MeetingPaper(kind=PaperKind.ATTACHMENT, url=url, name=name))
    return tuple(found.values())


def read_matter(data: bytes, request: PortalRequest, tenant: LegistarTenant) -> PortalPage:
    """The documents and sponsors on the page of a matter."""
    page = open_page(data, request, "a Legistar matter")
    if page is None:
        return continue_details(request, tenant, {}, [f"{request.url} was deleted"])
    if page.find_first("[id*='ContentPlaceHolder1_lbl']") is None:
        raise ContentBroken(
            f"{request.url} is not the page of a matter.", advice="Open it in a browser."
        )
    base = f"{tenant.base}/"
    sponsors = page.find_first("[id$='lblSponsors2']")
    kind = page.find_first("[id$='lblType2']")
    return continue_details(
        request,
        tenant,
        {
            "attachments": _read_attachments(page, base),
            "sponsors": () if sponsors is None else _split_names(sponsors),
            "matter_type": None if kind is None else clean(kind.read_text()),
        },
        [],
    )


def _split_names(node: Node) -> tuple[str, ...]:
    linked = [clean(link.read_text()) for link in node.find_all("a")]
    names = linked or [clean(name) for name in node.read_text().split(",")]
    return tuple(dict.fromkeys(name for name in names if name))


def read_history(data: bytes, request: PortalRequest, tenant: LegistarTenant) -> PortalPage:
    """The votes on the page of an action."""
    page = open_page(data, request, "a Legistar action")
    if page is None:
        return continue_details(request, tenant, {}, [f"{request.url} was deleted"])
    grids = [grid for grid in read_grids(page) if any("vote" in name for name in grid.headers)]
    if not grids and page.find_first("[id*='ContentPlaceHolder1']") is None:
        raise ContentBroken(
            f"{request.url} is not the page of an action.", advice="Open it in a browser."
        )
    votes, unknown = read_votes(
        (row.find_text("name|person|member"), row.find_text("vote"), _find_person(row))
        for grid in grids
        for row in grid.rows
    )
    warnings = [f"votes not understood at {request.url}: {', '.join(unknown)}"] if unknown else []
    found: dict[str, object] = {"votes": votes}
    for name in ("mover", "seconder"):
        label = page.find_first(f"[id$='{name.capitalize()}2'], [id$='hyp{name.capitalize()}']")
        found[name] = None if label is None else clean(label.read_text())
    return continue_details(request, tenant, found, warnings)


def _find_person(row: GridRow) -> str | None:
    link = row.node.find_first("a[href*='PersonDetail']")
    found = _find_id(link.get("href")) if link is not None else None
    return f"web-{found}" if found else None


PageReader = Callable[[bytes, PortalRequest, LegistarTenant], PortalPage]
PAGE_READERS: Final[Mapping[str, PageReader]] = {
    "calendar": read_calendar,
    "detail": read_detail,
    "matter": read_matter,
    "history": read_history,
}
