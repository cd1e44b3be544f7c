"""`assay runs`: shows runs, and checks that their folders are unchanged."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from assay.app import App
from assay.app import runs as app_runs
from assay.app.abbreviations import IdKind, expand_id
from assay.app.run_summaries import summarize_runs
from assay.app.runs import Run
from assay.cli.exit_codes import ExitCode
from assay.cli.jobs import Limit
from assay.cli.rendering import (
    Columns,
    describe_summary,
    explain_empty,
    pluralize,
    render_fields,
    render_stages,
    report_list,
)
from assay.cli.session import AsJson, open_app

runs = typer.Typer(no_args_is_help=True, help="Show runs and verify their folders.")

_START = "Start one with 'assay run'."


@runs.command("list")
def list_(ctx: typer.Context, limit: Limit = None, as_json: AsJson = False) -> None:
    """List runs, newest first."""
    with open_app(ctx, as_json) as (session, app):
        found = [asdict(run) for run in app_runs.list_runs(app, session.choose_limit(limit))]
        left_out = app_runs.count_runs(app) - len(found)
    columns: Columns = {
        "run": "run_id",
        "label": "label",
        "state": "state",
        "started": "started_ms",
        "ended": "ended_ms",
    }
    empty = explain_empty("runs", advice=_START)
    report_list(session, found, columns, empty, left_out=left_out)


@runs.command()
def show(
    ctx: typer.Context,
    run_id: Annotated[str, typer.Argument(help="The run.")],
    as_json: AsJson = False,
) -> None:
    """Show one run: its parameters, its outcome, and where its folder is."""
    with open_app(ctx, as_json) as (session, app):
        run = app_runs.get_run(app, expand_id(app, run_id, IdKind.RUN))
        value = _describe_run(app, run)
        stages = [stage.name for stage in app.pipeline.stages]
    fields = {**asdict(run), "jobs_left": value["jobs_left"], "folder": value["folder"]}
    session.show(render_fields(fields))
    session.show(render_stages(stages, value["jobs"], value["notes"]))
    session.say(describe_summary(value["summary"]))
    session.print_json(value)


def _describe_run(app: App, run: Run) -> dict[str, Any]:
    return {
        **asdict(run),
        "jobs_left": app_runs.count_jobs_left(app, [run.run_id]),
        "folder": str(app.folders.path(run.run_id)),
        "jobs": app_runs.count_run_jobs(app, run.run_id),
        "notes": app_runs.count_run_outcomes(app, run.run_id),
        "events": app_runs.count_run_events(app, run.run_id),
        "summary": summarize_runs(app, [run.run_id]),
    }


@runs.command()
def verify(
    ctx: typer.Context,
    run_id: Annotated[str | None, typer.Argument(help="One run; by default all.")] = None,
    as_json: AsJson = False,
) -> None:
    """Hash the files of one run, or of all, again and compare them. Exit code 5: faults found."""
    with open_app(ctx, as_json, on="Checking run folders") as (session, app):
        verdicts = app_runs.verify_runs(app, run_id and expand_id(app, run_id, IdKind.RUN))
    bad = [verdict for verdict in verdicts if not verdict.is_sound]
    found = [{**asdict(verdict), "sound": verdict.is_sound} for verdict in verdicts]
    columns: Columns = {
        "run": "run_id",
        "state": lambda verdict: "sealed" if verdict["sealed"] else "open",
        "files": "files",
        "verdict": lambda verdict: "; ".join(verdict["faults"]) or "sound",
    }
    report_list(session, found, columns, explain_empty("runs", advice=_START))
    if bad:
        names = ", ".join(verdict.run_id for verdict in bad)
        session.say(
            f"{pluralize(len(bad), 'run')} changed after sealing or damaged: {names}. "
            "Restore from a backup."
        )
        raise typer.Exit(ExitCode.FAULTS)
