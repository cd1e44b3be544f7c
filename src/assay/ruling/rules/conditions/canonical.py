"""One writing for each meaning, as far as it can be seen without knowing the fields."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, assert_never

from assay.model.hashes import canonical_json
from assay.ruling.rules.conditions.nodes import (
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
from assay.ruling.rules.conditions.values import folded, number_text


def as_json(condition: Condition) -> dict[str, Any]:
    """The condition as JSON data, as it was written; `parse` reads it back."""
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
            return _leaf_json(condition)


def _leaf_json(leaf: Leaf) -> dict[str, Any]:
    match leaf:
        case Compare(comparison, field, value):
            return {"op": comparison.value, "field": field, "value": _plain(value)}
        case OneOf(field, values):
            return {"op": "in", "field": field, "values": [_plain(value) for value in values]}
        case Exists(field):
            return {"op": "exists", "field": field}
        case Between(field, low, high):
            return {"op": "between", "field": field, **_told({"from": low, "to": high})}
        case Matches(field, pattern):
            return {"op": "matches", "field": field, "pattern": pattern}
        case InEffect(field, start, until):
            bounds = _told({"from": start, "until": until})
            return {"op": "date_in_effect", "field": field, **bounds}
        case _:
            assert_never(leaf)


def _told(bounds: Mapping[str, Value | None]) -> dict[str, str | bool]:
    return {name: _plain(value) for name, value in bounds.items() if value is not None}


def _plain(value: Value) -> str | bool:
    if isinstance(value, Decimal):
        return number_text(value)
    return value.isoformat() if isinstance(value, date) else value


def canonical(condition: Condition) -> bytes:
    """The same bytes for conditions that differ only in order, repetition, nesting or case."""
    return canonical_json(as_json(simplified(condition)))


def simplified(condition: Condition) -> Condition:
    """A condition of the same meaning: flat, sorted, without repetition and idle parts."""
    match condition:
        case And(members):
            return _joined(members, And, Always(), Never())
        case Or(members):
            return _joined(members, Or, Never(), Always())
        case Not(member):
            return _negated(simplified(member))
        case Compare(comparison, field, value):
            return Compare(comparison, field, _folded(value))
        case OneOf(field, values):
            listed = sorted((_folded(value) for value in values), key=_key)
            kept = tuple({_key(value): value for value in listed}.values())
            return OneOf(field, kept) if len(kept) > 1 else Compare(Comparison.EQ, field, kept[0])
        case Between(field, low, None) if low is not None:
            return Compare(Comparison.GTE, field, low)
        case Between(field, None, high) if high is not None:
            return Compare(Comparison.LTE, field, high)
        case _:
            return condition


def same(one: Condition, other: Condition) -> bool:
    """Whether two conditions are one, but for their writing."""
    return canonical(one) == canonical(other)


def is_always(condition: Condition) -> bool:
    """Whether it plainly holds for everybody."""
    return isinstance(simplified(condition), Always)


def is_never(condition: Condition) -> bool:
    """Whether it plainly holds for nobody."""
    return isinstance(simplified(condition), Never)


def specificity(condition: Condition) -> int:
    """How many comparisons must at least be met: a special rule has more than a general one."""
    return _least(simplified(condition), wanted=True)


def _least(condition: Condition, wanted: bool) -> int:
    """The fewest comparisons that decide a condition to be what is wanted of it."""
    match condition:
        case Always() | Never():
            return 0
        case Not(member):
            return _least(member, not wanted)
        case And(members) | Or(members):
            counts = [_least(member, wanted) for member in members]
            return sum(counts) if isinstance(condition, And) == wanted else min(counts)
        case _:
            return 1


def _joined(
    members: tuple[Condition, ...],
    kind: type[And] | type[Or],
    idle: Condition,
    final: Condition,
) -> Condition:
    """The members of an and or an or: `idle` ones add nothing, a `final` one decides."""
    flat: dict[bytes, Condition] = {}
    for member in map(simplified, members):
        for part in member.members if isinstance(member, kind) else (member,):
            flat[canonical_json(as_json(part))] = part
    kept = [part for _, part in sorted(flat.items()) if part != idle]
    if final in kept:
        return final
    if not kept:
        return idle
    return kept[0] if len(kept) == 1 else kind(tuple(kept))


def _negated(member: Condition) -> Condition:
    match member:
        case Always():
            return Never()
        case Never():
            return Always()
        case Not(inner):
            return inner
        case _:
            return Not(member)


def _folded(value: Value) -> Value:
    return folded(value) if isinstance(value, str) else value


def _key(value: Value) -> bytes:
    return canonical_json(_plain(value))
