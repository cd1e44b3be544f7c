"""What an endpoint usually yields, and the alarm when it yields less.

Two things go wrong without an error. A listing shrinks or empties because the site's layout
changed; or it stays full and nothing new ever appears because an old page is served forever. So
the number of items in a check is compared with the checks before it, and the time without anything
new with the gaps between new items.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, median, pstdev

from assay.errors import InvalidInput

DAY_MS = 86_400_000
LEARNED_AFTER = 5
"""Days with a check that are needed before anything counts as usual."""
LEARNED_OVER_MS = 8 * DAY_MS
"""The period that these checks must cover: it has to include a weekend."""
KEPT_DAYS_OF_LOOKS = 30
KEPT_GAPS = 60
KEPT_DAYS = 92
_LEAST_GAPS = 8
_FALL = 0.5
"""A check is low if it yields less than this share of the usual number."""
_UNLIKELY = 1e-4
"""And if so few are this unlikely, given how the earlier checks varied."""
_SHORTEST_SILENCE_MS = 7 * DAY_MS
_CALM = 0.3
_CALM_AFTER = 20
_SUMMED = 2000
"""Beyond this, the normal distribution is as good as the sum of probabilities."""


class YieldLevel(StrEnum):
    """What a check says about an endpoint's yield."""

    NORMAL = "NORMAL"
    LOW = "LOW"
    """Far fewer items than usual, or nothing new for far longer than usual."""
    NONE = "NONE"
    """No items at all, although there always were some."""


@dataclass(frozen=True, slots=True)
class YieldVerdict:
    """The level, and the message for a person."""

    level: YieldLevel
    sentence: str
    is_silence: bool = False
    """Whether it is about new items; the total number of items was fine."""

    @property
    def is_alarm(self) -> bool:
        return self.level is not YieldLevel.NORMAL


@dataclass(frozen=True, slots=True)
class ExpectedYield:
    """What the description of an endpoint declares; declared values are not learned."""

    min_items: int | None = None
    """Each check yields at least this many."""
    min_new: int | None = None
    """At least this many are new in any `per_days` days."""
    per_days: int = 30

    def __post_init__(self) -> None:
        if not 1 <= self.per_days <= KEPT_DAYS:
            raise InvalidInput(f"per_days must be 1 to {KEPT_DAYS}, not {self.per_days}.")


@dataclass(frozen=True, slots=True)
class YieldHistory:
    """What the checks so far yielded; `as_json` and `from_json` fit it in a JSON column."""

    counts: tuple[int, ...] = ()
    """The fewest items on each of the last days with a check that was not low, the newest last.

    By day, because thirty hourly checks would not reach back to the last weekend.
    """
    last_day: int | None = None
    """The day of the newest count, in days since 1970."""
    gaps_ms: tuple[int, ...] = ()
    """Times between checks that found something new, the newest last."""
    new_by_day: tuple[tuple[int, int], ...] = ()
    """Days since 1970 with new items, and how many."""
    first_ms: int | None = None
    last_new_ms: int | None = None
    low_looks: int = 0
    """Low checks in a row; they are not learned, otherwise a broken source would become usual."""

    def as_json(self) -> dict[str, object]:
        """Plain values for a JSON column."""
        return {
            "counts": list(self.counts),
            "last_day": self.last_day,
            "gaps_ms": list(self.gaps_ms),
            "new_by_day": [list(pair) for pair in self.new_by_day],
            "first_ms": self.first_ms,
            "last_new_ms": self.last_new_ms,
            "low_looks": self.low_looks,
        }

    @classmethod
    def from_json(cls, stored: dict[str, object] | None) -> "YieldHistory":
        """Restore the history from its JSON; an empty one from nothing."""
        values = stored or {}

        def get_list(name: str) -> list[object]:
            value = values.get(name)
            return value if isinstance(value, list) else []

        def get_number(name: str) -> int | None:
            value = values.get(name)
            return value if isinstance(value, int) else None

        pairs = (pair for pair in get_list("new_by_day") if isinstance(pair, list))
        return cls(
            counts=tuple(int(str(count)) for count in get_list("counts")),
            gaps_ms=tuple(int(str(gap)) for gap in get_list("gaps_ms")),
            new_by_day=tuple((int(str(day)), int(str(count))) for day, count in pairs),
            last_day=get_number("last_day"),
            first_ms=get_number("first_ms"),
            last_new_ms=get_number("last_new_ms"),
            low_looks=get_number("low_looks") or 0,
        )


