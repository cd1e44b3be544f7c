"""Arbiter: decides which of several contradicting rules prevails, or asks a person to."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

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
from assay.engine.grouping import group_pairs
from assay.engine.reader import Reader
from assay.errors import AssayError
from assay.model.agent_runs import AgentRun
from assay.model.records import ReviewRequest
from assay.model.rules import (
    AuditEntry,
    Conflict,
    ConflictResolution,
    ConflictSide,
    ConflictState,
    ReviewDecision,
)
from assay.ruling.arbiter.arbitration import (
    MODEL,
    PERSON,
    ConflictVerdict,
    ModelOpinion,
    Precedent,
    conclude_verdict,
    decide_by_grounds,
    derive_precedents,
)
from assay.ruling.arbiter.opinions import (
    MAX_SIDES,
    AskArbiterModel,
    OpinionResult,
    ask_opinion,
)
from assay.ruling.arbiter.rulings import (
    Dispute,
    Ruling,
    build_moot_ruling,
    build_person_ruling,
    build_ruling,
    find_last_decision,
)
from assay.ruling.convergence import ConceptKey, find_missing, key_of, make_next_look, split_jobs
from assay.ruling.declaration import Facts
from assay.ruling.payloads import ArbiterJob, ReviewJob
from assay.ruling.review.consequences import OPEN
from assay.ruling.review.judgement import UNDO
from assay.ruling.review.review import find_pack
from assay.ruling.review.rule_cases import (
    CASE_READS,
    CaseRows,
    build_case,
    group_by_subject,
    read_concepts,
)
from assay.ruling.rules.contradictions import find_contradicting

ACTOR = "stage:arbiter"
_MAX_OPINIONS = 50
"""How many opinions are asked for in one batch of jobs; the rest waits for the next look."""


async def conflict_exists(jobs: Sequence[ArbiterJob], read: Reader) -> list[str | None]:
    """The concept has a conflict."""
    return await find_missing(Conflict, jobs, read, why="the concept has no conflict")


ARBITER = Stage(
    name="arbiter",
    version=2,
    payload=ArbiterJob,
    queue=QueueLimits(3, per=60),
    reads=CASE_READS | {ConflictResolution},
    writes=frozenset(
        {Conflict, ConflictSide, ConflictResolution, ReviewRequest, AgentRun, AuditEntry}
    ),
    gates=(Gate("conflict_exists", conflict_exists),),
    next=frozenset({"arbiter", "review"}),
    uses=frozenset({"model"}),
    batch=50,
    once="waiting",
    purpose="decides which of several contradicting rules prevails, or asks a person",
)


@dataclass(frozen=True)
class DisputeRows:
    """What was read about the conflicts of some concepts."""

    rows: CaseRows
    decisions: Sequence[ReviewDecision]
    requests: Sequence[ReviewRequest]
    resolutions: Sequence[ConflictResolution]
    precedents: Mapping[tuple[str, str], Sequence[Precedent]]
    """pack and kind → what people decided before."""
    packs: Mapping[str, Facts]

    @cached_property
    def conflicts_of(self) -> Mapping[ConceptKey, Sequence[Conflict]]:
        """pack and concept → its conflicts, in the order of their ids."""
        conflicts = sorted(self.rows.conflicts, key=lambda conflict: conflict.conflict_id)
        return group_pairs(((one.pack, one.concept), one) for one in conflicts)

    @cached_property
    def decisions_of(self) -> Mapping[str, Sequence[ReviewDecision]]:
        return group_by_subject(self.decisions)

    @cached_property
    def requests_of(self) -> Mapping[str, Sequence[ReviewRequest]]:
        return group_by_subject(self.requests)

    @cached_property
    def resolutions_of(self) -> Mapping[str, Sequence[ConflictResolution]]:
        return group_pairs((one.conflict_id, one) for one in self.resolutions)

    def build_dispute(self, conflict: Conflict) -> Dispute:
        """A conflict with everything that its decision depends on."""
        key = conflict.conflict_id
        sides = self.rows.sides_of.get(key, ())
        return Dispute(
            conflict=conflict,
            sides=tuple(sides),
            cases={side.rule_id: build_case(side.rule_id, self.rows) for side in sides},
            decisions=tuple(self.decisions_of.get(key, ())),
            requests=tuple(self.requests_of.get(key, ())),
            resolutions=tuple(self.resolutions_of.get(key, ())),
        )


@dataclass
class _OpinionBudget:
    """Access to a model, and how often it may still be asked."""

    ask: AskArbiterModel | None
    left: int = _MAX_OPINIONS


def arbiter(packs: Mapping[str, Facts], ask: AskArbiterModel | None = None) -> StageFunction:
    """The stage, with the packs, and access to a model if there is one."""

    async def work(jobs: Sequence[ArbiterJob], read: Reader) -> Sequence[Result]:
        results: list[Result] = []
        advisers = _OpinionBudget(ask)
        for some in await split_jobs(jobs, read):
            found = await _read_disputes({key_of(job) for job in some}, read, packs)
            for job in some:
                try:
                    results.append(await _arbitrate(job, found, advisers, read.now_ms))
                except AssayError as error:
                    results.append(Failed(error))
        return results

    return work


async def _read_disputes(
    keys: Collection[ConceptKey], read: Reader, packs: Mapping[str, Facts]
) -> DisputeRows:
    rows = await read_concepts(keys, read)
    ids = [conflict.conflict_id for conflict in rows.conflicts]
    about = {"subject_kind": "conflict"}
    return DisputeRows(
        rows=rows,
        decisions=await read.find_where(ReviewDecision, "subject", ids, beside=about),
        requests=await read.find_where(ReviewRequest, "subject", ids, beside=about),
        resolutions=await read.find_where(ConflictResolution, "conflict_id", ids),
        precedents={
            key: await _read_precedents(*key, read)
            for key in sorted({(c.pack, c.kind) for c in rows.conflicts})
        },
        packs=packs,
    )


async def _read_precedents(pack: str, kind: str, read: Reader) -> list[Precedent]:
    """What people decided in conflicts of that kind, if it still stands."""
    decided_by_people = await read.find_where(
        Conflict,
        "state",
        [ConflictState.RESOLVED.value],
        beside={"pack": pack, "kind": kind, "ground": PERSON},
    )
    ids = [conflict.conflict_id for conflict in decided_by_people]
    decisions = await read.find_where(
        ReviewDecision, "subject", ids, beside={"subject_kind": "conflict"}
    )
    last = map(find_last_decision, group_by_subject(decisions).values())
    return [p for decision in last if decision for p in derive_precedents(kind, decision)]


async def _arbitrate(
    job: ArbiterJob, found: DisputeRows, advisers: _OpinionBudget, now_ms: int
) -> Outcome:
    """Decide the conflicts of a concept, and have its rules reviewed if anything was decided."""
    pack = find_pack(job, found.packs)
    rulings: list[Ruling] = []
    runs: list[AgentRun] = []
    is_unfinished = False
    for conflict in found.conflicts_of.get(key_of(job), ()):
        if _is_over(conflict, found):
            continue
        dispute = found.build_dispute(conflict)
        if conflict.state == ConflictState.MOOT or not find_contradicting(
            dispute.positions.values()
        ):
            # If its rules contradict each other again, apply will find that out.
            rulings.append(build_moot_ruling(dispute, ACTOR))
        elif not dispute.person_outcome.contested:
            rulings.append(build_person_ruling(dispute, ACTOR))
        elif not advisers.left and _needs_opinion(dispute, found, advisers.ask):
            is_unfinished = True
        else:
            verdict, opined = await _reach_verdict(dispute, pack, found, advisers, now_ms)
            rulings.append(build_ruling(dispute, verdict, ACTOR, now_ms, pack.fields))
            runs += [] if opined is None else [opined.run]
    following = (
        [make_next_look("review", ReviewJob, job)] if any(r.decides for r in rulings) else []
    )
    if is_unfinished:
        # The same look continues: each time there is less left to ask.
        following.append(NextJob("arbiter", job))
    records = [record for ruling in rulings for record in ruling.records]
    changes = tuple(change for ruling in rulings for change in ruling.changes)
    return Outcome(
        records=(*records, *runs),
        changes=changes,
        next=tuple(following),
        note="done" if records or changes else "settled",
    )


def _is_over(conflict: Conflict, found: DisputeRows) -> bool:
    """Whether a conflict is completely closed: neither it nor a question about it is open."""
    if conflict.state != ConflictState.MOOT:
        return False
    return all(r.state != OPEN for r in found.requests_of.get(conflict.conflict_id, ()))


def _decide_by_grounds(dispute: Dispute, found: DisputeRows) -> ConflictVerdict | None:
    """The verdict of the deterministic grounds."""
    conflict = dispute.conflict
    precedents = found.precedents[conflict.pack, conflict.kind]
    return decide_by_grounds(dispute.rank_contested(), conflict.kind, precedents)


def _needs_opinion(dispute: Dispute, found: DisputeRows, ask: AskArbiterModel | None) -> bool:
    """Whether a model has to be asked: no other ground decides, and nobody was asked before."""
    if ask is None or dispute.was_weighed_before:
        return False
    return len(dispute.person_outcome.contested) <= MAX_SIDES and (
        _decide_by_grounds(dispute, found) is None
    )


async def _reach_verdict(
    dispute: Dispute, pack: Facts, found: DisputeRows, advisers: _OpinionBudget, now_ms: int
) -> tuple[ConflictVerdict, OpinionResult | None]:
    """The deterministic grounds first; a model only if none of them decides."""
    by_grounds = _decide_by_grounds(dispute, found)
    opined: OpinionResult | None = None
    opinion: ModelOpinion | None = None
    if by_grounds is None and advisers.ask is not None:
        opinion = dispute.find_earlier_opinion(MODEL)
        if opinion is None and _needs_opinion(dispute, found, advisers.ask):
            advisers.left -= 1
            opined = await ask_opinion(dispute, pack, advisers.ask, now_ms)
            opinion = opined.opinion
    verdict = conclude_verdict(dispute.rank_contested(), by_grounds, opinion)
    last = dispute.last_decision
    if verdict.escalated is None and last is not None:
        # A machine does not overrule a person who undid a resolution or decided before.
        act = "took the last resolution back" if last.decision == UNDO else "decided it before"
        verdict = replace(verdict, escalated=f"{last.person} {act}")
    return verdict, opined
