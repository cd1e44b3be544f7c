"""PrimeGov agendas: pages in several forms, all with sections and items that have ids.

Los Angeles wraps an item in `div.meeting-item`, Palo Alto has only `div.agenda-item`, Boulder and
Arlington have a table for each item. The attachments are in an area that names the item's id.
"""

import re
from collections.abc import Iterable
from typing import Final

from assay.packs.civic.portals.listed import ListedAgendaItem, MeetingPaper, PaperKind
from assay.packs.civic.portals.shared import (
    absolute_url,
    clean,
    has_consent,
    read_lines,
    read_words,
    split_number,
    tidy_number,
)
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import Node

_ENTRIES: Final = "[data-sectionid], [data-itemid], .agenda-item"
_HEADINGS: Final = "h1, h2, h3, h4, h5, h6, strong, b, p"
_ELEMENT_ID = re.compile(r"AgendaItem_(\w+)", re.IGNORECASE)
_NUMBER_CELL = re.compile(r"\(?(\d{1,3}|[A-Za-z]|[IVXivx]{1,6})([.-]\w{1,3}){0,3}[.):]{0,2}")
_FILE = re.compile(
    r"(\d{2,4}-\d{2,6}(?:-[A-Z\d]+)*|[A-Z]{1,5}[ -]?\d{2,4}-\d{1,6})\s*(?:\bCDs?\b.*)?", re.I
)
"""A file number on a line of its own, perhaps with the council district."""
_DISTRICT = re.compile(r"CDs?\b.{0,40}")
_MOST_TYPE_WORDS: Final = 3
_DOWNLOAD = re.compile(
    r"historyattachment|/meeting/(attachment|document)/|\.(pdf|docx?|xlsx?|pptx?)($|\?)", re.I
)
_VIEWER = re.compile(r"(^|/)viewer(/|\?)", re.IGNORECASE)
_CONTROLS: Final = frozenset({"a", "button", "input", "span", "i", "img"})
"""Elements that carry the id of an item without being it."""
_ATTACHMENT_AREA: Final = ".item_contents"


def read_agenda_items(page: Node, base: str, url: str) -> tuple[ListedAgendaItem, ...]:
    """The items of a page, each with the section that it is in."""
    entries = page.find_all(_ENTRIES)
    if not entries:
        raise ContentBroken(
            f"{url} is not a PrimeGov agenda.",
            advice="The city may publish its agenda in a form that is not known yet.",
        )
    # All at once, because they may be outside of the items, and searching for each costs too much.
    areas = {area.get("id"): area for area in page.find_all("[id^=agenda_item_area_]")}
    found: dict[str, ListedAgendaItem] = {}
    section: str | None = None
    for entry in entries:
        if entry.get("data-sectionid") is not None and entry.get("data-itemid") is None:
            section = split_number(_read_heading(entry) or section or "")[1] or None
            continue
        item_id = _find_id(entry)
        if item_id is None or item_id in found or entry.tag in _CONTROLS:
            continue
        attachments = _read_attachments(areas.get(f"agenda_item_area_{item_id}", entry), base)
        item = _read_item(entry, item_id, section, len(found) + 1)
        if item is not None:
            found[item_id] = item.model_copy(update={"attachments": attachments})
    return tuple(found.values())


def _find_id(entry: Node) -> str | None:
    if item_id := clean(entry.get("data-itemid")):
        return item_id
    named = _ELEMENT_ID.fullmatch(entry.get("id") or "")
    return named[1] if named else None


def _read_heading(section: Node) -> str | None:
    """The words above the items of a section, without its number."""
    for rule in (".section-heading", ".section-row"):
        if (row := section.find_first(rule)) is not None:
            cells = row.find_all(".number-cell-section")
            return read_words(_read_without(row, cells))
    inside = {
        node
        for item in section.find_all("[data-itemid], .agenda-item")
        for node in item.find_all(_HEADINGS)
    }
    outside = (node for node in section.find_all(_HEADINGS) if node not in inside)
    return next(filter(None, map(read_words, outside)), None)


