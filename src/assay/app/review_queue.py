"""The queue of the review desk: which questions wait, how many of which kind, and which is next."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.reviewing import OPEN, tier_of
from assay.governor.large_documents import REASON as TOO_LARGE
from assay.ruling.review.deadlines import ReviewReason
from assay.ruling.rules.descriptions import describe_value
from assay.store import tables as t
from assay.store import truth
from assay.store.database import explain_errors

WHY: Final[Mapping[str, tuple[str, str]]] = {
    ReviewReason.TIER_T0: (
        "Rate, deadline or penalty",
        "Rules of tier T0 are never approved without a person.",
    ),
    ReviewReason.TIER_T1: (
        "Threshold or base",
        "Rules of tier T1 are never approved without a person.",
    ),
    ReviewReason.CONFLICT: (
        "Conflict",
        "Rules contradict each other, and only a person may decide which one holds.",
    ),
    ReviewReason.OCR_FAILED: ("Unreadable scan", "A scanned page could not be read."),
    ReviewReason.LOW_CONFIDENCE: (
        "Low confidence",
        "The confidence is lower than this pack requires for an approval without a person.",
    ),
    ReviewReason.QUALITY: ("Second look", "Its release was rolled back."),
    ReviewReason.INVALID_DOMAIN: ("Unknown area", "No area of the pack fits it."),
    ReviewReason.EVIDENCE_CHANGED: (
        "Wording changed",
        "A person decided before, but the words that they saw have changed since.",
    ),
    TOO_LARGE: ("Large document", "Reading it with a model would exceed the cap on one document."),
}
"""Reason → its name on the desk, and why a person is asked."""


@dataclass(frozen=True, kw_only=True)
class QueueFilter:
    """Which open questions are meant; all of them by default."""

    reason: str | None = None
    tier: str | None = None
    pack: str | None = None
    overdue: bool = False


@dataclass(frozen=True)
class QueuePlace:
    """A place in the queue, which is ordered by deadline."""

    deadline_ms: int
    request_id: str


@dataclass(frozen=True)
class QueueCounts:
    """How many questions wait, by what can be filtered."""

    rows: tuple[Mapping[str, Any], ...]

    @cached_property
    def total(self) -> int:
        return sum(row["count"] for row in self.rows)

    @cached_property
    def overdue(self) -> int:
        return sum(row["count"] for row in self.rows if row["overdue"])

    def by(self, name: str) -> dict[str, int]:
        """Each value of a column, with its number of questions; the most frequent first."""
        counts: dict[str, int] = {}
        for row in self.rows:
            if row[name] is not None:
                counts[row[name]] = counts.get(row[name], 0) + row["count"]
        return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def list_waiting(
    app: App, wanted: QueueFilter, *, after: QueuePlace | None = None, limit: int
) -> list[dict[str, Any]]:
    """Open questions of the filter, most urgent first."""
    query = _filter_waiting(app, _select_waiting(app), wanted)
    rows = app.fetch_rows(_order_after(query, after).limit(limit))
    return [_describe_entry(app, row) for row in rows]


def count_waiting(app: App) -> QueueCounts:
    """How many questions wait, by reason, tier, pack, and whether they are overdue."""
    is_overdue = (t.review_request.c.deadline_ms < app.clock.now_ms()).label("overdue")
    waiting = _select_waiting(app).add_columns(is_overdue).subquery()
    columns = (waiting.c.reason, waiting.c.tier, waiting.c.pack, waiting.c.overdue)
    query = sa.select(*columns, sa.func.count().label("count")).group_by(*columns)
    return QueueCounts(tuple(app.fetch_rows(query)))


def find_place(app: App, request_id: str) -> QueuePlace | None:
    """Where a question is, or was, in the queue."""
    asked = t.review_request.c
    rows = app.fetch_rows(
        sa.select(asked.deadline_ms, asked.request_id).where(asked.request_id == request_id)
    )
    return QueuePlace(**rows[0]) if rows else None


def find_next(
    app: App,
    wanted: QueueFilter,
    *,
    after: QueuePlace | None = None,
    beside: Collection[str] = (),
    backwards: bool = False,
) -> str | None:
    """The next question of the filter, or the previous one; then the other end of the queue.

    Questions in `beside` are only chosen if there is no other.
    """
    query = _filter_waiting(app, _select_waiting(app), wanted)
    current = "" if after is None else after.request_id
    with explain_errors(), app.engine.connect() as connection:
        for avoided in ({*beside, current}, {current}):
            for place in (after, None):
                free = query.where(t.review_request.c.request_id.not_in(sorted(avoided)))
                row = connection.execute(_order_after(free, place, backwards).limit(1)).first()
                if row is not None:
                    return str(row.request_id)
    return None


def describe_reason(reason: str) -> tuple[str, str]:
    """The name of a reason, and why a person is asked."""
    known = WHY.get(reason)
    if known is not None:
        return known
    return reason.replace("_", " ").capitalize(), "Assay cannot decide this by itself."


def _select_waiting(app: App) -> sa.Select[Any]:
    asked, rule, conflict, concept = t.review_request, truth.rule, truth.conflict, truth.concept
    pack_of_kind = {
        kind.name: pack.name for pack in app.packs.installed.values() for kind in pack.review_kinds
    }
    pack: list[Any] = [rule.c.pack, conflict.c.pack]
    if pack_of_kind:
        pack.append(sa.case(pack_of_kind, value=asked.c.subject_kind))
    about = sa.func.coalesce(rule.c.concept, conflict.c.concept)
    return (
        sa.select(
            asked,
            tier_of(asked).label("tier"),
            sa.func.coalesce(*pack).label("pack"),
            about.label("concept"),
            concept.c.label,
            *(rule.c[name] for name in ("value", "value_type", "unit", "person_version")),
        )
        .outerjoin(rule, sa.and_(asked.c.subject_kind == "rule", rule.c.rule_id == asked.c.subject))
        .outerjoin(
            conflict,
            sa.and_(asked.c.subject_kind == "conflict", conflict.c.conflict_id == asked.c.subject),
        )
        .outerjoin(concept, concept.c.concept == about)
        .where(asked.c.state == OPEN)
    )


def _filter_waiting(app: App, query: sa.Select[Any], wanted: QueueFilter) -> sa.Select[Any]:
    columns = query.exported_columns
    for name in ("reason", "tier", "pack"):
        if (value := getattr(wanted, name)) is not None:
            # The expression itself: a label cannot be used in a condition.
            query = query.where(_strip_label(columns[name]) == value)
    if wanted.overdue:
        query = query.where(t.review_request.c.deadline_ms < app.clock.now_ms())
    return query


def _strip_label(column: Any) -> Any:
    return column.element if isinstance(column, sa.Label) else column


def _order_after(
    query: sa.Select[Any], after: QueuePlace | None, backwards: bool = False
) -> sa.Select[Any]:
    asked = t.review_request.c
    place = sa.tuple_(asked.deadline_ms, asked.request_id)
    if backwards:
        query = query.order_by(asked.deadline_ms.desc(), asked.request_id.desc())
    else:
        query = query.order_by(asked.deadline_ms, asked.request_id)
    if after is None:
        return query
    there = sa.tuple_(sa.literal(after.deadline_ms), sa.literal(after.request_id))
    return query.where(place < there if backwards else place > there)


def _describe_entry(app: App, row: dict[str, Any]) -> dict[str, Any]:
    name, _ = describe_reason(row["reason"])
    value = None
    if row["value"] is not None:
        value = describe_value(row["value"], row["value_type"], row["unit"])
    return {
        **row,
        "reason_name": name,
        "says": value,
        "overdue": row["deadline_ms"] < app.clock.now_ms(),
    }
