"""The metrics of model calls for OpenTelemetry.

Nothing else in Assay imports this module:

    from opentelemetry import metrics as otel
    bind_metrics(plane_metrics, otel.get_meter("assay"))

Besides Assay's own metrics, it exports those of OpenTelemetry's GenAI conventions, which are still
in development: `gen_ai.client.token.usage`, `gen_ai.client.operation.duration` and
`gen_ai.client.operation.time_to_first_chunk`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from opentelemetry.metrics import CallbackOptions, Histogram, Meter, Observation

from assay.llm.metering.metrics import METRICS, CallMetric, MetricKind, Metrics
from assay.llm.scope import CallState, UsageBasis

_TOKENS = tuple(float(4**power) for power in range(14))
"""The bounds that the conventions require: 1 to 67108864."""
_TOKEN_TYPES = {"prompt": "input", "completion": "output"}
_KNOWN = {
    "google": ("gcp.gemini", "generate_content"),
    "gemini": ("gcp.gemini", "generate_content"),
}
"""Providers and operations for which the conventions have their own names."""


def bind_metrics(metrics: Metrics, meter: Meter) -> None:
    """Export all metrics through whatever the meter's SDK is configured with. Call it once, early:
    histograms contain only what is observed from now on, counters and gauges everything."""
    recorders: dict[str, Histogram] = {}
    conventions: dict[str, Histogram] = {}
    for metric in METRICS:
        if metric.kind is MetricKind.HISTOGRAM:
            recorders[metric.key] = _create_histogram(meter, metric.otel, metric, metric.buckets)
        else:
            _create_observable(meter, metric, metrics)
        if metric.gen_ai:
            buckets = metric.buckets or _TOKENS
            conventions[metric.key] = _create_histogram(meter, metric.gen_ai, metric, buckets)

    def record(metric: CallMetric, value: float, labels: Mapping[str, str]) -> None:
        if metric.key in recorders:
            recorders[metric.key].record(value, labels)
        # The conventions only allow usage that the provider reported.
        if metric.key in conventions and labels.get("basis") in (None, UsageBasis.REPORTED):
            conventions[metric.key].record(value, _build_attributes(labels))

    metrics.listen(record)


def _create_histogram(
    meter: Meter, name: str, metric: CallMetric, buckets: Iterable[float]
) -> Histogram:
    return meter.create_histogram(
        name,
        unit=metric.unit,
        description=metric.help,
        explicit_bucket_boundaries_advisory=list(buckets),
    )


def _create_observable(meter: Meter, metric: CallMetric, metrics: Metrics) -> None:
    create: Callable[..., object] = (
        meter.create_observable_counter
        if metric.kind is MetricKind.COUNTER
        else meter.create_observable_gauge
    )

    def read(_: CallbackOptions) -> Iterator[Observation]:
        for values, number in metrics.read_numbers(metric.key).items():
            yield Observation(number, dict(metric.label_values(values)))

    create(metric.otel, [read], unit=metric.unit, description=metric.help)


def _build_attributes(labels: Mapping[str, str]) -> dict[str, str]:
    """The labels in the terms of the conventions."""
    provider, operation = _KNOWN.get(labels["provider"], (labels["provider"], "chat"))
    attributes = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": labels["model"],
    }
    if "kind" in labels:
        attributes["gen_ai.token.type"] = _TOKEN_TYPES[labels["kind"]]
    if labels.get("ending", CallState.DONE) != CallState.DONE:
        attributes["error.type"] = labels["ending"]
    return attributes
