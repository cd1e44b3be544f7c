"""`assay demo`: the packs' invented sites, from their documents to releases anyone can check."""

from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from typing import Annotated, Any

import typer

from assay.app import App
from assay.app.composition import init_home
from assay.app.contracts import list_declared_stages
from assay.app.pack_entries import list_incomplete_packs
from assay.app.runs import count_jobs_left, count_run_events, list_open_runs
from assay.cli.demo_story import demo_result_as_json, describe_day, show_story
from assay.cli.exit_codes import ExitCode
from assay.cli.progress import ShowCounts, show_progress
from assay.cli.rendering import pluralize
from assay.cli.session import AsJson, Session, session_of
from assay.cli.signals import StopSignal, catch_signals
from assay.demo.play import Counts, DayReport, DemoCallbacks, choose_demos, load_demos, play_demo
from assay.demo.result import DemoResult, count_records, finish_demo
from assay.engine.jobs import DEAD
from assay.errors import SchemaMissing
from assay.sdk.demo import Demo
from assay.settings import Settings
from assay.store.database import outlast

_ADDED = ("facts", "rules", "conflicts")
"""What a day can add."""


def demo(
    ctx: typer.Context,
    days: Annotated[
        int | None,
        typer.Option(min=1, help="Days to play; by default until nothing changes anymore."),
    ] = None,
    pack: Annotated[
        str | None, typer.Option(help="Play only this pack's part; by default every pack's.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Turn the documents of invented sites into a release, through the real pipeline.

    Needs no network, no model and no home. An interrupted demo is resumed, and finished work is
    not repeated.
    """
    session = session_of(ctx, as_json)
    settings = session.settings
    served = load_demos()
    demos = choose_demos(served, pack)
    if pack is None:
        _say_left_out(session)
    days = days or max(demo.last_day for demo in demos.values())
    init_home(settings)
    session.start_logging(settings)
    before = _count_stored(settings)
    theatre = _DemoReporter(session, settings, before)
    with catch_signals(session.say) as stop:
        with theatre.live:
            play_demo(settings, served, watch=demos, days=days, watchers=theatre.watchers(stop))
        with App(settings) as app:
            app.outages.wait_up_to(settings.database_outage_s)
            app.outages.end_with(stop.event, settings.grace_s)
            endings = _finish_demos(app, demos, stop)
            epilogues = {
                name: outlast(app.engine, partial(demo.epilogue, app.services))
                for name, demo in demos.items()
                if demo.epilogue is not None and not stop.event.is_set()
            }
            left = count_jobs_left(app, [run.run_id for run in list_open_runs(app)])
            counts = outlast(app.engine, lambda: count_records(app))
    added = {name: count - before.get(name, 0) for name, count in counts.items()}
    session.print_json(
        {
            "days": theatre.rows,
            "added": added,
            "packs": {
                name: {
                    **demo_result_as_json(endings.get(name)),
                    **({"epilogue": epilogues[name]} if name in epilogues else {}),
                }
                for name in demos
            },
            "files": _locate_files(settings),
            "jobs_left": left,
            "stopped": stop.name,
        }
    )
    if stop.signal is not None:
        _say_stopped(session, stop, left, days, pack)
    show_story(session, demos, endings, epilogues, counts, added)
    _report_faults(session, endings, theatre.rows)


def _say_left_out(session: Session) -> None:
    """Name the packs that could be part of the demo if their extras were installed."""
    for missing in list_incomplete_packs().values():
        session.say(f"Left out: {missing}")


def _finish_demos(
    app: App, demos: Mapping[str, Demo], stop: StopSignal
) -> dict[str, DemoResult | None]:
    """The result for each pack that declares facts; None if nothing was released."""
    endings: dict[str, DemoResult | None] = {}
    for name in (name for name in demos if name in app.facts):
        if not stop.event.is_set():
            # A decision or a release that is stored already is not made a second time.
            finish = partial(finish_demo, app, name, demos[name], stop.event)
            endings[name] = outlast(app.engine, finish)
    return endings


def _say_stopped(
    session: Session, stop: StopSignal, left: int, days: int, pack: str | None
) -> None:
    command = f"assay --home {session.settings.home} demo --days {days}"
    command += f" --pack {pack}" if pack else ""
    session.say(f"Stopped by {stop.name}: {pluralize(left, 'job')} left; resume with: {command}")
    raise typer.Exit(stop.exit_code)


def _report_faults(
    session: Session, endings: Mapping[str, DemoResult | None], rows: list[dict[str, Any]]
) -> None:
    unreleased = [name for name, ending in endings.items() if ending is None]
    for name in unreleased:
        session.say(
            f"Nothing was released for '{name}'; "
            f"'assay release create --pack {name} --dry-run' shows why."
        )
    dead = sum(row["dead"] for row in rows)
    if dead:
        session.say(f"{pluralize(dead, 'dead letter')}; 'assay dead list' shows why.")
    unsound = any(ending is not None and not ending.proof.ok for ending in endings.values())
    if dead or unsound or unreleased:
        raise typer.Exit(ExitCode.FAULTS)


def _count_stored(settings: Settings) -> dict[str, int]:
    """What is stored; nothing in a new home."""
    with App(settings) as app:
        try:
            app.require_store()
        except SchemaMissing:
            return {}
        return count_records(app)


class _DemoReporter:
    """Reports what happens while the demo plays."""

    def __init__(self, session: Session, settings: Settings, before: Mapping[str, int]) -> None:
        self._session = session
        self._settings = settings
        self._before = before
        self._stages = [stage.name for stage in list_declared_stages()]
        self.live = ExitStack()
        self._show: ShowCounts | None = None
        self.rows: list[dict[str, Any]] = []

    def watchers(self, stop: StopSignal) -> DemoCallbacks:
        return DemoCallbacks(
            day_began=self._day_began,
            tick=self._tick,
            day_ended=self._day_ended,
            stop=stop.event,
        )

    def _day_began(self, day: int, run_id: str, left: int | None) -> None:
        if left is None:
            self._session.say(f"Day {day}: run {run_id}.")
        else:
            self._session.say(
                f"Resuming run {run_id} of day {day} ({pluralize(left, 'job')} left)."
            )
        # In a pipe, the line at the end of the day is enough.
        if self._session.out.is_terminal:
            self._show = self.live.enter_context(show_progress(self._session, self._stages))

    def _tick(self, counts: Counts) -> None:
        if self._show is not None:
            self._show(counts)

    def _day_ended(self, report: DayReport) -> None:
        self.live.close()
        with App(self._settings) as app:
            app.outages.wait_up_to(self._settings.database_outage_s)
            events = count_run_events(app, report.run_id)
            now = outlast(app.engine, lambda: count_records(app))
        row = _build_day_row(report, events)
        row |= {name: now[name] - self._before.get(name, 0) for name in _ADDED}
        self._before = now
        self.rows.append(row)
        self._session.say(describe_day(row))


def _build_day_row(report: DayReport, events: dict[str, int]) -> dict[str, Any]:
    changed = events.get("document.changed", 0)
    fetched, routed = report.notes.get("fetch", {}), report.notes.get("router", {})
    return {
        "day": report.day,
        "run_id": report.run_id,
        "resumed": report.resumed,
        "new": events.get("evidence.stored", 0) - changed,
        "changed": changed,
        "unchanged": fetched.get("unchanged", 0),
        "gone": fetched.get("gone", 0),
        "skipped": routed.get("skipped", 0),
        "scans_waiting": report.notes.get("ocr", {}).get("blocked", 0),
        "dead": sum(states.get(DEAD, 0) for states in report.jobs.values()),
        "seconds": round(report.seconds, 2),
    }


def _locate_files(settings: Settings) -> dict[str, str]:
    database = settings.database_url and "the server in database_url"
    return {
        "database": database or str(settings.home / "assay.db"),
        "blobs": str(settings.blobs),
        "runs": str(settings.runs),
        "log": str(settings.log_file),
    }
