"""The result of a request: how complete it is, and what it cost. Values and pure functions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from assay.errors import AssayError
from assay.llm.budget import TokenBudget


class Completeness(StrEnum):
    """How much of what was asked for a result contains; a rule may define further values."""

    COMPLETE = "complete"
    """Every step succeeded."""
    PARTIAL_EARLY_EXIT = "partial_early_exit"
    """It ended early: something is missing or narrower."""
    FALLBACK_CACHE = "fallback_cache"
    """A step's earlier results replace its own."""
    EMPTY = "empty"
    """Nothing at all."""


class StepEnd(StrEnum):
    """How a step ended."""

    COMPLETED = "completed"
    DEGRADED = "degraded"
    """It did less and continued: a smaller scope, or what it had when its time was up."""
    FELL_BACK = "fell_back"
    """Its fallback replaced it."""
    TIMED_OUT = "timed_out"
    FAILED = "failed"
    OUT_OF_BUDGET = "out_of_budget"
    CANCELLED = "cancelled"
    NOT_STARTED = "not_started"

    @property
    def is_whole(self) -> bool:
        """Whether later steps may build on it as if it had completed."""
        return self in (StepEnd.COMPLETED, StepEnd.DEGRADED, StepEnd.FELL_BACK)


@dataclass(frozen=True, kw_only=True)
class StepEnding:
    """How a step ended, and how much it produced."""

    step: str
    end: StepEnd
    items: int = 0
    """Items that can be used."""
    reason: str = ""
    error: AssayError | None = field(default=None, compare=False)

    @property
    def is_usable(self) -> bool:
        """Whether there is something another step could use."""
        return self.end.is_whole or self.items > 0


@dataclass(frozen=True, kw_only=True)
class FailedStep:
    """A step that started but did not complete."""

    step: str
    reason: str
    error_code: str
    """The code of the error tree, or how the step ended where no error was raised."""
    error: AssayError | None = field(default=None, compare=False)
    """The error itself, for what it says besides its code, such as when a denial recovers."""


@dataclass(frozen=True, kw_only=True)
class TokenUsage:
    """The request's tokens."""

    allocated: int
    used: int
    remaining: int

    @classmethod
    def of(cls, budget: TokenBudget) -> "TokenUsage":
        return cls(allocated=budget.total, used=budget.used, remaining=budget.remaining)


@dataclass(frozen=True, kw_only=True)
class RequestResult:
    """The result of a request, complete or not."""

    request_id: str
    """The request that ran; equal requests at the same time share its result."""
    completeness: StrEnum
    """In the terms of the request's rule."""
    outputs: Mapping[str, Any]
    """By step; a step that was stopped has here what it had kept."""
    endings: Mapping[str, StepEnding]
    failed_steps: tuple[FailedStep, ...]
    skipped_steps: tuple[str, ...]
    """Steps that never started."""
    token_usage: TokenUsage
    execution_ms: int
    warnings: tuple[str, ...] = ()
    unverified: bool = False
    """Whether it contains items that the verification step did not verify."""
    error: FailedStep | None = None
    """The failed step that the request could not do without; the caller should report an error."""


Endings = Mapping[str, StepEnding]


@dataclass(frozen=True, kw_only=True)
class ResultRule:
    """How a pipeline interprets the endings of its steps, which the supervisor cannot know."""

    completeness: Callable[[Endings], StrEnum]
    unverified: Callable[[Endings], bool] = field(default=lambda endings: False)


def rate_completeness(endings: Endings) -> Completeness:
    """The completeness if every step counts the same."""
    if any(not ending.end.is_whole for ending in endings.values()):
        has_any = any(ending.items for ending in endings.values())
        return Completeness.PARTIAL_EARLY_EXIT if has_any else Completeness.EMPTY
    if any(ending.end is StepEnd.DEGRADED for ending in endings.values()):
        return Completeness.PARTIAL_EARLY_EXIT
    if any(ending.end is StepEnd.FELL_BACK for ending in endings.values()):
        return Completeness.FALLBACK_CACHE
    return Completeness.COMPLETE


PLAIN_RULE = ResultRule(completeness=rate_completeness)
"""The rule for a request that has none of its own."""
