"""May this source spend now? If not: why, and when can it?"""

from dataclasses import dataclass, replace

import sqlalchemy as sa

from assay.clock import Clock
from assay.errors import CallDenied
from assay.governor.standings import Standings
from assay.llm.ledger import Ledger
from assay.llm.messages import Provider
from assay.llm.scope import CallRequest, CallScope, Denial
from assay.logs import Log

_WAIT_MESSAGES = {
    Denial.CONCURRENT_LIMIT_REACHED: "All slots are in use; one may become free in a moment.",
    Denial.RATE_LIMITED: "The provider's rate limit leaves no room yet.",
}
log = Log("assay.governor")


@dataclass(frozen=True, kw_only=True)
class SpendingVerdict:
    """Whether a source may spend."""

    allowed: bool
    reason: Denial | None = None
    recovers_ms: int | None = None
    """When to ask again; None for an allowed call, or if a person must look at it first."""
    message: str = ""


ALLOWED = SpendingVerdict(allowed=True)


def deny_spending(reason: Denial, message: str, recovers_ms: int | None = None) -> SpendingVerdict:
    """The verdict that a source may not spend."""
    return SpendingVerdict(allowed=False, reason=reason, recovers_ms=recovers_ms, message=message)


class Governor:
    """Checks calls against the ledger's caps and the sources' health; reserves nothing."""

    def __init__(self, ledger: Ledger, engine: sa.Engine, clock: Clock | None = None) -> None:
        self._ledger = ledger
        self.standings = Standings(engine, clock)

    def check(
        self,
        source: str | None,
        provider: Provider,
        *,
        tokens: int,
        output_tokens: int = 0,
        evidence: str | None = None,
    ) -> SpendingVerdict:
        """Whether a call of `tokens` and an answer of `output_tokens` would be granted now.

        Problems that are not denials are raised: PriceUnknown, and CallTooLarge, because no limit
        could ever let such a call through.
        """
        ask = CallRequest(
            provider=provider.name,
            model=provider.model,
            lane=provider.lane,
            limits=provider.limits,
            prompt_tokens=tokens,
            output_tokens=output_tokens,
            scope=CallScope(source=source, evidence=evidence),
        )
        return self.check_call(ask)

    def check_call(self, ask: CallRequest) -> SpendingVerdict:
        """Whether any call would be granted now; see `check`."""
        try:
            waiting = self._ledger.check(self.with_standing(ask))
        except CallDenied as denied:
            return deny_spending(Denial(denied.reason), str(denied), denied.recovers_ms)
        if waiting is None:
            return ALLOWED
        return deny_spending(waiting.why, _WAIT_MESSAGES[waiting.why], waiting.until_ms)

    def with_standing(self, ask: CallRequest) -> CallRequest:
        """The call, with what the health of its source allows."""
        source = ask.scope.source
        return (
            ask if source is None else replace(ask, standing=self.standings.read_standing(source))
        )

    def note_output(self, source: str, *, empty: bool) -> int | None:
        """Count an empty answer, or reset the count; returns the end of a rest if one begins."""
        until_ms = self._ledger.note_output(source, empty=empty)
        if until_ms is not None:
            log.warning(
                "source_rests", f"Source {source} gave empty answers and is in cooldown.",
                source_slug=source, until_ms=until_ms,
            )  # fmt: skip
        return until_ms

    def clear_cooldown(self, source: str) -> bool:
        """End a source's rest; False if it was not resting."""
        return self._ledger.clear_cooldown(source)
