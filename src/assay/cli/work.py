"""Working: one run from beginning to end, or a worker that goes on until it is stopped."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from assay.app import App
from assay.app import runs as app_runs
from assay.app.runs import Run
from assay.app.status import collect_status
from assay.cli.exit_codes import ExitCode
from assay.cli.progress import show_progress
from assay.cli.rendering import pluralize, render_stages
from assay.cli.session import AsJson, Session, session_of
from assay.cli.signals import StopSignal, catch_signals
from assay.demo.play import LABEL as DEMO
from assay.engine.jobs import DEAD
from assay.engine.worker import Worker
from assay.errors import InvalidInput, NotFound, RunIdReused

_COUNT_EVERY_S = 0.25
_LOOK_EVERY_S = 0.5


def run(
    ctx: typer.Context,
    run_id: Annotated[
        str | None, typer.Option("--run-id", help="Name of the new run; by default a fresh one.")
    ] = None,
    resume: Annotated[bool, typer.Option(help="Bring interrupted runs to their end first.")] = True,
    as_json: AsJson = False,
) -> None:
    """Bring interrupted runs to their end, then look at every source once and do all that follows.

    Ends with exit code 5 if it left dead letters.
    """
    session = session_of(ctx, as_json)
    with catch_signals(session.say) as stop, session.app() as app:
        if run_id is not None:
            _refuse_used_id(app, run_id)
        waiting = _find_interrupted(app) if resume else []
        with run_worker(app, session) as worker:
            done = _run_all(session, app, worker, stop, waiting, run_id)
        left = app_runs.count_jobs_left(app, [entry["run_id"] for entry in done])
    dead = sum(entry["dead"] for entry in done)
    session.print_json({"runs": done, "dead": dead, "jobs_left": left, "stopped": stop.name})
    _report_end(session, stop, dead, left)


def worker(
    ctx: typer.Context,
    name: Annotated[str | None, typer.Option("--name", help="Stable name of this worker.")] = None,
    as_json: AsJson = False,
) -> None:
    """Do whatever the queues hold, until SIGINT or SIGTERM, and close finished runs."""
    session = session_of(ctx, as_json)
    settings = session.settings
    if name is not None:
        settings = settings.model_copy(update={"worker_name": name})
    with catch_signals(session.say) as stop, session.app(settings=settings) as app:
        with run_worker(app, session, attend=True) as hand:
            session.say(f"Worker {hand.worker_id} listens; Ctrl-C stops it.")
            while not stop.event.wait(_LOOK_EVERY_S):
                if hand.fatal is not None:
                    raise hand.fatal
        queues = collect_status(app)["queues"].values()
        left = sum(queue[kind] for queue in queues for kind in ("waiting", "delayed", "running"))
    session.say(
        f"Worker {hand.worker_id} stopped; {pluralize(left, 'job')} left for the next time."
    )
    session.print_json({"worker_id": hand.worker_id, "jobs_left": left, "stopped": stop.name})
    raise typer.Exit(stop.exit_code)


@contextmanager
def run_worker(app: App, session: Session, *, attend: bool = False) -> Iterator[Worker]:
    """A worker inside; outside it has stopped."""
    hand = app.make_worker()
    if attend:
        app_runs.attach_schedules(app, hand)
    hand.start()
    is_patient = True
    try:
        yield hand
    except KeyboardInterrupt:
        # The second signal may come before the first one's wait has begun.
        is_patient = False
        raise
    finally:
        if is_patient and not hand.stop():
            session.say(
                f"Work in hand did not end within {app.settings.grace_s:g} s; "
                "nothing of it was stored, and it is done again the next time."
            )


def _refuse_used_id(app: App, run_id: str) -> None:
    """Before anything is done, not after the interrupted runs are through."""
    used = app.folders.path(run_id).exists()
    try:
        app_runs.get_run(app, run_id)
    except NotFound:
        if not used:
            return
    raise RunIdReused(f"Run id {run_id} was used before.")


def _find_interrupted(app: App) -> list[Run]:
    """What is to be taken up here; a run whose folder lies elsewhere belongs to another home."""
    found = [
        run for run in app_runs.list_unfinished_runs(app) if app.folders.path(run.run_id).is_dir()
    ]
    for run in found:
        if run.label == DEMO:
            raise InvalidInput(
                f"Run {run.run_id} belongs to the demo, which alone serves its sites.",
                advice="Finish it with 'assay demo', or leave it with --no-resume.",
            )
    return found


def _run_all(
    session: Session,
    app: App,
    hand: Worker,
    stop: StopSignal,
    waiting: Sequence[Run],
    run_id: str | None,
) -> list[dict[str, Any]]:
    """The interrupted runs, then the new one; what became of each."""
    for old in waiting:
        left = app_runs.record_resumption(app, old.run_id)
        session.say(f"Taking up run {old.run_id}: {pluralize(left, 'job')} left.")
    done = see_runs_through(session, app, hand, stop, [old.run_id for old in waiting], resumed=True)
    if stop.event.is_set():
        return done
    fresh = app_runs.start_run(app, run_id=run_id)
    session.say(
        f"Run {fresh} began with {pluralize(app_runs.count_jobs_left(app, [fresh]), 'job')}."
    )
    return done + see_runs_through(session, app, hand, stop, [fresh], resumed=False)


def see_runs_through(
    session: Session,
    app: App,
    hand: Worker,
    stop: StopSignal,
    run_ids: Sequence[str],
    *,
    resumed: bool,
) -> list[dict[str, Any]]:
    """See runs through and close them."""
    if not run_ids:
        return []
    stages = [stage.name for stage in app.pipeline.stages]
    next_s = 0.0
    with show_progress(session, stages) as show:

        def tick() -> None:
            nonlocal next_s
            # Counting a large run costs more than asking whether anything is left.
            if time.monotonic() >= next_s:
                show(_sum_counts([app_runs.count_run_jobs(app, run_id) for run_id in run_ids]))
                next_s = time.monotonic() + _COUNT_EVERY_S

        app_runs.wait_for_runs(app, hand, run_ids, stop=stop.event, on_tick=tick)
    app_runs.seal_finished_runs(app)
    return [_report_run(session, app, stages, run_id, resumed) for run_id in run_ids]


def _report_run(
    session: Session, app: App, stages: Sequence[str], run_id: str, resumed: bool
) -> dict[str, Any]:
    jobs, notes = app_runs.count_run_jobs(app, run_id), app_runs.count_run_outcomes(app, run_id)
    state = app_runs.get_run(app, run_id).state
    session.show(render_stages(stages, jobs, notes, title=f"Run {run_id}, {state}"))
    return {
        "run_id": run_id,
        "resumed": resumed,
        "state": state,
        "jobs": jobs,
        "notes": notes,
        "dead": sum(states.get(DEAD, 0) for states in jobs.values()),
    }


def _sum_counts(counts: Sequence[dict[str, dict[str, int]]]) -> dict[str, dict[str, int]]:
    whole: dict[str, dict[str, int]] = {}
    for one in counts:
        for stage, states in one.items():
            into = whole.setdefault(stage, {})
            for state, count in states.items():
                into[state] = into.get(state, 0) + count
    return whole


def _report_end(session: Session, stop: StopSignal, dead: int, left: int) -> None:
    """Say in one line how it ended, and end so."""
    if stop.signal is not None and left:
        session.say(f"Stopped by {stop.name}: {pluralize(left, 'job')} left; 'assay run' goes on.")
        raise typer.Exit(stop.exit_code)
    if dead:
        session.say(f"{pluralize(dead, 'dead letter')}; 'assay dead list' says why.")
        raise typer.Exit(ExitCode.FAULTS)
    if stop.signal is not None:
        raise typer.Exit(stop.exit_code)
