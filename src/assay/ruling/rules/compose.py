"""Compose: groups facts by concept into proposals. Its contract ensures that it writes nothing."""

from collections.abc import Iterable, Mapping, Sequence

from assay.engine.contract import Gate, NextJob, Outcome, QueueLimits, Result, Stage, StageFunction
from assay.engine.grouping import group_pairs
from assay.engine.reader import Reader
from assay.errors import ErrorClass
from assay.model.facts import CandidateFact, CoverageReport
from assay.model.ids import derive_id
from assay.model.records import Evidence
from assay.model.rules import Rule, SourcePointer
from assay.ruling.convergence import has_one_value
from assay.ruling.declaration import Facts
from assay.ruling.payloads import ApplyJob, ComposeJob, ProposedRule
from assay.ruling.rules.composition import group_by_rule
from assay.ruling.rules.conditions import parse_condition_text


async def evidence_was_extracted(jobs: Sequence[ComposeJob], read: Reader) -> list[str | None]:
    """Facts were extracted from the evidence, or it contained none."""
    found = await read.get_groups(CoverageReport, [job.evidence_id for job in jobs])
    return [None if job.evidence_id in found else "no facts were extracted yet" for job in jobs]


def _make_empty_outcome(job: ComposeJob, error: Exception) -> Outcome:
    """A document whose facts cannot be composed proposes nothing."""
    return Outcome(note="empty")


COMPOSE = Stage(
    name="compose",
    version=1,
    payload=ComposeJob,
    queue=QueueLimits(5, per=60),
    reads=frozenset({CandidateFact, CoverageReport, Evidence, Rule, SourcePointer}),
    writes=frozenset(),
    gates=(Gate("evidence_was_extracted", evidence_was_extracted),),
    next=frozenset({"apply"}),
    batch=200,
    on_error={ErrorClass.CONTENT: _make_empty_outcome},
    purpose="groups facts by concept into proposals; writes nothing",
)


def compose(packs: Mapping[str, Facts]) -> StageFunction:
    """The stage, with the packs whose facts it groups."""

    async def work(jobs: Sequence[ComposeJob], read: Reader) -> Sequence[Result]:
        ids = [job.evidence_id for job in jobs]
        evidence = await read.get_many(Evidence, ids)
        found = await read.find_where(CandidateFact, "evidence_id", ids)
        facts = group_pairs((fact.evidence_id, fact) for fact in found)
        earlier = await _read_earlier_rules(evidence.values(), read)
        return [
            _propose_rules(
                job,
                facts.get(job.evidence_id, []),
                packs,
                evidence[job.evidence_id].doc_id,
                earlier.get(evidence[job.evidence_id].doc_id, []),
            )
            for job in jobs
        ]

    return work


async def _read_earlier_rules(evidence: Iterable[Evidence], read: Reader) -> dict[str, list[Rule]]:
    """document → rules that any version of it supports: a new version may no longer do so."""
    docs = {entry.doc_id for entry in evidence}
    pointers = await read.find_where(SourcePointer, "doc_id", docs)
    rules = await read.get_many(Rule, {pointer.rule_id for pointer in pointers})
    found: dict[str, dict[str, Rule]] = {}
    for pointer in pointers:
        found.setdefault(pointer.doc_id, {})[pointer.rule_id] = rules[pointer.rule_id]
    return {doc_id: list(of_doc.values()) for doc_id, of_doc in found.items()}


def build_proposals(facts: Iterable[CandidateFact], job: ComposeJob) -> list[ApplyJob]:
    """The rules that facts of one document state, a job for each concept."""
    return [
        ApplyJob(
            pack=pack,
            concept=concept,
            evidence_id=job.evidence_id,
            source=job.source,
            visit=job.visit,
            found=job.found,
            rules=tuple(
                ProposedRule(rule_id=rule_id, fact_ids=tuple(fact.fact_id for fact in stated))
                for rule_id, stated in sorted(rules.items())
            ),
        )
        for (pack, concept), rules in sorted(group_by_rule(facts).items())
    ]


def make_settling_job(
    concept: str, doc_id: str, source: str | None, *, name: str, pack: Facts | None
) -> ApplyJob:
    """A job that looks again at the rules of a concept, because what a document says about it
    changed; `name` is that of the pack."""
    # Where several values apply side by side, only the document's own rules are concerned.
    document = "" if has_one_value(concept, pack) else doc_id
    return ApplyJob(pack=name, concept=concept, document=document, source=source)


def propose_rules(
    facts: Sequence[CandidateFact], evidence_id: str, source: str, pack: Facts
) -> list[ApplyJob]:
    """The rules that facts of one document state, for a stage of a pack that found them itself."""
    stated = [fact for fact in facts if _is_composable(fact, {pack.name: pack})]
    found = derive_id("fs", *sorted(fact.fact_id for fact in stated))
    return build_proposals(stated, ComposeJob(evidence_id=evidence_id, source=source, found=found))


def _propose_rules(
    job: ComposeJob,
    facts: Sequence[CandidateFact],
    packs: Mapping[str, Facts],
    doc_id: str,
    earlier: Sequence[Rule],
) -> Outcome:
    composable = [fact for fact in facts if _is_composable(fact, packs)]
    groups = {(fact.pack, fact.concept) for fact in composable}
    proposals = build_proposals(composable, job)
    # Rules of the document's earlier versions are looked at again, whether it still states them.
    others = sorted({(rule.pack, rule.concept) for rule in earlier} - groups)
    settling = [
        make_settling_job(concept, doc_id, job.source, name=pack, pack=packs.get(pack))
        for pack, concept in others
    ]
    jobs = tuple(NextJob("apply", payload) for payload in (*proposals, *settling))
    return Outcome(next=jobs, note="done" if proposals else "nothing to compose")


def _is_composable(fact: CandidateFact, packs: Mapping[str, Facts]) -> bool:
    """Whether a fact becomes part of a rule; raises an error if its condition is not valid."""
    pack = packs.get(fact.pack)
    predicate = pack.predicates.get(fact.predicate) if pack is not None else None
    if predicate is None or not predicate.composed:
        return False
    parse_condition_text(fact.applies_when)
    return True
