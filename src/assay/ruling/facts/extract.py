"""Extract: takes facts from evidence, each with the exact words that support it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

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
from assay.engine.process_pool import ProcessPool
from assay.engine.reader import Reader
from assay.errors import AssayError, CallDenied, ErrorClass, PriceUnknown
from assay.governor.large_documents import was_declined
from assay.llm.messages import ModelAnswer, ModelRequest
from assay.llm.scope import CallScope
from assay.model.agent_runs import AgentRun, Failure
from assay.model.facts import CandidateFact, CoverageReport, ExtractionRejected
from assay.model.ids import derive_id
from assay.model.lifecycle import CandidateState, Move
from assay.model.records import (
    Artifact,
    DiscoveredItem,
    Evidence,
    IngestCandidate,
    Record,
    ReviewRequest,
    RoutingDecision,
    ScoutResult,
)
from assay.ruling.declaration import Facts
from assay.ruling.facts.coverage import drop_repeats, find_uncovered, measure_coverage
from assay.ruling.facts.extraction import (
    DETERMINISTIC,
    ExtractionResult,
    check_proposals,
    extract_stored_text,
    limit_to_scope,
    load_passage,
)
from assay.ruling.facts.extraction_inputs import ExtractionInput, add_descriptions, read_inputs
from assay.ruling.facts.fact_builder import FactBuilder
from assay.ruling.facts.gates import AcceptedFact, RejectedFact
from assay.ruling.facts.model_extractor import ExtractionAccess, ModelFindings
from assay.ruling.facts.model_questions import ask_windows, plan_windows
from assay.ruling.facts.model_waits import close_question, deny_unpriced, plan_model_wait
from assay.ruling.facts.proposals import Passage, Sentence
from assay.ruling.payloads import ComposeJob, ExtractJob
from assay.ruling.rules.composition import find_outdated
from assay.spine.listing_fetcher import AdapterFinder, find_no_adapter

VERSION = 2
DETERMINISTIC_EXTRACTOR = f"{DETERMINISTIC}@{VERSION}"
EARLIER_EXTRACTORS = frozenset({f"{DETERMINISTIC}@1"})
"""Versions whose facts count only where this one finds them too, or has not looked yet: they named
concepts otherwise."""

AskProvider = Callable[[ModelRequest, type[BaseModel], str, CallScope], Awaitable[ModelAnswer]]
"""Asks a provider, given its name, through the control plane."""
NoteOutput = Callable[[str, bool], None]
"""Called with a source and whether a model found nothing in its document."""
AccessFactory = Callable[[str, str, str], ExtractionAccess]
"""Gives a pack that asks a model itself access to a provider, for a source and evidence."""


@dataclass(frozen=True)
class ExtractionModel:
    """Access to a model, and the function that counts empty answers."""

    ask: AskProvider
    note_output: NoteOutput
    access_to: AccessFactory | None = None
    """For packs that ask a model themselves; None: they have to do without a model."""


async def ready_for_extraction(jobs: Sequence[ExtractJob], read: Reader) -> list[str | None]:
    """The evidence has a text that is not empty, with a map back to its bytes."""
    evidence = await read.get_many(Evidence, [job.evidence_id for job in jobs])
    primary = {e.primary_text_artifact_id for e in evidence.values()} - {None}
    artifacts = await read.get_many(Artifact, [str(key) for key in primary])
    reasons: list[str | None] = []
    for job in jobs:
        found = evidence.get(job.evidence_id)
        artifact = artifacts.get(found.primary_text_artifact_id or "") if found else None
        if found is None:
            reasons.append("there is no such evidence")
        elif artifact is None or artifact.map_hash is None:
            reasons.append("it has no text yet")
        elif artifact.length == 0:
            reasons.append("its text is empty")
        else:
            reasons.append(None)
    return reasons


def _make_empty_outcome(job: ExtractJob, error: Exception) -> Outcome:
    """A document that cannot be processed counts as empty in the health of its source."""
    return Outcome(
        records=(
            AgentRun(
                agent_run_id=_make_agent_run_id(job),
                run_id="",
                job_id="",
                stage="extract",
                source_slug=job.source,
                evidence_id=job.evidence_id,
                failure=Failure.CONTENT_LOW_QUALITY,
                error_message=str(error).strip(),
            ),
        ),
        note="empty",
    )


EXTRACT = Stage(
    name="extract",
    version=VERSION,
    payload=ExtractJob,
    queue=QueueLimits(10, per=60),
    reads=frozenset(
        {
            Evidence, Artifact, ScoutResult, DiscoveredItem, IngestCandidate, CoverageReport,
            CandidateFact, RoutingDecision, ReviewRequest,
        }
    ),
    writes=frozenset(
        {
            CandidateFact, ExtractionRejected, CoverageReport, AgentRun, IngestCandidate,
            ReviewRequest, RoutingDecision,
        }
    ),
    gates=(Gate("ready_for_extraction", ready_for_extraction, ErrorClass.CONTENT),),
    next=frozenset({"compose"}),
    uses=frozenset({"model"}),
    batch=50,
    # Each document has its own time limit, and so does each call to a model.
    timeout_s=12_000.0,
    on_error={ErrorClass.CONTENT: _make_empty_outcome},
    purpose="extracts facts from evidence, each with its exact words",
)  # fmt: skip


@dataclass(frozen=True)
class CheckedFindings:
    """What a model found, and which of it passed the gates."""

    asked: ModelFindings
    accepted: tuple[AcceptedFact, ...]
    rejected: tuple[RejectedFact, ...]
    found_something: bool
    """Whether anything was right, even if it was already known."""


def extract(
    pool: ProcessPool,
    packs: Mapping[str, Facts],
    model: ExtractionModel | None = None,
    adapter_of: AdapterFinder = find_no_adapter,
) -> StageFunction:
    """The stage, with the processes that extract, the packs, and access to a model.

    `adapter_of` finds the adapter that knows how a source describes its documents.
    """

    async def work(jobs: Sequence[ExtractJob], read: Reader) -> Sequence[Result]:
        late = [job for job in jobs if job.original is not None]
        ids = [job.evidence_id for job in late]
        reports = await read.find_where(CoverageReport, "evidence_id", ids)
        extracted = {(report.evidence_id, report.pack) for report in reports}
        copies = {job: _retract_copy(job, (job.evidence_id, job.pack) in extracted) for job in late}
        rest = iter(await take([job for job in jobs if job not in copies], read))
        return [copies[job] if job in copies else next(rest) for job in jobs]

    async def take(jobs: Sequence[ExtractJob], read: Reader) -> Sequence[Result]:
        subjects = await read_inputs(jobs, packs, read, EARLIER_EXTRACTORS)
        subjects = await add_descriptions(subjects, pool, adapter_of, read)
        known = [s for s in subjects.values() if s is not None and not _is_copy(s)]
        looks = await pool.run_each(
            extract_stored_text,
            [(s.files, s.look, s.pack, _can_ask_model(s, model)) for s in known],
        )
        found = {s.job: look for s, look in zip(known, looks, strict=True)}
        results: list[Result] = []
        for job in jobs:
            subject = subjects[job]
            if subject is None or job not in found:
                results.append(Outcome(note="skipped"))
                continue
            look = found[job]
            if isinstance(look, AssayError):
                results.append(Failed(look))
            else:
                results.append(await _extract_document(subject, look, model, read.now_ms))
        return results

    return work


def _retract_copy(job: ExtractJob, was_extracted: bool) -> Outcome:
    """A document turned out to be a copy after its facts were extracted: they no longer count."""
    if not was_extracted:
        return Outcome(note="skipped")
    again = ComposeJob(
        evidence_id=job.evidence_id, source=job.source, visit=job.visit, original=job.original
    )
    return Outcome(next=(NextJob("compose", again),), note="copied")


def _can_ask_model(subject: ExtractionInput, model: ExtractionModel | None) -> bool:
    if model is None or subject.job.provider is None or was_declined(subject.question):
        return False
    return subject.pack.model_extractor is None or model.access_to is not None


def _is_copy(subject: ExtractionInput) -> bool:
    """The document may have been recognized as a copy after it was sent here."""
    return subject.scout is not None and subject.scout.duplicate_of is not None


async def _extract_document(
    subject: ExtractionInput, look: ExtractionResult, model: ExtractionModel | None, now_ms: int
) -> Result:
    """The facts of the pack's own extractor, and those of a model for what it did not cover."""
    if model is None or not _can_ask_model(subject, model):
        return _make_outcome(subject, look, None, now_ms)
    left = find_uncovered(look.sentences, look.accepted)
    if subject.pack.model_extractor is None and not left:
        return _make_outcome(subject, look, None, now_ms, failure=Failure.SKIPPED_DETERMINISTIC)
    so_far = ModelFindings([])
    # Not in the event loop: the text may be megabytes.
    passage = await asyncio.to_thread(load_passage, subject.files, subject.look)
    denied: CallDenied | None = None
    failed: AssayError | None = None
    try:
        await _ask_model(subject, passage, left, model, so_far)
    except CallDenied as error:
        denied = error
    except PriceUnknown as error:
        denied = deny_unpriced(error)
    except AssayError as error:
        failed = error
    checked = await asyncio.to_thread(_check_findings, so_far, look, passage, subject.pack)
    if denied is not None:
        return _make_blocked_outcome(subject, look, checked, denied, now_ms)
    outcome = _make_outcome(subject, look, checked, now_ms)
    if failed is not None:
        # If no later attempt succeeds, what was found without the model still counts.
        return Failed(failed, last=outcome)
    if so_far.answers > so_far.cached:
        await asyncio.to_thread(model.note_output, subject.job.source, not checked.found_something)
    return outcome


