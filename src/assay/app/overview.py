"""What the first page of the console shows: every stage, what waits and why, and what is spent."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assay.app.circuits import list_circuits
from assay.app.composition import App
from assay.app.contracts import group_stages
from assay.app.models import build_policy
from assay.app.pipeline_diagram import PipelineDiagram, draw_pipeline
from assay.app.runs import list_open_runs
from assay.app.status import (
    OPEN,
    count_queues,
    count_waiting,
    describe_waiting,
    load_alarms,
    load_releases,
    load_workers,
)
from assay.governor.accounts import list_resting_sources, sum_calls, sum_service_calls
from assay.llm.admission import day_of
from assay.llm.circuit import CircuitState
from assay.model.records import MAX_CONSECUTIVE_ERRORS
from assay.store import tables as t
from assay.store.counts import count_rows

_HOUR_MS = 3_600_000
_DAY_MS = 24 * _HOUR_MS


@dataclass(frozen=True)
class StageState:
    """How busy a stage is."""

    waiting: int
    delayed: int
    running: int
    dead: int
    ended: int
    """Attempts that ended within the last hour."""

    @property
    def kind(self) -> str:
        """What a reader should notice first: `dead`, `running`, `waiting` or `idle`."""
        if self.dead:
            return "dead"
        if self.running:
            return "running"
        return "waiting" if self.waiting or self.delayed else "idle"

    def describe_queue(self) -> str:
        """'1.2k waiting, 4 running'."""
        figures = {"running": self.running, "waiting": self.waiting, "delayed": self.delayed}
        found = [f"{shorten(count)} {name}" for name, count in figures.items() if count]
        return ", ".join(found[:2]) or "idle"

    def describe_all(self) -> str:
        """Both in one line."""
        told = (self.describe_queue(), self.describe_results())
        return " · ".join(each for each in told if each and each != "idle") or "idle"

    def describe_results(self) -> str:
        """'30 an hour, 2 dead'."""
        found = [f"{shorten(self.ended)} an hour"] if self.ended else []
        return ", ".join(found + ([f"{shorten(self.dead)} dead"] if self.dead else []))


def shorten(count: int) -> str:
    """A count in at most four characters: 950, 1.2k, 35k, 4.1M."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if count >= size:
            return f"{count / size:.1f}{unit}" if count < 10 * size else f"{count // size}{unit}"
    return str(count)


def collect_overview(app: App) -> dict[str, Any]:
    """The state of everything, from a few quick queries."""
    now_ms = app.clock.now_ms()

    def read(connection: sa.Connection) -> dict[str, Any]:
        ended = _count_ended(connection, now_ms - _HOUR_MS)
        return {
            "stages": {
                name: StageState(**figures, ended=ended.get(name, 0))
                for name, figures in count_queues(app, connection).items()
            },
            "waiting": [
                {"reason": describe_waiting(code, app.settings), "documents": count}
                for code, count in count_waiting(connection).items()
            ],
            "workers": [w for w in load_workers(connection) if w["state"] != "stopped"],
            "alarms": load_alarms(connection),
            "closed_endpoints": count_rows(
                connection,
                t.endpoint,
                t.endpoint.c.active.is_(True),
                t.endpoint.c.consecutive_errors >= MAX_CONSECUTIVE_ERRORS,
            ),
            "urgency": _count_urgency(connection, now_ms),
            "documents": count_rows(connection, t.document),
            "facts": count_rows(connection, t.truth.candidate_fact),
            "rules": count_rows(connection, t.truth.rule),
            "releases": load_releases(connection),
            "dead_letters": count_rows(connection, t.dead_letter),
        }

    return {
        **app.read(read),
        "open_runs": [run.run_id for run in list_open_runs(app)],
        "budget": collect_burn(app, day_of(now_ms)),
        "circuits": [
            circuit
            for circuit in list_circuits(app)
            if circuit["state"] != CircuitState.CLOSED.value
        ],
        "resting": [rest for rest in list_resting_sources(app.engine, now_ms) if rest.rests],
    }


def draw_own_pipeline(app: App) -> PipelineDiagram:
    """The diagram of the stages that this installation has."""
    return draw_pipeline(group_stages(app.pipeline.stages, app.packs.installed.values()))


def collect_burn(app: App, day: str) -> dict[str, Any]:
    """What was spent on a day, and the caps of today."""
    policy, whole = build_policy(app.settings), sum_calls(app.engine, day)
    return {
        "day": day,
        "calls": whole.calls,
        "tokens": whole.tokens,
        "token_cap": policy.daily_tokens,
        "micros": whole.micros,
        "micros_cap": policy.daily_cost_micros,
        "services": sum(service.micros for service in sum_service_calls(app.engine, day)),
    }


def _count_ended(connection: sa.Connection, since_ms: int) -> dict[str, int]:
    """stage → attempts that ended since then."""
    progress = t.progress
    query = (
        sa.select(progress.c.stage, sa.func.count())
        .where(progress.c.ended_ms >= since_ms)
        .group_by(progress.c.stage)
    )
    return {str(stage): int(count) for stage, count in connection.execute(query)}


def _count_urgency(connection: sa.Connection, now_ms: int) -> dict[str, int]:
    """Open questions that are overdue, due within a day, and due later."""
    asked = t.review_request
    due = asked.c.deadline_ms
    bucket = sa.case((due < now_ms, "overdue"), (due < now_ms + _DAY_MS, "today"), else_="later")
    query = (
        sa.select(bucket.label("bucket"), sa.func.count())
        .where(asked.c.state == OPEN)
        .group_by("bucket")
    )
    found = {str(name): int(count) for name, count in connection.execute(query)}
    return {name: found.get(name, 0) for name in ("overdue", "today", "later")}
