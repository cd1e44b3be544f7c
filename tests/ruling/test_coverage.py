"""Coverage: which facts cover a sentence, which values are found, and what a model still sees."""

from dataclasses import replace
from typing import Any

import pytest

from assay.ruling.facts.coverage import drop_repeats, find_uncovered, measure_coverage
from assay.ruling.facts.gates import AcceptedFact, check_proposal
from assay.ruling.facts.model_questions import plan_windows
from assay.ruling.facts.proposals import ProposedFact, Sentence
from tests.packs.regulatory.passages import passage
from tests.ruling.statements import PACK

RATE = "The rate is 25 % for income up to 50,000 euros."


def fact(start: int, end: int, *, covers: bool = True, **changed: Any) -> AcceptedFact:
    told: dict[str, Any] = {
        "domain": "pdv", "subject": "pdv", "predicate": "rate", "value": "25",
        "value_type": "percentage", "unit": "%", "quote": "x" * (end - start), "start": start,
        "confidence": 0.9,
    }  # fmt: skip
    return AcceptedFact(ProposedFact(**{**told, **changed}), start, end, None, covers)


def counted(sentence: Sentence, *facts: AcceptedFact) -> tuple[int, int, int, int]:
    found = measure_coverage([sentence], facts)
    return found.relevant, found.covered, found.values_total, found.values_found


def test_nothing_to_cover_has_no_share() -> None:
    assert measure_coverage([], []).share is None
    assert measure_coverage([Sentence(0, 9, is_relevant=False)], [fact(0, 9)]).share is None
    assert measure_coverage([Sentence(0, 9, is_relevant=True)], []).share == 0.0


def test_a_cross_reference_covers_no_sentence_and_a_model_sees_it() -> None:
    duty = Sentence(0, 40, is_relevant=True)
    reference = fact(0, 40, covers=False)
    assert counted(duty, reference) == (1, 0, 0, 0)
    assert find_uncovered([duty], [reference]) == (duty,)
    assert find_uncovered([duty], [reference, fact(0, 40)]) == ()


@pytest.mark.parametrize(
    ("predicate", "value", "value_type", "covers"),
    [
        ("rate", "25", "percentage", True),
        ("duty", "the owner must show a mark", "text", True),
        ("refers_to", "Article 5", "cross_reference", False),
        ("form", "Form 7", "text", False),
        ("entry_into_force", "2026-01-01", "date", False),
        ("repeal", "2026-01-01", "date", False),
    ],
)
def test_only_values_and_duties_cover(
    predicate: str, value: str, value_type: str, covers: bool
) -> None:
    text = "25 %, the owner must show a mark, Article 5, Form 7, 1 January 2026"
    proposed = fact(
        0, len(text), predicate=predicate, value=value, value_type=value_type, quote=text,
        unit="%" if value_type == "percentage" else "",
    ).proposed  # fmt: skip
    checked = check_proposal(proposed, passage(text, "en").reading, PACK)
    assert isinstance(checked, AcceptedFact), checked
    assert checked.covers is covers


def test_a_sentence_of_which_one_value_is_missing_is_covered_in_part() -> None:
    both = Sentence(0, len(RATE), is_relevant=True, values=("25 %", "50000 EUR"))
    assert counted(both, fact(0, len(RATE))) == (1, 1, 2, 1)
    assert find_uncovered([both], [fact(0, len(RATE))]) == (both,)


def test_a_value_in_a_condition_is_found() -> None:
    both = Sentence(0, len(RATE), is_relevant=True, values=("25 %", "50000 EUR"))
    limit = {"op": "and", "args": [{"op": "lte", "field": "income", "value": 50000}]}
    assert counted(both, fact(0, len(RATE), applies_when=limit)) == (1, 1, 2, 2)
    assert counted(both, fact(0, len(RATE), value="50000", unit="EUR", replaces="40000")) == (
        1, 1, 2, 1,
    )  # fmt: skip


def test_the_fact_of_another_row_does_not_cover_a_row() -> None:
    head_to_first = Sentence(0, 20, is_relevant=True, values=("5 EUR",))
    head_to_second = Sentence(0, 30, is_relevant=True, values=("9 EUR",))
    second = fact(0, 30, value="9", unit="EUR", value_type="currency")
    found = measure_coverage([head_to_second, head_to_first], [second])
    assert (found.relevant, found.covered, found.values_found) == (2, 1, 1)


def test_a_model_does_not_give_a_known_value_a_second_meaning() -> None:
    known = fact(10, 60)
    again, other, elsewhere, unplaced = (
        fact(20, 40, predicate="fee").proposed,
        fact(20, 40, value="5").proposed,
        fact(60, 90).proposed,
        replace(fact(20, 40).proposed, start=None),
    )
    proposed = [again, other, elsewhere, unplaced]
    assert drop_repeats(proposed, [known]) == [other, elsewhere, unplaced]
    assert drop_repeats(proposed, [fact(10, 60, covers=False)]) == proposed


def test_sentences_with_values_are_sent_first_and_none_twice() -> None:
    duty = Sentence(0, 100, is_relevant=True, context="Article 1")
    value = Sentence(5_000, 5_100, is_relevant=True, values=("5 %",), context="Article 2")
    between = Sentence(5_110, 5_150, is_relevant=True)
    second = Sentence(5_200, 5_300, is_relevant=True, values=("6 %",))
    windows = plan_windows([duty, value, between, second])
    assert [(window.start, window.end, window.context) for window in windows] == [
        (5_000, 5_300, "Article 2"), (0, 100, "Article 1"),
    ]  # fmt: skip
