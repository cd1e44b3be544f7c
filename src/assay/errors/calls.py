"""What can go wrong with a model call."""

from assay.errors.branches import InvalidInput, TransientError


class CallDenied(TransientError):
    """The control plane did not grant a model call.

    `reason` is one of `assay.llm.api.Denial`; if `recovers_ms` is None, a person must act first.
    `tokens` is what the call needs, if that is known.
    """

    code = "call_denied"

    def __init__(
        self, what: str, *, reason: str = "", recovers_ms: int | None = None,
        tokens: int | None = None, advice: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(what, advice=advice)
        self.reason = reason
        self.recovers_ms = recovers_ms
        self.tokens = tokens
        self.final = recovers_ms is None


class ProviderFailed(TransientError):
    """A model provider did not respond, or responded with an error."""

    code = "provider_failed"


class ProviderBusy(ProviderFailed):
    """A provider asks for fewer calls, and may say for how long."""

    code = "provider_busy"

    def __init__(
        self, what: str, *, retry_after_ms: int | None = None, advice: str | None = None
    ) -> None:
        super().__init__(what, advice=advice)
        self.retry_after_ms = retry_after_ms


class ProviderTimedOut(ProviderFailed):
    """A provider took longer than the call allowed."""

    code = "provider_timed_out"


class StreamCut(ProviderFailed):
    """A provider's answer was cut off; the part that arrived is kept."""

    code = "stream_cut"


class CallTooLarge(InvalidInput):
    """A model call too large for any limit to allow."""

    code = "call_too_large"
    advice = "Split the text, lower max_tokens, or raise the provider's tokens_per_minute."


class BudgetExceeded(InvalidInput):
    """A request has too few tokens left for a call; the call was not made."""

    code = "budget_exceeded"
    advice = "Give the request more tokens, or reduce what it asks for."


class PriceUnknown(InvalidInput):
    """Spending is capped, but a model has no price; the call was not made."""

    code = "price_unknown"
    advice = "Set the model's price, or remove the cap on money."


class ProviderUnknown(InvalidInput):
    """No provider has that name."""

    code = "provider_unknown"


class CallRefused(InvalidInput):
    """A provider rejects the call as it is."""

    code = "call_refused"


class AnswerInvalid(InvalidInput):
    """A model's answer does not match what was asked for."""

    code = "answer_invalid"
    cut = False
    """Whether the answer was cut off at its token limit."""
