"""A digest: what was decided, what comes up, and what was cancelled or moved, city by city."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from assay.packs.civic.dossiers import (
    DocumentLink,
    MeetingDossier,
    choose_meetings,
    iterate_dossiers,
)
from assay.packs.civic.filters import find_fetch_filter
from assay.packs.civic.portals.listed import MeetingStatus, VoteValue
from assay.packs.civic.records import AgendaItem, City, CivicMotion, CivicSummary
from assay.sdk.services import Services

_ATTENDING: Final = {
    "physical_address": "Where",
    "attendance": "Attendance",
    "virtual_url": "Online",
    "meeting_id": "Meeting ID",
    "passcode": "Passcode",
    "phones": "Phone",
    "streaming_urls": "Stream",
    "email": "Comments by email",
    "public_comment_deadline": "Comments until",
    "instructions": "How to comment",
}
"""The details of a meeting's access, in the order in which they are needed."""
_LONGEST_MOTION: Final = 300


@dataclass(frozen=True)
class CitedSentence:
    """A sentence and the documents that say it."""

    text: str
    sources: tuple[DocumentLink, ...]


@dataclass(frozen=True, kw_only=True)
class ItemDigest:
    """One item of an agenda, for a reader."""

    item_id: str
    matter_id: str | None
    matter_file: str | None
    """The public number of its matter."""
    number: str | None
    title: str
    topics: tuple[str, ...]
    outcome: str | None
    """What was decided, as the portal says."""
    motions: tuple[CitedSentence, ...]
    """What was decided, as the minutes say."""
    votes: tuple[tuple[str, tuple[str, ...]], ...]
    """Each kind of vote, with the names."""
    summary: tuple[CitedSentence, ...]
    documents: tuple[DocumentLink, ...]

    @property
    def labels(self) -> list[str]:
        """The number of its matter, and its topics."""
        topics = [topic.replace("_", " ") for topic in self.topics]
        return topics if self.matter_file is None else [self.matter_file, *topics]


@dataclass(frozen=True, kw_only=True)
class MeetingDigest:
    """A meeting, for a reader."""

    meeting_id: str
    title: str
    body: str | None
    starts: str
    status: str
    change: str | None
    """That it was cancelled, postponed or moved."""
    location: str | None
    page: str | None
    video: str | None
    attending: tuple[tuple[str, str], ...]
    """What to know in order to attend: names and values."""
    attending_source: DocumentLink | None
    summary: tuple[CitedSentence, ...]
    items: tuple[ItemDigest, ...]
    motions: tuple[CitedSentence, ...]
    """Those that belong to no item."""
    documents: tuple[DocumentLink, ...]
    is_over: bool = False

    @property
    def has_results(self) -> bool:
        """Whether anything is known about what was decided."""
        return bool(self.motions) or any(
            item.outcome or item.motions or item.votes for item in self.items
        )

    @property
    def heading(self) -> str:
        """Its title, with the body if the title does not name it."""
        is_named = self.body is None or self.body.casefold() in self.title.casefold()
        return self.title if is_named else f"{self.body}: {self.title}"


@dataclass
class CityDigest:
    """The meetings of a city, the earliest first."""

    banana: str
    name: str
    decided: list[MeetingDigest] = field(default_factory=list)
    upcoming: list[MeetingDigest] = field(default_factory=list)
    changed: list[MeetingDigest] = field(default_factory=list)

    def list_sections(self) -> list[tuple[str, list[MeetingDigest], bool]]:
        """The sections that are not empty, and whether their meetings are described in brief."""
        sections = [
            ("Decided", self.decided, False),
            ("Coming up", self.upcoming, False),
            ("Cancelled or moved", self.changed, True),
        ]
        return [section for section in sections if section[1]]


@dataclass(frozen=True)
class Digest:
    """The digest of all chosen cities."""

    since: str
    topic: str | None
    cities: Sequence[CityDigest]

    @property
    def title(self) -> str:
        """What the digest is about."""
        about = f" about {self.topic.replace('_', ' ')}" if self.topic else ""
        return f"Council meetings{about} since {format_day(date.fromisoformat(self.since))}"


def build_digest(services: Services, since: str, city: str | None, topic: str | None) -> Digest:
    """Everything about the meetings from a day on."""
    cities: dict[str, CityDigest] = {}
    now_ms = services.clock.now_ms()
    for dossier in iterate_dossiers(services, choose_meetings(services, city, since)):
        chosen = dossier.select_topic(topic)
        if chosen is not None:
            own = chosen.city
            found = cities.setdefault(own.banana, CityDigest(own.banana, format_city(own)))
            _add_meeting(found, chosen, _find_local_day(now_ms, own))
    return Digest(since, topic, sorted(cities.values(), key=lambda each: each.name))


def _add_meeting(city: CityDigest, dossier: MeetingDossier, today: str) -> None:
    meeting = describe_meeting(dossier)
    if meeting.change is not None:
        city.changed.append(meeting)
    if meeting.status in (MeetingStatus.CANCELLED, MeetingStatus.POSTPONED):
        return
    if meeting.starts[:10] < today or meeting.status == MeetingStatus.HELD:
        # Nobody can attend it any more.
        city.decided.append(replace(meeting, attending=(), is_over=True))
    else:
        city.upcoming.append(meeting)


