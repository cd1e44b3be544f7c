"""Dumping the store row by row, in a fixed order."""

import json
from collections.abc import Iterable, Iterator

import sqlalchemy as sa

from assay.model.storage import Record, storage_of
from assay.store.database import collate_bytewise
from assay.store.record_tables import CORE_RECORDS, table_of
from assay.store.tables import list_tables, scout_result


def dump_canonical(
    connection: sa.Connection, records: Iterable[type[Record]] = CORE_RECORDS
) -> Iterator[bytes]:
    """The canonical state without times, run ids or paths: equal histories give equal bytes."""
    canonical = [record for record in records if storage_of(record).canonical]
    for record in sorted(canonical, key=lambda record: storage_of(record).table):
        storage, table = storage_of(record), table_of(record)
        columns = [table.c[name] for name in storage.columns if name not in storage.volatile]
        yield from _dump_table(connection, table, columns, storage.key, _is_lasting(record))


def _is_lasting(record: type[Record]) -> sa.ColumnElement[bool]:
    """Whether a row belongs to the result, and is not just a trace of how it was reached."""
    storage, table = storage_of(record), table_of(record)
    lasting: sa.ColumnElement[bool] = sa.true()
    if storage.leftover is not None:
        name, value = storage.leftover
        lasting = table.c[name] != value
    if storage.of_evidence is not None:
        evidence_id = table.c[storage.of_evidence]
        copies = sa.select(scout_result.c.evidence_id).where(
            scout_result.c.duplicate_of.is_not(None)
        )
        lasting = sa.and_(lasting, sa.or_(evidence_id.is_(None), evidence_id.not_in(copies)))
    return lasting


def dump_all(
    connection: sa.Connection, records: Iterable[type[Record]] = CORE_RECORDS
) -> Iterator[bytes]:
    """Everything, as it is stored."""
    for table in list_tables(records):
        key = tuple(column.name for column in table.primary_key)
        yield from _dump_table(connection, table, list(table.columns), key, sa.true())


def _dump_table(
    connection: sa.Connection,
    table: sa.Table,
    columns: list[sa.Column[object]],
    key: tuple[str, ...],
    where: sa.ColumnElement[bool],
) -> Iterator[bytes]:
    query = (
        sa.select(*columns)
        .where(where)
        .order_by(*(collate_bytewise(connection.dialect.name, table.c[name]) for name in key))
    )
    for row in connection.execute(query.execution_options(yield_per=1000)).mappings():
        line = {"table": table.name, **row}
        yield json.dumps(line, ensure_ascii=False, sort_keys=True).encode() + b"\n"
