"""A Municode agenda as a page: sections with items, each followed by its attachments."""

import re
from typing import Final

from assay.packs.civic.portals.listed import ListedAgendaItem, MeetingPaper, PaperKind
from assay.packs.civic.portals.municode_links import unwrap_link
from assay.packs.civic.portals.shared import (
    absolute_url,
    clean,
    is_consent,
    is_http,
    make_unique,
)
from assay.sdk.sources import Node, parse_html

_SECTIONS: Final = "section.agenda-section, .agenda-section"
_FILES: Final = ".agenda_item_attachments, .agenda-item-attachments"
_ITEMS: Final = ".agenda-items > li, .agenda-items ol > li, .agenda-items ul > li"
_SIZE = re.compile(r"\s*\(\s*[\d.,]+\s*[KMG]B\s*\)$", re.IGNORECASE)


def read_agenda(data: bytes, url: str) -> tuple[ListedAgendaItem, ...] | None:
    """The items of an agenda; None if the page is not one."""
    root = parse_html(data, url, "a Municode agenda")
    sections = root.find_all(_SECTIONS)
    if not sections:
        return None if root.find_first(".ap-agenda, .agenda-items") is None else ()
    items: list[ListedAgendaItem] = []
    seen: set[str] = set()
    for section in sections:
        heading = section.find_first(".section-header, h2, h3")
        name = _read_words(heading, "num") if heading is not None else None
        for node, attached in _split_section(section):
            if item := _read_item(node, attached, name, url, len(items) + 1, seen):
                items.append(item)
    return tuple(items)


def _split_section(section: Node) -> list[tuple[Node, list[Node]]]:
    """Each item of a section with its lists of attachments, which are inside it or follow it."""
    inside = {part for files in section.find_all(_FILES) for part in files.find_all("*")}
    found: list[tuple[Node, list[Node]]] = []
    for node in section.find_all(f"{_ITEMS}, {_FILES}"):
        is_files = re.search(r"agenda.item.attachments", node.get("class") or "")
        if is_files and found:
            found[-1][1].append(node)
        elif not is_files and node not in inside:
            found.append((node, []))
    return found


def _read_item(
    node: Node,
    attached: list[Node],
    section: str | None,
    url: str,
    sequence: int,
    seen: set[str],
) -> ListedAgendaItem | None:
    number = node.find_first("num")
    printed = clean(number.read_text()) if number is not None else None
    paragraphs = [
        words for part in node.find_all("p") if (words := _read_words(part, "num, ul, ol"))
    ]
    title = paragraphs[0] if paragraphs else _read_words(node, "num, ul, ol")
    if title is None:
        return None
    mark = printed.rstrip(".)") if printed else None
    return ListedAgendaItem(
        vendor_id=make_unique(mark or str(sequence), seen),
        sequence=sequence,
        number=mark,
        title=title,
        section=section,
        text=" ".join(paragraphs[1:]) or None,
        attachments=_read_files(attached, url),
        consent=is_consent(section),
    )


def _read_words(node: Node, without: str) -> str | None:
    """The text of an element, without that of some inside it that precede or follow it."""
    words = node.read_text(most=None)
    for part in node.find_all(without):
        if part != node:
            words = words.replace(part.read_text(most=None), " ", 1)
    return clean(words)


def _read_files(lists: list[Node], url: str) -> tuple[MeetingPaper, ...]:
    files: dict[str, MeetingPaper] = {}
    for each in lists:
        for link in each.find_all("a[href]"):
            target, wrapped = unwrap_link(absolute_url(url, link.get("href") or ""))
            if is_http(target):
                name = clean(_SIZE.sub("", link.read_text())) or clean(wrapped) or "Attachment"
                paper = MeetingPaper(kind=PaperKind.ATTACHMENT, url=target, name=name)
                files.setdefault(target, paper)
    return tuple(files.values())
