"""Reads a condition from JSON; what is not exactly a condition is refused, never guessed."""

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
from assay.ruling.rules.conditions.patterns import PatternRefused, check_pattern
from assay.ruling.rules.conditions.values import (
    LOOKS_LIKE_A_DAY,
    as_decimal,
    compare_order,
    fold_text,
    parse_text_value,
    tidy_text,
)

MAX_DEPTH = 20
MAX_NODES = 500
"""The most conditions and listed values in all."""
MAX_STRING = 500
MAX_DIGITS = 30
"""The most digits of a number, before and after the point together."""
MAX_TEXT = 1_000_000
"""The most characters of a condition as JSON text."""
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
"""What each op must have besides `op`."""
_ALLOWED: dict[str, tuple[str, ...]] = {
    "between": ("from", "to"),
    "date_in_effect": ("field", "from", "until"),
}
"""What it may have besides."""
# As a decimal it would be 60, and whoever wrote it most likely meant 60000.
_AMBIGUOUS = re.compile(r"-?[1-9][0-9]{0,2}\.[0-9]{2}0")
_ORDER_ADVICE = "Give a number such as 60000, without separators, or a day such as 2026-01-01."


def parse_condition(condition: object) -> Condition:
    """The condition that JSON data says; InvalidCondition names the place and what is wrong."""
    return _Parser().parse_any(condition, "", 1)


def parse_condition_text(text: str | bytes) -> Condition:
    """The condition of a JSON text; a key that stands twice is refused as well."""
    if len(text) > MAX_TEXT:
        raise InvalidCondition(
            f"The condition has {len(text)} characters, and {MAX_TEXT} are the most."
        )
    try:
        told = json.loads(
            text,
            parse_int=Decimal,
            parse_float=Decimal,
            parse_constant=_refuse_constant,
            object_pairs_hook=_refuse_repeated_keys,
        )
    except (ValueError, ArithmeticError) as error:
        raise InvalidCondition(f"The condition is no JSON: {error}.") from error
    except RecursionError as error:
        raise InvalidCondition(
            "The condition is nested too deeply.", advice=f"{MAX_DEPTH} levels are the most."
        ) from error
    return parse_condition(told)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _refuse_repeated_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) != len(pairs):
        twice = next(name for name in told if [key for key, _ in pairs].count(name) > 1)
        raise ValueError(f"the key {_shorten(twice)} stands twice")
    return told


@dataclass
class _Parser:
    nodes: int = field(default=0)

    def parse_any(self, told: object, path: str, depth: int) -> Condition:
        if not isinstance(told, Mapping):
            what = "it is missing" if told is None else f"{_shorten(told)} is no condition"
            _refuse(path, what, 'Give an object with "op"; {"op": "true"} means always.')
        if depth > MAX_DEPTH:
            _refuse(path, "it is nested too deeply", f"{MAX_DEPTH} levels are the most.")
        self.count_node(path)
        op = _parse_op(told, path)
        _check_keys(told, op, path)
        if op in ("and", "or"):
            return self.parse_members(told, op, path, depth)
        if op == "not":
            return Not(self.parse_any(told["condition"], _join_path(path, "condition"), depth + 1))
        if op == "in":
            return self.one_of(told, path)
        if op in _COMPARISONS or op == "cmp":
            return _parse_compare(told, op, path)
        return _SIMPLE[op](told, path)

    def count_node(self, path: str) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            _refuse(path, "it is one too many", f"{MAX_NODES} conditions and values are the most.")

    def parse_members(self, told: Mapping[str, Any], op: str, path: str, depth: int) -> Condition:
        key = _NEEDED[op][0]
        members = tuple(
            self.parse_any(member, f"{_join_path(path, key)}[{index}]", depth + 1)
            for index, member in enumerate(
                _parse_list(told[key], _join_path(path, key), "condition")
            )
        )
        return And(members) if op == "and" else Or(members)

    def one_of(self, told: Mapping[str, Any], path: str) -> Condition:
        place = _join_path(path, "values")
        values = []
        for index, value in enumerate(_parse_list(told["values"], place, "value")):
            self.count_node(f"{place}[{index}]")
            values.append(_parse_value(value, f"{place}[{index}]"))
        return OneOf(_parse_field(told["field"], path), tuple(values))


