"""What minutes and agendas say besides their items: motions with votes, and how to take part."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from assay.packs.civic.ids import derive_member_id
from assay.packs.civic.records import (
    AgendaItem,
    CivicMotion,
    CivicVote,
    CouncilMember,
    Meeting,
    MeetingAccess,
)
from assay.packs.civic.texts.participation import CitedText, find_participation
from assay.sdk.records import Artifact, Evidence, Record, derive_id

if TYPE_CHECKING:
    from assay.packs.civic.texts.votes import MotionRead

_REACH: Final = 4000
"""How far before a motion its item may be named."""
_SHORTEST_TITLE: Final = 20


def build_access(text: str, meeting: Meeting, artifact: Artifact) -> list[Record]:
    """How to attend and to comment, if the text says so."""
    found = find_participation(text)
    if found is None:
        return []
    details: dict[str, Any] = {}
    for entry in fields(found):
        value = getattr(found, entry.name)
        if isinstance(value, CitedText):
            details[entry.name] = _describe(value)
        elif isinstance(value, tuple) and value:
            details[entry.name] = [_describe(each) for each in value]
    return [
        MeetingAccess(
            meeting_id=meeting.meeting_id,
            artifact_id=artifact.artifact_id,
            details=details,
            is_hybrid=found.is_hybrid,
            is_virtual_only=found.is_virtual_only,
        )
    ]


def build_motions(
    text: str,
    meeting: Meeting,
    items: Iterable[AgendaItem],
    evidence: Evidence,
    artifact: Artifact,
) -> list[Record]:
    """The motions of the minutes, and the votes on items that can be told."""
    records: list[Record] = []
    places = _locate_items(text, items)
    # Its patterns take long to compile, and few commands read minutes.
    from assay.packs.civic.texts.votes import find_votes

    for read in find_votes(text):
        item_id = _find_item(places, read.start)
        records.append(_build_motion(read, text, meeting, item_id, evidence, artifact))
        if item_id is not None and read.is_main:
            records += _build_votes(read, meeting, item_id, evidence)
    return records


def _locate_items(text: str, items: Iterable[AgendaItem]) -> list[tuple[int, str]]:
    """Where the minutes name an item, by its title; titles that several items have do not count."""
    folded = text.casefold()
    titles: dict[str, list[str]] = {}
    for item in items:
        if not item.withdrawn and len(item.title) >= _SHORTEST_TITLE:
            titles.setdefault(item.title.casefold(), []).append(item.item_id)
    places = []
    for title, ids in titles.items():
        place = folded.find(title) if len(ids) == 1 else -1
        while place >= 0:
            places.append((place, ids[0]))
            place = folded.find(title, place + len(title))
    return sorted(places)


def _find_item(places: Sequence[tuple[int, str]], start: int) -> str | None:
    """The item that was named last before a motion."""
    before = [(place, item_id) for place, item_id in places if start - _REACH <= place <= start]
    return before[-1][1] if before else None


def _build_motion(
    read: "MotionRead",
    text: str,
    meeting: Meeting,
    item_id: str | None,
    evidence: Evidence,
    artifact: Artifact,
) -> CivicMotion:
    return CivicMotion(
        motion_id=derive_id("mo", artifact.artifact_id, str(read.start)),
        meeting_id=meeting.meeting_id,
        item_id=item_id,
        evidence_id=evidence.evidence_id,
        artifact_id=artifact.artifact_id,
        start=read.start,
        end=read.end,
        quote=text[read.start : read.end],
        mover=_value_of(read.mover),
        seconder=_value_of(read.seconder),
        motion=_value_of(read.motion),
        passed=read.passed,
        tally=_value_of(read.tally),
        votes=[
            {"member": vote.member, "vote": vote.vote.value, "quote": vote.quote}
            for vote in read.votes
        ],
        is_main=read.is_main,
    )


def _build_votes(
    read: "MotionRead", meeting: Meeting, item_id: str, evidence: Evidence
) -> list[Record]:
    records: list[Record] = []
    for vote in read.votes:
        member_id = derive_member_id(meeting.banana, vote.member)
        records += [
            CouncilMember(member_id=member_id, banana=meeting.banana, name=vote.member),
            CivicVote(
                item_id=item_id,
                member_id=member_id,
                meeting_id=meeting.meeting_id,
                vote=vote.vote,
                evidence_id=evidence.evidence_id,
                quote=vote.quote,
            ),
        ]
    return records


def _value_of(cited: CitedText | None) -> str | None:
    return None if cited is None else cited.value


def _describe(cited: CitedText) -> dict[str, Any]:
    return {"value": cited.value, "start": cited.start, "end": cited.end}
