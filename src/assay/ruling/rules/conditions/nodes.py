"""AppliesWhen as a tree: for whom and for what a rule holds."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

Value: TypeAlias = str | bool | Decimal | date
"""What a field is compared with. Its kind decides what it can be compared to."""
Ordered: TypeAlias = Decimal | date
"""What can be more or less than another."""
DATE_FIELD = "date"
"""The day at hand: the one field that is known without being told."""


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
    """It holds for everybody."""


@dataclass(frozen=True, slots=True)
class Never:
    """It holds for nobody."""


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
    """A field whose whole text fits a pattern, in any case."""

    field: str
    pattern: str


@dataclass(frozen=True, slots=True)
class InEffect:
    """A day from the first (included) until the last (excluded); one bound may be open."""

    field: str
    start: date | None
    until: date | None


Leaf: TypeAlias = Compare | OneOf | Exists | Between | Matches | InEffect
"""What asks about a field."""
Condition: TypeAlias = Always | Never | And | Or | Not | Leaf


def parts_of(condition: Condition) -> tuple[Condition, ...]:
    """The conditions directly inside a condition."""
    if isinstance(condition, And | Or):
        return condition.members
    return (condition.member,) if isinstance(condition, Not) else ()


def leaves_of(condition: Condition) -> Iterator[Leaf]:
    """Every question about a field, in the order of writing."""
    if isinstance(condition, Leaf):
        yield condition
    for part in parts_of(condition):
        yield from leaves_of(part)


def fields_of(condition: Condition) -> tuple[str, ...]:
    """The fields that a condition asks about, in alphabetical order."""
    return tuple(sorted({leaf.field for leaf in leaves_of(condition)}))