def _parse_op(told: Mapping[str, Any], path: str) -> str:
    known = f"There are {', '.join(_NEEDED)}."
    if "op" not in told:
        _refuse(path, 'it has no "op"', known)
    op = told["op"]
    if not isinstance(op, str) or op not in _NEEDED:
        _refuse(_join_path(path, "op"), f"{_shorten(op)} is unknown", known)
    return op


def _check_keys(told: Mapping[str, Any], op: str, path: str) -> None:
    needed, allowed = _NEEDED[op], _ALLOWED.get(op, ())
    for key in needed:
        if key not in told:
            _refuse(_join_path(path, key), "it is missing", f'"{op}" needs {", ".join(needed)}.')
    for key in told:
        if key != "op" and key not in needed and key not in allowed:
            takes = ", ".join((*needed, *allowed)) or "nothing else"
            _refuse(path, f"it has an unknown key {_shorten(key)}", f'"{op}" takes {takes}.')


def _parse_compare(told: Mapping[str, Any], op: str, path: str) -> Condition:
    name = told["cmp"] if op == "cmp" else op
    if not isinstance(name, str) or name not in _COMPARISONS:
        advice = f"There are {', '.join(_COMPARISONS)}."
        _refuse(_join_path(path, "cmp"), f"{_shorten(name)} is unknown", advice)
    comparison = Comparison(name)
    place = _join_path(path, "value")
    equality = comparison in (Comparison.EQ, Comparison.NEQ)
    value = _parse_value(told["value"], place) if equality else _parse_ordered(told["value"], place)
    return Compare(comparison, _parse_field(told["field"], path), value)


def _parse_exists(told: Mapping[str, Any], path: str) -> Condition:
    return Exists(_parse_field(told["field"], path))


def _parse_between(told: Mapping[str, Any], path: str) -> Condition:
    low, high = (_parse_bound(told, key, path, _parse_ordered) for key in ("from", "to"))
    if low is None and high is None:
        _refuse(path, "it has no bound", 'Give "from", "to" or both.')
    if low is not None and high is not None:
        sign = compare_order(low, high)
        if sign is None:
            _refuse(path, "it mixes a number and a day", "Give both bounds of one kind.")
        if sign > 0:
            _refuse(path, "it ends before it begins", '"from" must not be more than "to".')
    return Between(_parse_field(told["field"], path), low, high)


def _parse_bound(
    told: Mapping[str, Any], key: str, path: str, read: Callable[[object, str], _Read]
) -> _Read | None:
    return None if told.get(key) is None else read(told[key], _join_path(path, key))


def _parse_matches(told: Mapping[str, Any], path: str) -> Condition:
    place = _join_path(path, "pattern")
    pattern = told["pattern"]
    if not isinstance(pattern, str):
        _refuse(place, f"{_shorten(pattern)} is no text", "Give a pattern as text.")
    if not pattern.isprintable():
        _refuse(place, "it has signs that cannot be printed", r"Write \s for white space.")
    try:
        check_pattern(pattern)
    except PatternRefused as error:
        advice = "Give a pattern in RE2 syntax of at most 100 characters."
        _refuse(place, f"{_shorten(pattern)} is refused, {error}", advice)
    return Matches(_parse_field(told["field"], path), pattern)


def _parse_date_in_effect(told: Mapping[str, Any], path: str) -> Condition:
    start, until = (_parse_bound(told, key, path, _parse_day) for key in ("from", "until"))
    if start is None and until is None:
        _refuse(path, "it has no bound", 'Give "from", "until" or both.')
    if start is not None and until is not None and start >= until:
        advice = '"until" is the first day that no longer counts, after "from".'
        _refuse(path, "it ends before it begins", advice)
    return InEffect(_parse_field(told.get("field", DATE_FIELD), path), start, until)


_SIMPLE: dict[str, Callable[[Mapping[str, Any], str], Condition]] = {
    "true": lambda told, path: Always(),
    "false": lambda told, path: Never(),
    "exists": _parse_exists,
    "between": _parse_between,
    "matches": _parse_matches,
    "date_in_effect": _parse_date_in_effect,
}