def _check_findings(
    so_far: ModelFindings, look: ExtractionResult, passage: Passage, pack: Facts
) -> CheckedFindings:
    """What a model claims beyond the facts of the pack's own extractor, past the gates.

    It sees some of their sentences too, and must not give their values a second meaning.
    """
    claims = so_far.proposals
    if pack.model_extractor is None:
        claims = drop_repeats(claims, look.accepted)
    limited = [limit_to_scope(claim, pack) for claim in claims]
    accepted, rejected = check_proposals(limited, passage, pack)
    found_something = bool(accepted) or len(claims) < len(so_far.proposals)
    return CheckedFindings(so_far, accepted, rejected, found_something)


async def _ask_model(
    subject: ExtractionInput,
    passage: Passage,
    left: Sequence[Sentence],
    model: ExtractionModel,
    so_far: ModelFindings,
) -> None:
    """Ask the model that the router chose: in the pack's own way, or about what is left."""
    job, pack = subject.job, subject.pack
    provider = str(job.provider)
    if pack.model_extractor is not None and model.access_to is not None:
        access = model.access_to(provider, job.source, job.evidence_id)
        await pack.model_extractor(passage, access, so_far)
        return
    scope = CallScope(
        step="extract",
        source=job.source,
        evidence=job.evidence_id,
        score=None if subject.scout is None else subject.scout.worth_it_score,
    )

    async def ask(request: ModelRequest, answer_type: type[BaseModel]) -> ModelAnswer:
        return await model.ask(request, answer_type, provider, scope)

    await ask_windows(plan_windows(left), passage, pack, ask, so_far)


