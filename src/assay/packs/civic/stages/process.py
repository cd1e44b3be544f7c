"""Process: summarizes the items of a meeting, each matter once, or a packet without items."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Final

from assay.packs.civic.jobs import (
    BATCH_STAGE,
    PROCESS_STAGE,
    CivicJob,
    MatterJob,
    QuestionBatchJob,
    day_of,
    make_matter_job,
)
from assay.packs.civic.portals.listed import MeetingStatus, PaperKind
from assay.packs.civic.records import (
    AgendaItem,
    Appearance,
    CivicQuestion,
    CivicSummary,
    Meeting,
    PacketPart,
    Paper,
)
from assay.packs.civic.stages.papers import MeetingTexts, load_part, load_texts, locate_parts
from assay.packs.civic.summaries import SummaryTask, build_extractive, build_from_answer
from assay.packs.civic.texts.analysis import ItemAnalysis, Question, build_request
from assay.packs.civic.texts.summary import SourceText
from assay.sdk.errors import AnswerInvalid, AssayError, CallDenied
from assay.sdk.models import CallScope
from assay.sdk.records import (
    Artifact,
    Evidence,
    IngestCandidate,
    Record,
)
from assay.sdk.services import Services
from assay.sdk.stages import Failed, NextJob, Outcome, QueueLimits, Reader, Result, Stage

PROCESS = Stage(
    name=PROCESS_STAGE,
    version=1,
    payload=CivicJob,
    queue=QueueLimits(),
    reads=frozenset(
        {
            Meeting,
            AgendaItem,
            Appearance,
            Paper,
            PacketPart,
            CivicSummary,
            CivicQuestion,
            IngestCandidate,
            Evidence,
            Artifact,
        }
    ),
    writes=frozenset({CivicSummary, CivicQuestion, PacketPart}),
    next=frozenset({PROCESS_STAGE, BATCH_STAGE}),
    uses=frozenset({"model"}),
    batch=20,
    once="waiting",
    entry=True,
    purpose="summarizes the items of a meeting and the matters behind them",
)
_SHORT, _LONG = 3, 6
"""Sentences in the summary of an item or a short packet, and in that of a long packet."""
_LONG_PACKET: Final = 40_000
_MOST_APPEARANCES: Final = 5
"""Of a matter, the latest first, to look for documents in."""
_SOON: Final = timedelta(days=2)
"""A meeting as near as that does not wait for a batch, which may take a day."""
_REPLACED: Final = "replaced"
NO_PROVIDER: Final = "no model is configured"
IN_BATCH: Final = "its answer comes with a batch"
_Asked = Mapping[tuple[str, str], CivicQuestion]
"""Questions by subject and input."""


@dataclass
class _Work:
    """What one job has to do."""

    note: str = "unchanged"
    tasks: list[SummaryTask] = field(default_factory=list)
    starts: str = ""
    records: list[Record] = field(default_factory=list)
    next: list[NextJob] = field(default_factory=list)
    copies: list[AgendaItem] = field(default_factory=list)
    """Items that get the matter's summary."""
    canonical: CivicSummary | None = None
    known: Mapping[str, CivicSummary] = field(default_factory=dict)
    """The summaries that there are, by subject."""

    def build_outcome(self, summaries: Iterable[CivicSummary | None]) -> Outcome:
        made = [summary for summary in summaries if summary is not None]
        canonical = made[0] if self.copies and made else self.canonical
        copied = [
            canonical.model_copy(
                update={
                    "subject_id": i.item_id,
                    "kind": "appearance",
                    "meeting_id": i.meeting_id,
                }
            )
            for i in self.copies
            if canonical is not None
        ]
        records = (*self.records, *made, *copied)
        note = "done" if records else self.note
        return Outcome(records=records, next=tuple(self.next), note=note)