def _parse_list(told: object, path: str, what: str) -> Sequence[object]:
    if not isinstance(told, list | tuple):
        _refuse(path, f"{_shorten(told)} is no list", f"Give a list of at least one {what}.")
    if not told:
        _refuse(path, "it is empty", f"Give at least one {what}.")
    return told


def _parse_field(told: object, path: str) -> str:
    if not isinstance(told, str) or not FIELD_NAME.fullmatch(told):
        advice = "Give small letters, digits, _ and . after a first letter, 64 at most."
        _refuse(_join_path(path, "field"), f"{_shorten(told)} is no name of a field", advice)
    return told


def _parse_value(told: object, path: str) -> Value:
    if isinstance(told, bool):
        return told
    if isinstance(told, date) and not isinstance(told, datetime):
        return told
    if isinstance(told, str):
        return _parse_text_value(told, path)
    if isinstance(told, int) and told.bit_length() > 4 * MAX_DIGITS:
        _refuse_number(path)
    if not isinstance(told, int | float | Decimal):
        advice = "Give text, a number, true, false, or a day such as 2026-01-01."
        _refuse(path, f"{_shorten(told)} is no value", advice)
    return _check_number(as_decimal(told), path)


def _parse_text_value(told: str, path: str) -> Value:
    plain = fold_text(told[: MAX_STRING + 1])
    if max(len(told), len(plain)) > MAX_STRING:
        _refuse(path, "it is too long", f"{MAX_STRING} characters are the most.")
    if not plain:
        _refuse(path, "it is empty", 'Give a value; "exists" asks whether there is one.')
    if not tidy_text(told).isprintable():
        _refuse(path, "it has signs that cannot be printed", "Give plain text.")
    if _AMBIGUOUS.fullmatch(plain):
        short, joined = plain.rstrip("0").rstrip("."), plain.replace(".", "")
        _refuse(path, f"{_shorten(told)} can be read in two ways", f"Write {short} or {joined}.")
    value = parse_text_value(told)
    if isinstance(value, Decimal):
        return _check_number(value, path)
    if isinstance(value, str) and LOOKS_LIKE_A_DAY.fullmatch(plain):
        _refuse(path, f"{_shorten(told)} is no day of the calendar", "Give a day that there is.")
    return value


def _check_number(number: Decimal, path: str) -> Decimal:
    if not number.is_finite():
        _refuse(path, f"{number} is no number to compare with", _ORDER_ADVICE)
    if not number:
        return Decimal(0)
    # Finite, so that the exponent is a number; the type knows of NaN besides.
    exponent = cast(int, number.as_tuple().exponent)
    if len(number.as_tuple().digits) + max(exponent, 0) > MAX_DIGITS or exponent < -MAX_DIGITS:
        _refuse_number(path)
    return number


def _refuse_number(path: str) -> NoReturn:
    _refuse(path, "it has too many digits", f"{MAX_DIGITS} are the most.")


def _parse_ordered(told: object, path: str) -> Ordered:
    value = _parse_value(told, path)
    if isinstance(value, bool | str):
        _refuse(path, f"{_shorten(told)} cannot be more or less than another", _ORDER_ADVICE)
    return value


def _parse_day(told: object, path: str) -> date:
    value = _parse_value(told, path)
    if not isinstance(value, date):
        _refuse(path, f"{_shorten(told)} is no day", "Give a day such as 2026-01-01.")
    return value


def _join_path(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _shorten(told: object) -> str:
    """What stands there, cut short: it may be anything, and of any length."""
    if isinstance(told, str):
        seen = "".join(sign if sign.isprintable() else "?" for sign in told[:40])
        return f"'{seen}…'" if len(told) > 40 else f"'{seen}'"
    if isinstance(told, bool | float | None) or (isinstance(told, int) and abs(told) < 10**40):
        return json.dumps(told)
    if isinstance(told, Mapping):
        return "an object"
    return "a list" if isinstance(told, list | tuple) else f"a {type(told).__name__}"


def _refuse(path: str, what: str, advice: str) -> NoReturn:
    place = f" at {path}" if path else ""
    raise InvalidCondition(f"The condition is wrong{place}: {what}.", advice=advice)