def _make_blocked_outcome(
    subject: ExtractionInput,
    look: ExtractionResult,
    checked: CheckedFindings,
    error: CallDenied,
    now_ms: int,
) -> Outcome:
    """What the budget does not allow now waits until it does; what was already found is kept.

    Paid answers are cached, so the next attempt does not pay for them again.
    """
    outcome = _make_outcome(subject, look, checked, now_ms, ingested=False)
    wait = plan_model_wait(subject, error, now_ms)
    return Outcome(
        records=outcome.records + wait.records,
        moves=wait.moves,
        changes=wait.changes,
        next=outcome.next,
        note="blocked",
    )


def _make_outcome(
    subject: ExtractionInput,
    look: ExtractionResult,
    checked: CheckedFindings | None,
    now_ms: int,
    *,
    failure: Failure | None = None,
    ingested: bool = True,
) -> Outcome:
    job, pack = subject.job, subject.pack
    builder = FactBuilder(
        pack, subject.evidence, subject.artifact.artifact_id, DETERMINISTIC_EXTRACTOR
    )
    facts = [builder.build_fact(fact) for fact in look.accepted]
    rejected = [builder.build_rejection(refused, now_ms) for refused in look.rejected]
    accepted: list[AcceptedFact] = list(look.accepted)
    records: list[Record] = []
    if checked is not None:
        by_model = FactBuilder(pack, subject.evidence, builder.artifact_id, f"model:{job.provider}")
        facts += [by_model.build_fact(fact) for fact in checked.accepted]
        rejected += [by_model.build_rejection(entry, now_ms) for entry in checked.rejected]
        accepted += checked.accepted
        records.append(_make_agent_run(job, checked.asked, len(checked.accepted), now_ms))
    elif failure is not None:
        records.append(_make_agent_run(job, ModelFindings([]), 0, now_ms, failure))
    # A model may repeat itself, and what was found without it.
    facts = list({fact.fact_id: fact for fact in reversed(facts)}.values())[::-1]
    rejected = list({entry.rejected_id: entry for entry in rejected}.values())
    coverage = measure_coverage(look.sentences, accepted)
    outdated = find_outdated(subject.earlier, facts)
    report = builder.build_report(coverage, facts, rejected, outdated, now_ms)
    records += [*facts, *rejected, report]
    records += builder.ask_unclear_amendments(look.rejected, now_ms)
    compose = ComposeJob(
        evidence_id=job.evidence_id,
        source=job.source,
        visit=job.visit,
        found=_make_fact_set_id(facts),
    )
    return Outcome(
        records=tuple(records),
        moves=_move_to_ingested(subject) if ingested else (),
        changes=close_question(subject) if ingested else (),
        next=(NextJob("compose", compose),),
        note="done" if facts else "empty",
    )


