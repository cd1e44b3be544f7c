"""Texts: reads the agenda and the minutes of a meeting. An agenda says how to take part, and has
the items that the portal does not list; minutes have motions and votes.

The meeting is read as a whole, whenever one of its documents or its list of items has changed. The
order in which they come therefore makes no difference.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.packs.civic.filters import find_item_filter
from assay.packs.civic.ids import derive_agenda_item_id, derive_matter_id
from assay.packs.civic.jobs import (
    PROCESS_STAGE,
    TEXTS_STAGE,
    TextJob,
    make_matter_job,
    make_meeting_job,
)
from assay.packs.civic.portals.listed import TEXT_KINDS, PaperKind
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
from assay.packs.civic.stages.document import load_known_papers, plan_document
from assay.packs.civic.stages.minutes import build_access, build_motions
from assay.packs.civic.texts.agenda import AgendaEntry, find_agenda_items
from assay.sdk.records import Artifact, Evidence, IngestCandidate, Record, content_hash
from assay.sdk.services import Services
from assay.sdk.stages import CandidateState, NextJob, Outcome, QueueLimits, Reader, Result, Stage

TEXTS = Stage(
    name=TEXTS_STAGE,
    version=1,
    payload=TextJob,
    queue=QueueLimits(),
    reads=frozenset({Evidence, Artifact, IngestCandidate, Paper, Meeting, AgendaItem}),
    writes=frozenset(
        {AgendaItem, Appearance, Matter, CivicMotion, CivicVote, CouncilMember, MeetingAccess}
    ),
    next=frozenset({PROCESS_STAGE, TEXTS_STAGE}),
    batch=10,
    once="waiting",
    purpose="reads the agenda and the minutes of a meeting",
)
_MOST_CHARACTERS = 300_000
"""Of an agenda: what is longer is a packet, whatever it is called."""
_FROM_TEXT = "text-"
"""What the ids of items that were found in a text begin with, after the meeting's."""


@dataclass(frozen=True)
class _SourceDocument:
    evidence: Evidence
    artifact: Artifact
    text: str


async def read_meeting_texts(
    jobs: Sequence[TextJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Read the texts of each meeting; a document without one gets another chance to find it."""
    return [
        await _read_meeting(job.meeting_id, read)
        if job.meeting_id
        else await _find_meeting(job.doc_id, read)
        for job in jobs
    ]


async def _find_meeting(doc_id: str, read: Reader) -> Outcome:
    jobs = plan_document(doc_id, await load_known_papers([doc_id], read), read.now_ms)
    return Outcome(next=tuple(jobs or ()), note="no meeting" if jobs is None else "done")


async def _read_meeting(meeting_id: str, read: Reader) -> Outcome:
    meeting = await read.get(Meeting, meeting_id)
    if meeting is None:
        return Outcome(note="no meeting")
    items = await read.find_where(AgendaItem, "meeting_id", [meeting_id])
    documents = await _load_documents(meeting, read)
    agendas = documents.get(PaperKind.AGENDA, [])
    records = await asyncio.to_thread(_read_agendas, agendas, meeting, items)
    read_items = {record.item_id: record for record in records if isinstance(record, AgendaItem)}
    items = [*{**{item.item_id: item for item in items}, **read_items}.values()]
    for document in documents.get(PaperKind.MINUTES, []):
        records += await asyncio.to_thread(
            build_motions, document.text, meeting, items, document.evidence, document.artifact
        )
    return Outcome(
        records=tuple(records),
        next=tuple(_plan_jobs(meeting, records, read.now_ms)),
        note="done" if documents else "waiting",
    )


async def _load_documents(meeting: Meeting, read: Reader) -> dict[PaperKind, list[_SourceDocument]]:
    """The agendas and minutes that have been taken in. Drafts of minutes are kept, but what they
    say is not yet so."""
    papers = await read.find_where(Paper, "owner_id", [meeting.meeting_id])
    wanted = {paper.doc_id: paper for paper in papers if paper.listed and paper.kind in TEXT_KINDS}
    candidates = await read.get_many(IngestCandidate, wanted)
    documents: dict[PaperKind, list[_SourceDocument]] = {}
    for doc_id, paper in sorted(wanted.items()):
        candidate = candidates.get(doc_id)
        if candidate is None or candidate.state != CandidateState.INGESTED:
            continue
        evidence = await read.get(Evidence, candidate.evidence_id or "")
        name = None if evidence is None else evidence.primary_text_artifact_id
        artifact = await read.get(Artifact, name or "")
        if evidence is not None and artifact is not None:
            text = (await read.blob(artifact.content_hash)).decode()[:_MOST_CHARACTERS]
            own = documents.setdefault(PaperKind(paper.kind), [])
            own.append(_SourceDocument(evidence, artifact, text))
    return documents


def _plan_jobs(meeting: Meeting, records: Iterable[Record], now_ms: int) -> list[NextJob]:
    if meeting.filter_reason is not None:
        return []
    banana, starts = meeting.banana, meeting.starts
    matters = sorted({record.matter_id for record in records if isinstance(record, Matter)})
    return [
        make_meeting_job(banana, meeting.meeting_id, starts, now_ms),
        *(make_matter_job(banana, matter_id, starts, now_ms) for matter_id in matters),
    ]


def _read_agendas(
    documents: Sequence[_SourceDocument], meeting: Meeting, before: Sequence[AgendaItem]
) -> list[Record]:
    """How to take part, and the items if the portal does not list them. Of several agendas, such
    as one to print and one for the screen, the one with most items counts."""
    entries = [(find_agenda_items(document.text), document) for document in documents]
    entries.sort(key=lambda each: len(each[0]), reverse=True)
    access = (build_access(source.text, meeting, source.artifact) for _, source in entries)
    records = next(filter(None, access), [])
    start = f"{meeting.meeting_id}_{_FROM_TEXT}"
    if not entries or any(not i.item_id.startswith(start) and not i.withdrawn for i in before):
        return records
    found, source = entries[0]
    records += _build_items(found, meeting, source.evidence, source.text)
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
