"""Changing one row, on the condition that it is still what it was seen to be."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from assay.model.records import Record
from assay.store.upserts import spec_of


def change_row(
    connection: sa.Connection,
    record: type[Record],
    key: str,
    when: Mapping[str, Any],
    to: Mapping[str, Any],
) -> bool:
    """Whether the row under that key was as expected, and has been changed."""
    spec = spec_of(record)
    table = spec.table
    query = sa.update(table).where(table.c[spec.key[0]] == key)
    for name, value in when.items():
        column = table.c[name]
        if isinstance(value, tuple | list | set | frozenset):
            query = query.where(column.in_(sorted(value)))
        else:
            query = query.where(column.is_not_distinct_from(value))
    return connection.execute(query.values(dict(to))).rowcount == 1
