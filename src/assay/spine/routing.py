"""The rules that decide where evidence goes: pure functions over what was read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from assay.errors import CallDenied
from assay.governor.budget import BudgetRequest, BudgetSnapshot
from assay.governor.governor import SpendingVerdict
from assay.governor.health import HOUR_MS, HealthLevel
from assay.llm.choice import order_providers
from assay.llm.messages import Lane, Provider
from assay.llm.scope import Denial, SourceStanding
from assay.model.records import ScoutResult

THRESHOLD = HealthLevel.FAIR.scout_threshold
"""The minimum score for a source whose health is fair or unknown."""
LOOK_AGAIN_MS = 6 * HOUR_MS
"""How long to wait before checking again if only a person can end the wait."""
SECTION_TOKENS = 2_500
"""The tokens of one call about a section of a document, instructions and answer included. A longer
document is read in sections: every call is granted by itself, and those that the cap on one
document does not allow today follow tomorrow."""
_DETERMINISTIC = "the deterministic extractor reads it"


class RouteTarget(StrEnum):
    """Where evidence goes."""

    SKIP = "SKIP"
    """Nowhere: it is not worth a token."""
    OCR = "OCR"
    EXTRACT_LOCAL = "EXTRACT_LOCAL"
    EXTRACT_CLOUD = "EXTRACT_CLOUD"
    NO_PACK = "NO_PACK"
    """It is worth it, but no pack takes it."""


EXTRACTING = (RouteTarget.EXTRACT_LOCAL, RouteTarget.EXTRACT_CLOUD)


@dataclass(frozen=True, kw_only=True)
class EvidenceRoute:
    """A decision with its reason."""

    decision: RouteTarget
    reason: str
    provider: str | None = None
    denial: Denial | None = None
    retry_ms: int | None = None
    """When to decide again, if it has to wait: for a pack, or, with `denial`, for a model."""

    @property
    def is_waiting(self) -> bool:
        return self.retry_ms is not None


@dataclass(frozen=True, kw_only=True)
class RoutingTerms:
    """What a source's documents must reach, and what may be spent on them."""

    source: str = ""
    threshold: float = THRESHOLD
    standing: SourceStanding = field(default_factory=SourceStanding)
    prospects: BudgetSnapshot | None = None
    """None: no model is configured, so nothing can be spent."""
    tokens: int | None = None
    """What the next call about the document needs, if one was denied before."""
    now_ms: int = 0


def decide_route(result: ScoutResult, terms: RoutingTerms) -> EvidenceRoute:
    """Apply the rules in order; the first that matches decides."""
    # Rounded, so that a score which equals the threshold on paper equals it here as well.
    score = round(result.worth_it_score, 9)
    if result.skip_reason is not None:
        return EvidenceRoute(decision=RouteTarget.SKIP, reason=result.skip_reason)
    if result.duplicate_of is not None:
        return EvidenceRoute(decision=RouteTarget.SKIP, reason=_describe_copy(result))
    if score < terms.threshold:
        reason = f"score {score:.2f} is under {terms.threshold:.2f}"
        return EvidenceRoute(decision=RouteTarget.SKIP, reason=reason)
    if result.needs_ocr:
        # OCR costs no tokens, so neither a budget nor a pause can prevent it.
        return EvidenceRoute(decision=RouteTarget.OCR, reason="the pages are pictures")
    worth = f"score {score:.2f} reaches {terms.threshold:.2f}"
    if terms.prospects is None:
        reason = f"{worth}; no provider is configured: {_DETERMINISTIC}"
        return EvidenceRoute(decision=RouteTarget.EXTRACT_LOCAL, reason=reason)
    return _choose_provider(result, score, worth, terms, terms.prospects)


def decide_for_pack(
    pack: str, result: ScoutResult, terms: RoutingTerms, *, is_installed: bool
) -> EvidenceRoute:
    """The decision for one pack that watches the source; an empty name stands for no pack."""
    route = decide_route(result, terms)
    if is_installed or route.decision is RouteTarget.SKIP:
        return route
    if not pack:
        # It waits for nothing: once a pack watches the source, the next run starts with it.
        return EvidenceRoute(decision=RouteTarget.NO_PACK, reason="no pack watches this source")
    reason = f"{route.reason}; but the pack '{pack}' is not installed"
    return EvidenceRoute(
        decision=RouteTarget.NO_PACK, reason=reason, retry_ms=terms.now_ms + LOOK_AGAIN_MS
    )


