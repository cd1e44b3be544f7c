"""What was spent each day, and by whom: totals of the ledger, and whether the meters agree."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from assay.governor.standings import list_paused_sources
from assay.llm.ledger import TOTAL_METER
from assay.llm.messages import Lane
from assay.llm.scope import CallState
from assay.llm.service_calls import SERVICE_METER
from assay.store.database import explain_errors
from assay.store.spending import call, cooldown, meter

UNDER_WAY = (CallState.OPEN.value, CallState.BATCHED.value)
_OF_MODELS = call.c.lane != Lane.SERVICE.value
"""Calls to services have allowances of their own, and count towards no cap on models."""


class SpendingGroup(StrEnum):
    """How the calls of a day are grouped."""

    SOURCE = "source"
    STAGE = "stage"
    PROVIDER = "provider"
    MODEL = "model"
    RUN = "run"
    REQUEST = "request"


_COLUMNS: dict[SpendingGroup, sa.Column[Any]] = {
    SpendingGroup.SOURCE: call.c.source_slug,
    SpendingGroup.STAGE: call.c.stage,
    SpendingGroup.PROVIDER: call.c.provider,
    SpendingGroup.MODEL: call.c.model,
    SpendingGroup.RUN: call.c.run_id,
    SpendingGroup.REQUEST: call.c.request_id,
}


@dataclass(frozen=True, kw_only=True)
class CallTotals:
    """The total cost of some calls."""

    name: str | None = None
    """The group they belong to; None for calls that belong to none."""
    calls: int = 0
    open: int = 0
    """Calls in progress, including batches."""
    lost: int = 0
    """Calls whose worker died; everything reserved for them is charged."""
    reserved_tokens: int = 0
    """Reserved for calls in progress."""
    used_tokens: int = 0
    reserved_micros: int = 0
    used_micros: int = 0
    unpriced: int = 0
    """Calls to models without a price; no sum of money includes them."""

    @property
    def tokens(self) -> int:
        """What counts against a cap."""
        return self.reserved_tokens + self.used_tokens

    @property
    def micros(self) -> int:
        return self.reserved_micros + self.used_micros


@dataclass(frozen=True, kw_only=True)
class MeterMismatch:
    """A meter that differs from the ledger's total; each figure is ledger minus meter."""

    day: str
    meter: str
    calls: int
    tokens: int
    micros: int

    def __str__(self) -> str:
        return (
            f"{self.day} {self.meter}: the ledger has {self.calls:+} calls, "
            f"{self.tokens:+} tokens, {self.micros:+} millionths"
        )


@dataclass(frozen=True, kw_only=True)
class RestingSource:
    """A source that may not spend for a while, or is close to that."""

    source: str
    why: str
    until_ms: int | None
    """None: until a person resumes it, or it is not resting yet."""
    rests: bool = True
    empties: int = 0
    """Empty answers in a row."""


def sum_calls(engine: sa.Engine, day: str) -> CallTotals:
    """All model calls of a UTC day."""
    query = _select_totals(sa.null()).where(call.c.day == day, _OF_MODELS)
    with explain_errors(), engine.connect() as connection:
        row = connection.execute(query).one()
    return _parse_totals(row)


def sum_service_calls(engine: sa.Engine, day: str) -> list[CallTotals]:
    """The priced calls of a UTC day to services that are not models, by service."""
    query = (
        _select_totals(call.c.provider)
        .where(call.c.day == day, ~_OF_MODELS)
        .group_by(call.c.provider)
        .order_by(call.c.provider)
    )
    with explain_errors(), engine.connect() as connection:
        return [_parse_totals(row) for row in connection.execute(query)]


def sum_calls_by_group(
    engine: sa.Engine, day: str, by: SpendingGroup, *, limit: int | None = None
) -> tuple[list[CallTotals], int]:
    """Totals of a UTC day by group, the most expensive first, and how many groups were left out."""
    column = _COLUMNS[by]
    spent = sa.func.sum(call.c.charged_tokens)
    query = (
        _select_totals(column)
        .where(call.c.day == day, _OF_MODELS)
        .group_by(column)
        .order_by(spent.desc(), sa.func.coalesce(column, ""))
    )
    count = sa.select(sa.func.count()).select_from(
        sa.select(column).where(call.c.day == day, _OF_MODELS).group_by(column).subquery()
    )
    with explain_errors(), engine.connect() as connection:
        found = [_parse_totals(row) for row in connection.execute(query.limit(limit))]
        left_out = int(connection.execute(count).scalar_one()) - len(found)
    return found, max(0, left_out)


