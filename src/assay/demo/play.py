"""Playing the demo: the gazette's world, day by day, through the real pipeline."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from assay.app import App
from assay.app import runs as app_runs
from assay.app.composition import init_home
from assay.app.runs import Run
from assay.demo.server import DemoServer, serve_in_thread
from assay.demo.world import World
from assay.engine.worker import Worker
from assay.errors import InvalidInput
from assay.model.records import Endpoint, Source
from assay.settings import QueueSettings, Settings
from assay.store.database import plain_errors
from assay.store.upserts import upsert

HOST: Final = "gazette.demo.test"
"""The gazette's lasting name; the server's port changes from one start to the next."""
LABEL: Final = "demo"

Counts = dict[str, dict[str, int]]
"""stage → what became of its jobs → how many."""


@dataclass(frozen=True)
class DayReport:
    """What one day of the demo brought."""

    day: int
    run_id: str
    resumed: bool
    """Whether an interrupted run was taken up again."""
    jobs: Counts
    notes: Counts
    seconds: float


@dataclass
class Watchers:
    """Who is told how it goes; all may be left out."""

    day_began: Callable[[int, str, int | None], None] | None = None
    """(day, run id, jobs left where it is resumed, else None)"""
    tick: Callable[[Counts], None] | None = None
    day_ended: Callable[[DayReport], None] | None = None
    stop: threading.Event = field(default_factory=threading.Event)


def demo_settings(settings: Settings, base_url: str) -> Settings:
    """The same settings, with the gazette's name pointing at the server on loopback.

    The demo asks nobody but itself, so that it need not be polite to anyone.
    """
    return settings.model_copy(
        update={
            "hosts": {**settings.hosts, HOST: base_url},
            "queues": {"sentinel": QueueSettings(rate=0), **settings.queues},
        }
    )


def play(settings: Settings, *, days: int, seed: int, watchers: Watchers) -> list[DayReport]:
    """Run the pipeline over the days that this home has not seen; the last one again if none.

    Fewer reports than days mean that it was told to stop.
    """
    if days < 1:
        raise InvalidInput(f"{days} days are no demo.", advice="Use --days 1 or more.")
    with serve_in_thread(World(seed=seed)) as server:
        settings = demo_settings(settings, server.base_url)
        init_home(settings)
        with App(settings) as app:
            app.migrate()
            _register(app)
            worker = app.worker()
            worker.start()
            try:
                return _play(app, worker, server, days, seed, watchers)
            finally:
                worker.stop()


def _play(
    app: App, worker: Worker, server: DemoServer, days: int, seed: int, watchers: Watchers
) -> list[DayReport]:
    reports: list[DayReport] = []
    run = _newest(app, seed)
    unfinished = run if run is not None and run.state == app_runs.OPEN else None
    done = 0 if run is None else int(run.params["day"]) - (unfinished is not None)
    # A home that has seen all the days looks at the last one again, never back in time.
    first = max(done, 1) if unfinished is None and done >= days else done + 1
    for day in range(first, max(first, days) + 1):
        server.show(World(seed=seed, day=day))
        report = _one_day(app, worker, day, seed, unfinished, watchers)
        unfinished = None
        if report is None:
            break
        reports.append(report)
        if watchers.day_ended is not None:
            watchers.day_ended(report)
    return reports


def _one_day(
    app: App, worker: Worker, day: int, seed: int, unfinished: Run | None, watchers: Watchers
) -> DayReport | None:
    began = time.monotonic()
    left: int | None = None
    if unfinished is not None:
        run_id = unfinished.run_id
        left = app_runs.note_resumed(app, run_id)
    else:
        run_id = app_runs.start_run(app, label=LABEL, params={"day": day, "seed": seed})
    if watchers.day_began is not None:
        watchers.day_began(day, run_id, left)

    def tick() -> None:
        if watchers.tick is not None:
            watchers.tick(app_runs.run_counts(app, run_id))

    if not app_runs.see_through(app, worker, [run_id], stop=watchers.stop, on_tick=tick):
        return None
    tick()
    app_runs.seal_finished(app)
    return DayReport(
        day=day,
        run_id=run_id,
        resumed=left is not None,
        jobs=app_runs.run_counts(app, run_id),
        notes=app_runs.run_notes(app, run_id),
        seconds=time.monotonic() - began,
    )


def _newest(app: App, seed: int) -> Run | None:
    """The last day that was begun here; another seed would be another world."""
    found = [run for run in app_runs.list_runs(app, limit=1000) if run.label == LABEL]
    if not found:
        return None
    newest = max(found, key=lambda run: (int(run.params["day"]), run.started_ms))
    if newest.params["seed"] != seed:
        raise InvalidInput(
            f"This home holds the demo world of seed {newest.params['seed']}, not {seed}.",
            advice="Use another --home, or the same --seed.",
        )
    return newest


def _register(app: App) -> None:
    source = Source(
        source_slug="demo-gazette",
        name="Službeni list (demo)",
        base_url=f"http://{HOST}/",
        pack="regulatory",
        hierarchy=1,
        created_ms=app.clock.now_ms(),
    )
    endpoint = Endpoint(
        endpoint_id="demo-gazette/sitemap",
        source_slug=source.source_slug,
        url=f"http://{HOST}/sitemap.xml",
        strategy="SITEMAP_XML",
    )
    with plain_errors(), app.engine.begin() as connection:
        upsert(connection, [source])
        # Only where it is new: the row also remembers how the last look went.
        if connection.exec_driver_sql("SELECT count(*) FROM endpoints").scalar() == 0:
            upsert(connection, [endpoint])
