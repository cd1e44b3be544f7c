"""A record and its storage are one declaration, and everything stored follows from it.

    class Meeting(Record, table="meetings", key=("meeting_id",), indexes=(("city",),)):
        meeting_id: str
        city: str
        title: Annotated[str | None, Merge.MIN] = None
        seen_ms: Moment = 0

The store derives the table, upsert, guards and dump from the declaration. It is checked when the
class is created, so that a mistake is reported where it was written.
"""

import re
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from itertools import chain
from typing import Annotated, Any, ClassVar, Final, Literal, Self, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict

from assay.errors import InternalError, StartupRefused

_NAME_PATTERN = re.compile(r"[a-z][a-z0-9_]{0,50}")


class Merge(StrEnum):
    """What an upsert does with a column when the row already exists."""

    KEEP = "keep"
    """The stored value stays."""
    NEW = "new"
    """The new value replaces it."""
    RENEW = "renew"
    """The new value replaces it unless the new value is None."""
    FILL = "fill"
    """The new value is used only where None was stored."""
    MIN = "min"
    """The lesser value stays; a value wins over None."""
    MAX = "max"
    """The greater value stays; a value wins over None."""


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A condition on a column: this value or a greater one. Text is compared byte by byte."""

    value: str | int | float


@dataclass(frozen=True, slots=True)
class Within:
    """A condition on a column: one of these values or one between them, compared as text is."""

    first: str | int | float
    last: str | int | float


@dataclass(frozen=True, slots=True)
class Contains:
    """A condition on a column: its text contains all of these words; capitals are small letters.

    What counts as a capital outside of ASCII is up to the database.
    """

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ValuesOf:
    """A condition on a column: a value that a column of another record has in some row."""

    record: "type[Record]"
    column: str


class Volatile:
    """Marks a column that records when, where or in which run something happened.

    It is stored, but two histories with the same result may differ in it, so the canonical dump
    leaves it out.
    """


VOLATILE: Final = Volatile()
Moment = Annotated[int, VOLATILE]
"""Milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class RowGuard:
    """What the database itself refuses to do to stored rows."""

    deletable: bool = False
    mutable: tuple[str, ...] | None = None
    """The only columns that may be updated; None means all of them."""

    def immutable_among(self, columns: Iterable[str]) -> tuple[str, ...]:
        """The columns that stay as they were first written."""
        return () if self.mutable is None else tuple(c for c in columns if c not in self.mutable)


NEVER_DELETED: Final = RowGuard()
"""Rows are never deleted."""
DELETABLE: Final = RowGuard(deletable=True)
"""Rows may be deleted, as a dead letter is when its job is tried again."""
APPEND_ONLY: Final = RowGuard(mutable=())
"""Rows are never deleted, and never changed once written."""


def fixed_except(*columns: str) -> RowGuard:
    """Rows are never deleted, and only these columns may change."""
    return RowGuard(mutable=columns)


class ColumnKind(StrEnum):
    """What a column holds."""

    TEXT = "text"
    WHOLE = "whole number"
    REAL = "real number"
    FLAG = "flag"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class StoredField:
    """One column, as its field declares it."""

    name: str
    kind: ColumnKind
    nullable: bool = False
    merge: Merge = Merge.KEEP
    volatile: bool = False


@dataclass(frozen=True, kw_only=True)
class Storage:
    """How a record class is stored."""

    table: str
    key: tuple[str, ...]
    fields: tuple[StoredField, ...]
    unique: tuple[tuple[str, ...], ...] = ()
    indexes: tuple[tuple[str, ...], ...] = ()
    checks: Mapping[str, str] = field(default_factory=dict)
    """Name → SQL condition that every row must meet."""
    guard: RowGuard = NEVER_DELETED
    canonical: bool = True
    """Part of the state that two equal histories share."""
    leftover: tuple[str, str | bool] | None = None
    """A column and the value that marks a row as a mere trace of how the result was reached: a
    question that was asked and became pointless might as well never have been asked."""
    of_evidence: str | None = None
    """The column that refers to evidence, in tables of what was derived from it. Whether a copy
    was recognized before or after it was processed is chance, so what was derived from copies is
    such a trace, too."""

    hashed: bool = False
    """Whether the audit log gets a hash of each row, over the columns that never change."""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.fields)

    @property
    def hashed_columns(self) -> tuple[str, ...]:
        """The columns that a row's hash covers."""
        return self.guard.immutable_among(self.columns) if self.hashed else ()

    @property
    def volatile(self) -> frozenset[str]:
        """Columns that the canonical dump leaves out."""
        return frozenset(entry.name for entry in self.fields if entry.volatile)

    @property
    def merge(self) -> dict[str, Merge]:
        """Columns that an upsert may change; all others stay as they were first written."""
        return {f.name: f.merge for f in self.fields if f.merge is not Merge.KEEP}


