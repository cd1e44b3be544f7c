"""Metrics: one table, counted in this process, told to Prometheus and OpenTelemetry."""

import math
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from prometheus_client.parser import text_string_to_metric_families

import assay.llm
from assay.cli.reference import pages
from assay.clock import TurnedClock
from assay.errors import InternalError, ProviderBusy
from assay.llm.limits import UNLIMITED
from assay.llm.messages import Lane, Usage
from assay.llm.metering import exposition
from assay.llm.metering.metrics import BY_KEY, METRICS, Kind, Metric, Metrics, Snapshot
from assay.llm.metering.telemetry import bind
from assay.llm.requests.results import Completeness
from assay.llm.scope import Ask, Basis, CallScope, CallState, Settlement

PACKAGE = Path(assay.llm.__file__).parent
MODEL = {"provider": "openai", "model": "small"}
USED = {**MODEL, "stage": "grounding", "kind": "prompt", "basis": "reported"}


def one_of_each(metrics: Metrics) -> None:
    """Every metric of the table has one series."""
    for metric in METRICS:
        labels = dict.fromkeys(metric.labels, "x")
        if metric.kind is Kind.COUNTER:
            metrics.count(metric.key, 2, **labels)
        elif metric.kind is Kind.HISTOGRAM:
            metrics.observe(metric.key, 2, **labels)
        elif not metric.key.startswith("concurrency"):
            metrics.gauge(metric.key, 2, **labels)
    metrics.call_started("x")


def parsed(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Every sample of an exposition, as Prometheus' own parser reads it."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def sample(metrics: Metrics, name: str, **labels: str) -> float:
    return parsed(metrics.text())[name, frozenset(labels.items())]


# The table


def test_names_are_unique_and_follow_the_rules() -> None:
    for names in (
        [metric.key for metric in METRICS],
        [metric.otel for metric in METRICS],
        [metric.prometheus for metric in METRICS],
    ):
        assert len(set(names)) == len(names)
    for metric in METRICS:
        assert re.fullmatch(r"assay\.llm(\.[a-z]+(_[a-z]+)*)+", metric.otel), metric.otel
        assert re.fullmatch(r"s|1|\{[a-z]+\}", metric.unit), metric.unit
        assert all(re.fullmatch(r"[a-z]+", label) and label != "le" for label in metric.labels)
        assert metric.help.endswith(".") and "\n" not in metric.help
        assert bool(metric.buckets) == (metric.kind is Kind.HISTOGRAM)
        assert list(metric.buckets) == sorted(set(metric.buckets))


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.key)
def test_the_suffix_tells_the_kind_and_the_unit(metric: Metric) -> None:
    assert metric.prometheus.endswith("_total") == (metric.kind is Kind.COUNTER)
    assert metric.prometheus.endswith("_seconds") == (metric.unit == "s")


def test_the_names_are_those_of_the_examples() -> None:
    named = {
        "calls": "assay_llm_calls_total",
        "call_duration": "assay_llm_call_duration_seconds",
        "rate_limit_wait": "assay_llm_rate_limit_wait_duration_seconds",
        "queue_depth": "assay_llm_queue_depth",
        "estimate_ratio": "assay_llm_estimate_ratio",
    }
    assert {key: BY_KEY[key].prometheus for key in named} == named


def test_every_metric_is_in_the_reference() -> None:
    page = pages()["metrics.md"]
    for metric in METRICS:
        assert f"| `{metric.prometheus}` | `{metric.otel}` | {metric.kind.value} |" in page


# Counting


