"""What a request gives: how much of it there is, and what it cost. Values and pure functions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from assay.errors import AssayError
from assay.llm.budget import TokenBudget


class Completeness(StrEnum):
    """How much of what was asked for a result holds."""

    COMPLETE = "complete"
    """Every stage succeeded."""
    PARTIAL_ENTITY_ONLY = "partial_entity_only"
    """Entities, and no relation."""
    PARTIAL_EARLY_EXIT = "partial_early_exit"
    """It ended on the way: some of it is missing or narrower."""
    FALLBACK_CACHE = "fallback_cache"
    """A stage's earlier results stand in for its own."""
    EMPTY = "empty"
    """Nothing at all."""


class End(StrEnum):
    """How a stage ended."""

    COMPLETED = "completed"
    DEGRADED = "degraded"
    """It did less and went on: a smaller scope, or what it had when its time was up."""
    FELL_BACK = "fell_back"
    """Its fallback stands in for it."""
    TIMED_OUT = "timed_out"
    FAILED = "failed"
    OUT_OF_BUDGET = "out_of_budget"
    CANCELLED = "cancelled"
    NOT_STARTED = "not_started"

    @property
    def whole(self) -> bool:
        """Whether the stages after it may build on it as if it had run to its end."""
        return self in (End.COMPLETED, End.DEGRADED, End.FELL_BACK)


@dataclass(frozen=True, kw_only=True)
class StageEnding:
    """How a stage ended, and how much it gave."""

    stage: str
    end: End
    items: int = 0
    """Items that can be used."""
    reason: str = ""
    error: AssayError | None = field(default=None, compare=False)

    @property
    def usable(self) -> bool:
        """Whether there is something that another stage could go on with."""
        return self.end.whole or self.items > 0


@dataclass(frozen=True, kw_only=True)
class FailedStage:
    """A stage that began and did not come to its end."""

    stage: str
    reason: str
    error_code: str
    """The code of the error tree, or how the stage ended where no error was raised."""
    error: AssayError | None = field(default=None, compare=False)
    """The error itself, for what it tells besides its code, such as when a denial recovers."""


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
    """What a request gave, whole or not."""

    request_id: str
    """The request that ran; equal requests at the same time share its result."""
    completeness: Completeness
    outputs: Mapping[str, Any]
    """By stage; a stage that was stopped has here what it had kept."""
    endings: Mapping[str, StageEnding]
    failed_stages: tuple[FailedStage, ...]
    skipped_stages: tuple[str, ...]
    """Stages that never began."""
    token_usage: TokenUsage
    execution_ms: int
    warnings: tuple[str, ...] = ()
    unverified: bool = False
    """Whether it holds items that the stage for it did not verify."""
    error: FailedStage | None = None
    """The stage that the request could not do without; its caller is to be told of an error."""


Endings = Mapping[str, StageEnding]


@dataclass(frozen=True, kw_only=True)
class ResultRule:
    """How a pipeline reads the endings of its stages. The supervisor knows none of them."""

    completeness: Callable[[Endings], Completeness]
    unverified: Callable[[Endings], bool] = field(default=lambda endings: False)


ENTITIES = "entityExtraction"
SCOPING = "propertyScoping"
RELATIONS = "relationExtraction"
GROUNDING = "grounding"
CHUNKING = "chunking"

_HARMLESS: Mapping[str, frozenset[End]] = MappingProxyType(
    {
        # One chunk of the whole text holds all that many would.
        CHUNKING: frozenset({End.TIMED_OUT, End.FAILED, End.FELL_BACK, End.DEGRADED}),
        # Relations stay, marked as unverified.
        GROUNDING: frozenset({End.TIMED_OUT, End.FAILED, End.DEGRADED}),
    }
)
"""Endings that take nothing away from the result."""


def completeness_of(endings: Endings) -> Completeness:
    """The graph's decision tree. A stage that the pipeline does not have decides nothing."""
    entities, relations = _items(endings, ENTITIES), _items(endings, RELATIONS)
    for stage in (ENTITIES, RELATIONS):
        if stage in endings and not endings[stage].end.whole:
            if relations:
                return Completeness.PARTIAL_EARLY_EXIT
            return Completeness.PARTIAL_ENTITY_ONLY if entities else Completeness.EMPTY
    bearing = [e for e in endings.values() if e.end not in _HARMLESS.get(e.stage, frozenset())]
    if any(not ending.end.whole for ending in bearing):
        has_any = any(ending.items for ending in endings.values() if ending.stage != CHUNKING)
        return Completeness.PARTIAL_EARLY_EXIT if has_any else Completeness.EMPTY
    if any(ending.end is End.DEGRADED for ending in bearing):
        return Completeness.PARTIAL_EARLY_EXIT
    if any(ending.end is End.FELL_BACK for ending in bearing):
        return Completeness.FALLBACK_CACHE
    return Completeness.COMPLETE


def relations_unverified(endings: Endings) -> bool:
    """Whether there are relations that grounding did not judge."""
    grounding = endings.get(GROUNDING)
    verified = grounding is not None and grounding.end in (End.COMPLETED, End.FELL_BACK)
    return _items(endings, RELATIONS) > 0 and not verified


GRAPH_RULE = ResultRule(completeness=completeness_of, unverified=relations_unverified)
"""The rule of the six-stage extraction; of a pipeline without these stages it asks only whether
every stage came to its end."""


def _items(endings: Endings, stage: str) -> int:
    return endings[stage].items if stage in endings else 0
