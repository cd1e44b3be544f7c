"""From a document to notices, and from a notice to a grade."""

import re
from collections.abc import Iterable, Sequence
from typing import ClassVar

from assay.sdk.records import Artifact, Evidence, IngestCandidate, ReviewRequest, derive_id
from assay.sdk.services import Services
from assay.sdk.stages import (
    CandidateState,
    Event,
    Move,
    NextJob,
    Outcome,
    PackJob,
    Payload,
    QueueLimits,
    Reader,
    Result,
    Stage,
)

from .records import FerryNotice

_LINE = re.compile(r"Line (?P<line>\w+) (?P<words>is cancelled|runs as planned|may not run)[^.]*\.")
_STATUS = {"is cancelled": "cancelled", "runs as planned": "runs", "may not run": "unclear"}
_DAY_MS = 86_400_000


class GradeJob(Payload):
    """Grade one notice."""

    notice_id: str

    @property
    def subject(self) -> str:
        return self.notice_id


class LineCancelled(Event):
    """A notice says that a line does not run."""

    tag: ClassVar[str] = "ferries.line_cancelled"
    line: str


READ = Stage(
    name="ferries_read",
    version=1,
    payload=PackJob,
    queue=QueueLimits(),
    reads=frozenset({Evidence, Artifact}),
    writes=frozenset({FerryNotice, IngestCandidate}),
    next=frozenset({"ferries_grade"}),
    batch=20,
    purpose="reads the notices of a document",
)
GRADE = Stage(
    name="ferries_grade",
    version=1,
    payload=GradeJob,
    queue=QueueLimits(),
    reads=frozenset({FerryNotice}),
    writes=frozenset({FerryNotice, ReviewRequest}),
    batch=50,
    # A schedule begins here, too.
    once="run",
    entry=True,
    purpose="grades a notice, or asks a person what it means",
)


async def read_notices(
    jobs: Sequence[PackJob], read: Reader, services: Services
) -> Sequence[Result]:
    """The notices of each document."""
    evidence = await read.get_many(Evidence, [job.evidence_id for job in jobs])
    return [await _read_one(evidence[job.evidence_id], read) for job in jobs]


async def _read_one(evidence: Evidence, read: Reader) -> Outcome:
    artifact = await read.get(Artifact, str(evidence.primary_text_artifact_id))
    assert artifact is not None
    text = (await read.blob(artifact.content_hash)).decode()
    notices = [
        FerryNotice(
            notice_id=derive_id("fn", evidence.evidence_id, str(found.start())),
            doc_id=evidence.doc_id,
            evidence_id=evidence.evidence_id,
            line=found["line"],
            status=_STATUS[found["words"]],
            quote=found.group(),
        )
        for found in _LINE.finditer(text)
    ]
    ingested = Move(
        evidence.doc_id,
        CandidateState.INGESTED,
        "its notices were read",
        evidence_id=evidence.evidence_id,
        only_with=evidence.evidence_id,
        only_from=CandidateState.READY,
    )
    return Outcome(
        records=tuple(notices),
        moves=(ingested,),
        next=tuple(NextJob(GRADE.name, GradeJob(notice_id=n.notice_id)) for n in notices),
        note="done" if notices else "empty",
    )


async def grade(jobs: Sequence[GradeJob], read: Reader, services: Services) -> Sequence[Result]:
    """Whether a notice can be published, or a person has to say what it means."""
    notices = await read.get_many(FerryNotice, [job.notice_id for job in jobs])
    return [_graded(notices[job.notice_id], read.now_ms) for job in jobs]


def _graded(notice: FerryNotice, now_ms: int) -> Outcome:
    if notice.state != "READ":
        return Outcome(note="unchanged")
    if notice.status != "unclear":
        return Outcome(
            records=(notice.model_copy(update={"state": "GRADED"}),),
            events=(LineCancelled(line=notice.line),) if notice.status == "cancelled" else (),
        )
    question = ReviewRequest(
        request_id=derive_id("rq", "ferry_notice", notice.notice_id),
        reason="UNCLEAR",
        subject_kind="ferry_notice",
        subject=notice.notice_id,
        question=f"Does line {notice.line} run? It says: {notice.quote}",
        created_ms=now_ms,
        deadline_ms=now_ms + _DAY_MS,
    )
    return Outcome(records=(notice.model_copy(update={"state": "ASKED"}), question), note="asked")


def regrade(services: Services) -> Iterable[tuple[str, Payload]]:
    """Look at every notice again; one that has a grade keeps it."""
    for notice in services.read_records(FerryNotice):
        yield GRADE.name, GradeJob(notice_id=notice.notice_id)


def count_notices(services: Services) -> float:
    return float(len(services.read_records(FerryNotice)))


def has_no_backlog(services: Services) -> tuple[bool, str]:
    waiting = len(services.read_records(FerryNotice, state="ASKED"))
    return waiting == 0, f"{waiting} notices wait for a person"
