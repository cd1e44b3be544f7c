"""Review: approves what needs no person, asks about the rest, and notices lost support."""

from collections.abc import Collection, Mapping, Sequence

from assay.engine.contract import (
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
from assay.model.records import ReviewRequest
from assay.model.rules import AuditEntry, ConflictState, Rule, RuleStatus, SourcePointer
from assay.ruling.convergence import (
    build_unrest_request,
    find_missing,
    is_restless,
    key_of,
    make_next_look,
    split_jobs,
)
from assay.ruling.declaration import Facts
from assay.ruling.payloads import ArbiterJob, ConceptJob, ReviewJob
from assay.ruling.review.consequences import Consequences, WriteContext, find_consequences
from assay.ruling.review.judgement import judge_rule
from assay.ruling.review.rule_cases import (
    CASE_READS,
    CaseRows,
    build_case,
    read_concepts,
    read_stated_rules,
)
from assay.ruling.rules.settlement import find_unsettled

ACTOR = "stage:review"


async def rule_exists(jobs: Sequence[ReviewJob], read: Reader) -> list[str | None]:
    """The concept has a rule."""
    return await find_missing(Rule, jobs, read, why="the concept has no rule")


async def rule_has_pointers(jobs: Sequence[ReviewJob], read: Reader) -> list[str | None]:
    """Rules that have not been judged yet point to words of evidence; without any they could never
    have been written."""
    concepts = {job.concept for job in jobs}
    drafts = await read.find_where(
        Rule, "concept", concepts, beside={"status": RuleStatus.DRAFT.value}
    )
    grounded = await read.count_by_value(
        SourcePointer, "rule_id", {rule.rule_id for rule in drafts}
    )
    drafted = {(rule.pack, rule.concept) for rule in drafts}
    supported = {(rule.pack, rule.concept) for rule in drafts if rule.rule_id in grounded}
    return [
        "no evidence supports any of its new rules" if key in drafted - supported else None
        for key in map(key_of, jobs)
    ]


def _escalate_job(job: ReviewJob, error: Exception) -> Outcome:
    """Rules that cannot be judged become a question for a person; they are not lost."""
    request = build_unrest_request(job.pack, job.concept, job.source, 0)
    question = f"What should happen to its rules? They could not be reviewed: {error}"
    return Outcome(records=(request.model_copy(update={"question": question}),), note="escalated")


REVIEW = Stage(
    name="review",
    version=2,
    payload=ReviewJob,
    queue=QueueLimits(5, per=60),
    reads=CASE_READS,
    writes=frozenset({Rule, ReviewRequest, AuditEntry}),
    gates=(Gate("rule_exists", rule_exists), Gate("rule_has_pointers", rule_has_pointers)),
    next=frozenset({"arbiter", "review"}),
    batch=100,
    once="waiting",
    on_error={ErrorClass.CONTENT: _escalate_job},
    purpose="approves what needs no person, and asks a person about the rest",
)


def review(packs: Mapping[str, Facts]) -> StageFunction:
    """The stage, with the packs whose thresholds it applies."""

    async def work(jobs: Sequence[ReviewJob], read: Reader) -> Sequence[Result]:
        results: list[Result] = []
        for some in await split_jobs(jobs, read):
            whole = {key_of(job) for job in some if not job.document}
            stated = await read_stated_rules({job.document for job in some if job.document}, read)
            rows = await read_concepts(whole, read, beside=set().union(*stated.values()))
            for job in some:
                try:
                    results.append(_review_concept(job, stated, rows, packs, read.now_ms))
                except AssayError as error:
                    results.append(Failed(error))
        return results

    return work


def find_pack(job: ConceptJob, packs: Mapping[str, Facts]) -> Facts:
    """The pack that a concept belongs to."""
    try:
        return packs[job.pack]
    except KeyError:
        raise InvalidInput(
            f"{job.concept} belongs to the pack '{job.pack}', which is not installed.",
            advice="Install the pack.",
        ) from None


def judge_concept(
    rule_ids: Collection[str], rows: CaseRows, by: WriteContext, floor: float
) -> Consequences:
    """What has to be written so that the store reflects the judgement of these rules."""
    cases = [build_case(rule_id, rows) for rule_id in sorted(rule_ids)]
    consequences = [find_consequences(case, judge_rule(case, floor), by) for case in cases]
    return Consequences(
        tuple(record for entry in consequences for record in entry.records),
        tuple(change for entry in consequences for change in entry.changes),
    )


def _review_concept(
    job: ReviewJob,
    stated: Mapping[str, Collection[str]],
    rows: CaseRows,
    packs: Mapping[str, Facts],
    now_ms: int,
) -> Outcome:
    pack = find_pack(job, packs)
    rule_ids = set(rows.rules_of.get(key_of(job), ()))
    if job.document:
        rule_ids &= set(stated[job.document])
    else:
        rule_ids -= find_unsettled(key_of(job), rows)
    by = WriteContext(actor=ACTOR, now_ms=now_ms, labels=pack.fields)
    found = judge_concept(rule_ids, rows, by, pack.approval_floor)
    if not found:
        return Outcome(next=_make_arbiter_jobs(job, rows), note="settled")
    if is_restless(job):
        request = build_unrest_request(job.pack, job.concept, job.source, now_ms)
        return Outcome((*found.records, request), changes=found.changes, note="escalated")
    following = (make_next_look("review", ReviewJob, job), *_make_arbiter_jobs(job, rows))
    return Outcome(found.records, changes=found.changes, next=following)


def _make_arbiter_jobs(job: ReviewJob, rows: CaseRows) -> tuple[NextJob, ...]:
    """A look at conflicts that must be decided, or decided again because the evidence changed.

    A look that only follows from another look changes no evidence, so decided conflicts stay
    decided.
    """
    states = {
        conflict.state
        for conflict in rows.conflicts
        if (conflict.pack, conflict.concept) == key_of(job)
    }
    if ConflictState.OPEN in states or (states and not job.look):
        return (make_next_look("arbiter", ArbiterJob, job),)
    return ()
