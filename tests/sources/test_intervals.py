"""How long to wait between two looks: every boundary, and what must hold for all numbers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InvalidInput
from assay.sources.intervals import (
    FIRST_VELOCITY,
    FREQUENCIES,
    HOUR_MS,
    add_jitter,
    compute_adaptive_hours,
    compute_next_due_ms,
    is_due,
    update_velocity,
)

NOW = 1_790_000_000_000
velocities = st.floats(0.0, 1.0)
risks = st.floats(0.01, 100.0)


def test_every_frequency_of_the_specification_is_known() -> None:
    assert FREQUENCIES == ("EVERY_RUN", "DAILY", "TWICE_WEEKLY", "WEEKLY", "MONTHLY", "ADAPTIVE")


@pytest.mark.parametrize(
    ("frequency", "hours"),
    [("EVERY_RUN", 0), ("DAILY", 24), ("TWICE_WEEKLY", 84), ("WEEKLY", 168), ("MONTHLY", 720)],
)
def test_a_fixed_frequency_is_due_at_its_hour_and_not_before(frequency: str, hours: int) -> None:
    last = NOW - hours * HOUR_MS
    assert compute_next_due_ms(frequency, "e", last) == NOW
    assert is_due(frequency, "e", last, NOW)
    if hours:
        assert not is_due(frequency, "e", last, NOW - 1)


@pytest.mark.parametrize("frequency", FREQUENCIES)
def test_what_was_never_looked_at_is_due(frequency: str) -> None:
    assert compute_next_due_ms(frequency, "e", None) == 0
    assert is_due(frequency, "e", None, 0)


def test_a_clock_that_went_back_does_not_stop_the_looks() -> None:
    assert is_due("MONTHLY", "e", NOW + 1, NOW)
    assert not is_due("MONTHLY", "e", NOW, NOW)


def test_an_unknown_frequency_is_refused() -> None:
    with pytest.raises(InvalidInput, match="Frequency HOURLY is not known"):
        is_due("HOURLY", "e", None, NOW)


@pytest.mark.parametrize(
    ("velocity", "risk", "hours"),
    [
        (1.0, 1.0, 4.0),
        (0.5, 1.0, 8.0),
        (1.0, 0.5, 8.0),
        (0.5, 4.0, 4.0),
        (1.0, 10.0, 4.0),
        (4 / 719, 1.0, 719.0),
        (4 / 720, 1.0, 720.0),
        (4 / 721, 1.0, 720.0),
        (0.0, 1.0, 720.0),
        (1e-320, 1e-10, 720.0),
    ],
)
def test_the_adaptive_interval_and_its_bounds(velocity: float, risk: float, hours: float) -> None:
    assert compute_adaptive_hours(velocity, risk) == pytest.approx(hours)


@pytest.mark.parametrize("risk", [0.0, -1.0, math.nan, math.inf])
def test_a_risk_that_is_no_factor_is_refused(risk: float) -> None:
    with pytest.raises(InvalidInput, match="risk factor"):
        compute_adaptive_hours(0.5, risk)


def test_velocity_goes_up_by_three_tenths_and_down_by_one() -> None:
    assert update_velocity(0.5, changed=True) == pytest.approx(0.3 + 0.7 * 0.5)
    assert update_velocity(0.5, changed=False) == pytest.approx(0.9 * 0.5)
    assert update_velocity(1.0, changed=True) == pytest.approx(1.0)
    assert update_velocity(0.0, changed=False) == 0.0


@given(st.lists(st.booleans(), max_size=60))
def test_velocity_stays_between_nothing_and_one(looks: list[bool]) -> None:
    velocity = FIRST_VELOCITY
    for changed in looks:
        before, velocity = velocity, update_velocity(velocity, changed=changed)
        assert 0.0 <= velocity <= 1.0
        assert velocity >= before if changed else velocity <= before


@given(velocities, velocities, risks, risks)
def test_more_change_and_more_risk_never_wait_longer(
    v1: float, v2: float, r1: float, r2: float
) -> None:
    slow, quick = sorted((v1, v2))
    low, high = sorted((r1, r2))
    assert compute_adaptive_hours(quick, low) <= compute_adaptive_hours(slow, low)
    assert compute_adaptive_hours(slow, high) <= compute_adaptive_hours(slow, low)
    later = compute_next_due_ms("ADAPTIVE", "e", NOW, velocity=slow, risk=low)
    assert compute_next_due_ms("ADAPTIVE", "e", NOW, velocity=quick, risk=high) <= later


@given(velocities, risks, st.text(max_size=20), st.integers(0, NOW))
def test_the_interval_is_always_in_bounds_and_the_same_again(
    velocity: float, risk: float, endpoint: str, last: int
) -> None:
    due = compute_next_due_ms("ADAPTIVE", endpoint, last, velocity=velocity, risk=risk)
    assert 3.6 * HOUR_MS - 1 <= due - last <= 792 * HOUR_MS
    assert due == compute_next_due_ms("ADAPTIVE", endpoint, last, velocity=velocity, risk=risk)
    assert is_due("ADAPTIVE", endpoint, last, due, velocity=velocity, risk=risk)
    assert not is_due("ADAPTIVE", endpoint, last, due - 1, velocity=velocity, risk=risk)


def test_jitter_spreads_endpoints_over_its_whole_breadth() -> None:
    spread = sorted(add_jitter(100.0, f"endpoint-{number}", NOW) for number in range(500))
    assert 90.0 <= spread[0] < 91.0 and 109.0 < spread[-1] <= 110.0
    assert 99.0 < sum(spread) / 500 < 101.0
    assert len({add_jitter(100.0, "e", NOW + look) for look in range(50)}) == 50
