"""The metrics of model calls: one table that declares them, and the values in this process."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf
from threading import Lock
from typing import TypedDict

from assay.clock import Clock, SystemClock
from assay.errors import InternalError
from assay.llm.metering import exposition
from assay.llm.metering.concurrency import Concurrency
from assay.llm.scope import CallRequest, CallSettlement, CallState, UsageBasis

_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
"""The bounds that the GenAI conventions require, from a hundredth of a second to over a minute."""
_WAITS = (0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
_RATIOS = (0.25, 0.5, 0.75, 0.9, 0.95, 1.0, 1.05, 1.1, 1.25, 1.5, 2.0, 4.0)
_SUFFIXES = {"s": "_seconds"}
"""The suffix of Prometheus names by unit; a unit in braces is an annotation and has none."""

Values = tuple[str, ...]
"""The values of a metric's labels, in order; they identify one series."""


class MetricKind(StrEnum):
    """How a metric's numbers are formed."""

    COUNTER = "counter"
    """A sum that only grows."""
    GAUGE = "gauge"
    """The current value."""
    HISTOGRAM = "histogram"
    """How values are distributed."""


@dataclass(frozen=True)
class CallMetric:
    """One thing that is counted or measured."""

    key: str
    """Its name in this program."""
    name: str
    """Its name in OpenTelemetry, after "assay.llm."."""
    kind: MetricKind
    unit: str
    """In UCUM notation."""
    labels: tuple[str, ...]
    help: str
    buckets: tuple[float, ...] = ()
    """Upper bounds of a histogram's buckets, each belonging to its bucket."""
    gen_ai: str = ""
    """The metric of OpenTelemetry's GenAI conventions that is exported from the same values."""

    @property
    def otel(self) -> str:
        """Its name in OpenTelemetry."""
        return f"assay.llm.{self.name}"

    @property
    def prometheus_name(self) -> str:
        """Its name in Prometheus, as an exporter would derive it from the OpenTelemetry name."""
        name = self.otel.replace(".", "_") + _SUFFIXES.get(self.unit, "")
        return f"{name}_total" if self.kind is MetricKind.COUNTER else name

    def label_values(self, values: Values) -> list[tuple[str, str]]:
        """The labels with the values of a series."""
        return [*zip(self.labels, values, strict=True)]


_C, _G, _H = MetricKind.COUNTER, MetricKind.GAUGE, MetricKind.HISTOGRAM
_MODEL = ("provider", "model")