def test_counts_and_values_add_up_by_their_labels() -> None:
    metrics = Metrics()
    metrics.count("denials", provider="a", reason="CIRCUIT_OPEN")
    metrics.count("denials", 2, reason="CIRCUIT_OPEN", provider="a")
    metrics.count("denials", provider="b", reason="CIRCUIT_OPEN")
    metrics.gauge("queue_depth", 5, provider="a")
    metrics.gauge("queue_depth", 3, provider="a")
    metrics.observe("estimate_ratio", 0.5, **MODEL)
    metrics.observe("estimate_ratio", 99, **MODEL)
    assert metrics.numbers("denials") == {("a", "CIRCUIT_OPEN"): 3, ("b", "CIRCUIT_OPEN"): 1}
    assert metrics.numbers("queue_depth") == {("a",): 3}
    spread = metrics.spreads("estimate_ratio")["openai", "small"]
    assert (spread.count, spread.sum, spread.counts[1], spread.counts[-1]) == (2, 99.5, 1, 1)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda m: m.count("denails", provider="a", reason="b"),
        lambda m: m.count("queue_depth", provider="a"),
        lambda m: m.gauge("denials", 1, provider="a", reason="b"),
        lambda m: m.observe("denials", 1, provider="a", reason="b"),
        lambda m: m.count("denials", provider="a"),
        lambda m: m.count("denials", provider="a", raeson="b"),
        lambda m: m.count("denials", provider="a", reason="b", stage="c"),
        lambda m: m.count("denials", -1, provider="a", reason="b"),
        lambda m: m.gauge("queue_depth", math.nan, provider="a"),
        lambda m: m.observe("call_duration", math.inf, ending="done", **MODEL),
        lambda m: m.gauge("concurrency", 1, provider="a"),
        lambda m: m.call_ended("a"),
        lambda m: m.numbers("call_duration"),
        lambda m: m.spreads("calls"),
    ],
)
def test_a_mistake_is_refused_and_leaves_nothing(wrong: Callable[[Metrics], None]) -> None:
    metrics = Metrics(clock=TurnedClock())
    before = metrics.text()
    with pytest.raises(InternalError):
        wrong(metrics)
    assert metrics.text() == before


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
    assert sum(metrics.numbers("tokens_used").values()) == 8 * 500 * 3
    assert metrics.spreads("call_duration")["openai", "small", "done"].count == 8 * 500
    assert metrics.numbers("concurrency") == {("a",): 0}


def test_what_is_read_does_not_change_afterwards() -> None:
    metrics = Metrics()
    metrics.observe("first_token", 1, **MODEL)
    numbers, spreads = metrics.numbers("calls_lost"), metrics.spreads("first_token")
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
    assert metrics.numbers("concurrency") == {("a",): 0}
    assert metrics.numbers("concurrency_max") == {("a",): 2}
    assert metrics.numbers("concurrency_average") == {("a",): (6 * 1 + 3 * 2) / 12}


def test_a_provider_that_comes_late_counts_from_the_beginning() -> None:
    clock = TurnedClock()
    metrics = Metrics(clock=clock)
    clock.turn(seconds=30)
    metrics.call_started("late")
    clock.turn(seconds=10)
    assert metrics.numbers("concurrency_average") == {("late",): 0.25}
    assert metrics.snapshot()["avg_concurrency"] == 0.25


def test_the_most_at_once_is_not_the_sum_of_each_providers_most() -> None:
    metrics = Metrics(clock=TurnedClock())
    for provider in ("a", "b"):
        metrics.call_started(provider)
        metrics.call_started(provider)
        metrics.call_ended(provider)
    assert metrics.numbers("concurrency_max") == {("a",): 2, ("b",): 2}
    assert metrics.numbers("concurrency_max_overall") == {(): 3}
    assert metrics.snapshot()["max_concurrent_observed"] == 3


def test_a_clock_that_is_set_back_stands_still() -> None:
    clock = TurnedClock()
    metrics = Metrics(clock=clock)
    metrics.call_started("a")
    clock.turn(seconds=10)
    metrics.call_started("a")
    clock.turn(seconds=-8)
    metrics.call_ended("a")
    assert metrics.numbers("concurrency_average") == {("a",): 1.0}
    clock.turn(seconds=18)
    assert metrics.numbers("concurrency_average") == {("a",): 1.0}


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
    assert metrics.numbers("results") == {}
    assert metrics.numbers("calls_lost") == {(): 0}
    assert metrics.spreads("call_duration") == {}
    assert metrics.numbers("concurrency") == {("x",): 1}
    assert metrics.numbers("concurrency_max_overall") == {(): 1}
    assert metrics.numbers("concurrency_average") == {("x",): 1.0}
    metrics.call_ended("x")
    clock.turn(seconds=10)
    assert metrics.numbers("concurrency_average") == {("x",): 0.0}


