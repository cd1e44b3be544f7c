"""How well a source performs, and what that allows it: pure functions over its counts."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any

from assay.model.bookkeeping import SourceHealth

HOUR_MS = 3_600_000
MIN_ATTEMPTS = 10
"""Fewer attempts say nothing about a source."""
UNKNOWN_SCORE = 0.5
PAUSE_BELOW = 0.1
PAUSE_HOURS = 24.0
FAIR_TOKENS_PER_ITEM = 2000
"""What an item may cost before the source counts as less efficient."""
COUNTS = (
    "total_attempts", "success_count", "empty_count", "error_count", "total_tokens_used",
    "total_items_produced",
)  # fmt: skip


class HealthLevel(Enum):
    """The levels, lowest first: minimum score, scout threshold, cloud, share of the cap."""

    CRITICAL = (0.0, 0.70, False, 0.2)
    POOR = (0.2, 0.50, False, 0.5)
    FAIR = (0.4, 0.40, True, 1.0)
    GOOD = (0.6, 0.35, True, 1.2)
    EXCELLENT = (0.8, 0.30, True, 1.5)

    def __init__(
        self, least: float, scout_threshold: float, allow_cloud: bool, multiplier: float
    ) -> None:
        self.least = least
        self.scout_threshold = scout_threshold
        self.allow_cloud = allow_cloud
        self.multiplier = multiplier


_LEVELS = tuple(HealthLevel)


class OutcomeKind(StrEnum):
    """How an attempt at a source's content ended."""

    SUCCESS = "success"
    EMPTY = "empty"
    ERROR = "error"


@dataclass(frozen=True, kw_only=True)
class HealthOutcome:
    """What one attempt produced, and what it cost."""

    kind: OutcomeKind
    tokens: int = 0
    items: int = 0


def compute_health_score(health: SourceHealth) -> float:
    """The score from 0 to 1; sources with few attempts count as average."""
    return _compute_score(*(getattr(health, name) for name in COUNTS))


def _compute_score(
    attempts: int, successes: int, empties: int, errors: int, tokens: int, items: int
) -> float:
    if attempts < MIN_ATTEMPTS:
        return UNKNOWN_SCORE
    penalties = (empties * 0.1 + errors * 0.2) / attempts * 10
    score = successes / attempts * 0.5 + _compute_efficiency(tokens, items) * 0.3 - penalties
    # Rounded, so that a score which equals a threshold on paper equals it here as well.
    return round(min(1.0, max(0.0, score)), 9)


def _compute_efficiency(tokens: int, items: int) -> float:
    """Tokens that produced nothing are wasted; work without tokens wastes nothing."""
    if tokens == 0:
        return 1.0
    return min(1.0, FAIR_TOKENS_PER_ITEM * items / tokens)


def level_of(score: float) -> HealthLevel:
    """The level of a score; each level starts at its minimum score."""
    return next(level for level in reversed(_LEVELS) if score >= level.least)


def find_level_in_force(health: SourceHealth) -> HealthLevel:
    """The level that applies to a source; its score may already be ahead of it."""
    return next(
        (level for level in _LEVELS if level.multiplier == health.budget_multiplier),
        level_of(health.health_score),
    )


def apply_level_threshold(health: SourceHealth) -> SourceHealth:
    """The health with the scout threshold of the level in force.

    This is done when a run starts, so that a run treats all documents of a source alike, in
    whatever order they come; what it learns from them applies to the next run.
    """
    threshold = find_level_in_force(health).scout_threshold
    if threshold == health.min_scout_score:
        return health
    return _update_health(health, min_scout_score=threshold)


def record_outcomes(
    health: SourceHealth, outcomes: Iterable[HealthOutcome], now_ms: int
) -> SourceHealth:
    """The health after attempts that ended together, one update for each, in their order.

    Whether to pause the source is decided after all of them, because their order within a batch is
    a matter of chance.
    """
    health = _renew_expired_window(_end_expired_pause(health, now_ms), now_ms)
    tally = _Tally(health)
    for outcome in outcomes:
        tally.count(outcome)
    health = tally.apply_to(health, now_ms)
    if tally.score < PAUSE_BELOW and not health.is_paused:
        return pause_health(health, f"health {tally.score:.2f} is under {PAUSE_BELOW}", now_ms)
    return health


