"""A condition holds where it should, and what is not known never makes it hold."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from assay.ruling.rules.conditions import (
    compute_specificity,
    condition_holds,
    explain_condition,
    find_missing_fields,
    is_always,
    is_never,
    is_same_condition,
    parse_condition,
    render_explanation,
)

TRUE: dict[str, Any] = {"op": "true"}
FALSE: dict[str, Any] = {"op": "false"}
LETTING = {"op": "eq", "field": "activity", "value": "room letting"}
LARGE = {"op": "gt", "field": "turnover", "value": "60000"}
SMALL = {"op": "lte", "field": "turnover", "value": "60000"}
KNOWN = {"op": "exists", "field": "oib"}


def cmp(op: str, value: object, field: str = "a") -> dict[str, Any]:
    return {"op": op, "field": field, "value": value}


@pytest.mark.parametrize(
    ("op", "below", "equal", "above"),
    [
        ("eq", False, True, False),
        ("neq", True, False, True),
        ("gt", False, False, True),
        ("gte", False, True, True),
        ("lt", True, False, False),
        ("lte", True, True, False),
    ],
)
def test_numbers_and_days_are_compared_as_such(
    op: str, below: bool, equal: bool, above: bool
) -> None:
    number, day = parse_condition(cmp(op, "1000")), parse_condition(cmp(op, "2026-03-31"))
    assert [
        condition_holds(number, {"a": told}) for told in ("999.99", 1000.0, Decimal("1e4"))
    ] == [
        below,
        equal,
        above,
    ]
    assert [
        condition_holds(day, {"a": told})
        for told in ("2026-03-30", date(2026, 3, 31), "2027-01-01")
    ] == [below, equal, above]


@pytest.mark.parametrize("op", ["eq", "neq", "gt", "gte", "lt", "lte"])
@pytest.mark.parametrize("told", [None, "", " \u00ad", [], {}, object(), float("nan"), "absent"])
def test_a_missing_field_makes_a_comparison_false(op: str, told: object) -> None:
    situation = {} if told == "absent" else {"a": told}
    assert not condition_holds(parse_condition(cmp(op, 5)), situation)
    assert find_missing_fields(parse_condition(cmp(op, 5)), situation) == ("a",)


@pytest.mark.parametrize("op", ["eq", "neq", "gt", "gte", "lt", "lte"])
@pytest.mark.parametrize(
    ("value", "told"),
    [("5", "five"), ("5", True), ("1", True), ("2026-01-01", "20260101"), ("5", "2026-01-05")],
)
def test_values_of_two_kinds_are_never_compared(op: str, value: str, told: object) -> None:
    assert not condition_holds(parse_condition(cmp(op, value)), {"a": told})


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("Room Letting", True),
        (" room\n letting", True),
        ("ROOM\u00a0LETTING", True),
        ("room-letting", False),
        ("room letting and more", False),
    ],
)
def test_text_is_equal_whatever_its_case_and_white_space(told: str, expected: bool) -> None:
    assert condition_holds(parse_condition(LETTING), {"activity": told}) is expected
    listed = parse_condition(
        {"op": "in", "field": "activity", "values": ["retail", "room letting"]}
    )
    assert condition_holds(listed, {"activity": told}) is expected
    assert (
        condition_holds(parse_condition(cmp("neq", "room letting", "activity")), {"activity": told})
        is not expected
    )


def test_text_is_equal_however_its_letters_are_composed() -> None:
    condition = parse_condition(cmp("eq", "čišćenje straße"))
    assert condition_holds(condition, {"a": "C\u030cIS\u030cC\u0301ENJE STRASSE"})


def test_decimals_are_exact() -> None:
    condition = parse_condition(cmp("eq", "0.3"))
    assert condition_holds(condition, {"a": Decimal("0.1") + Decimal("0.2")})
    assert not condition_holds(condition, {"a": 0.1 + 0.2})
    assert condition_holds(parse_condition(cmp("lt", "1")), {"a": "0." + "9" * 300})
    assert condition_holds(parse_condition(cmp("gt", "1")), {"a": 10**5000})
    assert condition_holds(parse_condition(cmp("gt", "1")), {"a": Decimal("1e999999")})


def test_a_number_with_leading_zeros_is_a_name() -> None:
    condition = parse_condition(cmp("eq", "01234567890", "oib"))
    assert condition_holds(condition, {"oib": "01234567890"})
    assert not condition_holds(condition, {"oib": "1234567890"})


def test_between_includes_both_bounds() -> None:
    condition = parse_condition({"op": "between", "field": "a", "from": "0", "to": "1000"})
    told = ["-0.01", "0", "500", "1000", "1000.01", "much", None]
    assert [condition_holds(condition, {"a": value}) for value in told] == [
        False, True, True, True, False, False, False,
    ]  # fmt: skip
    assert condition_holds(
        parse_condition({"op": "between", "field": "a", "to": "2026-01-01"}), {"a": "2025-12-31"}
    )
    assert not condition_holds(
        parse_condition({"op": "between", "field": "a", "from": "5"}), {"a": "4"}
    )


def test_date_in_effect_includes_its_first_day_and_not_its_last() -> None:
    condition = parse_condition(
        {"op": "date_in_effect", "from": "2026-01-01", "until": "2027-01-01"}
    )
    days = ["2025-12-31", "2026-01-01", "2026-12-31", "2027-01-01"]
    expected = [False, True, True, False]
    assert [condition_holds(condition, {"date": day}) for day in days] == expected
    assert [condition_holds(condition, {}, date.fromisoformat(day)) for day in days] == expected
    assert [condition_holds(condition, {}, datetime.fromisoformat(day)) for day in days] == expected


def test_the_day_at_hand_stands_in_for_the_date_alone() -> None:
    today = date(2026, 6, 1)
    since = {"op": "date_in_effect", "from": "2026-01-01"}
    assert not condition_holds(parse_condition(since), {})
    assert not condition_holds(parse_condition(since), {"date": "2025-06-01"}, today)
    assert not condition_holds(parse_condition({**since, "field": "founded"}), {}, today)
    assert condition_holds(parse_condition(cmp("gte", "2026-06-01", "date")), {}, today)
    assert find_missing_fields(parse_condition(since), {}) == ("date",)
    assert find_missing_fields(parse_condition(since), {}, today) == ()


@pytest.mark.parametrize(
    ("pattern", "told", "expected"),
    [
        ("rent(al|ing)?", "Renting", True),
        ("rent", "renting", False),
        ("rent.*", "renting of rooms", True),
        ("čišćenje", "ČIŠĆENJE", True),
        (r"47\.[0-9]+", "47.10", True),
        (r"47\.10", "47.10", True),
        (r"47\.1", Decimal("47.10"), True),
        ("true", True, True),
        (r"2026-.*", date(2026, 1, 1), True),
        ("a b", " a \n b ", True),
        (".*", "\ud800", True),
        (".*", None, False),
        (".*", "", False),
    ],
)
def test_a_pattern_fits_the_whole_text_in_any_case(
    pattern: str, told: object, expected: bool
) -> None:
    condition = parse_condition({"op": "matches", "field": "a", "pattern": pattern})
    assert condition_holds(condition, {"a": told}) is expected


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)+$", "(.*a){40}", "(a?){60}a{60}", "(x+x+)+y", ".*" * 49 + "b"]
)
def test_hostile_patterns_end(pattern: str) -> None:
    condition = parse_condition({"op": "matches", "field": "a", "pattern": pattern})
    # Matching that goes back on its steps would take longer than the world has stood.
    assert not condition_holds(condition, {"a": "a" * 20_000 + "!"})


def test_what_is_known_is_asked_by_exists() -> None:
    assert condition_holds(parse_condition(KNOWN), {"oib": "0"})
    assert condition_holds(parse_condition(KNOWN), {"oib": False})
    assert not condition_holds(parse_condition(KNOWN), {"oib": None})
    assert not condition_holds(parse_condition(KNOWN), {})


def test_and_or_not_join_as_they_say() -> None:
    both = parse_condition({"op": "and", "all": [LETTING, LARGE]})
    either = parse_condition({"op": "or", "any": [LETTING, LARGE]})
    small = parse_condition({"op": "not", "condition": LARGE})
    situation = {"activity": "room letting", "turnover": 5}
    assert not condition_holds(both, situation)
    assert condition_holds(either, situation)
    assert condition_holds(small, situation)
    # Not turns round what a comparison says, even where that rests on nothing known.
    assert condition_holds(small, {})
    assert not condition_holds(parse_condition(SMALL), {})


def test_an_explanation_tells_each_part() -> None:
    condition = parse_condition(
        {"op": "and", "all": [LETTING, {"op": "or", "any": [LARGE, KNOWN]}]}
    )
    told = explain_condition(condition, {"activity": "room letting", "turnover": "70000"})
    assert told.holds
    assert told.missing == ("oib",)
    assert [part.holds for part in told.parts] == [True, True]
    assert [part.holds for part in told.parts[1].parts] == [True, False]
    assert render_explanation(told) == [
        "yes: activity is “room letting”",
        "yes: turnover is more than 60,000",
        "no: oib is known (not known: oib)",
    ]
    assert render_explanation(told, "de", {"oib": "die OIB"})[2] == (
        "nein: die OIB ist bekannt (nicht bekannt: die OIB)"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"op": "and", "all": [LETTING, LARGE]}, {"op": "and", "all": [LARGE, LETTING, LARGE]}),
        ({"op": "or", "any": [LETTING]}, LETTING),
        (
            {"op": "and", "all": [{"op": "and", "all": [KNOWN, LARGE]}, LETTING]},
            {"op": "and", "all": [KNOWN, LARGE, LETTING]},
        ),
        ({"op": "not", "condition": {"op": "not", "condition": LARGE}}, LARGE),
        ({"op": "and", "all": [TRUE, LARGE]}, LARGE),
        ({"op": "or", "any": [TRUE, LARGE]}, TRUE),
        ({"op": "not", "condition": TRUE}, FALSE),
        (cmp("eq", "Room  Letting"), cmp("eq", "room letting")),
        (cmp("gt", "60000.00"), cmp("gt", 60000)),
        (cmp("eq", -0.0), cmp("eq", 0)),
        ({"op": "in", "field": "a", "values": ["b", "A", "B"]},
         {"op": "in", "field": "a", "values": ["a", "b"]}),
        ({"op": "in", "field": "a", "values": ["b"]}, cmp("eq", "b")),
        ({"op": "between", "field": "a", "from": "1"}, cmp("gte", "1")),
        ({"op": "between", "field": "a", "to": "1"}, cmp("lte", "1")),
    ],
)  # fmt: skip
def test_trivially_equal_conditions_are_the_same(one: object, other: object) -> None:
    assert is_same_condition(parse_condition(one), parse_condition(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (cmp("eq", True), cmp("eq", 1)),
        (cmp("eq", "1"), cmp("eq", "01")),
        (cmp("gt", 1), cmp("gte", 1)),
        (LARGE, {"op": "not", "condition": SMALL}),
        ({"op": "and", "all": [LARGE, KNOWN]}, {"op": "or", "any": [LARGE, KNOWN]}),
        (
            {"op": "matches", "field": "a", "pattern": r"\d"},
            {"op": "matches", "field": "a", "pattern": r"\D"},
        ),
    ],
)
def test_other_conditions_are_not_the_same(one: object, other: object) -> None:
    assert not is_same_condition(parse_condition(one), parse_condition(other))


def test_always_is_seen_through_its_writings() -> None:
    always = parse_condition({"op": "and", "all": [TRUE, {"op": "or", "any": [LARGE, TRUE]}]})
    assert is_always(always)
    assert not is_never(always)
    assert is_never(parse_condition({"op": "not", "condition": {"op": "or", "any": [TRUE, LARGE]}}))
    assert not is_always(parse_condition({"op": "or", "any": [LARGE, SMALL]}))


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        (TRUE, 0),
        (LARGE, 1),
        ({"op": "in", "field": "a", "values": [1, 2, 3]}, 1),
        ({"op": "and", "all": [LARGE, LETTING, LARGE]}, 2),
        ({"op": "and", "all": [KNOWN, {"op": "or", "any": [LARGE, LETTING]}]}, 2),
        ({"op": "or", "any": [KNOWN, {"op": "and", "all": [LARGE, LETTING]}]}, 1),
        ({"op": "not", "condition": {"op": "and", "all": [LARGE, LETTING]}}, 1),
        ({"op": "not", "condition": {"op": "or", "any": [LARGE, LETTING]}}, 2),
    ],
)
def test_a_special_rule_is_more_specific_than_a_general_one(condition: object, count: int) -> None:
    assert compute_specificity(parse_condition(condition)) == count