def find_meter_mismatches(engine: sa.Engine, day: str | None = None) -> list[MeterMismatch]:
    """Where meters and ledger differ, on one day or on all.

    A single statement sees a single moment, so calls granted meanwhile cannot distort the result.
    """
    micros = sa.func.coalesce(call.c.charged_micros, 0)
    one = sa.literal(1)
    # Calls to services count only on the meters of the services.
    name = sa.case(
        (_OF_MODELS, sa.literal(TOTAL_METER)), else_=sa.literal(SERVICE_METER) + call.c.provider
    )
    whole = sa.select(
        call.c.day, name.label("meter"), one.label("calls"),
        call.c.charged_tokens.label("tokens"), micros.label("micros"),
    )  # fmt: skip
    of_source = sa.select(
        call.c.day, sa.literal("source:") + call.c.source_slug, one, call.c.charged_tokens, micros
    ).where(call.c.source_slug.is_not(None))
    metered = sa.select(meter.c.day, meter.c.meter, -meter.c.calls, -meter.c.tokens,
                        -meter.c.micros)  # fmt: skip
    parts = [whole, of_source, metered]
    if day is not None:
        parts = [whole.where(call.c.day == day), of_source.where(call.c.day == day),
                 metered.where(meter.c.day == day)]  # fmt: skip
    entry = sa.union_all(*parts).subquery()
    sums = [sa.func.sum(entry.c[name]) for name in ("calls", "tokens", "micros")]
    query = (
        sa.select(entry.c.day, entry.c.meter, *sums)
        .group_by(entry.c.day, entry.c.meter)
        .having(sa.or_(*(total != 0 for total in sums)))
        .order_by(entry.c.day, entry.c.meter)
    )
    with explain_errors(), engine.connect() as connection:
        return [
            MeterMismatch(
                day=at, meter=name, calls=int(calls), tokens=int(tokens), micros=int(cost)
            )
            for at, name, calls, tokens, cost in connection.execute(query)
        ]


def find_overdue_calls(engine: sa.Engine, now_ms: int, day: str | None = None) -> list[str]:
    """Calls that count as in progress although their lease has expired, of one day or of all."""
    query = (
        sa.select(call.c.call_id)
        .where(call.c.state.in_(UNDER_WAY), call.c.expires_ms <= now_ms)
        .order_by(call.c.expires_ms)
    )
    if day is not None:
        query = query.where(call.c.day == day)
    with explain_errors(), engine.connect() as connection:
        return list(connection.execute(query).scalars())


def list_resting_sources(engine: sa.Engine, now_ms: int) -> list[RestingSource]:
    """Sources that are resting or paused, and those that will soon have to rest."""
    query = sa.select(cooldown).order_by(cooldown.c.source_slug)
    with explain_errors(), engine.connect() as connection:
        rows: Sequence[sa.Row[Any]] = connection.execute(query).all()
    found = [
        RestingSource(
            source=row.source_slug,
            why="empty answers",
            until_ms=row.until_ms if _is_in_future(row.until_ms, now_ms) else None,
            rests=_is_in_future(row.until_ms, now_ms),
            empties=row.empties,
        )
        for row in rows
        if row.empties or _is_in_future(row.until_ms, now_ms)
    ]
    pauses = [
        RestingSource(
            source=p.source_slug, why=f"paused: {p.pause_reason}", until_ms=p.pause_expires_ms
        )
        for p in list_paused_sources(engine, now_ms)
    ]
    return sorted([*found, *pauses], key=lambda rest: (not rest.rests, rest.source))


def _is_in_future(until_ms: int | None, now_ms: int) -> bool:
    return until_ms is not None and until_ms > now_ms


def _select_totals(name: Any) -> sa.Select[Any]:
    under_way = call.c.state.in_(UNDER_WAY)
    micros = sa.func.coalesce(call.c.charged_micros, 0)
    return sa.select(
        sa.label("name", name),
        sa.func.count().label("calls"),
        _sum_where(under_way, 1).label("open"),
        _sum_where(call.c.state == CallState.LOST.value, 1).label("lost"),
        _sum_where(under_way, call.c.charged_tokens).label("reserved_tokens"),
        _sum_where(~under_way, call.c.charged_tokens).label("used_tokens"),
        _sum_where(under_way, micros).label("reserved_micros"),
        _sum_where(~under_way, micros).label("used_micros"),
        _sum_where(call.c.charged_micros.is_(None), 1).label("unpriced"),
    )


def _sum_where(condition: sa.ColumnElement[bool], value: Any) -> sa.ColumnElement[int]:
    return sa.func.coalesce(sa.func.sum(sa.case((condition, value), else_=0)), 0)


def _parse_totals(row: sa.Row[Any]) -> CallTotals:
    figures = row._asdict()
    name = figures.pop("name")
    return CallTotals(name=name, **{figure: int(value) for figure, value in figures.items()})
