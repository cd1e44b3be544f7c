"""Meetings with everything that belongs to them, read a few hundred at a time."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final, TypeVar

from assay.packs.civic.cities import require_city
from assay.packs.civic.records import (
    AgendaItem,
    City,
    CivicMotion,
    CivicSummary,
    CivicVote,
    CouncilMember,
    Matter,
    Meeting,
    MeetingAccess,
    Paper,
)
from assay.packs.civic.topics import TOPICS
from assay.sdk.errors import InvalidInput
from assay.sdk.records import Artifact, AtLeast, Evidence
from assay.sdk.services import Services

T = TypeVar("T")
_AT_ONCE: Final = 200
_WEB = re.compile(r"https?://[^\s/]", re.IGNORECASE)


@dataclass(frozen=True)
class DocumentLink:
    """A document as a reader finds it."""

    name: str
    url: str

    @property
    def is_safe(self) -> bool:
        """Whether it may become a link. A `javascript:` address, for example, may not."""
        return _WEB.match(self.url) is not None


@dataclass(frozen=True)
class MeetingDossier:
    """A meeting with its agenda, documents, summaries, votes and motions."""

    city: City
    meeting: Meeting
    items: Sequence[AgendaItem]
    """In the order of the agenda, without those that were withdrawn."""
    matters: Mapping[str, Matter]
    """By their ids: those of its items, and perhaps of other meetings."""
    papers: Mapping[str, Sequence[Paper]]
    """Those that the portal still lists, by the meeting or item that they belong to."""
    summaries: Mapping[str, CivicSummary]
    """By item; that of the meeting by its own id."""
    votes: Mapping[str, Mapping[str, str]]
    """By item: the members' names and their votes."""
    motions: Sequence[CivicMotion]
    access: MeetingAccess | None
    documents: Mapping[str, DocumentLink]
    """What the summaries, motions and the access cite, by artifact."""
    changed_ms: int
    """When the latest version of its calendar entry, agenda or minutes was fetched."""

    def list_topics(self, subject_id: str) -> list[str]:
        """The topics of an item or of the meeting itself."""
        summary = self.summaries.get(subject_id)
        return [] if summary is None else summary.topics

    def list_all_topics(self) -> list[str]:
        """The topics of the meeting and of all its items, in alphabetical order."""
        subjects = [self.meeting.meeting_id, *(item.item_id for item in self.items)]
        return sorted({topic for subject in subjects for topic in self.list_topics(subject)})

    def select_topic(self, topic: str | None) -> "MeetingDossier | None":
        """The same meeting with only the items of a topic; None if nothing is about it."""
        if topic is None:
            return self
        items = [item for item in self.items if topic in self.list_topics(item.item_id)]
        if not items and topic not in self.list_topics(self.meeting.meeting_id):
            return None
        ids = {item.item_id for item in items}
        return replace(self, items=items, motions=[m for m in self.motions if m.item_id in ids])


def check_day(day: str) -> str:
    """A day of the calendar, as YYYY-MM-DD."""
    try:
        return date.fromisoformat(day).isoformat()
    except ValueError as error:
        raise InvalidInput(f"'{day}' is not a valid date.", advice="Use YYYY-MM-DD.") from error


def check_topic(topic: str | None) -> str | None:
    """A topic of the taxonomy, or None for all."""
    if topic is None or topic in TOPICS:
        return topic
    raise InvalidInput(f"'{topic}' is not a topic.", advice=f"Topics: {', '.join(TOPICS)}.")


def build_conditions(services: Services, city: str | None, since: str | None) -> dict[str, Any]:
    """The conditions on a meeting's city and first day."""
    conditions: dict[str, Any] = {}
    if city is not None:
        conditions["banana"] = require_city(services, city).banana
    if since is not None:
        conditions["starts"] = AtLeast(check_day(since))
    return conditions


def choose_meetings(services: Services, city: str | None, since: str | None) -> list[Meeting]:
    """The meetings of a city from a day on, without mere tests; the earliest first."""
    found = services.read_records(Meeting, **build_conditions(services, city, since))
    chosen = [meeting for meeting in found if meeting.filter_reason is None]
    return sorted(chosen, key=lambda meeting: (meeting.starts, meeting.meeting_id))


def iterate_dossiers(services: Services, meetings: Sequence[Meeting]) -> Iterator[MeetingDossier]:
    """A dossier for each meeting, in the given order."""
    cities = {city.banana: city for city in services.read_records(City)}
    for chunk in split_meetings(meetings):
        shelf = _read_shelf(services, chunk)
        for meeting in chunk:
            yield shelf.build_dossier(cities[meeting.banana], meeting)


def split_meetings(meetings: Sequence[Meeting]) -> Iterator[Sequence[Meeting]]:
    """As many meetings at a time as are read together."""
    for start in range(0, len(meetings), _AT_ONCE):
        yield meetings[start : start + _AT_ONCE]


