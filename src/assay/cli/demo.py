"""The demo: a small gazette, day by day, through the real pipeline."""

import shutil
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.app import App
from assay.app.composition import init_home
from assay.app.runs import jobs_left, open_runs, run_events
from assay.app.spine import build_pipeline
from assay.app.status import status
from assay.app.tools import tools_of
from assay.cli.exits import ExitCode
from assay.cli.progress import Show, shown
from assay.cli.session import AsJson, Session, session_of
from assay.cli.show import listed, plural, record, table
from assay.cli.stopping import Stop, graceful
from assay.demo.play import Counts, DayReport, Watchers, play
from assay.engine.jobs import DEAD
from assay.settings import Settings

_ALWAYS = ("new", "changed", "unchanged", "routed", "skipped")
_COLUMNS = ("new", "changed", "unchanged", "gone", "routed", "skipped", "dead")


def demo(
    ctx: typer.Context,
    days: Annotated[int, typer.Option(min=1, help="Days of the gazette to play.")] = 3,
    seed: Annotated[int, typer.Option(help="Which world; the same seed is the same world.")] = 7,
    as_json: AsJson = False,
) -> None:
    """Play a small official gazette, day by day, through the real pipeline.

    Needs no network and no home; what was interrupted is taken up again.
    """
    session = session_of(ctx, as_json)
    settings = session.settings
    init_home(settings)
    session.begin_log(settings)
    theatre = _Theatre(session, settings)
    with graceful(session.say) as stop, theatre:
        play(
            settings,
            days=days,
            seed=seed,
            watchers=Watchers(
                day_began=theatre.day_began,
                tick=theatre.tick,
                day_ended=theatre.day_ended,
                stop=stop.event,
            ),
        )
    _conclude(session, theatre.rows, stop, f"demo --days {days} --seed {seed}")


def _conclude(session: Session, rows: Sequence[dict[str, Any]], stop: Stop, again: str) -> None:
    """Say what the days brought, where it lies and what to do next; end with the right code."""
    settings = session.settings
    with App(settings) as app:
        stands = status(app)
        left = jobs_left(app, [run.run_id for run in open_runs(app)])
    _summarise(session, rows, stands)
    session.give(
        {
            "days": rows,
            "candidates": stands["candidates"],
            "routing": stands["routing"],
            "files": _files(settings),
            "jobs_left": left,
            "stopped": stop.name,
        }
    )
    if stop.signal is not None:
        go_on = f"assay --home {settings.home} {again}"
        session.say(f"Stopped by {stop.name}: {plural(left, 'job')} left; go on with: {go_on}")
        raise typer.Exit(stop.exit_code)
    _point_onwards(session, settings)
    dead = sum(row["dead"] for row in rows)
    if dead:
        session.say(f"{plural(dead, 'dead letter')}; 'assay dead list' says why.")
        raise typer.Exit(ExitCode.FAULTS)


class _Theatre:
    """Tells what happens while it is played."""

    def __init__(self, session: Session, settings: Settings) -> None:
        self._session = session
        self._settings = settings
        self._stages = [stage.name for stage in build_pipeline(tools_of(Settings())).stages]
        self._live = ExitStack()
        self._show: Show | None = None
        self.rows: list[dict[str, Any]] = []

    def __enter__(self) -> "_Theatre":
        return self

    def __exit__(self, *_: object) -> None:
        self._live.close()

    def day_began(self, day: int, run_id: str, left: int | None) -> None:
        if left is None:
            self._session.say(f"Day {day}: run {run_id}.")
        else:
            self._session.say(f"Taking up run {run_id} of day {day}: {plural(left, 'job')} left.")
        self._show = self._live.enter_context(shown(self._session, self._stages))

    def tick(self, counts: Counts) -> None:
        if self._show is not None:
            self._show(counts)

    def day_ended(self, report: DayReport) -> None:
        self._live.close()
        with App(self._settings) as app:
            events = run_events(app, report.run_id)
        row = _row(report, events)
        self.rows.append(row)
        told = ", ".join(f"{row[name]} {name}" for name in _COLUMNS if row[name] or name in _ALWAYS)
        self._session.say(f"Day {report.day}: {told} ({report.seconds:.1f} s).")


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
        "routed": routed.get("done", 0),
        "skipped": routed.get("skipped", 0),
        "dead": sum(states.get(DEAD, 0) for states in report.jobs.values()),
        "seconds": round(report.seconds, 2),
    }


def _files(settings: Settings) -> dict[str, str]:
    database = settings.database_url and "the server that database_url names"
    paths: dict[str, Path] = {
        "blobs": settings.blobs,
        "runs": settings.runs,
        "log": settings.log_file,
    }
    return {
        "database": database or str(settings.home / "assay.db"),
        **{name: str(path) for name, path in paths.items()},
    }


def _summarise(session: Session, rows: Sequence[dict[str, Any]], stands: dict[str, Any]) -> None:
    if rows:
        told = [name for name in _COLUMNS if name in _ALWAYS or any(row[name] for row in rows)]
        columns = ("day", *told, "seconds")
        session.show(table(columns, [[row[name] for name in columns] for row in rows]))
    session.show(
        record(
            {
                "candidates": listed(stands["candidates"]),
                "routing": listed(stands["routing"]),
                "documents": stands["documents"],
                "evidence": stands["evidence"],
            }
        )
    )


def _point_onwards(session: Session, settings: Settings) -> None:
    session.say("")
    session.show(record(_files(settings)))
    call = f"{_own_name()} --home {settings.home}"
    session.say(
        "\nTry next:\n"
        f"  {call} status\n"
        f"  {call} runs verify\n"
        f"  {call} store check\n"
        f"  {call} demo --days 9      kill it in the middle, and run it again: nothing is lost"
    )


def _own_name() -> str:
    """What to type to get this program again: its path, where the shell would not find it."""
    called = Path(sys.argv[0])
    if called.name == "assay" and shutil.which("assay") != str(called.absolute()):
        return str(called)
    return "assay"
