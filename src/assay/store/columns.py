"""The catalogue that every table belongs to, and the kinds of columns that tables use."""

from typing import Any

from sqlalchemy import BigInteger, Column, Float, Index, MetaData, Table, Text, text

from assay.errors import InternalError
from assay.model.storage import RowGuard

NAMING = {
    "pk": "pk_%(table_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
}
METADATA = MetaData(naming_convention=NAMING)
VOLATILE = {"volatile": True}


def make_guard_info(guard: RowGuard) -> dict[str, RowGuard]:
    """The `info` of a table that declares what the database refuses to do to its rows."""
    return {"guard": guard}


def guard_of(table: Table) -> RowGuard:
    """What the database refuses to do to the rows of a table."""
    guard = table.info.get("guard")
    if not isinstance(guard, RowGuard):
        raise InternalError(
            f"The table {table.name} does not declare how it is guarded.",
            advice="Declare it with info=make_guard_info(…).",
        )
    return guard


def text_columns(*names: str, null: bool = False, volatile: bool = False) -> list[Column[Any]]:
    return [Column(n, Text, nullable=null, info=VOLATILE if volatile else {}) for n in names]


def ms_columns(*names: str, null: bool = False) -> list[Column[Any]]:
    return [Column(name, BigInteger, nullable=null, info=VOLATILE) for name in names]


def int_columns(*names: str, null: bool = False) -> list[Column[Any]]:
    return [Column(name, BigInteger, nullable=null) for name in names]


def real_columns(*names: str) -> list[Column[Any]]:
    return [Column(name, Float, nullable=False) for name in names]


def partial_index(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """An index of only those rows that meet a condition."""
    condition = text(where)
    return Index(name, *columns, unique=unique, sqlite_where=condition, postgresql_where=condition)
