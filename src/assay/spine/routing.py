"""The rules by which evidence is sent on: pure functions over what was read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from assay.errors import CallDenied
from assay.governor.governor import Verdict
from assay.governor.health import HOUR_MS, HealthLevel
from assay.governor.prospects import Prospects, Wanted
from assay.llm.choice import in_order
from assay.llm.messages import Lane, Provider
from assay.llm.scope import Denial, Standing
from assay.model.records import ScoutResult

THRESHOLD = HealthLevel.FAIR.scout_threshold
"""The floor for a source whose health is fair or unknown."""
LOOK_AGAIN_MS = 6 * HOUR_MS
"""When to ask again where only a person can end the wait, and nobody knows when."""
PERSON_MS = 72 * HOUR_MS
"""How long a person has for a document that is too large; then it is asked for again, in case the
limit was raised meanwhile."""
_DETERMINISTIC = "the deterministic extractor reads it"


class Decision(StrEnum):
    """Where evidence goes."""

    SKIP = "SKIP"
    """Nowhere: it is not worth a token."""
    OCR = "OCR"
    EXTRACT_LOCAL = "EXTRACT_LOCAL"
    EXTRACT_CLOUD = "EXTRACT_CLOUD"
    BLOCKED = "BLOCKED"
    """It is worth it, and has to wait."""
    NO_PACK = "NO_PACK"
    """It is worth it, but there is no pack that would take it."""


EXTRACTING = (Decision.EXTRACT_LOCAL, Decision.EXTRACT_CLOUD)


@dataclass(frozen=True, kw_only=True)
class Route:
    """A decision with its reason."""

    decision: Decision
    reason: str
    provider: str | None = None
    denial: Denial | None = None
    retry_ms: int | None = None
    """When one that waits is decided again."""

    @property
    def is_waiting(self) -> bool:
        return self.retry_ms is not None


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What a source is held to, and what may be spent on it."""

    source: str = ""
    threshold: float = THRESHOLD
    standing: Standing = field(default_factory=Standing)
    prospects: Prospects | None = None
    """None: no model is configured, so that nothing can be spent."""
    now_ms: int = 0


def decide(result: ScoutResult, terms: Terms) -> Route:
    """The rules in their order; the first that holds decides."""
    # Rounded, so that a score which is the threshold on paper is it here as well.
    score = round(result.worth_it_score, 9)
    if result.skip_reason is not None:
        return Route(decision=Decision.SKIP, reason=result.skip_reason)
    if result.duplicate_of is not None:
        return Route(decision=Decision.SKIP, reason=_copied(result))
    if score < terms.threshold:
        reason = f"score {score:.2f} is under {terms.threshold:.2f}"
        return Route(decision=Decision.SKIP, reason=reason)
    if result.needs_ocr:
        # It costs no token, so that no budget can stand in its way, nor a pause.
        return Route(decision=Decision.OCR, reason="the pages are pictures")
    if terms.standing.paused:
        return _paused(terms)
    worth = f"score {score:.2f} reaches {terms.threshold:.2f}"
    if terms.prospects is None:
        reason = f"{worth}; no provider is configured: {_DETERMINISTIC}"
        return Route(decision=Decision.EXTRACT_LOCAL, reason=reason)
    return _extracted(result, score, worth, terms, terms.prospects)


def decide_for_pack(pack: str, result: ScoutResult, terms: Terms, *, is_installed: bool) -> Route:
    """The same for one pack that watches the source; without a name, for none."""
    route = decide(result, terms)
    if is_installed or route.decision is Decision.SKIP:
        return route
    if not pack:
        # It waits for nothing: once a pack watches the source, the next run begins with it.
        return Route(decision=Decision.NO_PACK, reason="no pack watches this source")
    reason = f"{route.reason}; but the pack '{pack}' is not installed"
    return Route(decision=Decision.NO_PACK, reason=reason, retry_ms=terms.now_ms + LOOK_AGAIN_MS)


def combine_routes(routes: Mapping[str, Route]) -> Route:
    """What the decisions of all packs mean for the document.

    It waits as long as it waits for one of them, and is skipped only if all of them skip it.
    """
    waiting = {pack: route for pack, route in routes.items() if route.is_waiting}
    going = {pack: route for pack, route in routes.items() if route.decision is not Decision.SKIP}
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


def _copied(result: ScoutResult) -> str:
    if result.similarity is None or result.similarity == 1.0:
        return f"a copy of {result.duplicate_of}"
    share = f"{result.similarity:.0%} of its words"
    return f"a near copy of {result.duplicate_of}: {share}, and the same figures"


def _paused(terms: Terms) -> Route:
    until_ms = terms.standing.paused_until_ms
    until = "" if until_ms is not None else " until a person lets it go on"
    return Route(
        decision=Decision.BLOCKED,
        reason=f"source '{terms.source}' is paused{until}",
        denial=Denial.SOURCE_IN_COOLDOWN,
        retry_ms=terms.now_ms + LOOK_AGAIN_MS if until_ms is None else until_ms,
    )


def _extracted(
    result: ScoutResult, score: float, worth: str, terms: Terms, prospects: Prospects
) -> Route:
    """To the first provider that may be asked, the local ones before all others."""
    try:
        ranked = in_order(prospects.providers, score, terms.standing)
    except CallDenied:
        reason = f"{worth}; {_kept_from_the_cloud(score, terms)}: {_DETERMINISTIC}"
        return Route(decision=Decision.EXTRACT_LOCAL, reason=reason)
    wanted = Wanted(
        source=terms.source,
        evidence=result.evidence_id,
        tokens=result.estimated_tokens,
        standing=terms.standing,
    )
    denied: list[Verdict] = []
    for provider in ranked:
        verdict = prospects.check(wanted, provider)
        if verdict.allowed:
            return _granted(provider, worth, denied)
        denied.append(verdict)
    return _denied(denied, terms.now_ms)


def _kept_from_the_cloud(score: float, terms: Terms) -> str:
    if not terms.standing.allow_cloud:
        return "the health of its source does not allow it the cloud, and no local model is there"
    return f"{score:.2f} is too little for the cloud, and no local model is there"


def _granted(provider: Provider, worth: str, denied: Sequence[Verdict]) -> Route:
    local = provider.lane is Lane.LOCAL
    why = f" ({_clause(denied[0].message)})" if denied else ""
    return Route(
        decision=Decision.EXTRACT_LOCAL if local else Decision.EXTRACT_CLOUD,
        reason=f"{worth}; for {provider.name}{why}",
        provider=provider.name,
    )


def _denied(denied: Sequence[Verdict], now_ms: int) -> Route:
    """Blocked until the first of them may be asked again."""
    soonest = min(denied, key=lambda verdict: _retry_ms(verdict, now_ms))
    return Route(
        decision=Decision.BLOCKED,
        reason=_clause(soonest.message),
        denial=soonest.reason,
        retry_ms=_retry_ms(soonest, now_ms),
    )


def _retry_ms(verdict: Verdict, now_ms: int) -> int:
    if verdict.recovers_ms is not None:
        return verdict.recovers_ms
    wait_ms = PERSON_MS if verdict.reason is Denial.EVIDENCE_TOO_LARGE else LOOK_AGAIN_MS
    return now_ms + wait_ms


def _clause(message: str) -> str:
    """A sentence as a part of another."""
    plain = message.strip().rstrip(".")
    return plain[:1].lower() + plain[1:]
