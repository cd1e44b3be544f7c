"""Review: approves what needs no person, asks a person about the rest, and finds lost ground."""

from collections.abc import Mapping, Sequence

from assay.engine.contract import (
    Change,
    Failed,
    Gate,
    NextJob,
    Outcome,
    QueueLimits,
    Result,
    Stage,
    StageFunction,
)
from assay.engine.reader import Reader
from assay.errors import AssayError, ErrorClass, InvalidInput
from assay.model.ids import derived_id
from assay.model.records import ReviewRequest
from assay.model.rules import AuditEntry, ConflictState, Rule, SourcePointer
from assay.ruling.declaration import Facts
from assay.ruling.payloads import ArbiterJob, ReviewJob
from assay.ruling.review.cases import Rows, affected, case_of
from assay.ruling.review.consequences import Writing, consequences
from assay.ruling.review.deadlines import ReviewReason, answer_time_ms
from assay.ruling.review.judgement import Case, Judgement, judged
from assay.ruling.review.rule_cases import READS, rows_of

ACTOR = "stage:review"
BY_ARBITER = "arbiter:"
"""How the cause of a look begins that follows from a conflict, not from evidence."""
_MOST_LOOKS = 5


async def rule_exists(jobs: Sequence[ReviewJob], read: Reader) -> list[str | None]:
    """The rule is in the store."""
    found = await read.many(Rule, [job.rule_id for job in jobs])
    return [None if job.rule_id in found else "there is no such rule" for job in jobs]


async def rule_has_pointers(jobs: Sequence[ReviewJob], read: Reader) -> list[str | None]:
    """The rule points at words of evidence; without any it could never have been written."""
    pointers = await read.where(SourcePointer, "rule_id", {job.rule_id for job in jobs})
    grounded = {pointer.rule_id for pointer in pointers}
    return [None if job.rule_id in grounded else "it rests on no evidence" for job in jobs]


def _escalated(job: ReviewJob, error: Exception) -> Outcome:
    """What cannot be judged is a question, not a loss."""
    reason = ReviewReason.QUALITY
    request = ReviewRequest(
        request_id=derived_id("rq", reason.value, job.rule_id),
        reason=reason.value,
        subject_kind="rule",
        subject=job.rule_id,
        source_slug=job.source,
        question=f"What is to become of this rule? It could not be reviewed: {error}",
        deadline_ms=answer_time_ms(reason),
    )
    return Outcome(records=(request,), note="escalated")


REVIEW = Stage(
    name="review",
    version=1,
    payload=ReviewJob,
    queue=QueueLimits(5, per=60),
    reads=READS,
    writes=frozenset({Rule, ReviewRequest, AuditEntry}),
    gates=(Gate("rule_exists", rule_exists), Gate("rule_has_pointers", rule_has_pointers)),
    next=frozenset({"arbiter", "review"}),
    batch=100,
    on_error={ErrorClass.CONTENT: _escalated},
    purpose="approves what needs no person, and asks a person about the rest",
)


def review(packs: Mapping[str, Facts]) -> StageFunction:
    """The stage, with the packs whose numbers it follows."""

    async def work(jobs: Sequence[ReviewJob], read: Reader) -> Sequence[Result]:
        rows = await rows_of({job.rule_id for job in jobs}, read, packs)
        results: list[Result] = []
        for job in jobs:
            try:
                results.append(_reviewed(job, rows, packs, read.now_ms))
            except AssayError as error:
                results.append(Failed(error))
        return results

    return work


def pack_of(rule: Rule, packs: Mapping[str, Facts]) -> Facts:
    """The pack that a rule belongs to."""
    try:
        return packs[rule.pack]
    except KeyError:
        raise InvalidInput(
            f"Rule {rule.rule_id} belongs to the pack '{rule.pack}', which is not here.",
            advice="Install it.",
        ) from None


def _reviewed(job: ReviewJob, rows: Rows, packs: Mapping[str, Facts], now_ms: int) -> Outcome:
    case = case_of(job.rule_id, rows, packs)
    pack = pack_of(case.rule, packs)
    judgement = judged(case, pack.approval_floor)
    found = consequences(case, judgement, Writing(actor=ACTOR, now_ms=now_ms, labels=pack.fields))
    return Outcome(
        records=found.records,
        changes=found.changes,
        next=(
            *_arbitrations(job, case),
            *_looks(job, judgement, affected(case, judgement, rows)),
            *_again(job, found.changes),
        ),
        note=judgement.status.value.lower(),
    )


def _arbitrations(job: ReviewJob, case: Case) -> list[NextJob]:
    """Conflicts that are to be decided, or decided again because the evidence is another.

    A look that follows from a conflict changes no evidence: what is decided stays so then.
    """
    by_arbiter = job.cause.startswith(BY_ARBITER)
    return [
        NextJob(
            "arbiter",
            ArbiterJob(conflict_id=conflict.conflict_id, cause=job.cause, source=job.source),
        )
        for conflict in case.conflicts
        if conflict.state == ConflictState.OPEN or not by_arbiter
    ]


def _again(job: ReviewJob, changes: Sequence[Change]) -> list[NextJob]:
    """Who changed a rule looks once more: another may have seen more and written before him."""
    if not changes or job.look >= _MOST_LOOKS:
        return []
    return [NextJob("review", job.model_copy(update={"look": job.look + 1}))]


def _looks(job: ReviewJob, judgement: Judgement, rule_ids: Sequence[str]) -> list[NextJob]:
    """A look at others, for a cause that names where it all began and the last step alone: so a
    circle of rules comes to an end."""
    root = job.cause.removeprefix(BY_ARBITER).partition("<")[0]
    cause = f"{BY_ARBITER}{root}<{job.rule_id}={judgement.status.value}"
    return [
        NextJob("review", ReviewJob(rule_id=rule_id, cause=cause, source=job.source))
        for rule_id in rule_ids
    ]
