"""How long a stage of a request may take, and what holds when it takes longer."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from assay.errors import InvalidInput


class TimeoutEscalation(StrEnum):
    """What a hard timeout leads to, from the mildest to the hardest."""

    WARN_CONTINUE = "warn_continue"
    """Go on with what the stage had kept, as if it were all."""
    REDUCE_SCOPE_RETRY = "reduce_scope_retry"
    """Let the stage make its payload smaller, and try again."""
    FALLBACK_CACHE = "fallback_cache"
    """Use what the stage's fallback gives: earlier results, or a default."""
    SKIP_STAGE = "skip_stage"
    """Go on without the stage."""
    ABORT_PIPELINE = "abort_pipeline"
    """Stop the request."""


@dataclass(frozen=True, kw_only=True)
class StageTimeout:
    """The time of one stage. Each attempt has all of it."""

    stage: str
    soft_ms: int
    """After this, a warning."""
    hard_ms: int
    """After this, the attempt is cancelled and the escalation holds."""
    escalation: TimeoutEscalation
    allow_partial: bool
    """Whether what a stage kept before it was stopped may be used."""
    max_retries: int = 0
    """Further attempts after a hard timeout, before the escalation's last resort."""

    def __post_init__(self) -> None:
        if not 0 < self.soft_ms <= self.hard_ms:
            raise InvalidInput(
                f"Stage '{self.stage}' warns after {self.soft_ms} ms and ends after "
                f"{self.hard_ms} ms: the first must be positive and not beyond the second."
            )
        if self.max_retries < 0:
            raise InvalidInput(f"Stage '{self.stage}' cannot be retried {self.max_retries} times.")


def _by_stage(*timeouts: StageTimeout) -> Mapping[str, StageTimeout]:
    return MappingProxyType({timeout.stage: timeout for timeout in timeouts})


DEFAULT_STAGE_TIMEOUTS: Mapping[str, StageTimeout] = _by_stage(
    StageTimeout(
        stage="chunking",
        soft_ms=3_000,
        hard_ms=5_000,
        escalation=TimeoutEscalation.SKIP_STAGE,
        allow_partial=False,
    ),
    StageTimeout(
        stage="entityExtraction",
        soft_ms=45_000,
        hard_ms=60_000,
        escalation=TimeoutEscalation.REDUCE_SCOPE_RETRY,
        allow_partial=True,
        max_retries=3,
    ),
    StageTimeout(
        stage="propertyScoping",
        soft_ms=10_000,
        hard_ms=15_000,
        escalation=TimeoutEscalation.SKIP_STAGE,
        allow_partial=True,
    ),
    StageTimeout(
        stage="relationExtraction",
        soft_ms=45_000,
        hard_ms=60_000,
        escalation=TimeoutEscalation.REDUCE_SCOPE_RETRY,
        allow_partial=True,
        max_retries=2,
    ),
    StageTimeout(
        stage="grounding",
        soft_ms=20_000,
        hard_ms=30_000,
        escalation=TimeoutEscalation.FALLBACK_CACHE,
        allow_partial=True,
        max_retries=1,
    ),
    StageTimeout(
        stage="serialization",
        soft_ms=5_000,
        hard_ms=10_000,
        escalation=TimeoutEscalation.ABORT_PIPELINE,
        allow_partial=False,
    ),
)
"""The stages of the graph's pipeline. Any other stage brings its own."""
