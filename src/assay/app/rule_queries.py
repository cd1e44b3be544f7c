"""Queries for rules, concepts and facts: what exists, what supports it, what was rejected."""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App, RowPage
from assay.engine.grouping import group_pairs
from assay.errors import NotFound
from assay.model.concepts import parse_concept
from assay.model.ids import suggest_name
from assay.ruling.concept_search import ConceptSearch, list_labels
from assay.ruling.rules.conditions import parse_condition_text, render_condition
from assay.store import tables as t
from assay.store import truth
from assay.store.database import explain_errors


def list_rules(
    app: App, *, limit: int | None = None, concept: str | None = None, **only: str | None
) -> RowPage:
    """Rules by concept and date, of the concepts that a name covers; `only` filters by a column."""
    table = truth.rule
    query = sa.select(table).order_by(
        table.c.concept, sa.func.coalesce(table.c.effective_from, ""), table.c.rule_id
    )
    filters = [*_build_filters(table, only), *_filter_concept(app, table, concept)]
    found, left_out = app.fetch_page(query.where(*filters), limit)
    return [_add_condition(row) for row in found], left_out


def describe_rule(app: App, rule_id: str) -> dict[str, Any]:
    """One rule with its quotes, its effect on other rules, and its releases."""
    with explain_errors(), app.engine.connect() as connection:
        query = sa.select(truth.rule).where(truth.rule.c.rule_id == rule_id)
        rules = _fetch_rows(connection, query)
        if not rules:
            known = connection.execute(sa.select(truth.rule.c.rule_id)).scalars()
            raise _missing_rule_error(rule_id, map(str, known))
        edge, conflict, side = truth.rule_edge.c, truth.conflict, truth.conflict_side
        release, member = truth.release, truth.released_rule
        return {
            **_add_condition(rules[0]),
            "similar": list_similar_rules(connection, rules[0]),
            "sources": _load_sources(connection, rule_id),
            "edges": _fetch_rows(
                connection,
                sa.select(truth.rule_edge)
                .where(sa.or_(edge.from_rule == rule_id, edge.to_rule == rule_id), edge.holds)
                .order_by(edge.kind, edge.from_rule, edge.to_rule),
            ),
            "conflicts": _fetch_rows(
                connection,
                sa.select(conflict, side.c.contested, side.c.gave_way_to)
                .join(side, side.c.conflict_id == conflict.c.conflict_id)
                .where(side.c.rule_id == rule_id, side.c.holds),
            ),
            "releases": list(
                connection.execute(
                    sa.select(release.c.version)
                    .join(member, member.c.release_id == release.c.release_id)
                    .where(member.c.rule_id == rule_id)
                    .order_by(release.c.number)
                ).scalars()
            ),
        }


def describe_released_rule(app: App, rule_id: str) -> dict[str, Any]:
    """One rule for everybody: it must be in a release that was not rolled back, and so must the
    other rules that it is shown with. What a person changed since is left out as well."""
    release, member = truth.release, truth.released_rule
    with explain_errors(), app.engine.connect() as connection:
        query = (
            sa.select(member.c.rule_id)
            .join(release, member.c.release_id == release.c.release_id)
            .where(release.c.state == "PUBLISHED")
        )
        public = {str(key) for key in connection.execute(query).scalars()}
    if rule_id not in public:
        raise _missing_rule_error(rule_id, public, "released rule")
    found = describe_rule(app, rule_id)
    return {
        **{name: value for name, value in found.items() if name != "person_version"},
        "similar": [rule for rule in found["similar"] if rule["rule_id"] in public],
        "edges": [e for e in found["edges"] if {e["from_rule"], e["to_rule"]} <= public],
        "conflicts": [_hide_unreleased(conflict, public) for conflict in found["conflicts"]],
    }


def _hide_unreleased(conflict: Mapping[str, Any], public: Collection[str]) -> dict[str, Any]:
    """What there is to know of a conflict without its other sides."""
    gave_way = conflict["gave_way_to"]
    return {
        **{name: conflict[name] for name in ("conflict_id", "kind", "state", "contested")},
        "gave_way_to": gave_way if gave_way in public else None,
    }


