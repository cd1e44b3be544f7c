"""What an extraction gives, whole or not, as it is shown and stored."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from assay.packs.graph.model import Entity, Graph, Relation
from assay.packs.graph.steps import GraphCompleteness
from assay.sdk.errors import InvalidInput

_BY = ", "


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFailure:
    """A stage that began and did not come to its end."""

    stage: str
    reason: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCounts:
    """What the request was given and what it used."""

    allocated: int = 0
    used: int = 0
    remaining: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A shape that the graph does not keep to."""

    node: str
    path: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphResult:
    """A graph with how much of it there is, what failed and what it cost."""

    request_id: str
    key: str
    """The hash of text, ontology and options: equal requests have equal keys."""
    by: str
    """Who found what is in it: `deterministic@1`, provider and model, or both."""
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
    """Whether it holds relations that nobody verified."""
    error: StepFailure | None = None
    """The stage without which there is no result."""
    stored: bool = False
    """Whether it was found in the store, and nothing was done or spent for it."""

    @property
    def entities(self) -> tuple[Entity, ...]:
        return self.graph.entities

    @property
    def relations(self) -> tuple[Relation, ...]:
        return self.graph.relations

    def to_dict(self) -> dict[str, Any]:
        """For a machine, and for the store."""
        told: dict[str, Any] = _build_adapter().dump_python(self, mode="json")
        return told


def parse_result(values: object) -> GraphResult:
    """A result from its values."""
    try:
        return _build_adapter().validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(
            f"This is no result of an extraction: {place}: {first['msg']}."
        ) from error


def parse_stored_result(data: bytes) -> GraphResult | None:
    """A result from its bytes in the store; None where they are of another version."""
    try:
        return parse_result(json.loads(data))
    except (InvalidInput, ValueError):
        return None


def join_names(names: Iterable[str]) -> str:
    """All who had a part in something, each once."""
    return _BY.join(sorted({name for told in names for name in told.split(_BY) if name}))


@cache
def _build_adapter() -> TypeAdapter[GraphResult]:
    return TypeAdapter(GraphResult)
