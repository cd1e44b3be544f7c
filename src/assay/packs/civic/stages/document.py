"""Document: takes in an agenda, a packet, minutes or an attachment, and has its meeting
processed."""

from collections.abc import Mapping, Sequence

from assay.packs.civic.jobs import PROCESS_STAGE, make_matter_job, make_meeting_job
from assay.packs.civic.records import AgendaItem, Meeting, Paper
from assay.sdk.records import Evidence, IngestCandidate
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
    reads=frozenset({Evidence, Paper, Meeting, AgendaItem}),
    writes=frozenset({IngestCandidate}),
    next=frozenset({PROCESS_STAGE}),
    batch=20,
    purpose="takes in a document of a meeting",
)


async def take_in_documents(
    jobs: Sequence[PackJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Take in each document, and queue the meetings that it belongs to."""
    evidence = await read.get_many(Evidence, [job.evidence_id for job in jobs])
    papers = await read.find_where(Paper, "doc_id", {each.doc_id for each in evidence.values()})
    meetings = await read.get_many(Meeting, {paper.meeting_id for paper in papers})
    items = await read.get_many(AgendaItem, {paper.owner_id for paper in papers})
    return [
        _take_in(evidence[job.evidence_id], papers, meetings, items, read.now_ms) for job in jobs
    ]


def _take_in(
    evidence: Evidence,
    papers: Sequence[Paper],
    meetings: Mapping[str, Meeting],
    items: Mapping[str, AgendaItem],
    now_ms: int,
) -> Outcome:
    own = [paper for paper in papers if paper.doc_id == evidence.doc_id]
    jobs: dict[str, NextJob] = {}
    for paper in own:
        meeting, item = meetings.get(paper.meeting_id), items.get(paper.owner_id)
        if meeting is None or meeting.filter_reason is not None:
            continue
        if item is not None and item.matter_id is not None:
            matter = make_matter_job(meeting.banana, item.matter_id, meeting.starts, now_ms)
            jobs[item.matter_id] = matter
        else:
            jobs[meeting.meeting_id] = make_meeting_job(
                meeting.banana, meeting.meeting_id, meeting.starts, now_ms
            )
    ingested = Move(
        evidence.doc_id,
        CandidateState.INGESTED,
        "it is a document of a meeting" if own else "it belongs to no meeting",
        evidence_id=evidence.evidence_id,
        only_with=evidence.evidence_id,
        only_from=CandidateState.READY,
    )
    return Outcome(
        moves=(ingested,), next=tuple(jobs.values()), note="done" if own else "no meeting"
    )