def group_by(rows: Iterable[T], key_of: Callable[[T], str]) -> dict[str, list[T]]:
    """The rows of each key, in their order."""
    groups: dict[str, list[T]] = {}
    for row in rows:
        groups.setdefault(key_of(row), []).append(row)
    return groups


@dataclass(frozen=True)
class _Shelf:
    """The records of some meetings, by meeting."""

    items: Mapping[str, list[AgendaItem]]
    matters: Mapping[str, Matter]
    papers: Mapping[str, list[Paper]]
    summaries: Mapping[str, list[CivicSummary]]
    votes: Mapping[str, list[CivicVote]]
    names: Mapping[str, str]
    motions: Mapping[str, list[CivicMotion]]
    access: Mapping[str, MeetingAccess]
    documents: Mapping[str, DocumentLink]
    fetched_ms: Mapping[str, int]

    def build_dossier(self, city: City, meeting: Meeting) -> MeetingDossier:
        own = meeting.meeting_id
        items = sorted(self.items.get(own, []), key=lambda item: (item.sequence, item.item_id))
        votes: dict[str, dict[str, str]] = {}
        for vote in self.votes.get(own, []):
            name = self.names.get(vote.member_id, vote.member_id)
            votes.setdefault(vote.item_id, {})[name] = vote.vote
        motions = sorted(self.motions.get(own, []), key=lambda m: (m.artifact_id, m.start))
        sources: list[Any] = [meeting, *items, *self.votes.get(own, []), *motions]
        return MeetingDossier(
            city=city,
            meeting=meeting,
            items=[item for item in items if not item.withdrawn],
            matters=self.matters,
            papers=group_by(
                (p for p in self.papers.get(own, []) if p.listed), lambda paper: paper.owner_id
            ),
            summaries={each.subject_id: each for each in self.summaries.get(own, [])},
            votes=votes,
            motions=motions,
            access=self.access.get(own),
            documents=self.documents,
            changed_ms=max(self.fetched_ms.get(each.evidence_id, 0) for each in sources),
        )


def _read_shelf(services: Services, meetings: Sequence[Meeting]) -> _Shelf:
    ids = {meeting.meeting_id for meeting in meetings}
    items = services.read_records(AgendaItem, meeting_id=ids)
    matter_ids = {item.matter_id for item in items if item.matter_id is not None}
    matters = services.read_records(Matter, matter_id=matter_ids)
    summaries = services.read_records(CivicSummary, meeting_id=ids)
    votes = services.read_records(CivicVote, item_id={item.item_id for item in items})
    members = services.read_records(CouncilMember, member_id={vote.member_id for vote in votes})
    motions = services.read_records(CivicMotion, meeting_id=ids)
    access = services.read_records(MeetingAccess, meeting_id=ids)
    citing: list[Any] = [*motions, *access]
    cited = {row.artifact_id for row in citing} | list_cited(summaries)
    sources: list[Any] = [*meetings, *items, *votes, *motions]
    evidence = services.read_records(Evidence, evidence_id={row.evidence_id for row in sources})
    return _Shelf(
        items=_group_by_meeting(items),
        matters={matter.matter_id: matter for matter in matters},
        papers=_group_by_meeting(services.read_records(Paper, meeting_id=ids)),
        summaries=_group_by_meeting(summaries),
        votes=_group_by_meeting(votes),
        names={member.member_id: member.name for member in members},
        motions=_group_by_meeting(motions),
        access={each.meeting_id: each for each in access},
        documents=find_documents(services, cited),
        fetched_ms={each.evidence_id: each.fetched_ms for each in evidence},
    )


def _group_by_meeting(rows: Iterable[Any]) -> dict[str, list[Any]]:
    return group_by(rows, lambda row: row.meeting_id)


def list_cited(summaries: Iterable[CivicSummary]) -> set[str]:
    """The artifacts that summaries cite."""
    return {
        place["artifact_id"]
        for summary in summaries
        for sentence in summary.sentences
        for place in sentence["citations"]
    }


def find_documents(services: Services, artifacts: Collection[str]) -> dict[str, DocumentLink]:
    """The documents that artifacts are the texts of, with the names that portals give them."""
    found = services.read_records(Artifact, artifact_id=artifacts)
    evidence = {
        each.evidence_id: each
        for each in services.read_records(
            Evidence, evidence_id={artifact.evidence_id for artifact in found}
        )
    }
    papers = services.read_records(Paper, doc_id={each.doc_id for each in evidence.values()})
    by_document = {paper.doc_id: paper for paper in papers}
    links = {}
    for artifact in found:
        own = evidence.get(artifact.evidence_id)
        if own is not None:
            paper = by_document.get(own.doc_id)
            links[artifact.artifact_id] = (
                DocumentLink("Document", own.url)
                if paper is None
                else DocumentLink(paper.name, paper.url)
            )
    return links
