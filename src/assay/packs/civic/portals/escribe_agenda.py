"""eSCRIBE pages of agendas and minutes.

Items nest: an item with further items in it is their heading, and what belongs to those is not its
own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from assay.packs.civic.portals.listed import (
    ListedAgendaItem,
    ListedVote,
    MeetingPaper,
    PaperKind,
)
from assay.packs.civic.portals.shared import (
    absolute_url,
    clean,
    find_vote,
    has_consent,
    read_words,
    tidy_number,
)
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import Node

_ITEM_CLASS = re.compile(r"AgendaItem(\d+)", re.IGNORECASE)
_SELECT = re.compile(r"SelectItem\(\s*'?(\d+)", re.IGNORECASE)
_DOCUMENT = re.compile(r"filestream\.ashx\?.*?DocumentId=(\d+)", re.IGNORECASE)
_FILE = re.compile(r"^([A-Z]{1,6}-\d{2,}-\d{2,}[A-Z\d-]*|\d{4}-\d{3,})\s*[:–-]\s", re.IGNORECASE)
_TALLY = re.compile(r"(?<!\d)(\d{1,3})\s*(?:to|-|–|à)\s*(\d{1,3})(?!\d)", re.IGNORECASE)
_NAMES = re.compile(r"\s*;\s*|\s*,\s*(?:and\s+|et\s+)?|\s+and\s+|\s+et\s+")
_PASSED = re.compile(r"\b(carried|passed|approved|adopted|adopté\w*|unanimous\w*)\b", re.I)
_FAILED = re.compile(r"\b(lost|defeated|failed|rejected|denied|not (carried|passed))\b", re.I)
_LONGEST_ACTION: Final = 300


def read_agenda_items(page: Node, base: str, url: str) -> tuple[tuple[ListedAgendaItem, ...], str]:
    """The items of a page, and the HTML that they were read from."""
    containers = _split(page).nested
    if not containers and page.find_first("[class*=AgendaItem], [class*=AgendaHeader]") is None:
        raise ContentBroken(
            f"{url} is not an eSCRIBE agenda.",
            advice="The city may publish its agenda in a form that is not known yet.",
        )
    raw = "\n".join(container.markup for container in containers)
    return _read_items(containers, base), raw


@dataclass(slots=True)
class _Parts:
    """The elements of a container that belong to it alone, and the containers in it."""

    own: list[Node] = field(default_factory=list)
    nested: list[Node] = field(default_factory=list)

    def find_all(self, name: str) -> Iterator[Node]:
        """Its own elements of a class."""
        return (node for node in self.own if _has_class(node, name))

    def read(self, name: str) -> str | None:
        """The words of the first of its own elements of a class that has any."""
        return next(filter(None, map(read_words, self.find_all(name))), None)


def _split(container: Node) -> _Parts:
    parts = _Parts()
    left = list(container.find_children("*"))[::-1]
    while left:
        node = left.pop()
        if _has_class(node, "AgendaItemContainer"):
            parts.nested.append(node)
        else:
            parts.own.append(node)
            left += list(node.find_children("*"))[::-1]
    return parts


def _has_class(node: Node, name: str) -> bool:
    return name.lower() in (node.get("class") or "").lower().split()


def _read_items(containers: Sequence[Node], base: str) -> tuple[ListedAgendaItem, ...]:
    found: dict[str, ListedAgendaItem] = {}
    left: list[tuple[Node, tuple[str, ...]]] = [(each, ()) for each in reversed(containers)]
    group: dict[tuple[str, ...], str] = {}
    while left:
        container, headings = left.pop()
        parts = _split(container)
        if header := parts.read("AgendaItemHeader"):
            # It is printed once, above the first of the items that it is for.
            group[headings] = header
        above = (*headings, group[headings]) if headings in group else headings
        item = _read_item(parts, above, len(found) + 1, base)
        if item is not None and (not parts.nested or item.attachments or item.action):
            known = found.get(item.vendor_id)
            if known is not None and known.title != item.title:
                item = item.model_copy(update={"vendor_id": f"{item.vendor_id}-{item.sequence}"})
            found.setdefault(item.vendor_id, item)
        below = (*above, item.title) if item is not None else above
        left += [(each, below) for each in reversed(parts.nested)]
    return tuple(found.values())


def _read_item(
    parts: _Parts, headings: tuple[str, ...], sequence: int, base: str
) -> ListedAgendaItem | None:
    title = parts.read("AgendaItemTitle") or _find_selected(parts)
    if title is None:
        return None
    number = tidy_number(parts.read("AgendaItemCounter"))
    matter = _FILE.match(title)
    motion = _find_last_motion(parts)
    minutes = parts.read("AgendaItemMinutes")
    result = read_words(motion.get("MotionResult"))
    action = result or (minutes if minutes and len(minutes) <= _LONGEST_ACTION else None)
    tally = _TALLY.search(action or "")
    return ListedAgendaItem(
        vendor_id=_find_item_id(parts) or number or f"item-{sequence}",
        sequence=sequence,
        title=title,
        number=number,
        section=headings[-1] if headings else None,
        matter_file=matter[1].upper() if matter else None,
        text=clean(
            " ".join(filter(None, (parts.read("AgendaItemDescription"), _motion_text(motion))))
        ),
        attachments=_read_attachments(parts, base),
        consent=has_consent(*headings),
        action=action,
        passed=_has_passed(action),
        mover=_read_value(motion.get("MovedBy")),
        seconder=_read_value(motion.get("SecondedBy")),
        tally=f"{tally[1]}-{tally[2]}" if tally else None,
        votes=_read_votes(motion.get("MotionVoters")),
    )


def _motion_text(motion: Mapping[str, Node]) -> str | None:
    return read_words(motion.get("MotionText"))


def _find_selected(parts: _Parts) -> str | None:
    links = (
        node for node in parts.own if node.tag == "a" and _SELECT.search(node.get("href") or "")
    )
    return next(filter(None, map(read_words, links)), None)


def _find_item_id(parts: _Parts) -> str | None:
    for node in parts.own:
        for name in (node.get("class") or "").split():
            if found := _ITEM_CLASS.fullmatch(name):
                return found[1]
        if found := _SELECT.search(node.get("href") or node.get("onclick") or ""):
            return found[1]
    return None


def _find_last_motion(parts: _Parts) -> dict[str, Node]:
    """The parts of the last motion: a part that occurs again begins another one."""
    motion: dict[str, Node] = {}
    names = ("MovedBy", "SecondedBy", "MotionText", "MotionVoters", "MotionResult")
    for node in parts.own:
        name = next((name for name in names if _has_class(node, name)), None)
        if name is not None:
            motion = {name: node} if name in motion else {**motion, name: node}
    return motion


def _read_value(node: Node | None) -> str | None:
    """`P. Cuddy` of `Moved by: P. Cuddy`."""
    if node is None:
        return None
    if value := read_words(node.find_first(".Value")):
        return value
    return clean((read_words(node) or "").rpartition(":")[2])


def _has_passed(action: str | None) -> bool | None:
    if not action or _FAILED.search(action):
        return False if action else None
    return True if _PASSED.search(action) else None


def _read_votes(table: Node | None) -> tuple[ListedVote, ...]:
    found: dict[str, ListedVote] = {}
    for row in table.find_all("tr") if table is not None else []:
        cells = [read_words(cell) or "" for cell in row.find_children("td", "th")]
        vote = find_vote(cells[0]) if len(cells) > 1 else None
        if vote is None:
            continue
        for name in _NAMES.split(" ".join(cells[1:])):
            if member := clean(name.strip(" ,.")):
                found.setdefault(member, ListedVote(member=member, vote=vote))
    return tuple(found.values())


def _read_attachments(parts: _Parts, base: str) -> tuple[MeetingPaper, ...]:
    found: dict[str, MeetingPaper] = {}
    for node in parts.own:
        href = node.get("href") or ""
        document = _DOCUMENT.search(href)
        if document is None:
            continue
        labels = (node.get(key) for key in ("data-original-title", "title", "aria-label"))
        name = read_words(node) or next(filter(None, map(clean, labels)), None)
        paper = MeetingPaper(
            kind=PaperKind.ATTACHMENT,
            url=absolute_url(f"{base}/", href),
            name=name or f"Document {document[1]}",
        )
        found.setdefault(document[1], paper)
    return tuple(found.values())
