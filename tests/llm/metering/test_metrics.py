"""Metrics: one table, counted in this process."""

import math
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from assay.cli.reference import render_pages
from assay.clock import TurnedClock
from assay.errors import InternalError
from assay.llm.metering.metrics import BY_KEY, METRICS, CallMetric, MetricKind, Metrics
from tests.llm.metering.counted import MODEL, USED, one_of_each


def test_names_are_unique_and_follow_the_rules() -> None:
    for names in (
        [metric.key for metric in METRICS],
        [metric.otel for metric in METRICS],
        [metric.prometheus_name for metric in METRICS],
    ):
        assert len(set(names)) == len(names)
    for metric in METRICS:
        assert re.fullmatch(r"assay\.llm(\.[a-z]+(_[a-z]+)*)+", metric.otel), metric.otel
        assert re.fullmatch(r"s|1|\{[a-z]+\}", metric.unit), metric.unit
        assert all(re.fullmatch(r"[a-z]+", label) and label != "le" for label in metric.labels)
        assert metric.help.endswith(".") and "\n" not in metric.help
        assert bool(metric.buckets) == (metric.kind is MetricKind.HISTOGRAM)
        assert list(metric.buckets) == sorted(set(metric.buckets))


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.key)
def test_the_suffix_tells_the_kind_and_the_unit(metric: CallMetric) -> None:
    assert metric.prometheus_name.endswith("_total") == (metric.kind is MetricKind.COUNTER)
    assert metric.prometheus_name.endswith("_seconds") == (metric.unit == "s")


def test_the_names_are_those_of_the_examples() -> None:
    named = {
        "calls": "assay_llm_calls_total",
        "call_duration": "assay_llm_call_duration_seconds",
        "rate_limit_wait": "assay_llm_rate_limit_wait_duration_seconds",
        "queue_depth": "assay_llm_queue_depth",
        "estimate_ratio": "assay_llm_estimate_ratio",
    }
    assert {key: BY_KEY[key].prometheus_name for key in named} == named


def test_every_metric_is_in_the_reference() -> None:
    page = render_pages()["metrics.md"]
    for metric in METRICS:
        assert f"| `{metric.prometheus_name}` | `{metric.otel}` | {metric.kind.value} |" in page


# Counting


def test_counts_and_values_add_up_by_their_labels() -> None:
    metrics = Metrics()
    metrics.count("denials", provider="a", reason="CIRCUIT_OPEN")
    metrics.count("denials", 2, reason="CIRCUIT_OPEN", provider="a")
    metrics.count("denials", provider="b", reason="CIRCUIT_OPEN")
    metrics.set_gauge("queue_depth", 5, provider="a")
    metrics.set_gauge("queue_depth", 3, provider="a")
    metrics.observe("estimate_ratio", 0.5, **MODEL)
    metrics.observe("estimate_ratio", 99, **MODEL)
    assert metrics.read_numbers("denials") == {("a", "CIRCUIT_OPEN"): 3, ("b", "CIRCUIT_OPEN"): 1}
    assert metrics.read_numbers("queue_depth") == {("a",): 3}
    spread = metrics.read_spreads("estimate_ratio")["openai", "small"]
    assert (spread.count, spread.sum, spread.counts[1], spread.counts[-1]) == (2, 99.5, 1, 1)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda m: m.count("denails", provider="a", reason="b"),
        lambda m: m.count("queue_depth", provider="a"),
        lambda m: m.set_gauge("denials", 1, provider="a", reason="b"),
        lambda m: m.observe("denials", 1, provider="a", reason="b"),
        lambda m: m.count("denials", provider="a"),
        lambda m: m.count("denials", provider="a", raeson="b"),
        lambda m: m.count("denials", provider="a", reason="b", step="c"),
        lambda m: m.count("denials", -1, provider="a", reason="b"),
        lambda m: m.set_gauge("queue_depth", math.nan, provider="a"),
        lambda m: m.observe("call_duration", math.inf, ending="done", **MODEL),
        lambda m: m.set_gauge("concurrency", 1, provider="a"),
        lambda m: m.call_ended("a"),
        lambda m: m.read_numbers("call_duration"),
        lambda m: m.read_spreads("calls"),
    ],
)
def test_a_mistake_is_refused_and_leaves_nothing(wrong: Callable[[Metrics], None]) -> None:
    metrics = Metrics(clock=TurnedClock())
    before = metrics.render_text()
    with pytest.raises(InternalError):
        wrong(metrics)
    assert metrics.render_text() == before


