"""The health of sources: the formula, its thresholds, one level at a time, pauses and windows."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.governor.health import (
    HOUR_MS,
    PAUSE_BELOW,
    HealthLevel,
    HealthOutcome,
    OutcomeKind,
    apply_level_threshold,
    compute_health_score,
    find_level_in_force,
    is_paused_at,
    level_of,
    pause_health,
    record_outcomes,
    unpause_health,
)
from assay.model.bookkeeping import SourceHealth

NOW = 1_700_000_000_000
WEEK_MS = 168 * HOUR_MS
GOOD = HealthOutcome(kind=OutcomeKind.SUCCESS, tokens=500, items=1)
EMPTY = HealthOutcome(kind=OutcomeKind.EMPTY)
ERROR = HealthOutcome(kind=OutcomeKind.ERROR)


def counted(success: int, empty: int = 0, error: int = 0, *, tokens: int = 0, items: int = 0,
            level: HealthLevel = HealthLevel.FAIR) -> SourceHealth:  # fmt: skip
    return SourceHealth(
        source_slug="gazette",
        window_start_ms=NOW,
        total_attempts=success + empty + error,
        success_count=success,
        empty_count=empty,
        error_count=error,
        total_tokens_used=tokens,
        total_items_produced=items,
        min_scout_score=level.scout_threshold,
        allow_cloud=level.allow_cloud,
        budget_multiplier=level.multiplier,
    )


def record_outcome(health: SourceHealth, outcome: HealthOutcome, now_ms: int) -> SourceHealth:
    return record_outcomes(health, [outcome], now_ms)


@pytest.mark.parametrize(
    ("health", "score"),
    [
        # successRate × 0.5 + efficiency × 0.3 − (emptyRate × 0.1 + errorRate × 0.2) × 10
        (counted(10), 0.8),
        (counted(10, tokens=20_000, items=10), 0.8),
        (counted(10, tokens=40_000, items=10), 0.65),
        (counted(10, tokens=200_000, items=10), 0.53),
        (counted(10, tokens=5_000, items=0), 0.5),
        (counted(9, 1), 0.65),
        (counted(9, 0, 1), 0.55),
        (counted(16, 2, 2), 0.4),
        (counted(0, 0, 10), 0.0),
        (counted(0, 10), 0.0),
    ],
)
def test_the_formula(health: SourceHealth, score: float) -> None:
    assert compute_health_score(health) == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize(
    "health", [counted(0), counted(9), counted(0, 9), counted(0, 0, 9), counted(3, 3, 3)]
)
def test_few_attempts_say_nothing(health: SourceHealth) -> None:
    assert compute_health_score(health) == 0.5


def test_the_score_stays_between_nothing_and_one() -> None:
    for success in range(0, 21, 4):
        for empty in range(0, 21 - success, 4):
            for tokens in (0, 1, 10**9):
                health = counted(success, empty, 20 - success - empty, tokens=tokens, items=1)
                assert 0.0 <= compute_health_score(health) <= 1.0


@pytest.mark.parametrize(
    ("level", "least", "threshold", "cloud", "multiplier"),
    [
        (HealthLevel.EXCELLENT, 0.8, 0.30, True, 1.5),
        (HealthLevel.GOOD, 0.6, 0.35, True, 1.2),
        (HealthLevel.FAIR, 0.4, 0.40, True, 1.0),
        (HealthLevel.POOR, 0.2, 0.50, False, 0.5),
        (HealthLevel.CRITICAL, 0.0, 0.70, False, 0.2),
    ],
)
def test_what_each_level_allows(
    level: HealthLevel, least: float, threshold: float, cloud: bool, multiplier: float
) -> None:
    assert (level.scout_threshold, level.allow_cloud, level.multiplier) == (
        threshold, cloud, multiplier,
    )  # fmt: skip
    assert level_of(least) is level
    assert level_of(least + 1e-6) is level
    if least:
        assert level_of(least - 1e-6) is not level


def test_the_levels_at_both_ends() -> None:
    assert level_of(0.0) is HealthLevel.CRITICAL
    assert level_of(1.0) is HealthLevel.EXCELLENT


@pytest.mark.parametrize(
    ("success", "score", "level"),
    [
        # Of fifteen attempts, the rest empty: each of these is a threshold to the last digit.
        (15, 0.8, HealthLevel.EXCELLENT),
        (13, 0.6, HealthLevel.GOOD),
        (11, 0.4, HealthLevel.FAIR),
        (9, 0.2, HealthLevel.POOR),
        (8, 0.1, HealthLevel.CRITICAL),
    ],
)
def test_counts_that_meet_a_threshold_reach_its_level(
    success: int, score: float, level: HealthLevel
) -> None:
    at = counted(success, 15 - success)
    under = counted(success * 100 - 1, (15 - success) * 100 + 1)
    assert compute_health_score(at) == score
    assert level_of(compute_health_score(at)) is level
    assert compute_health_score(under) < score
    if level is not HealthLevel.CRITICAL:
        assert level_of(compute_health_score(under)) is not level


def test_a_source_is_paused_under_a_tenth_and_not_at_it() -> None:
    at = record_outcome(counted(8, 6), EMPTY, NOW)
    assert (at.health_score, at.is_paused) == (0.1, False)
    under = record_outcome(counted(799, 700), EMPTY, NOW)
    assert under.health_score < 0.1
    assert under.is_paused
    assert (under.paused_ms, under.pause_expires_ms) == (NOW, NOW + 24 * HOUR_MS)
    assert under.pause_reason is not None
    assert "0.10" in under.pause_reason


def test_an_outcome_is_counted() -> None:
    health = record_outcome(SourceHealth(source_slug="gazette"), GOOD, NOW)
    health = record_outcome(health, EMPTY, NOW + 1)
    health = record_outcome(health, ERROR, NOW + 2)
    health = record_outcome(
        health, HealthOutcome(kind=OutcomeKind.SUCCESS, tokens=1500, items=3), NOW + 3
    )
    assert (health.total_attempts, health.success_count, health.empty_count, health.error_count) \
        == (4, 2, 1, 1)  # fmt: skip
    assert (health.total_tokens_used, health.total_items_produced) == (2000, 4)
    assert health.avg_tokens_per_item == 500.0
    assert health.health_score == 0.5
    assert find_level_in_force(health) is HealthLevel.FAIR
    assert health.updated_ms == NOW + 3


def levels_over(health: SourceHealth, outcome: HealthOutcome, count: int) -> list[HealthLevel]:
    found = [find_level_in_force(health)]
    for _ in range(count):
        health = record_outcome(health, outcome, NOW)
        found.append(find_level_in_force(health))
    return found


@pytest.mark.parametrize("start", list(HealthLevel))
@pytest.mark.parametrize("outcome", [GOOD, EMPTY, ERROR], ids=lambda outcome: str(outcome.kind))
@pytest.mark.parametrize("before", [counted(0), counted(9), counted(0, 0, 9), counted(12, 1, 1)])
def test_one_update_moves_at_most_one_level(
    before: SourceHealth, outcome: HealthOutcome, start: HealthLevel
) -> None:
    order = list(HealthLevel)
    held = before.model_copy(update={"budget_multiplier": start.multiplier})
    steps = [order.index(level) for level in levels_over(held, outcome, 30)]
    assert all(abs(there - here) <= 1 for here, there in pairwise(steps))


def test_a_collapse_goes_down_the_levels_one_by_one() -> None:
    start = counted(9, 0, 0, level=HealthLevel.EXCELLENT)
    # The tenth attempt makes the counts tell; all that follow are errors.
    assert levels_over(start, ERROR, 5) == [
        HealthLevel.EXCELLENT, HealthLevel.GOOD, HealthLevel.FAIR, HealthLevel.POOR,
        HealthLevel.CRITICAL, HealthLevel.CRITICAL,
    ]  # fmt: skip


def test_what_a_level_may_spend_is_written_with_it() -> None:
    worse = record_outcome(counted(0, 0, 12), ERROR, NOW)
    assert (worse.allow_cloud, worse.budget_multiplier) == (False, 0.5)
    better = record_outcome(counted(12), GOOD, NOW)
    assert (better.allow_cloud, better.budget_multiplier) == (True, 1.2)


@pytest.mark.parametrize("level", list(HealthLevel))
def test_the_threshold_of_a_level_holds_from_the_next_run(level: HealthLevel) -> None:
    before = counted(12, level=HealthLevel.FAIR)
    assert record_outcome(before, ERROR, NOW).min_scout_score == 0.4
    moved = before.model_copy(update={"budget_multiplier": level.multiplier})
    held = apply_level_threshold(moved)
    assert held.min_scout_score == level.scout_threshold
    assert apply_level_threshold(held) is held


kinds = st.sampled_from([GOOD, EMPTY, ERROR])


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.lists(kinds, max_size=30), st.sampled_from(list(HealthLevel)))
def test_many_outcomes_at_once_count_as_one_after_the_other(
    outcomes: list[HealthOutcome], level: HealthLevel
) -> None:
    start = counted(3, 1, level=level)
    singly = start
    for outcome in outcomes:
        singly = record_outcome(singly, outcome, NOW)
    together = record_outcomes(start, outcomes, NOW)
    pauses = {"is_paused", "paused_ms", "pause_reason", "pause_expires_ms", "updated_ms"}
    assert together.model_dump(exclude=pauses) == singly.model_dump(exclude=pauses)
    # A pause is for the whole batch to bring about.
    assert together.is_paused == (bool(outcomes) and together.health_score < PAUSE_BELOW)
    assert singly.is_paused or not together.is_paused


def test_the_window_rolls_over_after_seven_days() -> None:
    old = counted(20, 3, 1, tokens=9_000, items=9)
    last = record_outcome(old, GOOD, NOW + WEEK_MS - 1)
    assert (last.total_attempts, last.window_start_ms) == (25, NOW)
    fresh = record_outcome(old, GOOD, NOW + WEEK_MS)
    assert (fresh.total_attempts, fresh.success_count, fresh.empty_count, fresh.error_count) \
        == (1, 1, 0, 0)  # fmt: skip
    assert (fresh.total_tokens_used, fresh.total_items_produced) == (500, 1)
    assert fresh.window_start_ms == NOW + WEEK_MS
    assert fresh.health_score == 0.5


def test_a_pause_is_not_prolonged_by_what_was_under_way() -> None:
    first = record_outcome(counted(0, 0, 12), ERROR, NOW)
    later = record_outcome(first, ERROR, NOW + HOUR_MS)
    assert later.is_paused
    assert later.pause_expires_ms == NOW + 24 * HOUR_MS


def test_a_pause_that_has_expired_ends_and_the_source_gets_a_real_chance() -> None:
    health = record_outcome(counted(0, 0, 12), ERROR, NOW)
    assert health.pause_expires_ms is not None
    assert is_paused_at(health, health.pause_expires_ms - 1)
    assert not is_paused_at(health, health.pause_expires_ms)
    after = record_outcome(health, ERROR, health.pause_expires_ms)
    assert not after.is_paused
    assert (after.paused_ms, after.pause_reason, after.pause_expires_ms) == (None, None, None)
    assert (after.total_attempts, after.health_score) == (1, 0.5)
    for _ in range(9):
        after = record_outcome(after, ERROR, health.pause_expires_ms)
    assert after.is_paused


def test_a_level_survives_a_pause_and_rises_step_by_step() -> None:
    low = counted(0, 0, 12, level=HealthLevel.CRITICAL)
    health = unpause_health(pause_health(low, "by hand", NOW), NOW)
    assert find_level_in_force(health) is HealthLevel.CRITICAL
    assert levels_over(health, GOOD, 4)[1:] == [
        HealthLevel.POOR, HealthLevel.FAIR, HealthLevel.FAIR, HealthLevel.FAIR,
    ]  # fmt: skip


def test_a_pause_without_an_end_lasts() -> None:
    health = pause_health(counted(0), "a person wants it so", NOW, None)
    assert is_paused_at(health, NOW + 100 * WEEK_MS)
    assert record_outcome(health, GOOD, NOW + 100 * WEEK_MS).is_paused
