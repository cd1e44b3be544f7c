"""Agendas that are pages: numbered entries in order, their documents, and the headings above.

Vendors' templates and cities' own layouts differ, but all number their items. The page is walked
once, in order: a number begins an entry, and the documents up to the next one belong to it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final

from assay.packs.civic.portals.listed import ListedAgendaItem, MeetingPaper, PaperKind
from assay.packs.civic.portals.pages import PageLink, find_links, has_words
from assay.packs.civic.portals.shared import clean, find_paper_kind
from assay.sdk.sources import Node

_WALK = "tr, p, li, h1, h2, h3, h4, h5, strong, b, a, [onclick]"
_INSIDE = "p, li, h1, h2, h3, h4, h5, strong, b"
_NUMBER = (
    r"(?:\d{1,3}[A-Za-z]?|[A-Za-z]|[A-Z]{2}(?=[.):])|[IVXL]{1,6}|[ivxl]{1,6})"
    r"(?:[.\-][A-Za-z0-9]{1,3}){0,4}"
)
_NUMBER_CELL = re.compile(rf"\(?({_NUMBER})\s*[.):]{{0,2}}")
_NUMBER_START = re.compile(
    rf"((?:\d+|[A-Z])(?:\.[A-Za-z0-9]{{1,3}})+)[.):]?\s+(?=\S)|({_NUMBER})\s*[.):]\s+(?=\S)"
)
_STEP = re.compile(r"\(?\w{1,2}\)")
"""`1)` and `(a)` number the steps within an item."""
_FILE = re.compile(r"\bFile\s*(?:ID|No\.?|Number|#)\s*:?\s*([A-Z0-9][\w./-]*\d[\w./-]*)", re.I)
_RECOMMENDATION = re.compile(r"\b(staff )?(recommend(ation|ed action)s?|action)\s*:", re.IGNORECASE)
_LETTER = re.compile(r"[A-Z]\.?")
_FIELD = re.compile(
    r"(?:staff |city manager )?(?:recommend\w*|actions?|motions?|notes?|contacts?|presenters?|"
    r"applicants?|locations?|subject|summary|background|fiscal impact|staff|department|ayes|noes|"
    r"nays|absent|present|result|mover|seconder|moved|attachments?|documents?)"
    r"(?: (?:by|action|motion|of|to)\b[^:]*)?\s*(?::.*)?",
    re.IGNORECASE,
)
"""The name of a field within an item, which is printed like a heading."""
_CONSENT_MARK = re.compile(r"^\[CA\]\s*", re.IGNORECASE)
_HEADING: Final = re.compile(
    r"\b(consent (calendar|agenda|items?)|(public )?hearings?|(new|old|unfinished|other|regular|"
    r"general|action|discussion) (business|items?|agenda|calendar)|ordinances|resolutions|"
    r"closed session|study session|work session|reports|presentations|proclamations|ceremonial|"
    r"public comments?|communications|announcements|appointments|department reports)\b",
    re.IGNORECASE,
)
_CONSENT = re.compile(r"\bconsent\b", re.IGNORECASE)
_DOCUMENT = re.compile(
    r"MetaViewer|DocumentViewer|AttachmentViewer|ViewFile|FileOpen|DownloadFile|DisplayAgendaPDF|"
    r"Documents?\.html?|CoverSheet|/attachments?/|cloudfront\.net|amazonaws\.com|legistar|"
    r"\.(pdf|docx?|xlsx?|pptx?|rtf)\b",
    re.IGNORECASE,
)
_LOADED = re.compile(r"loadAgendaItem\(\s*(\d+)\s*(?:,\s*(true|false))?", re.IGNORECASE)
_ITEM_ID = re.compile(r"[?&](?:ItemID|item_id)=(\d+)", re.IGNORECASE)
_LONGEST_HEADING = 120


@dataclass(frozen=True, slots=True)
class Outline:
    """What an agenda lists."""

    items: tuple[ListedAgendaItem, ...]
    papers: tuple[MeetingPaper, ...]
    """Documents above the first item and below headings."""


@dataclass(slots=True)
class _Entry:
    """A numbered entry, or a heading."""

    number: str | None
    title: str
    is_bold: bool = False
    is_heading: bool = False
    is_step: bool = False
    item_id: str | None = None
    links: list[PageLink] = field(default_factory=list)


def read_outline(root: Node, url: str) -> Outline:
    """The items of an agenda, none if it has no numbered entries; `url` is the page's address."""
    entries, loose = _walk(root, url)
    if any(not entry.is_step and not entry.is_heading for entry in entries):
        # Some cities number the steps within an item, others their items, as `1)`.
        entries = _join_steps(entries)
    _mark_headings(entries)
    papers = [*loose, *(link for entry in entries if entry.is_heading for link in entry.links)]
    return Outline(
        items=tuple(_build_items(entries)),
        papers=tuple(
            MeetingPaper(kind=find_paper_kind(link.name), url=link.url, name=link.name)
            for link in _drop_duplicates(papers)
        ),
    )


