"""Changing one row, on the condition that it is still as it was last seen."""

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
    """Raise for a change that could hit the wrong row, could not hit any, or has no condition."""
    key = storage_of(record).key
    if len(key) != 1:
        raise ContractViolation(
            f"A {record.__name__} cannot be changed, because its key is not a single column."
        )
    if not when or not to:
        raise ContractViolation(
            f"A change of a {record.__name__} must declare expected values and new values."
        )
    columns = table_of(record).columns
    for name in (*when, *to):
        if name not in columns:
            raise ContractViolation(f"A {record.__name__} has no column '{name}'.")
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
    """Change the row with that key if it is as expected; return whether it was changed.

    Where a condition gives several values, any of them matches; None is a value too.
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
