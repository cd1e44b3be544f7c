"""Many rows in one statement, compiled once and passed to the driver as they are.

SQLAlchemy processes every parameter of every row, which costs more than writing the row. The
store's rows are already plain values, so only JSON columns need conversion.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

CHUNK = 1000

Row = Mapping[str, Any]


@dataclass(frozen=True)
class PreparedStatement:
    """A statement in the driver's own syntax."""

    sql: str
    positions: tuple[str, ...] | None
    """The order of the columns for a driver with positional parameters; None if they are named."""
    take: Callable[[Row], tuple[Any, ...]]
    json_columns: tuple[str, ...]


def insert_rows(connection: sa.Connection, table: sa.Table, rows: Sequence[Row]) -> None:
    """Insert rows that are certain to be new."""
    run_prepared(connection, _prepare_insert(connection.dialect.name, table), rows)


def insert_new_rows(
    connection: sa.Connection, table: sa.Table, key: tuple[str, ...], rows: Sequence[Row]
) -> int:
    """Insert rows, leave existing ones alone, and return how many were new."""
    return run_prepared(connection, _prepare_insert(connection.dialect.name, table, key), rows)


def run_prepared(
    connection: sa.Connection, prepared: PreparedStatement, rows: Sequence[Row]
) -> int:
    """Run a prepared statement on rows that have every column; return how many it wrote."""
    written = 0
    for start in range(0, len(rows), CHUNK):
        chunk = [_encode_row(prepared, row) for row in rows[start : start + CHUNK]]
        written += connection.exec_driver_sql(prepared.sql, chunk).rowcount
    return written


def build_insert(dialect_name: str, table: sa.Table) -> sqlite.Insert:
    """An INSERT that supports ON CONFLICT, for either database."""
    if dialect_name == "sqlite":
        return sqlite.insert(table)
    return cast(sqlite.Insert, postgresql.insert(table))


def _make_take(columns: tuple[str, ...]) -> Callable[[Row], tuple[Any, ...]]:
    if len(columns) == 1:
        # Of a single name, itemgetter returns the value itself.
        return lambda row: (row[columns[0]],)
    return itemgetter(*columns)


def prepare_insert(
    dialect_name: str, table: sa.Table, statement: sqlite.Insert
) -> PreparedStatement:
    """Compile an INSERT over all columns of its table."""
    columns = tuple(column.name for column in table.columns)
    compiled = statement.compile(dialect=_make_dialect(dialect_name), column_keys=list(columns))
    positions = tuple(compiled.positiontup) if compiled.positiontup else None
    json_columns = tuple(c.name for c in table.columns if isinstance(c.type, sa.JSON))
    return PreparedStatement(
        str(compiled), positions, _make_take(positions or columns), json_columns
    )


@lru_cache(maxsize=256)
def _prepare_insert(
    dialect_name: str, table: sa.Table, key: tuple[str, ...] = ()
) -> PreparedStatement:
    """An INSERT; with a key, one that leaves existing rows alone."""
    statement = build_insert(dialect_name, table)
    if key:
        statement = statement.on_conflict_do_nothing(index_elements=list(key))
    return prepare_insert(dialect_name, table, statement)


@lru_cache(maxsize=2)
def _make_dialect(name: str) -> sa.Dialect:
    url = "sqlite://" if name == "sqlite" else "postgresql+psycopg://"
    return sa.make_url(url).get_dialect()()


def _encode_row(prepared: PreparedStatement, row: Row) -> Any:
    for name in prepared.json_columns:
        # Text here is JSON that was already serialized; no column holds a bare string.
        if not isinstance(row[name], str):
            row = {**row, name: json.dumps(row[name])}
    if prepared.positions is not None:
        return prepared.take(row)
    return row
