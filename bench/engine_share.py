"""What durability costs beside scouting: the engine's own CPU around the real scout stage."""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app import App
from assay.app.composition import init_home
from assay.app.spine import GIVEN
from assay.demo import World
from assay.engine.contract import BoundStage, Pipeline, Result, Stage
from assay.engine.jobs import NewJob
from assay.engine.loop import LoopThread
from assay.engine.reader import Reader
from assay.model.hashes import content_hash
from assay.model.ids import evidence_id
from assay.model.records import Evidence
from assay.settings import load
from assay.sources.fetching import Fetcher
from assay.stages.fetch import FETCH, fetch
from assay.stages.payloads import ScoutJob
from assay.stages.router import ROUTER, router
from assay.stages.scout import SCOUT, scout
from assay.stages.sentinel import SENTINEL, sentinel
from assay.store import tables as t
from assay.store.upserts import upsert

_WORLDS = 12
_DOCUMENTS = 100


class _Watch:
    """Counts the CPU that goes into a stage's own function."""

    def __init__(self) -> None:
        self.seconds = 0.0

    async def scout(self, jobs: Sequence[ScoutJob], read: Reader) -> Sequence[Result]:
        began = time.process_time()
        try:
            return await scout(jobs, read)
        finally:
            self.seconds += time.process_time() - began


def gazette_pages() -> list[bytes]:
    """The pages of a dozen demo worlds, each once."""
    pages: dict[bytes, None] = {}
    for seed in range(_WORLDS):
        world = World(seed=seed, documents=_DOCUMENTS).pages()
        pages.update((page.body, None) for path, page in world.items() if path.endswith(".html"))
    return list(pages)


def lengthened(pages: Sequence[bytes], times: int) -> list[bytes]:
    """Pages as long as real acts are: the same furniture around that much more text."""
    return [
        page.replace(b"</main>", b"") + page.partition(b"<main")[2] * (times - 1) for page in pages
    ]


def share(pages: Sequence[bytes], database_url: str | None) -> dict[str, Any]:
    """CPU per document of scouting itself, and of the engine around it."""
    watch = _Watch()
    fetcher = Fetcher()
    pipeline = Pipeline(
        [
            BoundStage(SENTINEL, sentinel(fetcher)),
            BoundStage(FETCH, fetch(fetcher)),
            BoundStage(SCOUT, watch.scout),
            BoundStage(ROUTER, router),
        ],
        given=GIVEN,
    )
    with tempfile.TemporaryDirectory() as folder:
        settings = load(home=Path(folder) / "home", env={}, database_url=database_url)
        init_home(settings)
        with App(settings, pipeline=pipeline) as app:
            app.migrate()
            _prepare(app, pages)
            total = _scout_all(app, SCOUT)
    return {
        "documents": len(pages),
        "mean_bytes": sum(map(len, pages)) // len(pages),
        "scouting_us": round(1e6 * watch.seconds / len(pages), 1),
        "engine_us": round(1e6 * (total - watch.seconds) / len(pages), 1),
        "share": round((total - watch.seconds) / watch.seconds, 4),
    }


def _prepare(app: App, pages: Sequence[bytes]) -> None:
    evidence = []
    for number, body in enumerate(pages):
        app.blobs.put(body)
        url, hash_of_content = f"http://bench.test/{number}", content_hash(body)
        evidence.append(
            Evidence(
                evidence_id=evidence_id(url, hash_of_content),
                url=url,
                content_hash=hash_of_content,
                doc_id=str(number),
                source_slug="bench",
                content_type="text/html",
                size=len(body),
            )
        )
    with app.engine.begin() as connection:
        upsert(connection, evidence)
        jobs = [
            NewJob("scout", ScoutJob(evidence_id=entry.evidence_id, source="bench"), "bench")
            for entry in evidence
        ]
        app.book.schedule(connection, jobs, app.clock.now_ms())


def _scout_all(app: App, stage: Stage) -> float:
    """Run every batch of the stage in this thread; the CPU of the whole process."""
    query = sa.select(t.job.c.batch_id).where(t.job.c.stage == stage.name).distinct()
    with app.engine.connect() as connection:
        batches = list(connection.execute(query).scalars())
    loop = LoopThread()
    loop.start()
    runner = app.runner(app.committer(), loop)
    began = time.process_time()
    for batch_id in batches:
        runner.run(batch_id, stage.name)
    spent = time.process_time() - began
    loop.stop()
    return spent
