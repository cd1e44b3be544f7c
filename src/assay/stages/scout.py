"""Scout: a cheap look at every piece of evidence, before anything is spent on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.engine.contract import Failed, Gate, NextJob, Outcome, Result, Stage
from assay.engine.profiles import QUEUES
from assay.engine.reader import Reader
from assay.errors import ContentUnsupported, ErrorClass
from assay.model.records import Evidence, ScoutResult
from assay.reading.look import first_look
from assay.reading.language import UNKNOWN, language_of
from assay.stages.judgement import Judgement, judged
from assay.stages.payloads import RouterJob, ScoutJob

VERSION = 1
_TEXT_TYPES = ("text/html", "application/xhtml+xml", "text/plain")


async def evidence_exists(jobs: Sequence[ScoutJob], read: Reader) -> list[str | None]:
    """The evidence is in the store."""
    found = await read.many(Evidence, [job.evidence_id for job in jobs])
    return [None if job.evidence_id in found else "there is no such evidence" for job in jobs]


def _skipped(job: ScoutJob, error: Exception) -> Outcome:
    """Evidence that cannot be read is set aside with the reason, not lost."""
    result = ScoutResult(
        evidence_id=job.evidence_id,
        worth_it_score=0.0,
        doc_type="UNKNOWN",
        skip_reason=str(error).strip(),
        content_length=0,
        language=UNKNOWN,
        boilerplate_ratio=0.0,
        stage_version=VERSION,
    )
    return _outcome(job, result, note="skipped")


SCOUT = Stage(
    name="scout",
    version=VERSION,
    payload=ScoutJob,
    queue=QUEUES["scout"],
    reads=frozenset({Evidence}),
    writes=frozenset({ScoutResult}),
    gates=(Gate("evidence_exists", evidence_exists),),
    next=frozenset({"router", "scout"}),
    batch=500,
    on_error={ErrorClass.VALIDATION: _skipped, ErrorClass.CONTENT: _skipped},
    purpose="judges cheaply whether evidence is worth a token",
)


async def scout(jobs: Sequence[ScoutJob], read: Reader) -> Sequence[Result]:
    """Judge a batch; every document is read once."""
    found = await read.many(Evidence, [job.evidence_id for job in jobs])
    evidence = [found[job.evidence_id] for job in jobs]
    copies = await _copies(evidence, read)
    looks = await read.look_at_blobs([entry.content_hash for entry in evidence], _look)
    return [
        Failed(look) if isinstance(look, Exception) else _scouted(job, entry, look, copies)
        for job, entry, look in zip(jobs, evidence, looks, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Look:
    judgement: Judgement
    language: str


def _look(body: bytes) -> _Look:
    page = first_look(body)
    return _Look(judged(page), language_of(page.text))


async def _copies(evidence: Sequence[Evidence], read: Reader) -> dict[str, list[str]]:
    """For each content, all evidence that has it; the first by id counts as the original."""
    same = await read.where(Evidence, "content_hash", {entry.content_hash for entry in evidence})
    copies: dict[str, list[str]] = {}
    for entry in same:
        copies.setdefault(entry.content_hash, []).append(entry.evidence_id)
    return {content: sorted(ids) for content, ids in copies.items()}


def _scouted(
    job: ScoutJob, evidence: Evidence, look: _Look, copies: Mapping[str, list[str]]
) -> Result:
    if not evidence.content_type.lower().startswith(_TEXT_TYPES):
        return Failed(
            ContentUnsupported(f"Scout does not read '{evidence.content_type or 'unnamed'}' yet.")
        )
    ids = copies[evidence.content_hash]
    original = ids[0] if ids[0] != evidence.evidence_id else None
    result = _result(evidence, look.judgement, look.language, original)
    # Whoever is fetched second must not depend on luck: the original tells its copies.
    told = () if original else ids[1:]
    return _outcome(job, result, copies=tuple(told))


def _result(
    evidence: Evidence, judgement: Judgement, language: str, original: str | None
) -> ScoutResult:
    return ScoutResult(
        evidence_id=evidence.evidence_id,
        worth_it_score=judgement.score,
        doc_type=judgement.doc_type,
        duplicate_of=original,
        skip_reason=judgement.skip_reason,
        content_length=judgement.length,
        language=language,
        boilerplate_ratio=judgement.boilerplate_ratio,
        has_structured_data=judgement.has_structured_data,
        estimated_tokens=judgement.length // 4,
        determinism_confidence=0.0,
        stage_version=VERSION,
    )


def _outcome(
    job: ScoutJob, result: ScoutResult, *, copies: tuple[str, ...] = (), note: str = "done"
) -> Outcome:
    original = result.duplicate_of
    router = RouterJob(
        evidence_id=job.evidence_id, source=job.source, original=original, visit=job.visit
    )
    again = (
        NextJob("scout", ScoutJob(evidence_id=copy, source=job.source, original=job.evidence_id))
        for copy in copies
    )
    return Outcome(
        records=(result,),
        next=(NextJob("router", router), *again),
        note=note,
    )
