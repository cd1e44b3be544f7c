"""Apply: the only writer of truth. It makes proposals rules, and settles how rules stand."""

from collections.abc import Iterable, Mapping, Sequence

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
from assay.engine.retries import Action
from assay.errors import AssayError, ErrorClass, InvalidInput
from assay.model.audit import AuditNote
from assay.model.facts import CandidateFact, CoverageReport
from assay.model.records import Evidence, IngestCandidate, Record, ScoutResult, Source
from assay.model.rules import (
    AuditEntry,
    Concept,
    ConceptAlias,
    Conflict,
    ReviewDecision,
    Rule,
    RuleEdge,
    SourcePointer,
)
from assay.ruling.declaration import Facts
from assay.ruling.payloads import ApplyJob, ReviewJob
from assay.ruling.rules.composition import drafted, named, pointer_of, rule_id_of
from assay.ruling.rules.rule_relations import ACTOR, Book, books_of, stated_by, written

_MOST_LOOKS = 9
"""Looks at one concept after each other; each but the last has changed something."""


async def facts_exist(jobs: Sequence[ApplyJob], read: Reader) -> list[str | None]:
    """Every fact that a proposal names is in the store."""
    wanted = {key for job in jobs for rule in job.rules for key in rule.fact_ids}
    found = await read.many(CandidateFact, wanted)
    return [
        None
        if all(key in found for rule in job.rules for key in rule.fact_ids)
        else "a fact of the proposal is not in the store"
        for job in jobs
    ]


APPLY = Stage(
    name="apply",
    version=1,
    payload=ApplyJob,
    queue=QueueLimits(5, per=60),
    reads=frozenset(
        {
            CandidateFact, CoverageReport, Evidence, IngestCandidate, Rule, SourcePointer, Source,
            Conflict, RuleEdge, ReviewDecision, ScoutResult,
        }
    ),
    writes=frozenset(
        {Rule, SourcePointer, Concept, ConceptAlias, RuleEdge, Conflict, AuditEntry}
    ),
    gates=(Gate("facts_exist", facts_exist),),
    next=frozenset({"apply", "review"}),
    batch=200,
    on_error={ErrorClass.AUTH: Action.DEAD, ErrorClass.QUOTA: Action.DEAD},
    purpose="the only writer of truth: rules, pointers, edges and conflicts",
)  # fmt: skip


def apply(packs: Mapping[str, Facts]) -> StageFunction:
    """The stage, with the packs whose rules it writes."""

    async def work(jobs: Sequence[ApplyJob], read: Reader) -> Sequence[Result]:
        wanted = {key for job in jobs for rule in job.rules for key in rule.fact_ids}
        facts = await read.many(CandidateFact, wanted)
        known = await read.many(Rule, {rule.rule_id for job in jobs for rule in job.rules})
        settling = [job for job in jobs if not job.rules and job.pack in packs]
        stated = await stated_by([job.evidence_id for job in settling], read)
        single = {(job.pack, job.concept) for job in settling if _is_single(job, packs)}
        books = await books_of(single, read)
        results: list[Result] = []
        for job in jobs:
            try:
                pack = _pack_of(job, packs)
                if job.rules:
                    results.append(_applied(job, pack, facts, known, read.now_ms))
                else:
                    key = (job.pack, job.concept)
                    concerned = stated.get(job.evidence_id, {}).get(key, frozenset())
                    results.append(_settled(job, concerned, books.get(key), read.now_ms))
            except AssayError as error:
                results.append(Failed(error))
        return results

    return work


def _is_single(job: ApplyJob, packs: Mapping[str, Facts]) -> bool:
    """Whether one value holds at a time; else, whatever others say, each is looked at alone."""
    predicate = packs[job.pack].predicates.get(job.concept.rpartition(".")[2])
    return predicate is not None and not predicate.many


def _pack_of(job: ApplyJob, packs: Mapping[str, Facts]) -> Facts:
    try:
        return packs[job.pack]
    except KeyError:
        raise InvalidInput(
            f"There is no pack '{job.pack}' for {job.concept}.", advice="Install it."
        ) from None


def _applied(
    job: ApplyJob,
    pack: Facts,
    facts: Mapping[str, CandidateFact],
    known: Mapping[str, Rule],
    now_ms: int,
) -> Outcome:
    """The rules of a proposal with their pointers and their concept."""
    records: list[Record] = []
    notes: list[AuditNote] = []
    for proposed in job.rules:
        stated = [facts[key] for key in proposed.fact_ids]
        _check(job, proposed.rule_id, stated, pack)
        rule = drafted(stated, pack, now_ms)
        before = known.get(rule.rule_id)
        if before is None:
            notes.append(_created(rule))
        if before is None or (rule.amends and not before.amends):
            records.append(rule)
        records += [pointer_of(rule.rule_id, fact) for fact in stated]
    first = facts[job.rules[0].fact_ids[0]]
    concept, aliases = named(first, pack)
    # How it stands to other rules is settled afterwards: others may be written this very moment,
    # and of two that settle at least the later one sees both.
    again = job.model_copy(update={"rules": ()})
    return Outcome(
        records=(concept, *aliases, *records),
        next=(NextJob("apply", again),),
        audit=tuple(notes),
    )


def _check(job: ApplyJob, rule_id: str, stated: Sequence[CandidateFact], pack: Facts) -> None:
    for fact in stated:
        if fact.domain in pack.blocked_domains or fact.domain not in pack.domains:
            raise InvalidInput(f"Fact {fact.fact_id} is of domain '{fact.domain}'.")
        if fact.concept != job.concept or rule_id_of(fact) != rule_id:
            raise InvalidInput(
                f"Fact {fact.fact_id} does not state rule {rule_id} of {job.concept}."
            )


def _created(rule: Rule) -> AuditNote:
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


def _settled(job: ApplyJob, concerned: frozenset[str], book: Book | None, now_ms: int) -> Outcome:
    """How the rules of a concept stand to each other, and whom that concerns."""
    if book is None:
        return Outcome(next=_reviews(job, concerned))
    found = written(book, now_ms)
    if job.look and not found:
        return Outcome(note="settled")
    following = _reviews(job, concerned | found.concerned)
    if found and job.look < _MOST_LOOKS:
        # Others may have written at the same moment: whoever changed something looks again.
        again = job.model_copy(update={"look": job.look + 1})
        following = (*following, NextJob("apply", again))
    return Outcome(records=found.records, changes=found.changes, audit=found.audit, next=following)


def _reviews(job: ApplyJob, rule_ids: Iterable[str]) -> tuple[NextJob, ...]:
    return tuple(
        NextJob("review", ReviewJob(rule_id=rule_id, cause=job.subject, source=job.source))
        for rule_id in sorted(rule_ids)
    )
