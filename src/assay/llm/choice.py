"""Which model a call may use, the preferred one first."""

from collections.abc import Sequence

from assay.errors import CallDenied, ProviderUnknown
from assay.llm.messages import Lane, Provider, ProviderRank
from assay.llm.scope import Denial, SourceStanding

CLOUD_SCORE = 0.7
"""The minimum score of content that may go to a model in the cloud."""
LAST_RESORT_SCORE = 0.9
"""The minimum score of content that may go to the most expensive models."""
_LEAST_SCORE = {
    ProviderRank.FIRST: 0.0,
    ProviderRank.SECOND: CLOUD_SCORE,
    ProviderRank.LAST: LAST_RESORT_SCORE,
}


def find_provider(providers: Sequence[Provider], name: str) -> Provider:
    """The provider with that name."""
    for provider in providers:
        if provider.name == name:
            return provider
    known = ", ".join(sorted(provider.name for provider in providers)) or "none"
    raise ProviderUnknown(f"There is no provider '{name}'.", advice=f"Configured: {known}.")


def order_providers(
    providers: Sequence[Provider], score: float | None, standing: SourceStanding
) -> list[Provider]:
    """Local models, then Ollama's cloud, then all others; each only for content that is worth it.

    Without a score every provider is allowed, because the caller has no content to judge.
    """
    ranked = sorted(providers, key=lambda provider: provider.rank)
    allowed = [
        provider
        for provider in ranked
        if (provider.lane is Lane.LOCAL or standing.allow_cloud)
        and (score is None or score >= _LEAST_SCORE[provider.rank])
    ]
    if not allowed:
        known = ", ".join(provider.name for provider in ranked) or "none"
        raise CallDenied(
            f"No provider may be used for this content (configured: {known}).",
            reason=Denial.SOURCE_IN_COOLDOWN if not standing.allow_cloud else Denial.CIRCUIT_OPEN,
            recovers_ms=None,
            advice="Configure a local model, or choose a provider.",
        )
    return allowed
