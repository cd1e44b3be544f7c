"""Rules over time as a drawing: a bar for each, on a common scale of years."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

_WIDTH, _LEFT, _ROW, _TOP = 720, 10, 26, 26
_MOST_BARS = 40
_MOST_TICKS = 9


@dataclass(frozen=True)
class TimelineBar:
    """A rule in the drawing."""

    rule_id: str
    label: str
    status: str
    x: float
    y: float
    width: float
    open_start: bool
    open_end: bool


@dataclass(frozen=True)
class Timeline:
    """What the template draws."""

    width: int
    height: int
    bars: tuple[TimelineBar, ...]
    ticks: tuple[tuple[int, float], ...]
    """Years, and where they begin."""
    first: date
    last: date
    marker: float | None
    """Where the chosen day is."""


def build_timeline(
    rules: Sequence[Mapping[str, Any]], today: date, chosen: date | None = None
) -> Timeline | None:
    """The drawing of some rules; None if none of them has a date."""
    dates = [
        date.fromisoformat(rule[name])
        for rule in rules
        for name in ("effective_from", "effective_until")
        if rule[name]
    ]
    if not dates:
        return None
    first = date(min(*dates, today).year, 1, 1)
    last = date(max(*dates, today).year + 1, 1, 1)
    days = (last - first).days

    def place(day: date) -> float:
        share = min(max((day - first).days / days, 0.0), 1.0)
        return round(_LEFT + share * (_WIDTH - 2 * _LEFT), 1)

    bars = []
    for number, rule in enumerate(rules[:_MOST_BARS]):
        start, end = rule["effective_from"], rule["effective_until"]
        x = place(date.fromisoformat(start) if start else first)
        right = place(date.fromisoformat(end) if end else last)
        bars.append(
            TimelineBar(
                rule["rule_id"],
                f"{rule['display']}, {rule['period']}",
                rule["status"],
                x,
                _TOP + number * _ROW,
                max(4.0, round(right - x, 1)),
                start is None,
                end is None,
            )
        )
    step = max(1, -(-(last.year - first.year) // _MOST_TICKS))
    ticks = tuple((year, place(date(year, 1, 1))) for year in range(first.year, last.year, step))
    marker = place(chosen) if chosen is not None and first <= chosen <= last else None
    return Timeline(_WIDTH, _TOP + len(bars) * _ROW + 8, tuple(bars), ticks, first, last, marker)
