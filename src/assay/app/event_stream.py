"""The events of the store in the order in which they happened, as they are stored."""

import json
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from assay.app.composition import App
from assay.errors import InvalidInput
from assay.store import tables as t

LATE_MS: Final = 10_000
"""An event carries the time at which its transaction was prepared; one that was slow may be stored
after later ones. Those that are later than this are not seen."""
_BATCH: Final = 200
_REMEMBERED: Final = 5_000
_GREATEST: Final = 2**62


@dataclass(frozen=True)
class StoredEvent:
    """An event, and what it belongs to."""

    event_id: str
    tag: str
    at_ms: int
    run_id: str | None
    job_id: str | None
    source_slug: str | None
    body: dict[str, Any]

    @property
    def position(self) -> str:
        """Where a stream that ended with this event goes on."""
        return f"{self.at_ms}-{self.event_id}"


class EventStream:
    """Reads events that have not been read before, from a position on or from now on."""

    def __init__(self, app: App, after: str | None = None) -> None:
        self._app = app
        at_ms, known = (app.clock.now_ms(), "") if after is None else parse_position(after)
        # What was stored late, before the position, is read as well.
        self._since_ms = max(0, at_ms - LATE_MS) if after is not None else at_ms
        self._seen: OrderedDict[str, None] = OrderedDict({known: None} if known else {})
        self._reached = (self._since_ms, "")

    def read_next(self) -> list[StoredEvent]:
        """The next events, in their order; none if there are none yet."""
        found = self._read_after(self._reached)
        if found:
            self._reached = found[-1].at_ms, found[-1].event_id
        else:
            # At the end: look for what was stored late.
            back_ms = max(self._since_ms, self._app.clock.now_ms() - LATE_MS)
            found = self._read_after((back_ms, ""), limit=_REMEMBERED)
        new = [each for each in found if each.event_id not in self._seen]
        for each in new:
            self._seen[each.event_id] = None
        while len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        return new

    def _read_after(self, place: tuple[int, str], limit: int = _BATCH) -> list[StoredEvent]:
        event, (at_ms, event_id) = t.event, place
        query = (
            sa.select(event)
            .where(
                event.c.at_ms >= at_ms,
                sa.or_(event.c.at_ms > at_ms, event.c.event_id > event_id),
            )
            .order_by(event.c.at_ms, event.c.event_id)
            .limit(limit)
        )
        return [_build_event(row) for row in self._app.fetch_rows(query)]


def parse_position(text: str) -> tuple[int, str]:
    """The time and the id in a position."""
    at_ms, sign, event_id = text.partition("-")
    is_number = at_ms.isascii() and at_ms.isdecimal() and len(at_ms) < 19
    if not (sign and event_id and is_number and int(at_ms) < _GREATEST and "\0" not in event_id):
        raise InvalidInput(
            "This is not the id of an event in the stream.",
            advice="Use the id of the last event that you received, or leave it out.",
        )
    return int(at_ms), event_id


def _build_event(row: dict[str, Any]) -> StoredEvent:
    body = row.pop("body")
    return StoredEvent(**row, body=json.loads(body) if isinstance(body, str) else body)
