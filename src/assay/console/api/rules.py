"""Concepts and single rules."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from assay.app import rule_queries
from assay.console.access import Reader
from assay.console.api.routing import build_router
from assay.console.layout import OwnApp

router = build_router("rules")


class NamedConcept(BaseModel):
    """A thing that rules are about."""

    concept: str
    pack: str
    domain: str
    subject: str
    predicate: str
    tier: str
    label: str
    aliases: list[str]
    rules: int


class ConceptList(BaseModel):
    """Concepts, and how many more there are."""

    concepts: list[NamedConcept]
    left_out: int


class ReleasedRuleShown(BaseModel):
    """A released rule with what supports it."""

    rule_id: str
    pack: str
    concept: str
    domain: str
    tier: str
    value: str
    value_type: str
    unit: str
    effective_from: str | None
    effective_until: str | None
    applies_when: Any
    condition: str
    """The condition in words."""
    amends: bool
    status: str
    status_reason: str
    confidence: float
    approved_by: str | None
    approved_ms: int | None
    approved_key: str | None
    created_ms: int
    similar: list[dict[str, Any]]
    sources: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    conflicts: list[dict[str, Any]]
    releases: list[str]


@router.get("/api/concepts")
def list_concepts(
    app: OwnApp,
    _principal: Reader,
    q: Annotated[str, Query(description="Words that occur in one of its names.")] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
) -> ConceptList:
    """The concepts and all their names."""
    found, left_out = rule_queries.list_concepts(app, q, limit=limit)
    return ConceptList.model_validate({"concepts": found, "left_out": left_out})


@router.get("/api/rules/{rule_id}")
def show_rule(app: OwnApp, _principal: Reader, rule_id: str) -> ReleasedRuleShown:
    """One released rule: its quotes, its relations, and the releases that contain it."""
    found = rule_queries.describe_released_rule(app, rule_id)
    return ReleasedRuleShown.model_validate(found)
