"""Whatever a condition looks like, its meaning stays the same in every form of it."""

import json
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InvalidCondition
from assay.ruling.rules.conditions import (
    Condition,
    as_json,
    compute_specificity,
    condition_holds,
    explain_condition,
    fields_of,
    find_missing_fields,
    is_always,
    is_never,
    is_same_condition,
    parse_condition,
    parse_condition_text,
    render_condition,
    render_explanation,
    simplify_condition,
    to_canonical_bytes,
)
from assay.ruling.rules.conditions.nodes import And, Leaf, Not, Or, leaves_of
from assay.ruling.rules.conditions.values import fold_text, parse_value, tidy_text

Json = dict[str, Any]
FIELDS = ("activity", "turnover", "date", "tax_base", "a.b")
TEXTS = ("room letting", "Room  Letting", "straße", "STRASSE", "čaj", "a+", "01", "5.", "true")
OPS = (
    "and", "or", "not", "cmp", "eq", "gt", "in", "exists", "between", "matches",
    "date_in_effect", "true",
)  # fmt: skip
KEYS = (
    "op", "all", "any", "condition", "cmp", "field", "value", "values", "from", "to", "until",
    "pattern", "x",
)  # fmt: skip
quick = settings(derandomize=True, deadline=None, max_examples=150)

fields = st.sampled_from(FIELDS)
days = st.dates(date(2025, 12, 30), date(2026, 1, 3)).map(date.isoformat)
numbers = st.integers(-3, 3) | st.sampled_from(["0.5", "2", "60000", 0.1, Decimal("1E+2")])
texts = st.sampled_from(TEXTS) | st.text(
    st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=5
)
values = st.one_of(texts, numbers, days, st.booleans())
ordered = numbers | days


