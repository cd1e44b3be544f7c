"""Apply: the only writer of truth. It makes proposals rules, and settles how rules stand."""

from collections.abc import Iterable, Mapping, Sequence

from assay.engine.contract import (
    Change,
    Failed,
    Gate,
    NextJob,
    Outcome,
    Result,
    Stage,
    StageFunction,
)
from assay.engine.profiles import QUEUES
from assay.engine.reader import Reader
from assay.errors import AssayError, InvalidInput
from assay.model.audit import AuditNote
from assay.model.facts import CandidateFact, CoverageReport
from assay.model.records import Evidence, IngestCandidate, Record, Source
from assay.model.rules import (
    AuditEntry,
    Concept,
    ConceptAlias,
    Conflict,
    ConflictState,
    Rule,
    RuleEdge,
    RuleStatus,
    SourcePointer,
)
from assay.rules.composition import drafted, named, pointer_id_of, pointer_of, rule_id_of
from assay.rules.pack import Pack
from assay.rules.relations import Settled, grounded, settled
from assay.rules.support import current
from assay.stages.payloads import ApplyJob, ReviewJob

ACTOR = "stage:apply"
_UNDECIDED = (RuleStatus.DRAFT.value, RuleStatus.PENDING_REVIEW.value)
_LIVE = (ConflictState.OPEN.value, ConflictState.ESCALATED.value)


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
    queue=QUEUES["apply"],
    reads=frozenset(
        {
            CandidateFact, CoverageReport, Evidence, IngestCandidate, Rule, SourcePointer, Source,
            Conflict, RuleEdge,
        }
    ),
    writes=frozenset(
        {Rule, SourcePointer, Concept, ConceptAlias, RuleEdge, Conflict, AuditEntry}
    ),
    gates=(Gate("facts_exist", facts_exist),),
    next=frozenset({"apply", "review"}),
    batch=200,
    purpose="the only writer of truth: rules, pointers, edges and conflicts",
)  # fmt: skip


def apply(packs: Mapping[str, Pack]) -> StageFunction:
    """The stage, with the packs whose rules it writes."""

    async def work(jobs: Sequence[ApplyJob], read: Reader) -> Sequence[Result]:
        wanted = {key for job in jobs for rule in job.rules for key in rule.fact_ids}
        facts = await read.many(CandidateFact, wanted)
        known = await read.many(Rule, {rule.rule_id for job in jobs for rule in job.rules})
        results: list[Result] = []
        for job in jobs:
            try:
                pack = _pack_of(job, packs)
                if job.rules:
                    results.append(_applied(job, pack, facts, known, read.now_ms))
                else:
                    results.append(await _settled(job, pack, read))
            except AssayError as error:
                results.append(Failed(error))
        return results

    return work


def _pack_of(job: ApplyJob, packs: Mapping[str, Pack]) -> Pack:
    try:
        return packs[job.pack]
    except KeyError:
        raise InvalidInput(
            f"There is no pack '{job.pack}' for {job.concept}.", advice="Install it."
        ) from None