# A call that ended


def asked(prompt_tokens: int = 1000) -> Ask:
    return Ask(
        provider="openai",
        model="small",
        lane=Lane.CLOUD,
        limits=UNLIMITED,
        prompt_tokens=prompt_tokens,
        output_tokens=300,
        scope=CallScope(stage="grounding"),
    )


def test_a_call_that_was_answered_is_counted_in_full() -> None:
    metrics = Metrics()
    done = Settlement(state=CallState.DONE, basis=Basis.REPORTED, usage=Usage(850, 290))
    metrics.settled(asked(), done, seconds=2.5, first_token_s=0.4, micros=77)
    place = ("openai", "small")
    assert metrics.numbers("calls") == {(*place, "grounding", "done"): 1}
    assert metrics.numbers("tokens_used") == {
        (*place, "grounding", "prompt", "reported"): 850,
        (*place, "grounding", "completion", "reported"): 290,
    }
    assert metrics.numbers("cost_micros") == {(*place, "grounding"): 77}
    assert metrics.numbers("call_errors") == {}
    assert metrics.spreads("call_duration")[*place, "done"].sum == 2.5
    assert metrics.spreads("first_token")[place].sum == 0.4
    assert metrics.spreads("estimate_ratio")[place].sum == 0.85


def test_a_call_that_failed_used_nothing() -> None:
    metrics = Metrics()
    busy = Settlement(state=CallState.FAILED, basis=Basis.NOTHING, error=ProviderBusy("Later."))
    metrics.settled(asked(), busy, seconds=0.1)
    assert metrics.numbers("calls") == {("openai", "small", "grounding", "failed"): 1}
    assert metrics.numbers("call_errors") == {("openai", "small", "provider_busy"): 1}
    assert metrics.numbers("tokens_used") == {}
    assert metrics.spreads("estimate_ratio") == {}


def test_an_estimate_is_not_compared_with_itself() -> None:
    metrics = Metrics()
    cut = Settlement(state=CallState.CUT, basis=Basis.ESTIMATED, usage=Usage(1000, 10))
    metrics.settled(asked(), cut, seconds=1)
    assert metrics.spreads("estimate_ratio") == {}
    assert sum(metrics.numbers("tokens_used").values()) == 1010


def test_a_call_that_was_never_sent_took_no_time() -> None:
    metrics = Metrics()
    unsent = Settlement(state=CallState.UNSENT, basis=Basis.NOTHING)
    metrics.settled(asked(), unsent, seconds=3)
    assert metrics.spreads("call_duration") == {}


def test_a_call_is_counted_though_the_clock_was_set_back_or_nothing_was_estimated() -> None:
    metrics = Metrics()
    done = Settlement(state=CallState.DONE, basis=Basis.REPORTED, usage=Usage(5, 5))
    metrics.settled(asked(prompt_tokens=0), done, seconds=-3, first_token_s=-4)
    assert metrics.spreads("call_duration")["openai", "small", "done"].sum == 0
    assert metrics.spreads("first_token")["openai", "small"].sum == 0


# What a supervised request tells


