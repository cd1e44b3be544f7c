"""What a person sees of a source: its looks and what they yield, its errors, and what happened."""

from dataclasses import dataclass
from statistics import median
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.job_admin import JobFilter, browse_dead_letters
from assay.app.keyset import KeysetPage, Place, SortKey, fetch_keyset
from assay.app.sources import count_candidates, describe_health, load_source
from assay.engine.jobs import QUEUED
from assay.events import HealthChanged, SourcePaused, SourceUnpaused, YieldFell
from assay.model.bookkeeping import SourceHealth
from assay.model.records import MAX_CONSECUTIVE_ERRORS, Endpoint
from assay.sources.intervals import compute_next_due_ms
from assay.sources.yields import DAY_MS, KEPT_DAYS, YieldHistory
from assay.store import tables as t

_MOST_EVENTS = 30
_MOST_ERRORS = 10
_TOLD = (HealthChanged, SourcePaused, SourceUnpaused, YieldFell)
"""The events about the health of a source."""


@dataclass(frozen=True)
class EndpointReport:
    """An endpoint, when it is looked at next, and what its looks have yielded."""

    endpoint: Endpoint
    next_look_ms: int
    """In the past: with the next run."""
    usual: float | None
    """Items of a usual look; None if not known yet."""
    counts: tuple[int, ...]
    """The fewest items of a look, on each of the last days with one."""
    new_by_day: tuple[int, ...]
    """New items of the last days, the newest last."""

    def describe_expected(self) -> str:
        """What its description says that it must yield."""
        expected = self.endpoint.expected_yield
        told = []
        if (items := expected.get("min_items")) is not None:
            told.append(f"at least {items} in each look")
        if (new := expected.get("min_new")) is not None:
            told.append(f"at least {new} new in {expected.get('per_days', 30)} days")
        return ", ".join(told)


def browse_sources(
    app: App, after: Place | None, limit: int, *, in_trouble: bool = False
) -> KeysetPage:
    """Sources page by page, with their health and a summary of their endpoints."""
    source, endpoint, health = t.source, t.endpoint, t.health
    is_closed = endpoint.c.consecutive_errors >= MAX_CONSECUTIVE_ERRORS
    sums = (
        sa.select(
            endpoint.c.source_slug.label("slug"),
            sa.func.count().label("endpoints"),
            sa.func.max(endpoint.c.last_scraped_ms).label("last_look_ms"),
            sa.func.min(endpoint.c.next_due_ms).label("next_look_ms"),
            sa.func.count(endpoint.c.alarm).label("alarms"),
            sa.func.sum(sa.case((is_closed, 1), else_=0)).label("closed"),
            sa.func.count(endpoint.c.last_error).label("failing"),
        )
        .where(endpoint.c.active.is_(True))
        .group_by(endpoint.c.source_slug)
        .subquery()
    )
    query = (
        sa.select(source, *(column for column in sums.c if column.name != "slug"))
        .outerjoin(sums, sums.c.slug == source.c.source_slug)
        .outerjoin(health, health.c.source_slug == source.c.source_slug)
    )
    if in_trouble:
        query = query.where(
            source.c.active.is_(True),
            sa.or_(sums.c.alarms > 0, sums.c.failing > 0, health.c.is_paused.is_(True)),
        )
    page = fetch_keyset(app, query, [SortKey(source.c.source_slug)], after, limit)
    return KeysetPage(_add_health(app, page.rows), page.last)


def _add_health(app: App, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    slugs = [row["source_slug"] for row in rows]
    found = app.fetch_rows(sa.select(t.health).where(t.health.c.source_slug.in_(slugs)))
    known = {row["source_slug"]: SourceHealth.from_row(row) for row in found}
    now_ms = app.clock.now_ms()
    return [{**row, **describe_health(known.get(row["source_slug"]), now_ms)} for row in rows]


def report_source(app: App, slug: str) -> dict[str, Any]:
    """One source with its endpoints, its last errors, and what happened to its health."""
    found = {**load_source(app, slug), "candidates": count_candidates(app, slug)}
    rows = app.fetch_rows(
        sa.select(t.endpoint)
        .where(t.endpoint.c.source_slug == slug)
        .order_by(t.endpoint.c.endpoint_id)
    )
    today = app.clock.now_ms() // DAY_MS
    errors = browse_dead_letters(app, JobFilter(source=slug), None, _MOST_ERRORS).rows
    return {
        **found,
        "endpoints": [_report_endpoint(Endpoint.from_row(row), today) for row in rows],
        "errors": errors,
        "events": _list_events(app, slug),
        "look_queued": is_look_queued(app, slug),
    }


def is_look_queued(app: App, slug: str) -> bool:
    """Whether a look at the source waits or is under way."""
    job = t.job
    query = sa.select(sa.literal(1)).where(
        job.c.state == QUEUED, job.c.stage == "sentinel", job.c.source_slug == slug
    )
    return bool(app.fetch_rows(query.limit(1)))


def _report_endpoint(endpoint: Endpoint, today: int) -> EndpointReport:
    history = YieldHistory.from_json(endpoint.yield_state)
    new = dict(history.new_by_day)
    days = range(today - KEPT_DAYS + 1, today + 1)
    return EndpointReport(
        endpoint=endpoint,
        next_look_ms=compute_next_due_ms(
            endpoint.frequency,
            endpoint.endpoint_id,
            endpoint.last_scraped_ms,
            velocity=endpoint.velocity,
            risk=endpoint.risk,
        ),
        usual=median(history.counts) if history.counts else None,
        counts=history.counts,
        new_by_day=tuple(new.get(day, 0) for day in days),
    )


def _list_events(app: App, slug: str) -> list[dict[str, Any]]:
    """What happened to its health within three months, newest first."""
    event = t.event
    query = (
        sa.select(event.c.tag, event.c.body, event.c.at_ms)
        .where(
            event.c.tag.in_([kind.tag for kind in _TOLD]),
            event.c.at_ms >= app.clock.now_ms() - KEPT_DAYS * DAY_MS,
            event.c.source_slug == slug,
        )
        .order_by(event.c.at_ms.desc())
        .limit(_MOST_EVENTS)
    )
    return [{**row, "told": _tell(row["tag"], row["body"])} for row in app.fetch_rows(query)]


def _tell(tag: str, body: dict[str, Any]) -> str:
    if tag == HealthChanged.tag:
        return f"health changed from {body['before']} to {body['after']} ({body['score']:.2f})"
    if tag == SourcePaused.tag:
        return f"paused: {body['reason']}"
    if tag == YieldFell.tag:
        return f"{body['endpoint_id']} {body['told']}"
    return "no longer paused"
