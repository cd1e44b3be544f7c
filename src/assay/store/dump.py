"""Printing the store row by row, in a fixed order."""

import json
from collections.abc import Iterator

import sqlalchemy as sa

from assay.store.database import bytewise
from assay.store.specs import RECORDS
from assay.store.tables import METADATA


def canonical_lines(connection: sa.Connection) -> Iterator[bytes]:
    """The canonical state without clocks, run ids or paths: equal histories, equal bytes."""
    specs = sorted((s for s in RECORDS.values() if s.canonical), key=lambda spec: spec.table.name)
    for spec in specs:
        columns = [c for c in spec.table.columns if not c.info.get("volatile")]
        left_out: sa.ColumnElement[bool] = sa.false()
        if spec.leftover is not None:
            name, value = spec.leftover
            left_out = spec.table.c[name] == value
        yield from _lines(connection, spec.table, columns, spec.key, sa.not_(left_out))


def all_lines(connection: sa.Connection) -> Iterator[bytes]:
    """Everything, as it is stored."""
    for table in sorted(METADATA.tables.values(), key=lambda table: table.name):
        key = tuple(column.name for column in table.primary_key)
        yield from _lines(connection, table, list(table.columns), key, sa.true())


def _lines(
    connection: sa.Connection,
    table: sa.Table,
    columns: list[sa.Column[object]],
    key: tuple[str, ...],
    where: sa.ColumnElement[bool],
) -> Iterator[bytes]:
    query = (
        sa.select(*columns)
        .where(where)
        .order_by(*(bytewise(connection.dialect.name, table.c[name]) for name in key))
    )
    for row in connection.execute(query.execution_options(yield_per=1000)).mappings():
        line = {"table": table.name, **row}
        yield json.dumps(line, ensure_ascii=False, sort_keys=True).encode() + b"\n"
