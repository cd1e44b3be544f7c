"""How much a provider may be asked and how much may be spent: values without state."""

from collections.abc import Mapping
from dataclasses import dataclass, field

MINUTE_MS = 60_000


@dataclass(frozen=True, kw_only=True)
class ProviderLimits:
    """What a provider allows. None means no limit."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    max_concurrent: int | None = None
    burst: int | None = None
    """Requests in any one second."""
    smooth_s: float = 1.0
    """How many seconds' worth of the allowance may go out at once, in addition to the burst.
    Providers that grant a limit 'per minute' enforce it over shorter periods as well."""
    learn: bool = True
    """Whether limits reported in the provider's headers may lower these."""
    may_rise: bool = False
    """Whether they may also raise them, because these are a guess."""


PROVIDER_LIMITS: Mapping[str, ProviderLimits] = {
    "anthropic": ProviderLimits(
        requests_per_minute=50, tokens_per_minute=100_000, max_concurrent=5, burst=2, may_rise=True
    ),
    "openai": ProviderLimits(
        requests_per_minute=60, tokens_per_minute=150_000, max_concurrent=5, burst=3, may_rise=True
    ),
    "google": ProviderLimits(
        requests_per_minute=30, tokens_per_minute=50_000, max_concurrent=3, burst=2, may_rise=True
    ),
}
"""The defaults by provider; a local model has none."""

UNLIMITED = ProviderLimits(learn=False)


@dataclass(frozen=True, kw_only=True)
class Price:
    """What a model costs, in one currency for all models."""

    input_per_million: float
    output_per_million: float
    batch_share: float = 0.5
    """What a call costs as part of a batch, as a share of the price."""

    def cost_micros(self, prompt_tokens: int, completion_tokens: int, *, batched: bool) -> int:
        """Millionths of the currency, rounded up so that a price is never understated."""
        exact = prompt_tokens * self.input_per_million + completion_tokens * self.output_per_million
        return int(-(-exact * (self.batch_share if batched else 1) // 1))


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What may be spent, in total and on each source and document."""

    daily_tokens: int | None = 500_000
    """For all calls of a UTC day."""
    daily_tokens_per_source: int | None = 50_000
    """For one source's calls of a UTC day, times the multiplier of its health."""
    evidence_tokens: int | None = 8_000
    """For one document's calls of a UTC day."""
    daily_cost_micros: int | None = None
    """Money for a UTC day, in millionths; every model then needs a price."""
    max_concurrent_cloud: int | None = 3
    max_concurrent_local: int | None = 5
    cloud_gap_ms: int = 2_000
    """The minimum time between the starts of two calls to the cloud."""
    empty_threshold: int = 3
    """The number of empty answers in a row after which a source is paused."""
    empty_rest_ms: int = 3_600_000
    prices: Mapping[str, Price] = field(default_factory=dict)
    """By model name."""
    lease_ms: int = 15_000
    """Silence after which a permit is assumed to be a dead worker's and is taken back."""
    circuit_failures: int = 5
    """Failures in a row that open a provider's circuit."""
    circuit_open_ms: int = 120_000
    circuit_successes: int = 2
    """Probes in a row that must succeed before it closes."""
