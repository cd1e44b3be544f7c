"""List: reads the references of a list, and hands them on in parts of a bounded size."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from assay.packs.literature.jobs import LIST_STAGE, RECORD_STAGE, ReferencesJob
from assay.packs.literature.listed import ListedReference, ListKind
from assay.packs.literature.records import ReferenceList
from assay.sdk.errors import AssayError, InvalidInput
from assay.sdk.records import Evidence, IngestCandidate, content_hash
from assay.sdk.services import Services
from assay.sdk.stages import (
    CandidateState,
    Failed,
    Log,
    Move,
    NextJob,
    Outcome,
    PackJob,
    QueueLimits,
    Reader,
    Result,
    Stage,
)

LIST = Stage(
    name=LIST_STAGE,
    version=1,
    payload=PackJob,
    queue=QueueLimits(),
    reads=frozenset({Evidence, IngestCandidate, ReferenceList}),
    writes=frozenset({IngestCandidate}),
    next=frozenset({RECORD_STAGE}),
    purpose="reads the references of a list",
)
_PART: Final = 1000
"""References that are recorded together."""
_MOST: Final = 2_000_000
log = Log("assay.packs.literature")


async def read_lists(jobs: Sequence[PackJob], read: Reader, services: Services) -> Sequence[Result]:
    """Read each list in a process of its own, within limits on time and memory."""
    evidence = await read.get_many(Evidence, [job.evidence_id for job in jobs])
    lists = await read.get_many(ReferenceList, {job.source for job in jobs})
    return [
        await read_one_list(evidence[job.evidence_id], lists.get(job.source), read, services)
        for job in jobs
    ]


async def read_one_list(
    evidence: Evidence, declared: ReferenceList | None, read: Reader, services: Services
) -> Result:
    """The references of a list, as jobs that record them."""
    if declared is None:
        return Failed(
            InvalidInput(
                f"'{evidence.source_slug}' is not a list.",
                advice="Add it with 'assay literature add'.",
            )
        )
    file, kind = read.blob_file(evidence.content_hash), ListKind(declared.kind)
    try:
        parts, notes = await services.pool.run(divide_list, file, kind, _MOST)
    except AssayError as error:
        blocked = Move(evidence.doc_id, CandidateState.BLOCKED, error.what)
        return Failed(error, last=Outcome(moves=(blocked,)))
    for note in notes:
        log.warning("list_not_read_whole", f"{declared.list_id}: {note}", source=declared.list_id)
    if not parts:
        reason = "the list has no references" + (f": {notes[0]}" if notes else "")
        return Outcome(
            moves=(Move(evidence.doc_id, CandidateState.BLOCKED, reason),), note="blocked"
        )
    return Outcome(
        moves=(move_to_ingested(evidence, "its references were read"),),
        blobs=tuple(parts),
        next=tuple(
            NextJob(
                RECORD_STAGE,
                ReferencesJob(
                    source=declared.list_id,
                    kind=kind,
                    content_hash=content_hash(part),
                    evidence_id=evidence.evidence_id,
                ),
            )
            for part in parts
        ),
    )


def move_to_ingested(evidence: Evidence, reason: str) -> Move:
    """The end of a document's intake, unless a newer version has arrived meanwhile."""
    return Move(
        evidence.doc_id,
        CandidateState.INGESTED,
        reason,
        evidence_id=evidence.evidence_id,
        only_with=evidence.evidence_id,
        only_from=CandidateState.READY,
    )


def divide_list(file: Path, kind: ListKind, most: int) -> tuple[list[bytes], list[str]]:
    """Read a list; return its references in parts, and what could not be read."""
    # Only the processes that read lists need their patterns, which take long to compile.
    from assay.packs.literature.lists import parse_list

    parsed = parse_list(file.read_bytes(), kind, most=most)
    notes = [str(note) for note in parsed.notes[:20]]
    if parsed.left_out:
        notes.append(f"{parsed.left_out} references beyond {most} were left out.")
    return encode_references(parsed.references), notes


def encode_references(references: Sequence[ListedReference]) -> list[bytes]:
    """References as stored bytes: one JSON object a line, in parts of a bounded size."""
    return [
        b"".join(
            each.model_dump_json(exclude_defaults=True).encode() + b"\n"
            for each in references[at : at + _PART]
        )
        for at in range(0, len(references), _PART)
    ]
