"""Jobs that migrations queue, because an upgrade must work on what is stored once more.

They belong to a run of their own, which the next `assay run` resumes. `App.migrate` creates its
folder and hands the jobs to the queue.
"""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assay.clock import SystemClock
from assay.model.ids import make_run_id
from assay.store.bulk import build_insert

UPGRADE = "upgrade"
"""The label of the run."""
_OPEN = "open"
_PRIORITY = 100


@dataclass(frozen=True, slots=True)
class UpgradeJob:
    """A job of a stage, named with the version that the stage has when the migration is written."""

    stage: str
    version: int
    subject: str
    payload: Mapping[str, Any]
    source_slug: str | None = None
    waits_once: bool = False
    """Whether the stage may process the same subject repeatedly, as with `once="waiting"`."""


def queue_upgrade_jobs(connection: sa.Connection, jobs: Iterable[UpgradeJob]) -> None:
    """Record the jobs that the job book does not have yet."""
    wanted = list(jobs)
    if not wanted:
        return
    tables = sa.MetaData()
    tables.reflect(connection, only=["jobs", "runs"])
    now_ms = SystemClock().now_ms()
    run_id = _open_run(connection, tables.tables["runs"], now_ms)
    statement = build_insert(connection.dialect.name, tables.tables["jobs"])
    connection.execute(
        statement.on_conflict_do_nothing(),
        [_build_row(job, run_id, now_ms) for job in wanted],
    )


def _open_run(connection: sa.Connection, runs: sa.Table, now_ms: int) -> str:
    """The open run of an upgrade; several migrations share it."""
    known = sa.select(runs.c.run_id).where(runs.c.label == UPGRADE, runs.c.state == _OPEN)
    found = connection.execute(known.order_by(runs.c.run_id).limit(1)).scalar()
    if found is not None:
        return str(found)
    run_id = make_run_id(now_ms)
    row = {"run_id": run_id, "label": UPGRADE, "params": {}, "state": _OPEN, "started_ms": now_ms}
    connection.execute(sa.insert(runs).values(row))
    return run_id


def _build_row(job: UpgradeJob, run_id: str, now_ms: int) -> dict[str, Any]:
    stage = f"{job.stage}.{job.version}"
    token = f"@{secrets.token_hex(6)}" if job.waits_once else ""
    return {
        "job_id": f"{stage}:{job.subject}{token}",
        "stage": job.stage,
        "subject": job.subject,
        "run_id": run_id,
        "parent_job_id": None,
        "source_slug": job.source_slug,
        "batch_id": f"{job.stage}:{secrets.token_hex(12)}",
        "state": "queued",
        "priority": _PRIORITY,
        "attempt": 1,
        "payload": dict(job.payload),
        **dict.fromkeys(("error_code", "error_class", "error_message")),
        "created_ms": now_ms,
        **dict.fromkeys(("not_before_ms", "ended_ms")),
        "waiting_key": f"{stage}:{run_id}:{job.subject}" if job.waits_once else None,
    }