def test_what_the_supervisor_tells_is_counted() -> None:
    metrics = Metrics()
    tell = metrics.observer()
    tell("stage_timeout", {"stage": "grounding", "escalation": "fallback_cache"})
    tell("timeout_recovery", {"stage": "grounding", "how": "fallback"})
    tell("request_aborted", {})
    tell("request_cancelled", {"mode": "drain", "stage": None})
    tell("result", {"completeness": Completeness.PARTIAL_EARLY_EXIT})
    tell("tokens_allocated", {"tokens": 4096})
    tell("budget_exceeded", {"stage": "grounding", "request_id": "r1"})
    assert metrics.numbers("stage_timeouts") == {("grounding", "fallback_cache"): 1}
    assert metrics.numbers("timeout_recoveries") == {("grounding", "fallback"): 1}
    assert metrics.numbers("requests_aborted") == {(): 1}
    assert metrics.numbers("requests_cancelled") == {("drain", ""): 1}
    assert metrics.numbers("results") == {("partial_early_exit",): 1}
    assert metrics.numbers("tokens_allocated") == {(): 4096}
    assert metrics.numbers("budget_exceeded") == {("grounding",): 1}


@pytest.mark.parametrize(
    ("name", "fields"),
    [("stage_timeuot", {}), ("stage_timeout", {"stage": "a"}), ("tokens_allocated", {})],
)
def test_what_the_supervisor_misspells_is_refused(name: str, fields: dict[str, object]) -> None:
    with pytest.raises(InternalError):
        Metrics().observer()(name, fields)


def test_nothing_is_told_that_has_no_metric() -> None:
    """Every name in the package that is passed to something called `observe` leads somewhere."""
    tell, told = Metrics().observer(), set[str]()
    for path in PACKAGE.rglob("*.py"):
        told |= set(re.findall(r"observe\(\s*\"(\w+)\"", path.read_text(encoding="utf-8")))
    fields = {"stage": "a", "escalation": "b", "how": "c", "mode": "d", "completeness": "e"}
    assert told
    for name in told - set(BY_KEY):
        tell(name, {**fields, "tokens": 1})


# The figures of the specification


def test_the_snapshot_has_every_figure() -> None:
    clock = TurnedClock()
    metrics = Metrics(clock=clock)
    tell = metrics.observer()
    for stage, escalation in (("a", "skip_stage"), ("a", "abort_pipeline"), ("b", "skip_stage")):
        tell("stage_timeout", {"stage": stage, "escalation": escalation})
    tell("timeout_recovery", {"stage": "a", "how": "fallback"})
    tell("request_aborted", {})
    tell("tokens_allocated", {"tokens": 4096})
    tell("budget_exceeded", {"stage": "a"})
    for completeness in Completeness:
        tell("result", {"completeness": completeness.value})
    metrics.count("tokens_used", 850, **USED)
    metrics.count("tokens_used", 290, **{**USED, "kind": "completion"})
    for provider in ("p", "q"):
        metrics.count("rate_limit_waits", provider=provider, reason="RATE_LIMITED")
        metrics.count("denials", 2, provider=provider, reason="CIRCUIT_OPEN")
        metrics.count("circuit_trips", provider=provider, reason="latched")
        metrics.gauge("queue_depth", 4, provider=provider)
        metrics.call_started(provider)
    clock.turn(seconds=1)
    assert metrics.snapshot() == Snapshot(
        stage_timeouts={"a": 2, "b": 1},
        timeout_recoveries=1,
        aborted_requests=1,
        tokens_allocated=4096,
        tokens_used=1140,
        token_budget_exceeded=1,
        rate_limit_waits=2,
        rate_limit_denials=4,
        circuit_breaker_trips=2,
        max_concurrent_observed=2,
        avg_concurrency=2.0,
        queue_depth=8,
        complete_results=1,
        partial_results=3,
        empty_results=1,
    )


def test_an_unused_snapshot_is_all_zeros() -> None:
    snapshot = Metrics().snapshot()
    assert snapshot.pop("stage_timeouts") == {}  # type: ignore[misc]
    assert len(snapshot) == 14
    assert not any(snapshot.values())


# Prometheus