# fmt: off
METRICS: tuple[CallMetric, ...] = (
    CallMetric("step_timeouts", "step.timeouts", _C, "{timeout}", ("step", "escalation"),
        "Steps that hit their hard timeout, by what followed."),
    CallMetric("timeout_recoveries", "step.timeout_recoveries", _C, "{timeout}", ("step", "how"),
        "Timeouts after which the request continued with less, by how."),
    CallMetric("requests_aborted", "requests.aborted", _C, "{request}", (),
        "Requests that were stopped without a result."),
    CallMetric("requests_cancelled", "requests.cancelled", _C, "{request}", ("mode", "step"),
        "Requests that were cancelled, by mode and current step."),
    CallMetric("results", "results", _C, "{request}", ("completeness",),
        "Requests that ended, by how complete their result was."),
    CallMetric("tokens_allocated", "tokens.allocated", _C, "{token}", (),
        "Tokens allocated to requests as their budgets."),
    CallMetric("tokens_used", "tokens.used", _C, "{token}", (*_MODEL, "step", "kind", "basis"),
        "Tokens charged to calls: prompt or completion, reported, estimated or reserved.",
        gen_ai="gen_ai.client.token.usage"),
    CallMetric("budget_exceeded", "budget.exceeded", _C, "{call}", ("step",),
        "Calls for which the request had too few tokens left."),
    CallMetric("cost_micros", "cost_micros", _C, "{micro}", (*_MODEL, "step"),
        "Money charged to calls, in millionths of the currency of the prices."),
    CallMetric("rate_limit_waits", "rate_limit.waits", _C, "{wait}", ("provider", "reason"),
        "Calls that had to wait for a permit, counted when the wait begins."),
    CallMetric("rate_limit_wait", "rate_limit.wait_duration", _H, "s", ("provider", "reason"),
        "How long calls waited for a permit, recorded when the wait ends.", buckets=_WAITS),
    CallMetric("denials", "denials", _C, "{call}", ("provider", "reason"),
        "Calls that were denied, by reason."),
    CallMetric("circuit_trips", "circuit.trips", _C, "{trip}", ("provider", "reason"),
        "Circuits that opened: timed, which close automatically, or latched, which do not."),
    CallMetric("circuit_open", "circuit.open", _G, "{circuit}", ("provider",),
        "1 while a provider's circuit lets no call through, otherwise 0."),
    CallMetric("concurrency", "concurrency", _G, "{call}", ("provider",),
        "Calls in progress in this process."),
    CallMetric("concurrency_max", "concurrency_max", _G, "{call}", ("provider",),
        "The most calls in progress at once."),
    CallMetric("concurrency_max_overall", "concurrency_max_overall", _G, "{call}", (),
        "The most calls in progress at once, over all providers."),
    CallMetric("concurrency_average", "concurrency_average", _G, "{call}", ("provider",),
        "The average number of calls in progress since the process began counting."),
    CallMetric("queue_depth", "queue_depth", _G, "{call}", ("provider",),
        "Calls of this process that are waiting for a permit."),
    CallMetric("calls", "calls", _C, "{call}", (*_MODEL, "step", "ending"),
        "Calls that ended, by how."),
    CallMetric("call_errors", "call.errors", _C, "{call}", (*_MODEL, "error"),
        "Calls that ended with an error, by its code."),
    CallMetric("call_duration", "call.duration", _H, "s", (*_MODEL, "ending"),
        "Time from sending a call to the end of its answer.",
        buckets=_SECONDS, gen_ai="gen_ai.client.operation.duration"),
    CallMetric("first_token", "call.time_to_first_token", _H, "s", _MODEL,
        "Time from sending a call to the first text of its answer.",
        buckets=_SECONDS, gen_ai="gen_ai.client.operation.time_to_first_chunk"),
    CallMetric("estimate_ratio", "estimate_ratio", _H, "1", _MODEL,
        "Prompt tokens reported by the provider for each token estimated.", buckets=_RATIOS),
    CallMetric("cache_hits", "cache.hits", _C, "{call}", (*_MODEL, "step"),
        "Questions answered from the cache, without a call."),
    CallMetric("calls_lost", "calls_lost", _C, "{call}", (),
        "Calls whose worker died before it reported their usage."),
)
# fmt: on
"""All metrics; nothing else can be counted."""

BY_KEY: Mapping[str, CallMetric] = {metric.key: metric for metric in METRICS}

_TRACKED = frozenset(key for key in BY_KEY if key.startswith("concurrency"))
"""Set only by `call_started` and `call_ended`."""

_REQUEST_METRICS = {
    "step_timeout": "step_timeouts",
    "timeout_recovery": "timeout_recoveries",
    "request_aborted": "requests_aborted",
    "request_cancelled": "requests_cancelled",
    "result": "results",
    "tokens_allocated": "tokens_allocated",
    "budget_exceeded": "budget_exceeded",
}
"""What a supervised request reports, and the metric that counts it."""

Listener = Callable[[CallMetric, float, Mapping[str, str]], None]
"""Called with every count and every value of a histogram, with its labels."""
Observer = Callable[[str, Mapping[str, object]], None]


class MetricsSnapshot(TypedDict):
    """The state of the control plane in this process, as one plain dict."""

    step_timeouts: dict[str, int]
    timeout_recoveries: int
    aborted_requests: int
    tokens_allocated: int
    tokens_used: int
    token_budget_exceeded: int
    rate_limit_waits: int
    rate_limit_denials: int
    circuit_breaker_trips: int
    max_concurrent_observed: int
    avg_concurrency: float
    queue_depth: int
    complete_results: int
    partial_results: int
    empty_results: int


@dataclass
class HistogramSpread:
    """How the values of one series of a histogram are distributed."""

    counts: list[int]
    """Per bucket, not cumulative; the last is for values above all bounds."""
    sum: float = 0.0

    @property
    def count(self) -> int:
        return sum(self.counts)


