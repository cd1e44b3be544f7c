"""Metrics with something in them, and the call that they count."""

from assay.llm.limits import UNLIMITED
from assay.llm.messages import Lane
from assay.llm.metering.metrics import METRICS, MetricKind, Metrics
from assay.llm.scope import CallRequest, CallScope

MODEL = {"provider": "openai", "model": "small"}
USED = {**MODEL, "step": "grounding", "kind": "prompt", "basis": "reported"}


def one_of_each(metrics: Metrics) -> None:
    """Every metric of the table has one series."""
    for metric in METRICS:
        labels = dict.fromkeys(metric.labels, "x")
        if metric.kind is MetricKind.COUNTER:
            metrics.count(metric.key, 2, **labels)
        elif metric.kind is MetricKind.HISTOGRAM:
            metrics.observe(metric.key, 2, **labels)
        elif not metric.key.startswith("concurrency"):
            metrics.set_gauge(metric.key, 2, **labels)
    metrics.call_started("x")


def asked(prompt_tokens: int = 1000) -> CallRequest:
    return CallRequest(
        provider="openai",
        model="small",
        lane=Lane.CLOUD,
        limits=UNLIMITED,
        prompt_tokens=prompt_tokens,
        output_tokens=300,
        scope=CallScope(step="grounding"),
    )
