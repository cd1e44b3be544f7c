"""The watched sources: their health, and how an operator pauses and unpauses them."""

from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.known_sources import explain_missing_pack
from assay.errors import NotFound
from assay.governor import standings
from assay.governor.health import COUNTS, find_level_in_force, is_paused_at
from assay.llm.scope import Denial
from assay.model.bookkeeping import SourceHealth
from assay.model.ids import suggest_name
from assay.model.lifecycle import CandidateState, Move, RetryPolicy
from assay.store import tables as t
from assay.store.candidates import move_candidates
from assay.store.counts import count_by
from assay.store.database import explain_errors

_ENDPOINT = ("endpoint_id", "active", "last_scraped_ms", "last_error", "alarm")


def list_sources(app: App) -> list[dict[str, Any]]:
    """Every source with its health, by slug."""
    now_ms = app.clock.now_ms()
    with explain_errors(), app.engine.connect() as connection:
        rows = connection.execute(sa.select(t.source).order_by(t.source.c.source_slug)).mappings()
        sources = [dict(row) for row in rows]
        known = {
            row.source_slug: SourceHealth.from_row(row._asdict())
            for row in connection.execute(sa.select(t.health))
        }
    return [
        {**source, **describe_health(known.get(source["source_slug"]), now_ms)}
        for source in sources
    ]


def load_source(app: App, slug: str) -> dict[str, Any]:
    """One source with its health."""
    require_source(app, slug)
    row = app.fetch_rows(sa.select(t.source).where(t.source.c.source_slug == slug))[0]
    health = standings.read_health(app.engine, slug)
    return {**row, **describe_health(health, app.clock.now_ms())}


def count_candidates(app: App, slug: str) -> dict[str, int]:
    """The documents of a source by their state."""
    where = t.candidate.c.doc_id == t.document.c.doc_id, t.document.c.source_slug == slug
    return app.read(lambda connection: count_by(connection, t.candidate.c.state, *where))


def describe_source(app: App, slug: str) -> dict[str, Any]:
    """One source with its health, its endpoints, and counts of its documents."""
    found = {**load_source(app, slug), "candidates": count_candidates(app, slug)}
    with explain_errors(), app.engine.connect() as connection:
        endpoints = sa.select(t.endpoint).where(t.endpoint.c.source_slug == slug)
        rows = connection.execute(endpoints.order_by(t.endpoint.c.endpoint_id)).mappings()
        found["endpoints"] = [{name: row[name] for name in _ENDPOINT} for row in rows]
        found["routing"] = count_by(
            connection,
            t.routing_decision.c.decision,
            t.routing_decision.c.evidence_id == t.evidence.c.evidence_id,
            t.evidence.c.source_slug == slug,
        )
    return found


def list_unread_sources(app: App) -> dict[str, str]:
    """The watched sources whose documents no pack reads, and why."""
    query = sa.select(t.source).where(t.source.c.active.is_(True))
    return {
        row["source_slug"]: reason
        for row in app.fetch_rows(query.order_by(t.source.c.source_slug))
        if (reason := explain_missing_pack(row["packs"], app.packs)) is not None
    }


def remove_source(app: App, slug: str) -> bool:
    """Stop watching a source; False if it was not watched.

    Its evidence, facts and rules stay, and what was already fetched is still processed.
    """
    require_source(app, slug)
    with explain_errors(), app.engine.begin() as connection:
        removed = connection.execute(
            sa.update(t.source)
            .where(t.source.c.source_slug == slug, t.source.c.active.is_(True))
            .values(active=False)
        )
        return bool(removed.rowcount)


def pause_source(app: App, slug: str, reason: str, hours: float | None) -> dict[str, Any]:
    """Stop a source from spending for that many hours; None: until a person unpauses it."""
    require_source(app, slug)
    now_ms = app.clock.now_ms()
    return describe_health(
        standings.pause_source(app.engine, slug, reason, hours, now_ms=now_ms), now_ms
    )


def unpause_source(app: App, slug: str) -> tuple[bool, int]:
    """Unpause a source and the documents that waited for it; False if it was not paused."""
    require_source(app, slug)
    now_ms = app.clock.now_ms()
    was_paused = standings.unpause_source(app.engine, slug, now_ms=now_ms)
    return was_paused, _reschedule_documents(app, slug, now_ms) if was_paused else 0


def _reschedule_documents(app: App, slug: str, now_ms: int) -> int:
    """Let the next run pick them up, rather than the one after the pause would have ended."""
    waiting = (
        sa.select(t.candidate.c.doc_id, t.candidate.c.evidence_id)
        .join(t.routing_decision, t.routing_decision.c.evidence_id == t.candidate.c.evidence_id)
        .join(t.evidence, t.evidence.c.evidence_id == t.candidate.c.evidence_id)
        .where(
            t.candidate.c.state == CandidateState.BLOCKED.value,
            t.routing_decision.c.denial == Denial.SOURCE_IN_COOLDOWN.value,
            t.evidence.c.source_slug == slug,
        )
        # Several packs may have been denied the same document.
        .distinct()
    )
    with explain_errors(), app.engine.begin() as connection:
        moves = [
            Move(
                doc_id,
                CandidateState.BLOCKED,
                "its source goes on",
                next_retry_unix=now_ms // 1000,
                counts=False,
                only_with=evidence_id,
            )
            for doc_id, evidence_id in connection.execute(waiting)
        ]
        return move_candidates(connection, moves, RetryPolicy(), now_ms)


def describe_health(health: SourceHealth | None, now_ms: int) -> dict[str, Any]:
    """What is known about a source's health; if nothing is known, it counts as fair."""
    known = health or SourceHealth(source_slug="")
    is_paused = is_paused_at(known, now_ms)
    return {
        "health_score": known.health_score,
        "level": find_level_in_force(known).name,
        "scout_threshold": known.min_scout_score,
        "allow_cloud": known.allow_cloud,
        "budget_multiplier": known.budget_multiplier,
        "is_paused": is_paused,
        "pause_reason": known.pause_reason if is_paused else None,
        "pause_expires_ms": known.pause_expires_ms if is_paused else None,
        **{name: getattr(known, name) for name in COUNTS},
        "window_start_ms": known.window_start_ms or None,
    }


def list_source_names(app: App) -> list[str]:
    """The slugs of all sources."""
    query = sa.select(t.source.c.source_slug).order_by(t.source.c.source_slug)
    return app.read(lambda connection: list(connection.execute(query).scalars()))


def require_source(app: App, slug: str) -> None:
    known = list_source_names(app)
    if slug in known:
        return
    hint = suggest_name(slug, known)
    raise NotFound(
        f"There is no source '{slug}'.", advice=f"{hint}'assay sources list' lists them."
    )
