"""Reads a condition from JSON; anything else is refused, and nothing is guessed."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NoReturn, TypeVar, cast

from assay.errors import InvalidCondition
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
    Matches,
    Never,
    Not,
    OneOf,
    Or,
    Ordered,
    Value,
)
from assay.ruling.rules.conditions.values import (
    LOOKS_LIKE_A_DAY,
    PatternRefused,
    as_decimal,
    check_pattern,
    compare_order,
    fold_text,
    parse_text_value,
    tidy_text,
)

MAX_DEPTH = 20
MAX_NODES = 500
"""The maximum number of conditions and listed values in total."""
MAX_STRING = 2_000
MAX_DIGITS = 30
"""The maximum number of digits, before and after the decimal point together."""
MAX_TEXT = 1_000_000
"""The maximum length of a condition as JSON text."""
FIELD_NAME = re.compile(r"[a-z][a-z0-9_.]{0,63}")

_Read = TypeVar("_Read")
_COMPARISONS = tuple(comparison.value for comparison in Comparison)
_NEEDED: dict[str, tuple[str, ...]] = {
    "true": (),
    "false": (),
    "and": ("all",),
    "or": ("any",),
    "not": ("condition",),
    "cmp": ("cmp", "field", "value"),
    **dict.fromkeys(_COMPARISONS, ("field", "value")),
    "in": ("field", "values"),
    "exists": ("field",),
    "between": ("field",),
    "matches": ("field", "pattern"),
    "date_in_effect": (),
}
"""The keys that each op must have besides `op`."""
_ALLOWED: dict[str, tuple[str, ...]] = {
    "between": ("from", "to"),
    "date_in_effect": ("field", "from", "until"),
}
"""The keys that it may have as well."""
# As a decimal, 60.000 would be 60, but its author most likely meant 60000.
_AMBIGUOUS = re.compile(r"-?[1-9][0-9]{0,2}\.[0-9]{2}0")
_ORDER_ADVICE = "Use a number such as 60000, without separators, or a date such as 2026-01-01."


def parse_condition(condition: object) -> Condition:
    """The condition in JSON data; InvalidCondition says what is wrong, and where."""
    return _Parser().parse_any(condition, "", 1)


def parse_condition_text(text: str | bytes) -> Condition:
    """The condition in a JSON text; a repeated key is refused as well."""
    if len(text) > MAX_TEXT:
        raise InvalidCondition(
            f"The condition has {len(text)} characters; at most {MAX_TEXT} are allowed."
        )
    try:
        data = json.loads(
            text,
            parse_int=Decimal,
            parse_float=Decimal,
            parse_constant=_refuse_constant,
            object_pairs_hook=_refuse_repeated_keys,
        )
    except (ValueError, ArithmeticError) as error:
        raise InvalidCondition(f"The condition is not valid JSON: {error}.") from error
    except RecursionError as error:
        raise InvalidCondition(
            "The condition is nested too deeply.", advice=f"Use at most {MAX_DEPTH} levels."
        ) from error
    return parse_condition(data)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _refuse_repeated_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        twice = next(name for name in data if [key for key, _ in pairs].count(name) > 1)
        raise ValueError(f"the key {_shorten(twice)} appears twice")
    return data


@dataclass
class _Parser:
    nodes: int = field(default=0)

    def parse_any(self, data: object, path: str, depth: int) -> Condition:
        if not isinstance(data, Mapping):
            what = "it is missing" if data is None else f"{_shorten(data)} is not a condition"
            _refuse(path, what, 'Use an object with "op"; {"op": "true"} means always.')
        if depth > MAX_DEPTH:
            _refuse(path, "it is nested too deeply", f"Use at most {MAX_DEPTH} levels.")
        self.count_node(path)
        op = _parse_op(data, path)
        _check_keys(data, op, path)
        if op in ("and", "or"):
            return self.parse_members(data, op, path, depth)
        if op == "not":
            return Not(self.parse_any(data["condition"], _join_path(path, "condition"), depth + 1))
        if op == "in":
            return self.parse_one_of(data, path)
        if op in _COMPARISONS or op == "cmp":
            return _parse_compare(data, op, path)
        return _SIMPLE[op](data, path)

    def count_node(self, path: str) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            _refuse(path, "it is one too many", f"Use at most {MAX_NODES} conditions and values.")

    def parse_members(self, data: Mapping[str, Any], op: str, path: str, depth: int) -> Condition:
        key = _NEEDED[op][0]
        members = tuple(
            self.parse_any(member, f"{_join_path(path, key)}[{index}]", depth + 1)
            for index, member in enumerate(
                _parse_list(data[key], _join_path(path, key), "condition")
            )
        )
        return And(members) if op == "and" else Or(members)

    def parse_one_of(self, data: Mapping[str, Any], path: str) -> Condition:
        place = _join_path(path, "values")
        values = []
        for index, value in enumerate(_parse_list(data["values"], place, "value")):
            self.count_node(f"{place}[{index}]")
            values.append(_parse_value(value, f"{place}[{index}]"))
        return OneOf(_parse_field(data["field"], path), tuple(values))


def _parse_op(data: Mapping[str, Any], path: str) -> str:
    known = f"Use one of: {', '.join(_NEEDED)}."
    if "op" not in data:
        _refuse(path, 'it has no "op"', known)
    op = data["op"]
    if not isinstance(op, str) or op not in _NEEDED:
        _refuse(_join_path(path, "op"), f"{_shorten(op)} is unknown", known)
    return op


def _check_keys(data: Mapping[str, Any], op: str, path: str) -> None:
    needed, allowed = _NEEDED[op], _ALLOWED.get(op, ())
    for key in needed:
        if key not in data:
            _refuse(_join_path(path, key), "it is missing", f'"{op}" needs {", ".join(needed)}.')
    for key in data:
        if key != "op" and key not in needed and key not in allowed:
            takes = ", ".join((*needed, *allowed)) or "nothing else"
            _refuse(path, f"it has an unknown key {_shorten(key)}", f'"{op}" takes {takes}.')


def _parse_compare(data: Mapping[str, Any], op: str, path: str) -> Condition:
    name = data["cmp"] if op == "cmp" else op
    if not isinstance(name, str) or name not in _COMPARISONS:
        advice = f"Use one of: {', '.join(_COMPARISONS)}."
        _refuse(_join_path(path, "cmp"), f"{_shorten(name)} is unknown", advice)
    comparison = Comparison(name)
    place = _join_path(path, "value")
    equality = comparison in (Comparison.EQ, Comparison.NEQ)
    value = _parse_value(data["value"], place) if equality else _parse_ordered(data["value"], place)
    return Compare(comparison, _parse_field(data["field"], path), value)


def _parse_between(data: Mapping[str, Any], path: str) -> Condition:
    low, high = (_parse_bound(data, key, path, _parse_ordered) for key in ("from", "to"))
    if low is None and high is None:
        _refuse(path, "it has no bound", 'Add "from", "to" or both.')
    if low is not None and high is not None:
        sign = compare_order(low, high)
        if sign is None:
            _refuse(path, "it mixes a number and a date", "Use two numbers or two dates.")
        if sign > 0:
            _refuse(path, "it ends before it starts", '"from" must not be more than "to".')
    return Between(_parse_field(data["field"], path), low, high)


def _parse_bound(
    data: Mapping[str, Any], key: str, path: str, read: Callable[[object, str], _Read]
) -> _Read | None:
    return None if data.get(key) is None else read(data[key], _join_path(path, key))


def _parse_matches(data: Mapping[str, Any], path: str) -> Condition:
    place = _join_path(path, "pattern")
    pattern = data["pattern"]
    if not isinstance(pattern, str):
        _refuse(place, f"{_shorten(pattern)} is not text", "Write the pattern as text.")
    if not pattern.isprintable():
        _refuse(place, "it contains unprintable characters", r"Write \s for white space.")
    try:
        check_pattern(pattern)
    except PatternRefused as error:
        advice = "Use a pattern in RE2 syntax of at most 100 characters."
        _refuse(place, f"{_shorten(pattern)} cannot be used: {error}", advice)
    return Matches(_parse_field(data["field"], path), pattern)


def _parse_date_in_effect(data: Mapping[str, Any], path: str) -> Condition:
    start, until = (_parse_bound(data, key, path, _parse_day) for key in ("from", "until"))
    if start is None and until is None:
        _refuse(path, "it has no bound", 'Add "from", "until" or both.')
    if start is not None and until is not None and start >= until:
        advice = '"until" is the first day that no longer counts, after "from".'
        _refuse(path, "it ends before it starts", advice)
    return InEffect(_parse_field(data.get("field", DATE_FIELD), path), start, until)


_SIMPLE: dict[str, Callable[[Mapping[str, Any], str], Condition]] = {
    "true": lambda data, path: Always(),
    "false": lambda data, path: Never(),
    "exists": lambda data, path: Exists(_parse_field(data["field"], path)),
    "between": _parse_between,
    "matches": _parse_matches,
    "date_in_effect": _parse_date_in_effect,
}


def _parse_list(data: object, path: str, what: str) -> Sequence[object]:
    if not isinstance(data, list | tuple):
        _refuse(path, f"{_shorten(data)} is not a list", f"Use a list of at least one {what}.")
    if not data:
        _refuse(path, "it is empty", f"Add at least one {what}.")
    return data


def _parse_field(data: object, path: str) -> str:
    if not isinstance(data, str) or not FIELD_NAME.fullmatch(data):
        advice = "Use lowercase letters, digits, _ and ., starting with a letter, 64 at most."
        _refuse(_join_path(path, "field"), f"{_shorten(data)} is not a valid field name", advice)
    return data


def _parse_value(data: object, path: str) -> Value:
    if isinstance(data, bool):
        return data
    if isinstance(data, date) and not isinstance(data, datetime):
        return data
    if isinstance(data, str):
        return _parse_text_value(data, path)
    if isinstance(data, int) and data.bit_length() > 4 * MAX_DIGITS:
        _refuse_number(path)
    if not isinstance(data, int | float | Decimal):
        advice = "Use text, a number, true, false, or a date such as 2026-01-01."
        _refuse(path, f"{_shorten(data)} is not a value", advice)
    return _check_number(as_decimal(data), path)


def _parse_text_value(data: str, path: str) -> Value:
    plain = fold_text(data[: MAX_STRING + 1])
    if max(len(data), len(plain)) > MAX_STRING:
        _refuse(path, "it is too long", f"Use at most {MAX_STRING} characters.")
    if not plain:
        _refuse(path, "it is empty", 'Add a value; "exists" tests whether there is one.')
    if not tidy_text(data).isprintable():
        _refuse(path, "it contains unprintable characters", "Use plain text.")
    if _AMBIGUOUS.fullmatch(plain):
        short, joined = plain.rstrip("0").rstrip("."), plain.replace(".", "")
        _refuse(path, f"{_shorten(data)} can be read in two ways", f"Write {short} or {joined}.")
    value = parse_text_value(data)
    if isinstance(value, Decimal):
        return _check_number(value, path)
    if isinstance(value, str) and LOOKS_LIKE_A_DAY.fullmatch(plain):
        _refuse(path, f"{_shorten(data)} is not a valid date", "Use a date that exists.")
    return value


def _check_number(number: Decimal, path: str) -> Decimal:
    if not number.is_finite():
        _refuse(path, f"{number} is not a number that can be compared", _ORDER_ADVICE)
    if not number:
        return Decimal(0)
    # The number is finite, so the exponent is an integer; the type also allows for NaN.
    exponent = cast(int, number.as_tuple().exponent)
    if len(number.as_tuple().digits) + max(exponent, 0) > MAX_DIGITS or exponent < -MAX_DIGITS:
        _refuse_number(path)
    return number


def _refuse_number(path: str) -> NoReturn:
    _refuse(path, "it has too many digits", f"Use at most {MAX_DIGITS}.")


def _parse_ordered(data: object, path: str) -> Ordered:
    value = _parse_value(data, path)
    if isinstance(value, bool | str):
        _refuse(path, f"{_shorten(data)} cannot be more or less than a value", _ORDER_ADVICE)
    return value


def _parse_day(data: object, path: str) -> date:
    value = _parse_value(data, path)
    if not isinstance(value, date):
        _refuse(path, f"{_shorten(data)} is not a date", "Use a date such as 2026-01-01.")
    return value


def _join_path(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _shorten(data: object) -> str:
    """A short form of the data, which may be anything, of any length."""
    if isinstance(data, str):
        seen = "".join(sign if sign.isprintable() else "?" for sign in data[:40])
        return f"'{seen}…'" if len(data) > 40 else f"'{seen}'"
    if isinstance(data, bool | float | None) or (isinstance(data, int) and abs(data) < 10**40):
        return json.dumps(data)
    if isinstance(data, Mapping):
        return "an object"
    return "a list" if isinstance(data, list | tuple) else f"a {type(data).__name__}"


def _refuse(path: str, what: str, advice: str) -> NoReturn:
    place = f" at {path}" if path else ""
    raise InvalidCondition(f"The condition is wrong{place}: {what}.", advice=advice)
