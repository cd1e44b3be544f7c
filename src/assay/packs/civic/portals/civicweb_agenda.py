"""CivicWeb agendas: Word documents as HTML, in which named anchors mark headings and items."""

import re
from dataclasses import dataclass, field
from typing import Final

from assay.packs.civic.portals.listed import (
    ListedAgendaItem,
    MeetingPaper,
    MeetingStatus,
    PaperKind,
)
from assay.packs.civic.portals.shared import (
    absolute_url,
    clean,
    find_status,
    has_consent,
    read_lines,
    read_words,
    split_number,
    tidy_number,
)
from assay.sdk.sources import Node

_ANCHOR = re.compile(r"Agenda(Heading|Item)(\w+)", re.IGNORECASE)
_NUMBER = re.compile(
    r"\(?(\d{1,3}|[A-Za-z]|[IVXivx]{1,6})([.-]\w{1,3}|\.?\(\w{1,3}\)){0,4}[.):]{0,2}"
)
_PAGES = re.compile(r"\d{1,4}(\s*[-–]\s*\d{1,4})?")
_LONGEST_NOTICE: Final = 60
_COVER_LINES: Final = 40
_PARAGRAPHS: Final = "p, li, h1, h2, h3, h4, h5, h6"


@dataclass(slots=True)
class _Entry:
    """What follows one anchor, up to the next."""

    is_item: bool
    vendor_id: str
    lines: list[str] = field(default_factory=list)
    papers: dict[str, MeetingPaper] = field(default_factory=dict)

    def split(self) -> tuple[str | None, str | None, str | None]:
        """Its number, its title and the rest; page numbers in the margin are left out."""
        number: str | None = None
        words: list[str] = []
        for line in self.lines:
            if not words and number is None and _NUMBER.fullmatch(line):
                number = tidy_number(line)
            elif not _PAGES.fullmatch(line):
                words.append(line)
        # Where the title is a link to its document, the words are those of the link.
        words = words or [paper.name for paper in self.papers.values()][:1]
        if words and number is None:
            number, words[0] = split_number(words[0])
        return number, (words[0] if words else None), clean(" ".join(words[1:]))


def read_agenda_items(page: Node, base: str) -> tuple[ListedAgendaItem, ...]:
    """The items of an agenda; none if it has no anchors."""
    found: dict[str, ListedAgendaItem] = {}
    section: str | None = None
    for entry in _read_entries(page, base):
        number, title, text = entry.split()
        if title is None:
            continue
        if not entry.is_item and not entry.papers:
            section = title
            continue
        item = ListedAgendaItem(
            vendor_id=entry.vendor_id,
            sequence=len(found) + 1,
            title=title,
            number=number,
            section=section,
            text=text,
            attachments=tuple(entry.papers.values()),
            consent=has_consent(section),
        )
        found.setdefault(entry.vendor_id, item)
        section = section if entry.is_item else title
    return tuple(found.values())


def find_cover_status(page: Node, cover: str) -> MeetingStatus | None:
    """Whether a line of its own says that the meeting does not take place."""
    paragraphs = page.find_all(_PARAGRAPHS)[:_COVER_LINES]
    lines = [*read_lines(cover), *filter(None, map(read_words, paragraphs))]
    for line in lines:
        status = find_status(line) if len(line) <= _LONGEST_NOTICE else MeetingStatus.SCHEDULED
        if status is not MeetingStatus.SCHEDULED:
            return status
    return None


def _read_entries(page: Node, base: str) -> list[_Entry]:
    entries: list[_Entry] = []
    for paragraph in page.find_all(_PARAGRAPHS):
        for anchor in paragraph.find_all("a[name]"):
            if found := _ANCHOR.fullmatch(anchor.get("name") or ""):
                entries.append(_Entry(found[1].lower() == "item", found[2]))
        if not entries or paragraph.find_first("p p, li p") is not None:
            # A paragraph that contains others is read with them.
            continue
        markup = paragraph.markup
        for link in filter(_is_document, paragraph.find_all("a[href]")):
            paper = _read_paper(link, base)
            entries[-1].papers.setdefault(paper.url, paper)
            markup = markup.replace(link.markup, "")
        if words := read_words(markup):
            entries[-1].lines.append(words)
    return entries


def _is_document(link: Node) -> bool:
    return "/document/" in (link.get("href") or "").lower()


def _read_paper(link: Node, base: str) -> MeetingPaper:
    return MeetingPaper(
        kind=PaperKind.ATTACHMENT,
        url=absolute_url(f"{base}/", link.get("href") or ""),
        name=read_words(link) or clean(link.get("title")) or "Attachment",
    )
