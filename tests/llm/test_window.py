"""The limiter's arithmetic: no window of sixty seconds ever holds more than the limit."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.llm.limits import MINUTE_MS, PROVIDER_LIMITS, ProviderLimits
from assay.llm.messages import RateHints
from assay.llm.window import (
    MARGIN_MS,
    SLOT_MS,
    RateForecast,
    RateWindow,
    apply_hints,
    apply_learned_limits,
    apply_refusal,
    correct_window,
    move_call,
)

START = 1_700_000_000_000
LIMITS = ProviderLimits(requests_per_minute=50, tokens_per_minute=100_000, burst=2)


def made(
    window: RateWindow, limits: ProviderLimits, at_ms: int, tokens: int
) -> tuple[RateWindow, int]:
    """Wait as told, then make the call; gives the window after it and when it was made."""
    starts_ms = RateForecast(window, limits, at_ms).find_start(tokens)
    outlook = RateForecast(window, limits, starts_ms)
    assert outlook.find_start(tokens) == starts_ms, "the wait that was told is exact"
    return outlook.build_window(), starts_ms


def most_in(calls: list[tuple[int, int]], span_ms: int) -> tuple[int, int]:
    """The most requests and tokens in any stretch of that length."""
    requests = tokens = 0
    for index, (start, _) in enumerate(calls):
        inside = [call for call in calls[index:] if call[0] < start + span_ms]
        requests = max(requests, len(inside))
        tokens = max(tokens, sum(call[1] for call in inside))
    return requests, tokens


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 60),
    st.integers(2_000, 30_000),
    st.integers(1, 4),
    st.lists(st.tuples(st.integers(0, 4_000), st.integers(1, 2_000)), min_size=1, max_size=120),
)
def test_no_stretch_of_a_minute_or_a_second_holds_more_than_the_limit(
    rpm: int, tpm: int, burst: int, asks: list[tuple[int, int]]
) -> None:
    limits = ProviderLimits(requests_per_minute=rpm, tokens_per_minute=tpm, burst=burst)
    window, now, calls = RateWindow(), START, []
    for gap_ms, tokens in asks:
        window, now = made(window, limits, now + gap_ms, tokens)
        calls.append((now, tokens))
    assert most_in(calls, MINUTE_MS)[0] <= rpm
    assert most_in(calls, MINUTE_MS)[1] <= tpm
    assert most_in(calls, 1_000)[0] <= burst


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 3_000), st.integers(1, 2_000), st.floats(0, 1)),
        min_size=1,
        max_size=100,
    )
)
def test_what_was_not_used_comes_back_and_the_limit_still_holds(
    asks: list[tuple[int, int, float]],
) -> None:
    limits = ProviderLimits(tokens_per_minute=9_000)
    window, now, calls = RateWindow(), START, []
    for gap_ms, tokens, share in asks:
        window, now = made(window, limits, now + gap_ms, tokens)
        used = int(tokens * share)
        window = correct_window(window, limits, now // SLOT_MS, tokens=used - tokens)
        calls.append((now, used))
    assert most_in(calls, MINUTE_MS)[1] <= 9_000


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 3_000), st.integers(1, 2_000), st.integers(0, 5_000)),
        min_size=1,
        max_size=100,
    )
)
def test_a_call_that_goes_out_late_counts_from_then_on(asks: list[tuple[int, int, int]]) -> None:
    limits = ProviderLimits(requests_per_minute=20, tokens_per_minute=9_000)
    window, now, calls = RateWindow(), START, []
    for gap_ms, tokens, late_ms in asks:
        window, granted = made(window, limits, now + gap_ms, tokens)
        now = granted + late_ms
        window = move_call(window, granted // SLOT_MS, now, tokens)
        calls.append((now, tokens))
    requests, tokens = most_in(calls, MINUTE_MS)
    assert requests <= 20 and tokens <= 9_000


def test_a_saturated_limit_is_used_to_its_hundredth() -> None:
    limits = ProviderLimits(requests_per_minute=600, tokens_per_minute=60_000)
    window, now, used = RateWindow(), START, 0
    while now < START + 10 * MINUTE_MS:
        window, now = made(window, limits, now, 700)
        used += 700
    assert used / (10 * 60_000) >= 0.98


def test_the_pace_never_sends_a_minutes_worth_at_once() -> None:
    limits = ProviderLimits(tokens_per_minute=60_000, smooth_s=5.0)
    window, now, calls = RateWindow(), START, []
    for _ in range(200):
        window, now = made(window, limits, now, 500)
        calls.append((now, 500))
    for span_s in (1, 5, 20):
        assert most_in(calls, span_s * 1_000)[1] <= (5 + span_s) * 1_000 + 500


def test_the_first_slot_frees_its_room_a_minute_later_and_not_before() -> None:
    limits = ProviderLimits(requests_per_minute=1)
    window, first = made(RateWindow(), limits, START, 1)
    _, second = made(window, limits, first, 1)
    assert first + MINUTE_MS < second <= first + MINUTE_MS + MARGIN_MS + SLOT_MS


def test_silence_that_the_provider_asks_for_is_kept() -> None:
    window = apply_refusal(RateWindow(), 7_000, START)
    assert RateForecast(window, LIMITS, START).find_start(1) == START + 7_000


def test_without_a_word_on_how_long_the_silence_doubles_up_to_a_minute() -> None:
    window, waits = RateWindow(), []
    for _ in range(8):
        window = apply_refusal(replace(window, held_until_ms=0), None, START)
        waits.append(window.held_until_ms - START)
    assert waits == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]
    assert apply_hints(window, LIMITS, RateHints()).refusals == 0


def test_limits_are_learnt_from_the_provider() -> None:
    window = apply_hints(RateWindow(), LIMITS, RateHints(requests_limit=4_000, tokens_limit=40_000))
    learnt = apply_learned_limits(LIMITS, window)
    assert (learnt.requests_per_minute, learnt.tokens_per_minute) == (50, 40_000)
    guessed = apply_learned_limits(replace(LIMITS, may_rise=True), window)
    assert (guessed.requests_per_minute, guessed.tokens_per_minute) == (4_000, 40_000)
    unset = apply_learned_limits(ProviderLimits(), window)
    assert (unset.requests_per_minute, unset.tokens_per_minute) == (4_000, 40_000)
    deaf = replace(LIMITS, learn=False)
    assert apply_learned_limits(deaf, window) == deaf


def test_the_defaults_by_provider_are_only_a_guess() -> None:
    assert all(limits.may_rise for limits in PROVIDER_LIMITS.values())


def test_what_a_provider_says_remains_changes_nothing() -> None:
    window, _ = made(RateWindow(), LIMITS, START, 1_000)
    assert (
        apply_hints(window, LIMITS, RateHints(requests_remaining=0, tokens_remaining=0)) == window
    )


def test_as_many_as_the_burst_go_out_at_once() -> None:
    limits = ProviderLimits(requests_per_minute=50, burst=2, smooth_s=1.0)
    window, first = made(RateWindow(), limits, START, 1)
    window, second = made(window, limits, START, 1)
    _, third = made(window, limits, START, 1)
    assert first == second == START < third


def test_the_window_survives_being_stored() -> None:
    window, now = RateWindow(), START
    for tokens in (10, 20, 30):
        window, now = made(window, LIMITS, now + 700, tokens)
    assert RateWindow.from_json(window.as_json()) == window
