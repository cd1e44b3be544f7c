"""What holds on a day: special and general rules, several and none, and the days at the edges."""

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InvalidInput, NotFound
from assay.ruling.answers import (
    AnswerState,
    ExclusionReason,
    RuleAnswer,
    answer_question,
)
from assay.ruling.release.published_rules import PublishedRule
from assay.ruling.rules.descriptions import describe_period, describe_value
from tests.ruling.published import ALWAYS, BOOKS, SMALL, line, rule

DAY = date(2026, 1, 1)


def asked(*rules: PublishedRule, as_of: date = DAY, **situation: object) -> RuleAnswer:
    return answer_question(rules, "pdv.rate", situation, as_of)


def values(answer: RuleAnswer) -> list[str]:
    return [found.value for found in answer.found]


def test_one_rule_in_force_is_the_answer_with_its_quotes() -> None:
    answer = asked(rule("a"))
    assert (answer.state, answer.label) == (AnswerState.ANSWERED, "value added tax: rate")
    (found,) = answer.found
    assert (found.value, found.unit, found.rules[0].rule_id) == ("25", "%", "a")
    assert found.rules[0].sources[0].quote == "The rate of value added tax is 25 %."


def test_the_same_value_of_several_rules_is_one_answer() -> None:
    answer = asked(rule("a"), rule("b", applies_when=SMALL), turnover="100")
    assert answer.state is AnswerState.ANSWERED
    assert [entry.rule_id for entry in answer.found[0].rules] == ["b", "a"]


def test_different_values_that_nothing_parts_are_several() -> None:
    answer = asked(rule("a"), rule("b", "13"))
    assert answer.state is AnswerState.SEVERAL
    assert sorted(values(answer)) == ["13", "25"]


def test_a_special_rule_goes_before_the_general_one() -> None:
    rules = rule("general"), rule("special", "5", applies_when=BOOKS)
    answer = asked(*rules, activity="Books")
    assert (answer.state, values(answer)) == (AnswerState.ANSWERED, ["5"])
    assert [(miss.rule.rule_id, miss.why) for miss in answer.misses] == [
        ("general", ExclusionReason.GENERAL)
    ]
    side_by_side = answer_question(rules, "pdv.rate", {"activity": "books"}, DAY, side_by_side=True)
    assert values(side_by_side) == ["5", "25"]


def test_a_condition_inside_a_condition_is_more_special() -> None:
    both = {"op": "and", "all": [SMALL, BOOKS]}
    rules = rule("a"), rule("b", "13", applies_when=SMALL), rule("c", "5", applies_when=both)
    answer = asked(*rules, turnover="100", activity="books")
    assert values(answer) == ["5"]
    assert values(asked(*rules, turnover="100", activity="bread")) == ["13"]


def test_one_of_several_goods_is_more_special_than_all_of_them() -> None:
    goods = {"op": "in", "field": "activity", "values": ["Books", "bread"]}
    rules = rule("a", "13", applies_when=goods), rule("b", "5", applies_when=BOOKS)
    assert values(asked(*rules, activity="books")) == ["5"]
    assert values(asked(*rules, activity="bread")) == ["13"]
    rates = {"op": "gt", "field": "turnover", "value": "1000"}
    stepped = rule("a", "13", applies_when=SMALL), rule("b", "5", applies_when=rates)
    assert asked(*stepped, turnover="2000").state is AnswerState.SEVERAL


def test_conditions_about_different_things_are_not_ranked_by_their_length() -> None:
    long = {"op": "and", "all": [SMALL, {"op": "exists", "field": "resident"}]}
    rules = rule("a", "5", applies_when=BOOKS), rule("b", "0", applies_when=long)
    answer = asked(*rules, turnover="100", activity="books", resident="true")
    assert (answer.state, values(answer)) == (AnswerState.SEVERAL, ["0", "5"])


