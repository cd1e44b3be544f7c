"""Document: takes in an agenda, a packet, minutes or an attachment, and has its meeting
processed. An agenda gives its meeting the items that the portal does not list."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.packs.civic.filters import find_item_filter
from assay.packs.civic.ids import derive_agenda_item_id, derive_matter_id
from assay.packs.civic.jobs import PROCESS_STAGE, make_matter_job, make_meeting_job
from assay.packs.civic.portals.listed import PaperKind
from assay.packs.civic.records import (
    AgendaItem,
    Appearance,
    CivicMotion,
    CivicVote,
    CouncilMember,
    Matter,
    Meeting,
    MeetingAccess,
    Paper,
)
from assay.packs.civic.stages.minutes import build_access, build_motions
from assay.packs.civic.texts.agenda import AgendaEntry, find_agenda_items
from assay.sdk.records import Artifact, Evidence, IngestCandidate, Record, content_hash
from assay.sdk.services import Services
from assay.sdk.stages import (
    CandidateState,
    Move,
    NextJob,
    Outcome,
    PackJob,
    QueueLimits,
    Reader,
    Result,
    Stage,
)

DOCUMENT = Stage(
    name="civic_document",
    version=1,
    payload=PackJob,
    queue=QueueLimits(),
    reads=frozenset({Evidence, Artifact, IngestCandidate, Paper, Meeting, AgendaItem}),
    writes=frozenset(
        {
            AgendaItem,
            Appearance,
            Matter,
            CivicMotion,
            CivicVote,
            CouncilMember,
            MeetingAccess,
            IngestCandidate,
        }
    ),
    next=frozenset({PROCESS_STAGE}),
    batch=20,
    purpose="takes in a document of a meeting, and the items of an agenda",
)
_MOST_CHARACTERS = 300_000
"""Of an agenda: what is longer is a packet, whatever it is called."""
_READ = (PaperKind.AGENDA, PaperKind.MINUTES)
"""Drafts of minutes are kept, but what they say is not yet so."""
_FROM_TEXT = "text-"
"""What the ids of items that were found in a text begin with, after the meeting's."""


@dataclass(frozen=True)
class _Known:
    """What is stored about the documents of a batch."""

    evidence: Mapping[str, Evidence]
    papers: Sequence[Paper]
    meetings: Mapping[str, Meeting]
    items: Mapping[str, AgendaItem]


@dataclass(frozen=True)
class _SourceDocument:
    evidence: Evidence
    artifact: Artifact
    text: str


