"""Arbiter: decides which of two contradicting rules prevails, or asks a person to."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

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
from assay.errors import AssayError
from assay.model.agent_runs import AgentRun
from assay.model.records import ReviewRequest
from assay.model.rules import (
    AuditEntry,
    Conflict,
    ConflictResolution,
    ConflictState,
    ReviewDecision,
    Rule,
)
from assay.ruling.arbiter.arbitration import (
    MODEL,
    PERSON,
    Precedent,
    Said,
    Verdict,
    arbitrated,
    decided,
    precedent_of,
    side_of,
    unseen_words,
)
from assay.ruling.arbiter.opinions import Ask, Opined, opinion
from assay.ruling.arbiter.rulings import Dispute, Ruling, last_of, mooted, ruled
from assay.ruling.declaration import Facts
from assay.ruling.payloads import ArbiterJob, ReviewJob
from assay.ruling.review.cases import Rows, case_of
from assay.ruling.review.judgement import RESOLVE, UNDO, stands
from assay.ruling.review.review import BY_ARBITER, pack_of
from assay.ruling.review.rule_cases import READS, rows_of

ACTOR = "stage:arbiter"


async def conflict_exists(jobs: Sequence[ArbiterJob], read: Reader) -> list[str | None]:
    """The conflict is in the store, and so are its two rules."""
    found = await read.many(Conflict, [job.conflict_id for job in jobs])
    wanted = {rule for c in found.values() for rule in (c.rule_a, c.rule_b)}
    rules = await read.many(Rule, wanted)
    reasons: list[str | None] = []
    for job in jobs:
        conflict = found.get(job.conflict_id)
        if conflict is None:
            reasons.append("there is no such conflict")
        elif conflict.rule_a not in rules or conflict.rule_b not in rules:
            reasons.append("one of its rules is not in the store")
        else:
            reasons.append(None)
    return reasons


ARBITER = Stage(
    name="arbiter",
    version=1,
    payload=ArbiterJob,
    queue=QueueLimits(3, per=60),
    reads=READS | {ConflictResolution},
    writes=frozenset({Conflict, Rule, ConflictResolution, ReviewRequest, AgentRun, AuditEntry}),
    gates=(Gate("conflict_exists", conflict_exists),),
    next=frozenset({"review"}),
    uses=frozenset({"model"}),
    batch=50,
    purpose="decides which of two contradicting rules prevails, or asks a person",
)


@dataclass(frozen=True)
class _Books:
    """What was read for a batch of conflicts."""

    rows: Rows
    conflicts: Mapping[str, Conflict]
    decisions: Sequence[ReviewDecision]
    requests: Sequence[ReviewRequest]
    resolutions: Sequence[ConflictResolution]
    precedents: Mapping[tuple[str, str], Sequence[Precedent]]
    """pack and kind → what people decided before."""


def arbiter(packs: Mapping[str, Facts], ask: Ask | None = None) -> StageFunction:
    """The stage, with the packs, and the way to a model where there is one."""

    async def work(jobs: Sequence[ArbiterJob], read: Reader) -> Sequence[Result]:
        books = await _books({job.conflict_id for job in jobs}, read)
        results: list[Result] = []
        for job in jobs:
            try:
                results.append(await _arbitrated(job, books, packs, ask, read.now_ms))
            except AssayError as error:
                results.append(Failed(error))
        return results

    return work


async def _books(conflict_ids: Collection[str], read: Reader) -> _Books:
    conflicts = {c.conflict_id: c for c in await read.where(Conflict, "conflict_id", conflict_ids)}
    rules = {rule for c in conflicts.values() for rule in (c.rule_a, c.rule_b)}
    about = {"subject_kind": "conflict"}
    return _Books(
        rows=await rows_of(rules, read),
        conflicts=conflicts,
        decisions=await read.where(ReviewDecision, "subject", conflict_ids, beside=about),
        requests=await read.where(ReviewRequest, "subject", conflict_ids, beside=about),
        resolutions=await read.where(ConflictResolution, "conflict_id", conflict_ids),
        precedents={
            key: await _precedents(*key, read)
            for key in sorted({(c.pack, c.kind) for c in conflicts.values()})
        },
    )


async def _precedents(pack: str, kind: str, read: Reader) -> list[Precedent]:
    """What people decided in conflicts of that kind, as far as it stands decided."""
    decided_by_people = await read.where(
        Conflict,
        "state",
        [ConflictState.RESOLVED.value],
        beside={"pack": pack, "kind": kind, "ground": PERSON},
    )
    found = {conflict.conflict_id: conflict for conflict in decided_by_people}
    decisions = await read.where(
        ReviewDecision, "subject", list(found), beside={"subject_kind": "conflict"}
    )
    precedents = []
    for key, conflict in found.items():
        last = last_of([d for d in decisions if d.subject == key])
        if last is None or conflict.winner is None:
            continue
        precedent = precedent_of(kind, conflict.winner, last)
        if precedent is not None:
            precedents.append(precedent)
    return precedents


async def _arbitrated(
    job: ArbiterJob, books: _Books, packs: Mapping[str, Facts], ask: Ask | None, now_ms: int
) -> Outcome:
    dispute = _dispute(books.conflicts[job.conflict_id], books, packs)
    pack = pack_of(dispute.a.rule, packs)
    # That two rules contradict each other again, apply finds out.
    is_moot = dispute.conflict.state == ConflictState.MOOT
    if is_moot or not (stands(dispute.a) and stands(dispute.b)):
        return _outcome(job, dispute, mooted(dispute, ACTOR))
    if _kept_by_a_person(dispute):
        return Outcome(note="kept")
    verdict, opined = await _verdict(dispute, pack, books, ask, now_ms)
    outcome = _outcome(job, dispute, ruled(dispute, verdict, ACTOR, now_ms, pack.fields))
    runs = () if opined is None else (opined.run,)
    return replace(outcome, records=(*outcome.records, *runs))


def _dispute(conflict: Conflict, books: _Books, packs: Mapping[str, Facts]) -> Dispute:
    key = conflict.conflict_id
    return Dispute(
        conflict=conflict,
        a=case_of(conflict.rule_a, books.rows, packs),
        b=case_of(conflict.rule_b, books.rows, packs),
        decisions=tuple(d for d in books.decisions if d.subject == key),
        requests=tuple(r for r in books.requests if r.subject == key),
        resolutions=tuple(r for r in books.resolutions if r.conflict_id == key),
    )


def _kept_by_a_person(dispute: Dispute) -> bool:
    """What a person decided stands, until the rule that gave way is said in new words."""
    conflict, last = dispute.conflict, last_of(dispute.decisions)
    if conflict.state != ConflictState.RESOLVED or conflict.ground != PERSON:
        return False
    if last is None or last.decision != RESOLVE:
        return False
    loser = dispute.b if conflict.winner == conflict.rule_a else dispute.a
    return not unseen_words(loser, last)


async def _verdict(
    dispute: Dispute, pack: Facts, books: _Books, ask: Ask | None, now_ms: int
) -> tuple[Verdict, Opined | None]:
    """The deterministic grounds first; a model only where none of them decides."""
    conflict = dispute.conflict
    a, b = side_of(dispute.a), side_of(dispute.b)
    found = decided(a, b, conflict.kind, books.precedents[conflict.pack, conflict.kind])
    opined: Opined | None = None
    said: Said | None = None
    if found is None and ask is not None:
        said = dispute.said_before(MODEL)
        if said is None and not dispute.asked_before:
            opined = await opinion(dispute, pack, ask, now_ms)
            said = opined.said
    verdict = arbitrated(a, b, found, said)
    last = last_of(dispute.decisions)
    if verdict.escalated is None and last is not None:
        # Whoever took a resolution back, or decided before, is not overruled by a machine.
        told = "took the last resolution back" if last.decision == UNDO else "decided it before"
        verdict = verdict.left_to_a_person(f"{last.person} {told}")
    return verdict, opined


def _outcome(job: ArbiterJob, dispute: Dispute, ruling: Ruling) -> Outcome:
    """What was found, and a look at both rules where it changed anything."""
    conflict = dispute.conflict
    reviews: tuple[NextJob, ...] = ()
    if ruling.decides:
        root = job.cause.removeprefix(BY_ARBITER).partition("<")[0]
        cause = f"{BY_ARBITER}{root}<{conflict.conflict_id}:{ruling.note}"
        reviews = tuple(
            NextJob("review", ReviewJob(rule_id=rule_id, cause=cause, source=job.source))
            for rule_id in (conflict.rule_a, conflict.rule_b)
        )
    return Outcome(records=ruling.records, changes=ruling.changes, next=reviews, note=ruling.note)
