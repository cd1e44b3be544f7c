"""An agenda of a CivicPlus AgendaCenter as a page: items with a level, under headings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from assay.packs.civic.portals.listed import (
    ListedAgenda,
    ListedAgendaItem,
    MeetingPaper,
    PaperKind,
)
from assay.packs.civic.portals.shared import (
    absolute_url,
    broken_page_error,
    clean,
    find_refusal,
    has_consent,
    is_http,
    make_unique,
)
from assay.sdk.sources import Node, PortalRequest, parse_html

_ITEMS: Final = "div.item, li.item"
_LEVEL = re.compile(r"\blevel-?(\d)\b")
_FILES: Final = "a.file, a[href*='/ViewFile/Item'], .documents a[href]"
_GENERIC = re.compile(
    r"(consent|resolution|agreement|purchase|ordinance|public hearing|presentation|item)\s*"
    r"#?(\d+|[A-Z])\.?",
    re.IGNORECASE,
)
"""A title that says nothing; the first sentence of the description is the real one."""


@dataclass(frozen=True)
class _Entry:
    level: int
    number: str | None
    title: str
    text: str | None
    files: tuple[MeetingPaper, ...]


def read_agenda(data: bytes, request: PortalRequest, base: str) -> ListedAgenda | None:
    """The items of an agenda; None if the page is a plain document without separate items."""
    if data.lstrip()[:5] in {b"%PDF-", b"PK\x03\x04\x14"} or data[:4] == b"\xd0\xcf\x11\xe0":
        return None
    what = "an agenda"
    root = parse_html(data, request.url, what)
    nodes = [node for node in root.find_all(_ITEMS) if _LEVEL.search(node.get("class") or "")]
    if not nodes:
        is_other = root.find_first("#AgendaCenterContent, ul.years, tr.catAgendaRow") is not None
        is_json = data.lstrip()[:1] in {b"{", b"["}
        if is_other or is_json or find_refusal(root) or len(root.read_text()) < 40:
            raise broken_page_error(request.url, what)
        return None
    entries = [entry for node in nodes if (entry := _read_entry(node, base))]
    whole = root.find_first("#divItems") or root.find_first("body") or root
    return ListedAgenda(
        meeting=request.context["meeting"], items=_build_items(entries), raw=whole.markup
    )


def _read_entry(node: Node, base: str) -> _Entry | None:
    """An entry without what belongs to the entries inside it."""
    inner = {
        part for child in node.find_all(_ITEMS) if child != node for part in child.find_all("*")
    }

    def find_own(rule: str) -> list[Node]:
        return [part for part in node.find_all(rule) if part not in inner]

    titles = [clean(part.read_text()) for part in find_own(".title, .itemTitle")]
    descriptions = [clean(part.read_text(most=None)) for part in find_own(".desc, .description")]
    numbers = [clean(part.read_text()) for part in find_own(".bullet, .number")]
    text = next(filter(None, descriptions), None)
    title = next(filter(None, titles), None)
    if title is None or (_GENERIC.fullmatch(title) and text):
        title = _find_first_sentence(find_own(".desc, .description")) or title
    if title is None:
        return None
    found = _LEVEL.search(node.get("class") or "")
    number = next(filter(None, numbers), None)
    return _Entry(
        level=int(found[1]) if found else 1,
        number=number.rstrip(".") if number else None,
        title=title,
        text=text,
        files=_read_files(find_own(_FILES), base),
    )


def _find_first_sentence(nodes: Sequence[Node]) -> str | None:
    for node in nodes:
        for part in (*node.find_all("p"), node):
            if words := clean(part.read_text()):
                return words
    return None


def _read_files(links: Sequence[Node], base: str) -> tuple[MeetingPaper, ...]:
    files: dict[str, MeetingPaper] = {}
    for link in links:
        url = absolute_url(f"{base}/AgendaCenter/", link.get("href") or "")
        if link.get("href") and is_http(url):
            name = clean(link.read_text()) or clean(link.get("title")) or "Attachment"
            files.setdefault(url, MeetingPaper(kind=PaperKind.ATTACHMENT, url=url, name=name))
    return tuple(files.values())


def _build_items(entries: Sequence[_Entry]) -> tuple[ListedAgendaItem, ...]:
    is_flat = len({entry.level for entry in entries}) == 1
    sections: list[_Entry] = []
    items: list[ListedAgendaItem] = []
    seen: set[str] = set()
    for place, entry in enumerate(entries):
        sections = [section for section in sections if section.level < entry.level]
        has_children = place + 1 < len(entries) and entries[place + 1].level > entry.level
        if not _is_heading(entry, has_children, is_flat):
            vendor_id = make_unique(entry.number or str(len(items) + 1), seen)
            items.append(_build_item(entry, sections, vendor_id, len(items) + 1))
        if has_children:
            sections.append(entry)
    return tuple(items)


def _is_heading(entry: _Entry, has_children: bool, is_flat: bool) -> bool:
    """Whether an entry only announces others; a heading may have nothing under it."""
    if entry.files:
        return False
    if has_children:
        return True
    looks_like_one = entry.title.isupper() or entry.title.endswith(":")
    return not is_flat and entry.level == 1 and entry.text is None and looks_like_one


def _build_item(
    entry: _Entry, sections: Sequence[_Entry], vendor_id: str, sequence: int
) -> ListedAgendaItem:
    names = [section.title for section in sections]
    return ListedAgendaItem(
        vendor_id=vendor_id,
        sequence=sequence,
        number=entry.number,
        title=entry.title,
        section=" > ".join(names) or None,
        text=entry.text if entry.text != entry.title else None,
        attachments=entry.files,
        consent=has_consent(*names),
    )
