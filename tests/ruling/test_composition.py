"""From facts to rules: the same meaning gives the same rule, and nothing else does."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ruling.rules.composition import (
    build_concept,
    draft_rule,
    group_by_rule,
    make_pointer,
    make_rule_id,
)
from tests.ruling.rule_makers import a_fact
from tests.ruling.statements import PACK

FACT = a_fact("f1")


@pytest.mark.parametrize(
    "changed",
    [
        {"value": "26"}, {"unit": "‰"}, {"value_type": "count"}, {"effective_from": "2026-01-01"},
        {"effective_until": "2027-01-01"}, {"pack": "other"}, {"domain": "ostalo"},
        {"concept": "pdv.reduced_rate"}, {"applies_when": '{"op":"false"}'},
    ],
    ids=lambda changed: next(iter(changed)),
)  # fmt: skip
def test_another_meaning_is_another_rule(changed: dict[str, Any]) -> None:
    assert make_rule_id(FACT.model_copy(update=changed)) != make_rule_id(FACT)


@pytest.mark.parametrize(
    "changed",
    [
        {"fact_id": "f2"}, {"evidence_id": "ev2"}, {"doc_id": "d2"}, {"source_slug": "other"},
        {"quote": "other words"}, {"start": 5, "end": 9}, {"confidence": 0.5}, {"amends": True},
        {"replaces": "23"}, {"extractor": "model:x"},
    ],
    ids=lambda changed: next(iter(changed)),
)  # fmt: skip
def test_who_says_it_and_where_makes_no_other_rule(changed: dict[str, Any]) -> None:
    assert make_rule_id(FACT.model_copy(update=changed)) == make_rule_id(FACT)


@given(st.permutations([a_fact(f"f{n}", str(20 + n % 3), pack=f"p{n % 2}") for n in range(7)]))
def test_the_order_of_facts_does_not_matter(facts: list[Any]) -> None:
    groups = group_by_rule(facts)
    assert groups == group_by_rule(reversed(facts))
    assert set(groups) == {("p0", "pdv.rate"), ("p1", "pdv.rate")}
    assert sum(len(stated) for rules in groups.values() for stated in rules.values()) == 7
    for rules in groups.values():
        for rule_id, stated in rules.items():
            assert {make_rule_id(fact) for fact in stated} == {rule_id}


def test_a_rule_amends_if_one_of_its_facts_does() -> None:
    amending = a_fact("f2", amends=True)
    assert not draft_rule([FACT], PACK, 0).amends
    assert (
        draft_rule([FACT, amending], PACK, 0).amends
        and draft_rule([amending, FACT], PACK, 0).amends
    )
    assert draft_rule([FACT], PACK, 0).tier == "T0"
    assert draft_rule([a_fact("f3", predicate="unheard_of")], PACK, 0).tier == "T0"


def test_what_a_fact_replaces_makes_another_pointer() -> None:
    again = make_pointer("dated", FACT.model_copy(update={"replaces": "23"}))
    assert again.pointer_id != make_pointer("dated", FACT).pointer_id


def test_a_concept_has_its_names_in_every_language() -> None:
    concept, aliases = build_concept(FACT, PACK)
    names = {alias.alias for alias in aliases}
    assert concept.label in names and len(names) == len(aliases) > 3
    strange, few = build_concept(
        a_fact("f4", subject="harbour_levy", concept="harbour_levy.rate"), PACK
    )
    assert strange.label == "harbour levy: rate"
    assert [alias.alias for alias in few] == ["harbour levy: rate"]
