"""One form for each meaning, as far as that can be seen without knowing the fields."""

from collections.abc import Mapping
from typing import Any, assert_never

from assay.model.hashes import canonical_json
from assay.ruling.rules.conditions.nodes import (
    WORDING_FIELD,
    Always,
    And,
    Between,
    Compare,
    Comparison,
    Condition,
    Exists,
    InEffect,
    Leaf,
    Matches,
    Never,
    Not,
    OneOf,
    Or,
    Value,
)
from assay.ruling.rules.conditions.values import fold_text, format_value


def as_json(condition: Condition) -> dict[str, Any]:
    """The condition as JSON data, as it was written; `parse_condition` reads it back."""
    match condition:
        case Always():
            return {"op": "true"}
        case Never():
            return {"op": "false"}
        case And(members):
            return {"op": "and", "all": [as_json(member) for member in members]}
        case Or(members):
            return {"op": "or", "any": [as_json(member) for member in members]}
        case Not(member):
            return {"op": "not", "condition": as_json(member)}
        case _:
            return _leaf_as_json(condition)


def _leaf_as_json(leaf: Leaf) -> dict[str, Any]:
    match leaf:
        case Compare(comparison, field, value):
            return {"op": comparison.value, "field": field, "value": _value_as_json(value)}
        case OneOf(field, values):
            return {
                "op": "in",
                "field": field,
                "values": [_value_as_json(value) for value in values],
            }
        case Exists(field):
            return {"op": "exists", "field": field}
        case Between(field, low, high):
            return {"op": "between", "field": field, **_bounds_as_json({"from": low, "to": high})}
        case Matches(field, pattern):
            return {"op": "matches", "field": field, "pattern": pattern}
        case InEffect(field, start, until):
            bounds = _bounds_as_json({"from": start, "until": until})
            return {"op": "date_in_effect", "field": field, **bounds}
        case _:
            assert_never(leaf)


def _bounds_as_json(bounds: Mapping[str, Value | None]) -> dict[str, str | bool]:
    return {name: _value_as_json(value) for name, value in bounds.items() if value is not None}


def _value_as_json(value: Value) -> str | bool:
    return value if isinstance(value, bool) else format_value(value)


def to_canonical_bytes(condition: Condition) -> bytes:
    """The same bytes for conditions that differ only in order, repetition, nesting or case."""
    return canonical_json(as_json(simplify_condition(condition)))


def simplify_condition(condition: Condition) -> Condition:
    """A condition with the same meaning: flat, sorted, without repeated or redundant parts."""
    match condition:
        case And(members):
            return _simplify_members(members, And, Always(), Never())
        case Or(members):
            return _simplify_members(members, Or, Never(), Always())
        case Not(member):
            return _negate_condition(simplify_condition(member))
        case Compare(comparison, field, value):
            # The words of a provision are shown as it has them.
            return (
                condition
                if field == WORDING_FIELD
                else Compare(comparison, field, _fold_value(value))
            )
        case OneOf(field, values):
            listed = sorted((_fold_value(value) for value in values), key=_value_key)
            distinct = tuple({_value_key(value): value for value in listed}.values())
            if len(distinct) == 1:
                return Compare(Comparison.EQ, field, distinct[0])
            return OneOf(field, distinct)
        case Between(field, low, None) if low is not None:
            return Compare(Comparison.GTE, field, low)
        case Between(field, None, high) if high is not None:
            return Compare(Comparison.LTE, field, high)
        case _:
            return condition


def is_same_condition(one: Condition, other: Condition) -> bool:
    """Whether two conditions are the same, apart from how they are written."""
    return to_canonical_bytes(one) == to_canonical_bytes(other)


def is_always(condition: Condition) -> bool:
    """Whether it obviously always holds."""
    return isinstance(simplify_condition(condition), Always)


def is_never(condition: Condition) -> bool:
    """Whether it obviously never holds."""
    return isinstance(simplify_condition(condition), Never)


def compute_specificity(condition: Condition) -> int:
    """The minimum number of comparisons to meet: a specific rule has more than a general one."""
    return _count_comparisons(simplify_condition(condition), holds=True)


def _count_comparisons(condition: Condition, holds: bool) -> int:
    """The minimum number of comparisons that decide whether a condition holds, or does not."""
    match condition:
        case Always() | Never():
            return 0
        case Not(member):
            return _count_comparisons(member, not holds)
        case And(members) | Or(members):
            counts = [_count_comparisons(member, holds) for member in members]
            return sum(counts) if isinstance(condition, And) == holds else min(counts)
        case _:
            return 1


def _simplify_members(
    members: tuple[Condition, ...],
    kind: type[And] | type[Or],
    idle: Condition,
    final: Condition,
) -> Condition:
    """The members of an `And` or `Or`: `idle` ones add nothing, a `final` one decides."""
    flat: dict[bytes, Condition] = {}
    for member in map(simplify_condition, members):
        for part in member.members if isinstance(member, kind) else (member,):
            flat[canonical_json(as_json(part))] = part
    relevant = [part for _, part in sorted(flat.items()) if part != idle]
    if final in relevant:
        return final
    if not relevant:
        return idle
    return relevant[0] if len(relevant) == 1 else kind(tuple(relevant))


def _negate_condition(member: Condition) -> Condition:
    match member:
        case Always():
            return Never()
        case Never():
            return Always()
        case Not(inner):
            return inner
        case _:
            return Not(member)


def _fold_value(value: Value) -> Value:
    return fold_text(value) if isinstance(value, str) else value


def _value_key(value: Value) -> bytes:
    return canonical_json(_value_as_json(value))
