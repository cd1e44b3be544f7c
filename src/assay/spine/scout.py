"""Scout: a cheap look at every piece of evidence, before anything is spent on it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

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
from assay.errors import AssayError, ErrorClass
from assay.model.ids import is_by_hand
from assay.model.records import (
    Artifact,
    Evidence,
    Record,
    ScoutResult,
    Source,
    TextBand,
    TextSignature,
)
from assay.reading.language import UNKNOWN
from assay.reading.near import Signature
from assay.reading.workshop import Workshop
from assay.sources.answers import charset_of
from assay.spine.payloads import RouterJob, ScoutJob
from assay.spine.scouting.assessment import Assessment
from assay.spine.scouting.kinds import UNKNOWN_TYPE
from assay.spine.scouting.task import Scouted, ScoutOptions, scouted_file
from assay.spine.texts import stored

VERSION = 2


async def evidence_exists(jobs: Sequence[ScoutJob], read: Reader) -> list[str | None]:
    """The evidence is in the store."""
    found = await read.many(Evidence, [job.evidence_id for job in jobs])
    return [None if job.evidence_id in found else "there is no such evidence" for job in jobs]


def _skipped(job: ScoutJob, error: Exception) -> Outcome:
    """Evidence that cannot be read is set aside with the reason, not lost."""
    result = ScoutResult(
        evidence_id=job.evidence_id,
        worth_it_score=0.0,
        doc_type=UNKNOWN_TYPE,
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
    queue=QueueLimits(20, per=60),
    reads=frozenset({Evidence, ScoutResult, Source}),
    writes=frozenset({ScoutResult, Artifact, Evidence, TextSignature, TextBand}),
    gates=(Gate("evidence_exists", evidence_exists),),
    next=frozenset({"router", "scout"}),
    batch=200,
    # Each document has its own bound, so that a batch of slow ones must not be cut short.
    timeout_s=12_000.0,
    on_error={
        ErrorClass.VALIDATION: _skipped,
        ErrorClass.CONTENT: _skipped,
        ErrorClass.AUTH: Action.DEAD,
        ErrorClass.QUOTA: Action.DEAD,
    },
    purpose="judges cheaply whether evidence is worth a token, and reads what may be",
)


def scout(workshop: Workshop, options: ScoutOptions) -> StageFunction:
    """The stage, with the processes that read."""

    async def judge(jobs: Sequence[ScoutJob], read: Reader) -> Sequence[Result]:
        found = await read.many(Evidence, [job.evidence_id for job in jobs])
        copies = await _copies(found.values(), read)
        sources = await read.many(Source, {job.source for job in jobs})
        results = await _judged_before(jobs, read)
        unread = [job for job in jobs if job.evidence_id not in results]
        looks = await workshop.each(
            scouted_file, [_piece(found[job.evidence_id], read, options) for job in unread]
        )
        looked = dict(zip(unread, looks, strict=True))
        return [
            _result(
                job,
                found[job.evidence_id],
                looked[job] if job in looked else results[job.evidence_id],
                copies,
                read.now_ms,
                packs_of(sources.get(job.source)),
            )
            for job in jobs
        ]

    return judge


def _piece(
    evidence: Evidence, read: Reader, options: ScoutOptions
) -> tuple[Path, str, str | None, ScoutOptions]:
    """What a process of the workshop is told of a document."""
    file = read.blob_file(evidence.content_hash)
    options = replace(options, by_hand=is_by_hand(evidence.url))
    return file, evidence.content_hash, charset_of(evidence.content_type), options


async def _copies(evidence: Iterable[Evidence], read: Reader) -> dict[str, list[Evidence]]:
    """For each content, all evidence that has it; the first by id counts as the original."""
    same = await read.where(Evidence, "content_hash", {entry.content_hash for entry in evidence})
    copies: dict[str, list[Evidence]] = {}
    for entry in sorted(same, key=lambda entry: entry.evidence_id):
        copies.setdefault(entry.content_hash, []).append(entry)
    return copies


async def _judged_before(jobs: Sequence[ScoutJob], read: Reader) -> dict[str, ScoutResult]:
    """Judgements that stand: a copy, or a page that went back to what it was, says the same."""
    again = [job.evidence_id for job in jobs if job.original is not None or job.visit]
    found = await read.grouped(ScoutResult, again)
    return {key: rows[0] for key, rows in found.items() if rows[0].stage_version == VERSION}


def _result(
    job: ScoutJob,
    evidence: Evidence,
    look: Scouted | ScoutResult | AssayError,
    copies: Mapping[str, list[Evidence]],
    now_ms: int,
    packs: Sequence[str],
) -> Result:
    if isinstance(look, AssayError):
        return Failed(look)
    first, *others = copies[evidence.content_hash]
    original = first.evidence_id if first.evidence_id != evidence.evidence_id else None
    # Whoever is fetched second must not depend on luck: the original tells its copies.
    told = () if original else others
    if isinstance(look, ScoutResult):
        return _outcome(job, _as_copy(look, original), packs, copies=told)
    records, blobs = _kept(evidence, look, now_ms)
    result = _as_copy(result_of(evidence.evidence_id, look.assessment), original)
    return _outcome(job, result, packs, records=records, blobs=blobs, copies=told)


def _as_copy(result: ScoutResult, original: str | None) -> ScoutResult:
    """The judgement of a document that has the bytes of another."""
    known = result.duplicate_of
    if original is None or (known is not None and known < original):
        return result
    return result.model_copy(update={"duplicate_of": original, "similarity": 1.0})


def _kept(
    evidence: Evidence, look: Scouted, now_ms: int
) -> tuple[tuple[Record, ...], tuple[bytes, ...]]:
    """The text of a document with all that belongs to it, and the bytes of all that."""
    known = {"content_class": look.content_class.value}
    records: list[Record] = [*signature_records(evidence.evidence_id, look.assessment)]
    blobs: tuple[bytes, ...] = ()
    if look.text is not None:
        text = stored(evidence.evidence_id, look.text, now_ms)
        known["primary_text_artifact_id"] = text.artifact_id
        records.extend(text.records)
        blobs = text.blobs
    records.append(evidence.model_copy(update=known))
    return tuple(records), blobs


def result_of(evidence_id: str, found: Assessment) -> ScoutResult:
    """An assessment as it is stored."""
    return ScoutResult(
        evidence_id=evidence_id,
        worth_it_score=found.worth_it_score,
        doc_type=found.doc_type,
        needs_ocr=found.needs_ocr,
        skip_reason=found.skip_reason,
        content_length=found.content_length,
        language=found.language,
        boilerplate_ratio=found.boilerplate_ratio,
        has_structured_data=found.has_structured_data,
        estimated_tokens=found.estimated_tokens,
        determinism_confidence=found.determinism_confidence,
        stage_version=VERSION,
    )


def packs_of(source: Source | None) -> tuple[str, ...]:
    """The packs that watch a source; an empty name where none does."""
    return tuple(source.packs) if source is not None and source.packs else ("",)


def for_each_pack(result: ScoutResult, packs: Sequence[str]) -> list[ScoutResult]:
    """The same judgement for every pack that watches the source."""
    return [result.model_copy(update={"pack": pack}) for pack in packs]


def signature_records(evidence_id: str, found: Assessment) -> list[Record]:
    """What makes a document's likes find it; nothing for what is skipped anyway."""
    signature: Signature | None = found.signature
    if signature is None or found.skip_reason is not None:
        return []
    return [
        TextSignature(evidence_id=evidence_id, signature=signature.to_bytes().hex()),
        *(TextBand(band=band, evidence_id=evidence_id) for band in signature.bands()),
    ]


def _outcome(
    job: ScoutJob,
    result: ScoutResult,
    packs: Sequence[str] = ("",),
    *,
    records: tuple[Record, ...] = (),
    blobs: tuple[bytes, ...] = (),
    copies: Sequence[Evidence] = (),
    note: str = "done",
) -> Outcome:
    original = result.duplicate_of
    router = RouterJob(
        evidence_id=job.evidence_id, source=job.source, original=original, visit=job.visit
    )
    again = (
        NextJob(
            "scout",
            ScoutJob(
                evidence_id=copy.evidence_id, source=copy.source_slug, original=job.evidence_id
            ),
        )
        for copy in copies
    )
    return Outcome(
        records=(*for_each_pack(result, packs), *records),
        next=(NextJob("router", router), *again),
        blobs=blobs,
        note=note,
    )