async def take_in_documents(
    jobs: Sequence[PackJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Take in each document, and queue the meetings and matters that it belongs to."""
    evidence = await read.get_many(Evidence, [job.evidence_id for job in jobs])
    papers = await read.find_where(Paper, "doc_id", {each.doc_id for each in evidence.values()})
    meetings = await read.get_many(Meeting, {paper.meeting_id for paper in papers})
    items = await read.find_where(AgendaItem, "meeting_id", meetings)
    known = _Known(evidence, papers, meetings, {item.item_id: item for item in items})
    return [await _take_in(evidence[job.evidence_id], known, read) for job in jobs]


async def _take_in(evidence: Evidence, known: _Known, read: Reader) -> Outcome:
    own = [paper for paper in known.papers if paper.doc_id == evidence.doc_id]
    records: list[Record] = []
    artifact = await read.get(Artifact, evidence.primary_text_artifact_id or "")
    for paper in own:
        meeting = known.meetings.get(paper.owner_id)
        if artifact is not None and meeting is not None and paper.kind in _READ:
            text = (await read.blob(artifact.content_hash)).decode()[:_MOST_CHARACTERS]
            source = _SourceDocument(evidence, artifact, text)
            records += await asyncio.to_thread(_read_text, paper.kind, source, meeting, known)
    ingested = Move(
        evidence.doc_id,
        CandidateState.INGESTED,
        "its text was taken in",
        evidence_id=evidence.evidence_id,
        only_with=evidence.evidence_id,
        only_from=CandidateState.READY,
    )
    return Outcome(
        records=tuple(records),
        moves=(ingested,),
        next=tuple(_plan_jobs(own, known, records, read.now_ms)),
        note="done" if own else "no meeting",
    )


def _plan_jobs(
    papers: Iterable[Paper], known: _Known, records: Iterable[Record], now_ms: int
) -> list[NextJob]:
    jobs: dict[str, NextJob] = {}
    for paper in papers:
        meeting, item = known.meetings.get(paper.meeting_id), known.items.get(paper.owner_id)
        if meeting is None or meeting.filter_reason is not None:
            continue
        matters = {item.matter_id} if item is not None else set()
        matters |= {r.matter_id for r in records if isinstance(r, Matter)}
        for matter_id in sorted(filter(None, matters)):
            jobs[matter_id] = make_matter_job(meeting.banana, matter_id, meeting.starts, now_ms)
        if item is None or item.matter_id is None:
            jobs[meeting.meeting_id] = make_meeting_job(
                meeting.banana, meeting.meeting_id, meeting.starts, now_ms
            )
    return list(jobs.values())


def _read_text(
    kind: PaperKind, source: _SourceDocument, meeting: Meeting, known: _Known
) -> list[Record]:
    items = [item for item in known.items.values() if item.meeting_id == meeting.meeting_id]
    if kind == PaperKind.MINUTES:
        return build_motions(source.text, meeting, items, source.evidence, source.artifact)
    access = build_access(source.text, meeting, source.artifact)
    return [*access, *_find_items(source, meeting, items)]


def _find_items(
    source: _SourceDocument, meeting: Meeting, before: Sequence[AgendaItem]
) -> list[Record]:
    """The items of an agenda, unless the portal itself lists them."""
    start = f"{meeting.meeting_id}_{_FROM_TEXT}"
    if any(not item.item_id.startswith(start) and not item.withdrawn for item in before):
        return []
    records = _build_items(find_agenda_items(source.text), meeting, source.evidence, source.text)
    seen = {record.item_id for record in records if isinstance(record, AgendaItem)}
    records += [
        item.model_copy(update={"withdrawn": True})
        for item in before
        if item.item_id not in seen and not item.withdrawn
    ]
    return records


def _build_items(
    entries: Sequence[AgendaEntry], meeting: Meeting, evidence: Evidence, text: str
) -> list[Record]:
    records: list[Record] = []
    names: dict[str, int] = {}
    for sequence, entry in enumerate(entries, 1):
        name = content_hash(f"{entry.number}\n{entry.title}".encode())[:10]
        # The same title may be printed twice.
        names[name] = names.get(name, 0) + 1
        suffix = "" if names[name] == 1 else f"-{names[name]}"
        item_id = derive_agenda_item_id(meeting.meeting_id, f"{_FROM_TEXT}{name}{suffix}")
        filter_reason = find_item_filter(entry.title)
        matter_id = (
            derive_matter_id(meeting.banana, entry.matter_file, None, entry.title)
            if filter_reason is None
            else None
        )
        records.append(
            AgendaItem(
                item_id=item_id,
                meeting_id=meeting.meeting_id,
                banana=meeting.banana,
                evidence_id=evidence.evidence_id,
                sequence=sequence,
                title=entry.title,
                number=entry.number,
                section=entry.section,
                text=text[entry.start : entry.end],
                matter_id=matter_id,
                filter_reason=filter_reason,
            )
        )
        if matter_id is not None:
            records += [
                Matter(
                    matter_id=matter_id,
                    banana=meeting.banana,
                    title=entry.title,
                    matter_file=entry.matter_file,
                ),
                Appearance(matter_id=matter_id, item_id=item_id, meeting_id=meeting.meeting_id),
            ]
    return records
