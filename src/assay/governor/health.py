"""How well a source does, and what that allows it: pure functions over its counts."""

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any

from assay.model.records import SourceHealth

HOUR_MS = 3_600_000
LEAST_ATTEMPTS = 10
"""Fewer say nothing about a source."""
UNKNOWN_SCORE = 0.5
PAUSE_BELOW = 0.1
PAUSE_HOURS = 24.0
FAIR_TOKENS_PER_ITEM = 2000
"""An item may cost so much before the source counts as less efficient."""


class HealthLevel(Enum):
    """The levels, the lowest first: least score, scout threshold, cloud, share of the cap."""

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
    """What one attempt gave, and what it cost."""

    kind: OutcomeKind
    tokens: int = 0
    items: int = 0


def health_score(health: SourceHealth) -> float:
    """From 0 to 1; sources with few attempts count as average."""
    attempts = health.total_attempts
    if attempts < LEAST_ATTEMPTS:
        return UNKNOWN_SCORE
    penalties = (health.empty_count * 0.1 + health.error_count * 0.2) / attempts * 10
    score = health.success_count / attempts * 0.5 + _efficiency(health) * 0.3 - penalties
    # Rounded, so that a score which is a threshold on paper is one here as well.
    return round(min(1.0, max(0.0, score)), 9)


def _efficiency(health: SourceHealth) -> float:
    """Tokens that brought nothing are waste; what cost no tokens is not."""
    if health.total_tokens_used == 0:
        return 1.0
    return min(1.0, FAIR_TOKENS_PER_ITEM * health.total_items_produced / health.total_tokens_used)


def level_of(score: float) -> HealthLevel:
    """The level that a score belongs to; each begins at its least score."""
    return max((level for level in _LEVELS if score >= level.least), key=lambda level: level.least)


def level_in_force(health: SourceHealth) -> HealthLevel:
    """The level that a source is held to, which its score may be ahead of."""
    return next(
        (level for level in _LEVELS if level.multiplier == health.budget_multiplier),
        level_of(health.health_score),
    )


def after_outcome(health: SourceHealth, outcome: HealthOutcome, now_ms: int) -> SourceHealth:
    """The health after one more attempt."""
    health = _counted(_in_window(_pause_over(health, now_ms), now_ms), outcome)
    score = health_score(health)
    level = _one_step(level_in_force(health), level_of(score))
    health = _changed(
        health,
        health_score=score,
        min_scout_score=level.scout_threshold,
        allow_cloud=level.allow_cloud,
        budget_multiplier=level.multiplier,
        updated_ms=now_ms,
    )
    if score < PAUSE_BELOW and not health.is_paused:
        return paused(health, f"health {score:.2f} is under {PAUSE_BELOW}", now_ms)
    return health


def paused(
    health: SourceHealth, reason: str, now_ms: int, hours: float | None = PAUSE_HOURS
) -> SourceHealth:
    """The health of a source that may spend nothing for so long; None: until a person unpauses."""
    return _changed(
        health,
        is_paused=True,
        paused_ms=now_ms,
        pause_reason=reason,
        pause_expires_ms=None if hours is None else now_ms + int(hours * HOUR_MS),
        updated_ms=now_ms,
    )


def unpaused(health: SourceHealth, now_ms: int) -> SourceHealth:
    """The health of a source that may go on. It is counted anew, for with its old counts its next
    attempt, even a good one, would pause it again; its level is kept and rises step by step."""
    return _changed(
        _fresh(health, now_ms),
        is_paused=False,
        paused_ms=None,
        pause_reason=None,
        pause_expires_ms=None,
        updated_ms=now_ms,
    )


def is_paused_at(health: SourceHealth, now_ms: int) -> bool:
    """Whether its pause, if any, still lasts."""
    expires_ms = health.pause_expires_ms
    return health.is_paused and (expires_ms is None or now_ms < expires_ms)


def _pause_over(health: SourceHealth, now_ms: int) -> SourceHealth:
    if health.is_paused and not is_paused_at(health, now_ms):
        return unpaused(health, now_ms)
    return health


def _in_window(health: SourceHealth, now_ms: int) -> SourceHealth:
    ends_ms = health.window_start_ms + health.window_size_hours * HOUR_MS
    return _fresh(health, now_ms) if now_ms >= ends_ms else health


def _fresh(health: SourceHealth, now_ms: int) -> SourceHealth:
    return _changed(
        health,
        window_start_ms=now_ms,
        total_attempts=0,
        success_count=0,
        empty_count=0,
        error_count=0,
        total_tokens_used=0,
        total_items_produced=0,
        avg_tokens_per_item=0.0,
        health_score=UNKNOWN_SCORE,
    )


def _counted(health: SourceHealth, outcome: HealthOutcome) -> SourceHealth:
    kind = outcome.kind
    tokens = health.total_tokens_used + outcome.tokens
    items = health.total_items_produced + outcome.items
    return _changed(
        health,
        total_attempts=health.total_attempts + 1,
        success_count=health.success_count + (kind is OutcomeKind.SUCCESS),
        empty_count=health.empty_count + (kind is OutcomeKind.EMPTY),
        error_count=health.error_count + (kind is OutcomeKind.ERROR),
        total_tokens_used=tokens,
        total_items_produced=items,
        avg_tokens_per_item=tokens / items if items else 0.0,
    )


def _one_step(now: HealthLevel, wanted: HealthLevel) -> HealthLevel:
    here, there = _LEVELS.index(now), _LEVELS.index(wanted)
    return _LEVELS[here + max(-1, min(1, there - here))]


def _changed(health: SourceHealth, **fields: Any) -> SourceHealth:
    return health.model_copy(update=fields)
