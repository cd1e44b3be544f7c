"""Apply: the only writer of truth. It turns proposals into rules, and settles how they relate."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.engine.contract import Failed, Gate, Outcome, QueueLimits, Result, Stage, StageFunction
from assay.engine.reader import Reader
from assay.engine.retries import RetryAction
from assay.errors import AssayError, ErrorClass, InvalidInput
from assay.model.audit import AuditNote
from assay.model.facts import CandidateFact
from assay.model.records import Record, ReviewRequest
from assay.model.rules import (
    AuditEntry,
    Concept,
    ConceptAlias,
    Conflict,
    ConflictSide,
    Rule,
    RuleEdge,
    SourcePointer,
)
from assay.ruling.convergence import (
    build_unrest_request,
    find_missing,
    has_one_value,
    is_restless,
    key_of,
    make_next_look,
    split_jobs,
)
from assay.ruling.declaration import Facts
from assay.ruling.payloads import ApplyJob, ReviewJob
from assay.ruling.review.rule_cases import CASE_READS, CaseRows, read_concepts
from assay.ruling.rules.composition import build_concept, draft_rule, make_pointer, make_rule_id
from assay.ruling.rules.settlement import ACTOR, settle_concept


async def facts_exist(jobs: Sequence[ApplyJob], read: Reader) -> list[str | None]:
    """Every fact that a proposal names is in the store."""
    fact_ids = {key for job in jobs for rule in job.rules for key in rule.fact_ids}
    found = await read.get_many(CandidateFact, fact_ids)
    return [
        None
        if all(key in found for rule in job.rules for key in rule.fact_ids)
        else "a fact of the proposal is not in the store"
        for job in jobs
    ]


APPLY = Stage(
    name="apply",
    version=2,
    payload=ApplyJob,
    queue=QueueLimits(5, per=60),
    reads=CASE_READS | {CandidateFact, RuleEdge},
    writes=frozenset(
        {
            Rule, SourcePointer, Concept, ConceptAlias, RuleEdge, Conflict, ConflictSide,
            ReviewRequest, AuditEntry,
        }
    ),
    gates=(Gate("facts_exist", facts_exist),),
    next=frozenset({"apply", "review"}),
    batch=200,
    once="waiting",
    on_error={ErrorClass.AUTH: RetryAction.DEAD, ErrorClass.QUOTA: RetryAction.DEAD},
    purpose="the only writer of truth: rules, pointers, edges and conflicts",
)  # fmt: skip


def apply(packs: Mapping[str, Facts]) -> StageFunction:
    """The stage, with the packs whose rules it writes."""

    async def work(jobs: Sequence[ApplyJob], read: Reader) -> Sequence[Result]:
        fact_ids = {key for job in jobs for rule in job.rules for key in rule.fact_ids}
        facts = await read.get_many(CandidateFact, fact_ids)
        known = await read.get_many(Rule, {rule.rule_id for job in jobs for rule in job.rules})
        results: dict[int, Result] = {}
        for job in jobs:
            if not job.rules:
                continue
            try:
                results[id(job)] = _apply_proposal(
                    job, _find_pack(job, packs), facts, known, read.now_ms
                )
            except AssayError as error:
                results[id(job)] = Failed(error)
        settling = [job for job in jobs if not job.rules]
        missing = await find_missing(Rule, settling, read, why="no rule yet")
        for job, reason in zip(settling, missing, strict=True):
            if reason is not None:
                # A pack may know of a fact's end before its rule is written, which settles it.
                results[id(job)] = Outcome(note=reason)
        for some in await split_jobs([job for job in settling if id(job) not in results], read):
            rows = await read_concepts({key_of(job) for job in some if not job.document}, read)
            edges = await read.find_where(RuleEdge, "from_rule", rows.rules)
            for job in some:
                results[id(job)] = _settle_job(job, rows, edges, read.now_ms)
        return [results[id(job)] for job in jobs]

    return work


def _find_pack(job: ApplyJob, packs: Mapping[str, Facts]) -> Facts:
    try:
        return packs[job.pack]
    except KeyError:
        raise InvalidInput(
            f"There is no pack '{job.pack}' for {job.concept}.", advice="Install it."
        ) from None


def _apply_proposal(
    job: ApplyJob,
    pack: Facts,
    facts: Mapping[str, CandidateFact],
    known: Mapping[str, Rule],
    now_ms: int,
) -> Outcome:
    """The rules of a proposal, with their pointers and their concept."""
    records: list[Record] = []
    notes: list[AuditNote] = []
    for proposed in job.rules:
        stated = [facts[key] for key in proposed.fact_ids]
        _check_facts(job, proposed.rule_id, stated, pack)
        rule = draft_rule(stated, pack, now_ms)
        before = known.get(rule.rule_id)
        if before is None:
            notes.append(_make_created_note(rule))
        if before is None or (rule.amends and not before.amends):
            records.append(rule)
        records += [make_pointer(rule.rule_id, fact) for fact in stated]
    first = facts[job.rules[0].fact_ids[0]]
    concept, aliases = build_concept(first, pack)
    # How it relates to other rules is settled afterwards: others may be written at this very
    # moment, and of two jobs that settle, at least the later one sees both.
    document = "" if has_one_value(job.concept, pack) else first.doc_id
    concerned = job.model_copy(update={"document": document})
    return Outcome(
        records=(concept, *aliases, *records),
        next=(make_next_look("apply", ApplyJob, concerned, new_evidence=True),),
        audit=tuple(notes),
    )


def _check_facts(job: ApplyJob, rule_id: str, stated: Sequence[CandidateFact], pack: Facts) -> None:
    for fact in stated:
        if fact.domain in pack.blocked_domains or fact.domain not in pack.domains:
            raise InvalidInput(f"Fact {fact.fact_id} is of domain '{fact.domain}'.")
        if fact.concept != job.concept or make_rule_id(fact) != rule_id:
            raise InvalidInput(
                f"Fact {fact.fact_id} does not state rule {rule_id} of {job.concept}."
            )


def _make_created_note(rule: Rule) -> AuditNote:
    return AuditNote(
        action="rule_created",
        subject_kind="rule",
        subject=rule.rule_id,
        actor=ACTOR,
        body={
            "concept": rule.concept,
            "tier": rule.tier,
            "value": rule.value,
            "unit": rule.unit,
            "effective_from": rule.effective_from,
        },
    )


def _settle_job(job: ApplyJob, rows: CaseRows, edges: Sequence[RuleEdge], now_ms: int) -> Outcome:
    """Settle how the rules of a concept relate to each other, and have each of them reviewed."""
    # Even if nothing changed here: the support of a rule may have changed.
    judged = () if job.look else (make_next_look("review", ReviewJob, job, new_evidence=True),)
    found = None if job.document else settle_concept(key_of(job), rows, edges, now_ms)
    if not found:
        return Outcome(next=judged, note="settled")
    outcome = Outcome(found.records, changes=found.changes, audit=found.audit)
    if is_restless(job):
        request = build_unrest_request(job.pack, job.concept, job.source, now_ms)
        return replace(outcome, records=(*found.records, request), note="escalated")
    look = make_next_look("review", ReviewJob, job, new_evidence=True)
    return replace(outcome, next=(make_next_look("apply", ApplyJob, job), look))