def _applied(
    job: ApplyJob,
    pack: Pack,
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
        if rule.rule_id not in known:
            records.append(rule)
            notes.append(_created(rule))
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


def _check(job: ApplyJob, rule_id: str, stated: Sequence[CandidateFact], pack: Pack) -> None:
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


async def _settled(job: ApplyJob, pack: Pack, read: Reader) -> Outcome:
    """How the rules of a concept stand to each other, and whom that concerns."""
    evidence = await read.get(Evidence, job.evidence_id)
    assert evidence is not None
    of_document = await read.where(SourcePointer, "doc_id", [evidence.doc_id])
    stated = await read.many(Rule, {pointer.rule_id for pointer in of_document})
    concerned = {rule.rule_id for rule in stated.values() if rule.concept == job.concept}
    predicate = pack.predicates.get(job.concept.rpartition(".")[2])
    if predicate is None or predicate.many:
        # Several values hold side by side: whatever others say, these are looked at alone.
        return Outcome(next=_reviews(job, concerned))
    rules = {r.rule_id: r for r in await read.where(Rule, "concept", [job.concept])}
    pointers = await read.where(SourcePointer, "rule_id", list(rules))
    kept = await _current(pointers, read)
    sources = await read.many(Source, {pointer.source_slug for pointer in kept})
    hierarchy = {slug: source.hierarchy for slug, source in sources.items()}
    of_rule: dict[str, list[SourcePointer]] = {}
    for pointer in kept:
        of_rule.setdefault(pointer.rule_id, []).append(pointer)
    found = settled(
        [grounded(rule, of_rule.get(key, []), hierarchy) for key, rule in rules.items()],
        now_ms=read.now_ms,
    )
    conflicts = await read.where(Conflict, "concept", [job.concept])
    edges = await read.where(RuleEdge, "from_rule", list(rules))
    return _outcome(job, rules, pointers, found, conflicts, edges, concerned)


async def _current(pointers: Sequence[SourcePointer], read: Reader) -> list[SourcePointer]:
    candidates = await read.many(IngestCandidate, {pointer.doc_id for pointer in pointers})
    newest = {doc_id: candidate.evidence_id for doc_id, candidate in candidates.items()}
    reports = await read.many(CoverageReport, {key for key in newest.values() if key is not None})
    return current(pointers, newest, reports)


def _outcome(
    job: ApplyJob,
    rules: Mapping[str, Rule],
    pointers: Sequence[SourcePointer],
    found: Settled,
    conflicts: Sequence[Conflict],
    edges: Sequence[RuleEdge],
    concerned: set[str],
) -> Outcome:
    drawn = {(edge.from_rule, edge.to_rule, edge.kind) for edge in edges}
    new_edges = [
        edge for edge in found.edges if (edge.from_rule, edge.to_rule, edge.kind) not in drawn
    ]
    known = {conflict.conflict_id: conflict for conflict in conflicts}
    new_conflicts = [c for c in found.conflicts if c.conflict_id not in known]
    shared = _shared(found, pointers)
    changes = _moot(conflicts, found) + _open_again(known, found)
    restated = dict(found.restated)
    changes += [_restating(rules[undated], dated) for undated, dated in restated.items()]
    concerned = concerned | {pointer.rule_id for pointer in shared} | set(restated)
    for conflict in (*new_conflicts, *(known[change.key] for change in changes
                                       if change.record is Conflict)):  # fmt: skip
        concerned |= {conflict.rule_a, conflict.rule_b}
    return Outcome(
        records=(*new_edges, *new_conflicts, *shared),
        changes=tuple(changes),
        audit=(*map(_found, new_conflicts), *map(_edged, new_edges)),
        next=_reviews(job, concerned),
    )


def _reviews(job: ApplyJob, rule_ids: Iterable[str]) -> tuple[NextJob, ...]:
    return tuple(NextJob("review", _review(job, rule_id)) for rule_id in sorted(rule_ids))


def _review(job: ApplyJob, rule_id: str) -> ReviewJob:
    visit = f"#{job.visit}" if job.visit else ""
    return ReviewJob(
        rule_id=rule_id, cause=f"{job.concept}@{job.evidence_id}{visit}", source=job.source
    )


def _moot(conflicts: Sequence[Conflict], found: Settled) -> list[Change]:
    """Conflicts between rules of which one has lost its ground, or been amended since."""
    still = {conflict.conflict_id for conflict in found.conflicts}
    return [
        Change(
            record=Conflict,
            key=conflict.conflict_id,
            when={"state": conflict.state},
            to={"state": ConflictState.MOOT.value},
            audit=AuditNote(
                action="conflict_moot",
                subject_kind="conflict",
                subject=conflict.conflict_id,
                actor=ACTOR,
                once=False,
            ),
        )
        for conflict in conflicts
        if conflict.state in _LIVE and conflict.conflict_id not in still
    ]


def _open_again(known: Mapping[str, Conflict], found: Settled) -> list[Change]:
    """Conflicts that had become moot, and are there again."""
    return [
        Change(
            record=Conflict,
            key=conflict.conflict_id,
            when={"state": ConflictState.MOOT.value},
            to={"state": ConflictState.OPEN.value},
            audit=AuditNote(
                action="conflict_reopened",
                subject_kind="conflict",
                subject=conflict.conflict_id,
                actor=ACTOR,
                once=False,
            ),
        )
        for conflict in found.conflicts
        if conflict.conflict_id in known
        and known[conflict.conflict_id].state == ConflictState.MOOT.value
    ]


def _shared(found: Settled, pointers: Sequence[SourcePointer]) -> list[SourcePointer]:
    """What rests on a statement without a date bears out the dated rule that says the same."""
    known = {pointer.pointer_id for pointer in pointers}
    shared = []
    for undated, dated in found.restated:
        for pointer in pointers:
            if pointer.rule_id == undated:
                moved = pointer.model_copy(
                    update={
                        "rule_id": dated,
                        "pointer_id": pointer_id_of(
                            dated, pointer.evidence_id, pointer.start, pointer.end
                        ),
                    }
                )
                if moved.pointer_id not in known:
                    shared.append(moved)
    return shared


def _restating(rule: Rule, dated: str) -> Change:
    return Change(
        record=Rule,
        key=rule.rule_id,
        when={"status": _UNDECIDED},
        to={
            "status": RuleStatus.DEPRECATED.value,
            "status_reason": f"says without a date what {dated} says",
        },
        audit=AuditNote(
            action="rule_deprecated",
            subject_kind="rule",
            subject=rule.rule_id,
            actor=ACTOR,
            body={"same_as": dated},
        ),
    )


def _found(conflict: Conflict) -> AuditNote:
    return AuditNote(
        action="conflict_found",
        subject_kind="conflict",
        subject=conflict.conflict_id,
        actor=ACTOR,
        body={
            "kind": conflict.kind,
            "sign": conflict.sign,
            "rules": [conflict.rule_a, conflict.rule_b],
        },
    )


def _edged(edge: RuleEdge) -> AuditNote:
    return AuditNote(
        action="edge_created",
        subject_kind="rule",
        subject=edge.from_rule,
        actor=ACTOR,
        body={"kind": edge.kind, "to": edge.to_rule, "reason": edge.reason},
    )