def judge_yield(
    history: YieldHistory,
    items: int,
    new_items: int,
    now_ms: int,
    expected: ExpectedYield | None = None,
) -> YieldVerdict:
    """Judge a check's yield, given the earlier checks; a failed check is not judged here."""
    declared = expected or ExpectedYield()
    return (
        _judge_declared(history, items, new_items, now_ms, declared)
        or (None if declared.min_items is not None else _judge_usual(history, items, now_ms))
        or (None if declared.min_new is not None else _judge_silence(history, new_items, now_ms))
        or YieldVerdict(YieldLevel.NORMAL, f"gave {_format_items(items)}, {new_items} of them new")
    )


def record_look(
    history: YieldHistory, items: int, new_items: int, now_ms: int, verdict: YieldVerdict
) -> YieldHistory:
    """The history with one more check."""
    few = verdict.is_alarm and not verdict.is_silence
    counts, last_day = history.counts, history.last_day
    if not few:
        counts, last_day = _add_count(history, items, now_ms // DAY_MS)
    gaps, last_new, by_day = history.gaps_ms, history.last_new_ms, history.new_by_day
    if new_items > 0:
        # All items of the very first check are new, which says nothing about how often any appear.
        if last_new is not None and now_ms > last_new:
            gaps = (*gaps, now_ms - last_new)[-KEPT_GAPS:]
        last_new = now_ms
        if history.first_ms is not None:
            by_day = _add_new_items(by_day, now_ms // DAY_MS, new_items)
    return YieldHistory(
        counts=counts,
        last_day=last_day,
        gaps_ms=gaps,
        new_by_day=by_day,
        first_ms=now_ms if history.first_ms is None else history.first_ms,
        last_new_ms=now_ms if last_new is None else last_new,
        low_looks=history.low_looks + 1 if few else 0,
    )


def _judge_declared(
    history: YieldHistory, items: int, new_items: int, now_ms: int, declared: ExpectedYield
) -> YieldVerdict | None:
    if declared.min_items is not None and items < declared.min_items:
        level = YieldLevel.LOW if items else YieldLevel.NONE
        return YieldVerdict(
            level, f"gave {_format_items(items)}; at least {declared.min_items} are expected"
        )
    if declared.min_new is None or history.first_ms is None:
        return None
    span_ms = declared.per_days * DAY_MS
    if now_ms - history.first_ms < span_ms:
        return None
    since = (now_ms - span_ms) // DAY_MS
    new = new_items + sum(count for day, count in history.new_by_day if day > since)
    if new >= declared.min_new:
        return None
    return YieldVerdict(
        YieldLevel.LOW,
        f"gave {new} new in {declared.per_days} days; at least {declared.min_new} are expected",
        is_silence=True,
    )


def _judge_usual(history: YieldHistory, items: int, now_ms: int) -> YieldVerdict | None:
    counts = history.counts
    young = history.first_ms is None or now_ms - history.first_ms < LEARNED_OVER_MS
    if len(counts) < LEARNED_AFTER or young:
        return None
    usual, lowest = median(counts), min(counts)
    if items >= lowest or items >= usual * _FALL:
        return None
    if _compute_chance(items, counts) >= _UNLIKELY:
        return None
    level = YieldLevel.LOW if items else YieldLevel.NONE
    days = f"the last {len(counts)} days with a look"
    return YieldVerdict(
        level, f"gave {_format_items(items)}; {usual:g} are usual (lowest of {days}: {lowest})"
    )


def _compute_chance(items: int, counts: Sequence[int]) -> float:
    """How likely so few items are, if they keep varying as they did.

    The counts are modelled as negative binomial, which is as bursty as they are; as Poisson, which
    is pure chance, if they are calmer; and as normal if many checks in a row were far calmer, for
    example because a page always has ten entries. The spread is assumed to be a little wider than
    observed: a few checks do not show all of it.
    """
    mean = fmean(counts)
    variance = pstdev(counts) ** 2 * (1.0 + 4.0 / len(counts))
    is_calm = len(counts) >= _CALM_AFTER and variance < _CALM * mean
    if is_calm or items > _SUMMED:
        spread = max(math.sqrt(variance if is_calm else max(variance, mean)), mean / 10, 0.5)
        return 0.5 * math.erfc((mean - items) / (math.sqrt(2.0) * spread))
    if variance <= mean * 1.01:
        return _sum_chances(items, -mean, lambda k: math.log(mean / k))
    size = mean * mean / (variance - mean)
    stay = size / (size + mean)
    go_on = math.log1p(-stay)
    return _sum_chances(
        items, size * math.log(stay), lambda k: math.log((k + size - 1) / k) + go_on
    )


def _sum_chances(items: int, log_first: float, log_step: Callable[[int], float]) -> float:
    """The probability of 0 to `items` items, from that of 0 and the step to each next number."""
    log_chance = log_first
    total = math.exp(log_chance)
    for number in range(1, items + 1):
        log_chance += log_step(number)
        total += math.exp(log_chance)
    return total


def _judge_silence(history: YieldHistory, new_items: int, now_ms: int) -> YieldVerdict | None:
    gaps = history.gaps_ms
    if new_items or history.last_new_ms is None or len(gaps) < _LEAST_GAPS:
        return None
    silence = now_ms - history.last_new_ms
    if silence <= compute_silence_limit_ms(gaps):
        return None
    return YieldVerdict(
        YieldLevel.LOW,
        f"gave nothing new for {_format_span(silence)}; {_format_span(median(gaps))} are usual"
        f" (longest of the last {len(gaps)} gaps: {_format_span(max(gaps))})",
        is_silence=True,
    )


def compute_silence_limit_ms(gaps: Sequence[int]) -> float:
    """How long nothing new may appear before an alarm is raised.

    A source as regular as a clock is soon late; for one with gaps of every length the limit is many
    times the mean. It is always beyond the longest gap seen.
    """
    mean = fmean(gaps)
    spread = pstdev(gaps) / mean if mean else 0.0
    likely = mean * (1.0 + 4.0 * spread + 5.0 * spread * spread)
    few = 1.0 + 6.0 / len(gaps)
    return max(_SHORTEST_SILENCE_MS, 3.0 * median(gaps), 2.0 * max(gaps), likely * few)


def _add_count(history: YieldHistory, items: int, today: int) -> tuple[tuple[int, ...], int]:
    if history.last_day is not None and today <= history.last_day and history.counts:
        return (*history.counts[:-1], min(history.counts[-1], items)), history.last_day
    return (*history.counts, items)[-KEPT_DAYS_OF_LOOKS:], today


def _add_new_items(
    by_day: tuple[tuple[int, int], ...], today: int, new_items: int
) -> tuple[tuple[int, int], ...]:
    counted = dict(by_day)
    counted[today] = counted.get(today, 0) + new_items
    return tuple(sorted(pair for pair in counted.items() if pair[0] > today - KEPT_DAYS))


def _format_items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"


def _format_span(span_ms: float) -> str:
    days = span_ms / DAY_MS
    if days < 2:
        return f"{max(1, round(span_ms / 3_600_000))} hours"
    return f"{days:.0f} days"
