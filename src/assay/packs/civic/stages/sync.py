"""Sync: turns what a portal lists into meetings, agenda items, matters, papers and votes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter

from assay.packs.civic.filters import find_fetch_filter, find_item_filter, find_meeting_filter
from assay.packs.civic.ids import (
    derive_agenda_item_id,
    derive_matter_id,
    derive_meeting_id,
    derive_member_id,
)
from assay.packs.civic.jobs import (
    PROCESS_STAGE,
    RESULT_STAGE,
    TEXTS_STAGE,
    TextJob,
    make_endpoint_id,
    make_matter_job,
    make_meeting_job,
)
from assay.packs.civic.portals.listed import (
    TEXT_KINDS,
    ListedAgenda,
    ListedAgendaItem,
    ListedMeeting,
    MeetingPaper,
    MeetingStatus,
    PortalEntry,
)
from assay.packs.civic.portals.shared import ENTRIES
from assay.packs.civic.records import (
    AgendaItem,
    Appearance,
    City,
    CivicVote,
    CouncilMember,
    Matter,
    Meeting,
    Paper,
)
from assay.sdk.errors import InvalidInput, TransientError
from assay.sdk.records import (
    Endpoint,
    Evidence,
    IngestCandidate,
    Record,
    doc_id_of_url,
)
from assay.sdk.services import Services
from assay.sdk.stages import (
    CandidateState,
    Failed,
    LookJob,
    Move,
    NextJob,
    Outcome,
    PackJob,
    QueueLimits,
    Reader,
    Result,
    Stage,
)

SYNC = Stage(
    name=ENTRIES,
    version=1,
    payload=PackJob,
    queue=QueueLimits(),
    reads=frozenset(
        {City, Endpoint, Evidence, IngestCandidate, Meeting, AgendaItem, Matter, Paper}
    ),
    writes=frozenset(
        {
            Meeting,
            AgendaItem,
            Matter,
            Appearance,
            Paper,
            CivicVote,
            CouncilMember,
            IngestCandidate,
        }
    ),
    next=frozenset({PROCESS_STAGE, RESULT_STAGE, TEXTS_STAGE}),
    batch=50,
    purpose="records the meetings and agendas that a portal lists",
)
R = TypeVar("R", AgendaItem, Paper)
_ENTRY: TypeAdapter[ListedMeeting | ListedAgenda] = TypeAdapter(PortalEntry)


@dataclass
class _Known:
    """What is stored about the meetings of a batch."""

    cities: Mapping[str, City]
    endpoints: Mapping[str, Endpoint]
    evidence: Mapping[str, Evidence]
    candidates: Mapping[str, IngestCandidate]
    meetings: dict[str, Meeting] = field(default_factory=dict)
    items: Mapping[str, list[AgendaItem]] = field(default_factory=dict)
    papers: Mapping[str, list[Paper]] = field(default_factory=dict)
    matters: Mapping[str, Matter] = field(default_factory=dict)
    """By the vendor's own id."""


