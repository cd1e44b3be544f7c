"""Conflicts between two rules become conflicts about a case, and what people decided is kept."""

from typing import Any

import pytest
import sqlalchemy as sa

from assay.model.rules import Rule
from assay.ruling.rules.rule_relations import make_conflict_id
from assay.store import schema, truth
from assay.store import tables as t
from tests.store.rows import contents
from tests.store.test_migrations import insert, upgrade_to

CASE = {"pack": "regulatory", "value_type": "percentage", "unit": "%", "applies_when": "always"}
PAIRS: dict[str, list[tuple[str, str, str, str | None, str | None]]] = {
    "decided.rate": [("a", "b", "RESOLVED", "person", "a"), ("a", "c", "RESOLVED", "person", "a")],
    "circle.rate": [("d", "e", "RESOLVED", "person", "d"), ("e", "f", "RESOLVED", "person", "e"),
                    ("d", "f", "RESOLVED", "person", "f")],
    "machine.rate": [("g", "h", "RESOLVED", "authority", "g")],
    "undone.rate": [("i", "j", "ESCALATED", "person", None)],
    "moot.rate": [("k", "l", "MOOT", None, None)],
}  # fmt: skip


@pytest.fixture
def of_ten(empty: sa.Engine) -> sa.Engine:
    """A store of version 0010 with conflicts between two rules each."""
    with empty.begin() as connection:
        upgrade_to(connection, "0010")
        for concept, pairs in PAIRS.items():
            for rule in sorted({rule for pair in pairs for rule in pair[:2]}):
                told = {"rule_id": rule, "concept": concept, **CASE}
                insert(connection, "rules", {**told, "status": "DRAFT", "tier": "T2"})
            for a, b, state, ground, winner in pairs:
                _store_pair(connection, concept, (a, b), state, ground, winner)
        edge = {"from_rule": "l", "to_rule": "k", "reason": "holds from 2026-01-01"}
        insert(connection, "rule_edges", {**edge, "kind": "SUPERSEDES", "holds": True})
    return empty


def _store_pair(
    connection: sa.Connection, concept: str, rules: tuple[str, str], state: str,
    ground: str | None, winner: str | None,
) -> None:  # fmt: skip
    a, b = rules
    key = f"cf_{a}{b}"
    told: dict[str, Any] = {"conflict_id": key, "pack": "regulatory", "concept": concept}
    insert(connection, "conflicts", {**told, "rule_a": a, "rule_b": b, "state": state,
                                     "ground": ground, "winner": winner, "resolution": None,
                                     "recommendation": None})  # fmt: skip
    insert(connection, "review_requests",
           {"request_id": f"rq_{key}", "subject_kind": "conflict", "subject": key,
            "state": "ANSWERED" if state == "RESOLVED" else "OPEN"})  # fmt: skip
    if ground == "person":
        machine = {"sources": {a: "x", b: "y"}, "quotes": {a: ["qa"], b: ["qb"]}}
        insert(connection, "review_decisions",
               {"decision_id": f"rd_{key}", "subject_kind": "conflict", "subject": key,
                "decision": "RESOLVE" if winner else "UNDO", "person": "Ana",
                "machine": machine, "version": {"winner": winner}})  # fmt: skip


def _key(concept: str) -> str:
    told = {"rule_id": "x", "domain": "d", "tier": "T2", "value": "1", "concept": concept}
    return make_conflict_id(Rule.model_validate({**told, **CASE}))


