"""A condition is read exactly, or refused with its place and its reason."""

import json
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from assay.errors import InvalidCondition, InvalidInput
from assay.ruling.facts.proposals import ALWAYS
from assay.ruling.rules.conditions import (
    as_json,
    fields_of,
    parse_condition,
    parse_condition_text,
    to_canonical_bytes,
)
from assay.ruling.rules.conditions.nodes import (
    Always,
    And,
    Between,
    Compare,
    Comparison,
    Condition,
    Exists,
    InEffect,
    Matches,
    Never,
    Not,
    OneOf,
    Or,
)
from assay.ruling.rules.conditions.parsing import MAX_DEPTH, MAX_NODES, MAX_TEXT

TRUE: dict[str, Any] = {"op": "true"}
SHAPES: list[tuple[dict[str, Any], Condition]] = [
    ({"op": "true"}, Always()),
    ({"op": "false"}, Never()),
    ({"op": "and", "all": [TRUE, {"op": "false"}]}, And((Always(), Never()))),
    ({"op": "or", "any": [{"op": "false"}]}, Or((Never(),))),
    ({"op": "not", "condition": TRUE}, Not(Always())),
    (
        {"op": "gt", "field": "turnover", "value": "60000"},
        Compare(Comparison.GT, "turnover", Decimal(60000)),
    ),
    (
        {"op": "in", "field": "activity", "values": ["Room letting", "2", True]},
        OneOf("activity", ("Room letting", Decimal(2), True)),
    ),
    ({"op": "exists", "field": "oib"}, Exists("oib")),
    (
        {"op": "between", "field": "amount", "from": "0", "to": "1000"},
        Between("amount", Decimal(0), Decimal(1000)),
    ),
    ({"op": "between", "field": "amount", "to": "1"}, Between("amount", None, Decimal(1))),
    ({"op": "matches", "field": "activity", "pattern": "rent.*"}, Matches("activity", "rent.*")),
    (
        {"op": "date_in_effect", "field": "date", "from": "2026-01-01", "until": "2027-01-01"},
        InEffect("date", date(2026, 1, 1), date(2027, 1, 1)),
    ),
]


@pytest.mark.parametrize(("told", "meant"), SHAPES, ids=[shape["op"] for shape, _ in SHAPES])
def test_every_shape_is_read_and_written_back(told: dict[str, Any], meant: Condition) -> None:
    assert parse_condition(told) == meant
    assert as_json(meant) == told
    assert parse_condition_text(json.dumps(told)) == meant
    assert parse_condition_text(to_canonical_bytes(meant)) is not None


@pytest.mark.parametrize("comparison", list(Comparison))
def test_cmp_is_another_writing_of_a_comparison(comparison: Comparison) -> None:
    told = {"op": "cmp", "cmp": comparison.value, "field": "days", "value": 3}
    assert parse_condition(told) == Compare(comparison, "days", Decimal(3))
    assert as_json(parse_condition(told)) == {"op": comparison.value, "field": "days", "value": "3"}


def test_the_field_of_date_in_effect_is_the_date() -> None:
    told = {"op": "date_in_effect", "from": "2026-01-01", "until": None}
    assert parse_condition(told) == InEffect("date", date(2026, 1, 1), None)


def test_what_proposals_call_always_is_a_condition() -> None:
    assert parse_condition(ALWAYS) == Always()


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("60000", Decimal(60000)),
        ("60000.50", Decimal("60000.5")),
        (60000, Decimal(60000)),
        (0.1, Decimal("0.1")),
        (Decimal("1E+3"), Decimal(1000)),
        ("-0.5", Decimal("-0.5")),
        ("0.500", Decimal("0.5")),
        ("７０", Decimal(70)),
        ("2026-01-01", date(2026, 1, 1)),
        (date(2026, 1, 1), date(2026, 1, 1)),
        ("TRUE", True),
        (False, False),
        ("  Room\u00a0 let\u00adting ", "Room letting"),
        ("01234567890", "01234567890"),
        ("--03-31", "--03-31"),
        ("1.234.567", "1.234.567"),
        ("1e5", "1e5"),
    ],
    ids=str,
)
def test_a_value_is_of_the_kind_that_it_says(told: object, meant: object) -> None:
    read = parse_condition({"op": "eq", "field": "a", "value": told})
    assert isinstance(read, Compare)
    assert (type(read.value), read.value) == (type(meant), meant)


