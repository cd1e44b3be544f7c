"""Document: takes in an agenda, a packet, minutes or an attachment, and has its meeting read and
processed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.packs.civic.jobs import (
    PROCESS_STAGE,
    TEXTS_STAGE,
    TextJob,
    make_matter_job,
    make_meeting_job,
)
from assay.packs.civic.portals.listed import TEXT_KINDS
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
    next=frozenset({PROCESS_STAGE, TEXTS_STAGE}),
    batch=50,
    purpose="takes in a document of a meeting",
)


@dataclass(frozen=True)
class KnownPapers:
    """What is stored about some documents of meetings."""

    papers: Sequence[Paper]
    meetings: Mapping[str, Meeting]
    items: Mapping[str, AgendaItem]


async def take_in_documents(
    jobs: Sequence[PackJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Take in each document, and queue the meetings and matters that it belongs to."""
    evidence = await read.get_many(Evidence, [job.evidence_id for job in jobs])
    known = await load_known_papers({each.doc_id for each in evidence.values()}, read)
    return [_take_in(evidence[job.evidence_id], known, read.now_ms) for job in jobs]


def _take_in(evidence: Evidence, known: KnownPapers, now_ms: int) -> Outcome:
    jobs = plan_document(evidence.doc_id, known, now_ms)
    if jobs is None:
        # The meeting may be recorded at this very moment: look again when this is stored.
        jobs = [NextJob(TEXTS_STAGE, TextJob(doc_id=evidence.doc_id))]
    ingested = Move(
        evidence.doc_id,
        CandidateState.INGESTED,
        "its text was taken in",
        evidence_id=evidence.evidence_id,
        only_with=evidence.evidence_id,
        only_from=CandidateState.READY,
    )
    return Outcome(moves=(ingested,), next=tuple(jobs))


async def load_known_papers(doc_ids: Iterable[str], read: Reader) -> KnownPapers:
    """Load which meetings and items documents belong to."""
    papers = await read.find_where(Paper, "doc_id", set(doc_ids))
    meetings = await read.get_many(Meeting, {paper.meeting_id for paper in papers})
    items = await read.get_many(AgendaItem, {paper.owner_id for paper in papers})
    return KnownPapers(papers, meetings, items)


def plan_document(doc_id: str, known: KnownPapers, now_ms: int) -> list[NextJob] | None:
    """The jobs that a document makes necessary; None if it belongs to no meeting."""
    own = [paper for paper in known.papers if paper.doc_id == doc_id]
    if not own:
        return None
    jobs: dict[str, NextJob] = {}
    for paper in own:
        meeting, item = known.meetings.get(paper.meeting_id), known.items.get(paper.owner_id)
        if meeting is None:
            continue
        if item is None and paper.kind in TEXT_KINDS:
            # Its meeting is processed after that.
            job = NextJob(TEXTS_STAGE, TextJob(meeting_id=meeting.meeting_id))
            jobs[f"text {meeting.meeting_id}"] = job
        elif meeting.filter_reason is not None:
            continue
        elif item is not None and item.matter_id is not None:
            jobs[item.matter_id] = make_matter_job(
                meeting.banana, item.matter_id, meeting.starts, now_ms
            )
        else:
            jobs[meeting.meeting_id] = make_meeting_job(
                meeting.banana, meeting.meeting_id, meeting.starts, now_ms
            )
    return list(jobs.values())
