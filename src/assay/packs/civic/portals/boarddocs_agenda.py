"""A BoardDocs agenda: as printed, with texts, files and votes, or only as an outline."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from assay.packs.civic.portals.listed import (
    ListedAgenda,
    ListedAgendaItem,
    ListedVote,
    MeetingPaper,
    PaperKind,
    VoteValue,
)
from assay.packs.civic.portals.shared import (
    absolute_url,
    clean,
    has_consent,
    is_http,
    join_day_and_time,
    make_unique,
    parse_clock,
    parse_moment,
    split_lines,
)
from assay.sdk.sources import Node, PortalRequest, parse_html

_ITEM: Final = "div.item.agendaorder, div.container.item, li.item"
_HEADING: Final = "[role=heading][aria-level='1'], dt.category, div[style*=border-bottom]"
_NUMBER = re.compile(r"((?:[A-Z]{1,3}|\d{1,3}|[IVXL]+)(?:\.\w{1,3})*)[.)]?\s+(?=\S)")
_SIZE = re.compile(r"\s*\(\s*[\d.,]+\s*[KMG]B\s*\)$", re.IGNORECASE)
_PLACE = re.compile(
    r"^\d{1,5}\s+\w|\b(rooms?|hall|cent(er|re)|building|library|auditorium|chambers?|school|offices?"
    r"|street|avenue|road|drive|cafeteria|gym(nasium)?|commons|suite)\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s*[│|•·\n]\s*|\s+[-–—]\s+")
_MOTION = re.compile(
    r"motion (?:made )?by\s+(?P<mover>[^,.;]{2,60}?)(?:\s*[,;]|\s+and)?\s+second(?:ed)?(?: made)?"
    r" by\s+(?P<seconder>[^,.;]{2,60}?)\s*(?:[.,;]|$|(?=\s+Final\b))",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"final resolution\s*:\s*(?P<result>[^.:\n]{3,80}?)(?=\s+\w+\s*:|[.\n]|$)", re.I
)
_BALLOT = re.compile(
    r"(?:^|(?<=[\s,;.]))(yeas?|ayes?|yes|nays?|noes|no|abstain(?:ed|ing|s)?|abstentions?|absent"
    r"|not present(?: at vote)?|recused)\s*:",
    re.IGNORECASE,
)
_NAME_END = re.compile(r"\s*[,;](?!\s*(?:Jr|Sr|II|III|IV|Esq|M\.?D|Ph\.?D)\b)|\s+and\s+")
_VOTES: Final = (
    (VoteValue.YES, "yea|aye|yes"),
    (VoteValue.NO, "nay|no$|noes"),
    (VoteValue.ABSTAIN, "abst|recus"),
    (VoteValue.ABSENT, "absent|not present"),
)


@dataclass(frozen=True)
class MeetingDetails:
    """What the top of an agenda says about its meeting."""

    starts: str | None
    location: str | None


def read_details(root: Node) -> MeetingDetails | None:
    """The time and the place of a meeting; None if the page is not about one."""
    day = root.find_first(".print-meeting-date, .meeting-date")
    name = root.find_first(".print-meeting-name, .meeting-name")
    if day is None and name is None:
        return None
    words = root.find_first(".print-meeting-description, .meeting-description")
    lines = list(_split_parts(words)) if words is not None else []
    held = parse_moment(day.read_text()) if day is not None else None
    clock = next((line for line in lines if parse_clock(line)), None)
    place = ", ".join(_take_first_run(lines))
    starts = join_day_and_time(held, clock) if held else None
    return MeetingDetails(starts=starts, location=place or None)


def _split_parts(node: Node) -> Iterator[str]:
    """The parts of a description: its lines, and what is separated by bars within one."""
    for line in split_lines(node.markup):
        yield from filter(None, (clean(part) for part in _SEPARATOR.split(line)))


def _take_first_run(lines: Iterable[str]) -> list[str]:
    """The first lines, one after the other, that name a place."""
    found: list[str] = []
    for line in lines:
        if _is_place(line):
            found.append(line)
        elif found:
            break
    return found[:3]


def _is_place(line: str) -> bool:
    is_about_joining = re.search(r"https?:|virtual|zoom|attend|webinar|click", line, re.IGNORECASE)
    names_place = _PLACE.search(line) and not is_about_joining and len(line) <= 200
    return bool(names_place) and parse_clock(line) is None


def read_printed_agenda(data: bytes, request: PortalRequest, base: str) -> ListedAgenda | None:
    """An agenda with everything about its items; None if the page is not one."""
    root = parse_html(data, request.url, "a BoardDocs agenda")
    details = read_details(root)
    items = _read_items(root, base)
    if details is None and not items:
        return None
    return ListedAgenda(
        meeting=request.context["meeting"],
        items=items,
        starts=details.starts if details else None,
        location=details.location if details else None,
        raw=data.decode("utf-8", "replace"),
    )


def read_outline(data: bytes, request: PortalRequest, base: str) -> ListedAgenda | None:
    """An agenda with only the titles of its items; None if the page is not one."""
    root = parse_html(data, request.url, "a BoardDocs agenda")
    items = _read_items(root, base)
    if not items and root.find_first("#agenda-numbering, .wrap-category, .category") is None:
        return None
    return ListedAgenda(
        meeting=request.context["meeting"],
        items=items,
        starts=request.context.get("starts") or None,
        location=request.context.get("location") or None,
        raw=data.decode("utf-8", "replace"),
    )


def _read_items(root: Node, base: str) -> tuple[ListedAgendaItem, ...]:
    items: list[ListedAgendaItem] = []
    seen: set[str] = set()
    section: str | None = None
    inside: set[Node] = set()
    for node in root.find_all(f"{_ITEM}, {_HEADING}"):
        if node in inside:
            continue
        if not re.search(r"(^|\s)item(\s|$)", node.get("class") or ""):
            section = clean(node.read_text()) or section
            continue
        inside.update(node.find_all(f"{_ITEM}, {_HEADING}"))
        item = _read_item(node, section, len(items) + 1, base, seen)
        if item is not None:
            items.append(item)
    return tuple(items)


def _read_item(
    node: Node, section: str | None, sequence: int, base: str, seen: set[str]
) -> ListedAgendaItem | None:
    rows = _read_rows(node)
    subject = rows.get("subject") or _read_first(node, ".title") or clean(node.get("xtitle"))
    if subject is None:
        return None
    order = _read_first(node, ".order")
    number, title = (order, subject) if order else _split_number(subject)
    kind = rows.get("type") or _read_first(node, ".actiontype")
    kind = clean(re.sub(r"\s+,", ",", kind).strip(" ,")) if kind else None
    section = rows.get("category") or section
    body = _read_first(node, ".itembody")
    spoken = clean(node.read_text(most=None)) or ""
    motion, result = _MOTION.search(spoken), _RESULT.search(spoken)
    action = clean(result["result"]) if result else None
    wanted = node.get("unique") or node.get("id") or number or str(sequence)
    return ListedAgendaItem(
        vendor_id=make_unique(wanted, seen),
        sequence=sequence,
        number=number.rstrip(".) ") if number else None,
        title=title,
        section=section,
        matter_type=kind,
        text=" ".join(filter(None, (rows.get("recommended action"), body))) or None,
        attachments=_read_files(node, base),
        consent=has_consent(kind, section),
        action=action,
        passed=_find_outcome(action),
        mover=clean(motion["mover"]) if motion else None,
        seconder=clean(motion["seconder"]) if motion else None,
        votes=tuple(_read_votes(node)) if result else (),
    )


def _read_rows(node: Node) -> dict[str, str]:
    """The labelled values of an item, such as Subject, Category and Type."""
    rows: dict[str, str] = {}
    for group in node.find_all("dl"):
        label = None
        for part in group.find_children("dt", "dd"):
            words = clean(part.read_text(most=None))
            if part.tag == "dt":
                label = words.rstrip(":").lower() if words else None
            elif label and words:
                rows.setdefault(label, words)
    return rows


def _read_first(node: Node, rule: str) -> str | None:
    return next((words for part in node.find_all(rule) if (words := clean(part.read_text()))), None)


def _split_number(subject: str) -> tuple[str | None, str]:
    """`2.13 Title` or `A. Title` as the number and the title; `3 Years of Taxes` has none."""
    found = _NUMBER.match(subject)
    if found is None or not (subject[found.end(1)] in ".)" or "." in found[1]):
        return None, subject
    return found[1], subject[found.end() :]


def _read_files(node: Node, base: str) -> tuple[MeetingPaper, ...]:
    files: dict[str, MeetingPaper] = {}
    for link in node.find_all(
        "a[href*='$file'], a[href*='%24file'], a.public-file, .public-file a"
    ):
        url = absolute_url(f"{base}/", link.get("href") or "")
        if link.get("href") and is_http(url):
            name = clean(_SIZE.sub("", link.read_text())) or "Attachment"
            files.setdefault(url, MeetingPaper(kind=PaperKind.ATTACHMENT, url=url, name=name))
    return tuple(files.values())


def _find_outcome(action: str | None) -> bool | None:
    if action is None:
        return None
    if re.search(r"\b(fail|defeat|reject|not carr|lost)", action, re.IGNORECASE):
        return False
    return True if re.search(r"\b(carr|pass|approv|adopt)", action, re.IGNORECASE) else None


def _read_votes(node: Node) -> Iterator[ListedVote]:
    """The votes on the first motion of an item, which follow its result."""
    seen: set[str] = set()
    for line in _take_ballots(split_lines(node.markup)):
        pieces = _BALLOT.split(line)
        for word, names in zip(pieces[1::2], pieces[2::2], strict=True):
            value = next(value for value, words in _VOTES if re.match(words, word.lower()))
            for name in _NAME_END.split(names):
                member = clean(name.strip(" ,;"))
                if member and member not in seen and len(member) <= 60:
                    seen.add(member)
                    yield ListedVote(member=member.removesuffix("."), vote=value)


def _take_ballots(lines: Iterable[str]) -> Iterator[str]:
    """The line with the result of the first motion, and the votes after it."""
    is_open = False
    for line in lines:
        if is_open and re.search(r"\bmotion\b", line, re.IGNORECASE):
            return
        if not is_open and _RESULT.search(line):
            is_open = True
            yield line
        elif is_open and _BALLOT.match(line):
            yield line
