"""The alarm of expected yield: what it says, what it learns, and how often it is wrong."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InvalidInput
from assay.sources.yields import (
    DAY_MS,
    ExpectedYield,
    YieldHistory,
    YieldLevel,
    YieldVerdict,
    compute_silence_limit_ms,
    judge_yield,
    record_look,
)
from tests.sources.yield_worlds import GOOD, World, emptied, frozen, shrunk, trial

START = 20_000 * DAY_MS
Looks = list[tuple[int, int]]


def looked(
    looks: Looks,
    expected: ExpectedYield | None = None,
    every_ms: int = DAY_MS,
    history: YieldHistory | None = None,
    start_ms: int = START,
) -> tuple[YieldHistory, YieldVerdict]:
    history = history or YieldHistory()
    verdict = YieldVerdict(YieldLevel.NORMAL, "")
    for number, (items, new) in enumerate(looks):
        now_ms = start_ms + number * every_ms
        verdict = judge_yield(history, items, new, now_ms, expected)
        history = record_look(history, items, new, now_ms, verdict)
    return history, verdict


def test_the_alarm_says_what_is_usual() -> None:
    counts = [42, 44, 38, 42, 42, 41, 45, 42, 40, 43]
    _, verdict = looked([(count, 1) for count in counts] + [(0, 0)])
    assert verdict == YieldVerdict(
        YieldLevel.NONE,
        "gave 0 items; 42 are usual (lowest of the last 10 days with a look: 38)",
    )
    _, verdict = looked([(count, 1) for count in counts] + [(12, 0)])
    assert verdict.level is YieldLevel.LOW
    assert verdict.sentence.startswith("gave 12 items; 42 are usual")


def test_nothing_is_usual_before_five_looks_over_a_week() -> None:
    assert looked([(40, 1)] * 8 + [(0, 0)])[1].level is YieldLevel.NONE
    assert looked([(40, 1)] * 7 + [(0, 0)])[1].level is YieldLevel.NORMAL
    weekly = 7 * DAY_MS
    assert looked([(40, 1)] * 5 + [(0, 0)], every_ms=weekly)[1].level is YieldLevel.NONE
    assert looked([(40, 1)] * 4 + [(0, 0)], every_ms=weekly)[1].level is YieldLevel.NORMAL
    hourly = DAY_MS // 24
    assert looked([(40, 1)] * 100 + [(0, 0)], every_ms=hourly)[1].level is YieldLevel.NORMAL


@pytest.mark.parametrize(
    ("items", "level"), [(20, YieldLevel.NORMAL), (19, YieldLevel.LOW), (0, YieldLevel.NONE)]
)
def test_half_of_the_usual_is_the_boundary(items: int, level: YieldLevel) -> None:
    assert looked([(40, 1)] * 20 + [(items, 0)])[1].level is level


def test_a_page_that_always_has_its_few_entries_is_known_for_it() -> None:
    assert looked([(6, 1)] * 19 + [(0, 0)])[1].level is YieldLevel.NORMAL
    assert looked([(6, 1)] * 20 + [(0, 0)])[1].level is YieldLevel.NONE
    assert looked([(10, 1)] * 20 + [(4, 0)])[1].level is YieldLevel.LOW
    assert looked([(1, 0)] * 20 + [(0, 0)])[1].level is YieldLevel.NORMAL


def test_a_broken_source_does_not_become_usual() -> None:
    history, verdict = looked([(40, 1)] * 20 + [(0, 0)] * 50)
    assert verdict.level is YieldLevel.NONE
    assert history.low_looks == 50
    history, verdict = looked([(41, 3)], history=history, start_ms=START + 80 * DAY_MS)
    assert (verdict.level, history.low_looks) == (YieldLevel.NORMAL, 0)


def test_looks_every_hour_count_as_one_a_day() -> None:
    hourly = DAY_MS // 24
    weekdays = [(0 if number // 24 % 7 in (5, 6) else 12, 0) for number in range(24 * 28)]
    history, _ = looked(weekdays, every_ms=hourly)
    assert len(history.counts) == 28
    assert 0 in history.counts


def test_nothing_new_for_far_longer_than_usual_is_an_alarm() -> None:
    weekly = [(30, 3 if day % 7 == 0 else 0) for day in range(100)]
    history, verdict = looked(weekly)
    assert verdict.level is YieldLevel.NORMAL
    _, verdict = looked([(30, 0)] * 18, history=history, start_ms=START + 100 * DAY_MS)
    assert verdict.level is YieldLevel.NORMAL
    history, verdict = looked([(30, 0)] * 30, history=history, start_ms=START + 100 * DAY_MS)
    assert verdict == YieldVerdict(
        YieldLevel.LOW,
        "gave nothing new for 31 days; 7 days are usual (longest of the last 14 gaps: 7 days)",
        is_silence=True,
    )
    assert history.low_looks == 0
    _, verdict = looked([(30, 1)], history=history, start_ms=START + 131 * DAY_MS)
    assert verdict.level is YieldLevel.NORMAL


def test_a_regular_source_is_late_sooner_than_a_wayward_one() -> None:
    regular, wayward = [7 * DAY_MS] * 20, [DAY_MS, 13 * DAY_MS] * 10
    assert compute_silence_limit_ms(regular) == 21 * DAY_MS
    assert compute_silence_limit_ms(wayward) > 2 * compute_silence_limit_ms(regular)


def test_what_is_declared_holds_from_the_first_look() -> None:
    due = ExpectedYield(min_items=20)
    assert looked([(20, 20)], due)[1].level is YieldLevel.NORMAL
    assert looked([(19, 19)], due)[1] == YieldVerdict(
        YieldLevel.LOW, "gave 19 items; at least 20 are expected"
    )
    assert looked([(0, 0)], due)[1].level is YieldLevel.NONE
    assert looked([(100, 1)] * 20 + [(21, 0)], due)[1].level is YieldLevel.NORMAL


def test_new_items_may_be_declared_for_a_span_of_days() -> None:
    due = ExpectedYield(min_new=3, per_days=10)
    first = (50, 50)
    assert looked([first] + [(50, 0)] * 9, due)[1].level is YieldLevel.NORMAL
    _, verdict = looked([first] + [(50, 0)] * 10, due)
    assert verdict.sentence == "gave 0 new in 10 days; at least 3 are expected"
    enough = [first, (50, 2), *[(50, 0)] * 8, (50, 1)]
    assert looked(enough, due)[1].level is YieldLevel.NORMAL
    assert looked([*enough, (50, 0)], due)[1].sentence.startswith("gave 1 new in 10 days")
    with pytest.raises(InvalidInput, match="per_days"):
        ExpectedYield(min_new=1, per_days=400)


def test_a_source_that_gives_little_is_not_rebuked_for_nothing() -> None:
    assert looked([(2, 0), (1, 0), (3, 1), (2, 0), (1, 0)] * 4 + [(0, 0)])[1].level is (
        YieldLevel.NORMAL
    )


looks_of_any_kind = st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 500)), max_size=60)


@given(looks_of_any_kind, st.integers(1, 40 * DAY_MS))
def test_history_stays_small_and_survives_json(looks: Looks, every_ms: int) -> None:
    history, _ = looked(looks, every_ms=every_ms)
    stored = json.dumps(history.as_json())
    assert YieldHistory.from_json(json.loads(stored)) == history
    assert len(history.counts) <= 30 and len(history.gaps_ms) <= 60
    assert len(history.new_by_day) <= 92


def test_nothing_stored_is_an_empty_history() -> None:
    assert YieldHistory.from_json(None) == YieldHistory.from_json({}) == YieldHistory()


@given(st.lists(st.integers(1, 1000), min_size=10, max_size=30))
def test_a_look_as_good_as_one_before_it_is_never_low(counts: list[int]) -> None:
    history, _ = looked([(count, 1) for count in counts])
    verdict = judge_yield(history, min(history.counts), 1, START + 40 * DAY_MS)
    assert verdict.level is YieldLevel.NORMAL


# Alarms in a source's year that is in order, over 12 sources of each kind; 150 sources each gave
# 0, 0.05, 0, 0, 0, 0.02 and 0.15.
RATES = {
    "steady": 0.0, "small": 0.1, "weekly": 0.0, "weekdays": 0.0, "growing": 0.0,
    "irregular": 0.1, "bursty": 0.35,
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_a_source_in_order_is_seldom_rebuked(name: str) -> None:
    found = trial(GOOD[name], sources=12, days=365)
    assert found.alarms / found.sources <= RATES[name]


@pytest.mark.parametrize(
    ("broken", "name", "within"),
    [
        (emptied, "steady", 0), (emptied, "growing", 0), (emptied, "irregular", 0),
        (emptied, "bursty", 0), (emptied, "weekdays", 14), (emptied, "weekly", 28),
        (emptied, "small", 70), (shrunk, "steady", 0), (shrunk, "growing", 0),
        (frozen, "steady", 10), (frozen, "growing", 10), (frozen, "weekdays", 14),
        (frozen, "weekly", 28), (frozen, "small", 70),
    ],
)  # fmt: skip
def test_a_broken_source_is_always_found_out(broken: object, name: str, within: int) -> None:
    assert callable(broken)
    world: World = broken(GOOD[name], 120)
    found = trial(world, sources=8, days=121 + within, since=120)
    assert found.alarmed == found.sources
