"""The state of everything, and what it costs."""

from datetime import date
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, ConfigDict

from assay.app.budgets import collect_budget
from assay.app.status import collect_status
from assay.console.access import Reader
from assay.console.api.routing import build_router
from assay.console.layout import OwnApp
from assay.governor.accounts import SpendingGroup
from assay.llm.admission import day_of

router = build_router("state")


class QueueState(BaseModel):
    """The jobs of one stage."""

    waiting: int
    delayed: int
    running: int
    dead: int


class WorkerState(BaseModel):
    """A worker."""

    worker_id: str
    host: str
    pid: int
    state: str


class Status(BaseModel):
    """The state of everything."""

    database: str
    profile: str
    queues: dict[str, QueueState]
    workers: list[WorkerState]
    candidates: dict[str, int]
    blocked: dict[str, int]
    paused_sources: list[str]
    alarms: dict[str, str]
    open_questions: dict[str, int]
    routing: dict[str, int]
    documents: int
    evidence: int
    facts: int
    rules: dict[str, int]
    conflicts: dict[str, int]
    releases: dict[str, str]
    dead_letters: int
    open_runs: list[str]


class SpentAndCap(BaseModel):
    """A sum beside its cap; the cap and what is left of it are known for today only."""

    cap: int | None
    used: int
    reserved: int
    left: int | None


class Spending(BaseModel):
    """What the model calls of a day cost; money is in millionths."""

    model_config = ConfigDict(extra="allow")

    day: str
    ends_ms: int | None
    tokens: SpentAndCap
    micros: SpentAndCap
    calls: int
    open: int
    lost: int
    unpriced: int
    by: SpendingGroup
    rows: list[dict[str, Any]]
    left_out: int


@router.get("/api/status")
def show_status(app: OwnApp, _principal: Reader) -> Status:
    """Queues, workers, documents, questions and releases, counted."""
    return Status.model_validate(collect_status(app))


@router.get("/api/budget")
def show_budget(
    app: OwnApp,
    _principal: Reader,
    day: Annotated[date | None, Query(description="A day (UTC); today by default.")] = None,
    by: SpendingGroup = SpendingGroup.SOURCE,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Spending:
    """Tokens and money of a day, against the caps."""
    chosen = day_of(app.clock.now_ms()) if day is None else day.isoformat()
    return Spending.model_validate(collect_budget(app, chosen, by, limit))
