"""The standing of sources, read from the store and cached briefly; pausing and unpausing them."""

from collections.abc import Sequence

import sqlalchemy as sa

from assay.clock import Clock, SystemClock
from assay.events import SourcePaused, SourceUnpaused
from assay.governor import health as rules
from assay.llm.scope import SourceStanding
from assay.logs import Log
from assay.model.bookkeeping import SourceHealth
from assay.store import tables as t
from assay.store.bulk import insert_new_rows
from assay.store.database import begin_writing, collate_bytewise, explain_errors
from assay.store.event_log import write_event
from assay.store.upserts import upsert_records

CACHE_MS = 30_000
"""How long a source's health is cached."""
log = Log("assay.governor")


class Standings:
    """What each source's health allows, read at most every half minute."""

    def __init__(self, engine: sa.Engine, clock: Clock | None = None) -> None:
        self._engine = engine
        self._clock: Clock = clock or SystemClock()
        self._cached: dict[str, tuple[int, SourceHealth | None]] = {}

    def read_standing(self, source: str) -> SourceStanding:
        """What the source may do now."""
        now_ms = self._clock.now_ms()
        read_ms, health = self._cached.get(source, (-CACHE_MS, None))
        if not read_ms <= now_ms < read_ms + CACHE_MS:
            health = read_health(self._engine, source)
            self._cached[source] = (now_ms, health)
        # The health is cached, not the standing derived from it, so that a pause ends on time.
        return derive_standing(health, now_ms)

    def pause(
        self, source: str, reason: str, hours: float | None = rules.PAUSE_HOURS
    ) -> SourceHealth:
        """Stop the source from spending for `hours`; None: until a person unpauses it."""
        self._cached.pop(source, None)
        return pause_source(self._engine, source, reason, hours, now_ms=self._clock.now_ms())

    def unpause(self, source: str) -> bool:
        """Let the source spend again; False if it was not paused."""
        self._cached.pop(source, None)
        return unpause_source(self._engine, source, now_ms=self._clock.now_ms())


def read_standing(engine: sa.Engine, source: str, now_ms: int) -> SourceStanding:
    """What the source may do now, read from the store."""
    return derive_standing(read_health(engine, source), now_ms)


def derive_standing(health: SourceHealth | None, now_ms: int) -> SourceStanding:
    """What this health allows; a source without a record counts as fair."""
    if health is None:
        return SourceStanding()
    is_paused = rules.is_paused_at(health, now_ms)
    return SourceStanding(
        multiplier=health.budget_multiplier,
        allow_cloud=health.allow_cloud,
        paused=is_paused,
        paused_until_ms=health.pause_expires_ms if is_paused else None,
    )


def read_health(engine: sa.Engine, source: str) -> SourceHealth | None:
    """A source's health, if any was ever recorded."""
    query = sa.select(t.health).where(t.health.c.source_slug == source)
    with explain_errors(), engine.connect() as connection:
        row = connection.execute(query).first()
    return None if row is None else SourceHealth.from_row(row._asdict())


def list_paused_sources(engine: sa.Engine, now_ms: int) -> list[SourceHealth]:
    """The sources that are paused at this time."""
    query = sa.select(t.health).where(t.health.c.is_paused).order_by(t.health.c.source_slug)
    with explain_errors(), engine.connect() as connection:
        found = [SourceHealth.from_row(row._asdict()) for row in connection.execute(query)]
    return [health for health in found if rules.is_paused_at(health, now_ms)]


def pause_source(
    engine: sa.Engine,
    source: str,
    reason: str,
    hours: float | None = rules.PAUSE_HOURS,
    *,
    now_ms: int,
) -> SourceHealth:
    """Stop a source from spending for `hours`; None: until a person unpauses it."""
    with explain_errors(), engine.begin() as connection:
        health = rules.pause_health(
            lock_health(connection, [source], now_ms)[source], reason, now_ms, hours
        )
        upsert_records(connection, [health])
        event = SourcePaused(source_slug=source, reason=reason, until_ms=health.pause_expires_ms)
        write_event(connection, event, now_ms, source_slug=source)
    log.warning("source_paused", f"Source {source} is paused: {reason}", source_slug=source)
    return health


def unpause_source(engine: sa.Engine, source: str, *, now_ms: int) -> bool:
    """Let a paused source spend again, with counts at zero; False if it was not paused."""
    with explain_errors(), engine.begin() as connection:
        begin_writing(connection)
        health = _lock_rows(connection, t.health.c.source_slug == source).get(source)
        if health is None or not rules.is_paused_at(health, now_ms):
            return False
        upsert_records(connection, [rules.unpause_health(health, now_ms)])
        write_event(connection, SourceUnpaused(source_slug=source), now_ms, source_slug=source)
    log.info("source_unpaused", f"Source {source} is no longer paused.", source_slug=source)
    return True


def update_all_thresholds(connection: sa.Connection) -> int:
    """Give every source the scout threshold of its level; returns how many changed."""
    begin_writing(connection)
    before = _lock_rows(connection, sa.true())
    changed = [
        health
        for known in before.values()
        if (health := rules.apply_level_threshold(known)) is not known
    ]
    upsert_records(connection, changed)
    return len(changed)


def lock_health(
    connection: sa.Connection, sources: Sequence[str], now_ms: int
) -> dict[str, SourceHealth]:
    """The health of these sources, created if missing and locked until the transaction ends.

    The second transaction to reach a new source waits at the insert, and then continues from the
    first one's counts. Rows are created and locked in one order, which prevents deadlocks.
    """
    slugs = sorted(set(sources))
    begin_writing(connection)
    begun = [SourceHealth(source_slug=slug, window_start_ms=now_ms).row() for slug in slugs]
    insert_new_rows(connection, t.health, ("source_slug",), begun)
    return _lock_rows(connection, t.health.c.source_slug.in_(slugs))


def _lock_rows(connection: sa.Connection, which: sa.ColumnElement[bool]) -> dict[str, SourceHealth]:
    order = collate_bytewise(connection.dialect.name, t.health.c.source_slug)
    rows = connection.execute(sa.select(t.health).where(which).order_by(order).with_for_update())
    return {row.source_slug: SourceHealth.from_row(row._asdict()) for row in rows}