class Metrics:
    """The numbers of this process; any thread may count."""

    def __init__(self, *, clock: Clock | None = None) -> None:
        self._lock = Lock()
        self._listeners: tuple[Listener, ...] = ()
        self._concurrency = Concurrency(clock or SystemClock())
        self._numbers = _build_empty_numbers()
        self._spreads = _build_empty_spreads()

    def count(self, key: str, amount: float = 1, /, **labels: str) -> None:
        """Add to a counter."""
        metric, values = _check_labels(key, MetricKind.COUNTER, amount, labels)
        with self._lock:
            numbers = self._numbers[key]
            numbers[values] = numbers.get(values, 0) + amount
        for listener in self._listeners:
            listener(metric, amount, labels)

    def set_gauge(self, key: str, value: float, /, **labels: str) -> None:
        """Set the current value."""
        if key in _TRACKED:
            raise InternalError(f"'{key}' is set only by call_started and call_ended.")
        _, values = _check_labels(key, MetricKind.GAUGE, value, labels)
        with self._lock:
            self._numbers[key][values] = value

    def observe(self, key: str, value: float, /, **labels: str) -> None:
        """Add a value to a histogram."""
        metric, values = _check_labels(key, MetricKind.HISTOGRAM, value, labels)
        bucket = bisect_left(metric.buckets, value)
        with self._lock:
            spreads = self._spreads[key]
            spread = spreads.get(values)
            if spread is None:
                spread = spreads[values] = HistogramSpread([0] * (len(metric.buckets) + 1))
            spread.counts[bucket] += 1
            spread.sum += value
        for listener in self._listeners:
            listener(metric, value, labels)

    def call_started(self, provider: str) -> None:
        """Count a call in progress; `call_ended` must follow, however it ends."""
        with self._lock:
            self._concurrency.start(provider)

    def call_ended(self, provider: str) -> None:
        """Count a call as no longer in progress."""
        with self._lock:
            self._concurrency.end(provider)

    def count_settlement(
        self, ask: CallRequest, settlement: CallSettlement, *, seconds: float | None = None,
        first_token_s: float | None = None, micros: int | None = None,
    ) -> None:  # fmt: skip
        """Count a call that ended: its ending, tokens, time and money."""
        model = {"provider": ask.provider, "model": ask.model}
        ending, usage, step = settlement.state.value, settlement.usage, ask.scope.step
        self.count("calls", step=step, ending=ending, **model)
        if settlement.error is not None:
            self.count("call_errors", error=settlement.error.code, **model)
        if settlement.basis is not UsageBasis.NOTHING:
            parts = (("prompt", usage.prompt_tokens), ("completion", usage.completion_tokens))
            basis = settlement.basis.value
            for kind, tokens in parts:
                self.count("tokens_used", tokens, step=step, kind=kind, basis=basis, **model)
        if settlement.basis is UsageBasis.REPORTED and ask.prompt_tokens:
            self.observe("estimate_ratio", usage.prompt_tokens / ask.prompt_tokens, **model)
        if seconds is not None and settlement.state is not CallState.UNSENT:
            # A clock that was set back must not fail the call.
            self.observe("call_duration", max(0.0, seconds), ending=ending, **model)
        if first_token_s is not None:
            self.observe("first_token", max(0.0, first_token_s), **model)
        if micros:
            self.count("cost_micros", micros, step=step, **model)

    def build_observer(self) -> Observer:
        """A callback for the supervisor of requests; anything without a metric raises."""

        def observe(name: str, fields: Mapping[str, object]) -> None:
            if name not in _REQUEST_METRICS:
                raise InternalError(f"There is no metric for '{name}'.")
            metric = BY_KEY[_REQUEST_METRICS[name]]
            required = (*metric.labels, "tokens") if name == "tokens_allocated" else metric.labels
            if missing := [label for label in required if label not in fields]:
                raise InternalError(f"'{name}' came without {', '.join(missing)}.")
            given = {label: fields[label] for label in metric.labels}
            labels = {name: "" if value is None else str(value) for name, value in given.items()}
            amount = int(str(fields["tokens"])) if name == "tokens_allocated" else 1
            self.count(metric.key, amount, **labels)

        return observe

    def listen(self, listener: Listener) -> None:
        """Call the listener with every count and every value from now on."""
        self._listeners = (*self._listeners, listener)

    def read_numbers(self, key: str) -> dict[Values, float]:
        """The current series of a counter or a gauge."""
        with self._lock:
            if key in _TRACKED:
                return self._read_concurrency(key)
            if key not in self._numbers:
                raise InternalError(f"There is no counter or gauge '{key}'.")
            return dict(self._numbers[key])

    def read_spreads(self, key: str) -> dict[Values, HistogramSpread]:
        """The current series of a histogram."""
        with self._lock:
            if key not in self._spreads:
                raise InternalError(f"There is no histogram '{key}'.")
            found = self._spreads[key].items()
            return {values: replace(spread, counts=[*spread.counts]) for values, spread in found}

    def render_text(self) -> str:
        """All metrics in the text format of Prometheus."""
        lines: list[str] = []
        for metric in METRICS:
            name = metric.prometheus_name
            lines += exposition.format_heading(name, metric.kind.value, metric.help)
            if metric.kind is MetricKind.HISTOGRAM:
                for values, spread in sorted(self.read_spreads(metric.key).items()):
                    labels, counts = metric.label_values(values), spread.counts
                    lines += exposition.format_histogram(
                        name, labels, metric.buckets, counts, spread.sum
                    )
            else:
                for values, number in sorted(self.read_numbers(metric.key).items()):
                    lines.append(
                        exposition.format_sample(name, metric.label_values(values), number)
                    )
        return "\n".join(lines) + "\n"

    def take_snapshot(self) -> MetricsSnapshot:
        """The fifteen key figures of the control plane."""
        steps: dict[str, int] = {}
        for (step, _), number in self.read_numbers("step_timeouts").items():
            steps[step] = steps.get(step, 0) + int(number)
        results = {
            values[0]: int(number) for values, number in self.read_numbers("results").items()
        }
        whole, empty = results.get("complete", 0), results.get("empty", 0)
        return MetricsSnapshot(
            step_timeouts=steps,
            timeout_recoveries=self._sum_numbers("timeout_recoveries"),
            aborted_requests=self._sum_numbers("requests_aborted"),
            tokens_allocated=self._sum_numbers("tokens_allocated"),
            tokens_used=self._sum_numbers("tokens_used"),
            token_budget_exceeded=self._sum_numbers("budget_exceeded"),
            rate_limit_waits=self._sum_numbers("rate_limit_waits"),
            rate_limit_denials=self._sum_numbers("denials"),
            circuit_breaker_trips=self._sum_numbers("circuit_trips"),
            max_concurrent_observed=self._sum_numbers("concurrency_max_overall"),
            avg_concurrency=sum(self.read_numbers("concurrency_average").values()),
            queue_depth=self._sum_numbers("queue_depth"),
            complete_results=whole,
            partial_results=sum(results.values()) - whole - empty,
            empty_results=empty,
        )

    def reset(self) -> None:
        """Start again from zero; calls in progress still count."""
        with self._lock:
            self._concurrency.reset()
            self._numbers = _build_empty_numbers()
            self._spreads = _build_empty_spreads()

    def _sum_numbers(self, key: str) -> int:
        return int(sum(self.read_numbers(key).values()))

    def _read_concurrency(self, key: str) -> dict[Values, float]:
        if key == "concurrency_max_overall":
            return {(): self._concurrency.highest_overall()}
        read: dict[str, Callable[[], Mapping[str, float]]] = {
            "concurrency": self._concurrency.now,
            "concurrency_max": self._concurrency.highest,
            "concurrency_average": self._concurrency.average,
        }
        return {(provider,): number for provider, number in read[key]().items()}