def _make_fact_set_id(facts: Sequence[CandidateFact]) -> str:
    """An id for a set of facts: if another attempt finds more, those are composed as well."""
    return derive_id("fs", *sorted({fact.fact_id for fact in facts}))


def _is_ready(subject: ExtractionInput) -> bool:
    candidate = subject.candidate
    return (
        candidate is not None
        and candidate.evidence_id == subject.job.evidence_id
        and candidate.state == CandidateState.READY
    )


def _move_to_ingested(subject: ExtractionInput) -> tuple[Move, ...]:
    if not _is_ready(subject):
        return ()
    evidence_id = subject.job.evidence_id
    move = Move(
        subject.evidence.doc_id,
        CandidateState.INGESTED,
        "its facts were extracted",
        evidence_id=evidence_id,
        only_with=evidence_id,
        only_from=CandidateState.READY,
    )
    return (move,)


def _make_agent_run_id(job: ExtractJob) -> str:
    return derive_id("ag", "extract", str(VERSION), job.subject)


def _make_agent_run(
    job: ExtractJob, so_far: ModelFindings, items: int, now_ms: int, failure: Failure | None = None
) -> AgentRun:
    if failure is None and items == 0:
        if so_far.invalid is not None and not so_far.proposals:
            failure = Failure.VALIDATION_REJECTED
        elif so_far.answers and so_far.cached == so_far.answers:
            failure = Failure.DUPLICATE_CACHED
        elif so_far.answers and not so_far.proposals:
            failure = Failure.EMPTY_OUTPUT
    return AgentRun(
        agent_run_id=_make_agent_run_id(job),
        run_id="",
        job_id="",
        stage="extract",
        source_slug=job.source,
        evidence_id=job.evidence_id,
        provider=job.provider,
        failure=failure,
        items_produced=0 if failure else items,
        tokens_used=so_far.tokens,
        error_message=so_far.invalid,
        ended_ms=now_ms,
    )