class Record(BaseModel):
    """A row that a stage may read or return; frozen, and without undeclared fields.

    A field with `exclude=True` is not stored; a computed field is.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    PERSON_FIELDS: ClassVar[frozenset[str]] = frozenset()
    """Fields that only a person's decision writes, never a stage."""
    BYTES: ClassVar[tuple[str, ...]] = ()
    """Fields that refer to stored bytes by their hash."""
    storage: ClassVar[Storage | None] = None
    """How it is stored; None for a class without a table."""

    def __init_subclass__(
        cls,
        *,
        table: str | None = None,
        key: tuple[str, ...] = (),
        merge: Merge = Merge.KEEP,
        unique: tuple[tuple[str, ...], ...] = (),
        indexes: tuple[tuple[str, ...], ...] = (),
        checks: Mapping[str, str] | None = None,
        guard: RowGuard = NEVER_DELETED,
        canonical: bool = True,
        leftover: tuple[str, str | bool] | None = None,
        of_evidence: str | None = None,
        hashed: bool = False,
    ) -> None:
        """`merge` applies to every field that has no rule of its own and is not in the key."""

    @classmethod
    def __pydantic_init_subclass__(
        cls, *, table: str | None = None, merge: Merge = Merge.KEEP, **declared: Any
    ) -> None:
        # The fields are known only now, which is why it does not happen in __init_subclass__.
        if table is None:
            cls.storage = None
            if declared:
                raise StartupRefused(
                    f"{cls.__name__} declares '{min(declared)}' but no table.",
                    advice='Declare its table="…" as well.',
                )
            return
        key = declared.pop("key", ())
        declared["checks"] = declared.pop("checks", None) or {}
        fields = tuple(_derive_stored_fields(cls, key, merge))
        cls.storage = Storage(table=table, key=key, fields=fields, **declared)
        _refuse_mistakes(cls.__name__, cls.storage)
        for name in (*cls.BYTES, *cls.PERSON_FIELDS):
            _refuse_unknown(cls.__name__, cls.storage, "BYTES or PERSON_FIELDS", (name,))

    def row(self) -> dict[str, Any]:
        """The plain values that are stored."""
        # A record from its stored row has plain text where an enum is declared.
        return self.model_dump(mode="json", warnings=False)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """A record from its stored row, which was validated when it was written."""
        record = cls.__new__(cls)
        object.__setattr__(record, "__dict__", dict(row))
        object.__setattr__(record, "__pydantic_fields_set__", set(cls.model_fields))
        object.__setattr__(record, "__pydantic_extra__", None)
        object.__setattr__(record, "__pydantic_private__", None)
        return record

    @classmethod
    @cache
    def has_field(cls, field: str) -> bool:
        """Whether records of this class have such a field."""
        return field in cls.model_fields


def storage_of(record: type[Record]) -> Storage:
    """How a record class is stored; an error for one that has no table."""
    if record.storage is None:
        raise InternalError(
            f"{record.__name__} has no table.",
            advice=f'Declare it: class {record.__name__}(Record, table="…", key=("…",)).',
        )
    return record.storage


def _derive_stored_fields(
    record: type[Record], key: tuple[str, ...], merge: Merge
) -> Iterator[StoredField]:
    for name, info in record.model_fields.items():
        if not info.exclude:
            hint = Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation
            yield _derive_stored_field(record.__name__, name, hint, name in key, merge)
    for name, computed in record.model_computed_fields.items():
        yield _derive_stored_field(record.__name__, name, computed.return_type, name in key, merge)


