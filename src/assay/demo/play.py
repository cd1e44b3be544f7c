"""Playing the demo: the invented country, day by day, through the real pipeline."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import sqlalchemy as sa

from assay.app import App
from assay.app import runs as app_runs
from assay.app.composition import init_home
from assay.app.runs import Run
from assay.demo.country import Country, hosts, publishers
from assay.demo.server import DemoServer, serve_in_thread
from assay.engine.worker import Worker
from assay.errors import InvalidInput
from assay.settings import QueueSettings, Settings
from assay.store import tables as t
from assay.store.database import plain_errors
from assay.store.upserts import upsert

HOST: Final = "gazette.demo.test"
"""The gazette's lasting name, one of many of the country."""
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
    """The same settings, with the names of all sites pointing at the server on loopback.

    The demo asks nobody but itself, so that it need not be polite to anyone.
    """
    return settings.model_copy(
        update={
            "hosts": {**settings.hosts, **dict.fromkeys(hosts(), base_url)},
            "queues": {"sentinel": QueueSettings(rate=0), **settings.queues},
        }
    )


def play(
    settings: Settings,
    *,
    days: int,
    watchers: Watchers,
    documents: frozenset[str] | None = None,
) -> list[DayReport]:
    """Run the pipeline over the days that this home has not seen; the last one again if none.

    Fewer reports than days mean that it was told to stop. `documents` leaves out all others.
    """
    if days < 1:
        raise InvalidInput(f"{days} days are no demo.", advice="Use --days 1 or more.")
    with serve_in_thread(Country(documents=documents)) as server:
        settings = demo_settings(settings, server.base_url)
        init_home(settings)
        with App(settings) as app:
            app.migrate()
            register(app)
            worker = app.worker()
            worker.start()
            try:
                return _play(app, worker, server, days, watchers, documents)
            finally:
                worker.stop()


def _play(
    app: App,
    worker: Worker,
    server: DemoServer,
    days: int,
    watchers: Watchers,
    documents: frozenset[str] | None,
) -> list[DayReport]:
    reports: list[DayReport] = []
    run = _newest(app)
    unfinished = run if run is not None and run.state == app_runs.OPEN else None
    done = 0 if run is None else int(run.params["day"]) - (unfinished is not None)
    # A home that has seen all the days looks at the last one again, never back in time.
    first = max(done, 1) if unfinished is None and done >= days else done + 1
    for day in range(first, max(first, days) + 1):
        server.show(Country(day, documents))
        report = _one_day(app, worker, day, unfinished, watchers)
        unfinished = None
        if report is None:
            break
        reports.append(report)
        if watchers.day_ended is not None:
            watchers.day_ended(report)
    return reports


def _one_day(
    app: App, worker: Worker, day: int, unfinished: Run | None, watchers: Watchers
) -> DayReport | None:
    began = time.monotonic()
    left: int | None = None
    if unfinished is not None:
        run_id = unfinished.run_id
        left = app_runs.note_resumed(app, run_id)
    else:
        run_id = app_runs.start_run(app, label=LABEL, params={"day": day})
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


def _newest(app: App) -> Run | None:
    """The last day that was begun here."""
    found = [run for run in app_runs.list_runs(app, limit=1000) if run.label == LABEL]
    return max(found, key=lambda run: (int(run.params["day"]), run.started_ms), default=None)


def register(app: App) -> None:
    """Let the home watch everybody who publishes in the country."""
    now_ms = app.clock.now_ms()
    with plain_errors(), app.engine.begin() as connection:
        known = set(connection.execute(sa.select(t.source.c.source_slug)).scalars())
        # Only where they are new: an endpoint's row also remembers how the last look went.
        new = [entry for entry in publishers() if entry.source.source_slug not in known]
        upsert(
            connection,
            [entry.source.model_copy(update={"created_ms": now_ms}) for entry in new],
        )
        upsert(connection, [entry.endpoint for entry in new])
