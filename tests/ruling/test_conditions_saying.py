"""Conditions are said in three languages, and situations are read from the command line."""

from typing import Any

import pytest

from assay.errors import InvalidInput
from assay.ruling.rules.conditions import (
    condition_holds,
    parse_condition,
    parse_situation,
    render_condition,
)

LETTING = {"op": "eq", "field": "activity", "value": "room letting"}
LARGE = {"op": "gt", "field": "turnover", "value": "60000"}
KNOWN = {"op": "exists", "field": "oib"}
DAYS = {"op": "date_in_effect", "from": "2026-01-01", "until": "2027-03-31"}


def field(op: str, **rest: object) -> dict[str, Any]:
    return {"op": op, "field": "a", **rest}


@pytest.mark.parametrize(
    ("condition", "english", "croatian", "german"),
    [
        ({"op": "true"}, "always", "uvijek", "immer"),
        ({"op": "false"}, "never", "nikad", "nie"),
        (
            {"op": "and", "all": [LARGE, LETTING]},
            "turnover is more than 60,000 and activity is “room letting”",
            "turnover iznosi više od 60.000 i activity je „room letting”",
            "turnover beträgt mehr als 60.000 und activity ist „room letting“",
        ),
        (
            {"op": "or", "any": [KNOWN, {"op": "and", "all": [LARGE, LETTING]}]},
            "oib is known or (turnover is more than 60,000 and activity is “room letting”)",
            "oib je poznato ili (turnover iznosi više od 60.000 i activity je „room letting”)",
            "oib ist bekannt oder (turnover beträgt mehr als 60.000 und activity ist "
            "„room letting“)",
        ),
        (
            {"op": "not", "condition": LARGE},
            "it is not so that turnover is more than 60,000",
            "nije točno da turnover iznosi više od 60.000",
            "es trifft nicht zu: turnover beträgt mehr als 60.000",
        ),
        (
            {"op": "not", "condition": {"op": "or", "any": [LARGE, KNOWN]}},
            "it is not so that (turnover is more than 60,000 or oib is known)",
            "nije točno da (turnover iznosi više od 60.000 ili oib je poznato)",
            "es trifft nicht zu: (turnover beträgt mehr als 60.000 oder oib ist bekannt)",
        ),
        (
            DAYS,
            "date is 1 January 2026 or later and before 31 March 2027",
            "date je 1. siječnja 2026. ili kasnije, a prije 31. ožujka 2027.",
            "date ist der 1. Januar 2026 oder später und liegt vor dem 31. März 2027",
        ),
        (
            {**DAYS, "from": None},
            "date is before 31 March 2027",
            "date je prije 31. ožujka 2027.",
            "date liegt vor dem 31. März 2027",
        ),
        (
            field("between", **{"from": "0", "to": "1234567.5"}),
            "a is from 0 to 1,234,567.5",
            "a iznosi od 0 do 1.234.567,5",
            "a beträgt 0 bis 1.234.567,5",
        ),
        (
            field("between", **{"from": "2026-01-01", "to": "2026-12-31"}),
            "a is from 1 January 2026 to 31 December 2026, both included",
            "a je od 1. siječnja 2026. zaključno do 31. prosinca 2026.",
            "a liegt zwischen dem 1. Januar 2026 und dem 31. Dezember 2026, beide eingeschlossen",
        ),
        (
            field("between", to="-1000"),
            "a is at most -1,000",
            "a iznosi najviše -1.000",
            "a beträgt höchstens -1.000",
        ),
        (
            field("in", values=["retail", 5, True, "2026-01-01"]),
            "a is “retail”, 5, yes or 1 January 2026",
            "a je „retail”, 5, da ili 1. siječnja 2026.",
            "a ist „retail“, 5, ja oder 1. Januar 2026",
        ),
        (
            field("in", values=[False]),
            "a is no",
            "a je ne",
            "a ist nein",
        ),
        (
            field("neq", value="x"),
            "a is known and is not “x”",
            "a je poznato i nije „x”",
            "a ist bekannt und nicht „x“",
        ),
        (
            field("matches", pattern="a{2}"),
            "a fits the pattern “a{2}”",
            "a odgovara uzorku „a{2}”",
            "a entspricht dem Muster „a{2}“",
        ),
    ],
)
def test_conditions_are_said_in_each_language(
    condition: object, english: str, croatian: str, german: str
) -> None:
    read = parse_condition(condition)
    assert render_condition(read) == english
    assert render_condition(read, "hr") == croatian
    assert render_condition(read, "de") == german


