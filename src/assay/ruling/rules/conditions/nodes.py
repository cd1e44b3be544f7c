"""AppliesWhen as a tree: the conditions under which a rule applies."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

Value: TypeAlias = str | bool | Decimal | date
"""What a field is compared with; only values of the same kind can be compared."""
Ordered: TypeAlias = Decimal | date
"""Values that can be more or less than another."""
DATE_FIELD = "date"
"""The date in question: the only field that is known even if the situation leaves it out."""
WORDING_FIELD = "wording"
"""Compared with the provision's own words, whole, where nobody has read a condition out of them."""


class Comparison(StrEnum):
    """How a field is compared with a value."""

    EQ = "eq"
    NEQ = "neq"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"


@dataclass(frozen=True, slots=True)
class Always:
    """It always holds."""


@dataclass(frozen=True, slots=True)
class Never:
    """It never holds."""


@dataclass(frozen=True, slots=True)
class And:
    """All members hold."""

    members: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one member holds."""

    members: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The member does not hold."""

    member: "Condition"


@dataclass(frozen=True, slots=True)
class Compare:
    """A field compared with a value; more and less only with numbers and dates."""

    comparison: Comparison
    field: str
    value: Value


@dataclass(frozen=True, slots=True)
class OneOf:
    """A field that equals one of several values."""

    field: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    """A field that is known at all."""

    field: str


@dataclass(frozen=True, slots=True)
class Between:
    """A field between two values, both included; one bound may be open."""

    field: str
    low: Ordered | None
    high: Ordered | None


@dataclass(frozen=True, slots=True)
class Matches:
    """A field whose whole text matches a pattern, ignoring case."""

    field: str
    pattern: str


@dataclass(frozen=True, slots=True)
class InEffect:
    """A day from the first (included) until the last (excluded); one bound may be open."""

    field: str
    start: date | None
    until: date | None


Leaf: TypeAlias = Compare | OneOf | Exists | Between | Matches | InEffect
"""A condition on one field."""
Condition: TypeAlias = Always | Never | And | Or | Not | Leaf


def parts_of(condition: Condition) -> tuple[Condition, ...]:
    """The conditions directly inside a condition."""
    if isinstance(condition, And | Or):
        return condition.members
    return (condition.member,) if isinstance(condition, Not) else ()


def leaves_of(condition: Condition) -> Iterator[Leaf]:
    """Every condition on a field, in the order in which they are written."""
    if isinstance(condition, Leaf):
        yield condition
    for part in parts_of(condition):
        yield from leaves_of(part)


def fields_of(condition: Condition) -> tuple[str, ...]:
    """The fields that a condition uses, in alphabetical order."""
    return tuple(sorted({leaf.field for leaf in leaves_of(condition)}))
