"""`assay runs`: shows runs, and checks that their folders are unchanged."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from assay.app import App
from assay.app import runs as app_runs
from assay.app.runs import Run
from assay.cli.exit_codes import ExitCode
from assay.cli.rendering import (
    explain_empty,
    format_time,
    pluralize,
    render_fields,
    render_list,
    render_stages,
)
from assay.cli.session import AsJson, session_of
from assay.store.runs import RunFolderCheck

runs = typer.Typer(no_args_is_help=True, help="Show runs and verify their folders.")

_START = "Start one with 'assay run'."


@runs.command("list")
def list_(
    ctx: typer.Context,
    limit: Annotated[int, typer.Option(min=1, help="Show at most this many.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List runs, newest first."""
    session = session_of(ctx, as_json)
    with session.app() as app:
        found = app_runs.list_runs(app, limit)
    session.show(
        render_list(
            ["run", "label", "state", "started", "ended"],
            [
                [
                    run.run_id,
                    run.label,
                    run.state,
                    format_time(run.started_ms),
                    format_time(run.ended_ms),
                ]
                for run in found
            ],
            explain_empty("runs", advice=_START),
        )
    )
    session.print_json([asdict(run) for run in found])


@runs.command()
def show(
    ctx: typer.Context,
    run_id: Annotated[str, typer.Argument(help="The run.")],
    as_json: AsJson = False,
) -> None:
    """Show one run: its parameters, its outcome, and where its folder is."""
    session = session_of(ctx, as_json)
    with session.app() as app:
        run = app_runs.get_run(app, run_id)
        value = _describe_run(app, run)
        stages = [stage.name for stage in app.pipeline.stages]
    fields = {**asdict(run), "jobs_left": value["jobs_left"], "folder": value["folder"]}
    session.show(render_fields(fields))
    session.show(render_stages(stages, value["jobs"], value["notes"]))
    session.print_json(value)


def _describe_run(app: App, run: Run) -> dict[str, Any]:
    return {
        **asdict(run),
        "jobs_left": app_runs.count_jobs_left(app, [run.run_id]),
        "folder": str(app.folders.path(run.run_id)),
        "jobs": app_runs.count_run_jobs(app, run.run_id),
        "notes": app_runs.count_run_outcomes(app, run.run_id),
        "events": app_runs.count_run_events(app, run.run_id),
    }


@runs.command()
def verify(
    ctx: typer.Context,
    run_id: Annotated[str | None, typer.Argument(help="One run; by default all.")] = None,
    as_json: AsJson = False,
) -> None:
    """Hash the files of one run, or of all, again and compare them. Exit code 5: faults found."""
    session = session_of(ctx, as_json)
    with session.app() as app:
        verdicts = app_runs.verify_runs(app, run_id)
    bad = [verdict for verdict in verdicts if not verdict.is_sound]
    session.show(
        render_list(
            ["run", "state", "files", "verdict"],
            [
                [v.run_id, _format_state(v), v.files, "; ".join(v.faults) or "sound"]
                for v in verdicts
            ],
            explain_empty("runs", advice=_START),
        )
    )
    session.print_json([{**asdict(v), "sound": v.is_sound} for v in verdicts])
    if bad:
        names = ", ".join(verdict.run_id for verdict in bad)
        session.say(
            f"{pluralize(len(bad), 'run')} changed after sealing or damaged: {names}. "
            "Restore from a backup."
        )
        raise typer.Exit(ExitCode.FAULTS)


def _format_state(verdict: RunFolderCheck) -> str:
    return "sealed" if verdict.sealed else "open"