@pytest.mark.parametrize(
    ("op", "number", "day"),
    [
        ("gt", "a is more than 5", "a is after 1 May 2026"),
        ("gte", "a is at least 5", "a is 1 May 2026 or later"),
        ("lt", "a is less than 5", "a is before 1 May 2026"),
        ("lte", "a is at most 5", "a is 1 May 2026 or earlier"),
        ("eq", "a is 5", "a is 1 May 2026"),
    ],
)
def test_numbers_are_more_and_days_are_later(op: str, number: str, day: str) -> None:
    assert render_condition(parse_condition(field(op, value=5))) == number
    assert render_condition(parse_condition(field(op, value="2026-05-01"))) == day


def test_a_nested_condition_keeps_its_sense_in_words() -> None:
    inner = {"op": "not", "condition": KNOWN}
    told = {"op": "and", "all": [inner, {"op": "and", "all": [LARGE]}, {"op": "true"}]}
    assert render_condition(parse_condition(told)) == (
        "(it is not so that oib is known) and turnover is more than 60,000 and always"
    )


def test_a_single_member_does_not_take_the_brackets_away() -> None:
    either = {"op": "or", "any": [LARGE, LETTING]}
    told = {"op": "and", "all": [{"op": "and", "all": [either]}, KNOWN]}
    assert render_condition(parse_condition(told)) == (
        "(turnover is more than 60,000 or activity is “room letting”) and oib is known"
    )


def test_fields_are_named_by_their_labels() -> None:
    read = parse_condition({"op": "exists", "field": "tax_base"})
    assert render_condition(read) == "tax base is known"
    assert (
        render_condition(read, "hr", {"tax_base": "porezna osnovica"})
        == "porezna osnovica je poznato"
    )


def test_a_language_without_words_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"cannot be worded in 'fr'\. Use one of: en, hr, de"):
        render_condition(parse_condition({"op": "true"}), "fr")


def test_a_situation_is_told_by_names_and_values() -> None:
    told = parse_situation(
        ["turnover=70000", "activity= room  letting ", "note=a=b", "resident=true", "share=0.5"]
    )
    assert told == {
        "turnover": "70000",
        "activity": "room letting",
        "note": "a=b",
        "resident": "true",
        "share": "0.5",
    }
    assert condition_holds(parse_condition({"op": "and", "all": [LARGE, LETTING]}), told)
    assert condition_holds(parse_condition({"op": "eq", "field": "resident", "value": True}), told)
    assert parse_situation([]) == {}


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (["turnover"], "'turnover' has no value. Write it as name=value"),
        ([""], "'' has no value"),
        (["=5"], "'=5' names no field"),
        (["  =5"], "names no field"),
        (["Turnover=5"], "'Turnover' is not a valid field name"),
        (["a b=5"], "'a b' is not a valid field name"),
        (["turnover=5", "turnover=5"], "'turnover' is given twice"),
        (["turnover="], "'turnover' has no value"),
        (["turnover= "], "'turnover' has no value"),
        (["turnover=70.000"], "more than one number"),
        (["turnover=70,000"], "more than one number"),
        (["turnover=70 000"], "more than one number"),
        (["turnover=1.234.567,89"], "more than one number"),
        (["share=0,5"], "more than one number"),
        (["date=2026-02-30"], "'date=2026-02-30' is not a valid date"),
    ],
)
def test_what_is_no_situation_is_refused(told: list[str], reason: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_situation(told)
    assert reason in str(caught.value)
