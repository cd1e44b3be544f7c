"""CivicClerk agendas: a tree of sections and items, with attachments and, later, the votes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay.packs.civic.portals.listed import (
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
    read_words,
    tidy_number,
)

_PLACEHOLDERS: Final = ("select meeting files", "view meeting materials")
"""What clerks write as the only item when the agenda is a file."""
_VOTES: Final = (
    ("yesVotes", VoteValue.YES),
    ("noVotes", VoteValue.NO),
    ("abstainVotes", VoteValue.ABSTAIN),
    ("absentVotes", VoteValue.ABSENT),
)
_NUMBERS: Final = (
    "agendaObjectItemOutlineNumberFull",
    "agendaObjectItemOutlineNumber",
    "agendaObjectItemNumber",
)
_FILES: Final = (
    ("Resolution", ("resolutionFormattedNumber", "resolutionNumber")),
    ("Ordinance", ("ordinanceFormattedNumber", "ordinanceNumber")),
)


@dataclass(frozen=True, slots=True)
class _Place:
    """An item of the tree with the headings above it, the nearest last."""

    row: Mapping[str, Any]
    headings: tuple[str, ...]


def read_agenda_items(rows: Sequence[Mapping[str, Any]], base: str) -> tuple[ListedAgendaItem, ...]:
    """The items of the tree in their order."""
    found: dict[str, ListedAgendaItem] = {}
    for place in _walk(rows):
        item = _read_item(place, len(found) + 1, base)
        if item is not None:
            found.setdefault(item.vendor_id, item)
    return tuple(found.values())


def _walk(rows: Sequence[Mapping[str, Any]]) -> Iterator[_Place]:
    """The items in their order, without the sections, which become headings."""
    left = [_Place(row, ()) for row in reversed(_sort(rows))]
    while left:
        place = left.pop()
        if not place.row.get("isSection"):
            yield place
        title = read_words(place.row.get("agendaObjectItemName"))
        headings = (*place.headings, title) if title else place.headings
        children = place.row.get("childItems") or []
        left += [_Place(child, headings) for child in reversed(_sort(children))]


def _sort(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(rows, key=lambda row: float(row.get("sortOrder") or 0))


def _read_item(place: _Place, sequence: int, base: str) -> ListedAgendaItem | None:
    row = place.row
    title = read_words(row.get("agendaObjectItemName"))
    if title is None or any(words in title.lower() for words in _PLACEHOLDERS):
        return None
    matter_type, matter_file = _find_file(row)
    motion: Mapping[str, Any] = next(reversed(row.get("minutesItemVotes") or []), {})
    votes = _read_votes(motion)
    outcome = motion.get("passFail")
    return ListedAgendaItem(
        vendor_id=str(row["id"]) if row.get("id") else f"item-{sequence}",
        sequence=sequence,
        title=title,
        number=next(filter(None, (tidy_number(row.get(key)) for key in _NUMBERS)), None),
        section=place.headings[-1] if place.headings else None,
        matter_file=matter_file,
        matter_type=matter_type,
        text=read_words(row.get("agendaObjectItemDescription")),
        attachments=_read_attachments(row, base),
        consent=has_consent(*place.headings),
        action=read_words(motion.get("motionName")),
        passed=bool(outcome) if outcome in (0, 1) else None,
        mover=clean(motion.get("initiatedBy")),
        seconder=clean(motion.get("secondedBy")),
        tally=_count(votes),
        votes=votes,
    )


def _find_file(row: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The kind and the number of the matter, if the city numbers them here."""
    for kind, keys in _FILES:
        for key in keys:
            number = clean(row.get(key))
            if number and number != "0":
                return kind, number
    return None, None


def _read_votes(motion: Mapping[str, Any]) -> tuple[ListedVote, ...]:
    found = []
    for key, vote in _VOTES:
        for member in motion.get(key) or []:
            named = (
                member.get("name") or member.get("fullName") if isinstance(member, dict) else member
            )
            if name := clean(named):
                found.append(ListedVote(member=name, vote=vote))
    return tuple(found)


def _count(votes: Sequence[ListedVote]) -> str | None:
    if not votes:
        return None
    yes, no = (sum(each.vote is vote for each in votes) for vote in (VoteValue.YES, VoteValue.NO))
    return f"{yes}-{no}"


def _read_attachments(row: Mapping[str, Any], base: str) -> tuple[MeetingPaper, ...]:
    """The documents of an item.

    The addresses in the response are signed and expire after some days, which is why attachments
    are asked for by their id; reports are not available that way.
    """
    found: dict[str, MeetingPaper] = {}
    for each in row.get("attachmentsList") or []:
        if each.get("isDeleted") or each.get("isPublished") is False:
            continue
        link = clean(each.get("pdfVersionFullPath")) or clean(each.get("mediaFullPath"))
        if each.get("id") and not each.get("isLink"):
            link = f"{base}/v1/Meetings/GetAttachmentFile(fileId={each['id']})"
        _add_attachment(found, link, clean(each.get("fileName")), base)
    for each in row.get("reportsList") or []:
        link = clean(each.get("pdfMediaFullPath"))
        _add_attachment(found, link, clean(each.get("agendaObjItemReportName")), base)
    return tuple(found.values())


def _add_attachment(
    found: dict[str, MeetingPaper], link: str | None, name: str | None, base: str
) -> None:
    if link is None:
        return
    url = absolute_url(f"{base}/", link)
    paper = MeetingPaper(kind=PaperKind.ATTACHMENT, url=url, name=name or "Attachment")
    found.setdefault(url, paper)
