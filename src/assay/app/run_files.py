"""Runs as a person sees them: the list, what came of one, and the files of its folder."""

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.job_admin import JobFilter, browse_dead_letters
from assay.app.keyset import KeysetPage, Place, SortKey, fetch_keyset
from assay.app.run_summaries import summarize_runs
from assay.app.runs import (
    count_jobs_left,
    count_run_events,
    count_run_jobs,
    count_run_outcomes,
    get_run,
    verify_runs,
)
from assay.engine.jobs import QUEUED
from assay.errors import NotFound
from assay.store import tables as t

_MOST_DEAD = 10


@dataclass(frozen=True)
class StoredRunFile:
    """A file in the folder of a run."""

    name: str
    size: int


def browse_runs(app: App, after: Place | None, limit: int) -> KeysetPage:
    """Runs page by page, newest first, with the number of jobs that each has left."""
    run, job = t.run, t.job
    keys = [SortKey(run.c.started_ms, descending=True), SortKey(run.c.run_id, descending=True)]
    page = fetch_keyset(app, sa.select(run), keys, after, limit)
    left = (
        sa.select(job.c.run_id, sa.func.count().label("left"))
        .where(job.c.state == QUEUED, job.c.run_id.in_([row["run_id"] for row in page.rows]))
        .group_by(job.c.run_id)
    )
    counts = {row["run_id"]: int(row["left"]) for row in app.fetch_rows(left)}
    rows = [{**row, "jobs_left": counts.get(row["run_id"], 0)} for row in page.rows]
    return KeysetPage(rows, page.last)


def describe_run(app: App, run_id: str, *, verify: bool = False) -> dict[str, Any]:
    """One run: what it did in each stage, what came of it, and its files."""
    run = get_run(app, run_id)
    jobs, outcomes = count_run_jobs(app, run_id), count_run_outcomes(app, run_id)
    names = [stage.name for stage in app.pipeline.stages]
    return {
        **asdict(run),
        "jobs_left": count_jobs_left(app, [run_id]),
        "stages": {
            name: {"jobs": jobs.get(name, {}), "outcomes": outcomes.get(name, {})}
            for name in [*names, *sorted(set(jobs) - set(names))]
            if name in jobs or name in outcomes
        },
        "events": count_run_events(app, run_id),
        "summary": summarize_runs(app, [run_id]),
        "dead": browse_dead_letters(app, JobFilter(run_id=run_id), None, _MOST_DEAD).rows,
        "files": list_run_files(app, run_id),
        "check": verify_runs(app, run_id)[0] if verify else None,
    }


def list_run_files(app: App, run_id: str) -> list[StoredRunFile]:
    """The files in the folder of a run, by name; neither links nor what is still being written."""
    folder = app.folders.path(run_id)
    if not folder.is_dir():
        return []
    with os.scandir(folder) as entries:
        found = [
            StoredRunFile(entry.name, entry.stat(follow_symlinks=False).st_size)
            for entry in entries
            if entry.is_file(follow_symlinks=False) and not entry.name.startswith(".")
        ]
    return sorted(found, key=lambda file: file.name)


def find_run_file(app: App, run_id: str, name: str) -> Path:
    """The path of one of these files; nothing else can be named."""
    get_run(app, run_id)
    if name not in {file.name for file in list_run_files(app, run_id)}:
        raise NotFound(f"Run {run_id} has no such file.", advice="The page of the run lists them.")
    return app.folders.path(run_id) / name
