"""The result of an extraction, complete or partial, as it is shown and stored."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from threading import Lock
from typing import Any

from pydantic import TypeAdapter, ValidationError

from assay.packs.graph.model import Entity, Graph, Relation
from assay.packs.graph.steps import GraphCompleteness
from assay.sdk.errors import AssayError, InvalidInput
from assay.sdk.facts import RequestResults
from assay.sdk.records import canonical_json

KIND = "graph"
"""The kind under which results are stored."""
UNVERIFIED = "unverified"
"""The stored completeness of a result with relations that nobody verified."""
_BY = ", "
_SPAN_WEIGHT = 500
_ONE_AT_A_TIME = Lock()
"""Large JSON values keep all other threads waiting; several at once would do so for long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFailure:
    """A stage that started and did not finish."""

    stage: str
    reason: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCounts:
    """The tokens a request was given and what it used of them."""

    allocated: int = 0
    used: int = 0
    remaining: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A SHACL shape that the graph violates."""

    node: str
    path: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphResult:
    """A graph with its completeness, what failed and what it cost."""

    request_id: str
    key: str
    """The hash of text, ontology and options: equal requests have equal keys."""
    by: str
    """What found its contents: `deterministic@1`, provider and model, or both."""
    document: str
    """The hash of the text."""
    ontology: str
    """The key of the ontology."""
    completeness: GraphCompleteness
    graph: Graph
    rdf: Mapping[str, str] = field(default_factory=dict)
    """Format → the graph written in it."""
    violations: tuple[Violation, ...] = ()
    failed_stages: tuple[StepFailure, ...] = ()
    skipped_stages: tuple[str, ...] = ()
    tokens: TokenCounts = TokenCounts()
    execution_ms: int = 0
    warnings: tuple[str, ...] = ()
    unverified: bool = False
    """Whether it contains relations that nobody verified."""
    error: StepFailure | None = None
    """The failure that left no usable result."""
    stored: bool = False
    """Whether it came from the store, so nothing was run or spent."""

    @property
    def entities(self) -> tuple[Entity, ...]:
        return self.graph.entities

    @property
    def relations(self) -> tuple[Relation, ...]:
        return self.graph.relations

    @property
    def weight(self) -> int:
        """About how much memory it takes, in characters."""
        spans = sum(len(entity.mentions) + len(entity.attributes) for entity in self.entities)
        spans += sum(len(relation.quotes) for relation in self.relations)
        return _SPAN_WEIGHT * spans + sum(map(len, self.rdf.values()))

    def to_dict(self) -> dict[str, Any]:
        """As JSON values, for programs and for the store."""
        values: dict[str, Any] = _build_adapter().dump_python(self, mode="json")
        return values


def parse_result(values: object) -> GraphResult:
    """Parse a result from its JSON values."""
    try:
        return _build_adapter().validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(
            f"This is not the result of an extraction: {place}: {first['msg']}."
        ) from error


def parse_stored_result(data: bytes) -> GraphResult | None:
    """Parse a stored result; None if another version wrote it."""
    try:
        with _ONE_AT_A_TIME:
            return parse_result(json.loads(data))
    except (InvalidInput, ValueError):
        return None


def join_names(names: Iterable[str]) -> str:
    """Join the names of all contributors, each once."""
    return _BY.join(sorted({name for joined in names for name in joined.split(_BY) if name}))


async def find_kept_result(results: RequestResults | None, key: str) -> GraphResult | None:
    """Find the result of an equal request if it was complete; a partial one may do better now."""
    if results is None:
        return None

    def read() -> GraphResult | None:
        data = results.find(key)
        result = None if data is None else parse_stored_result(data)
        return result if result is not None and _is_whole(result) else None

    return await asyncio.to_thread(read)


async def keep_result(results: RequestResults | None, result: GraphResult) -> GraphResult:
    """Store a result. An empty one is not stored, because it must not replace a real one."""
    if results is None or result.completeness is GraphCompleteness.EMPTY:
        return result
    # Only complete results are kept permanently.
    completeness = UNVERIFIED if result.unverified else result.completeness.value

    def keep() -> None:
        with _ONE_AT_A_TIME:
            data = canonical_json(result.to_dict())
        results.keep(result.key, result.request_id, KIND, completeness, data)

    try:
        await asyncio.to_thread(keep)
    except AssayError as error:
        # The result is finished and paid for, and the caller is waiting for it.
        warning = f"The result could not be kept: {error.what}"
        return replace(result, warnings=(*result.warnings, warning))
    return result


def _is_whole(result: GraphResult) -> bool:
    """Whether another attempt could not find more."""
    return result.completeness is GraphCompleteness.COMPLETE and not result.unverified


@cache
def _build_adapter() -> TypeAdapter[GraphResult]:
    return TypeAdapter(GraphResult)
