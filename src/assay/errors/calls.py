"""What can go wrong with a model call."""

from assay.errors.branches import InvalidInput, TransientError


class CallDenied(TransientError):
    """The control plane did not grant a model call.

    `reason` is one of `assay.llm.api.Denial`; without `recovers_ms` a person must act first.
    """

    code = "call_denied"

    def __init__(
        self, what: str, *, reason: str = "", recovers_ms: int | None = None,
        advice: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(what, advice=advice)
        self.reason = reason
        self.recovers_ms = recovers_ms
        self.final = recovers_ms is None


class ProviderFailed(TransientError):
    """A model provider did not answer, or answered with a fault."""

    code = "provider_failed"


class ProviderBusy(ProviderFailed):
    """A provider asks to be called less often, and may say for how long."""

    code = "provider_busy"

    def __init__(
        self, what: str, *, retry_after_ms: int | None = None, advice: str | None = None
    ) -> None:
        super().__init__(what, advice=advice)
        self.retry_after_ms = retry_after_ms


class ProviderTimedOut(ProviderFailed):
    """A provider took longer than the call was given."""

    code = "provider_timed_out"


class StreamCut(ProviderFailed):
    """A provider's answer ended before its end; what had arrived is kept."""

    code = "stream_cut"


class CallTooLarge(InvalidInput):
    """A model call that no limit could ever let through."""

    code = "call_too_large"
    advice = "Split the text, lower max_tokens, or raise the provider's tokens_per_minute."


class BudgetExceeded(InvalidInput):
    """A request has too few tokens left for a call; the call was not made."""

    code = "budget_exceeded"
    advice = "Give the request more tokens, or ask for less."


class PriceUnknown(InvalidInput):
    """Money is capped, and a model has no price; the call was not made."""

    code = "price_unknown"
    advice = "Set the model's price, or take the cap on money away."


class ProviderUnknown(InvalidInput):
    """No provider under that name."""

    code = "provider_unknown"


class CallRefused(InvalidInput):
    """A provider does not take the call as it is."""

    code = "call_refused"


class AnswerInvalid(InvalidInput):
    """A model's answer does not fit what was asked for."""

    code = "answer_invalid"
    cut = False
    """Whether it was cut where it had as many tokens as it may have."""