def _join_steps(entries: Iterable[_Entry]) -> list[_Entry]:
    """The entries without steps, whose documents belong to the entry before them."""
    joined: list[_Entry] = []
    for entry in entries:
        if not entry.is_step:
            joined.append(entry)
        elif joined:
            joined[-1].links += entry.links
    return joined


def _walk(root: Node, url: str) -> tuple[list[_Entry], list[PageLink]]:
    entries: list[_Entry] = []
    loose: list[PageLink] = []
    done: set[Node] = set()
    for node in root.find_all(_WALK):
        if node in done:
            continue
        entry = _read_entry(node)
        if entry is not None:
            entries.append(entry)
            done |= {*node.find_all(_INSIDE)}
        if node.tag != "a" or _LOADED.search(_read_script(node)):
            continue
        links = [link for link in find_links(node, url) if _DOCUMENT.search(link.url)]
        (entries[-1].links if entries else loose).extend(links)
        if entries and not entries[-1].title and links:
            entries[-1].title = links[0].name
    return [entry for entry in entries if entry.title], loose


def _read_entry(node: Node) -> _Entry | None:
    if loaded := _LOADED.search(_read_script(node)):
        number, title = _split_number(node.read_text())
        return _Entry(number, title, is_heading=loaded[2] == "true", item_id=loaded[1])
    if node.tag == "tr":
        return _read_table_row(node)
    if node.tag in ("p", "li"):
        return _read_paragraph(node)
    if node.tag in ("strong", "b"):
        return _read_bold(node)
    if node.tag in ("h1", "h2", "h3", "h4", "h5"):
        return _read_heading(node)
    return None


def _read_script(node: Node) -> str:
    return f"{node.get('href') or ''} {node.get('onclick') or ''}"


def _read_table_row(row: Node) -> _Entry | None:
    """A row that begins with a number or leads to an item's page."""
    cells = [(cell, text) for cell in row.find_children("td", "th") if (text := cell.read_text())]
    ids = {found[1] for link in row.find_all("a, [onclick]")
           if (found := _ITEM_ID.search(_read_script(link)))}  # fmt: skip
    item_id = ids.pop() if len(ids) == 1 else None
    at = next((i for i, (_, text) in enumerate(cells[:3]) if _NUMBER_CELL.fullmatch(text)), None)
    if at is None or any(has_words(text) for _, text in cells[:at] if text != "VIDEO"):
        if item_id is None or row.find_first("tr tr") is not None:
            return None
        return _Entry(None, _find_row_title(cells, row), item_id=item_id)
    number_cell, text = cells[at]
    title = _find_row_title(cells[at + 1 :], row)
    if not title:
        return None
    number = _read_number(text)
    if len(cells) > at + 2 and _LETTER.fullmatch(cells[at + 1][1]):
        number += cells[at + 1][1].rstrip(".")
    return _Entry(
        number,
        title,
        is_bold=number_cell.find_first("strong, b") is not None,
        is_step=_STEP.fullmatch(text) is not None,
        item_id=item_id,
    )


def _read_paragraph(node: Node) -> _Entry | None:
    """A numbered paragraph that leads to documents, as word processors write agendas."""
    number, title = _split_number(node.read_text())
    named = [
        words
        for link in node.find_all("a")
        if _DOCUMENT.search(link.get("href") or "") and has_words(words := link.read_text())
    ]
    if number is None or not named or node.find_first("tr, p p, li li") is not None:
        return None
    return _Entry(number, named[0] if title.startswith(named[0]) else title)


def _read_number(text: str) -> str:
    found = _NUMBER_CELL.fullmatch(text)
    return found[1] if found else text


def _find_row_title(cells: Sequence[tuple[Node, str]], row: Node) -> str:
    """The text of the link to the item's page, or of the first cell that says something."""
    for link in row.find_all("a"):
        words = clean(link.read_text())
        if words and has_words(words) and _ITEM_ID.search(_read_script(link)):
            return words
    return next((words for cell, _ in cells if has_words(words := _read_title(cell))), "")


def _read_title(cell: Node) -> str:
    """The words of a cell without those of blocks inside it, which list documents and steps."""
    words = cell.read_text()
    for block in cell.find_all("blockquote, table, ul, ol"):
        inner = block.read_text()
        if inner:
            words = words.replace(inner, " ")
    return clean(words) or ""