def bounded(op: str, low: str, high: str, kind: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    bounds = st.fixed_dictionaries({}, optional={low: kind, high: kind})
    return st.tuples(fields, bounds).map(lambda told: {"op": op, "field": told[0], **told[1]})


def valid(told: Json) -> bool:
    try:
        parse_condition(told)
    except InvalidCondition:
        return False
    return True


compared = st.one_of(
    st.fixed_dictionaries({"op": st.sampled_from(["eq", "neq"]), "field": fields, "value": values}),
    st.fixed_dictionaries(
        {"op": st.sampled_from(["gt", "gte", "lt", "lte"]), "field": fields, "value": ordered}
    ),
)
leaves = st.one_of(
    compared,
    st.fixed_dictionaries(
        {"op": st.just("in"), "field": fields, "values": st.lists(values, min_size=1, max_size=4)}
    ),
    st.fixed_dictionaries({"op": st.just("exists"), "field": fields}),
    bounded("between", "from", "to", numbers),
    bounded("between", "from", "to", days),
    bounded("date_in_effect", "from", "until", days),
    st.fixed_dictionaries(
        {
            "op": st.just("matches"),
            "field": fields,
            "pattern": st.sampled_from([".*", "room.*", "(a+)+$", "[0-9]+", "Č.."]),
        }
    ),
).filter(valid)
told_conditions: st.SearchStrategy[Json] = st.recursive(
    leaves | st.sampled_from([{"op": "true"}, {"op": "false"}]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map(lambda members: {"op": "and", "all": members}),
        st.lists(inner, min_size=1, max_size=4).map(lambda members: {"op": "or", "any": members}),
        inner.map(lambda member: {"op": "not", "condition": member}),
    ),
    max_leaves=12,
)
conditions = told_conditions.map(parse_condition)
situations = st.dictionaries(
    fields, st.one_of(values, st.none(), st.just(""), st.floats(), st.dates(), st.text(max_size=3))
)
as_ofs = st.none() | st.dates(date(2025, 12, 30), date(2026, 1, 3))


@quick
@given(conditions)
def test_every_form_is_read_back_as_it_was(condition: Condition) -> None:
    assert parse_condition(as_json(condition)) == condition
    assert parse_condition_text(json.dumps(as_json(condition))) == condition
    again = parse_condition_text(to_canonical_bytes(condition))
    assert to_canonical_bytes(again) == to_canonical_bytes(condition)
    assert again == simplify_condition(condition)
    assert is_same_condition(again, condition)


@quick
@given(conditions, situations, as_ofs)
def test_the_canonical_form_means_the_same(
    condition: Condition, situation: dict[str, object], as_of: date | None
) -> None:
    held = condition_holds(condition, situation, as_of)
    assert (
        condition_holds(parse_condition_text(to_canonical_bytes(condition)), situation, as_of)
        is held
    )
    assert explain_condition(condition, situation, as_of).holds is held
    if is_always(condition):
        assert held
    if is_never(condition):
        assert not held


@quick
@given(conditions, situations)
def test_the_canonical_form_asks_no_more_than_the_condition(
    condition: Condition, situation: dict[str, object]
) -> None:
    plain = simplify_condition(condition)
    assert simplify_condition(plain) == plain
    assert set(fields_of(plain)) <= set(fields_of(condition))
    assert 0 <= compute_specificity(condition) <= len(list(leaves_of(condition)))
    missing = find_missing_fields(condition, situation)
    assert set(missing) <= set(fields_of(condition))
    assert all(parse_value(situation.get(field)) is None for field in missing)


@quick
@given(st.lists(conditions, min_size=1, max_size=4), situations)
def test_de_morgan_holds(members: list[Condition], situation: dict[str, object]) -> None:
    negated = tuple(Not(member) for member in members)
    assert condition_holds(Not(And(tuple(members))), situation) is condition_holds(
        Or(negated), situation
    )
    assert condition_holds(Not(Or(tuple(members))), situation) is condition_holds(
        And(negated), situation
    )


@quick
@given(st.lists(conditions, min_size=1, max_size=5), st.randoms(use_true_random=False), situations)
def test_order_and_repetition_of_members_make_no_difference(
    members: list[Condition], random: Any, situation: dict[str, object]
) -> None:
    mixed = [*members, members[0]]
    random.shuffle(mixed)
    for kind in (And, Or):
        one, other = kind(tuple(members)), kind(tuple(mixed))
        assert to_canonical_bytes(one) == to_canonical_bytes(other)
        assert to_canonical_bytes(one) == to_canonical_bytes(kind((kind(tuple(mixed)),)))
        assert to_canonical_bytes(one) == to_canonical_bytes(Not(Not(other)))
        assert condition_holds(one, situation) is condition_holds(other, situation)


@quick
@given(leaves.map(parse_condition), situations)
def test_a_missing_field_never_makes_a_comparison_true(
    condition: Condition, situation: dict[str, object]
) -> None:
    assert isinstance(condition, Leaf)
    told = {name: value for name, value in situation.items() if name != condition.field}
    assert not condition_holds(condition, told)
    assert find_missing_fields(condition, told) == (condition.field,)


@quick
@given(conditions, st.sampled_from(["en", "hr", "de"]), situations)
def test_every_condition_can_be_said_with_all_its_fields(
    condition: Condition, language: str, situation: dict[str, object]
) -> None:
    sentence = render_condition(condition, language)
    assert sentence
    for name in fields_of(condition):
        assert name.replace("_", " ") in sentence
    lines = render_explanation(explain_condition(condition, situation), language)
    assert len(lines) >= len(set(fields_of(condition)))


junk = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.decimals(),
        st.text(max_size=8),
        st.binary(max_size=3),
        st.dates(),
        st.sampled_from(["and", "or", "not", "eq", "in", "between", "matches", "2026-02-30"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=12,
)
shaped_junk = st.fixed_dictionaries(
    {"op": st.sampled_from(OPS)},
    optional={
        "all": st.lists(junk, max_size=3),
        "any": st.lists(junk, max_size=3),
        "condition": junk,
        "cmp": junk,
        "field": st.just("a") | junk,
        "value": junk,
        "values": st.lists(junk, max_size=3),
        "from": junk,
        "to": junk,
        "until": junk,
        "pattern": st.text(max_size=12) | st.from_regex(r"[()\[\]{}?*+|\\a1,^$]{1,12}"),
    },
)


def outcome(told: object) -> str:
    """What becomes of any data: a condition that can be used, or a refusal that can be read."""
    try:
        condition = parse_condition(told)
    except InvalidCondition as error:
        assert error.what.startswith("The condition is wrong")
        assert error.what.encode()
        return "refused"
    assert parse_condition_text(to_canonical_bytes(condition)) is not None
    assert render_condition(condition)
    assert condition_holds(condition, {"a": "5"}) in (True, False)
    return "read"


@settings(quick, max_examples=400)
@given(junk | shaped_junk)
def test_any_data_is_a_condition_or_refused(told: object) -> None:
    assert outcome(told) in ("read", "refused")


@quick
@given(st.text() | st.binary())
def test_any_text_is_a_condition_or_refused(text: str | bytes) -> None:
    with pytest.raises(InvalidCondition):
        parse_condition_text(text)


@quick
@given(st.text(max_size=12) | st.from_regex(r"[()\[\]{}?*+|\\a1,^$.:=!<P]{1,20}", fullmatch=True))
def test_any_pattern_is_matched_or_refused(pattern: str) -> None:
    told = {"op": "matches", "field": "a", "pattern": pattern}
    if outcome(told) == "read":
        assert condition_holds(parse_condition(told), {"a": "a" * 5000 + "!"}) in (True, False)


@quick
@given(st.text())
def test_folding_comes_to_rest(text: str) -> None:
    assert tidy_text(tidy_text(text)) == tidy_text(text)
    assert fold_text(fold_text(text)) == fold_text(text)
    assert fold_text(tidy_text(text)) == fold_text(text)


@quick
@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=4
    )
)
def test_equal_numbers_are_equal_however_they_are_written(number: Decimal) -> None:
    one = parse_condition({"op": "eq", "field": "a", "value": number})
    other = parse_condition({"op": "eq", "field": "a", "value": as_json(one)["value"]})
    assert to_canonical_bytes(one) == to_canonical_bytes(other)
    assert condition_holds(one, {"a": str(as_json(one)["value"])})
    assert not condition_holds(one, {"a": number + 1})