def _build_empty_numbers() -> dict[str, dict[Values, float]]:
    """Metrics without labels start at zero, so that they are visible from the start."""
    plain = [metric for metric in METRICS if metric.kind is not MetricKind.HISTOGRAM]
    return {metric.key: {} if metric.labels else {(): 0} for metric in plain}


def _build_empty_spreads() -> dict[str, dict[Values, HistogramSpread]]:
    return {metric.key: {} for metric in METRICS if metric.kind is MetricKind.HISTOGRAM}


def _check_labels(
    key: str, kind: MetricKind, value: float, labels: Mapping[str, str]
) -> tuple[CallMetric, Values]:
    """The metric and its labels' values; anything not in the table is a mistake."""
    metric = BY_KEY.get(key)
    if metric is None or metric.kind is not kind:
        raise InternalError(f"There is no {kind.value} '{key}'.")
    if not 0 <= value < inf:
        raise InternalError(f"{value} is not a valid value of '{key}': it must be zero or more.")
    try:
        values = tuple([labels[name] for name in metric.labels])
    except KeyError as missing:
        raise InternalError(f"'{key}' needs the label {missing}.") from missing
    if len(labels) != len(values):
        unknown = ", ".join(sorted(set(labels) - set(metric.labels)))
        raise InternalError(f"'{key}' has no label {unknown}.")
    return metric, values
