"""Concepts and their rules, a page at a time."""

from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.errors import NotFound
from assay.ruling.rules.conditions import parse_condition_text, render_condition
from assay.ruling.rules.descriptions import describe_period, describe_value
from assay.store import truth
from assay.store.database import explain_errors

MOST_RULES = 200
"""How many rules of a concept are shown."""


@dataclass(frozen=True)
class ConceptPage:
    """Some concepts in the order of their names."""

    rows: list[dict[str, Any]]
    next: str | None
    """The last name, if there are more concepts after it."""


def list_concept_page(
    app: App, *, words: str = "", pack: str | None = None, after: str = "", limit: int = 50
) -> ConceptPage:
    """Concepts whose name or one of whose labels contains all words, with how many rules each has.

    Upper and lower case make no difference, as far as the database knows the letters.
    """
    concept, alias, rule = truth.concept, truth.concept_alias, truth.rule
    query = sa.select(concept).where(concept.c.concept > after)
    if pack is not None:
        query = query.where(concept.c.pack == pack)
    for word in words.casefold().split():
        with_alias = sa.select(alias.c.concept).where(
            sa.func.lower(alias.c.alias).contains(word, autoescape=True)
        )
        query = query.where(
            sa.or_(
                sa.func.lower(concept.c.concept).contains(word, autoescape=True),
                sa.func.lower(concept.c.label).contains(word, autoescape=True),
                concept.c.concept.in_(with_alias),
            )
        )
    rows = app.fetch_rows(query.order_by(concept.c.concept).limit(limit + 1))
    shown = rows[:limit]
    counted = (
        sa.select(rule.c.concept, rule.c.status, sa.func.count().label("count"))
        .where(rule.c.concept.in_([row["concept"] for row in shown]))
        .group_by(rule.c.concept, rule.c.status)
    )
    statuses: dict[str, dict[str, int]] = {}
    for row in app.fetch_rows(counted):
        statuses.setdefault(row["concept"], {})[row["status"]] = int(row["count"])
    found = [{**row, "statuses": statuses.get(row["concept"], {})} for row in shown]
    return ConceptPage(found, shown[-1]["concept"] if len(rows) > limit else None)


def describe_concept(app: App, name: str) -> dict[str, Any]:
    """A concept with its names and its rules over time, the earliest first."""
    concept, alias, rule = truth.concept, truth.concept_alias, truth.rule
    with explain_errors(), app.engine.connect() as connection:
        row = (
            connection.execute(sa.select(concept).where(concept.c.concept == name))
            .mappings()
            .first()
        )
        if row is None:
            raise NotFound(
                f"There is no concept {name}.", advice="'assay rules list' lists the rules."
            )
        aliases = connection.execute(
            sa.select(alias.c.alias).where(alias.c.concept == name).order_by(alias.c.alias)
        ).scalars()
        query = (
            sa.select(rule)
            .where(rule.c.concept == name)
            .order_by(sa.func.coalesce(rule.c.effective_from, ""), rule.c.rule_id)
            .limit(MOST_RULES + 1)
        )
        rules = [_describe(dict(each)) for each in connection.execute(query).mappings()]
        names = [str(each) for each in aliases]
    return {
        **row,
        "aliases": names,
        "rules": rules[:MOST_RULES],
        "are_more": len(rules) > MOST_RULES,
    }


def is_valid_on(rule: dict[str, Any], day: date) -> bool:
    """Whether a rule of `describe_concept` is in force on a day; one without a start is."""
    on, first, end = day.isoformat(), rule["effective_from"], rule["effective_until"]
    return (first is None or first <= on) and (end is None or on < end)


def _describe(row: dict[str, Any]) -> dict[str, Any]:
    return {
        **row,
        "display": describe_value(row["value"], row["value_type"], row["unit"]),
        "period": describe_period(row["effective_from"], row["effective_until"]),
        "condition": render_condition(parse_condition_text(row["applies_when"])),
    }