def test_a_decision_stays_and_everything_else_is_open_again(of_ten: sa.Engine) -> None:
    schema.migrate(of_ten)
    with of_ten.connect() as connection:
        conflicts = {row["conflict_id"]: row for row in contents(connection, truth.conflict)}
        sides = contents(connection, truth.conflict_side)
        decisions = contents(connection, truth.review_decision)
        resolutions = contents(connection, truth.conflict_resolution)
    assert {row["concept"]: row["state"] for row in conflicts.values()} == {
        "decided.rate": "RESOLVED", "circle.rate": "OPEN", "machine.rate": "OPEN",
        "undone.rate": "OPEN",
    }  # fmt: skip
    assert conflicts.keys() == {_key(row["concept"]) for row in conflicts.values()}
    decided = _key("decided.rate")
    assert {
        row["rule_id"]: row["gave_way_to"] for row in sides if row["conflict_id"] == decided
    } == {"a": None, "b": "a", "c": "a"}
    assert {row["contested"] for row in sides if row["conflict_id"] != decided} == {True}
    copied = {row["subject"]: row for row in decisions if row["subject"] in conflicts}
    assert {key: row["decision"] for key, row in copied.items()} == {
        decided: "RESOLVE", _key("circle.rate"): "UNDO", _key("undone.rate"): "UNDO",
    }  # fmt: skip
    assert copied[decided]["machine"]["quotes"].keys() == {"a", "b", "c"}
    assert [(row["conflict_id"], row["winner"]) for row in resolutions] == [(decided, "a")]


def test_each_concept_that_was_settled_otherwise_is_looked_at(of_ten: sa.Engine) -> None:
    schema.migrate(of_ten)
    with of_ten.connect() as connection:
        jobs = [row for row in contents(connection, t.job) if row["state"] == "queued"]
        runs = contents(connection, t.run)
        asked = contents(connection, t.review_request)
    # The last one only because of its edge.
    assert sorted(job["payload"]["concept"] for job in jobs) == sorted(PAIRS)
    (run,) = runs
    assert (run["label"], run["state"]) == ("upgrade", "open")
    assert {(job["stage"], job["run_id"]) for job in jobs} == {("apply", run["run_id"])}
    assert {row["state"] for row in asked} == {"ANSWERED", "MOOT"}


def test_the_conflicts_between_two_rules_are_kept(of_ten: sa.Engine) -> None:
    pairs = {f"cf_{a}{b}": (a, b, state) for some in PAIRS.values() for a, b, state, *_ in some}
    schema.migrate(of_ten)
    with of_ten.connect() as connection:
        kept = contents(connection, truth.conflict_pair)
        decided = contents(connection, truth.review_decision)
        known = {row["conflict_id"] for row in contents(connection, truth.conflict)}
    assert {r["conflict_id"]: (r["rule_a"], r["rule_b"], r["state"]) for r in kept} == pairs
    assert {row["subject"] for row in decided} <= known | pairs.keys()


def test_a_case_may_have_more_pairs_than_a_query_has_parameters(empty: sa.Engine) -> None:
    rules = 363
    with empty.begin() as connection:
        upgrade_to(connection, "0010")
        told = {"rule_id": "r0000", "concept": "x.rate", **CASE}
        insert(connection, "rules", {**told, "status": "DRAFT", "tier": "T2"})
        table = sa.Table("rules", sa.MetaData(), autoload_with=connection)
        (first,) = contents(connection, table)
        more = [{**first, "rule_id": f"r{at:04}"} for at in range(1, rules)]
        connection.execute(sa.insert(table), more)
        connection.exec_driver_sql(
            "INSERT INTO conflicts (conflict_id, pack, concept, kind, sign, rule_a, rule_b, state,"
            " created_ms) SELECT a.rule_id || b.rule_id, a.pack, a.concept, 'SOURCE',"
            " 'VALUE_MISMATCH', a.rule_id, b.rule_id, 'OPEN', 1"
            " FROM rules a JOIN rules b ON a.rule_id < b.rule_id"
        )
    schema.migrate(empty)
    with empty.connect() as connection:
        pairs = sa.select(sa.func.count()).select_from(truth.conflict_pair)
        assert connection.execute(pairs).scalar() == rules * (rules - 1) // 2 > 65_535
        assert len(contents(connection, truth.conflict)) == 1
        assert len(contents(connection, truth.conflict_side)) == rules
