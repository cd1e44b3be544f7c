"""A small pipeline without a network, whose books are easy to check."""

import asyncio
from collections.abc import Sequence

import sqlalchemy as sa

from assay.app import App
from assay.engine.contract import (
    BoundStage,
    NextJob,
    Outcome,
    Payload,
    Pipeline,
    QueueLimits,
    Result,
    Stage,
    StageFunction,
)
from assay.engine.jobs import NewJob
from assay.engine.reader import Reader
from assay.events import EvidenceStored
from assay.model.hashes import content_hash
from assay.model.ids import derive_evidence_id
from assay.model.lifecycle import CandidateState, Move
from assay.model.records import Document, DocumentSource, Evidence, IngestCandidate
from assay.store import tables as t

RUN = "toy-run"


class Seed(Payload):
    """How many documents are to be made."""

    count: int

    @property
    def subject(self) -> str:
        return f"seed-{self.count}"


class Named(Payload):
    """One document."""

    name: str

    @property
    def subject(self) -> str:
        return self.name

    @property
    def source_slug(self) -> str:
        return "toy"


PLANT = Stage(
    name="plant", version=1, payload=Seed, queue=QueueLimits(), entry=True, next=frozenset({"grow"})
)
GROW = Stage(
    name="grow",
    version=1,
    payload=Named,
    queue=QueueLimits(),
    writes=frozenset({Document, Evidence, IngestCandidate}),
    next=frozenset({"reap"}),
    batch=10,
)
REAP = Stage(
    name="reap",
    version=1,
    payload=Named,
    queue=QueueLimits(),
    reads=frozenset({Document}),
    writes=frozenset({DocumentSource, IngestCandidate}),
    batch=10,
)


async def plant(jobs: Sequence[Seed], read: Reader) -> Sequence[Result]:
    return [
        Outcome(next=tuple(NextJob("grow", Named(name=f"d{n:04}")) for n in range(job.count)))
        for job in jobs
    ]


async def grow(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
    return [_grown(job) for job in jobs]


def _grown(job: Named) -> Outcome:
    body = f"the document {job.name}".encode()
    url = f"http://toy.test/{job.name}"
    evidence = Evidence(
        evidence_id=derive_evidence_id(url, content_hash(body)),
        url=url,
        content_hash=content_hash(body),
        doc_id=job.name,
        source_slug="toy",
        content_type="text/plain",
        size=len(body),
    )
    return Outcome(
        records=(Document(doc_id=job.name, source_slug="toy", url=url), evidence),
        moves=(Move(job.name, CandidateState.READY, "grown", evidence_id=evidence.evidence_id),),
        next=(NextJob("reap", job),),
        events=(EvidenceStored(evidence_id=evidence.evidence_id, doc_id=job.name, size=len(body)),),
        blobs=(body,),
    )


async def reap(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
    found = await read.get_many(Document, [job.name for job in jobs])
    await asyncio.sleep(0.005)
    return [
        Outcome(
            records=(
                DocumentSource(doc_id=job.name, source_kind="toy", source_ref=found[job.name].url),
            ),
            moves=(Move(job.name, CandidateState.INGESTED, "reaped"),),
        )
        for job in jobs
    ]


def toy_pipeline(*, grow_with: StageFunction = grow, reap_with: StageFunction = reap) -> Pipeline:
    return Pipeline(
        [BoundStage(PLANT, plant), BoundStage(GROW, grow_with), BoundStage(REAP, reap_with)]
    )


def sow(app: App, count: int, run_id: str = RUN) -> None:
    """Write down the first job of a run."""
    now_ms = app.clock.now_ms()
    with app.engine.begin() as connection:
        app.book.schedule(connection, [NewJob("plant", Seed(count=count), run_id)], now_ms)


def left(app: App) -> int:
    with app.engine.connect() as connection:
        query = sa.select(sa.func.count()).select_from(t.job).where(t.job.c.state == "queued")
        return int(connection.execute(query).scalar() or 0)


def rows(app: App, table: sa.Table) -> int:
    with app.engine.connect() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar() or 0)


def check_books(app: App, count: int) -> None:
    wrong = unbalanced(app, count)
    assert not wrong, f"the books do not balance: {wrong}"


def unbalanced(app: App, count: int) -> dict[str, object]:
    """What was lost, stored twice or scheduled twice; nothing, if all is well."""
    jobs = 1 + 2 * count
    with app.engine.connect() as connection:
        by_state = sa.select(t.job.c.state, sa.func.count()).group_by(t.job.c.state)
        states: dict[str, int] = {row[0]: row[1] for row in connection.execute(by_state)}
        doubled = connection.execute(
            sa.select(t.progress.c.job_id)
            .where(t.progress.c.outcome == "done")
            .group_by(t.progress.c.job_id)
            .having(sa.func.count() > 1)
        ).all()
        candidates = connection.execute(
            sa.select(t.candidate.c.state, t.candidate.c.event_count).distinct()
        ).all()
        stored = sa.select(sa.func.count()).where(t.event.c.tag == EvidenceStored.tag)
        events = connection.execute(stored).scalar()
    found = {
        "jobs": states,
        "done twice": [row[0] for row in doubled],
        "progress": rows(app, t.progress),
        "documents": rows(app, t.document),
        "evidence": rows(app, t.evidence),
        "document sources": rows(app, t.document_source),
        "candidates": [tuple(row) for row in candidates],
        "candidate events": rows(app, t.candidate_event),
        "events": events,
        "dead letters": rows(app, t.dead_letter),
        "bytes missing": [hash_ for hash_ in _hashes(app) if hash_ not in app.blobs],
    }
    expected = {
        "jobs": {"done": jobs},
        "done twice": [],
        "progress": jobs,
        "documents": count,
        "evidence": count,
        "document sources": count,
        "candidates": [("ingested", 2)],
        "candidate events": 2 * count,
        "events": count,
        "dead letters": 0,
        "bytes missing": [],
    }
    return {name: value for name, value in found.items() if value != expected[name]}


def _hashes(app: App) -> list[str]:
    with app.engine.connect() as connection:
        return list(connection.execute(sa.select(t.evidence.c.content_hash)).scalars())
