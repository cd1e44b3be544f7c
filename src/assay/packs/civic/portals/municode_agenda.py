"""A Municode agenda as a page: sections with items, each followed by its attachments."""

import re
from dataclasses import dataclass
from typing import Final

from assay.packs.civic.portals.listed import ListedAgendaItem, MeetingPaper, PaperKind
from assay.packs.civic.portals.municode_links import unwrap_link
from assay.packs.civic.portals.municode_tables import DATES
from assay.packs.civic.portals.shared import (
    absolute_url,
    clean,
    has_consent,
    is_http,
    make_unique,
    parse_moment,
    split_lines,
)
from assay.sdk.sources import Node, parse_html

_SECTIONS: Final = "section.agenda-section, .agenda-section"
_FILES: Final = ".agenda_item_attachments, .agenda-item-attachments"
_ITEMS: Final = ".agenda-items > li, .agenda-items ol > li, .agenda-items ul > li"
_SIZE = re.compile(r"\s*\(\s*[\d.,]+\s*[KMG]B\s*\)$", re.IGNORECASE)


@dataclass(frozen=True)
class MunicodeAgenda:
    """What the page of an agenda says."""

    items: tuple[ListedAgendaItem, ...]
    starts: str | None
    location: str | None


def read_agenda(data: bytes, url: str) -> MunicodeAgenda | None:
    """An agenda with its items; None if the page is not one."""
    root = parse_html(data, url, "a Municode agenda")
    sections = root.find_all(_SECTIONS)
    if not sections and root.find_first(".ap-agenda, .agenda-items") is None:
        return None
    items: list[ListedAgendaItem] = []
    seen: set[str] = set()
    for section in sections:
        heading = section.find_first(".section-header, h2, h3")
        # Some explain under a heading what its items have in common.
        name = next(iter(_read_lines(heading)), None) if heading is not None else None
        for node, attached in _split_section(section):
            if item := _read_item(node, attached, name, url, len(items) + 1, seen):
                items.append(item)
    starts, location = _read_top(root)
    return MunicodeAgenda(tuple(items), starts, location)


def _read_top(root: Node) -> tuple[str | None, str | None]:
    """When and where the meeting is: the lines under its name, at the top of the page."""
    lines = [
        words for line in root.find_all("header h1 span") if (words := clean(line.read_text()))
    ]
    for place, line in enumerate(lines):
        if starts := parse_moment(line, DATES):
            return starts, next(iter(lines[place + 1 :]), None)
    return None, None


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
    lines = _read_lines(node)
    if not lines:
        return None
    mark = printed.rstrip(".)") if printed else None
    return ListedAgendaItem(
        vendor_id=make_unique(mark or str(sequence), seen),
        sequence=sequence,
        number=mark,
        title=lines[0],
        section=section,
        text=" ".join(lines[1:]) or None,
        attachments=_read_files(attached, url),
        consent=has_consent(section),
    )


def _read_lines(node: Node) -> list[str]:
    """The lines of an element, without its number and the lists inside it."""
    markup = node.markup
    for part in node.find_all("num, ul, ol"):
        if part != node:
            markup = markup.replace(part.markup, " ", 1)
    return split_lines(markup)


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
