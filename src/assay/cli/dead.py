"""`assay dead`: dead letters, jobs that failed for good and are kept until a person decides."""

from typing import Annotated

import typer

from assay.app import App, job_admin
from assay.app.abbreviations import IdKind, expand_id
from assay.cli.jobs import JobId, Limit, StageName, require_stage
from assay.cli.rendering import Columns, format_counts, pluralize, render_fields, report_list
from assay.cli.session import AsJson, open_app

dead = typer.Typer(no_args_is_help=True, help="Show dead letters; retry or discard them.")

_CHUNK = 500
"""Dead letters handled in one transaction."""
Chosen = Annotated[list[str] | None, typer.Argument(help="The jobs; none with --all.")]
All = Annotated[
    bool, typer.Option("--all", help="All dead letters; with --stage, those of that stage.")
]


@dead.command("list")
def list_(
    ctx: typer.Context, stage: StageName = None, limit: Limit = None, as_json: AsJson = False
) -> None:
    """List dead letters, newest first."""
    with open_app(ctx, as_json) as (session, app):
        require_stage(app, stage)
        limit = session.choose_limit(limit)
        found, left_out = job_admin.list_dead_letters(app, stage=stage, limit=limit)
        errors = job_admin.count_dead_letters(app)
    columns: Columns = {
        "job": "job_id",
        "attempts": "attempt",
        "died": "died_ms",
        "error": "error_code",
        "message": "error_message",
    }
    empty = f"No dead letters in stage {stage}." if stage else "No dead letters."
    if left_out and stage is None:
        session.say(f"{sum(errors.values())} dead letters: {format_counts(errors)}.")
    report_list(session, found, columns, empty, left_out=left_out)


@dead.command()
def show(ctx: typer.Context, job_id: JobId, as_json: AsJson = False) -> None:
    """Show one dead letter with its payload and its error."""
    with open_app(ctx, as_json) as (session, app):
        letter = job_admin.load_dead_letter(app, expand_id(app, job_id, IdKind.DEAD_LETTER))
    session.show(render_fields(letter))
    session.print_json(letter)


@dead.command()
def retry(
    ctx: typer.Context,
    job_ids: Chosen = None,
    every: All = False,
    stage: StageName = None,
    as_json: AsJson = False,
) -> None:
    """Queue dead jobs again, from their first attempt; 'assay run' or a worker runs them."""
    with open_app(ctx, as_json) as (session, app):
        chunks = _select_letters(app, job_ids, every, stage)
        count = sum(job_admin.retry_jobs(app, chunk) for chunk in chunks)
    session.say(f"{pluralize(count, 'job')} queued again.")
    session.print_json({"retried": count})


@dead.command()
def discard(
    ctx: typer.Context,
    job_ids: Chosen = None,
    every: All = False,
    stage: StageName = None,
    as_json: AsJson = False,
) -> None:
    """Close dead letters without another attempt; the jobs are kept as discarded."""
    with open_app(ctx, as_json) as (session, app):
        chunks = _select_letters(app, job_ids, every, stage)
        closed = [name for chunk in chunks for name in job_admin.discard_dead_letters(app, chunk)]
    session.say(f"{pluralize(len(closed), 'dead letter')} discarded.")
    session.print_json({"discarded": closed})


def _select_letters(
    app: App, job_ids: list[str] | None, every: bool, stage: str | None
) -> list[list[str]]:
    """The selected dead letters, in chunks: those named, or all; never all by mistake."""
    if bool(job_ids) == every:
        raise typer.BadParameter("name the jobs, or use --all", param_hint="JOB_IDS")
    if stage is not None and not every:
        raise typer.BadParameter("works only with --all", param_hint="--stage")
    require_stage(app, stage)
    if every:
        letters, _ = job_admin.list_dead_letters(app, stage=stage)
    else:
        # A job that is not dead must not be rerun this way.
        named = dict.fromkeys(
            expand_id(app, job_id, IdKind.DEAD_LETTER) for job_id in job_ids or []
        )
        letters = [job_admin.load_dead_letter(app, job_id) for job_id in named]
    chosen = [letter["job_id"] for letter in letters]
    return [chosen[start : start + _CHUNK] for start in range(0, len(chosen), _CHUNK)]
