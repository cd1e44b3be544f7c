"""May this source spend now? And if not: why, and when again?"""

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
    Denial.CONCURRENT_LIMIT_REACHED: "All slots are in use; one may be free in a moment.",
    Denial.RATE_LIMITED: "The provider's limit leaves no room yet.",
}
log = Log("assay.governor")


@dataclass(frozen=True, kw_only=True)
class SpendingVerdict:
    """Whether a source may spend."""

    allowed: bool
    reason: Denial | None = None
    recovers_ms: int | None = None
    """When to ask again; None for an allowed call, and where a person must look first."""
    message: str = ""


ALLOWED = SpendingVerdict(allowed=True)


class Governor:
    """Answers for the ledger's caps and the sources' health, without taking anything."""

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
        step: str = "other",
    ) -> SpendingVerdict:
        """Whether a call of `tokens` and an answer of `output_tokens` would be granted now.

        What is no denial is raised: CallTooLarge, which no limit could ever let through, and
        PriceUnknown.
        """
        ask = CallRequest(
            provider=provider.name,
            model=provider.model,
            lane=provider.lane,
            limits=provider.limits,
            prompt_tokens=tokens,
            output_tokens=output_tokens,
            scope=CallScope(step=step, source=source, evidence=evidence),
        )
        return self.check_call(ask)

    def check_call(self, ask: CallRequest) -> SpendingVerdict:
        """The same for any call."""
        try:
            waiting = self._ledger.check(self.with_standing(ask))
        except CallDenied as denied:
            return SpendingVerdict(
                allowed=False,
                reason=Denial(denied.reason),
                recovers_ms=denied.recovers_ms,
                message=str(denied),
            )
        if waiting is None:
            return ALLOWED
        return SpendingVerdict(
            allowed=False,
            reason=waiting.why,
            recovers_ms=waiting.until_ms,
            message=_WAIT_MESSAGES[waiting.why],
        )

    def with_standing(self, ask: CallRequest) -> CallRequest:
        """The call with what its source's health allows it."""
        source = ask.scope.source
        return (
            ask if source is None else replace(ask, standing=self.standings.read_standing(source))
        )

    def note_output(self, source: str, *, empty: bool) -> int | None:
        """Count an answer that held nothing, or forget them all; gives the end of a rest begun."""
        until_ms = self._ledger.note_output(source, empty=empty)
        if until_ms is not None:
            log.warning(
                "source_rests", f"Source {source} gave empty answers and rests.",
                source_slug=source, until_ms=until_ms,
            )  # fmt: skip
        return until_ms

    def clear_cooldown(self, source: str) -> bool:
        """Let a source go on; False if it did not rest."""
        return self._ledger.clear_cooldown(source)
