"""The health of sources, kept with the progress of every stage, in the same transaction."""

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
"""What progress says, and what it says of the source.

All else counts as nothing. A page that scout sets aside (`skipped`), that stands as it did
(`unchanged`, `noise`), that is gone, that may not be asked for (`refused`) or has to wait for a
budget (`blocked`) is no failure of its source, and no merit either; what is `retried` has not
ended.
"""
log = Log("assay.governor")


def record_attempts(
    connection: sa.Connection, attempts: Sequence[EndedAttempt], now_ms: int
) -> None:
    """Count the attempts of a batch, and tell what became of their sources."""
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
            # Several runs may have shared the batch; the last to end has brought it about.
            write_event(connection, event, now_ms, run_id=ended[-1].run_id, source_slug=source)


def _build_outcome(attempt: EndedAttempt) -> HealthOutcome:
    return HealthOutcome(
        kind=COUNTED_OUTCOMES[attempt.note], tokens=attempt.tokens, items=attempt.items
    )


def _report_changes(before: SourceHealth, after: SourceHealth) -> list[Event]:
    source, events = after.source_slug, list[Event]()
    if before.is_paused and (not after.is_paused or after.paused_ms != before.paused_ms):
        log.info("source_unpaused", f"The pause of source {source} is over.", source_slug=source)
        events.append(SourceUnpaused(source_slug=source))
    was, now = find_level_in_force(before).name, find_level_in_force(after).name
    if was != now:
        said = f"The health of source {source} was {was} and is {now}."
        log.info("health_changed", said, source_slug=source, score=after.health_score)
        events.append(
            HealthChanged(source_slug=source, before=was, after=now, score=after.health_score)
        )
    if after.is_paused and after.paused_ms != before.paused_ms:
        reason, until_ms = after.pause_reason or "", after.pause_expires_ms
        said = f"Source {source} is paused: {reason}."
        log.warning("source_paused", said, source_slug=source, until_ms=until_ms)
        events.append(SourcePaused(source_slug=source, reason=reason, until_ms=until_ms))
    return events
