"""Idempotent upserts by the keys of the specification."""

from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from assay.model.storage import Merge, Record, storage_of
from assay.store.bulk import PreparedStatement, build_insert, prepare_insert, run_prepared
from assay.store.database import collate_bytewise
from assay.store.record_tables import table_of


def upsert_records(connection: sa.Connection, records: Sequence[Record]) -> int:
    """Store records of any classes; the same records in any order give the same rows."""
    groups: dict[type[Record], list[dict[str, Any]]] = {}
    for record in records:
        groups.setdefault(type(record), []).append(record.row())
    # Tables in a fixed order, and rows in a fixed order within each: two workers that store the
    # same rows lock them in the same order and never deadlock.
    for record_type, rows in sorted(groups.items(), key=lambda group: storage_of(group[0]).table):
        ordered = sorted(rows, key=itemgetter(*storage_of(record_type).key))
        run_prepared(connection, _prepare_upsert(connection.dialect.name, record_type), ordered)
    return len(records)


@lru_cache(maxsize=256)
def _prepare_upsert(dialect_name: str, record_type: type[Record]) -> PreparedStatement:
    storage, table = storage_of(record_type), table_of(record_type)
    statement = build_insert(dialect_name, table)
    changes = {
        name: _build_merge(dialect_name, table, statement, name, how)
        for name, how in storage.merge.items()
    }
    if changes:
        statement = statement.on_conflict_do_update(index_elements=list(storage.key), set_=changes)
    else:
        statement = statement.on_conflict_do_nothing(index_elements=list(storage.key))
    return prepare_insert(dialect_name, table, statement)


def _build_merge(
    dialect_name: str, table: sa.Table, statement: sqlite.Insert, name: str, how: Merge
) -> Any:
    old, new = table.c[name], statement.excluded[name]
    if how is Merge.NEW:
        return new
    if how is Merge.RENEW:
        return sa.func.coalesce(new, old)
    if how is Merge.FILL:
        return sa.func.coalesce(old, new)
    lite = dialect_name == "sqlite"
    left = collate_bytewise(dialect_name, old)
    if how is Merge.MIN:
        least = sa.func.min(left, new) if lite else sa.func.least(left, new)
        return sa.func.coalesce(least, old, new)
    if how is Merge.MAX:
        greatest = sa.func.max(left, new) if lite else sa.func.greatest(left, new)
        return sa.func.coalesce(greatest, old, new)
    return old
