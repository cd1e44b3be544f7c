"""OCR: reads the pages of scanned evidence, and asks a person if it cannot."""

from collections.abc import Callable, Sequence
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
from assay.errors import AssayError, ContentEmpty, ContentError, ErrorClass
from assay.model.content import ArtifactKind, ContentClass
from assay.model.ids import derive_id, is_by_hand
from assay.model.lifecycle import CandidateState, Move
from assay.model.records import (
    Artifact,
    DiscoveredItem,
    Evidence,
    IngestCandidate,
    Record,
    ReviewRequest,
    ScannedPage,
    ScoutResult,
    Source,
    TextBand,
    TextSignature,
)
from assay.reading.documents import read_document as read_document
from assay.reading.limits import ReadLimits
from assay.reading.ocr import OcrAvailability
from assay.reading.result import Reading
from assay.spine.handoffs import NO_PACKS, Handoffs, find_profiles, read_watchers
from assay.spine.payloads import OcrJob, RouterJob
from assay.spine.scanning import ScannedDocument, Scanner
from assay.spine.scout import build_scout_results, build_signature_records
from assay.spine.scouting.assessment import Assessment
from assay.spine.scouting.task import ScoutOptions, assess_reading
from assay.spine.texts import build_stored_text, pack_reading

READER = "ocr/1"
_HOUR_MS = 3_600_000
_DEADLINE_MS = 48 * _HOUR_MS
_LOOK_AGAIN_S = 3600
_SCANNED = (ContentClass.PDF_SCANNED, ContentClass.PDF_TEXT)
_MOVABLE = (CandidateState.READY, CandidateState.BLOCKED)


async def evidence_is_scanned(jobs: Sequence[OcrJob], read: Reader) -> list[str | None]:
    """The evidence is in the store, and is a PDF whose pages may be images."""
    found = await read.get_many(Evidence, [job.evidence_id for job in jobs])
    return [_explain_refusal(found.get(job.evidence_id)) for job in jobs]


def _explain_refusal(evidence: Evidence | None) -> str | None:
    if evidence is None:
        return "there is no such evidence"
    if evidence.content_class not in _SCANNED:
        return f"its class is {evidence.content_class}, which has no scanned pages"
    return None


def _ask_about_failure(job: OcrJob, error: Exception) -> Outcome:
    """A scan that cannot be read becomes a question for a person; it is not lost."""
    return _ask_person(job, None, error, 0)


OCR = Stage(
    name="ocr",
    version=1,
    payload=OcrJob,
    queue=QueueLimits(2, per=60, concurrency=2),
    reads=frozenset({Evidence, IngestCandidate, DiscoveredItem, Source}),
    writes=frozenset(
        {
            Artifact,
            Evidence,
            ScannedPage,
            ScoutResult,
            TextSignature,
            TextBand,
            ReviewRequest,
            IngestCandidate,
        }
    ),
    gates=(Gate("evidence_is_scanned", evidence_is_scanned),),
    next=frozenset({"router"}),
    uses=frozenset({"ocr"}),
    timeout_s=24 * 3600.0,
    on_error={ErrorClass.CONTENT: _ask_about_failure},
    purpose="reads scanned pages",
)


def ocr(
    scanner: Scanner,
    available: Callable[[], OcrAvailability],
    options: ScoutOptions,
    packs: Handoffs = NO_PACKS,
) -> StageFunction:
    """The stage, with the scanner, a check for Tesseract, and what packs look for."""

    async def scan(jobs: Sequence[OcrJob], read: Reader) -> Sequence[Result]:
        scanner.scratch.sweep()
        return [
            await _scan_evidence(job, read, scanner, available(), options, packs) for job in jobs
        ]

    return scan


async def _scan_evidence(
    job: OcrJob,
    read: Reader,
    scanner: Scanner,
    here: OcrAvailability,
    options: ScoutOptions,
    packs: Handoffs,
) -> Result:
    evidence = await read.get(Evidence, job.evidence_id)
    assert evidence is not None
    candidate = await read.get(IngestCandidate, evidence.doc_id)
    if not here.ok:
        return _wait_for_tesseract(job, candidate, here, read.now_ms)
    file = read.blob_file(evidence.content_hash)
    try:
        reading = await scanner.pool.run(_read_file, file, options.limits)
        scanned = await scanner.scan(file, evidence.content_hash, reading)
        if not scanned.reading.text.strip():
            raise ContentEmpty(f"No page gave any text ({scanned.describe()}).")
    except ContentError as error:
        return _ask_person(job, candidate, error, read.now_ms)
    except AssayError as error:
        return Failed(error)
    source = (await read_watchers([evidence], read)).get(evidence.evidence_id)
    own = replace(options, by_hand=is_by_hand(evidence.url), profiles=find_profiles(source, packs))
    found = assess_reading(scanned.reading, own, unread=False)
    return _build_outcome(job, evidence, candidate, scanned, found, read.now_ms)