def test_a_special_case_told_by_a_weaker_source_does_not_go_before_law() -> None:
    rules = rule("law"), rule("page", "5", applies_when=BOOKS, authority="PRACTICE")
    assert asked(*rules, activity="books").state is AnswerState.SEVERAL


def test_a_field_that_is_not_told_is_named_and_never_guessed() -> None:
    rules = rule("general"), rule("special", "5", applies_when=BOOKS)
    answer = asked(*rules)
    assert values(answer) == ["25"]
    assert answer.open_fields == ("activity",)
    assert [(m.why, m.fields) for m in answer.misses] == [
        (ExclusionReason.FIELD_MISSING, ("activity",))
    ]
    alone = asked(rules[1])
    assert (alone.state, alone.misses[0].reason) == (AnswerState.NONE, "needs: activity")


def test_what_would_not_help_is_not_asked_for() -> None:
    both = {"op": "and", "all": [SMALL, BOOKS]}
    answer = asked(rule("a", applies_when=both), turnover="70000")
    assert (answer.misses[0].why, answer.open_fields) == (ExclusionReason.NOT_MET, ())
    assert answer.misses[0].reason == "does not apply: requires that turnover is at most 60,000"
    either = {"op": "or", "any": [SMALL, BOOKS]}
    assert asked(rule("a", applies_when=either), turnover="100").open_fields == ()


def test_a_rule_that_holds_only_because_a_field_is_unknown_says_so() -> None:
    answer = asked(rule("a", applies_when={"op": "not", "condition": BOOKS}))
    assert (answer.state, answer.found[0].assumed) == (AnswerState.ANSWERED, ("activity",))
    assert answer.open_fields == ("activity",)


def test_none_says_why_the_nearest_first() -> None:
    rules = (
        rule("ended", effective_from=None, effective_until="2020-01-01"),
        rule("later", effective_from="2027-01-01"),
        rule("soon", effective_from="2026-02-01"),
        rule("unmet", applies_when=BOOKS),
    )
    answer = asked(*rules, activity="bread")
    assert answer.state is AnswerState.NONE
    assert [(miss.rule.rule_id, miss.why) for miss in answer.misses] == [
        ("unmet", ExclusionReason.NOT_MET),
        ("soon", ExclusionReason.NOT_YET),
        ("later", ExclusionReason.NOT_YET),
        ("ended", ExclusionReason.ENDED),
    ]
    assert answer.misses[1].reason == "it is in force only from 2026-02-01"
    assert answer.misses[3].reason == "it ended on 2020-01-01"


days = st.dates(date(1990, 1, 1), date(2060, 1, 1))


@given(days, days)
def test_the_first_day_is_included_and_the_last_is_not(one: date, other: date) -> None:
    first, end = min(one, other), max(one, other) + timedelta(days=1)
    entry = rule("a", effective_from=first.isoformat(), effective_until=end.isoformat())
    told = {
        day: asked(entry, as_of=day).state
        for day in (first - timedelta(days=1), first, end - timedelta(days=1), end)
    }
    assert told[first - timedelta(days=1)] is AnswerState.NONE
    assert (told[first], told[end - timedelta(days=1)]) == (
        AnswerState.ANSWERED,
        AnswerState.ANSWERED,
    )
    assert told[end] is AnswerState.NONE


@given(days)
def test_two_rules_that_follow_each_other_never_leave_or_double_a_day(day: date) -> None:
    old = rule("old", "23", effective_from=None, effective_until="2026-01-01")
    new = rule("new", "25", effective_from="2026-01-01")
    answer = asked(old, new, as_of=day)
    assert values(answer) == ["25" if day >= DAY else "23"]


conditions = st.sampled_from(
    [ALWAYS, BOOKS, SMALL, {"op": "and", "all": [SMALL, BOOKS]}, {"op": "not", "condition": BOOKS}]
)
entries = st.tuples(st.sampled_from(["5", "13", "25"]), conditions)
others = st.sampled_from(
    [
        {"effective_from": "2026-01-02"},
        {"effective_from": None, "effective_until": "2026-01-01"},
        {"applies_when": {"op": "eq", "field": "activity", "value": "boats"}},
        {"applies_when": {"op": "gt", "field": "turnover", "value": "1000000"}},
        {"applies_when": {"op": "false"}},
        {"concept": "pdv.threshold"},
    ]
)


