"""What people ask the pack: cities, meetings, items, matters, and what waits for processing."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from assay.packs.civic.cities import read_last_results, require_city
from assay.packs.civic.dossiers import build_conditions, group_by, split_meetings
from assay.packs.civic.jobs import (
    BATCH_STAGE,
    PROCESS_STAGE,
    CivicJob,
    MatterJob,
    MeetingJob,
    QuestionBatchJob,
)
from assay.packs.civic.records import (
    AgendaItem,
    Appearance,
    City,
    CivicMotion,
    CivicQuestion,
    CivicSummary,
    Matter,
    Meeting,
    Paper,
    SyncResult,
    SyncStatus,
)
from assay.sdk.errors import NotFound
from assay.sdk.records import Artifact, Evidence, IngestCandidate, Record
from assay.sdk.services import Services
from assay.sdk.stages import Job, Payload

R = TypeVar("R", bound=Record)


async def list_cities(services: Services) -> list[dict[str, Any]]:
    """Every city with its number of meetings and how the last look at its portal went."""
    return await asyncio.to_thread(_list_cities, services)


def _list_cities(services: Services) -> list[dict[str, Any]]:
    last, meetings = read_last_results(services), services.count_records_by(Meeting, "banana")
    return [
        {
            **city.row(),
            "meetings": meetings.get(city.banana, 0),
            **_describe_result(last.get(city.banana)),
        }
        for city in services.read_records(City)
    ]


def _describe_result(result: SyncResult | None) -> dict[str, Any]:
    if result is None:
        return {"last_sync": None, "status": None, "found": None, "processed": None, "error": None}
    ended = datetime.fromtimestamp(result.ended_ms // 1000, UTC).isoformat()
    return {
        "last_sync": ended.replace("+00:00", "Z"),
        "status": str(result.status),
        "found": result.found,
        "processed": result.processed,
        "error": result.error,
    }


async def list_failures(services: Services, run_id: str) -> list[dict[str, Any]]:
    """The cities that could not be synchronized in a run, each with the reason."""

    def read() -> list[dict[str, Any]]:
        found = services.read_records(SyncResult, run_id=run_id, status=SyncStatus.FAILED)
        return [{"banana": each.banana, "error": each.error} for each in found]

    return await asyncio.to_thread(read)


Page = tuple[list[dict[str, Any]], int]
"""Rows, and how many more there are."""


async def list_meetings(
    services: Services, city: str | None, since: str | None, limit: int | None
) -> Page:
    """Meetings, the latest first."""

    def read() -> Page:
        conditions = build_conditions(services, city, since)
        found = services.read_last(Meeting, "starts", limit, **conditions)
        left_out = services.count_records(Meeting, **conditions) - len(found)
        return [_count_meeting(services, meeting) for meeting in found], left_out

    return await asyncio.to_thread(read)


def _count_meeting(services: Services, meeting: Meeting) -> dict[str, Any]:
    own = {"meeting_id": meeting.meeting_id}
    items = services.count_records(AgendaItem, withdrawn=False, **own)
    summaries = services.count_records(CivicSummary, **own)
    return {**meeting.row(), "items": items, "summaries": summaries}


async def list_waiting(services: Services, city: str | None, limit: int | None) -> Page:
    """Jobs that wait for processing, in the order in which they are taken."""

    def read() -> Page:
        jobs = [job for job in services.read_jobs(PROCESS_STAGE) if city in (None, job.source_slug)]
        return [_describe_job(job) for job in jobs[:limit]], len(jobs) - len(jobs[:limit])

    return await asyncio.to_thread(read)


def _describe_job(job: Job) -> dict[str, Any]:
    work = CivicJob.model_validate(job.payload).work
    subject = work.matter_id if isinstance(work, MatterJob) else work.meeting_id
    return {
        "priority": job.priority,
        "job_type": work.job_type,
        "subject": subject,
        "city": job.source_slug,
        "attempt": job.attempt,
    }


def plan_process(services: Services, banana: str) -> Sequence[tuple[str, Payload]]:
    """Jobs for all meetings and matters of a city, and for answers that are to come."""
    require_city(services, banana)
    meetings = services.read_records(Meeting, banana=banana)
    matters = services.read_records(Matter, banana=banana)
    work: list[MeetingJob | MatterJob] = [MeetingJob(meeting_id=m.meeting_id) for m in meetings]
    work += [MatterJob(matter_id=m.matter_id) for m in matters]
    asked = services.read_records(CivicQuestion, banana=banana, is_open=True)
    return [
        *((PROCESS_STAGE, CivicJob(banana=banana, work=each)) for each in work),
        *(
            (BATCH_STAGE, QuestionBatchJob(batch_id=batch_id))
            for batch_id in sorted({question.batch_id for question in asked})
        ),
    ]


async def describe_meeting(services: Services, meeting_id: str) -> dict[str, Any]:
    """A meeting with its items, documents and summaries."""

    def read() -> dict[str, Any]:
        meeting = _require(services, Meeting, "meeting", meeting_id=meeting_id)
        papers = group_by(services.read_records(Paper, meeting_id=meeting_id), lambda p: p.owner_id)
        summaries = _read_summaries(services, meeting_id=meeting_id)
        items = services.read_records(AgendaItem, meeting_id=meeting_id)
        return {
            **meeting.row(),
            "papers": [paper.row() for paper in papers.get(meeting_id, [])],
            "summary": _list_sentences(summaries.get(meeting_id)),
            "items": [
                {
                    **item.row(),
                    "papers": [paper.row() for paper in papers.get(item.item_id, [])],
                    "summary": _list_sentences(summaries.get(item.item_id)),
                    "topics": summaries[item.item_id].topics if item.item_id in summaries else [],
                }
                for item in sorted(items, key=lambda item: item.sequence)
            ],
        }

    return await asyncio.to_thread(read)


async def describe_matter(services: Services, matter_id: str) -> dict[str, Any]:
    """A matter with its summary and its way through the meetings, the earliest first."""

    def read() -> dict[str, Any]:
        matter = _require(services, Matter, "matter", matter_id=matter_id)
        summary = _read_summaries(services, subject_id=matter_id).get(matter_id)
        return {
            **matter.row(),
            "summary": _list_sentences(summary),
            "topics": summary.topics if summary else [],
            "appearances": list_appearances(services, matter_id),
        }

    return await asyncio.to_thread(read)


def list_appearances(services: Services, matter_id: str) -> list[dict[str, Any]]:
    """A matter's way through the meetings, the earliest first.

    What the portal does not say about a decision is taken from the minutes.
    """
    found = services.read_records(Appearance, matter_id=matter_id)
    ids = {each.item_id for each in found}
    withdrawn = services.read_records(AgendaItem, item_id=ids, withdrawn=True)
    gone = {item.item_id for item in withdrawn}
    motions = services.read_records(CivicMotion, item_id=ids, is_main=True)
    last = {motion.item_id: motion for motion in sorted(motions, key=lambda m: m.start)}
    meetings = services.read_records(Meeting, meeting_id={each.meeting_id for each in found})
    by_id = {meeting.meeting_id: meeting for meeting in meetings}
    rows = [
        {
            **each.row(),
            "starts": own.starts,
            "body": own.body,
            "title": own.title,
            **_describe_decision(each, last.get(each.item_id)),
        }
        for each in found
        if each.item_id not in gone and (own := by_id.get(each.meeting_id)) is not None
    ]
    return sorted(rows, key=lambda row: (row["starts"], row["item_id"]))


def _describe_decision(appearance: Appearance, motion: CivicMotion | None) -> dict[str, Any]:
    passed, tally = appearance.passed, appearance.tally
    if motion is not None:
        passed = motion.passed if passed is None else passed
        tally = tally or motion.tally
    result = {True: "passed", False: "failed", None: None}[passed]
    return {"passed": passed, "tally": tally, "decision": appearance.action or result}


async def search_items(
    services: Services,
    words: Iterable[str],
    city: str | None,
    topic: str | None,
    since: str | None,
    limit: int | None,
) -> Page:
    """Items whose title or summary contains all the words, the latest first."""

    def read() -> Page:
        wanted = [word.casefold() for word in words]
        found = services.read_records(Meeting, **build_conditions(services, city, since))
        found.sort(key=lambda meeting: (meeting.starts, meeting.meeting_id), reverse=True)
        rows: list[dict[str, Any]] = []
        for chunk in split_meetings(found):
            rows += _search_meetings(services, chunk, wanted, topic)
        return rows[:limit], len(rows) - len(rows[:limit])

    return await asyncio.to_thread(read)


def _search_meetings(
    services: Services, meetings: Sequence[Meeting], wanted: Sequence[str], topic: str | None
) -> list[dict[str, Any]]:
    """The items of these meetings that contain all the words, the latest first."""
    starts = {meeting.meeting_id: meeting.starts for meeting in meetings}
    summaries = _read_summaries(services, meeting_id=list(starts))
    rows = []
    for item in services.read_records(AgendaItem, meeting_id=list(starts), withdrawn=False):
        summary = summaries.get(item.item_id)
        text = " ".join([item.title, *_list_sentences(summary)]).casefold()
        topics = summary.topics if summary else []
        if all(word in text for word in wanted) and (topic is None or topic in topics):
            rows.append(
                {
                    "starts": starts[item.meeting_id],
                    "city": item.banana,
                    "title": item.title,
                    "topics": topics,
                    "item_id": item.item_id,
                    "matter_id": item.matter_id,
                    "summary": _list_sentences(summary),
                }
            )
    return sorted(rows, key=lambda row: (row["starts"], row["item_id"]), reverse=True)


async def collect_texts(services: Services, meeting_id: str) -> dict[str, Any]:
    """The texts of a meeting's documents, one after the other."""

    def read() -> dict[str, Any]:
        _require(services, Meeting, "meeting", meeting_id=meeting_id)
        papers = {p.doc_id: p for p in services.read_records(Paper, meeting_id=meeting_id)}
        parts = []
        for doc_id, paper in papers.items():
            text = _read_text(services, doc_id)
            if text is not None:
                parts.append(f"=== {paper.name} ({paper.url})\n\n{text}\n")
        return {"documents": len(parts), "text": "\n".join(parts)}

    return await asyncio.to_thread(read)


def _read_text(services: Services, doc_id: str) -> str | None:
    for candidate in services.read_records(IngestCandidate, doc_id=doc_id):
        for evidence in services.read_records(Evidence, evidence_id=candidate.evidence_id):
            name = evidence.primary_text_artifact_id
            for artifact in services.read_records(Artifact, artifact_id=name) if name else ():
                return services.blobs.get(artifact.content_hash).decode()
    return None


def _read_summaries(services: Services, **equal: Any) -> dict[str, CivicSummary]:
    return {each.subject_id: each for each in services.read_records(CivicSummary, **equal)}


def _list_sentences(summary: CivicSummary | None) -> list[str]:
    return [] if summary is None else [sentence["text"] for sentence in summary.sentences]


def _require(services: Services, record: type[R], what: str, **equal: Any) -> R:
    found = services.read_records(record, **equal)
    if not found:
        (name,) = equal.values()
        raise NotFound(
            f"There is no {what} '{name}'.", advice="'assay civic meetings' lists the meetings."
        )
    return found[0]
