"""The outline of an IQM2 meeting: a table whose indentation says what belongs to what."""

import re
from dataclasses import dataclass, field

from assay.packs.civic.portals.listed import ListedAgendaItem, MeetingPaper, PaperKind
from assay.packs.civic.portals.pages import PageLink, find_links, has_words
from assay.packs.civic.portals.shared import clean
from assay.sdk.sources import Node

MATTER_PAGE = re.compile(
    r"Detail_(?:LegiFile|Motion|Communication)\.aspx\?(?:[^#]*&)?ID=(\d+)", re.IGNORECASE
)
"""The address of a matter's own page."""

_DOCUMENT = re.compile(r"FileOpen\.aspx\?|\.(pdf|docx?|xlsx?|pptx?)\b", re.IGNORECASE)
_MATTER_FILE = re.compile(r"((?=[^:]*\d)[A-Z0-9][A-Z0-9#./ -]{1,28}?)\s*(?: :|:| /)\s+(?=\S)")
_RESULT = re.compile(r"([^\[]*)(?:\[([^\]]*)\])?")
_PASSED = re.compile(
    r"\b(adopted|approved|passed|carried|accepted|enacted|confirmed|ordered|granted)\b", re.I
)
_FAILED = re.compile(r"\b(failed|defeated|denied|rejected|lost|disapproved)\b", re.IGNORECASE)
_CONSENT = re.compile(r"\bconsent\b", re.IGNORECASE)
_WITHDRAWN = re.compile(r"meeting is not available at this time", re.IGNORECASE)


def is_meeting_page(root: Node) -> bool:
    """Whether a page is that of a meeting, even one whose outline is not published."""
    known = "table#MeetingDetail, [id*=lblOutline], [id*=lblMeetingDate], [id*=lblMeetingGroup]"
    return root.find_first(known) is not None or _WITHDRAWN.search(root.read_text()) is not None


@dataclass(slots=True)
class _Line:
    """An item while its lines are read."""

    depth: int
    number: str | None
    title: str
    section: str | None
    matter_id: str | None
    result: str | None
    page: PageLink | None
    texts: list[str] = field(default_factory=list)
    documents: list[PageLink] = field(default_factory=list)


def read_iqm2_outline(root: Node, base: str) -> tuple[ListedAgendaItem, ...]:
    """The items of a meeting's page; none before its agenda is published."""
    table = root.find_first("table#MeetingDetail")
    lines: list[_Line] = []
    section: str | None = None
    for row in table.find_all("tr") if table else []:
        cells = list(row.find_children("td"))
        depth = _find_depth(cells)
        if depth is None:
            continue
        number, title_cell = _split_cells(cells, depth)
        heading = _read_heading(cells[depth:], title_cell, base)
        if heading:
            section = heading
        elif title_cell is not None:
            _read_line(lines, depth, number, title_cell, section, base)
    return tuple(_build_item(line, sequence) for sequence, line in enumerate(lines, 1))


def _find_depth(cells: list[Node]) -> int | None:
    """How many empty cells are before the first that says something."""
    for index, cell in enumerate(cells):
        classes = (cell.get("class") or "").split()
        if {"Num", "Title", "Comments"} & {*classes} or clean(cell.read_text()):
            return index
    return None


def _split_cells(cells: list[Node], depth: int) -> tuple[str | None, Node | None]:
    first = cells[depth]
    is_number = "Num" in (first.get("class") or "") or not has_words(first.read_text())
    rest = cells[depth + 1 :] if is_number else cells[depth:]
    title = next((cell for cell in rest if clean(cell.read_text())), None)
    number = (clean(first.read_text()) or "").rstrip(". )") if is_number else ""
    return number or None, title


def _read_heading(cells: list[Node], title: Node | None, base: str) -> str | None:
    """The words of a line in bold that leads to nothing."""
    if title is None or title.find_first("strong, b") is None or find_links(title, base):
        return None
    bold = clean(" ".join(node.read_text() for node in title.find_all("strong, b")))
    return bold if bold and bold == clean(title.read_text()) else None


def _read_line(
    lines: list[_Line],
    depth: int,
    number: str | None,
    cell: Node,
    section: str | None,
    base: str,
) -> None:
    links = find_links(cell, base)
    matter = next((link for link in links if MATTER_PAGE.search(link.url)), None)
    documents = [link for link in links if _DOCUMENT.search(link.url)]
    owner = next((line for line in reversed(lines) if line.depth < depth), None)
    is_inside = owner is not None and owner.section == section and matter is None
    if is_inside and owner is not None and documents:
        owner.documents += documents
    elif "Comments" in (cell.get("class") or "") or (is_inside and number is None):
        if lines:
            (owner or lines[-1]).texts.append(clean(cell.read_text()) or "")
    else:
        lines.append(_begin_line(depth, number, cell, section, matter, documents))


def _begin_line(
    depth: int,
    number: str | None,
    cell: Node,
    section: str | None,
    matter: PageLink | None,
    documents: list[PageLink],
) -> _Line:
    result = cell.find_first(".ItemVoteResult")
    said = clean(result.read_text()) if result else None
    title = matter.name if matter else (clean(cell.read_text()) or "")
    if said and not matter:
        title = title.replace(said, " ")
    found = MATTER_PAGE.search(matter.url) if matter else None
    return _Line(
        depth=depth,
        number=number,
        title=clean(title) or "Item",
        section=section,
        matter_id=found[1] if found else None,
        result=said,
        page=matter,
        documents=documents,
    )


def _build_item(line: _Line, sequence: int) -> ListedAgendaItem:
    file = _MATTER_FILE.match(line.title) if line.matter_id else None
    action, tally = split_result(line.result)
    # The matter's own page has its text, and the documents that the outline does not name.
    documents = line.documents or ([line.page] if line.page else [])
    return ListedAgendaItem(
        vendor_id=line.matter_id or f"{line.number or 'line'}-{sequence}",
        sequence=sequence,
        title=line.title,
        number=line.number,
        section=line.section,
        matter_file=clean(file[1]) if file else None,
        matter_id=line.matter_id,
        text="\n".join(text for text in line.texts if text) or None,
        attachments=tuple(
            MeetingPaper(kind=PaperKind.ATTACHMENT, url=link.url, name=link.name)
            for link in {each.url: each for each in documents}.values()
        ),
        consent=line.section is not None and _CONSENT.search(line.section) is not None,
        action=action,
        passed=find_passed(action),
        tally=tally,
    )


def split_result(result: str | None) -> tuple[str | None, str | None]:
    """`ADOPTED [6 TO 1]` as the action and the tally."""
    found = _RESULT.fullmatch(result or "")
    return (clean(found[1]), clean(found[2])) if found else (result, None)


def find_passed(action: str | None) -> bool | None:
    if action is None:
        return None
    if _FAILED.search(action):
        return False
    return True if _PASSED.search(action) else None