@pytest.mark.parametrize(
    ("told", "place", "reason"),
    [
        (None, "", "it is missing"),
        ("true", "", "'true' is not a condition"),
        (True, "", "true is not a condition"),
        ([], "", "a list is not a condition"),
        ({}, "", 'it has no "op"'),
        ({"op": "xor"}, "op", "'xor' is unknown"),
        ({"op": ["and"]}, "op", "a list is unknown"),
        ({"op": "true", "field": "a"}, "", "unknown key 'field'"),
        ({"op": "exists", "field": "a", 5: 1}, "", "unknown key 5"),
        ({"op": "and"}, "all", "it is missing"),
        ({"op": "and", "all": []}, "all", "it is empty"),
        ({"op": "or", "any": TRUE}, "any", "an object is not a list"),
        ({"op": "and", "all": [TRUE, None]}, "all[1]", "it is missing"),
        ({"op": "not", "condition": {"op": "or", "any": [3]}}, "condition.any[0]", "3 is not a"),
        ({"op": "exists", "field": "Turnover"}, "field", "not a valid field name"),
        ({"op": "exists", "field": "a" * 65}, "field", "not a valid field name"),
        ({"op": "exists", "field": "oib\n"}, "field", "not a valid field name"),
        (
            {"op": "date_in_effect", "field": None, "from": "2026-01-01"},
            "field",
            "null is not a valid field",
        ),
        ({"op": "cmp", "cmp": "eqq", "field": "a", "value": 1}, "cmp", "'eqq' is unknown"),
        ({"op": "in", "field": "a", "values": []}, "values", "it is empty"),
        ({"op": "in", "field": "a", "values": "abc"}, "values", "'abc' is not a list"),
        ({"op": "in", "field": "a", "values": [1, []]}, "values[1]", "a list is not a value"),
        ({"op": "between", "field": "a"}, "", "it has no bound"),
        ({"op": "between", "field": "a", "from": None, "to": None}, "", "it has no bound"),
        ({"op": "between", "field": "a", "from": 2, "to": 1}, "", "ends before it starts"),
        ({"op": "between", "field": "a", "from": 2, "to": "2026-01-01"}, "", "mixes"),
        ({"op": "between", "field": "a", "from": "x"}, "from", "'x' cannot be more or less"),
        ({"op": "date_in_effect"}, "", "it has no bound"),
        ({"op": "date_in_effect", "from": "2026"}, "from", "'2026' is not a date"),
        (
            {"op": "date_in_effect", "from": "2026-01-01", "until": "2026-01-01"},
            "",
            "ends before it starts",
        ),
    ],
)
def test_what_is_no_condition_is_refused_with_its_place(
    told: object, place: str, reason: str
) -> None:
    with pytest.raises(InvalidCondition) as caught:
        parse_condition(told)
    assert isinstance(caught.value, InvalidInput)
    where = f"The condition is wrong{f' at {place}' if place else ''}: "
    assert caught.value.what.startswith(where)
    assert reason in caught.value.what
    assert caught.value.advice


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "null is not a value"),
        ({"a": 1}, "an object is not a value"),
        (float("nan"), "NaN is not a number"),
        (float("-inf"), "-Infinity is not a number"),
        (Decimal("sNaN"), "sNaN is not a number"),
        (datetime(2026, 1, 1), "a datetime is not a value"),
        (10**40, "too many digits"),
        (Decimal("1e999999"), "too many digits"),
        (Decimal("1e-999999"), "too many digits"),
        ("9" * 31, "too many digits"),
        ("a" * 2001, "too long"),
        ("\ufdfa" * 400, "too long"),
        (" \u00ad\t", "it is empty"),
        ("a\x00b", "unprintable characters"),
        ("a\ud800", "unprintable characters"),
        ("60.000", "can be read in two ways"),
        ("2026-02-30", "not a valid date"),
    ],
    ids=lambda value: ascii(value)[:12],
)
def test_what_is_no_value_is_refused(value: object, reason: str) -> None:
    told = {"op": "and", "all": [TRUE, {"op": "eq", "field": "a", "value": value}]}
    with pytest.raises(InvalidCondition) as caught:
        parse_condition(told)
    assert "at all[1].value: " in caught.value.what
    assert reason in caught.value.what


def test_a_number_too_long_to_be_printed_is_refused() -> None:
    with pytest.raises(InvalidCondition, match="too many digits"):
        parse_condition({"op": "eq", "field": "a", "value": 10**6000})
    with pytest.raises(InvalidCondition, match="a int is not a condition"):
        parse_condition(10**6000)