def test_prometheus_reads_every_metric_with_its_kind_and_help() -> None:
    metrics = Metrics()
    one_of_each(metrics)
    families = list(text_string_to_metric_families(metrics.text()))
    # The parser takes a counter's suffix off.
    assert [(family.name, family.type, family.documentation) for family in families] == [
        (metric.prometheus.removesuffix("_total"), metric.kind.value, metric.help)
        for metric in METRICS
    ]
    assert all(family.samples for family in families)


def test_what_has_no_labels_is_there_from_the_start() -> None:
    metrics = Metrics()
    assert sample(metrics, "assay_llm_calls_lost_total") == 0
    assert "assay_llm_calls_lost_total 0\n" in metrics.text()
    assert metrics.text().endswith("\n")


def test_a_bucket_holds_all_up_to_its_bound() -> None:
    metrics = Metrics()
    for seconds in (0.0, 0.01, 0.011, 81.92, 82.0):
        metrics.observe("first_token", seconds, **MODEL)
    name = "assay_llm_call_time_to_first_token_seconds"
    below = {
        bound: sample(metrics, f"{name}_bucket", le=bound, **MODEL)
        for bound in ("0.01", "0.02", "40.96", "81.92", "+Inf")
    }
    assert below == {"0.01": 2, "0.02": 3, "40.96": 3, "81.92": 4, "+Inf": 5}
    assert sample(metrics, f"{name}_count", **MODEL) == 5
    assert sample(metrics, f"{name}_sum", **MODEL) == pytest.approx(163.941)


@pytest.mark.parametrize(
    "value", ['say "hi"', "back\\slash", "two\nlines", "\\n", "é → 漢", "a,b=}"]
)
def test_any_label_value_is_read_back(value: str) -> None:
    metrics = Metrics()
    metrics.count("results", 7, completeness=value)
    assert sample(metrics, "assay_llm_results_total", completeness=value) == 7


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=8))
def test_no_label_value_breaks_the_page(value: str) -> None:
    line = exposition.sample("m", [("a", value), ("b", "end")], 1)
    assert "\n" not in line
    quoted = re.fullmatch(r'm\{a="((?:[^"\\]|\\[\\"n])*)",b="end"\} 1', line, re.DOTALL)
    assert quoted
    plain = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
    assert re.sub(r"\\.", lambda found: plain[found.group()], quoted[1]) == value


def test_help_stays_on_its_line() -> None:
    assert [*exposition.heading("m", "gauge", 'a\\b\n"c"')] == [
        '# HELP m a\\\\b\\n"c"',
        "# TYPE m gauge",
    ]


@pytest.mark.parametrize(
    ("number", "text"), [(3, "3"), (3.0, "3"), (0.1, "0.1"), (1e-9, "1e-09"), (2**60, str(2**60))]
)
def test_numbers_are_exact(number: float, text: str) -> None:
    assert exposition.sample("m", [], number) == f"m {text}"


# OpenTelemetry


@pytest.fixture
def reader() -> Iterator[InMemoryMetricReader]:
    yield InMemoryMetricReader()


@pytest.fixture
def metrics(reader: InMemoryMetricReader) -> Iterator[Metrics]:
    """Bound to an SDK that keeps all in memory."""
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    metrics = Metrics(clock=TurnedClock())
    bind(metrics, provider.get_meter("assay"))
    yield metrics
    provider.shutdown()


def exported(reader: InMemoryMetricReader) -> dict[str, Any]:
    data = reader.get_metrics_data()
    assert data is not None
    (resource,) = data.resource_metrics
    (scope,) = resource.scope_metrics
    return {metric.name: metric for metric in scope.metrics}


def points(reader: InMemoryMetricReader, name: str) -> dict[frozenset[Any], Any]:
    found = exported(reader)[name].data.data_points
    return {frozenset(point.attributes.items()): point for point in found}


