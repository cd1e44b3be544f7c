"""Concepts, and the rules about them over time."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from assay.app.asking import parse_day, today
from assay.app.concept_pages import describe_concept, is_valid_on, list_concept_page
from assay.app.reviewing import describe_rule_for_review
from assay.app.rule_queries import describe_rule
from assay.console.access import Reader
from assay.console.layout import OwnApp, render_page
from assay.console.timelines import build_timeline
from assay.ruling.rules.descriptions import describe_period, describe_value

router = APIRouter()
_SHOWN = 50


@router.get("/rules")
def list_concepts(
    request: Request, app: OwnApp, _principal: Reader, q: str = "", pack: str = "", after: str = ""
) -> Response:
    """Concepts by name; their rules are a page further."""
    page = list_concept_page(app, words=q, pack=pack or None, after=after, limit=_SHOWN)
    further = None
    if page.next is not None:
        further = str(request.url.include_query_params(after=page.next))
    return render_page(
        request, "concepts.html", q=q, pack=pack, page=page, further=further,
        packs=sorted(app.facts),
    )  # fmt: skip


@router.get("/concepts/{name}")
def show_concept(
    request: Request, app: OwnApp, _principal: Reader, name: str, on: str = ""
) -> Response:
    """The rules of a concept over time, and which of them are in force on a day."""
    found, now = describe_concept(app, name), today(app.clock)
    day = parse_day(on) if on.strip() else now
    rules = [{**rule, "in_force": is_valid_on(rule, day)} for rule in found["rules"]]
    return render_page(
        request,
        "concept.html",
        concept=found,
        rules=rules,
        day=day.isoformat(),
        timeline=build_timeline(rules, now, day),
    )


@router.get("/rules/{rule_id}")
def show_rule(request: Request, app: OwnApp, _principal: Reader, rule_id: str) -> Response:
    """One rule: what it says, who says so, what it affects, and what became of it."""
    rule = describe_rule(app, rule_id)
    case = describe_rule_for_review(app, rule_id)
    return render_page(
        request,
        "rule.html",
        rule=rule,
        display=describe_value(rule["value"], rule["value_type"], rule["unit"]),
        period=describe_period(rule["effective_from"], rule["effective_until"]),
        quotes=case["quotes"],
        decisions=case["decisions"],
        requests=case["requests"],
        similar=[_describe_similar(each) for each in rule["similar"][:_SHOWN]],
    )


def _describe_similar(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "display": describe_value(row["value"], row["value_type"], row["unit"])}