def combine_routes(routes: Mapping[str, EvidenceRoute]) -> EvidenceRoute:
    """What the decisions for all packs mean for the document.

    It waits while it waits for any of them, and is skipped only if all of them skip it.
    """
    waiting = {pack: route for pack, route in routes.items() if route.is_waiting}
    going = {
        pack: route for pack, route in routes.items() if route.decision is not RouteTarget.SKIP
    }
    decisive = waiting or going or routes
    first = next(iter(decisive.values()))
    if len(decisive) == 1:
        return first
    times = [route.retry_ms for route in decisive.values() if route.retry_ms is not None]
    return replace(
        first,
        reason="; ".join(f"{pack}: {route.reason}" for pack, route in decisive.items()),
        retry_ms=min(times, default=None),
    )


def _describe_copy(result: ScoutResult) -> str:
    if result.similarity is None or result.similarity == 1.0:
        return f"a copy of {result.duplicate_of}"
    share = f"{result.similarity:.0%} of its words"
    return f"a near copy of {result.duplicate_of}: {share}, and the same figures"


def _choose_provider(
    result: ScoutResult, score: float, worth: str, terms: RoutingTerms, prospects: BudgetSnapshot
) -> EvidenceRoute:
    """Route to the first provider that may be asked, local ones first.

    If none may be asked now, only the model has to wait: the route says until when.
    """
    if prospects.answers.get(result.evidence_id) is False:
        reason = f"{worth}; a person lets no model read it: {_DETERMINISTIC}"
        return EvidenceRoute(decision=RouteTarget.EXTRACT_LOCAL, reason=reason)
    try:
        ranked = order_providers(prospects.providers, score, terms.standing)
    except CallDenied:
        reason = f"{worth}; {_explain_no_cloud(score, terms)}: {_DETERMINISTIC}"
        return EvidenceRoute(decision=RouteTarget.EXTRACT_LOCAL, reason=reason)
    request = BudgetRequest(
        source=terms.source,
        evidence=result.evidence_id,
        tokens=terms.tokens or min(result.estimated_tokens, SECTION_TOKENS),
        standing=terms.standing,
    )
    denied: list[tuple[Provider, SpendingVerdict]] = []
    for provider in ranked:
        verdict = prospects.check(request, provider)
        if verdict.allowed:
            return _route_to_provider(provider, worth, denied)
        denied.append((provider, verdict))
    return _route_denied(denied, worth, terms.now_ms)


def is_wait_over(score: float, request: BudgetRequest, prospects: BudgetSnapshot | None) -> bool:
    """Whether a document that waits for a model has nothing to wait for any more."""
    if prospects is None or prospects.answers.get(request.evidence) is False:
        return True
    try:
        ranked = order_providers(prospects.providers, score, request.standing)
    except CallDenied:
        return True
    return any(prospects.check(request, provider).allowed for provider in ranked)


def _explain_no_cloud(score: float, terms: RoutingTerms) -> str:
    if not terms.standing.allow_cloud:
        return "the health of its source does not allow it the cloud, and no local model is there"
    return f"{score:.2f} is too little for the cloud, and no local model is there"


def _route_to_provider(
    provider: Provider, worth: str, denied: Sequence[tuple[Provider, SpendingVerdict]]
) -> EvidenceRoute:
    why = f" ({_as_clause(denied[0][1].message)})" if denied else ""
    return EvidenceRoute(
        decision=_find_target(provider),
        reason=f"{worth}; for {provider.name}{why}",
        provider=provider.name,
    )


def _route_denied(
    denied: Sequence[tuple[Provider, SpendingVerdict]], worth: str, now_ms: int
) -> EvidenceRoute:
    """For the first of the providers that may be asked again, at that time."""
    provider, soonest = min(denied, key=lambda entry: _compute_retry_ms(entry[1], now_ms))
    return EvidenceRoute(
        decision=_find_target(provider),
        reason=f"{worth}; {_DETERMINISTIC}, and {provider.name} later: "
        f"{_as_clause(soonest.message)}",
        provider=provider.name,
        denial=soonest.reason,
        retry_ms=_compute_retry_ms(soonest, now_ms),
    )


def _find_target(provider: Provider) -> RouteTarget:
    is_local = provider.lane is Lane.LOCAL
    return RouteTarget.EXTRACT_LOCAL if is_local else RouteTarget.EXTRACT_CLOUD


def _compute_retry_ms(verdict: SpendingVerdict, now_ms: int) -> int:
    if verdict.recovers_ms is not None:
        return verdict.recovers_ms
    return now_ms + LOOK_AGAIN_MS


def _as_clause(message: str) -> str:
    """A sentence as part of another sentence."""
    plain = message.strip().rstrip(".")
    return plain[:1].lower() + plain[1:]
