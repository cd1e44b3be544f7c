"""Metrics as Prometheus reads them."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from assay.llm.metering import exposition
from assay.llm.metering.metrics import METRICS, Metrics
from tests.llm.metering.counted import MODEL, one_of_each


def parsed(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Every sample of an exposition, as Prometheus' own parser reads it."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def sample(metrics: Metrics, name: str, **labels: str) -> float:
    return parsed(metrics.render_text())[name, frozenset(labels.items())]


def test_prometheus_reads_every_metric_with_its_kind_and_help() -> None:
    metrics = Metrics()
    one_of_each(metrics)
    families = list(text_string_to_metric_families(metrics.render_text()))
    # The parser takes a counter's suffix off.
    assert [(family.name, family.type, family.documentation) for family in families] == [
        (metric.prometheus_name.removesuffix("_total"), metric.kind.value, metric.help)
        for metric in METRICS
    ]
    assert all(family.samples for family in families)


def test_what_has_no_labels_is_there_from_the_start() -> None:
    metrics = Metrics()
    assert sample(metrics, "assay_llm_calls_lost_total") == 0
    assert "assay_llm_calls_lost_total 0\n" in metrics.render_text()
    assert metrics.render_text().endswith("\n")


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
    line = exposition.format_sample("m", [("a", value), ("b", "end")], 1)
    assert "\n" not in line
    quoted = re.fullmatch(r'm\{a="((?:[^"\\]|\\[\\"n])*)",b="end"\} 1', line, re.DOTALL)
    assert quoted
    plain = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
    assert re.sub(r"\\.", lambda found: plain[found.group()], quoted[1]) == value


def test_help_stays_on_its_line() -> None:
    assert [*exposition.format_heading("m", "gauge", 'a\\b\n"c"')] == [
        '# HELP m a\\\\b\\n"c"',
        "# TYPE m gauge",
    ]


@pytest.mark.parametrize(
    ("number", "text"), [(3, "3"), (3.0, "3"), (0.1, "0.1"), (1e-9, "1e-09"), (2**60, str(2**60))]
)
def test_numbers_are_exact(number: float, text: str) -> None:
    assert exposition.format_sample("m", [], number) == f"m {text}"