async def sync_entries(
    jobs: Sequence[PackJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Record each entry; one that a newer version has replaced is left out."""
    evidence = await read.get_many(Evidence, [job.evidence_id for job in jobs])
    known = _Known(
        await read.get_many(City, {job.source for job in jobs}),
        await read.get_many(Endpoint, {make_endpoint_id(job.source) for job in jobs}),
        evidence,
        await read.get_many(IngestCandidate, {each.doc_id for each in evidence.values()}),
    )
    entries = {
        job.evidence_id: _ENTRY.validate_json(
            await read.blob(evidence[job.evidence_id].content_hash)
        )
        for job in jobs
    }
    await _load_known(known, jobs, entries, read)
    # An agenda may be in the same batch as its meeting, which comes first.
    order = sorted(jobs, key=lambda job: isinstance(entries[job.evidence_id], ListedAgenda))
    done = {
        job.evidence_id: _record_entry(job, entries[job.evidence_id], known, read.now_ms)
        for job in order
    }
    return [done[job.evidence_id] for job in jobs]


async def _load_known(
    known: _Known,
    jobs: Iterable[PackJob],
    entries: Mapping[str, ListedMeeting | ListedAgenda],
    read: Reader,
) -> None:
    ids = {_meeting_of(job.source, entries[job.evidence_id]) for job in jobs}
    # Stored rows have words where records have members of an enumeration.
    meetings = await read.get_many(Meeting, ids)
    known.meetings = {key: Meeting(**vars(found)) for key, found in meetings.items()}
    known.items = _group_by_meeting(await read.find_where(AgendaItem, "meeting_id", ids))
    papers = await read.find_where(Paper, "meeting_id", ids)
    known.papers = _group_by_meeting(Paper(**vars(found)) for found in papers)
    matters = {item.matter_id for entry in entries.values() for item in entry.items}
    found = await read.find_where(Matter, "vendor_matter_id", {m for m in matters if m})
    known.matters = {f"{m.banana}/{m.vendor_matter_id}": m for m in found}


def _meeting_of(banana: str, entry: ListedMeeting | ListedAgenda) -> str:
    vendor_id = entry.vendor_id if isinstance(entry, ListedMeeting) else entry.meeting
    return derive_meeting_id(banana, vendor_id)


def _record_entry(
    job: PackJob, entry: ListedMeeting | ListedAgenda, known: _Known, now_ms: int
) -> Result:
    city, evidence = known.cities.get(job.source), known.evidence[job.evidence_id]
    if city is None:
        return Failed(
            InvalidInput(
                f"There is no city '{job.source}'.",
                advice=f"Add it with 'assay civic add {job.source}'.",
            )
        )
    candidate = known.candidates.get(evidence.doc_id)
    if candidate is not None and candidate.evidence_id != evidence.evidence_id:
        return Outcome(note="replaced")
    builder = _EntryBuilder(city, evidence, known, _meeting_of(city.banana, entry), now_ms)
    if isinstance(entry, ListedMeeting):
        builder.add_meeting(entry)
    elif builder.meeting is None:
        return Failed(TransientError(f"Meeting {builder.meeting_id} is not recorded yet."))
    else:
        builder.add_agenda(entry, builder.meeting)
    ingested = Move(
        evidence.doc_id,
        CandidateState.INGESTED,
        "its meeting was recorded",
        evidence_id=evidence.evidence_id,
        only_with=evidence.evidence_id,
        only_from=CandidateState.READY,
    )
    return Outcome(
        records=tuple(builder.records),
        moves=(ingested,),
        next=(*builder.plan_next(), *_plan_result(city, known)),
    )


def _plan_result(city: City, known: _Known) -> tuple[NextJob, ...]:
    """The job that counts what this synchronization has recorded."""
    endpoint = known.endpoints.get(make_endpoint_id(city.banana))
    if endpoint is None or endpoint.last_scraped_ms is None:
        return ()
    payload = LookJob(
        endpoint_id=endpoint.endpoint_id, source=city.banana, began_ms=endpoint.last_scraped_ms
    )
    return (NextJob(RESULT_STAGE, payload),)


@dataclass
class _EntryBuilder:
    """Collects the records of one entry."""

    city: City
    evidence: Evidence
    known: _Known
    meeting_id: str
    now_ms: int
    records: list[Record] = field(default_factory=list)
    meeting: Meeting | None = None

    def __post_init__(self) -> None:
        self.meeting = self.known.meetings.get(self.meeting_id)

    def add_meeting(self, entry: ListedMeeting) -> None:
        before = self.meeting
        starts = entry.starts
        if before is not None and "T" not in starts and before.starts[:10] == starts:
            # Only its agenda says at what time.
            starts = before.starts
        earlier = [] if before is None else [*before.earlier_starts]
        if before is not None and before.starts != starts:
            earlier.append(before.starts)
        of_agenda = None if before is None else before.agenda_status
        is_plain = entry.status is MeetingStatus.SCHEDULED
        meeting = Meeting(
            meeting_id=self.meeting_id,
            banana=self.city.banana,
            vendor_id=entry.vendor_id,
            doc_id=self.evidence.doc_id,
            evidence_id=self.evidence.evidence_id,
            title=entry.title,
            starts=starts,
            starts_utc=_convert_to_utc(starts, self.city.timezone),
            earlier_starts=earlier,
            body=entry.body,
            location=entry.location or (before.location if before else None),
            status=of_agenda or entry.status if is_plain else entry.status,
            agenda_status=of_agenda,
            video=entry.video or (before.video if before else None),
            page=entry.page,
            notes=entry.notes,
            filter_reason=find_meeting_filter(entry.title),
            recorded_ms=self.now_ms,
        )
        self._keep_meeting(meeting)
        self.add_papers(entry.papers, self.meeting_id, wanted=True)
        if entry.items:
            self.add_items(entry.items)

    def add_agenda(self, entry: ListedAgenda, meeting: Meeting) -> None:
        """Add an agenda, and what only it says about the meeting."""
        starts = meeting.starts
        if entry.starts is not None and entry.starts[:10] == starts[:10] and "T" not in starts:
            starts = entry.starts
        updated = meeting.model_copy(
            update={
                "agenda_status": entry.status or meeting.agenda_status,
                "status": entry.status or meeting.status,
                "starts": starts,
                "starts_utc": _convert_to_utc(starts, self.city.timezone),
                "video": meeting.video or entry.video,
                "location": meeting.location or entry.location,
            }
        )
        if updated != meeting:
            self._keep_meeting(updated)
        self.add_papers(entry.papers, self.meeting_id, wanted=True)
        self.add_items(entry.items, is_part=entry.part is not None)

    def _keep_meeting(self, meeting: Meeting) -> None:
        self.meeting = self.known.meetings[self.meeting_id] = meeting
        self.records.append(meeting)

    def add_items(self, items: Iterable[ListedAgendaItem], *, is_part: bool = False) -> None:
        seen = set()
        for item in items:
            item_id = derive_agenda_item_id(self.meeting_id, item.vendor_id)
            seen.add(item_id)
            self._add_item(item_id, item)
        if is_part:
            return
        for before in self.known.items.get(self.meeting_id, []):
            if before.item_id not in seen and not before.withdrawn:
                self.records.append(before.model_copy(update={"withdrawn": True}))

    def _add_item(self, item_id: str, item: ListedAgendaItem) -> None:
        matter_id = self._add_matter(item)
        self.records.append(
            AgendaItem(
                item_id=item_id,
                meeting_id=self.meeting_id,
                banana=self.city.banana,
                evidence_id=self.evidence.evidence_id,
                sequence=item.sequence,
                title=item.title,
                number=item.number,
                section=item.section,
                text=item.text,
                matter_id=matter_id,
                consent=item.consent,
                action=item.action,
                passed=item.passed,
                mover=item.mover,
                seconder=item.seconder,
                tally=item.tally,
                filter_reason=find_item_filter(item.title),
            )
        )
        if matter_id is not None:
            self.records.append(
                Appearance(
                    matter_id=matter_id,
                    item_id=item_id,
                    meeting_id=self.meeting_id,
                    action=item.action,
                    passed=item.passed,
                    tally=item.tally,
                )
            )
        wanted = find_fetch_filter(item.title) is None
        self.add_papers(item.attachments, item_id, wanted=wanted)
        for vote in item.votes:
            member_id = derive_member_id(self.city.banana, vote.member)
            self.records += [
                CouncilMember(
                    member_id=member_id,
                    banana=self.city.banana,
                    name=vote.member,
                    vendor_member_id=vote.member_id,
                ),
                CivicVote(
                    item_id=item_id,
                    member_id=member_id,
                    meeting_id=self.meeting_id,
                    vote=vote.vote,
                    evidence_id=self.evidence.evidence_id,
                ),
            ]

    def _add_matter(self, item: ListedAgendaItem) -> str | None:
        """The matter of an item. One that was first known by the vendor's id keeps that id."""
        banana = self.city.banana
        stored = self.known.matters.get(f"{banana}/{item.matter_id}") if item.matter_id else None
        matter_id = (
            stored.matter_id
            if stored
            else derive_matter_id(banana, item.matter_file, item.matter_id, item.title)
        )
        if matter_id is not None:
            self.records.append(
                Matter(
                    matter_id=matter_id,
                    banana=banana,
                    title=item.title,
                    matter_file=item.matter_file,
                    vendor_matter_id=item.matter_id,
                    matter_type=item.matter_type,
                    sponsors=sorted({*item.sponsors, *(stored.sponsors if stored else ())}),
                )
            )
        return matter_id

    def add_papers(self, papers: Iterable[MeetingPaper], owner_id: str, *, wanted: bool) -> None:
        listed = {doc_id_of_url(paper.url): paper for paper in papers}
        self.records += [
            Paper(
                doc_id=doc_id,
                owner_id=owner_id,
                meeting_id=self.meeting_id,
                kind=paper.kind,
                url=paper.url,
                name=paper.name,
                listed_in=self.evidence.doc_id,
                wanted=wanted,
            )
            for doc_id, paper in listed.items()
        ]
        for before in self.known.papers.get(self.meeting_id, []):
            own = (before.owner_id, before.listed_in) == (owner_id, self.evidence.doc_id)
            if own and before.listed and before.doc_id not in listed:
                self.records.append(before.model_copy(update={"listed": False}))

    def plan_next(self) -> tuple[NextJob, ...]:
        """Jobs for the meeting and its matters, unless it is set aside or does not take place."""
        meeting = self.meeting
        papers = [r for r in self.records if isinstance(r, Paper)]
        papers += self.known.papers.get(self.meeting_id, [])
        has_texts = any(paper.kind in TEXT_KINDS for paper in papers)
        texts = (NextJob(TEXTS_STAGE, TextJob(meeting_id=self.meeting_id)),) if has_texts else ()
        if meeting is None or meeting.filter_reason or meeting.status == MeetingStatus.CANCELLED:
            return texts
        wanted = [r for r in self.records if isinstance(r, AgendaItem) and not r.filter_reason]
        matters = sorted({item.matter_id for item in wanted if item.matter_id is not None})
        starts, now_ms = meeting.starts, self.now_ms
        return (
            *texts,
            make_meeting_job(meeting.banana, meeting.meeting_id, starts, now_ms),
            *(make_matter_job(meeting.banana, matter, starts, now_ms) for matter in matters),
        )


def _convert_to_utc(starts: str, timezone: str) -> str | None:
    if "T" not in starts:
        return None
    local = datetime.fromisoformat(starts).replace(tzinfo=ZoneInfo(timezone))
    return local.astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ")


def _group_by_meeting(rows: Iterable[R]) -> dict[str, list[R]]:
    groups: dict[str, list[R]] = {}
    for row in rows:
        groups.setdefault(row.meeting_id, []).append(row)
    return groups
