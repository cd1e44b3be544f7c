"""The grids of Legistar's pages: rows whose cells are found by the text of their header.

Cities choose, order and rename the columns, so that no position means anything.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

from assay.packs.civic.portals.listed import MeetingPaper, PaperKind
from assay.packs.civic.portals.shared import absolute_url, clean, find_paper_kind, is_http
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import Node, PortalRequest, parse_html

_QUOTED = re.compile(r"""['"]([^'"]+)['"]""")
_POST_BACK = re.compile(r"""PostBack[^'"]*['"]([^'"]+)['"]""")
_DECORATION = {"rgGroupCol", "rgExpandCol"}
_GONE = "This record no longer exists"


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row: its cells, each with the text of its header in lower case."""

    node: Node
    cells: tuple[tuple[str, Node], ...]
    group: str | None = None
    """The heading of the group that the row is in, if the grid is grouped."""

    def find_cell(self, words: str) -> Node | None:
        """The first cell whose header matches a pattern."""
        return next((cell for name, cell in self.cells if re.search(words, name)), None)

    def find_text(self, words: str) -> str | None:
        """The text of the first cell whose header matches a pattern."""
        cell = self.find_cell(words)
        return None if cell is None else clean(cell.read_text())


@dataclass(frozen=True, slots=True)
class PageGrid:
    """A grid of a page."""

    headers: tuple[str, ...]
    rows: tuple[GridRow, ...]


def open_page(data: bytes, request: PortalRequest, what: str) -> Node | None:
    """A page of a city's site; None if the record that it shows was deleted."""
    page = parse_html(data, request.url, what)
    form = page.find_first("form[action]")
    action = "" if form is None else form.get("action") or ""
    if "error.aspx" in request.url.lower() or "error.aspx" in action.lower():
        raise ContentBroken(
            f"{request.url} answered with an error page instead of {what}.",
            advice="Open it in a browser; the site may be out of order, or its name wrong.",
        )
    return None if _GONE in page.read_text(most=None) else page


def read_grids(page: Node) -> list[PageGrid]:
    """All grids of a page."""
    return [_read_grid(table) for table in page.find_all("table.rgMasterTable")]


def list_links(node: Node, base: str) -> Iterator[tuple[str, Node]]:
    """The addresses that an element leads to, from its links and their scripts."""
    for link in node.find_all("a"):
        for found in (link.get("href"), *_QUOTED.findall(link.get("onclick") or "")):
            if found and not found.startswith(("#", "javascript:")) and "." in found:
                url = absolute_url(base, found)
                if is_http(url):
                    yield url, link
                    break


def find_next_target(page: Node) -> str | None:
    """The control that leads to the next page of a grid."""
    link = page.find_first("a.rgCurrentPage + a")
    found = None if link is None else _POST_BACK.search(link.get("href") or "")
    return unquote(found[1]) if found else None


def build_form(page: Node, target: str, **fields: str) -> dict[str, str] | None:
    """The form that acts as if a control of the page was used; None if the page has none."""
    state = {
        name: field.get("value") or ""
        for field in page.find_all("input[name^='__']")
        if (name := field.get("name"))
    }
    if "__VIEWSTATE" not in state:
        return None
    return {**state, "__EVENTTARGET": target, "__EVENTARGUMENT": "", **fields}


def find_action(page: Node, url: str) -> str:
    """The address that the page's form is sent to."""
    form = page.find_first("form[action]")
    return absolute_url(url, (form.get("action") or "") if form is not None else "")


def turn_page(
    page: Node, request: PortalRequest, target: str, most_pages: int
) -> PortalRequest | None:
    """The request for the next page of a grid."""
    number = int(request.context.get("number", "1")) + 1
    if number > most_pages:
        raise ContentBroken(
            f"{request.url} has more than {most_pages} pages.",
            advice="Raise 'most_pages' if the city really lists that much.",
        )
    chosen: dict[str, str] = {}
    if "year" in request.context:
        chosen[request.context["state"]] = f'{{"value":"{request.context["year"]}"}}'
    form = build_form(page, target, **chosen)
    if form is None:
        return None
    return PortalRequest(
        url=find_action(page, request.url),
        step=request.step,
        form=form,
        context={**request.context, "number": str(number)},
    )


def make_paper(url: str, header: str, link: Node) -> MeetingPaper:
    """A document of a meeting, from a link and the header of its column."""
    name = clean(link.read_text()) or header.capitalize() or "Document"
    kind = find_paper_kind(f"{header} {name}")
    if kind is PaperKind.OTHER:
        # Cities rename columns, such as minutes to "Summary"; the control keeps its name.
        code = read_code(url)
        control = link.get("id") or ""
        if code in {"A", "AADA"} or control.endswith("hypAgenda"):
            kind = PaperKind.AGENDA
        elif code == "M" or control.endswith("hypMinutes"):
            kind = PaperKind.MINUTES
    return MeetingPaper(kind=kind, url=url, name=name)


def read_code(url: str) -> str:
    """What kind of document an address of the site leads to; empty if it does not say so."""
    parts = urlsplit(url)
    if not parts.path.lower().endswith("view.ashx"):
        return ""
    return (parse_qs(parts.query).get("M") or [""])[0]


def _read_grid(table: Node) -> PageGrid:
    # The pager above the headers is a table with a header of its own.
    titled = [list(row.find_children("th")) for row in table.find_all("tr")]
    widest = max(titled, key=len, default=[])
    headers = tuple(_find_header(cell) for cell in widest if not _is_decoration(cell))
    rows: list[GridRow] = []
    group: str | None = None
    for row in table.find_all("tr"):
        kinds = set((row.get("class") or "").split())
        if "rgGroupHeader" in kinds:
            group = clean(row.read_text())
        if kinds & {"rgRow", "rgAltRow"}:
            cells = [cell for cell in row.find_children("td") if not _is_decoration(cell)]
            names = headers if len(headers) >= len(cells) else ("",) * len(cells)
            rows.append(GridRow(row, tuple(zip(names, cells, strict=False)), group))
    return PageGrid(headers, tuple(rows))


def _find_header(cell: Node) -> str:
    """The text of a header; that of an icon is in its attributes."""
    words = clean(cell.read_text())
    if words is None:
        icons = cell.find_all("img") + cell.find_all("input")
        names = (icon.get(name) for icon in icons for name in ("alt", "title", "value"))
        words = next((found for name in names if (found := clean(name))), "")
    return words.lower()


def _is_decoration(cell: Node) -> bool:
    return bool(_DECORATION & set((cell.get("class") or "").split()))
