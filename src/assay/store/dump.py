"""Printing the store row by row, in a fixed order."""

import json
from collections.abc import Iterator

import sqlalchemy as sa

from assay.store.database import bytewise
from assay.store.specs import RECORDS, TableSpec
from assay.store.tables import METADATA, scout_result


def canonical_lines(connection: sa.Connection) -> Iterator[bytes]:
    """The canonical state without clocks, run ids or paths: equal histories, equal bytes."""
    specs = sorted((s for s in RECORDS.values() if s.canonical), key=lambda spec: spec.table.name)
    for spec in specs:
        columns = [c for c in spec.table.columns if not c.info.get("volatile")]
        yield from _lines(connection, spec.table, columns, spec.key, _lasting(spec))


def _lasting(spec: TableSpec) -> sa.ColumnElement[bool]:
    """Rows that are no mere trace of how it came about."""
    lasting: sa.ColumnElement[bool] = sa.true()
    if spec.leftover is not None:
        name, value = spec.leftover
        lasting = spec.table.c[name] != value
    if spec.of_evidence is not None:
        named = spec.table.c[spec.of_evidence]
        copies = sa.select(scout_result.c.evidence_id).where(
            scout_result.c.duplicate_of.is_not(None)
        )
        lasting = sa.and_(lasting, sa.or_(named.is_(None), named.not_in(copies)))
    return lasting


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
