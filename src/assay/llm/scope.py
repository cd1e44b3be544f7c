"""Who a call is made for, what it asks for, and how it ended."""

import secrets
from dataclasses import dataclass, field
from enum import StrEnum

from assay.errors import AssayError
from assay.llm.budget import TokenBudget
from assay.llm.limits import ProviderLimits
from assay.llm.messages import NO_HINTS, Lane, RateHints, Usage


class Denial(StrEnum):
    """Why a call was not granted."""

    GLOBAL_DAILY_CAP_EXCEEDED = "GLOBAL_DAILY_CAP_EXCEEDED"
    SOURCE_DAILY_CAP_EXCEEDED = "SOURCE_DAILY_CAP_EXCEEDED"
    EVIDENCE_TOO_LARGE = "EVIDENCE_TOO_LARGE"
    CIRCUIT_OPEN = "CIRCUIT_OPEN"
    SOURCE_IN_COOLDOWN = "SOURCE_IN_COOLDOWN"
    CONCURRENT_LIMIT_REACHED = "CONCURRENT_LIMIT_REACHED"
    RATE_LIMITED = "RATE_LIMITED"
    """The provider's limit leaves no room within the time the call may wait."""
    SERVICE_ALLOWANCE_EXCEEDED = "SERVICE_ALLOWANCE_EXCEEDED"
    """The day's allowance of a service that is not a model is used up."""


@dataclass(frozen=True, kw_only=True)
class CallScope:
    """Who a call is made for and charged to."""

    step: str = "other"
    request_id: str = ""
    """The request that the call belongs to; by default its own."""
    source: str | None = None
    evidence: str | None = None
    run_id: str | None = None
    job_id: str | None = None
    priority: int = 0
    """Among waiting calls, the higher priority goes first."""
    budget: TokenBudget | None = None
    """What the request may use; compared with what the ledger says it has used."""
    score: float | None = None
    """How much the content is worth, 0 to 1; decides which models it may use. None allows any."""
    wait_s: float | None = None
    """The longest wait for a permit: None for as long as it takes, 0 to be denied at once."""


@dataclass(frozen=True, kw_only=True)
class SourceStanding:
    """What a source's health allows it."""

    multiplier: float = 1.0
    """The multiplier of its daily cap."""
    allow_cloud: bool = True
    paused: bool = False
    paused_until_ms: int | None = None


@dataclass(frozen=True, kw_only=True)
class CallRequest:
    """What a call needs before it may be made."""

    provider: str
    model: str
    lane: Lane
    limits: ProviderLimits
    prompt_tokens: int
    output_tokens: int
    """The most tokens the answer may have."""
    raw_prompt: int = 0
    """The prompt's tokens as counted here; the estimator learns from it."""
    scope: CallScope = field(default_factory=CallScope)
    standing: SourceStanding = field(default_factory=SourceStanding)
    read_anyway: bool = False
    """Whether a person allows the document more than the cap on one document."""
    ticket_id: str = field(default_factory=lambda: secrets.token_hex(8))
    """Stays the same for every try to get the permit."""
    waited_ms: int = 0
    """How long it has waited before its first try."""

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.output_tokens


@dataclass(frozen=True, kw_only=True)
class Permit:
    """A call that may be made now; its tokens are set aside."""

    call_id: str
    ask: CallRequest
    granted_ms: int
    granted_at: float
    """The same moment on this process's own clock, which never jumps."""


class CallState(StrEnum):
    """The state of a call in the ledger."""

    OPEN = "open"
    """Its tokens are set aside."""
    BATCHED = "batched"
    """Sent to a provider together with many others; the answer comes later."""
    DONE = "done"
    FAILED = "failed"
    """The provider answered with a fault, or not at all."""
    CUT = "cut"
    """The answer was cut off."""
    CANCELLED = "cancelled"
    UNSENT = "unsent"
    """Granted, but never sent; nothing is charged."""
    LOST = "lost"
    """Its worker died; its usage is unknown, so everything set aside is charged."""


class UsageBasis(StrEnum):
    """Where the figures of a call come from."""

    REPORTED = "reported"
    """Reported by the provider."""
    ESTIMATED = "estimated"
    """Estimated from the text sent and received."""
    RESERVED = "reserved"
    """Unknown; everything set aside is charged."""
    NOTHING = "nothing"
    """Nothing was used."""


@dataclass(frozen=True, kw_only=True)
class CallSettlement:
    """How a call ended, and what it used."""

    state: CallState
    basis: UsageBasis
    usage: Usage = field(default_factory=lambda: Usage(0, 0))
    error: AssayError | None = None
    hints: RateHints = NO_HINTS
    sent_ms: int | None = None
