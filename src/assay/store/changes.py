"""Changing one row, on the condition that it is still what it was seen to be."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from assay.errors import ContractViolation
from assay.model.storage import Record, storage_of
from assay.store.record_tables import table_of

_COLLECTIONS = (tuple, list, set, frozenset)


def refuse_impossible_change(
    record: type[Record], when: Mapping[str, Any], to: Mapping[str, Any]
) -> None:
    """Raises for a change that could hit another row, or none, or every time."""
    key = storage_of(record).key
    if len(key) != 1:
        raise ContractViolation(f"A {record.__name__} has no key of one column to be changed by.")
    if not when or not to:
        raise ContractViolation(
            f"A change of a {record.__name__} must say what it expects and what it makes of it."
        )
    columns = table_of(record).columns
    for name in (*when, *to):
        if name not in columns:
            raise ContractViolation(f"A {record.__name__} has no '{name}'.")
    if key[0] in to:
        raise ContractViolation(f"The key of a {record.__name__} never changes.")
    for name in when:
        if isinstance(columns[name].type, sa.JSON):
            # Not every database can compare such values.
            raise ContractViolation(f"'{name}' of a {record.__name__} cannot be a condition.")


def change_row(
    connection: sa.Connection,
    record: type[Record],
    key: str,
    when: Mapping[str, Any],
    to: Mapping[str, Any],
) -> bool:
    """Whether the row under that key was as expected, and has been changed.

    Where a condition names several values, any of them will do; None is a value too.
    """
    refuse_impossible_change(record, when, to)
    table = table_of(record)
    query = sa.update(table).where(table.c[storage_of(record).key[0]] == key)
    for name, value in when.items():
        expected = list(value) if isinstance(value, _COLLECTIONS) else [value]
        query = query.where(
            sa.or_(*(table.c[name].is_not_distinct_from(one) for one in expected), sa.false())
        )
    return connection.execute(query.values(dict(to))).rowcount == 1