@pytest.mark.parametrize("op", ["gt", "gte", "lt", "lte"])
@pytest.mark.parametrize("value", ["room letting", True, "60.000,00", "01"])
def test_only_numbers_and_days_are_more_or_less(op: str, value: object) -> None:
    with pytest.raises(InvalidCondition, match=r"value: .* cannot be more or less"):
        parse_condition({"op": op, "field": "a", "value": value})


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a" * 101, "it has 101 characters; at most 100 are allowed"),
        ("", "it is empty"),
        ("(a", "missing )"),
        ("a)", "unexpected )"),
        ("[z-a]", "invalid character class range"),
        ("*a", "no argument for repetition operator"),
        (r"(a)\1", "back-references are not possible"),
        (r"(?P<x>a)(?P=x)", "invalid"),
        ("(?=a)b", "look-around is not possible"),
        ("(?!a)b", "look-around is not possible"),
        ("(?<=a)b", "look-around is not possible"),
        ("(?<!a)b", "look-around is not possible"),
        ("(?>a)b", "look-around is not possible"),
        ("((a{100}){100}){100}", "invalid repetition size"),
        (r"\pL{100}", "pattern too large"),
        ("a\nb", "unprintable characters"),
        ("\ud800", "unprintable characters"),
        (5, "5 is not text"),
    ],
    ids=lambda value: ascii(value)[:24],
)
def test_a_pattern_that_cannot_be_matched_in_linear_time_is_refused(
    pattern: object, reason: str
) -> None:
    with pytest.raises(InvalidCondition) as caught:
        parse_condition({"op": "matches", "field": "activity", "pattern": pattern})
    assert "at pattern: " in caught.value.what
    assert reason in caught.value.what


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not valid JSON"),
        ("{", "is not valid JSON"),
        (b"\xff\xfe\xfa", "is not valid JSON"),
        ('{"op": "true", "op": "false"}', "the key 'op' appears twice"),
        ('{"op": "eq", "field": "a", "value": NaN}', "NaN is not a number"),
        ('{"op": "eq", "field": "a", "value": 1e99999999999999999999}', "is not valid JSON"),
        ('{"op": "eq", "field": "a", "value": 1' + "0" * 9000 + "}", "too many digits"),
        ("[" * 100_000, "nested too deeply"),
        (" " * (MAX_TEXT + 1), "at most 1000000 are allowed"),
        ("null", "it is missing"),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_a_text_that_is_no_condition_is_refused(text: str | bytes, reason: str) -> None:
    with pytest.raises(InvalidCondition) as caught:
        parse_condition_text(text)
    assert reason in caught.value.what


def test_numbers_of_a_text_never_pass_through_floats() -> None:
    told = '{"op": "eq", "field": "a", "value": 0.1000000000000000000000000001}'
    read = parse_condition_text(told)
    assert isinstance(read, Compare)
    assert read.value == Decimal("0.1000000000000000000000000001")


def nested(depth: int) -> dict[str, Any]:
    told = TRUE
    for _ in range(depth - 1):
        told = {"op": "not", "condition": told}
    return told


def test_depth_is_bounded() -> None:
    assert isinstance(parse_condition(nested(MAX_DEPTH)), Not)
    with pytest.raises(InvalidCondition, match="nested too deeply"):
        parse_condition(nested(MAX_DEPTH + 1))
    with pytest.raises(InvalidCondition, match="nested too deeply"):
        parse_condition(nested(50_000))


def test_a_condition_inside_itself_is_refused() -> None:
    told: dict[str, Any] = {"op": "not"}
    told["condition"] = told
    with pytest.raises(InvalidCondition, match="nested too deeply"):
        parse_condition(told)


def test_the_number_of_parts_is_bounded() -> None:
    parts = [{"op": "exists", "field": "a"}] * (MAX_NODES - 1)
    assert fields_of(parse_condition({"op": "and", "all": parts})) == ("a",)
    with pytest.raises(InvalidCondition, match=r"at all\[499\]: it is one too many"):
        parse_condition({"op": "and", "all": [*parts, TRUE]})
    with pytest.raises(InvalidCondition, match=r"at values\[499\]: it is one too many"):
        parse_condition({"op": "in", "field": "a", "values": list(range(MAX_NODES))})