@given(
    st.lists(entries, min_size=1, max_size=5),
    st.lists(st.tuples(entries, others), max_size=4),
    st.sampled_from(["books", "bread"]),
    st.randoms(use_true_random=False),
)
def test_order_and_rules_that_do_not_hold_change_nothing(
    kept: list[tuple[str, dict[str, object]]],
    added: list[tuple[tuple[str, dict[str, object]], dict[str, object]]],
    activity: str,
    random: object,
) -> None:
    rules = [rule(f"r{n}", value, applies_when=when) for n, (value, when) in enumerate(kept)]
    idle = [
        rule(f"x{n}", value, **{"applies_when": when, **change})
        for n, ((value, when), change) in enumerate(added)
    ]
    before = asked(*rules, activity=activity, turnover="50000")
    mixed = [*idle, *rules]
    random.shuffle(mixed)  # type: ignore[attr-defined]
    after = asked(*mixed, activity=activity, turnover="50000")
    assert (after.state, after.found) == (before.state, before.found)


@given(st.lists(entries, max_size=5), st.sampled_from(["books", "bread"]))
def test_special_rules_never_leave_a_question_without_an_answer(
    kept: list[tuple[str, dict[str, object]]], activity: str
) -> None:
    rules = [rule(f"r{n}", value, applies_when=when) for n, (value, when) in enumerate(kept)]
    answer = asked(rule("all"), *rules, activity=activity, turnover="50000")
    side_by_side = answer_question(
        [rule("all"), *rules],
        "pdv.rate",
        {"activity": activity, "turnover": "50000"},
        DAY,
        side_by_side=True,
    )
    assert answer.state is not AnswerState.NONE
    assert {found.value for found in answer.found} <= {found.value for found in side_by_side.found}


def test_no_rule_of_the_concept_is_not_found() -> None:
    with pytest.raises(NotFound):
        answer_question([rule("a", concept="x.y")], "pdv.rate", {}, DAY)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"applies_when": {"op": "maybe"}}, "no valid condition"),
        ({"applies_when": None}, "no valid condition"),
        ({"effective_from": "soon"}, "is not valid"),
        ({"value": 25}, "value is not text"),
        ({"sources": [{"quote": "x"}]}, "lacks 'source_slug'"),
    ],
    ids=["op", "none", "day", "value", "source"],
)
def test_a_damaged_line_says_what_is_wrong(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidInput) as told:
        PublishedRule.from_line(line("a", **change))
    assert reason in told.value.what
    assert "a" in told.value.what


def test_a_rule_comes_back_as_it_was_written() -> None:
    told = line("a", applies_when=SMALL, effective_until="2030-01-01")
    kept = PublishedRule.from_line(told).to_dict()
    (source,), (told_source,) = kept.pop("sources"), told.pop("sources")
    assert kept.items() <= told.items()
    assert source.items() <= told_source.items()


@pytest.mark.parametrize(
    ("value", "kind", "unit", "said"),
    [
        ("25", "percentage", "%", "25 %"),
        ("39816.84", "currency", "EUR", "39,816.84 EUR"),
        ("1", "count", "days", "1 day"),
        ("15", "count", "working_days", "15 working days"),
        ("20", "count", "day_of_month", "day 20 of the month"),
        ("--03-31", "date", "", "31 March of every year"),
        ("--02-29", "date", "", "29 February of every year"),
        ("2026-01-01", "date", "", "1 January 2026"),
        ("100", "threshold", "", "100"),
        ("članka 4.", "cross_reference", "", "članka 4."),
    ],
)
def test_values_are_said_as_people_read_them(value: str, kind: str, unit: str, said: str) -> None:
    assert describe_value(value, kind, unit) == said


