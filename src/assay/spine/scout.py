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
from assay.engine.grouping import group_pairs
from assay.engine.process_pool import ProcessPool
from assay.engine.reader import Reader
from assay.engine.retries import RetryAction
from assay.errors import AssayError, ErrorClass
from assay.model.ids import is_by_hand
from assay.model.records import (
    Artifact,
    DiscoveredItem,
    Evidence,
    Record,
    ScoutResult,
    Source,
    TextBand,
    TextSignature,
)
from assay.reading.language import UNKNOWN
from assay.reading.similarity import Signature
from assay.sources.responses import charset_of
from assay.spine.handoffs import (
    NO_PACKS,
    Handoffs,
    find_profiles,
    list_judging_packs,
    read_watchers,
)
from assay.spine.payloads import RouterJob, ScoutJob
from assay.spine.scouting.assessment import Assessment
from assay.spine.scouting.profile import UNKNOWN_KIND
from assay.spine.scouting.task import ScoutedDocument, ScoutOptions, scout_file
from assay.spine.texts import build_stored_text

VERSION = 2


async def evidence_exists(jobs: Sequence[ScoutJob], read: Reader) -> list[str | None]:
    """The evidence is in the store."""
    found = await read.get_many(Evidence, [job.evidence_id for job in jobs])
    return [None if job.evidence_id in found else "there is no such evidence" for job in jobs]


def _skip_failed(job: ScoutJob, error: Exception) -> Outcome:
    """Evidence that cannot be read is skipped with the reason; it is not lost."""
    result = ScoutResult(
        evidence_id=job.evidence_id,
        worth_it_score=0.0,
        doc_type=UNKNOWN_KIND,
        skip_reason=str(error).strip(),
        content_length=0,
        language=UNKNOWN,
        boilerplate_ratio=0.0,
        stage_version=VERSION,
    )
    return _build_outcome(job, [result], note="skipped")


SCOUT = Stage(
    name="scout",
    version=VERSION,
    payload=ScoutJob,
    queue=QueueLimits(20, per=60),
    reads=frozenset({Evidence, ScoutResult, DiscoveredItem, Source}),
    writes=frozenset({ScoutResult, Artifact, Evidence, TextSignature, TextBand}),
    gates=(Gate("evidence_exists", evidence_exists),),
    next=frozenset({"router", "scout"}),
    batch=200,
    # Each document has its own limit, so a batch of slow ones must not be cut short.
    timeout_s=12_000.0,
    on_error={
        ErrorClass.VALIDATION: _skip_failed,
        ErrorClass.CONTENT: _skip_failed,
        ErrorClass.AUTH: RetryAction.DEAD,
        ErrorClass.QUOTA: RetryAction.DEAD,
    },
    purpose="judges cheaply whether evidence is worth a token, and reads what may be worth it",
)


def scout(pool: ProcessPool, options: ScoutOptions, packs: Handoffs = NO_PACKS) -> StageFunction:
    """The stage, with the processes that read documents, and what each pack looks for."""

    async def judge(jobs: Sequence[ScoutJob], read: Reader) -> Sequence[Result]:
        found = await read.get_many(Evidence, [job.evidence_id for job in jobs])
        sources = await read_watchers(found.values(), read)
        copies = await _find_copies(found.values(), read)
        results = await _load_earlier_results(jobs, sources, read)
        unread = [job for job in jobs if job.evidence_id not in results]
        pieces = [
            _build_task(entry, read, replace(options, profiles=find_profiles(source, packs)))
            for entry in (found[job.evidence_id] for job in unread)
            for source in [sources.get(entry.evidence_id)]
        ]
        scouted = dict(zip(unread, await pool.run_each(scout_file, pieces), strict=True))
        return [
            _decide_result(
                job,
                found[job.evidence_id],
                scouted[job] if job in scouted else results[job.evidence_id],
                copies,
                read.now_ms,
            )
            for job in jobs
        ]

    return judge


def _build_task(
    evidence: Evidence, read: Reader, options: ScoutOptions
) -> tuple[Path, str, str | None, ScoutOptions]:
    """What a process of the pool needs to know about a document."""
    file = read.blob_file(evidence.content_hash)
    options = replace(options, by_hand=is_by_hand(evidence.url))
    return file, evidence.content_hash, charset_of(evidence.content_type), options


async def _find_copies(evidence: Iterable[Evidence], read: Reader) -> dict[str, list[Evidence]]:
    """For each content hash, all evidence that has it; the first by id counts as the original."""
    same = await read.find_where(
        Evidence, "content_hash", {entry.content_hash for entry in evidence}
    )
    same = sorted(same, key=lambda entry: entry.evidence_id)
    return group_pairs((entry.content_hash, entry) for entry in same)