def _read_bold(node: Node) -> _Entry | None:
    """Bold words outside of numbered entries, if they are a heading."""
    words = clean(node.read_text()) or ""
    if not has_words(words) or len(words) > _LONGEST_HEADING:
        return None
    number, title = _split_number(words)
    is_heading = _HEADING.search(words) or words.isupper() or words.endswith(":")
    if not is_heading or _FIELD.fullmatch(title):
        return None
    return _Entry(number, title.rstrip(": "), is_heading=True)


def _read_heading(node: Node) -> _Entry | None:
    """`h3` with a number such as `D.1` is an item in the newer template, `h2` a section."""
    number, title = _split_number(node.read_text())
    is_item = number is not None and node.tag not in ("h1", "h2")
    if not is_item and (not has_words(title) or len(title) > _LONGEST_HEADING):
        return None
    return _Entry(number, title, is_heading=not is_item)


def _split_number(text: str) -> tuple[str | None, str]:
    words = clean(text) or ""
    if whole := _NUMBER_CELL.fullmatch(words):
        return whole[1], ""
    found = _NUMBER_START.match(words)
    if found is None:
        return None, words
    return found[1] or found[2], words[found.end() :]


def _mark_headings(entries: Sequence[_Entry]) -> None:
    """Recognise the numbered entries that are headings: those with entries below them."""
    for entry, following in zip_longest(entries, entries[1:]):
        if entry.is_heading or entry.links or entry.item_id:
            continue
        words = entry.title.rstrip(" -–")
        has_parts = (
            following is not None
            and entry.number is not None
            and (following.number or "").startswith((f"{entry.number}.", f"{entry.number}-"))
        )
        is_named = len(words) <= _LONGEST_HEADING and _HEADING.fullmatch(words.rstrip(":"))
        is_loud = entry.is_bold and (words.isupper() or is_named)
        has_items = following is not None and not following.is_heading
        entry.is_heading = bool(
            has_parts or words.endswith(":") or ((is_loud or is_named) and has_items)
        )


def _build_items(entries: Iterable[_Entry]) -> list[ListedAgendaItem]:
    items: list[ListedAgendaItem] = []
    used: set[str] = set()
    section: _Entry | None = None
    for entry in entries:
        if entry.is_heading:
            # Above the agenda are the city's name and the like.
            if items or entry.number or _HEADING.search(entry.title):
                section = entry
            continue
        if section and _has_left(section, entry, items):
            section = None
        sequence = len(items) + 1
        key = entry.item_id or entry.number or str(sequence)
        vendor_id = key if key not in used else f"{key}-{sequence}"
        used.add(vendor_id)
        items.append(_build_item(entry, vendor_id, sequence, section))
    return items


def _has_left(section: _Entry, entry: _Entry, items: Sequence[ListedAgendaItem]) -> bool:
    """Whether an entry such as `3` follows `2.1` and `2.2` below the heading `2`."""
    parts = f"{section.number}."
    is_divided = bool(items) and (items[-1].number or "").startswith(parts)
    return is_divided and entry.number is not None and not entry.number.startswith(parts)


def _build_item(
    entry: _Entry, vendor_id: str, sequence: int, section: _Entry | None
) -> ListedAgendaItem:
    heading = section.title.rstrip(" :.-–") if section else None
    title = _CONSENT_MARK.sub("", entry.title)
    title, text = _split_text(title)
    file = _FILE.search(title)
    if file:
        title = f"{title[: file.start()]} {title[file.end() :]}"
    return ListedAgendaItem(
        vendor_id=vendor_id,
        sequence=sequence,
        title=(clean(title) or entry.title).strip(" -–;,") or entry.title,
        number=entry.number,
        section=heading,
        matter_file=file[1] if file else None,
        text=text,
        attachments=tuple(
            MeetingPaper(kind=PaperKind.ATTACHMENT, url=link.url, name=link.name)
            for link in _drop_duplicates(entry.links)
        ),
        consent=_CONSENT_MARK.match(entry.title) is not None
        or _CONSENT.search(heading or "") is not None,
    )


def _split_text(title: str) -> tuple[str, str | None]:
    """A title, and the recommendation that is printed after it."""
    found = _RECOMMENDATION.search(title)
    if found is None or found.start() == 0:
        return title, None
    return title[: found.start()], title[found.start() :]


def _drop_duplicates(links: Iterable[PageLink]) -> list[PageLink]:
    return list({link.url: link for link in reversed([*links])}.values())[::-1]
