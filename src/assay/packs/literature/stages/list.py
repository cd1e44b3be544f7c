"""List: reads the references of a list piece by piece, and hands them on in parts.

Each piece is a job of its own, which begins where the one before it ended. It can be killed and
repeated, and one that cannot be read does not keep the others from being read.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from assay.packs.literature.jobs import (
    LIST_STAGE,
    PIECE_STAGE,
    RECORD_STAGE,
    ListPieceJob,
    ReferencesJob,
)
from assay.packs.literature.listed import ListKind, ListPiece, PiecePlace
from assay.packs.literature.records import ReferenceList
from assay.sdk.errors import AssayError, ContentHostile, InvalidInput
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
    next=frozenset({PIECE_STAGE, RECORD_STAGE}),
    purpose="reads the references of a list",
)
PIECE = Stage(
    name=PIECE_STAGE,
    version=1,
    payload=ListPieceJob,
    queue=QueueLimits(),
    reads=frozenset({Evidence, IngestCandidate, ReferenceList}),
    writes=frozenset({IngestCandidate}),
    next=frozenset({PIECE_STAGE, RECORD_STAGE}),
    purpose="reads a further piece of a long list",
)
WINDOW_BYTES: Final = 2_000_000
"""What is in memory at a time; a piece of a longer list takes up a quarter to a half of it."""
log = Log("assay.packs.literature")


async def read_lists(jobs: Sequence[PackJob], read: Reader, services: Services) -> Sequence[Result]:
    """Read the first piece of each list, in a process with limits on time and memory."""
    evidence = await read.get_many(Evidence, [job.evidence_id for job in jobs])
    lists = await read.get_many(ReferenceList, {job.source for job in jobs})
    return [
        await read_one_list(evidence[job.evidence_id], lists.get(job.source), read, services)
        for job in jobs
    ]


async def read_one_list(
    evidence: Evidence, declared: ReferenceList | None, read: Reader, services: Services
) -> Result:
    """The references at the beginning of a list, and the job that reads on."""
    if declared is None:
        return Failed(
            InvalidInput(
                f"'{evidence.source_slug}' is not a list.",
                advice="Add it with 'assay literature add'.",
            )
        )
    reading = _ListReading(evidence, declared, read, services)
    try:
        return reading.hand_on(PiecePlace(), await reading.read(PiecePlace()))
    except AssayError as error:
        if isinstance(error, ContentHostile) and evidence.size > WINDOW_BYTES:
            error.advice = (
                "Only Markdown, BibTeX, RIS, CSV and JSON are read in pieces. "
                "Divide a long list of another format into several files."
            )
        blocked = Move(evidence.doc_id, CandidateState.BLOCKED, error.what)
        return Failed(error, last=Outcome(moves=(blocked,)))


async def read_pieces(
    jobs: Sequence[ListPieceJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Read a further piece of each list."""
    evidence = await read.get_many(Evidence, [job.evidence_id for job in jobs])
    lists = await read.get_many(ReferenceList, {job.source for job in jobs})
    return [
        await _ListReading(
            evidence[job.evidence_id], lists[job.source], read, services, job.found, job.unread
        ).read_on(job)
        for job in jobs
    ]


class _ListReading:
    """A list that is being read."""

    def __init__(
        self,
        evidence: Evidence,
        declared: ReferenceList,
        read: Reader,
        services: Services,
        found: int = 0,
        unread: int = 0,
    ) -> None:
        self._evidence = evidence
        self._declared = declared
        self._reader = read
        self._pool = services.pool
        self._found = found
        self._unread = unread
        self._file = read.blob_file(evidence.content_hash)

    async def read(self, at: PiecePlace) -> ListPiece:
        kind = ListKind(self._declared.kind)
        return await self._pool.run(read_list_piece, self._file, kind, at, WINDOW_BYTES)

    async def read_on(self, job: ListPieceJob) -> Result:
        """Read a piece; if that fails, say so, and continue with the next."""
        state, shared = [await self._reader.blob(each) for each in (job.state, job.shared)]
        at = PiecePlace(job.start, job.place, state, shared, job.follows_gap)
        try:
            return self.hand_on(at, await self.read(at))
        except AssayError as error:
            following = await self._pool.run(skip_list_piece, self._file, at, WINDOW_BYTES)
            self._unread += 1
            return Failed(error, last=self._continue(following, []))

    def hand_on(self, at: PiecePlace, piece: ListPiece) -> Outcome:
        """Record the references of a piece, and read on or finish."""
        slug, kind = self._declared.list_id, self._declared.kind
        for note in piece.notes:
            log.warning("list_not_read_whole", f"{slug}: {note}", source=slug)
        self._found += piece.count
        records = [
            NextJob(
                RECORD_STAGE,
                ReferencesJob(
                    source=slug,
                    kind=kind,
                    content_hash=content_hash(part),
                    evidence_id=self._evidence.evidence_id,
                    place=at.place,
                ),
            )
            for part in piece.parts
        ]
        following = piece.following
        kept = () if following is None else (following.state, following.shared)
        outcome = self._continue(following, piece.notes)
        return Outcome(
            moves=outcome.moves,
            blobs=(*piece.parts, *kept),
            next=(*records, *outcome.next),
            note=outcome.note,
        )

    def _continue(self, following: PiecePlace | None, notes: Sequence[str]) -> Outcome:
        if following is not None:
            job = ListPieceJob(
                source=self._declared.list_id,
                evidence_id=self._evidence.evidence_id,
                start=following.start,
                place=following.place,
                state=content_hash(following.state),
                shared=content_hash(following.shared),
                follows_gap=following.follows_gap,
                found=self._found,
                unread=self._unread,
            )
            return Outcome(next=(NextJob(PIECE_STAGE, job),))
        if not self._found:
            reason = "the list has no references" + (f": {notes[0]}" if notes else "")
            blocked = Move(self._evidence.doc_id, CandidateState.BLOCKED, reason)
            return Outcome(moves=(blocked,), note="blocked")
        reason = "its references were read"
        if self._unread:
            reason += f", except for {self._unread} pieces; 'assay dead list' shows why"
        return Outcome(moves=(move_to_ingested(self._evidence, reason),))


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


def read_list_piece(file: Path, kind: ListKind, at: PiecePlace, size: int) -> ListPiece:
    """Read a piece of a list."""
    # Only the processes that read lists need their patterns, which take long to compile.
    from assay.packs.literature.lists.pieces import read_piece

    return read_piece(file, kind, at, size)


def skip_list_piece(file: Path, at: PiecePlace, size: int) -> PiecePlace | None:
    """The piece after one that cannot be read."""
    from assay.packs.literature.lists.pieces import skip_piece

    return skip_piece(file, at, size)
