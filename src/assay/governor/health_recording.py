"""Records the health of sources with the progress of every stage, in the same transaction."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from assay.engine.commit import EndedAttempt
from assay.events import Event, HealthChanged, SourcePaused, SourceUnpaused
from assay.governor.health import HealthOutcome, OutcomeKind, find_level_in_force, record_outcomes
from assay.governor.standings import lock_health
from assay.logs import Log
from assay.model.bookkeeping import SourceHealth
from assay.store.event_log import write_event
from assay.store.upserts import upsert_records

COUNTED_OUTCOMES: Mapping[str, OutcomeKind] = {
    "done": OutcomeKind.SUCCESS,
    "empty": OutcomeKind.EMPTY,
    "dead": OutcomeKind.ERROR,
}
"""What each outcome of a job means for the health of its source.

All other outcomes do not count. A page that scout skips (`skipped`), that has not changed
(`unchanged`, `noise`), that is gone, that must not be fetched (`refused`) or that waits for a
budget (`blocked`) is neither a failure of its source nor a merit; one that is `retried` has not
ended.
"""
log = Log("assay.governor")


def record_attempts(
    connection: sa.Connection, attempts: Sequence[EndedAttempt], now_ms: int
) -> None:
    """Count the attempts of a batch, and report how they changed the health of their sources."""
    by_source: dict[str, list[EndedAttempt]] = {}
    for attempt in attempts:
        if attempt.source is not None and attempt.note in COUNTED_OUTCOMES:
            by_source.setdefault(attempt.source, []).append(attempt)
    if not by_source:
        return
    before = lock_health(connection, list(by_source), now_ms)
    after = {
        source: record_outcomes(before[source], map(_build_outcome, ended), now_ms)
        for source, ended in by_source.items()
    }
    upsert_records(connection, list(after.values()))
    for source, ended in sorted(by_source.items()):
        for event in _report_changes(before[source], after[source]):
            # Several runs may share the batch; the event goes to the one that ended last.
            write_event(connection, event, now_ms, run_id=ended[-1].run_id, source_slug=source)


def _build_outcome(attempt: EndedAttempt) -> HealthOutcome:
    return HealthOutcome(
        kind=COUNTED_OUTCOMES[attempt.note], tokens=attempt.tokens, items=attempt.items
    )


def _report_changes(before: SourceHealth, after: SourceHealth) -> list[Event]:
    source, events = after.source_slug, list[Event]()
    if before.is_paused and (not after.is_paused or after.paused_ms != before.paused_ms):
        log.info("source_unpaused", f"Source {source} is no longer paused.", source_slug=source)
        events.append(SourceUnpaused(source_slug=source))
    was, now = find_level_in_force(before).name, find_level_in_force(after).name
    if was != now:
        message = f"The health of source {source} changed from {was} to {now}."
        log.info("health_changed", message, source_slug=source, score=after.health_score)
        events.append(
            HealthChanged(source_slug=source, before=was, after=now, score=after.health_score)
        )
    if after.is_paused and after.paused_ms != before.paused_ms:
        reason, until_ms = after.pause_reason or "", after.pause_expires_ms
        message = f"Source {source} is paused: {reason}."
        log.warning("source_paused", message, source_slug=source, until_ms=until_ms)
        events.append(SourcePaused(source_slug=source, reason=reason, until_ms=until_ms))
    return events
