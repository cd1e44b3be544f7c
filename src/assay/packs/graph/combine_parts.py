"""The results of a text's parts combined: how complete they are, what failed, what they cost."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from assay.packs.graph.results import GraphResult, TokenCounts
from assay.packs.graph.steps import GraphCompleteness

_ORDER = (
    GraphCompleteness.COMPLETE,
    GraphCompleteness.FALLBACK_CACHE,
    GraphCompleteness.PARTIAL_EARLY_EXIT,
    GraphCompleteness.PARTIAL_ENTITY_ONLY,
    GraphCompleteness.EMPTY,
)
"""From the most to the least complete."""


def combine_results(
    last: GraphResult, parts: Sequence[GraphResult], *, known: Collection[str], execution_ms: int
) -> GraphResult:
    """Add to the joined result what the parts report besides their graphs.

    `known` are warnings that every part repeats; they are listed once.
    """
    numbered = list(enumerate(parts, 1))
    spent = [part.tokens for part in parts if not part.stored]
    return replace(
        last,
        completeness=_combine_completeness(last, parts),
        failed_stages=(
            *(
                replace(failure, reason=f"part {number}: {failure.reason}")
                for number, part in numbered
                for failure in part.failed_stages
            ),
            *last.failed_stages,
        ),
        skipped_stages=_remove_repeats(
            step for result in (*parts, last) for step in result.skipped_stages
        ),
        tokens=TokenCounts(
            allocated=sum(tokens.allocated for tokens in spent),
            used=sum(tokens.used for tokens in spent),
            remaining=sum(tokens.remaining for tokens in spent),
        ),
        execution_ms=execution_ms,
        warnings=_remove_repeats((*known, *_collect_warnings(numbered, known), *last.warnings)),
    )


def _combine_completeness(last: GraphResult, parts: Sequence[GraphResult]) -> GraphCompleteness:
    """Take the completeness of the worst part, as far as it is true of all parts together."""
    worst = max((result.completeness for result in (*parts, last)), key=_ORDER.index)
    if _ORDER.index(worst) <= _ORDER.index(GraphCompleteness.PARTIAL_EARLY_EXIT):
        return worst
    if last.relations:
        return GraphCompleteness.PARTIAL_EARLY_EXIT
    return GraphCompleteness.PARTIAL_ENTITY_ONLY if last.entities else GraphCompleteness.EMPTY


def _collect_warnings(
    numbered: Iterable[tuple[int, GraphResult]], known: Collection[str]
) -> Iterator[str]:
    for number, part in numbered:
        yield from (f"part {number}: {each}" for each in part.warnings if each not in known)


def _remove_repeats(each: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each))
