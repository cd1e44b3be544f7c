"""`assay jobs`: shows jobs, and lets an operator retry or cancel them."""

from enum import StrEnum
from typing import Annotated

import typer

from assay.app import App, job_admin
from assay.app.abbreviations import IdKind, expand_id
from assay.app.runs import get_run
from assay.cli.rendering import Columns, explain_empty, pluralize, render_fields, report_list
from assay.cli.session import AsJson, open_app
from assay.engine import jobs as book
from assay.errors import NotFound
from assay.model.ids import suggest_name

jobs = typer.Typer(no_args_is_help=True, help="Show jobs; retry or cancel them.")


class JobState(StrEnum):
    """The state of a job."""

    QUEUED = book.QUEUED
    DONE = book.DONE
    DEAD = book.DEAD
    CANCELLED = book.CANCELLED
    DISCARDED = book.DISCARDED


StageName = Annotated[str | None, typer.Option("--stage", help="Only this stage.")]
Limit = Annotated[
    int | None,
    typer.Option(min=1, help="Show at most this many; by default 50, and all with --json."),
]
JobId = Annotated[str, typer.Argument(help="The job.")]
JobIds = Annotated[list[str], typer.Argument(help="The jobs.")]


def require_stage(app: App, name: str | None) -> None:
    """Refuse an unknown stage: as a filter it is a mistake that an empty list would hide."""
    names = [stage.name for stage in app.pipeline.stages]
    if name is None or name in names:
        return
    advice = f"{suggest_name(name, names)}The stages are {', '.join(names)}."
    raise NotFound(f"Unknown stage: {name}.", advice=advice)


@jobs.command("list")
def list_(
    ctx: typer.Context,
    stage: StageName = None,
    state: Annotated[JobState | None, typer.Option(help="Only in this state.")] = None,
    run: Annotated[str | None, typer.Option("--run", help="Only jobs of this run.")] = None,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """List the newest matching jobs with their state."""
    with open_app(ctx, as_json) as (session, app):
        require_stage(app, stage)
        if run is not None:
            run = get_run(app, expand_id(app, run, IdKind.RUN)).run_id
        found, left_out = job_admin.list_jobs(
            app,
            stage=stage,
            state=state and state.value,
            run_id=run,
            limit=session.choose_limit(limit),
        )
    columns: Columns = {
        "job": "job_id",
        "state": "state",
        "attempt": "attempt",
        "created": "created_ms",
        "error": "error_message",
    }
    empty = explain_empty("jobs", stage, state, run, advice="'assay run' creates them.")
    report_list(session, found, columns, empty, left_out=left_out)


@jobs.command()
def show(ctx: typer.Context, job_id: JobId, as_json: AsJson = False) -> None:
    """Show one job with all its attempts."""
    with open_app(ctx, as_json) as (session, app):
        job = job_admin.describe_job(app, expand_id(app, job_id, IdKind.JOB))
    session.show(render_fields({name: value for name, value in job.items() if name != "attempts"}))
    columns: Columns = {
        "attempt": "attempt",
        "outcome": "outcome",
        "started": "started_ms",
        "took ms": lambda attempt: attempt["ended_ms"] - attempt["started_ms"],
        "error": "error_message",
    }
    report_list(session, job["attempts"], columns, explain_empty("attempts"), values=job)


@jobs.command()
def retry(ctx: typer.Context, job_ids: JobIds, as_json: AsJson = False) -> None:
    """Queue finished jobs again, from their first attempt; 'assay run' or a worker runs them."""
    with open_app(ctx, as_json) as (session, app):
        count = job_admin.retry_jobs(app, [expand_id(app, j, IdKind.JOB) for j in job_ids])
    session.say(f"{pluralize(count, 'job')} queued again.")
    session.print_json({"retried": count})


@jobs.command()
def cancel(ctx: typer.Context, job_ids: JobIds, as_json: AsJson = False) -> None:
    """Cancel waiting or running jobs; the result of a running one is not stored."""
    with open_app(ctx, as_json) as (session, app):
        closed = job_admin.cancel_jobs(
            app, [expand_id(app, job_id, IdKind.JOB) for job_id in job_ids]
        )
    session.say(f"{pluralize(len(closed), 'job')} cancelled.")
    session.print_json({"cancelled": closed})