def _derive_stored_field(
    record: str, name: str, hint: Any, is_key: bool, default: Merge
) -> StoredField:
    markers: list[object] = []
    bare, nullable = _unwrap(hint, markers)
    kind = _kind_of(bare)
    if kind is None:
        raise StartupRefused(
            f"{record}.{name} has a type that cannot be stored: {hint}.",
            advice="Use str, int, float, bool, an enum of strings, dict or list, each '| None'.",
        )
    rules = [marker for marker in markers if isinstance(marker, Merge)]
    if len(rules) > 1:
        raise StartupRefused(f"{record}.{name} has several merge rules.")
    if is_key and (rules or nullable):
        raise StartupRefused(
            f"{record}.{name} is part of the key, which has no merge rule and is never None."
        )
    rule = Merge.KEEP if is_key else (rules or [default])[0]
    volatile = any(isinstance(marker, Volatile) for marker in markers)
    return StoredField(name, kind, nullable, rule, volatile)


def _unwrap(hint: Any, markers: list[object]) -> tuple[Any, bool]:
    """The type inside `Annotated` and `… | None`, and whether None is allowed."""
    if get_origin(hint) is Annotated:
        inner, *found = get_args(hint)
        markers.extend(found)
        return _unwrap(inner, markers)
    if get_origin(hint) in (Union, types.UnionType):
        others = [arg for arg in get_args(hint) if arg is not type(None)]
        if len(others) == 1:
            return _unwrap(others[0], markers)[0], True
    return hint, False


_KINDS: Final = (
    # A bool is an int, and a StrEnum is a str.
    (bool, ColumnKind.FLAG),
    (int, ColumnKind.WHOLE),
    (float, ColumnKind.REAL),
    (str, ColumnKind.TEXT),
    ((dict, list), ColumnKind.JSON),
)


def _kind_of(bare: Any) -> ColumnKind | None:
    origin = get_origin(bare)
    if origin is Literal:
        return ColumnKind.TEXT if all(isinstance(a, str) for a in get_args(bare)) else None
    kind = bare if origin is None else origin
    if not isinstance(kind, type):
        return None
    return next((found for of, found in _KINDS if issubclass(kind, of)), None)


def _refuse_mistakes(record: str, storage: Storage) -> None:
    if not _NAME_PATTERN.fullmatch(storage.table):
        raise StartupRefused(
            f"{record}: '{storage.table}' is not a valid table name.",
            advice="Use lower-case letters, digits and underscores.",
        )
    if not storage.key:
        raise StartupRefused(f"{record} has a table but no key.", advice="Declare key=(…,).")
    guard = storage.guard
    _refuse_unknown(record, storage, "key", storage.key)
    _refuse_unknown(record, storage, "unique", chain.from_iterable(storage.unique))
    _refuse_unknown(record, storage, "indexes", chain.from_iterable(storage.indexes))
    _refuse_unknown(record, storage, "guard", guard.mutable or ())
    _refuse_unknown(record, storage, "leftover", (storage.leftover or ())[:1])
    _refuse_unknown(record, storage, "of_evidence", filter(None, (storage.of_evidence,)))
    if storage.canonical and guard.deletable:
        raise StartupRefused(
            f"{record} is canonical, so its rows cannot be deletable.",
            advice="Declare canonical=False, or another guard.",
        )
    if storage.hashed and (guard.mutable is None or len(storage.key) > 1):
        raise StartupRefused(
            f"{record} cannot be hashed.",
            advice="Give it a key of one column, and a guard that keeps columns from changing.",
        )
    if clash := sorted(storage.merge.keys() & {*guard.immutable_among(storage.columns)}):
        raise StartupRefused(
            f"{record}.{clash[0]} has a merge rule, but the guard forbids updating it."
        )


def _refuse_unknown(record: str, storage: Storage, where: str, names: Iterable[object]) -> None:
    for name in names:
        if name not in storage.columns:
            raise StartupRefused(
                f"{record} has no stored field '{name}', which its {where} names.",
                advice=f"Its fields are {', '.join(storage.columns)}.",
            )