def _read_without(node: Node, parts: Iterable[Node]) -> str:
    """The HTML of an element without some of the elements in it."""
    markup = node.markup
    for part in parts:
        markup = markup.replace(part.markup, "")
    return markup


def _read_item(
    entry: Node, item_id: str, section: str | None, sequence: int
) -> ListedAgendaItem | None:
    number = tidy_number(read_words(entry.find_first(".number-cell")))
    table = entry.find_first("table.forcepopulate")
    matter_file = matter_type = None
    if table is not None:
        matter_type, lines = _read_matter(table)
    else:
        found, lines = _read_body(entry)
        number = number or found
    if len(lines) > 1 and (named := _FILE.fullmatch(lines[0])):
        matter_file, lines = named[1], lines[1:]
        lines = lines[1:] if len(lines) > 1 and _DISTRICT.fullmatch(lines[0]) else lines
    if not lines:
        return None
    if number is None:
        number, title = split_number(lines[0])
        lines = [title, *lines[1:]]
    return ListedAgendaItem(
        vendor_id=item_id,
        sequence=sequence,
        title=lines[0],
        number=number,
        section=section,
        matter_file=matter_file,
        matter_id=clean(entry.get("data-mig")),
        matter_type=matter_type,
        text=clean(" ".join(lines[1:])),
        consent=has_consent(section),
    )


def _read_matter(table: Node) -> tuple[str | None, list[str]]:
    """The type and the paragraphs of a matter: a short cell before the others is its type."""
    matter_type: str | None = None
    lines: list[str] = []
    for cell in table.find_all("td"):
        if cell.find_first("td td") is not None:
            continue
        words = [line for line in read_lines(cell.markup) if not _DISTRICT.fullmatch(line)]
        is_file = len(words) == 1 and _FILE.fullmatch(words[0]) is not None
        is_short = len(words) == 1 and len(words[0].split()) <= _MOST_TYPE_WORDS
        if is_short and not is_file and matter_type is None and len(lines) <= 1:
            matter_type = words[0]
        else:
            lines += words
    if matter_type and not any(not _FILE.fullmatch(line) for line in lines):
        return None, [*lines, matter_type]
    return matter_type, lines


def _read_body(entry: Node) -> tuple[str | None, list[str]]:
    """The number and the paragraphs of an item that has no table of its matter."""
    cells = [cell for cell in entry.find_all("td") if cell.find_first("td td") is None]
    texts = [_read_cell(cell) for cell in cells]
    numbers = [text[0] for text in texts if len(text) == 1 and _NUMBER_CELL.fullmatch(text[0])]
    number = numbers[0] if numbers else None
    for rule in (".agenda-item", ".item-cell", "[data-createdfromdocx]"):
        if (body := entry.find_first(rule)) is not None:
            return tidy_number(number), _read_cell(body)
    lines = [line for text in texts for line in text] if cells else _read_cell(entry)
    if number in lines:
        lines.remove(number)
    return tidy_number(number), lines


def _read_cell(cell: Node) -> list[str]:
    """The paragraphs of a cell; none of one with attachments or buttons."""
    kinds = (cell.get("class") or "").lower()
    if "attachment" in kinds or "button" in kinds:
        return []
    return read_lines(_read_without(cell, cell.find_all(_ATTACHMENT_AREA)))


def _read_attachments(area: Node, base: str) -> tuple[MeetingPaper, ...]:
    """The documents to download; the links beside them show the same ones in a viewer."""
    found: dict[str, MeetingPaper] = {}
    for link in area.find_all("a[href]"):
        href = link.get("href") or ""
        if _VIEWER.search(href) or not _DOWNLOAD.search(href):
            continue
        url = absolute_url(f"{base}/Portal/", href)
        title = (clean(link.get("title")) or "").removeprefix("Download ")
        name = read_words(link) or clean(title) or f"Attachment {len(found) + 1}"
        found.setdefault(url, MeetingPaper(kind=PaperKind.ATTACHMENT, url=url, name=name))
    return tuple(found.values())
