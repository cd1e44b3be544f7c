"""Plays the demo: runs the packs' invented sites, day by day, through the real pipeline."""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import sqlalchemy as sa

from assay.app import App
from assay.app import runs as app_runs
from assay.app.composition import init_home
from assay.app.installed_packs import load_all_packs, load_pack
from assay.app.runs import Run
from assay.demo.server import DemoServer, serve_in_thread
from assay.engine.worker import Worker
from assay.errors import InvalidInput
from assay.sdk.demo import Demo, SitePage
from assay.settings import QueueSettings, Settings
from assay.store import tables as t
from assay.store.database import explain_errors, outlast
from assay.store.row_hashes import record_row_hashes
from assay.store.upserts import upsert_records

LABEL: Final = "demo"
"""The label of its runs. Only the demo can finish them, since nothing else serves their sites."""

Counts = dict[str, dict[str, int]]
"""stage → state or outcome → count."""


@dataclass(frozen=True)
class DayReport:
    """What happened on one day of the demo."""

    day: int
    run_id: str
    resumed: bool
    """Whether an interrupted run was resumed."""
    jobs: Counts
    notes: Counts
    seconds: float


@dataclass
class DemoCallbacks:
    """Callbacks that report progress; all are optional."""

    day_began: Callable[[int, str, int | None], None] | None = None
    """(day, run id, jobs left if it is resumed, otherwise None)"""
    tick: Callable[[Counts], None] | None = None
    day_ended: Callable[[DayReport], None] | None = None
    stop: threading.Event = field(default_factory=threading.Event)


def load_demos() -> dict[str, Demo]:
    """The demos of all installed packs that have one, by pack name."""
    found = {name: pack.demo() for name, pack in load_all_packs().items() if pack.demo is not None}
    owners: dict[str, str] = {}
    for name, demo in found.items():
        for slug in (source.source_slug for source in demo.sources):
            if owners.setdefault(slug, name) != name:
                raise InvalidInput(
                    f"The demos of '{owners[slug]}' and '{name}' both have a source '{slug}'.",
                    advice="Rename it in one of the two packs.",
                )
    return found


def choose_demos(demos: Mapping[str, Demo], pack: str | None = None) -> dict[str, Demo]:
    """The demos to play: all, or that of one pack."""
    chosen = {name: demo for name, demo in demos.items() if pack in (None, name)}
    if chosen:
        return chosen
    if pack is not None:
        load_pack(pack)  # Raises an error if it is not even installed.
    raise InvalidInput(
        "No installed pack has a demo." if pack is None else f"The pack '{pack}' has no demo.",
        advice=f"Packs with a demo: {', '.join(demos) or 'none'}.",
    )


@dataclass(frozen=True)
class DemoSites:
    """The sites of several demos on one day, behind one server."""

    demos: Collection[Demo]
    day: int

    def build_pages(self) -> dict[str, SitePage]:
        """Every page by its host and path."""
        found: dict[str, SitePage] = {}
        for demo in self.demos:
            found |= demo.pages(min(self.day, demo.last_day))
        return found


def build_demo_settings(settings: Settings, base_url: str, hosts: Iterable[str]) -> Settings:
    """The same settings, with the names of all sites pointing to the server on loopback.

    The demo only contacts itself, so it need not limit its request rate.
    """
    return settings.model_copy(
        update={
            "hosts": {**settings.hosts, **dict.fromkeys(hosts, base_url)},
            "queues": {"sentinel": QueueSettings(rate=0), **settings.queues},
        }
    )


def play_demo(
    settings: Settings,
    demos: Mapping[str, Demo],
    *,
    watch: Collection[str] | None = None,
    days: int,
    watchers: DemoCallbacks,
) -> list[DayReport]:
    """Run the pipeline over the days this home has not seen; if none, over the last one again.

    All demos are served, since the home may already watch them; `watch` limits whose sources are
    added now. Fewer reports than days mean that it was asked to stop.
    """
    if days < 1:
        raise InvalidInput(f"The demo cannot play {days} days.", advice="Use --days 1 or more.")
    served = tuple(demos.values())
    with serve_in_thread(DemoSites(served, 1)) as server:
        hosts = sorted(host for demo in served for host in demo.hosts)
        settings = build_demo_settings(settings, server.base_url, hosts)
        init_home(settings)
        with App(settings) as app:
            app.migrate()
            app.outages.wait_up_to(settings.database_outage_s)
            app.outages.end_with(watchers.stop, settings.grace_s)
            for name in demos if watch is None else watch:
                outlast(app.engine, partial(register_sources, app, demos[name]))
            worker = app.make_worker()
            worker.start()
            try:
                return _play_days(app, worker, server, served, days, watchers)
            finally:
                worker.stop()


def _play_days(
    app: App,
    worker: Worker,
    server: DemoServer,
    demos: Collection[Demo],
    days: int,
    watchers: DemoCallbacks,
) -> list[DayReport]:
    reports: list[DayReport] = []
    run = _find_newest_run(app)
    unfinished = run if run is not None and run.state == app_runs.OPEN else None
    done = 0 if run is None else int(run.params["day"]) - (unfinished is not None)
    # A home that has seen all the days repeats the last one; it never goes back in time.
    first = max(done, 1) if unfinished is None and done >= days else done + 1
    for day in range(first, max(first, days) + 1):
        server.show(DemoSites(demos, day))
        report = _play_day(app, worker, day, unfinished, watchers)
        unfinished = None
        if report is None:
            break
        reports.append(report)
        if watchers.day_ended is not None:
            watchers.day_ended(report)
    return reports


def _play_day(
    app: App, worker: Worker, day: int, unfinished: Run | None, watchers: DemoCallbacks
) -> DayReport | None:
    began = time.monotonic()
    left: int | None = None
    if unfinished is not None:
        run_id = unfinished.run_id
        left = app_runs.record_resumption(app, run_id)
    else:
        run_id = app_runs.start_run(app, label=LABEL, params={"day": day})
    if watchers.day_began is not None:
        watchers.day_began(day, run_id, left)

    def tick() -> None:
        if watchers.tick is not None:
            watchers.tick(app_runs.count_run_jobs(app, run_id))

    if not app_runs.finish_runs(app, worker, [run_id], stop=watchers.stop, on_tick=tick):
        return None
    tick()
    return DayReport(
        day=day,
        run_id=run_id,
        resumed=left is not None,
        jobs=app_runs.count_run_jobs(app, run_id),
        notes=app_runs.count_run_outcomes(app, run_id),
        seconds=time.monotonic() - began,
    )


def _find_newest_run(app: App) -> Run | None:
    """The run of the last day that was started here."""
    found = [run for run in app_runs.list_runs(app) if run.label == LABEL]
    return max(found, key=lambda run: (int(run.params["day"]), run.started_ms), default=None)


def register_sources(app: App, demo: Demo) -> None:
    """Let the home watch the sources of a demo."""
    now_ms = app.clock.now_ms()
    with explain_errors(), app.engine.begin() as connection:
        known = set(connection.execute(sa.select(t.source.c.source_slug)).scalars())
        # Only if they are new: an endpoint's row also remembers how the last check went.
        new = [source for source in demo.sources if source.source_slug not in known]
        slugs = {source.source_slug for source in new}
        upsert_records(
            connection, [source.model_copy(update={"created_ms": now_ms}) for source in new]
        )
        upsert_records(
            connection, [entry for entry in demo.endpoints if entry.source_slug in slugs]
        )
        if slugs:
            upsert_records(connection, demo.records)
            record_row_hashes(connection, demo.records, now_ms)
