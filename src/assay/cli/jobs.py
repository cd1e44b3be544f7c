"""`assay jobs`: shows jobs, and lets an operator retry or cancel them."""

import difflib
from enum import StrEnum
from typing import Annotated, Any

import typer

from assay.app import App, job_admin
from assay.app.runs import get_run
from assay.cli.rendering import (
    explain_empty,
    format_time,
    pluralize,
    render_fields,
    render_list,
)
from assay.cli.session import AsJson, session_of
from assay.engine import jobs as book
from assay.errors import NotFound

jobs = typer.Typer(no_args_is_help=True, help="Show jobs; retry or cancel them.")


class JobState(StrEnum):
    """The state of a job."""

    QUEUED = book.QUEUED
    DONE = book.DONE
    DEAD = book.DEAD
    CANCELLED = book.CANCELLED
    DISCARDED = book.DISCARDED


StageName = Annotated[str | None, typer.Option("--stage", help="Only this stage.")]
Limit = Annotated[int, typer.Option(min=1, help="Show at most this many.")]
JobId = Annotated[str, typer.Argument(help="The job.")]
JobIds = Annotated[list[str], typer.Argument(help="The jobs.")]


def require_stage(app: App, name: str | None) -> None:
    """Refuse an unknown stage: as a filter it is a mistake that an empty list would hide."""
    names = [stage.name for stage in app.pipeline.stages]
    if name is None or name in names:
        return
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"Did you mean '{near[0]}'? " if near else ""
    raise NotFound(f"There is no stage {name}.", advice=f"{hint}The stages are {', '.join(names)}.")


@jobs.command("list")
def list_(
    ctx: typer.Context,
    stage: StageName = None,
    state: Annotated[JobState | None, typer.Option(help="Only in this state.")] = None,
    run: Annotated[str | None, typer.Option("--run", help="Only jobs of this run.")] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List the newest matching jobs with their state."""
    session = session_of(ctx, as_json)
    with session.app() as app:
        require_stage(app, stage)
        if run is not None:
            get_run(app, run)
        found = job_admin.list_jobs(
            app, stage=stage, state=state.value if state else None, run_id=run, limit=limit
        )
    session.show(
        render_list(
            ["job", "state", "attempt", "created", "error"],
            [
                [
                    j["job_id"],
                    j["state"],
                    j["attempt"],
                    format_time(j["created_ms"]),
                    j["error_message"],
                ]
                for j in found
            ],
            explain_empty("jobs", stage, state, run, advice="'assay run' creates them."),
        )
    )
    session.print_json(found)


@jobs.command()
def show(ctx: typer.Context, job_id: JobId, as_json: AsJson = False) -> None:
    """Show one job with all its attempts."""
    session = session_of(ctx, as_json)
    with session.app() as app:
        job = job_admin.describe_job(app, job_id)
    session.show(render_fields({name: value for name, value in job.items() if name != "attempts"}))
    session.show(_render_attempts(job["attempts"]))
    session.print_json(job)


def _render_attempts(attempts: list[dict[str, Any]]) -> Any:
    return render_list(
        ["attempt", "outcome", "started", "took ms", "error"],
        [
            [
                entry["attempt"],
                entry["outcome"],
                format_time(entry["started_ms"]),
                entry["ended_ms"] - entry["started_ms"],
                entry["error_message"],
            ]
            for entry in attempts
        ],
        explain_empty("attempts"),
    )


@jobs.command()
def retry(ctx: typer.Context, job_ids: JobIds, as_json: AsJson = False) -> None:
    """Queue finished jobs again, from their first attempt; 'assay run' or a worker runs them."""
    session = session_of(ctx, as_json)
    with session.app() as app:
        count = job_admin.retry_jobs(app, job_ids)
    session.say(f"{pluralize(count, 'job')} queued again.")
    session.print_json({"retried": count})


@jobs.command()
def cancel(ctx: typer.Context, job_ids: JobIds, as_json: AsJson = False) -> None:
    """Cancel waiting or running jobs; the result of a running one is not stored."""
    session = session_of(ctx, as_json)
    with session.app() as app:
        closed = job_admin.cancel_jobs(app, job_ids)
    session.say(f"{pluralize(len(closed), 'job')} cancelled.")
    session.print_json({"cancelled": closed})
