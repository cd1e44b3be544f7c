"""Idempotent upserts by the keys of the specification."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from assay.errors import InternalError
from assay.model.records import Record
from assay.store.database import bytewise, is_sqlite
from assay.store.specs import RECORDS, Merge, TableSpec

CHUNK = 500


def insert(connection: sa.Connection, table: sa.Table) -> sqlite.Insert:
    """An INSERT that knows ON CONFLICT, for either database."""
    if is_sqlite(connection):
        return sqlite.insert(table)
    return cast(sqlite.Insert, postgresql.insert(table))


def spec_of(record_type: type[Record]) -> TableSpec:
    """How a record class is stored."""
    try:
        return RECORDS[record_type]
    except KeyError:
        raise InternalError(
            f"{record_type.__name__} has no table.", advice="Declare it in assay.store.specs."
        ) from None


def upsert(connection: sa.Connection, records: Sequence[Record]) -> int:
    """Store records of any classes; the same ones in any order give the same rows."""
    # Tables in one order, and rows in one order within each: two workers that store the same
    # lock it in the same order, and never deadlock.
    groups = [(spec_of(record_type), rows) for record_type, rows in _grouped(records).items()]
    for spec, rows in sorted(groups, key=lambda group: group[0].table.name):
        _upsert_rows(connection, spec, rows)
    return len(records)


def _grouped(records: Iterable[Record]) -> dict[type[Record], list[dict[str, Any]]]:
    groups: dict[type[Record], list[dict[str, Any]]] = {}
    for record in records:
        groups.setdefault(type(record), []).append(record.row())
    return groups


def _upsert_rows(
    connection: sa.Connection, spec: TableSpec, rows: Sequence[Mapping[str, Any]]
) -> None:
    ordered = sorted(rows, key=lambda row: tuple(str(row[name]) for name in spec.key))
    statement = insert(connection, spec.table)
    changes = {name: _merged(connection, spec.table, statement, name, how)
               for name, how in spec.merge.items()}  # fmt: skip
    if changes:
        statement = statement.on_conflict_do_update(index_elements=list(spec.key), set_=changes)
    else:
        statement = statement.on_conflict_do_nothing(index_elements=list(spec.key))
    for start in range(0, len(ordered), CHUNK):
        connection.execute(statement, ordered[start : start + CHUNK])


def _merged(
    connection: sa.Connection, table: sa.Table, statement: sqlite.Insert, name: str, how: Merge
) -> Any:
    old, new = table.c[name], statement.excluded[name]
    if how is Merge.NEW:
        return new
    if how is Merge.FILL:
        return sa.func.coalesce(old, new)
    lite = is_sqlite(connection)
    left = bytewise(connection, old)
    if how is Merge.MIN:
        least = sa.func.min(left, new) if lite else sa.func.least(left, new)
        return sa.func.coalesce(least, old, new)
    if how is Merge.MAX:
        greatest = sa.func.max(left, new) if lite else sa.func.greatest(left, new)
        return sa.func.coalesce(greatest, old, new)
    return old