def describe_meeting(dossier: MeetingDossier) -> MeetingDigest:
    """A meeting with what a reader wants to know about it. Roll calls and the like are left out."""
    meeting, access = dossier.meeting, dossier.access
    items = [item for item in dossier.items if find_fetch_filter(item.title) is None]
    of_items = {item.item_id for item in items}
    return MeetingDigest(
        meeting_id=meeting.meeting_id,
        title=meeting.title,
        body=meeting.body,
        starts=meeting.starts,
        status=meeting.status,
        change=_describe_change(meeting.status, meeting.earlier_starts),
        location=meeting.location,
        page=meeting.page,
        video=meeting.video,
        attending=() if access is None else _describe_access(access.details),
        attending_source=None if access is None else dossier.documents.get(access.artifact_id),
        summary=_cite_summary(dossier, meeting.meeting_id),
        items=tuple(_describe_item(dossier, item) for item in items),
        motions=_cite_motions(dossier, (m for m in dossier.motions if m.item_id not in of_items)),
        documents=_link_papers(dossier, meeting.meeting_id),
    )


def _describe_item(dossier: MeetingDossier, item: AgendaItem) -> ItemDigest:
    votes = dossier.votes.get(item.item_id, {})
    matter = dossier.matters.get(item.matter_id or "")
    return ItemDigest(
        item_id=item.item_id,
        matter_id=item.matter_id,
        matter_file=None if matter is None else matter.matter_file,
        number=item.number,
        title=item.title,
        topics=tuple(dossier.list_topics(item.item_id)),
        outcome=describe_outcome(item.action, item.passed, item.tally, item.mover, item.seconder),
        motions=_cite_motions(
            dossier, (motion for motion in dossier.motions if motion.item_id == item.item_id)
        ),
        votes=tuple(
            (value.value, tuple(sorted(name for name, vote in votes.items() if vote == value)))
            for value in VoteValue
            if value in votes.values()
        ),
        summary=_cite_summary(dossier, item.item_id),
        documents=_link_papers(dossier, item.item_id),
    )


def format_city(city: City) -> str:
    """A city's name with its state."""
    return f"{city.name}, {city.state}"


def format_day(day: date) -> str:
    """A day without its weekday."""
    return f"{day:%B} {day.day}, {day.year}"


def format_start(starts: str) -> str:
    """A local date, with the time if it is known, as people write it."""
    moment = datetime.fromisoformat(starts)
    day = f"{moment:%A}, {format_day(moment)}"
    return f"{day}, {moment.hour % 12 or 12}:{moment:%M %p}" if "T" in starts else day


def _find_local_day(now_ms: int, city: City) -> str:
    return datetime.fromtimestamp(now_ms / 1000, ZoneInfo(city.timezone)).date().isoformat()


def _describe_change(status: str, earlier: Sequence[str]) -> str | None:
    if status == MeetingStatus.CANCELLED:
        return "Cancelled"
    if status == MeetingStatus.POSTPONED:
        return "Postponed"
    return f"Moved from {format_start(earlier[-1])}" if earlier else None


def _describe_access(details: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    found = []
    for name, label in _ATTENDING.items():
        values = details.get(name) or []
        for cited in values if isinstance(values, list) else [values]:
            found.append((label, " ".join(str(cited["value"]).split())))
    return tuple(found)


def describe_outcome(
    action: str | None,
    passed: bool | None,
    tally: str | None,
    mover: str | None,
    seconder: str | None,
) -> str | None:
    """One line about a decision; None if nothing is known about it."""
    result = {True: "passed", False: "failed", None: ""}[passed]
    # "Approved" says that it passed.
    is_plain = action is not None and passed is not False
    parts = [action or "", "" if is_plain else result, tally or ""]
    line = ", ".join(part for part in parts if part)
    people = [f"moved by {mover}"] if mover else []
    people += [f"seconded by {seconder}"] if seconder else []
    if people:
        line = f"{line} ({', '.join(people)})" if line else ", ".join(people)
    return f"{line[:1].upper()}{line[1:]}" if line else None


def _cite_motions(
    dossier: MeetingDossier, motions: Iterable[CivicMotion]
) -> tuple[CitedSentence, ...]:
    cited = []
    for motion in motions:
        words = " ".join((motion.motion or motion.quote).split())
        if len(words) > _LONGEST_MOTION:
            words = f"{words[:_LONGEST_MOTION].rsplit(' ', 1)[0]} …"
        outcome = describe_outcome(None, motion.passed, motion.tally, motion.mover, motion.seconder)
        source = dossier.documents.get(motion.artifact_id)
        text = f"Motion: {words.rstrip('.')}. {outcome or ''}".strip()
        cited.append(CitedSentence(text, () if source is None else (source,)))
    return tuple(cited)


def _cite_summary(dossier: MeetingDossier, subject_id: str) -> tuple[CitedSentence, ...]:
    summary = dossier.summaries.get(subject_id)
    return () if summary is None else cite_sentences(summary, dossier.documents)


def cite_sentences(
    summary: CivicSummary, documents: Mapping[str, DocumentLink]
) -> tuple[CitedSentence, ...]:
    """The sentences of a summary with the documents that they are taken from."""
    return tuple(
        CitedSentence(
            " ".join(sentence["text"].split()),
            tuple(
                dict.fromkeys(
                    documents[place["artifact_id"]]
                    for place in sentence["citations"]
                    if place["artifact_id"] in documents
                )
            ),
        )
        for sentence in summary.sentences
    )


def _link_papers(dossier: MeetingDossier, owner_id: str) -> tuple[DocumentLink, ...]:
    return tuple(DocumentLink(p.name, p.url) for p in dossier.papers.get(owner_id, []))