def list_similar_rules(connection: sa.Connection, rule: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rules with another value that may concern the same thing: only a person can tell."""
    name, table = parse_concept(rule["concept"]), truth.rule
    own, other = truth.concept.alias(), truth.concept.alias()
    of_topic = (
        sa.select(other.c.concept)
        .join(
            own,
            sa.and_(own.c.subject == other.c.subject, own.c.predicate == other.c.predicate),
        )
        .where(own.c.concept == rule["concept"])
    )
    concepts = connection.execute(of_topic).scalars()
    meant = [key for key in map(str, concepts) if name.may_be(parse_concept(key))]
    if not meant:
        return []
    query = (
        sa.select(table)
        .where(
            table.c.concept.in_(meant),
            table.c.value_type == rule["value_type"],
            table.c.unit == rule["unit"],
            table.c.value != rule["value"],
            table.c.status.not_in(("DEPRECATED", "REJECTED")),
        )
        .order_by(table.c.concept, table.c.rule_id)
    )
    # Not a condition of the query: of two indexes, SQLite would take the one on the pack.
    return [row for row in _fetch_rows(connection, query) if row["pack"] == rule["pack"]]


def list_concepts(app: App, words: str = "", *, limit: int | None = None) -> RowPage:
    """Concepts with their names and number of rules; `words` must occur in one of the names."""
    alias, rule = truth.concept_alias, truth.rule
    with explain_errors(), app.engine.connect() as connection:
        concepts = _fetch_rows(
            connection, sa.select(truth.concept).order_by(truth.concept.c.concept)
        )
        names: dict[str, list[str]] = {}
        for entry in _fetch_rows(connection, sa.select(alias).order_by(alias.c.alias)):
            names.setdefault(entry["concept"], []).append(entry["alias"])
        counted = sa.select(rule.c.concept, sa.func.count()).group_by(rule.c.concept)
        counts = {concept: int(count) for concept, count in connection.execute(counted)}
    found = [
        {**row, "aliases": names.get(row["concept"], []), "rules": counts.get(row["concept"], 0)}
        for row in concepts
    ]
    # In Python, since databases differ in how they fold the case of non-ASCII letters.
    pattern = words.casefold()
    meant = set(select_concepts(app, truth.concept, words)) if words else set()
    matching = [
        row
        for row in found
        if row["concept"] in meant
        or any(pattern in n.casefold() for n in (row["concept"], row["label"], *row["aliases"]))
    ]
    return matching[:limit], len(matching) - len(matching[:limit])


def list_facts(
    app: App, *, limit: int | None = None, concept: str | None = None, **only: str | None
) -> RowPage:
    """Facts by document and position, of the concepts that a name covers."""
    table = truth.candidate_fact
    query = sa.select(table).order_by(table.c.doc_id, table.c.start, table.c.fact_id)
    filters = [*_build_filters(table, only), *_filter_concept(app, table, concept)]
    found, left_out = app.fetch_page(query.where(*filters), limit)
    return [_add_condition(row) for row in found], left_out


def list_rejected(app: App, *, limit: int | None = None, **only: str | None) -> RowPage:
    """Claims that failed a gate, by reason."""
    table = truth.extraction_rejected
    query = sa.select(table).order_by(table.c.reason, table.c.evidence_id, table.c.rejected_id)
    return app.fetch_page(query.where(*_build_filters(table, only)), limit)


def summarize_coverage(
    app: App, *, limit: int | None = None
) -> tuple[dict[str, Any], list[dict[str, Any]], int]:
    """The totals, then the documents: least covered first, those with nothing to cover last."""
    table, evidence = truth.coverage_report, t.evidence
    names = (
        "sentences", "relevant", "covered", "values_total", "values_found", "facts", "rejected",
    )  # fmt: skip
    query = (
        sa.select(table, evidence.c.url, evidence.c.source_slug)
        .outerjoin(evidence, evidence.c.evidence_id == table.c.evidence_id)
        .order_by(table.c.share.nulls_last(), table.c.relevant.desc(), table.c.evidence_id)
    )
    rows = app.fetch_rows(query)
    whole: dict[str, Any] = {name: sum(row[name] for row in rows) for name in names}
    relevant = whole["relevant"]
    whole["documents"] = len(rows)
    whole["share"] = round(whole["covered"] / relevant, 4) if relevant else None
    return whole, rows[:limit], len(rows) - len(rows[:limit])


def _load_sources(connection: sa.Connection, rule_id: str) -> list[dict[str, Any]]:
    pointer, evidence, source = truth.source_pointer, t.evidence, t.source
    query = (
        sa.select(
            pointer,
            source.c.name,
            evidence.c.url,
            evidence.c.content_hash.label("evidence_hash"),
        )
        .outerjoin(evidence, evidence.c.evidence_id == pointer.c.evidence_id)
        .outerjoin(source, source.c.source_slug == pointer.c.source_slug)
        .where(pointer.c.rule_id == rule_id)
        .order_by(pointer.c.source_slug, pointer.c.pointer_id)
    )
    return _fetch_rows(connection, query)


def _missing_rule_error(rule_id: str, known: Iterable[str], what: str = "rule") -> NotFound:
    advice = f"{suggest_name(rule_id, known)}'assay rules list' lists them."
    return NotFound(f"There is no {what} {rule_id}.", advice=advice)


def _build_filters(table: sa.Table, only: Mapping[str, str | None]) -> list[Any]:
    return [table.c[name] == value for name, value in only.items() if value is not None]


def select_concepts(app: App, table: sa.Table, name: str) -> list[str]:
    """The concepts in a table that a person's name for them covers; none if it names none."""
    alias = truth.concept_alias
    with explain_errors(), app.engine.connect() as connection:
        pairs = sa.select(table.c.pack, table.c.concept).distinct()
        of_pack = group_pairs((str(pack), str(key)) for pack, key in connection.execute(pairs))
        rows = connection.execute(sa.select(alias.c.concept, alias.c.alias))
        labels = group_pairs((str(key), str(label)) for key, label in rows)
    searches = (
        ConceptSearch(
            {
                key: (*labels.get(key, ()), *list_labels(key, app.facts.get(pack)))
                for key in concepts
            },
            app.facts.get(pack),
            app.settings.aliases,
        )
        for pack, concepts in of_pack.items()
    )
    return sorted({concept for search in searches for concept in search.select(name)})


def _filter_concept(app: App, table: sa.Table, name: str | None) -> list[Any]:
    return [] if name is None else [table.c.concept.in_(select_concepts(app, table, name))]


def _fetch_rows(connection: sa.Connection, query: sa.Select[Any]) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(query).mappings()]


def _add_condition(row: dict[str, Any]) -> dict[str, Any]:
    """Add the condition as data instead of text, and in words."""
    condition = row["applies_when"]
    return {
        **row,
        "applies_when": json.loads(condition),
        "condition": render_condition(parse_condition_text(condition)),
    }
