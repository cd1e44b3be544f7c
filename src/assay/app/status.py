"""Collects the state of everything with a few quick queries."""

from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.runs import list_open_runs
from assay.engine.jobs import QUEUED
from assay.governor.standings import list_paused_sources
from assay.llm.scope import Denial
from assay.model.lifecycle import CandidateState
from assay.settings import Settings
from assay.store import tables as t
from assay.store.counts import count_by, count_rows
from assay.store.database import build_now_ms, explain_errors

OPEN = "OPEN"
"""The state of a question that nobody has answered."""


_WAITING_FOR = {
    "GLOBAL_DAILY_CAP_EXCEEDED": "daily cap reached",
    "SOURCE_DAILY_CAP_EXCEEDED": "daily cap of the source reached",
    "EVIDENCE_TOO_LARGE": "document too large for its token cap",
    "CIRCUIT_OPEN": "circuit of the provider is open",
    "SOURCE_IN_COOLDOWN": "source is paused or in cooldown",
    "CONCURRENT_LIMIT_REACHED": "too many concurrent model calls",
    "RATE_LIMITED": "rate limit of the provider reached",
    "OCR": "scanned pages cannot be read",
    "EXTRACT_LOCAL": "local model call denied",
    "EXTRACT_CLOUD": "cloud model call denied",
    "NO_PACK": "its pack is not installed",
    "FETCH": "could not be fetched",
}
"""Why blocked documents wait, by the names in the status; others are shown as they are."""


def describe_waiting(code: str, settings: Settings | None = None) -> str:
    """Why documents wait, in words; the settings tell which cap there is, if only one is set."""
    if code == Denial.GLOBAL_DAILY_CAP_EXCEEDED and settings is not None:
        caps = {"token": settings.daily_tokens, "cost": settings.daily_cost}
        if known := [name for name, cap in caps.items() if cap is not None]:
            return f"daily {' or '.join(known)} cap reached"
    return _WAITING_FOR.get(code, code)


def collect_status(app: App) -> dict[str, Any]:
    """Queues, workers, runs, candidates, what waits and why, and the size of the corpus."""
    now_ms = app.clock.now_ms()
    with explain_errors(), app.engine.connect() as connection:
        return {
            "home": str(app.settings.home),
            "database": app.engine.dialect.name,
            "profile": app.settings.profile,
            "queues": count_queues(app, connection),
            "workers": load_workers(connection),
            "candidates": count_by(connection, t.candidate.c.state),
            "blocked": count_waiting(connection),
            "paused_sources": [h.source_slug for h in list_paused_sources(app.engine, now_ms)],
            "alarms": load_alarms(connection),
            "open_questions": count_by(
                connection, t.review_request.c.reason, t.review_request.c.state == OPEN
            ),
            "routing": count_by(connection, t.routing_decision.c.decision),
            "documents": count_rows(connection, t.document),
            "evidence": count_rows(connection, t.evidence),
            "facts": count_rows(connection, t.truth.candidate_fact),
            "rules": count_by(connection, t.truth.rule.c.status),
            "conflicts": count_by(connection, t.truth.conflict.c.state),
            "releases": load_releases(connection),
            "dead_letters": count_rows(connection, t.dead_letter),
            "open_runs": [run.run_id for run in list_open_runs(app)],
        }


def load_releases(connection: sa.Connection) -> dict[str, str]:
    """The newest release of each pack that was not rolled back."""
    release = t.truth.release
    query = sa.select(release.c.pack, release.c.version).where(release.c.state == "PUBLISHED")
    rows = connection.execute(query.order_by(release.c.pack, release.c.number))
    return {str(pack): str(version) for pack, version in rows}


def load_alarms(connection: sa.Connection) -> dict[str, str]:
    """Endpoints that yield less than usual, and what is wrong."""
    query = sa.select(t.endpoint.c.endpoint_id, t.endpoint.c.alarm).where(
        t.endpoint.c.alarm.is_not(None), t.endpoint.c.active.is_(True)
    )
    rows = connection.execute(query.order_by("endpoint_id"))
    return {str(name): str(alarm) for name, alarm in rows}


def count_queues(app: App, connection: sa.Connection) -> dict[str, dict[str, int]]:
    """For each stage, the number of waiting, delayed, running and dead jobs."""
    now = build_now_ms(connection)
    delayed = sa.func.coalesce(sa.func.sum(sa.case((t.job.c.not_before_ms > now, 1), else_=0)), 0)
    query = (
        sa.select(t.job.c.stage, sa.func.count(), delayed)
        .where(t.job.c.state == QUEUED)
        .group_by(t.job.c.stage)
    )
    rows = {stage: (int(n), int(late)) for stage, n, late in connection.execute(query)}
    in_hand = _count_running(app, connection)
    dead = count_by(connection, t.dead_letter.c.stage)
    table: dict[str, dict[str, int]] = {}
    for stage in app.pipeline.stages:
        queued, late = rows.get(stage.name, (0, 0))
        running = in_hand.get(stage.name, 0)
        table[stage.name] = {
            "waiting": max(0, queued - late - running),
            "delayed": late,
            "running": running,
            "dead": dead.get(stage.name, 0),
        }
    return table


def _count_running(app: App, connection: sa.Connection) -> dict[str, int]:
    batches = list(app.queues.find_running_batches(connection))
    found: dict[str, int] = {}
    for start in range(0, len(batches), 500):
        query = (
            sa.select(t.job.c.stage, sa.func.count())
            .where(t.job.c.batch_id.in_(batches[start : start + 500]), t.job.c.state == QUEUED)
            .group_by(t.job.c.stage)
        )
        for stage, count in connection.execute(query):
            found[stage] = found.get(stage, 0) + int(count)
    return found


def load_workers(connection: sa.Connection) -> list[dict[str, Any]]:
    """The workers that were ever started, and whether they live."""
    silent = (t.worker.c.heartbeat_ms + t.worker.c.lease_ms) < build_now_ms(connection)
    query = sa.select(
        t.worker.c.worker_id, t.worker.c.host, t.worker.c.pid, t.worker.c.state, silent
    ).order_by(t.worker.c.worker_id)
    return [
        {"worker_id": w, "host": host, "pid": pid,
         "state": "silent" if state == "alive" and is_silent else state}
        for w, host, pid, state, is_silent in connection.execute(query)
    ]  # fmt: skip


def count_waiting(connection: sa.Connection) -> dict[str, int]:
    """Why blocked candidates wait: why they were denied, or the stage that could not continue."""
    # If the router decided to continue, the stage it led to has blocked the candidate.
    why = sa.func.coalesce(t.routing_decision.c.denial, t.routing_decision.c.decision, "FETCH")
    of_evidence = t.routing_decision.c.evidence_id == t.candidate.c.evidence_id
    query = (
        sa.select(why.label("why"), sa.func.count(t.candidate.c.doc_id.distinct()))
        .select_from(t.candidate.outerjoin(t.routing_decision, of_evidence))
        .where(t.candidate.c.state == CandidateState.BLOCKED.value)
        .group_by("why")
        .order_by("why")
    )
    return {str(name): int(count) for name, count in connection.execute(query)}
