"""Half of the values of an older system were not in their quotes; these gates let none through."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.content import ContentClass
from assay.reading.result import Mark, MarkKind, PageSpan, Reading
from assay.ruling.declaration import Facts, PlausibleRange, Predicate
from assay.ruling.facts.gates import (
    AcceptedFact,
    RejectedFact,
    Rejection,
    check_proposal,
    is_value_in_quote,
)
from assay.ruling.facts.proposals import ProposedFact

TEXT = (
    "Članak 4.\nPDV se plaća po stopi od\u00a025\u00a0%.\n"
    "Novčanom kaznom od 500 do 5.000 eura kaznit će se tko ne podnese prijavu.\n"
    "Prijava se podnosi do 31. ožujka 2026. ili u roku od 30 dana.\n"
    "Stopa od 13 % zamjenjuje se stopom od 15 %.\n"
    "Prag je 40.000 eura. Obvezan je tko ima više od 100 radnika."
)
READING = Reading(
    content_class=ContentClass.HTML,
    text=TEXT,
    pages=(PageSpan(1, 0, 40), PageSpan(2, 40, len(TEXT))),
)
TYPES = (
    "currency", "percentage", "date", "threshold", "count", "text", "cross_reference", "name",
    "number", "year",
)  # fmt: skip
PACK = Facts(
    name="tax",
    version="1",
    title="Taxes",
    domains={"pdv": "value added tax", "test": "blocked all the same"},
    blocked_domains=frozenset({"test"}),
    value_types=TYPES,
    currencies=frozenset({"EUR", "HRK"}),
    units=frozenset({"%", "days", "day_of_month"}),
    predicates={
        "rate": Predicate("rate", "T0", ("percentage",), {}),
        "claim": Predicate("claim", "T0", (*TYPES, "colour"), {}),
    },
    fields={"turnover": "turnover in EUR"},
    ranges={
        "percentage": PlausibleRange(Decimal(0), Decimal(100)),
        "currency": PlausibleRange(Decimal(1), Decimal(4000)),
    },
    folder=Path(),
)
RATE = ProposedFact(
    domain="pdv",
    subject="pdv",
    predicate="rate",
    value="25",
    value_type="percentage",
    unit="%",
    quote="PDV se plaća po stopi od 25 %.",
    confidence=0.9,
)
FINE = replace(
    RATE,
    predicate="claim",
    value="500",
    value_type="currency",
    unit="EUR",
    quote="Novčanom kaznom od 500 do 5.000 eura",
)
DUE = replace(
    RATE,
    predicate="claim",
    value="2026-03-31",
    value_type="date",
    unit="",
    quote="do 31. ožujka 2026.",
)
AMENDED = replace(
    RATE,
    value="15",
    replaces="13",
    quote="Stopa od 13 % zamjenjuje se stopom od 15 %.",
    amends=True,
)


def accepted(proposed: ProposedFact, reading: Reading = READING) -> AcceptedFact:
    judgement = check_proposal(proposed, reading, PACK)
    assert isinstance(judgement, AcceptedFact), judgement
    return judgement


def rejected(proposed: ProposedFact, reading: Reading = READING) -> tuple[Rejection, str]:
    judgement = check_proposal(proposed, reading, PACK)
    assert isinstance(judgement, RejectedFact), judgement
    assert judgement.proposed is proposed
    assert judgement.detail.endswith(".")
    return judgement.reason, judgement.detail


def test_an_accepted_fact_has_its_quote_as_the_text_has_it() -> None:
    fact = accepted(RATE)
    assert fact.quote == "PDV se plaća po stopi od\u00a025\u00a0%."
    assert fact.quote == TEXT[fact.start : fact.end] == fact.proposed.quote
    assert (fact.proposed.start, fact.page) == (fact.start, 1)
    assert accepted(FINE).page == 2


@pytest.mark.parametrize(
    "proposed",
    [
        FINE,
        DUE,
        AMENDED,
        replace(FINE, value="40000", value_type="threshold", quote="Prag je 40.000 eura."),
        replace(FINE, value="100", value_type="threshold", unit="", quote="više od 100 radnika"),
        replace(DUE, value="30", value_type="count", unit="days", quote="u roku od 30 dana"),
        replace(DUE, value="članak", value_type="text"),
        replace(DUE, value="ožujka", value_type="name"),
        replace(DUE, value="2026", value_type="year"),
        replace(FINE, value="100", value_type="number", unit="", quote="više od 100 radnika"),
        replace(FINE, value="100", value_type="number", unit="km2", quote="više od 100 radnika"),
        replace(FINE, value_type="number"),
        replace(RATE, effective_from="2026-01-01", effective_until="2026-01-02"),
        replace(RATE, applies_when={"op": "exists", "field": "turnover"}),
        replace(RATE, start=TEXT.index("PDV")),
        replace(RATE, confidence=0.8),
    ],
)
def test_what_every_gate_lets_through(proposed: ProposedFact) -> None:
    assert accepted(proposed).proposed.value == proposed.value


R = Rejection
CASES: list[tuple[ProposedFact, dict[str, Any], Rejection, str]] = [
    (RATE, {"domain": "heartbeat"}, R.INVALID_DOMAIN, "no domain 'heartbeat'"),
    (RATE, {"domain": "test"}, R.INVALID_DOMAIN, "blocked"),
    (RATE, {"predicate": "colour"}, R.VALIDATION_FAILED, "no predicate 'colour'"),
    (RATE, {"subject": " "}, R.VALIDATION_FAILED, "no subject"),
    (RATE, {"value_type": "count", "unit": ""}, R.VALIDATION_FAILED, "takes no value"),
    (FINE, {"value_type": "colour"}, R.VALIDATION_FAILED, "no value type"),
    (RATE, {"value": "25.0"}, R.VALIDATION_FAILED, "canonical"),
    (RATE, {"value": "25,5"}, R.VALIDATION_FAILED, "canonical"),
    (RATE, {"value": "1e2"}, R.VALIDATION_FAILED, "canonical"),
    (RATE, {"value": "NaN"}, R.VALIDATION_FAILED, "canonical"),
    (RATE, {"value": ""}, R.VALIDATION_FAILED, "canonical"),
    (RATE, {"value": "25\n"}, R.VALIDATION_FAILED, "canonical"),
    (RATE, {"unit": ""}, R.VALIDATION_FAILED, "not a unit"),
    (RATE, {"unit": "‰"}, R.VALIDATION_FAILED, "not a unit"),
    (AMENDED, {"replaces": "13 %"}, R.VALIDATION_FAILED, "canonical"),
    (FINE, {"unit": "XYZ"}, R.INVALID_CURRENCY, "'XYZ'"),
    (FINE, {"unit": "eura"}, R.INVALID_CURRENCY, "'eura'"),
    (FINE, {"unit": ""}, R.INVALID_CURRENCY, "not a currency"),
    (FINE, {"value_type": "threshold", "unit": "€"}, R.INVALID_CURRENCY, "'€'"),
    (FINE, {"value_type": "threshold", "unit": "apples"}, R.VALIDATION_FAILED, "'apples'"),
    (DUE, {"value": "2026-02-30"}, R.INVALID_DATE, "2026-02-30"),
    (DUE, {"value": "31.3.2026"}, R.INVALID_DATE, "31.3.2026"),
    (DUE, {"value_type": "text", "value": "a  b"}, R.VALIDATION_FAILED, "white space"),
    (DUE, {"value_type": "text", "value": "a", "unit": "%"}, R.VALIDATION_FAILED, "not a unit"),
    (DUE, {"value_type": "name", "value": "ožujak"}, R.VALUE_NOT_IN_QUOTE, "'ožujak'"),
    (DUE, {"value_type": "name", "value": ""}, R.VALIDATION_FAILED, "missing"),
    (DUE, {"value_type": "year", "value": "2027"}, R.VALUE_NOT_IN_QUOTE, "'2027'"),
    (DUE, {"value_type": "year", "value": "26"}, R.INVALID_DATE, "not a year"),
    (DUE, {"value_type": "year", "value": "0000"}, R.INVALID_DATE, "not a year"),
    (DUE, {"value_type": "year", "value": "2026", "unit": "m"}, R.VALIDATION_FAILED, "not a unit"),
    (FINE, {"value_type": "number", "value": "five"}, R.VALIDATION_FAILED, "canonical"),
    (FINE, {"value_type": "number", "unit": "square miles"}, R.VALIDATION_FAILED, "not a unit"),
    (FINE, {"value_type": "number", "unit": "m"}, R.VALUE_NOT_IN_QUOTE, "'500 m'"),
    (RATE, {"effective_from": "2026"}, R.INVALID_DATE, "'2026'"),
    (RATE, {"effective_from": "--01-01"}, R.INVALID_DATE, "--01-01"),
    (RATE, {"effective_until": "soon"}, R.INVALID_DATE, "soon"),
    (
        RATE,
        {"effective_from": "2026-01-01", "effective_until": "2026-01-01"},
        R.INVALID_DATE,
        "before it began",
    ),
    (RATE, {"applies_when": {}}, R.VALIDATION_FAILED, "condition"),
    (RATE, {"applies_when": None}, R.VALIDATION_FAILED, "condition"),
    (RATE, {"applies_when": {"op": "always"}}, R.VALIDATION_FAILED, "condition"),
    (RATE, {"applies_when": {"op": "exists", "field": "mood"}}, R.VALIDATION_FAILED, "'mood'"),
    (RATE, {"quote": "PDV se plaća po stopi od 5 %."}, R.NO_QUOTE_MATCH, "not found in the text"),
    (RATE, {"start": 0}, R.NO_QUOTE_MATCH, "at character 0"),
    (RATE, {"start": -1}, R.NO_QUOTE_MATCH, "at character -1"),
    (RATE, {"quote": "25 %"}, R.NO_QUOTE_MATCH, "at least 5"),
    (RATE, {"quote": "Članak 4."}, R.VALUE_NOT_IN_QUOTE, "'25 %'"),
    (RATE, {"value": "4"}, R.VALUE_NOT_IN_QUOTE, "'4 %'"),
    (FINE, {"value": "40", "quote": "Prag je 40.000 eura."}, R.VALUE_NOT_IN_QUOTE, "'40 EUR'"),
    (FINE, {"unit": "HRK"}, R.VALUE_NOT_IN_QUOTE, "'500 HRK'"),
    (AMENDED, {"replaces": "10"}, R.VALUE_NOT_IN_QUOTE, "'10 %'"),
    (FINE, {"value": "5000"}, R.OUT_OF_RANGE, "5000 is not between 1 and 4000"),
    (RATE, {"confidence": 0.79}, R.LOW_CONFIDENCE, "0.79"),
    (RATE, {"confidence": 1.1}, R.LOW_CONFIDENCE, "1.1"),
    (RATE, {"confidence": float("nan")}, R.LOW_CONFIDENCE, "nan"),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_what_a_gate_turns_away(number: int) -> None:
    base, change, reason, words = CASES[number]
    told, detail = rejected(replace(base, **change))
    assert (told, words in detail) == (reason, True), detail


def test_every_reason_has_a_case() -> None:
    # Whether something is asserted depends on the language: it has tests of its own.
    assert {reason for _, _, reason, _ in CASES} == set(Rejection) - {Rejection.NOT_ASSERTED}


def test_the_first_gate_that_fails_decides() -> None:
    wrong = replace(RATE, domain="x", predicate="x", value="x", quote="x", confidence=0)
    assert rejected(wrong)[0] is Rejection.INVALID_DOMAIN
    assert rejected(replace(wrong, domain="pdv"))[0] is Rejection.VALIDATION_FAILED


def struck(*words: str) -> Reading:
    marks = [
        Mark(MarkKind.STRUCK, TEXT.index(word), TEXT.index(word) + len(word)) for word in words
    ]
    return replace(READING, marks=tuple(marks))


def test_what_is_struck_out_is_no_law() -> None:
    reading = struck("Stopa od 13 % zamjenjuje se stopom od 15 %.\n")
    assert rejected(AMENDED, reading) == (Rejection.VALIDATION_FAILED, "The quote is struck out.")
    assert accepted(RATE, reading).page == 1


def test_a_value_that_is_struck_out_in_a_sentence_that_stands_is_no_law() -> None:
    reading = struck("13 %")
    old = replace(AMENDED, value="13", replaces=None)
    assert rejected(old, reading) == (Rejection.VALIDATION_FAILED, "The value is struck out.")
    assert accepted(AMENDED, reading).proposed.value == "15"


def test_what_is_put_in_stands() -> None:
    mark = Mark(MarkKind.INSERTED, 0, len(TEXT))
    assert accepted(RATE, replace(READING, marks=(mark,))).start == TEXT.index("PDV")


@given(
    value=st.integers(0, 6000).map(str),
    value_type=st.sampled_from(["percentage", "currency", "threshold"]),
    unit=st.sampled_from(["%", "EUR", "HRK", ""]),
    span=st.tuples(st.integers(0, len(TEXT)), st.integers(0, 90)),
    shift=st.sampled_from([None, 0, 1]),
)
def test_no_accepted_value_is_outside_its_quote(
    value: str, value_type: str, unit: str, span: tuple[int, int], shift: int | None
) -> None:
    start, length = span
    proposed = replace(
        FINE,
        value=value,
        value_type=value_type,
        unit=unit,
        quote=TEXT[start : start + length],
        start=None if shift is None else start + shift,
    )
    judgement = check_proposal(proposed, READING, PACK)
    if isinstance(judgement, AcceptedFact):
        fact = judgement.proposed
        assert TEXT[judgement.start : judgement.end] == fact.quote
        assert len(fact.quote.strip()) >= 5
        assert is_value_in_quote(fact.value, fact.value_type, fact.unit, fact.quote)
