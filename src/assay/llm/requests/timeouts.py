"""How long a step of a request may take, and what happens if it takes longer."""

from dataclasses import dataclass, replace
from enum import StrEnum

from assay.errors import InvalidInput


class TimeoutEscalation(StrEnum):
    """What a hard timeout leads to, from the mildest to the strictest."""

    WARN_CONTINUE = "warn_continue"
    """Continue with what the step had kept, as if it were everything."""
    REDUCE_SCOPE_RETRY = "reduce_scope_retry"
    """Let the step make its payload smaller, and try again."""
    FALLBACK_CACHE = "fallback_cache"
    """Use the output of the step's fallback: earlier results, or a default."""
    SKIP_STEP = "skip_step"
    """Continue without the step."""
    ABORT_PIPELINE = "abort_pipeline"
    """Stop the request."""


@dataclass(frozen=True, kw_only=True)
class StepTimeout:
    """The time limits of one step. Each attempt gets the full time."""

    soft_ms: int
    """After this, there is a warning."""
    hard_ms: int
    """After this, the attempt is cancelled and the escalation applies."""
    escalation: TimeoutEscalation
    allow_partial: bool
    """Whether what a step kept before it was stopped may be used."""
    max_retries: int = 0
    """Further attempts after a hard timeout, before the escalation's last resort."""

    def __post_init__(self) -> None:
        if not 0 < self.soft_ms <= self.hard_ms:
            raise InvalidInput(
                f"A step cannot warn after {self.soft_ms} ms and end after {self.hard_ms} ms: "
                "the first must be positive and not exceed the second."
            )
        if self.max_retries < 0:
            raise InvalidInput(f"A step cannot be retried {self.max_retries} times.")

    def scale(self, factor: float) -> "StepTimeout":
        """The same with every time multiplied by the factor."""
        return replace(
            self,
            soft_ms=max(1, round(self.soft_ms * factor)),
            hard_ms=max(1, round(self.hard_ms * factor)),
        )
