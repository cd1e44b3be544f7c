"""Batch: sends questions to a model's batch service, and saves the answers when they are there."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from assay.packs.civic.jobs import (
    BATCH_STAGE,
    HELD,
    PROCESS_STAGE,
    CivicJob,
    MatterJob,
    QuestionBatchJob,
)
from assay.packs.civic.records import CivicQuestion, CivicSummary
from assay.packs.civic.stages.papers import load_span
from assay.packs.civic.summaries import SummaryTask, build_extractive, build_from_answer
from assay.packs.civic.texts.analysis import ItemAnalysis, Question, build_request, fits_item
from assay.packs.civic.texts.summary import SourceText
from assay.sdk.errors import AnswerInvalid, AssayError, CallDenied, NotFound
from assay.sdk.models import BatchService, CallScope, Denial, ModelAnswer, validate_answer
from assay.sdk.records import Artifact, Record, canonical_json, content_hash
from assay.sdk.services import Services
from assay.sdk.stages import Change, Failed, NextJob, Outcome, QueueLimits, Reader, Result, Stage

BATCH = Stage(
    name=BATCH_STAGE,
    version=1,
    payload=QuestionBatchJob,
    queue=QueueLimits(concurrency=1),
    reads=frozenset({CivicQuestion, Artifact}),
    writes=frozenset({CivicQuestion, CivicSummary}),
    next=frozenset({PROCESS_STAGE, BATCH_STAGE}),
    uses=frozenset({"model"}),
    once="waiting",
    entry=True,
    purpose="asks a model about many items at once, and saves the answers",
)
_CHECK: Final = "civic-item"
_MOST_QUESTIONS: Final = 50
"""In one batch: its answers are saved together, and a failure concerns no others."""
_FEW_QUESTIONS: Final = 5
"""A batch that is denied is divided until it is as small as that."""
_MOST_ATTEMPTS: Final = 3
_DAY_MS: Final = 24 * 60 * 60 * 1000


async def ask_batches(
    jobs: Sequence[QuestionBatchJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Send each batch once, or save its answers; one that is not answered yet stays as it is."""
    return [
        await _ask_batch(job.batch_id, read, services)
        if job.batch_id not in ("", HELD)
        else await _make_batches(job.batch_id, read)
        for job in jobs
    ]


async def _make_batches(old: str, read: Reader) -> Outcome:
    """Put the questions that wait into batches, before anything is sent.

    A batch is named after its questions, and what is stored about it stays the same: sent again
    after a crash, it is the same batch. If another job has put one of them into a batch in the
    meantime, nothing of this is stored, and it is done again.
    """
    found = await read.find_where(CivicQuestion, "batch_id", [old])
    # Answers are told apart by their subjects: a second question about one waits for its turn.
    waiting = [*{q.subject_id: q for q in found if q.is_open}.values()]
    waiting.sort(key=lambda question: question.subject_id)
    starts = range(0, len(waiting), _MOST_QUESTIONS)
    return _put_into_batches(old, [waiting[at : at + _MOST_QUESTIONS] for at in starts])


def _put_into_batches(
    old: str, chunks: Sequence[Sequence[CivicQuestion]], note: str = "done"
) -> Outcome:
    changes: list[Change] = []
    jobs = []
    for chunk in chunks:
        keys = [[q.subject_id, q.input_hash, q.attempts] for q in chunk]
        batch_id = f"civic-{content_hash(canonical_json(keys))[:32]}"
        changes += _move_to_batch(chunk, old, batch_id)
        jobs.append(NextJob(BATCH_STAGE, QuestionBatchJob(batch_id=batch_id)))
    return Outcome(changes=tuple(changes), next=tuple(jobs), note=note if jobs else "unchanged")


def _move_to_batch(
    questions: Iterable[CivicQuestion], old: str, new: str, held_until_ms: int = 0
) -> list[Change]:
    return [
        Change(
            record=CivicQuestion,
            key=question.question_id,
            when={"batch_id": old},
            to={"batch_id": new, "held_until_ms": held_until_ms},
            must=True,
        )
        for question in questions
    ]


