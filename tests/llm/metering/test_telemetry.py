"""Metrics as OpenTelemetry exports them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

import assay.llm
from assay.clock import TurnedClock
from assay.llm.messages import Usage
from assay.llm.metering.metrics import METRICS, MetricKind, Metrics
from assay.llm.metering.telemetry import bind_metrics
from assay.llm.scope import CallSettlement, CallState, UsageBasis
from tests.llm.metering.counted import MODEL, asked, one_of_each

PACKAGE = Path(assay.llm.__file__).parent


@pytest.fixture
def reader() -> Iterator[InMemoryMetricReader]:
    yield InMemoryMetricReader()


@pytest.fixture
def metrics(reader: InMemoryMetricReader) -> Iterator[Metrics]:
    """Bound to an SDK that keeps all in memory."""
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    metrics = Metrics(clock=TurnedClock())
    bind_metrics(metrics, provider.get_meter("assay"))
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
        if metric.kind is MetricKind.HISTOGRAM:
            assert (point.count, point.sum) == (1, 2)
            assert tuple(point.explicit_bounds) == metric.buckets
        else:
            assert point.value == (1 if metric.key.startswith("concurrency") else 2)
            assert getattr(one.data, "is_monotonic", False) == (metric.kind is MetricKind.COUNTER)


def test_both_tell_the_same_of_a_histogram(metrics: Metrics, reader: InMemoryMetricReader) -> None:
    for seconds in (0.01, 0.5, 81.92, 100):
        metrics.observe("call_duration", seconds, ending="done", **MODEL)
    (point,) = points(reader, "assay.llm.call.duration").values()
    spread = metrics.read_spreads("call_duration")["openai", "small", "done"]
    assert list(point.bucket_counts) == spread.counts


def test_what_was_counted_before_is_exported_too(reader: InMemoryMetricReader) -> None:
    metrics = Metrics()
    metrics.count("calls_lost", 3)
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    bind_metrics(metrics, provider.get_meter("assay"))
    (point,) = points(reader, "assay.llm.calls_lost").values()
    assert point.value == 3
    provider.shutdown()


def test_the_conventions_are_told_in_their_own_words(
    metrics: Metrics, reader: InMemoryMetricReader
) -> None:
    done = CallSettlement(state=CallState.DONE, basis=UsageBasis.REPORTED, usage=Usage(850, 290))
    metrics.count_settlement(asked(), done, seconds=2.5, first_token_s=0.4)
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
    cut = CallSettlement(state=CallState.CUT, basis=UsageBasis.ESTIMATED, usage=Usage(1000, 10))
    metrics.count_settlement(asked(), cut, seconds=1)
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
