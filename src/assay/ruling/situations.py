"""The fields that a situation may have, the types of their values, and what does not fit."""

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal

from assay.errors import InvalidInput
from assay.model.ids import suggest_name
from assay.ruling.rules.conditions.nodes import (
    DATE_FIELD,
    WORDING_FIELD,
    Between,
    Compare,
    Condition,
    Exists,
    InEffect,
    Leaf,
    Matches,
    OneOf,
    Value,
    leaves_of,
)
from assay.ruling.rules.conditions.values import format_value, parse_value

FieldTypes = Mapping[str, frozenset[str]]
"""field → the types of value that make sense for it; any value does if there are none."""
_TEXT = "text"
_EXPECTED = {
    "number": "a number, such as 50000",
    "date": "a date, such as 2026-01-31",
    "boolean": "true or false",
    _TEXT: "text",
}


def collect_field_types(
    conditions: Iterable[Condition], fields: Iterable[str], declared: Mapping[str, str]
) -> FieldTypes:
    """The fields that the pack declares or that conditions use, each with the types of its values:
    the declared one, and all that it is compared with."""
    found: dict[str, set[str]] = {name: set() for name in fields}
    for name, kind in declared.items():
        found.setdefault(name, set()).add(kind)
    for condition in conditions:
        for leaf in leaves_of(condition):
            found.setdefault(leaf.field, set()).update(map(_type_of, _list_values(leaf)))
    return {name: frozenset(kinds) for name, kinds in found.items()}


def list_choices(conditions: Iterable[Condition]) -> dict[str, list[str]]:
    """The fields that conditions ask about, each with the values it is compared with."""
    found: dict[str, dict[str, None]] = {}
    for condition in conditions:
        for leaf in leaves_of(condition):
            if leaf.field not in (DATE_FIELD, WORDING_FIELD):
                values = map(format_value, _list_values(leaf))
                found.setdefault(leaf.field, {}).update(dict.fromkeys(values))
    return {name: sorted(found[name]) for name in sorted(found)}


def check_situation(situation: Mapping[str, object], fields: FieldTypes) -> None:
    """Refuse the date, unknown fields, and values that can be compared with nothing."""
    if DATE_FIELD in situation:
        raise InvalidInput(
            "The date is not part of the situation.", advice="Give it with --as-of (as_of)."
        )
    for name, given in sorted(situation.items()):
        if name not in fields:
            known = [one for one in fields if one not in (DATE_FIELD, WORDING_FIELD)]
            raise InvalidInput(
                f"No rule asks about '{name}'.",
                advice=f"{suggest_name(name, known)}Known fields: {_list_fields(fields)}.",
            )
        value, types = parse_value(given), fields[name]
        # Any value can be taken as text.
        if value is None or not types or _TEXT in types or _type_of(value) in types:
            continue
        expected = " or ".join(_EXPECTED[kind] for kind in sorted(types))
        raise InvalidInput(
            f"'{name}={format_value(value)}' has the wrong type: {name} is {expected}.",
            advice=f"Known fields: {_list_fields(fields)}.",
        )


def _list_fields(fields: FieldTypes) -> str:
    """The fields that a person may give, each with its types."""
    return (
        ", ".join(
            f"{name} ({' or '.join(sorted(kinds))})" if kinds else name
            for name, kinds in sorted(fields.items())
            if name not in (DATE_FIELD, WORDING_FIELD)
        )
        or "none"
    )


def _list_values(leaf: Leaf) -> Iterable[Value]:
    """The values that a field is compared with."""
    match leaf:
        case Compare():
            return (leaf.value,)
        case OneOf():
            return leaf.values
        case Between():
            return tuple(end for end in (leaf.low, leaf.high) if end is not None)
        case Matches():
            return (leaf.pattern,)
        case InEffect():
            return tuple(day for day in (leaf.start, leaf.until) if day is not None)
        case Exists():
            return ()


def _type_of(value: Value) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, Decimal):
        return "number"
    return "date" if isinstance(value, date) else _TEXT