async def _ask_batch(batch_id: str, read: Reader, services: Services) -> Result:
    found = await read.find_where(CivicQuestion, "batch_id", [batch_id])
    waiting = [question for question in found if question.is_open]
    if not waiting:
        return Outcome(note="unchanged")
    service = services.models.open_batches({_CHECK: fits_item})
    tasks = {question.subject_id: await _load_task(question, read) for question in waiting}
    try:
        if not await _is_over(batch_id, tasks, service, services):
            return Outcome(note="waiting")
        answers = await asyncio.to_thread(service.read_results, batch_id)
    except CallDenied as error:
        return await _divide_or_hold(batch_id, waiting, tasks, error, read.now_ms)
    except NotFound as error:
        # No provider takes it any more. What was sent is never closed without an answer: it would
        # be asked and paid for again.
        return Failed(error, last=Outcome(records=tuple(_close(waiting)), note="blocked"))
    records: list[Record] = [*_close(waiting)]
    for question in waiting:
        answer = answers.get(question.subject_id)
        made = await asyncio.to_thread(_build, tasks[question.subject_id], question, answer)
        records += [made] if made is not None else []
    return Outcome(records=tuple(records), next=tuple(_plan_copies(records)))


async def _divide_or_hold(
    batch_id: str,
    waiting: Sequence[CivicQuestion],
    tasks: Mapping[str, SummaryTask],
    error: CallDenied,
    now_ms: int,
) -> Outcome:
    """Send as many as the budget allows; the others are held until there is more."""
    is_too_large = error.reason == Denial.EVIDENCE_TOO_LARGE
    if len(waiting) > (1 if is_too_large else _FEW_QUESTIONS):
        half = len(waiting) // 2
        return _put_into_batches(batch_id, [waiting[:half], waiting[half:]], "blocked")
    if is_too_large:
        made = await asyncio.to_thread(
            build_extractive, tasks[waiting[0].subject_id], reason=error.what
        )
        records = [*_close(waiting), *([made] if made is not None else [])]
        return Outcome(records=tuple(records), next=tuple(_plan_copies(records)), note="blocked")
    until_ms = error.recovers_ms or now_ms + _DAY_MS
    return Outcome(changes=tuple(_move_to_batch(waiting, batch_id, HELD, until_ms)), note="blocked")


async def _is_over(
    batch_id: str, tasks: Mapping[str, SummaryTask], service: BatchService, services: Services
) -> bool:
    """Send the batch if it is unknown, and ask how far it is."""
    try:
        await asyncio.to_thread(service.read_status, batch_id)
    except NotFound:
        provider = services.models.choose_batch_provider()
        if provider is None:
            raise NotFound(
                "No provider takes batches any more.",
                advice="Configure one, or process the city again to ask one by one.",
            ) from None
        requests = {key: build_request(task.question) for key, task in tasks.items()}
        scopes = {
            key: CallScope(step=BATCH_STAGE, source=task.banana, evidence=key)
            for key, task in tasks.items()
        }
        await service.submit(provider, requests, scopes, check=_CHECK, batch_id=batch_id)
    return (await service.poll(batch_id)).is_over


async def _load_task(question: CivicQuestion, read: Reader) -> SummaryTask:
    async def load(places: Iterable[Sequence[object]]) -> tuple[SourceText, ...]:
        spans = [await load_span(str(a), int(str(s)), int(str(e)), read) for a, s, e in places]
        return tuple(span for span in spans if span is not None)

    asked = Question(
        question.subject_id,
        question.title,
        await load(question.own),
        await load(question.shared),
        question.most,
    )
    return SummaryTask(question.kind, question.meeting_id, question.banana, asked)


def _close(questions: Iterable[CivicQuestion]) -> list[CivicQuestion]:
    return [question.model_copy(update={"is_open": False}) for question in questions]


def _build(
    task: SummaryTask, question: CivicQuestion, answer: ModelAnswer | AssayError | None
) -> CivicSummary | None:
    """The summary from an answer. Without a usable one it is asked again, but not for ever."""
    if isinstance(answer, ModelAnswer):
        try:
            value = validate_answer(answer.text, ItemAnalysis, finish=answer.finish)
            return build_from_answer(task, value, f"{answer.provider}/{answer.model}")
        except AnswerInvalid as error:
            return build_extractive(task, reason=error.what)
    reason = "The batch ended without an answer." if answer is None else answer.what
    again = question.attempts < _MOST_ATTEMPTS
    return build_extractive(task, wants_model=again, reason=reason)


def _plan_copies(records: Iterable[Record]) -> list[NextJob]:
    """Matters give their summaries to their items."""
    return [
        NextJob(
            PROCESS_STAGE,
            CivicJob(banana=made.banana, work=MatterJob(matter_id=made.subject_id)),
        )
        for made in records
        if isinstance(made, CivicSummary) and made.kind == "matter" and not made.wants_model
    ]