async def _load_earlier_results(
    jobs: Sequence[ScoutJob], sources: Mapping[str, Source], read: Reader
) -> dict[str, list[ScoutResult]]:
    """Results that still apply: for a copy, or a page that went back to earlier content.

    A document has none if a pack that now watches the source has not judged it yet.
    """
    again = [job.evidence_id for job in jobs if job.original is not None or job.visit]
    found = await read.get_groups(ScoutResult, again)
    return {
        key: results
        for key, results in found.items()
        if all(result.stage_version == VERSION for result in results)
        and {result.pack for result in results}.issuperset(list_judging_packs(sources.get(key)))
    }


def _decide_result(
    job: ScoutJob,
    evidence: Evidence,
    look: ScoutedDocument | list[ScoutResult] | AssayError,
    copies: Mapping[str, list[Evidence]],
    now_ms: int,
) -> Result:
    if isinstance(look, AssayError):
        return Failed(look)
    first, *others = copies[evidence.content_hash]
    original = first.evidence_id if first.evidence_id != evidence.evidence_id else None
    # The outcome must not depend on which was fetched first, so the original has its copies
    # scouted again.
    called = () if original else others
    if isinstance(look, list):
        return _build_outcome(
            job, [_mark_as_copy(result, original) for result in look], copies=called
        )
    records, blobs = _build_text_records(evidence, look, now_ms)
    results = [
        _mark_as_copy(result, original)
        for result in build_scout_results(evidence.evidence_id, look.assessment)
    ]
    return _build_outcome(job, results, records=records, blobs=blobs, copies=called)


def _mark_as_copy(result: ScoutResult, original: str | None) -> ScoutResult:
    """The result for a document that has the same bytes as another."""
    known = result.duplicate_of
    if original is None or (known is not None and known < original):
        return result
    return result.model_copy(update={"duplicate_of": original, "similarity": 1.0})


def _build_text_records(
    evidence: Evidence, look: ScoutedDocument, now_ms: int
) -> tuple[tuple[Record, ...], tuple[bytes, ...]]:
    """The records of a document's text and everything that belongs to it, and their bytes."""
    known = {"content_class": look.content_class.value}
    records: list[Record] = [*build_signature_records(evidence.evidence_id, look.assessment)]
    blobs: tuple[bytes, ...] = ()
    if look.text is not None:
        text = build_stored_text(evidence.evidence_id, look.text, now_ms)
        known["primary_text_artifact_id"] = text.artifact_id
        records.extend(text.records)
        blobs = text.blobs
    records.append(evidence.model_copy(update=known))
    return tuple(records), blobs


def build_scout_results(evidence_id: str, found: Assessment) -> list[ScoutResult]:
    """An assessment as stored: one result for each pack."""
    return [build_scout_result(evidence_id, found, pack) for pack in found.judgements]


def build_scout_result(evidence_id: str, found: Assessment, pack: str) -> ScoutResult:
    """The judgement for one pack, as stored."""
    measures, judgement = found.measures, found.judgements[pack]
    return ScoutResult(
        evidence_id=evidence_id,
        pack=pack,
        worth_it_score=judgement.worth_it_score,
        doc_type=judgement.doc_type,
        needs_ocr=measures.needs_ocr,
        skip_reason=judgement.skip_reason,
        content_length=measures.content_length,
        language=measures.language,
        boilerplate_ratio=measures.boilerplate_ratio,
        has_structured_data=measures.has_structured_data,
        estimated_tokens=measures.estimated_tokens,
        determinism_confidence=judgement.determinism_confidence,
        stage_version=VERSION,
    )


def build_signature_records(evidence_id: str, found: Assessment) -> list[Record]:
    """The records by which similar documents find this one; none if every pack skips it anyway."""
    signature: Signature | None = found.measures.signature
    if signature is None or found.is_skipped:
        return []
    return [
        TextSignature(evidence_id=evidence_id, signature=signature.to_bytes().hex()),
        *(TextBand(band=band, evidence_id=evidence_id) for band in signature.compute_bands()),
    ]


def _build_outcome(
    job: ScoutJob,
    results: Sequence[ScoutResult],
    *,
    records: tuple[Record, ...] = (),
    blobs: tuple[bytes, ...] = (),
    copies: Sequence[Evidence] = (),
    note: str = "done",
) -> Outcome:
    # Which document it is a copy of does not depend on the pack.
    original = results[0].duplicate_of
    router = RouterJob(
        evidence_id=job.evidence_id,
        source=job.source,
        original=original,
        visit=job.visit,
        newcomers=job.newcomers,
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
        records=(*results, *records),
        next=(NextJob("router", router), *again),
        blobs=blobs,
        note=note,
    )