def test_the_sdk_exports_every_metric(metrics: Metrics, reader: InMemoryMetricReader) -> None:
    one_of_each(metrics)
    found = exported(reader)
    for metric in METRICS:
        one = found[metric.otel]
        assert (one.unit, one.description) == (metric.unit, metric.help)
        (point,) = one.data.data_points
        assert set(point.attributes) == set(metric.labels)
        if metric.kind is Kind.HISTOGRAM:
            assert (point.count, point.sum) == (1, 2)
            assert tuple(point.explicit_bounds) == metric.buckets
        else:
            assert point.value == (1 if metric.key.startswith("concurrency") else 2)
            assert getattr(one.data, "is_monotonic", False) == (metric.kind is Kind.COUNTER)


def test_both_tell_the_same_of_a_histogram(metrics: Metrics, reader: InMemoryMetricReader) -> None:
    for seconds in (0.01, 0.5, 81.92, 100):
        metrics.observe("call_duration", seconds, ending="done", **MODEL)
    (point,) = points(reader, "assay.llm.call.duration").values()
    spread = metrics.spreads("call_duration")["openai", "small", "done"]
    assert list(point.bucket_counts) == spread.counts


def test_what_was_counted_before_is_exported_too(reader: InMemoryMetricReader) -> None:
    metrics = Metrics()
    metrics.count("calls_lost", 3)
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    bind(metrics, provider.get_meter("assay"))
    (point,) = points(reader, "assay.llm.calls_lost").values()
    assert point.value == 3
    provider.shutdown()


def test_the_conventions_are_told_in_their_own_words(
    metrics: Metrics, reader: InMemoryMetricReader
) -> None:
    done = Settlement(state=CallState.DONE, basis=Basis.REPORTED, usage=Usage(850, 290))
    metrics.settled(asked(), done, seconds=2.5, first_token_s=0.4)
    common = {
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.provider.name", "openai"),
        ("gen_ai.request.model", "small"),
    }
    usage = points(reader, "gen_ai.client.token.usage")
    assert {attributes: point.sum for attributes, point in usage.items()} == {
        frozenset({*common, ("gen_ai.token.type", "input")}): 850,
        frozenset({*common, ("gen_ai.token.type", "output")}): 290,
    }
    (bounds,) = {tuple(point.explicit_bounds) for point in usage.values()}
    assert bounds == (
        1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864,
    )  # fmt: skip
    for name, seconds in (("duration", 2.5), ("time_to_first_chunk", 0.4)):
        found = points(reader, f"gen_ai.client.operation.{name}")
        assert {attributes: point.sum for attributes, point in found.items()} == {
            frozenset(common): seconds
        }
        assert exported(reader)[f"gen_ai.client.operation.{name}"].unit == "s"


def test_the_conventions_hear_only_of_tokens_that_were_reported(
    metrics: Metrics, reader: InMemoryMetricReader
) -> None:
    cut = Settlement(state=CallState.CUT, basis=Basis.ESTIMATED, usage=Usage(1000, 10))
    metrics.settled(asked(), cut, seconds=1)
    assert "gen_ai.client.token.usage" not in exported(reader)
    (attributes,) = points(reader, "gen_ai.client.operation.duration")
    assert dict(attributes)["error.type"] == "cut"


def test_the_conventions_have_their_own_name_for_gemini(
    metrics: Metrics, reader: InMemoryMetricReader
) -> None:
    metrics.observe("first_token", 1, provider="google", model="flash")
    (attributes,) = points(reader, "gen_ai.client.operation.time_to_first_chunk")
    assert dict(attributes) == {
        "gen_ai.operation.name": "generate_content",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "flash",
    }


def test_only_one_module_needs_opentelemetry() -> None:
    """Without the extra, everything but `telemetry` works."""
    root = PACKAGE.parent
    importing = re.compile(r"^\s*(?:from|import) (?:opentelemetry|assay\.llm\.telemetry)\b", re.M)
    also = re.compile(r"^\s*from assay\.llm import .*\btelemetry\b", re.M)
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if importing.search(text := path.read_text(encoding="utf-8")) or also.search(text)
    }
    assert found == {"llm/metering/telemetry.py"}
