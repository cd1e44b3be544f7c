"""What durability costs beside scouting: the engine's own CPU around the real scout stage.

Scouting is done by processes of the process pool, so its CPU is theirs and that of the stage's own
function here. All else that this process does for a document is the engine: loading the batch,
checking it, storing bytes and records, scheduling what follows. The CPU of a database server is not
counted.
"""

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from tests.gazette.world import World

from assay.app import App
from assay.app.composition import init_home
from assay.app.installed_packs import load_all_packs
from assay.app.pipeline import GIVEN, build_pipeline
from assay.app.tools import build_tools
from assay.engine.contract import BoundStage, Pipeline, Result, StageFunction
from assay.engine.jobs import NewJob
from assay.engine.loop import LoopThread
from assay.engine.process_pool import ProcessPool
from assay.engine.reader import Reader
from assay.model.hashes import content_hash
from assay.model.ids import derive_evidence_id
from assay.model.records import Evidence
from assay.settings import load_settings
from assay.spine.payloads import ScoutJob
from assay.spine.scouting.task import ScoutOptions, scout_bytes
from assay.store import tables as t
from assay.store.blobs import BlobStore
from assay.store.upserts import upsert_records

_WORLDS = 6
_DOCUMENTS = 100
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_STAGE = "scout"


class _Storing:
    """Counts the CPU that goes into storing bytes: the larger part of what the engine does here."""

    def __init__(self, blobs: BlobStore) -> None:
        self._put_all = blobs.put_all
        self.seconds = 0.0

    def put_all(self, pieces: Sequence[bytes]) -> list[str]:
        began = time.process_time()
        try:
            return self._put_all(pieces)
        finally:
            self.seconds += time.process_time() - began


class _Watch:
    """Counts the CPU of this process that goes into a stage's own function."""

    def __init__(self, function: StageFunction) -> None:
        self._function = function
        self.seconds = 0.0

    async def work(self, jobs: Sequence[ScoutJob], read: Reader) -> Sequence[Result]:
        began = time.process_time()
        try:
            return await self._function(jobs, read)
        finally:
            self.seconds += time.process_time() - began


def _readers_cpu_s() -> float:
    """CPU of the processes that this one has started and that still run."""
    spent = 0.0
    for task in Path("/proc/self/task").iterdir():
        for process in (task / "children").read_text().split():
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            # User and system time, the 14th and the 15th field.
            spent += (int(fields[11]) + int(fields[12])) * _TICK_S
    return spent


def gazette_pages() -> list[bytes]:
    """The pages of a few demo worlds, each once."""
    pages: dict[bytes, None] = {}
    for seed in range(_WORLDS):
        world = World(seed=seed, documents=_DOCUMENTS).build_pages()
        pages.update((page.body, None) for path, page in world.items() if path.endswith(".html"))
    return list(pages)


def lengthened(pages: Sequence[bytes], times: int) -> list[bytes]:
    """Pages as long as real acts are: the same furniture around that much more text."""
    return [
        page.replace(b"</main>", b"") + page.partition(b"<main")[2] * (times - 1) for page in pages
    ]


def share(pages: Sequence[bytes], database_url: str | None) -> dict[str, Any]:
    """CPU per document of scouting itself, and of the engine around it."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(home=Path(folder) / "home", env={}, database_url=database_url)
        init_home(settings)
        tools = build_tools(settings)
        built = build_pipeline(tools, load_all_packs())
        watch = _Watch(built.function(_STAGE))
        functions = {stage.name: built.function(stage.name) for stage in built.stages}
        functions[_STAGE] = watch.work
        pipeline = Pipeline(
            [BoundStage(stage, functions[stage.name]) for stage in built.stages], given=GIVEN
        )
        with App(settings, pipeline=pipeline) as app:
            app.migrate()
            _prepare(app, pages)
            loop = LoopThread()
            loop.start()
            storing = _Storing(app.blobs)
            app.blobs.put_all = storing.put_all  # type: ignore[method-assign]
            loop.submit(_warmed_up(tools.pool, pages[0], tools.scout)).result(timeout=120)
            total, in_readers = _scout_all(app, loop)
            loop.submit(tools.close()).result(timeout=30)
            loop.stop()
    scouting, engine = watch.seconds + in_readers, total - watch.seconds
    return {
        "documents": len(pages),
        "mean_bytes": sum(map(len, pages)) // len(pages),
        "scouting_us": round(1e6 * scouting / len(pages), 1),
        "of_it_in_readers_us": round(1e6 * in_readers / len(pages), 1),
        "engine_us": round(1e6 * engine / len(pages), 1),
        "of_it_storing_bytes_us": round(1e6 * storing.seconds / len(pages), 1),
        "share": round(engine / scouting, 4),
        "share_without_storing_bytes": round((engine - storing.seconds) / scouting, 4),
    }


async def _warmed_up(pool: ProcessPool, page: bytes, options: ScoutOptions) -> None:
    """What it takes to start a process is no part of any document's cost."""
    await pool.run_each(scout_bytes, [(page, None, options)] * 32 * pool.size)


def _prepare(app: App, pages: Sequence[bytes]) -> None:
    evidence = []
    for number, body in enumerate(pages):
        app.blobs.put(body)
        url, hash_of_content = f"http://bench.test/{number}", content_hash(body)
        evidence.append(
            Evidence(
                evidence_id=derive_evidence_id(url, hash_of_content),
                url=url,
                content_hash=hash_of_content,
                doc_id=str(number),
                source_slug="bench",
                content_type="text/html",
                size=len(body),
            )
        )
    with app.engine.begin() as connection:
        upsert_records(connection, evidence)
        jobs = [
            NewJob("scout", ScoutJob(evidence_id=entry.evidence_id, source="bench"), "bench")
            for entry in evidence
        ]
        app.book.schedule(connection, jobs, app.clock.now_ms())


def _scout_all(app: App, loop: LoopThread) -> tuple[float, float]:
    """Run every batch of the stage in this thread; CPU of this process, and of its readers."""
    query = sa.select(t.job.c.batch_id).where(t.job.c.stage == _STAGE).distinct()
    with app.engine.connect() as connection:
        batches = list(connection.execute(query).scalars())
    runner = app.make_runner(app.make_committer(), loop)
    readers, began = _readers_cpu_s(), time.process_time()
    for batch_id in batches:
        runner.run(batch_id, _STAGE)
    spent = time.process_time() - began
    _require_all_done(app)
    return spent, _readers_cpu_s() - readers


def _require_all_done(app: App) -> None:
    query = sa.select(sa.func.count()).where(t.job.c.stage == _STAGE, t.job.c.state != "done")
    with app.engine.connect() as connection:
        if left := connection.execute(query).scalar_one():
            raise RuntimeError(f"{left} documents were not scouted")