def test_a_period_says_which_end_belongs_to_it() -> None:
    assert describe_period("2025-01-01", None) == "from 2025-01-01 on"
    assert describe_period(None, DAY) == "from an unknown day until 2026-01-01 (not included)"


def test_an_amendment_that_was_not_applied_makes_the_answer_uncertain_from_its_day() -> None:
    doubt = {"from": "2026-07-01", "why": "the words were not found", "quote": "is replaced by"}
    doubted = PublishedRule.from_line({**line("rl_doubted"), "doubts": [doubt]})
    before, after = date(2026, 6, 30), date(2026, 7, 1)
    assert asked(doubted, as_of=before).state is AnswerState.ANSWERED
    answer = asked(doubted, as_of=after)
    assert answer.state is AnswerState.UNCERTAIN
    assert values(answer) == ["25"]
    assert answer.found[0].doubt == doubted.doubts[0]
    sure = PublishedRule.from_line(line("rl_sure"))
    assert asked(doubted, sure, as_of=after).state is AnswerState.ANSWERED


def test_a_page_of_lower_authority_does_not_make_law_certain() -> None:
    doubt = {"from": "2026-07-01", "why": "the words were not found", "quote": "is replaced by"}
    law = {**line("rl_law"), "authority": "LAW", "doubts": [doubt]}
    page = PublishedRule.from_line({**line("rl_page"), "authority": "PRACTICE"})
    after = date(2026, 7, 1)
    answer = asked(PublishedRule.from_line(law), page, as_of=after)
    assert answer.state is AnswerState.UNCERTAIN
    other = PublishedRule.from_line({**line("rl_other"), "authority": "LAW"})
    assert asked(PublishedRule.from_line(law), page, other, as_of=after).state is (
        AnswerState.ANSWERED
    )


WORDED = {"op": "eq", "field": "wording", "value": "On books the rate is […]."}


def test_an_answer_about_several_concepts_is_not_certain_because_one_of_them_is() -> None:
    """`pdv.rate` covers both kinds; one of them applies as its provision says."""
    always = rule("a", "6", concept="pdv.rate.transport")
    worded = rule("b", "13", concept="pdv.rate.books", applies_when=WORDED)
    answer = asked(always, worded)
    assert answer.state is AnswerState.AS_WORDED
    assert sorted(values(answer)) == ["13", "6"]
    same = rule("c", "6", concept="pdv.rate.books", applies_when=WORDED)
    assert asked(always, same).state is AnswerState.AS_WORDED
    alone = answer_question((always, worded), "pdv.rate.transport", {}, DAY)
    assert (alone.state, values(alone)) == (AnswerState.ANSWERED, ["6"])
    # Of one concept, the words of another provision do not matter if a rule surely applies.
    own = rule("d", "13", concept="pdv.rate.transport", applies_when=WORDED)
    assert (asked(always, own).state, values(asked(always, own))) == (AnswerState.ANSWERED, ["6"])


def test_a_doubt_about_one_concept_is_not_removed_by_another() -> None:
    doubt = {"from": "2026-07-01", "why": "the words were not found", "quote": "is replaced by"}
    kinds = [{"concept": f"pdv.rate.{kind}"} for kind in ("transport", "books")]
    doubted = PublishedRule.from_line({**line("rl_doubted"), **kinds[0], "doubts": [doubt]})
    sure = PublishedRule.from_line({**line("rl_sure"), **kinds[1]})
    after = date(2026, 7, 1)
    assert asked(doubted, sure, as_of=after).state is AnswerState.UNCERTAIN


def test_an_amendment_without_a_day_always_makes_the_answer_uncertain() -> None:
    doubt = {"from": None, "why": "from when it counts is not known", "quote": "is replaced by"}
    doubted = PublishedRule.from_line({**line("rl_doubted"), "doubts": [doubt]})
    assert asked(doubted, as_of=date(2025, 1, 1)).state is AnswerState.UNCERTAIN
