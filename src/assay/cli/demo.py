"""The demo: an invented country, from its documents to a release that anyone can check."""

from contextlib import ExitStack
from typing import Annotated, Any

import typer

from assay.app import App
from assay.app.composition import init_home
from assay.app.runs import jobs_left, open_runs, run_events
from assay.cli.contracts import declared_stages
from assay.cli.demo_story import ending_values, tell, told_of_day, try_next
from assay.cli.exits import ExitCode
from assay.cli.progress import Show, shown
from assay.cli.session import AsJson, Session, session_of
from assay.cli.show import plural
from assay.cli.stopping import Stop, graceful
from assay.demo.ending import Ending, end
from assay.demo.play import Counts, DayReport, Watchers, play
from assay.demo.story import tally
from assay.engine.jobs import DEAD
from assay.errors import SchemaMissing
from assay.settings import Settings

_ADDED = ("facts", "rules", "conflicts")
"""What a day may add."""


def demo(
    ctx: typer.Context,
    days: Annotated[int, typer.Option(min=1, help="Days to play; day 2 is the last change.")] = 2,
    as_json: AsJson = False,
) -> None:
    """From the documents of an invented country to a release, through the real pipeline.

    Needs no network, no model and no home. What was interrupted is taken up again; what is done
    is not done twice.
    """
    session = session_of(ctx, as_json)
    settings = session.settings
    init_home(settings)
    session.begin_log(settings)
    before = _counted(settings)
    theatre = _Theatre(session, settings)
    with graceful(session.say) as stop:
        with theatre:
            play(settings, days=days, watchers=theatre.watchers(stop))
        with App(settings) as app:
            ending = None if stop.event.is_set() else end(app, stop.event)
            left = jobs_left(app, [run.run_id for run in open_runs(app)])
    added = {name: count - before.get(name, 0) for name, count in _counted(settings).items()}
    session.give(
        {
            "days": theatre.rows,
            "added": added,
            **ending_values(ending),
            "files": _files(settings),
            "jobs_left": left,
            "stopped": stop.name,
        }
    )
    if stop.signal is not None:
        _say_stopped(session, stop, left, days)
    elif ending is None:
        session.say("Nothing was released; 'assay release create --dry-run' says why.")
        raise typer.Exit(ExitCode.FAULTS)
    else:
        _conclude(session, ending, added, theatre.rows)


def _say_stopped(session: Session, stop: Stop, left: int, days: int) -> None:
    go_on = f"assay --home {session.settings.home} demo --days {days}"
    session.say(f"Stopped by {stop.name}: {plural(left, 'job')} left; go on with: {go_on}")
    raise typer.Exit(stop.exit_code)


def _conclude(
    session: Session, ending: Ending, added: dict[str, int], rows: list[dict[str, Any]]
) -> None:
    tell(session, ending, _counted(session.settings), added)
    try_next(session, ending)
    dead = sum(row["dead"] for row in rows)
    if dead:
        session.say(f"{plural(dead, 'dead letter')}; 'assay dead list' says why.")
    if dead or not ending.proof.ok:
        raise typer.Exit(ExitCode.FAULTS)


def _counted(settings: Settings) -> dict[str, int]:
    """What is there; nothing in a home that is new."""
    with App(settings) as app:
        try:
            app.require_store()
        except SchemaMissing:
            return {}
        return tally(app)


class _Theatre:
    """Tells what happens while it is played."""

    def __init__(self, session: Session, settings: Settings) -> None:
        self._session = session
        self._settings = settings
        self._stages = [stage.name for stage in declared_stages()]
        self._live = ExitStack()
        self._show: Show | None = None
        self._before: dict[str, int] = {}
        self.rows: list[dict[str, Any]] = []

    def __enter__(self) -> "_Theatre":
        return self

    def __exit__(self, *_: object) -> None:
        self._live.close()

    def watchers(self, stop: Stop) -> Watchers:
        return Watchers(
            day_began=self._day_began,
            tick=self._tick,
            day_ended=self._day_ended,
            stop=stop.event,
        )

    def _day_began(self, day: int, run_id: str, left: int | None) -> None:
        if left is None:
            self._session.say(f"Day {day}: run {run_id}.")
        else:
            self._session.say(f"Taking up run {run_id} of day {day}: {plural(left, 'job')} left.")
        self._before = _counted(self._settings)
        # In a pipe the line at the end of the day is enough.
        if self._session.out.is_terminal:
            self._show = self._live.enter_context(shown(self._session, self._stages))

    def _tick(self, counts: Counts) -> None:
        if self._show is not None:
            self._show(counts)

    def _day_ended(self, report: DayReport) -> None:
        self._live.close()
        with App(self._settings) as app:
            events, now = run_events(app, report.run_id), tally(app)
        row = _row(report, events)
        row |= {name: now[name] - self._before.get(name, 0) for name in _ADDED}
        self.rows.append(row)
        self._session.say(told_of_day(row))


def _row(report: DayReport, events: dict[str, int]) -> dict[str, Any]:
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


def _files(settings: Settings) -> dict[str, str]:
    database = settings.database_url and "the server that database_url names"
    return {
        "database": database or str(settings.home / "assay.db"),
        "blobs": str(settings.blobs),
        "runs": str(settings.runs),
        "log": str(settings.log_file),
    }
