"""The six steps of an extraction: their tokens, their timeouts, and what each ending means.

The numbers come from the specification. The control plane takes them as data and knows nothing
about the steps.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from assay.sdk.models import (
    RESERVE,
    CascadeRow,
    CleanUpAction,
    Endings,
    ResultRule,
    StepEnd,
    StepTimeout,
    TimeoutEscalation,
    TokenBudget,
    build_budget_from_percentages,
    build_budget_from_table,
)

CHUNKING = "chunking"
ENTITIES = "entityExtraction"
SCOPING = "propertyScoping"
RELATIONS = "relationExtraction"
GROUNDING = "grounding"
SERIALIZATION = "serialization"

TOKENS = 4096
"""What one part of a text may cost by default."""
TOKEN_TABLE: Mapping[str, int] = MappingProxyType(
    {ENTITIES: 1440, RELATIONS: 1440, GROUNDING: 615, SCOPING: 328, RESERVE: 273}
)
"""How the default total is divided."""
TOKEN_PERCENTAGES: Mapping[str, int] = MappingProxyType(
    {ENTITIES: 35, RELATIONS: 35, GROUNDING: 15, SCOPING: 8}
)
"""How any other total is divided; the rest is the reserve."""
OVERFLOWING = frozenset({ENTITIES})
"""Steps that may use what others leave."""

TIMEOUTS: Mapping[str, StepTimeout] = MappingProxyType(
    {
        CHUNKING: StepTimeout(
            soft_ms=3_000,
            hard_ms=5_000,
            escalation=TimeoutEscalation.SKIP_STEP,
            allow_partial=False,
        ),
        ENTITIES: StepTimeout(
            soft_ms=45_000,
            hard_ms=60_000,
            escalation=TimeoutEscalation.REDUCE_SCOPE_RETRY,
            allow_partial=True,
            max_retries=3,
        ),
        SCOPING: StepTimeout(
            soft_ms=10_000,
            hard_ms=15_000,
            escalation=TimeoutEscalation.SKIP_STEP,
            allow_partial=True,
        ),
        RELATIONS: StepTimeout(
            soft_ms=45_000,
            hard_ms=60_000,
            escalation=TimeoutEscalation.REDUCE_SCOPE_RETRY,
            allow_partial=True,
            max_retries=2,
        ),
        GROUNDING: StepTimeout(
            soft_ms=20_000,
            hard_ms=30_000,
            escalation=TimeoutEscalation.FALLBACK_CACHE,
            allow_partial=True,
            max_retries=1,
        ),
        SERIALIZATION: StepTimeout(
            soft_ms=5_000,
            hard_ms=10_000,
            escalation=TimeoutEscalation.ABORT_PIPELINE,
            allow_partial=False,
        ),
    }
)

CASCADE: Mapping[str, CascadeRow] = MappingProxyType(
    {
        CHUNKING: CascadeRow(
            cancels_siblings=(ENTITIES, SCOPING), dependents=(ENTITIES,), graceful_exit_ms=1_000
        ),
        ENTITIES: CascadeRow(
            cancels_siblings=(RELATIONS, GROUNDING),
            dependents=(SCOPING, RELATIONS),
            graceful_exit_ms=5_000,
            clean_up=(
                CleanUpAction.ABORT_LLM_CALL,
                CleanUpAction.DRAIN_STREAM,
                CleanUpAction.RELEASE_SEMAPHORE,
            ),
        ),
        SCOPING: CascadeRow(
            cancels_siblings=(RELATIONS,), dependents=(RELATIONS,), graceful_exit_ms=2_000
        ),
        RELATIONS: CascadeRow(
            cancels_siblings=(GROUNDING,),
            dependents=(GROUNDING,),
            graceful_exit_ms=5_000,
            clean_up=(CleanUpAction.ABORT_LLM_CALL, CleanUpAction.RELEASE_SEMAPHORE),
        ),
        GROUNDING: CascadeRow(
            cancels_siblings=(SERIALIZATION,),
            dependents=(SERIALIZATION,),
            graceful_exit_ms=3_000,
            clean_up=(CleanUpAction.ABORT_LLM_CALL,),
        ),
        SERIALIZATION: CascadeRow(graceful_exit_ms=2_000),
    }
)


class GraphCompleteness(StrEnum):
    """How much of a graph a result contains."""

    COMPLETE = "complete"
    """Every step succeeded."""
    PARTIAL_ENTITY_ONLY = "partial_entity_only"
    """Entities but no relations."""
    PARTIAL_EARLY_EXIT = "partial_early_exit"
    """It ended early: some of it is missing or has a smaller scope."""
    FALLBACK_CACHE = "fallback_cache"
    """Earlier results replace those of a step."""
    EMPTY = "empty"
    """Nothing at all."""


_HARMLESS: Mapping[str, frozenset[StepEnd]] = MappingProxyType(
    {
        # One chunk of the whole text contains everything that several would.
        CHUNKING: frozenset(
            {StepEnd.TIMED_OUT, StepEnd.FAILED, StepEnd.FELL_BACK, StepEnd.DEGRADED}
        ),
        # Relations stay, marked as unverified.
        GROUNDING: frozenset({StepEnd.TIMED_OUT, StepEnd.FAILED, StepEnd.DEGRADED}),
    }
)
"""Endings that do not reduce the result."""


def plan_budget(total: int = TOKENS) -> TokenBudget:
    """Use the table for the default total, the percentages for any other."""
    if total == TOKENS:
        return build_budget_from_table(TOKEN_TABLE, overflowing=OVERFLOWING)
    return build_budget_from_percentages(total, TOKEN_PERCENTAGES, overflowing=OVERFLOWING)


def rate_graph(endings: Endings) -> GraphCompleteness:
    """Apply the decision tree. A step that the request does not have is ignored."""
    entities, relations = _count_items(endings, ENTITIES), _count_items(endings, RELATIONS)
    for step in (ENTITIES, RELATIONS):
        if step in endings and not endings[step].end.is_whole:
            if relations:
                return GraphCompleteness.PARTIAL_EARLY_EXIT
            return GraphCompleteness.PARTIAL_ENTITY_ONLY if entities else GraphCompleteness.EMPTY
    bearing = [e for e in endings.values() if e.end not in _HARMLESS.get(e.step, frozenset())]
    if any(not ending.end.is_whole for ending in bearing):
        has_any = any(ending.items for ending in endings.values() if ending.step != CHUNKING)
        return GraphCompleteness.PARTIAL_EARLY_EXIT if has_any else GraphCompleteness.EMPTY
    if any(ending.end is StepEnd.DEGRADED for ending in bearing):
        return GraphCompleteness.PARTIAL_EARLY_EXIT
    if any(ending.end is StepEnd.FELL_BACK for ending in bearing):
        return GraphCompleteness.FALLBACK_CACHE
    return GraphCompleteness.COMPLETE


def has_unverified_relations(endings: Endings) -> bool:
    """Whether there are relations that grounding did not judge."""
    grounding = endings.get(GROUNDING)
    verified = grounding is not None and grounding.end in (StepEnd.COMPLETED, StepEnd.FELL_BACK)
    return _count_items(endings, RELATIONS) > 0 and not verified


GRAPH_RULE = ResultRule(completeness=rate_graph, unverified=has_unverified_relations)


def _count_items(endings: Endings, step: str) -> int:
    return endings[step].items if step in endings else 0