def test_threads_lose_no_count() -> None:
    metrics = Metrics()

    def work(_: int) -> None:
        for _ in range(500):
            metrics.call_started("a")
            metrics.count("tokens_used", 3, **USED)
            metrics.observe("call_duration", 1, ending="done", **MODEL)
            metrics.call_ended("a")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    assert sum(metrics.read_numbers("tokens_used").values()) == 8 * 500 * 3
    assert metrics.read_spreads("call_duration")["openai", "small", "done"].count == 8 * 500
    assert metrics.read_numbers("concurrency") == {("a",): 0}


def test_what_is_read_does_not_change_afterwards() -> None:
    metrics = Metrics()
    metrics.observe("first_token", 1, **MODEL)
    numbers, spreads = metrics.read_numbers("calls_lost"), metrics.read_spreads("first_token")
    metrics.count("calls_lost")
    metrics.observe("first_token", 1, **MODEL)
    assert numbers == {(): 0}
    assert spreads["openai", "small"].count == 1


# Concurrency


def test_the_average_weighs_by_time() -> None:
    clock = TurnedClock()
    metrics = Metrics(clock=clock)
    metrics.call_started("a")
    clock.turn(seconds=6)
    metrics.call_started("a")
    clock.turn(seconds=3)
    metrics.call_ended("a")
    metrics.call_ended("a")
    clock.turn(seconds=3)
    assert metrics.read_numbers("concurrency") == {("a",): 0}
    assert metrics.read_numbers("concurrency_max") == {("a",): 2}
    assert metrics.read_numbers("concurrency_average") == {("a",): (6 * 1 + 3 * 2) / 12}


def test_a_provider_that_comes_late_counts_from_the_beginning() -> None:
    clock = TurnedClock()
    metrics = Metrics(clock=clock)
    clock.turn(seconds=30)
    metrics.call_started("late")
    clock.turn(seconds=10)
    assert metrics.read_numbers("concurrency_average") == {("late",): 0.25}
    assert metrics.take_snapshot()["avg_concurrency"] == 0.25


def test_the_most_at_once_is_not_the_sum_of_each_providers_most() -> None:
    metrics = Metrics(clock=TurnedClock())
    for provider in ("a", "b"):
        metrics.call_started(provider)
        metrics.call_started(provider)
        metrics.call_ended(provider)
    assert metrics.read_numbers("concurrency_max") == {("a",): 2, ("b",): 2}
    assert metrics.read_numbers("concurrency_max_overall") == {(): 3}
    assert metrics.take_snapshot()["max_concurrent_observed"] == 3


def test_a_clock_that_is_set_back_stands_still() -> None:
    clock = TurnedClock()
    metrics = Metrics(clock=clock)
    metrics.call_started("a")
    clock.turn(seconds=10)
    metrics.call_started("a")
    clock.turn(seconds=-8)
    metrics.call_ended("a")
    assert metrics.read_numbers("concurrency_average") == {("a",): 1.0}
    clock.turn(seconds=18)
    assert metrics.read_numbers("concurrency_average") == {("a",): 1.0}


def test_a_reset_forgets_all_but_what_is_under_way() -> None:
    clock = TurnedClock()
    metrics = Metrics(clock=clock)
    one_of_each(metrics)
    metrics.call_started("x")
    metrics.call_started("y")
    metrics.call_ended("x")
    metrics.call_ended("y")
    clock.turn(seconds=10)
    metrics.reset()
    assert metrics.read_numbers("results") == {}
    assert metrics.read_numbers("calls_lost") == {(): 0}
    assert metrics.read_spreads("call_duration") == {}
    assert metrics.read_numbers("concurrency") == {("x",): 1}
    assert metrics.read_numbers("concurrency_max_overall") == {(): 1}
    assert metrics.read_numbers("concurrency_average") == {("x",): 1.0}
    metrics.call_ended("x")
    clock.turn(seconds=10)
    assert metrics.read_numbers("concurrency_average") == {("x",): 0.0}
