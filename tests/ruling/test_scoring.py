"""Scoring: who meets whom, what counts as the same, and what is left over."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ruling.evaluation.rule_scoring import RuleTally, ScoredRule, score_rules
from assay.ruling.evaluation.scoring import (
    FactTally,
    is_same_value,
    match_pairs,
    quotes_overlap,
    score_facts,
)
from assay.ruling.evaluation.truth import KnownDocument, KnownFact, KnownRule
from assay.ruling.facts.proposals import ProposedFact

QUOTE = "VAT is charged at the rate of 24 %."


def known(value: str = "24", **more: object) -> KnownFact:
    told: dict[str, object] = {
        "value_type": "percentage",
        "unit": "%",
        "predicate": "rate",
        "subject": "pdv",
        "concept": "pdv.rate",
        "quote": QUOTE,
    }
    return KnownFact.model_validate({**told, "value": value, **more})


def found(value: str = "24", **more: object) -> ProposedFact:
    told: dict[str, object] = {
        "domain": "pdv",
        "subject": "pdv",
        "predicate": "rate",
        "value_type": "percentage",
        "unit": "%",
        "quote": QUOTE,
        "confidence": 0.9,
    }
    return ProposedFact(**{**told, "value": value, **more})  # type: ignore[arg-type]


def document(*facts: KnownFact, name: str = "a.html", **more: object) -> KnownDocument:
    return KnownDocument.model_validate(
        {"document": name, "language": "en", "facts": facts, **more}
    )


def test_what_is_found_as_it_is_known_scores_full() -> None:
    told = score_facts({"a.html": [found()]}, [document(known())])
    assert told.overall == FactTally(known=1, found=1, matched=1, named=1)
    assert (told.overall.precision, told.overall.recall, told.overall.f1) == (1.0, 1.0, 1.0)
    assert not (told.misses or told.false_alarms or told.misnamed)


def test_another_concept_is_found_but_not_named() -> None:
    told = score_facts({"a.html": [found(predicate="reduced_rate")]}, [document(known())])
    assert told.overall == FactTally(known=1, found=1, matched=1, named=0)
    assert [(one.known.concept, one.found.concept) for one in told.misnamed] == [
        ("pdv.rate", "pdv.reduced_rate")
    ]


def test_a_subject_that_the_pack_does_not_know_is_named_by_its_predicate() -> None:
    told = score_facts({"a.html": [found(subject="dog_tax")]}, [document(known(concept=None))])
    assert told.overall.named == 1


@pytest.mark.parametrize(
    "other",
    [
        {"value": "25"},
        {"unit": "‰"},
        {"value_type": "count"},
        {"quote": "Something quite different, about dogs and bread."},
    ],
)
def test_what_differs_is_a_miss_and_a_false_alarm(other: dict[str, object]) -> None:
    told = score_facts({"a.html": [found(**{"value": "24", **other})]}, [document(known())])  # type: ignore[arg-type]
    assert told.overall.matched == 0
    assert [miss.fact.value for miss in told.misses] == ["24"]
    assert len(told.false_alarms) == 1


def test_a_unit_that_the_truth_leaves_out_is_not_compared() -> None:
    told = score_facts({"a.html": [found(unit="‰")]}, [document(known(unit=""))])
    assert told.overall.matched == 1


def test_each_fact_is_used_once() -> None:
    told = score_facts({"a.html": [found(), found(), found()]}, [document(known())])
    assert told.overall == FactTally(known=1, found=3, matched=1, named=1)
    assert told.overall.precision == pytest.approx(0.3333)
    assert len(told.false_alarms) == 2


def test_documents_are_kept_apart() -> None:
    told = score_facts(
        {"b.html": [found()]}, [document(known()), document(name="b.html"), document(name="c.pdf")]
    )
    assert told.overall == FactTally(known=1, found=1)
    assert [miss.document for miss in told.misses] == ["a.html"]
    assert [alarm.document for alarm in told.false_alarms] == ["b.html"]


def test_breakdowns_follow_the_fact_and_its_document() -> None:
    told = score_facts(
        {"a.html": [found()], "b.pdf": [found("7", value_type="count", unit="days")]},
        [document(known()), document(known("7"), name="b.pdf", language="hr", kind="scanned_pdf")],
    )
    assert told.by_language["en"].f1 == 1.0
    assert told.by_language["hr"].recall == 0.0
    assert told.by_kind == {
        "html": FactTally(1, 1, 1, 1),
        "scanned_pdf": FactTally(1, 1),
    }
    assert told.by_value_type == {"count": FactTally(0, 1), "percentage": FactTally(2, 1, 1, 1)}


def test_text_is_not_scored() -> None:
    told = score_facts(
        {"a.html": [found("P-PDV", value_type="text", unit="")]},
        [document(known("PDV-F", value_type="text", predicate="form"))],
    )
    assert told.overall == FactTally()
    assert told.overall.precision is None
    assert told.overall.recall is None
    assert told.overall.f1 is None


def test_the_better_named_partner_is_counted() -> None:
    # Both found facts agree with both known ones in value; only one way names two.
    told = score_facts(
        {"a.html": [found(predicate="reduced_rate"), found()]},
        [document(known(), known(predicate="reduced_rate", concept="pdv.reduced_rate"))],
    )
    assert told.overall.named == 2
    assert told.misnamed == ()


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("The rate  is\n24 %.", "the rate is 24 %", True),
        ("The rate is 24 %.", "1 The rate is 24 %. It holds for all.", True),
        ("The rafe is 24 %.", "The rate is 24 %.", True),
        ("§ 6", "§ 60", True),
        ("bread and milk", "cars or dogs", False),
        ("", "anything", False),
    ],
)
def test_quotes_meet(one: str, other: str, meet: bool) -> None:
    assert quotes_overlap(one, other) is meet
    assert quotes_overlap(other, one) is meet


@pytest.mark.parametrize(
    ("value_type", "one", "other", "same"),
    [
        ("currency", "10", "10.00", True),
        ("currency", "10", "100", False),
        ("date", "--03-31", "--03-31", True),
        ("date", "2026-01-01", "2026-01-10", False),
        ("cross_reference", "stavka 1. ovoga članka", "Stavka 1.", True),
        ("cross_reference", "§ 6", "§ 60", False),
        ("cross_reference", "§§ 6 und 9 des Gesetzes", "§ 9 des Gesetzes", True),
        ("cross_reference", "članka 85. stavka 1.", "Zakona o dohotku", False),
        ("exemption_condition", "", "", False),
    ],
)
def test_values_are_the_same(value_type: str, one: str, other: str, same: bool) -> None:
    assert is_same_value(value_type, one, other) is same


@given(st.lists(st.integers(0, 4), max_size=12), st.lists(st.integers(0, 4), max_size=12))
def test_a_matching_is_one_to_one_and_as_large_as_can_be(one: list[int], other: list[int]) -> None:
    pairs = match_pairs(one, other, lambda a, b: a == b)
    assert len(set(pairs.values())) == len(pairs)
    assert all(one[a] == other[b] for a, b in pairs.items())
    assert len(pairs) == sum(min(one.count(n), other.count(n)) for n in range(5))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=20), st.integers(0, 9))
def test_the_size_of_a_matching_does_not_hang_on_the_order(
    edges: list[tuple[int, int]], seed: int
) -> None:
    fitting = set(edges)
    shuffled = random.Random(seed).sample(range(6), 6)
    straight = match_pairs(range(6), range(6), lambda a, b: (a, b) in fitting)
    mixed = match_pairs(shuffled, shuffled, lambda a, b: (a, b) in fitting)
    assert len(straight) == len(mixed)


def test_a_thousand_equal_facts_are_matched() -> None:
    assert len(match_pairs(range(1000), range(1000), lambda _a, _b: True)) == 1000


def rule(value: str = "24", **more: object) -> KnownRule:
    told: dict[str, object] = {
        "concept": "pdv.rate",
        "value_type": "percentage",
        "unit": "%",
        "documents": ("a.html",),
    }
    return KnownRule.model_validate({**told, "value": value, **more})


def released(value: str = "24", concept: str = "pdv.rate", **more: object) -> ScoredRule:
    told: dict[str, object] = {"documents": frozenset({"a.html", "b.html"}), "unit": "%"}
    return ScoredRule(
        concept=concept,
        value=value,
        value_type="percentage",
        **{**told, **more},  # type: ignore[arg-type]
    )


def test_a_release_with_the_known_rules_scores_full() -> None:
    told = score_rules(
        [released(effective_from="2025-01-01"), released("13", "pdv.reduced_rate")],
        [rule(effective_from="2025-01-01"), rule("13", concept="pdv.reduced_rate")],
    ).overall
    assert (told.precision, told.recall, told.named_recall, told.dated_precision) == (1, 1, 1, 1)


def test_one_rule_may_stand_for_two_and_two_for_one() -> None:
    merged = score_rules([released()], [rule(scope="bread"), rule(scope="milk")]).overall
    assert (merged.precision, merged.recall) == (1.0, 1.0)
    split = score_rules([released(), released()], [rule()]).overall
    assert (split.precision, split.recall) == (1.0, 1.0)


def test_another_concept_is_right_but_not_by_name() -> None:
    told = score_rules([released(concept="pdv.surcharge")], [rule()])
    assert (told.overall.precision, told.overall.named_precision) == (1.0, 0.0)
    assert told.by_predicate["rate"].recall == 1.0
    assert told.by_predicate["surcharge"].named_precision == 0.0
    unknown = score_rules([released(concept="dog.rate")], [rule(known=False)]).overall
    assert unknown.named_precision == 1.0


def test_a_rule_that_loses_or_waits_must_not_be_released() -> None:
    told = score_rules(
        [released(), released("22"), released("23")],
        [rule(), rule("22", status="loses"), rule("23", status="open"), rule("9")],
    )
    assert (told.overall.precision, told.overall.recall) == (0.3333, 0.5)
    assert [known.status for _, known in told.forbidden] == ["loses", "open"]
    assert [entry.value for entry in told.missing] == ["9"]
    assert len(told.surplus) == 2


def test_a_rule_on_another_document_is_another_rule() -> None:
    told = score_rules([released(documents=frozenset({"z.html"}))], [rule()])
    assert told.overall.right == 0


def test_references_are_no_rules_to_score() -> None:
    told = score_rules([released(concept="pdv.refers_to")], [])
    assert told.overall == RuleTally()
    assert told.overall.precision is None


def test_days_that_differ_are_told() -> None:
    told = score_rules([released(effective_until="2026-07-01")], [rule()]).overall
    assert (told.right_by_name, told.dated) == (1, 0)
