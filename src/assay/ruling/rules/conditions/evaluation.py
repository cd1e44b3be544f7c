"""Whether a condition holds in a situation. A missing field makes a comparison false."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import assert_never

from assay.errors import InvalidInput
from assay.ruling.rules.conditions.nodes import (
    DATE_FIELD,
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
    fields_of,
    parts_of,
)
from assay.ruling.rules.conditions.parsing import FIELD_NAME
from assay.ruling.rules.conditions.values import (
    LOOKS_LIKE_A_DAY,
    compare_order,
    fold_text,
    format_value,
    matches_pattern,
    parse_text_value,
    parse_value,
    tidy_text,
)

_KINDS = (bool, Decimal, date, str)
_SIGNS = {
    Comparison.GT: (1,),
    Comparison.GTE: (0, 1),
    Comparison.LT: (-1,),
    Comparison.LTE: (-1, 0),
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """A condition, whether it holds, and the same for its parts."""

    condition: Condition
    holds: bool
    missing: tuple[str, ...]
    """The fields that it uses and that the situation leaves out."""
    parts: tuple["Explanation", ...]


def condition_holds(
    condition: Condition, situation: Mapping[str, object], as_of: date | None = None
) -> bool:
    """Whether the condition holds; `as_of` is the date if the situation does not give one."""
    match condition:
        case Always():
            return True
        case Never():
            return False
        case And(members):
            return all(condition_holds(member, situation, as_of) for member in members)
        case Or(members):
            return any(condition_holds(member, situation, as_of) for member in members)
        case Not(member):
            return not condition_holds(member, situation, as_of)
        case _:
            return _is_met(condition, situation, as_of)


def explain_condition(
    condition: Condition, situation: Mapping[str, object], as_of: date | None = None
) -> Explanation:
    """Which parts of a condition hold, and which fields are missing."""
    return Explanation(
        condition,
        condition_holds(condition, situation, as_of),
        find_missing_fields(condition, situation, as_of),
        tuple(explain_condition(part, situation, as_of) for part in parts_of(condition)),
    )


def find_missing_fields(
    condition: Condition, situation: Mapping[str, object], as_of: date | None = None
) -> tuple[str, ...]:
    """The fields that a condition uses and the situation leaves out."""
    return tuple(
        field for field in fields_of(condition) if _known_value(field, situation, as_of) is None
    )


def _known_value(field: str, situation: Mapping[str, object], as_of: date | None) -> Value | None:
    value = parse_value(situation.get(field))
    return parse_value(as_of) if value is None and field == DATE_FIELD else value


def _is_met(leaf: Leaf, situation: Mapping[str, object], as_of: date | None) -> bool:
    known = _known_value(leaf.field, situation, as_of)
    if known is None:
        return False
    match leaf:
        case Compare(comparison, _, value):
            return _compare_values(comparison, known, value)
        case OneOf(_, values):
            return any(_is_equal(known, value) for value in values)
        case Exists():
            return True
        case Between(_, low, high):
            return (low is None or _compare_values(Comparison.GTE, known, low)) and (
                high is None or _compare_values(Comparison.LTE, known, high)
            )
        case Matches(_, pattern):
            given = situation.get(leaf.field)
            # Text is matched as it was given: for a pattern, 47.10 is not 47.1.
            return matches_pattern(
                pattern, tidy_text(given) if isinstance(given, str) else format_value(known)
            )
        case InEffect(_, start, until):
            return (start is None or _compare_values(Comparison.GTE, known, start)) and (
                until is None or _compare_values(Comparison.LT, known, until)
            )
        case _:
            assert_never(leaf)


def _compare_values(comparison: Comparison, known: Value, value: Value) -> bool:
    # Values of different kinds are neither equal nor unequal: they cannot be compared.
    if not _is_same_kind(known, value):
        return False
    match comparison:
        case Comparison.EQ:
            return _is_equal(known, value)
        case Comparison.NEQ:
            return not _is_equal(known, value)
        case _:
            return compare_order(known, value) in _SIGNS[comparison]


def _is_same_kind(known: Value, value: Value) -> bool:
    return any(isinstance(known, kind) and isinstance(value, kind) for kind in _KINDS)


def _is_equal(known: Value, value: Value) -> bool:
    if isinstance(known, str) and isinstance(value, str):
        return fold_text(known) == fold_text(value)
    return _is_same_kind(known, value) and known == value


_FORMAT_ADVICE = "Write it as name=value, such as turnover=70000."
_GROUPED = re.compile(r"-?[0-9]{1,3}(?:([., '’])[0-9]{3})(?:\1[0-9]{3})*(?:[.,][0-9]+)?")
_COMMA = re.compile(r"-?[0-9]+,[0-9]+")


def parse_situation(entries: Iterable[str]) -> dict[str, str]:
    """The fields of a situation, each given once as `name=value`."""
    situation: dict[str, str] = {}
    for entry in entries:
        name, sign, text = entry.partition("=")
        name, text = tidy_text(name), tidy_text(text)
        if not sign:
            raise InvalidInput(f"'{entry}' has no value.", advice=_FORMAT_ADVICE)
        if not name:
            raise InvalidInput(f"'{entry}' names no field.", advice=_FORMAT_ADVICE)
        if not FIELD_NAME.fullmatch(name):
            raise InvalidInput(
                f"'{name}' is not a valid field name.",
                advice="Use lowercase letters, digits, _ and ., starting with a letter.",
            )
        if name in situation:
            raise InvalidInput(f"'{name}' is given twice.", advice="Give each field once.")
        situation[name] = _check_value(name, text)
    return situation


def _check_value(name: str, text: str) -> str:
    if not text:
        raise InvalidInput(
            f"'{name}' has no value.", advice="Add a value, or leave it out if it is not known."
        )
    if _GROUPED.fullmatch(text) or _COMMA.fullmatch(text):
        raise InvalidInput(
            f"'{name}={text}' can be read as more than one number.",
            advice="Write numbers without separators, with a point before decimals: 70000 or 0.5.",
        )
    if LOOKS_LIKE_A_DAY.fullmatch(text) and isinstance(parse_text_value(text), str):
        raise InvalidInput(f"'{name}={text}' is not a valid date.", advice="Use YYYY-MM-DD.")
    return text