def _read_file(file: Path, limits: ReadLimits) -> Reading:
    return read_document(file.read_bytes(), limits)


def _ask_person(
    job: OcrJob, candidate: IngestCandidate | None, error: Exception, now_ms: int
) -> Outcome:
    question = f"What does it say? Its scanned pages cannot be read: {error}"
    moves = _build_block_moves(job, candidate, f"its scanned pages cannot be read: {error}", None)
    return Outcome(
        records=(_build_review_request(job, "OCR_FAILED", question, now_ms),),
        moves=moves,
        note="empty",
    )


def _wait_for_tesseract(
    job: OcrJob, candidate: IngestCandidate | None, here: OcrAvailability, now_ms: int
) -> Outcome:
    """Without Tesseract the evidence waits; that is not a failure, and uses up no attempt."""
    return Outcome(
        moves=_build_block_moves(job, candidate, here.how_to_get, now_ms // 1000 + _LOOK_AGAIN_S),
        note="blocked",
    )


def _build_block_moves(
    job: OcrJob, candidate: IngestCandidate | None, reason: str, retry_unix: int | None
) -> tuple[Move, ...]:
    """Block it until that time; without a time it is a failure, which uses up an attempt."""
    if candidate is None or candidate.evidence_id != job.evidence_id:
        return ()
    if candidate.state not in _MOVABLE:
        return ()
    return (
        Move(
            candidate.doc_id,
            CandidateState.BLOCKED,
            reason,
            evidence_id=job.evidence_id,
            next_retry_unix=retry_unix,
            counts=retry_unix is None,
            only_with=job.evidence_id,
            only_from=CandidateState(candidate.state),
        ),
    )


def _build_outcome(
    job: OcrJob,
    evidence: Evidence,
    candidate: IngestCandidate | None,
    scanned: ScannedDocument,
    found: Assessment,
    now_ms: int,
) -> Outcome:
    text = build_stored_text(
        evidence.evidence_id,
        pack_reading(scanned.reading, READER, ArtifactKind.OCR_TEXT),
        now_ms,
        beside=[(ArtifactKind.OCR_HOCR, scanned.document.hocr.encode())],
    )
    doubt = scanned.document.person_needed
    records: list[Record] = [
        *text.records,
        *_build_pages(evidence.evidence_id, scanned),
        *build_signature_records(evidence.evidence_id, found),
        # If it is routed again, doubtful text must not count as good text.
        *(
            result.model_copy(update={"skip_reason": _describe_doubt(doubt) or result.skip_reason})
            for result in build_scout_results(evidence.evidence_id, found)
        ),
        evidence.model_copy(update={"primary_text_artifact_id": text.artifact_id}),
    ]
    if doubt:
        question = f"Is its text right? {doubt} It was read as {scanned.describe()}."
        records.append(_build_review_request(job, "LOW_CONFIDENCE", question, now_ms))
        moves = _build_block_moves(
            job, candidate, _describe_doubt(doubt), (now_ms + _DEADLINE_MS) // 1000
        )
        return Outcome(records=tuple(records), moves=moves, blobs=text.blobs, note="blocked")
    again = RouterJob(
        evidence_id=job.evidence_id,
        source=job.source,
        visit=job.visit,
        newcomers=job.newcomers,
        after_ocr=True,
    )
    return Outcome(records=tuple(records), next=(NextJob("router", again),), blobs=text.blobs)


def _describe_doubt(doubt: str) -> str:
    return f"a person must look at it: {doubt[:1].lower()}{doubt[1:]}" if doubt else ""


def _build_pages(evidence_id: str, scanned: ScannedDocument) -> list[ScannedPage]:
    return [
        ScannedPage(
            evidence_id=evidence_id,
            page=page.number,
            confidence=page.confidence,
            coverage=page.coverage,
            length=len(page.text),
            flags=list(page.flags),
        )
        for page in scanned.pages
    ]


def _build_review_request(job: OcrJob, reason: str, question: str, now_ms: int) -> ReviewRequest:
    return ReviewRequest(
        request_id=derive_id("rq", reason, job.evidence_id),
        reason=reason,
        subject_kind="evidence",
        subject=job.evidence_id,
        source_slug=job.source,
        question=question,
        created_ms=now_ms,
        deadline_ms=now_ms + _DEADLINE_MS,
    )