class _Tally:
    """The counts of a source while outcomes are added; copying its row for each outcome would cost
    more than all the counting."""

    def __init__(self, health: SourceHealth) -> None:
        self.attempts = health.total_attempts
        self.successes = health.success_count
        self.empties = health.empty_count
        self.errors = health.error_count
        self.tokens = health.total_tokens_used
        self.items = health.total_items_produced
        self.score = health.health_score
        self.level = find_level_in_force(health)

    def count(self, outcome: HealthOutcome) -> None:
        """Count one outcome, which moves the level by at most one step."""
        self.attempts += 1
        self.successes += outcome.kind is OutcomeKind.SUCCESS
        self.empties += outcome.kind is OutcomeKind.EMPTY
        self.errors += outcome.kind is OutcomeKind.ERROR
        self.tokens += outcome.tokens
        self.items += outcome.items
        self.score = _compute_score(
            self.attempts, self.successes, self.empties, self.errors, self.tokens, self.items
        )
        self.level = _move_one_step(self.level, level_of(self.score))

    def apply_to(self, health: SourceHealth, now_ms: int) -> SourceHealth:
        return _update_health(
            health,
            total_attempts=self.attempts,
            success_count=self.successes,
            empty_count=self.empties,
            error_count=self.errors,
            total_tokens_used=self.tokens,
            total_items_produced=self.items,
            avg_tokens_per_item=self.tokens / self.items if self.items else 0.0,
            health_score=self.score,
            allow_cloud=self.level.allow_cloud,
            budget_multiplier=self.level.multiplier,
            updated_ms=now_ms,
        )


def pause_health(
    health: SourceHealth, reason: str, now_ms: int, hours: float | None = PAUSE_HOURS
) -> SourceHealth:
    """The health of a source paused for `hours`; None: until a person unpauses it."""
    return _update_health(
        health,
        is_paused=True,
        paused_ms=now_ms,
        pause_reason=reason,
        pause_expires_ms=None if hours is None else now_ms + int(hours * HOUR_MS),
        updated_ms=now_ms,
    )


def unpause_health(health: SourceHealth, now_ms: int) -> SourceHealth:
    """The health of a source after its pause. Its counts start again at zero: with the old ones its
    next attempt, even a good one, would pause it again. It keeps its level, which rises step by
    step."""
    return _update_health(
        _reset_counts(health, now_ms),
        is_paused=False,
        paused_ms=None,
        pause_reason=None,
        pause_expires_ms=None,
        updated_ms=now_ms,
    )


def is_paused_at(health: SourceHealth, now_ms: int) -> bool:
    """Whether the source is paused at this time."""
    expires_ms = health.pause_expires_ms
    return health.is_paused and (expires_ms is None or now_ms < expires_ms)


def _end_expired_pause(health: SourceHealth, now_ms: int) -> SourceHealth:
    if health.is_paused and not is_paused_at(health, now_ms):
        return unpause_health(health, now_ms)
    return health


def _renew_expired_window(health: SourceHealth, now_ms: int) -> SourceHealth:
    ends_ms = health.window_start_ms + health.window_size_hours * HOUR_MS
    return _reset_counts(health, now_ms) if now_ms >= ends_ms else health


def _reset_counts(health: SourceHealth, now_ms: int) -> SourceHealth:
    return _update_health(
        health,
        window_start_ms=now_ms,
        **dict.fromkeys(COUNTS, 0),
        avg_tokens_per_item=0.0,
        health_score=UNKNOWN_SCORE,
    )


def _move_one_step(now: HealthLevel, target: HealthLevel) -> HealthLevel:
    here, there = _LEVELS.index(now), _LEVELS.index(target)
    return _LEVELS[here + max(-1, min(1, there - here))]


def _update_health(health: SourceHealth, **fields: Any) -> SourceHealth:
    return health.model_copy(update=fields)