async def process_jobs(
    jobs: Sequence[CivicJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Process each with what has arrived so far; the rest comes with a later job."""
    has_model = services.models.choose() is not None
    works = [
        await _plan_matter(work, read, has_model=has_model)
        if isinstance(work := job.work, MatterJob)
        else await _plan_meeting(work.meeting_id, read, has_model=has_model)
        for job in jobs
    ]
    if not has_model:
        return [await _write_without_model(work) for work in works]
    asked = await _load_questions(works, read)
    takes_batches = services.models.choose_batch_provider() is not None
    return await asyncio.gather(
        *(
            _write_later(work, asked)
            if takes_batches and _can_wait(work, day_of(read.now_ms))
            else _write_now(work, asked, services)
            for work in works
        )
    )


async def _plan_meeting(meeting_id: str, read: Reader, *, has_model: bool) -> _Work:
    """Summarize the items that belong to no matter, or the packet if there are no items."""
    meeting = await read.get(Meeting, meeting_id)
    if meeting is None or _is_skipped(meeting):
        return _Work("skipped")
    items = await read.find_where(AgendaItem, "meeting_id", [meeting_id])
    papers = await read.find_where(Paper, "meeting_id", [meeting_id])
    texts = await load_texts(papers, read)
    known = await read.get_many(CivicSummary, [meeting_id, *(item.item_id for item in items)])
    work = _Work(starts=meeting.starts, known=known)
    if not items:
        task = _plan_packet(meeting, texts)
        if task is not None and _is_due(known.get(meeting_id), task, has_model=has_model):
            work.tasks.append(task)
        return work
    if (before := known.get(meeting_id)) is not None and before.kind != _REPLACED:
        work.records.append(_empty_summary(before))
    wanted = sorted((i for i in items if _is_wanted(i)), key=lambda item: item.sequence)
    parts, new = await locate_parts(meeting, items, texts, read)
    work.records += new
    work.next += [
        make_matter_job(meeting.banana, item.matter_id, meeting.starts, read.now_ms)
        for item in wanted
        if item.matter_id is not None and any(part.item_id == item.item_id for part in new)
    ]
    for item in wanted:
        before = known.get(item.item_id)
        if item.matter_id is None and (before is None or (before.wants_model and has_model)):
            task = await _plan_item(item.item_id, "item", meeting, item, texts, parts, read)
            work.tasks += [task] if task is not None else []
    return work


async def _plan_matter(job: MatterJob, read: Reader, *, has_model: bool) -> _Work:
    """Summarize a matter from its latest item with documents, for all items without a summary.

    An item keeps the summary that it had at its meeting, unless a model was still to write it.
    """
    appearances = (await read.get_groups(Appearance, [job.matter_id])).get(job.matter_id, [])
    items = await read.get_many(AgendaItem, [each.item_id for each in appearances])
    meetings = await read.get_many(Meeting, {item.meeting_id for item in items.values()})
    held = [
        (meeting.starts, item.item_id, item, meeting)
        for item in items.values()
        if (meeting := meetings.get(item.meeting_id)) is not None
        and _is_wanted(item)
        and not _is_skipped(meeting)
    ]
    if not held:
        return _Work("skipped")
    held.sort(key=lambda each: each[:2], reverse=True)
    task = None
    for _, _, item, meeting in held[:_MOST_APPEARANCES]:
        texts = await load_texts(await read.find_where(Paper, "owner_id", [item.item_id]), read)
        if not texts.is_complete(item.item_id):
            return _Work("waiting")
        parts = await read.get_many(PacketPart, [item.item_id])
        task = await _plan_item(job.matter_id, "matter", meeting, item, texts, parts, read)
        if task is not None:
            break
    known = await read.get_many(CivicSummary, [job.matter_id, *items])
    work = _Work(starts=held[0][0], canonical=known.get(job.matter_id), known=known)
    if task is not None and _is_due(work.canonical, task, has_model=has_model):
        work.tasks.append(task)
    is_better = bool(work.tasks) or (work.canonical is not None and not work.canonical.wants_model)
    work.copies = [
        other
        for _, _, other, _ in held
        if other.item_id not in known or (known[other.item_id].wants_model and is_better)
    ]
    return work


def _plan_packet(meeting: Meeting, texts: MeetingTexts) -> SummaryTask | None:
    """One summary for the meeting, where its agenda is not known item by item."""
    if not texts.is_complete(meeting.meeting_id):
        return None
    found = tuple(texts.list_texts(meeting.meeting_id, PaperKind.PACKET, PaperKind.AGENDA))
    most = _LONG if sum(len(text.text) for text in found) > _LONG_PACKET else _SHORT
    question = Question(meeting.meeting_id, meeting.title, found, most=most)
    return SummaryTask("meeting", meeting.meeting_id, meeting.banana, question) if found else None


async def _plan_item(
    subject_id: str,
    kind: str,
    meeting: Meeting,
    item: AgendaItem,
    texts: MeetingTexts,
    parts: Mapping[str, PacketPart],
    read: Reader,
) -> SummaryTask | None:
    """The summary of an item: from its own documents, or from its pages of the packet."""
    if not texts.is_complete(item.item_id):
        return None
    own, shared = texts.divide(item.item_id)
    if not own and not shared and item.item_id in parts:
        own = [part] if (part := await load_part(parts[item.item_id], read)) else []
    if not own and not shared:
        return None
    question = Question(subject_id, item.title, tuple(own), tuple(shared), _SHORT)
    return SummaryTask(kind, meeting.meeting_id, meeting.banana, question)


def _empty_summary(summary: CivicSummary) -> CivicSummary:
    """A summary without content; it is due again if the meeting loses its items."""
    nothing: dict[str, Any] = {"sentences": [], "topics": [], "figures": [], "input_hash": ""}
    return summary.model_copy(update={"kind": _REPLACED, "wants_model": False, **nothing})


def _is_due(before: CivicSummary | None, task: SummaryTask, *, has_model: bool = False) -> bool:
    return (
        before is None or before.input_hash != task.input_hash or (before.wants_model and has_model)
    )


def _is_skipped(meeting: Meeting) -> bool:
    return meeting.filter_reason is not None or meeting.status == MeetingStatus.CANCELLED


def _is_wanted(item: AgendaItem) -> bool:
    return item.filter_reason is None and not item.withdrawn


async def _write_without_model(work: _Work, reason: str = NO_PROVIDER) -> Outcome:
    made = [
        await asyncio.to_thread(build_extractive, task, wants_model=True, reason=reason)
        for task in work.tasks
    ]
    return work.build_outcome(made)


def _can_wait(work: _Work, today: date) -> bool:
    return bool(work.starts) and abs(date.fromisoformat(work.starts[:10]) - today) > _SOON


async def _load_questions(works: Iterable[_Work], read: Reader) -> _Asked:
    """The last question about each subject and its present documents.

    The summaries are read again after the questions, because an answer may have come in between:
    its question is closed then, and must not be asked again.
    """
    subjects = {task.subject_id for work in works for task in work.tasks}
    found = await read.find_where(CivicQuestion, "subject_id", subjects)
    found.sort(key=lambda question: question.attempts)
    rows = await read.find_where(CivicSummary, "subject_id", subjects)
    written = {summary.subject_id: summary for summary in rows}
    for work in works:
        work.tasks = [task for task in work.tasks if not _is_written(task, written)]
    return {(question.subject_id, question.input_hash): question for question in found}


def _is_written(task: SummaryTask, written: Mapping[str, CivicSummary]) -> bool:
    summary = written.get(task.subject_id)
    if summary is None or summary.wants_model:
        return False
    return task.kind == "item" or summary.input_hash == task.input_hash


def _leave_out_asked(tasks: Iterable[SummaryTask], asked: _Asked) -> list[SummaryTask]:
    """The tasks without those whose answer is still to come."""
    known = {task: asked.get((task.subject_id, task.input_hash)) for task in tasks}
    return [task for task, question in known.items() if question is None or not question.is_open]


async def _write_later(work: _Work, asked: _Asked) -> Outcome:
    """Leave the questions to a batch, and use the documents' own words until then."""
    tasks = _leave_out_asked(work.tasks, asked)
    if tasks:
        work.records += [_make_question(task, asked) for task in tasks]
        work.next.append(NextJob(BATCH_STAGE, QuestionBatchJob()))
    # What is there already stays: by the time this is stored, it may be the answer.
    work.tasks = [task for task in tasks if _is_due(work.known.get(task.subject_id), task)]
    if not work.tasks and (work.canonical is None or work.canonical.wants_model):
        work.copies = [item for item in work.copies if item.item_id not in work.known]
    return await _write_without_model(work, IN_BATCH)


async def _write_now(work: _Work, asked: _Asked, services: Services) -> Result:
    """Ask a model at once."""
    work.tasks = _leave_out_asked(work.tasks, asked)
    answers = await asyncio.gather(*(_ask(task, services) for task in work.tasks))
    failed = next((each for each in answers if isinstance(each, AssayError)), None)
    outcome = work.build_outcome(
        [
            await asyncio.to_thread(build_extractive, task, wants_model=True, reason=each.what)
            if isinstance(each, AssayError)
            else each
            for task, each in zip(work.tasks, answers, strict=True)
        ]
    )
    # If no later attempt succeeds, the documents' own words count.
    return outcome if failed is None else Failed(failed, last=outcome)


async def _ask(task: SummaryTask, services: Services) -> CivicSummary | AssayError | None:
    """A model's summary. If the answer is unusable or too expensive today, the documents' own."""
    scope = CallScope(step=PROCESS_STAGE, source=task.banana, evidence=task.subject_id)
    request = await asyncio.to_thread(build_request, task.question)
    try:
        answer = await services.models.ask(request, ItemAnalysis, None, scope)
        method = f"{answer.provider}/{answer.model}"
        return await asyncio.to_thread(build_from_answer, task, answer.value, method)
    except CallDenied as error:
        return await asyncio.to_thread(build_extractive, task, wants_model=True, reason=error.what)
    except AnswerInvalid as error:
        return await asyncio.to_thread(build_extractive, task, reason=error.what)
    except AssayError as error:
        return error


def _make_question(task: SummaryTask, asked: _Asked) -> CivicQuestion:
    before = asked.get((task.subject_id, task.input_hash))
    attempts = 1 if before is None else before.attempts + 1
    return CivicQuestion(
        question_id=f"{task.subject_id}:{task.input_hash[:16]}:{attempts}",
        subject_id=task.subject_id,
        kind=task.kind,
        meeting_id=task.meeting_id,
        banana=task.banana,
        title=task.question.title,
        own=[_describe_text(text) for text in task.question.own],
        shared=[_describe_text(text) for text in task.question.shared],
        most=task.question.most,
        input_hash=task.input_hash,
        attempts=attempts,
    )


def _describe_text(text: SourceText) -> list[object]:
    return [text.artifact_id, text.start, text.start + len(text.text)]
