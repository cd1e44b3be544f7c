"""Intake: stores files that a person added as evidence. The person chose them, so their worth is
not judged."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from assay.engine.contract import Gate, NextJob, Outcome, QueueLimits, Result, Stage
from assay.engine.reader import Reader
from assay.events import DocumentChanged, Event, EvidenceStored
from assay.model.ids import derive_evidence_id, doc_id_of_url, make_file_url
from assay.model.lifecycle import Move, find_ready_state
from assay.model.records import Document, DocumentSource, Evidence, IngestCandidate
from assay.spine.payloads import IntakeJob, ScoutJob

FILE_SOURCE_KIND = "file"
"""The source kind of a document that a person added."""


async def bytes_are_stored(jobs: Sequence[IntakeJob], read: Reader) -> list[str | None]:
    """The file's bytes are in the store."""
    return [
        None if read.blob_file(job.content_hash).exists() else "its bytes are not stored"
        for job in jobs
    ]


INTAKE = Stage(
    name="intake",
    version=1,
    payload=IntakeJob,
    queue=QueueLimits(concurrency=2),
    reads=frozenset({Evidence, IngestCandidate}),
    writes=frozenset({Evidence, Document, DocumentSource, IngestCandidate}),
    gates=(Gate("bytes_are_stored", bytes_are_stored),),
    next=frozenset({"scout"}),
    batch=200,
    # The same file may come back after another one replaced it.
    once="run",
    entry=True,
    purpose="stores a file that a person added as evidence",
)


async def intake(jobs: Sequence[IntakeJob], read: Reader) -> Sequence[Result]:
    """The stage."""
    docs = {job: doc_id_of_url(file_url_of(job)) for job in jobs}
    candidates = await read.get_many(IngestCandidate, docs.values())
    known = await read.get_many(Evidence, [evidence_id_of(job) for job in jobs])
    return [_take_in_file(job, candidates.get(docs[job]), known, read) for job in jobs]


def file_url_of(job: IntakeJob) -> str:
    """The document's URL: where it was fetched from, or one made from its source and name."""
    return job.url or make_file_url(job.source, job.name)


def evidence_id_of(job: IntakeJob) -> str:
    """The id of the file's evidence; each content under a name has its own."""
    return derive_evidence_id(file_url_of(job), job.content_hash)


def _take_in_file(
    job: IntakeJob, candidate: IngestCandidate | None, known: Mapping[str, Evidence], read: Reader
) -> Outcome:
    url, key = file_url_of(job), evidence_id_of(job)
    doc_id = doc_id_of_url(url)
    previous = None if candidate is None else candidate.evidence_id
    if previous == key:
        return Outcome(note="unchanged")
    size, now_ms = read.blob_file(job.content_hash).stat().st_size, read.now_ms
    evidence = Evidence(
        evidence_id=key,
        url=url,
        content_hash=job.content_hash,
        doc_id=doc_id,
        source_slug=job.source,
        content_type=job.content_type,
        size=size,
        fetched_ms=now_ms,
    )
    document = Document(
        doc_id=doc_id,
        source_slug=job.source,
        url=url,
        title=PurePosixPath(job.name).name,
        first_seen_ms=now_ms,
    )
    place = DocumentSource(
        doc_id=doc_id, source_kind=FILE_SOURCE_KIND, source_ref=job.source, first_seen_ms=now_ms
    )
    events: list[Event] = [EvidenceStored(evidence_id=key, doc_id=doc_id, size=size)]
    if previous is not None:
        events.append(
            DocumentChanged(doc_id=doc_id, evidence_id=key, previous_evidence_id=previous)
        )
    # Content that comes back is judged again, although its evidence is old.
    visit = candidate.event_count if candidate is not None and key in known else 0
    reason = "given by hand" if previous is None else "another content given by hand"
    return Outcome(
        records=(evidence, document, place),
        moves=(Move(doc_id, find_ready_state(candidate), reason, evidence_id=key),),
        next=(NextJob("scout", ScoutJob(evidence_id=key, source=job.source, visit=visit)),),
        events=tuple(events),
    )
