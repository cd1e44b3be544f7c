"""Tables derived from the declarations of records."""

from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any

import sqlalchemy as sa

from assay.model import access, agent_runs, bookkeeping, facts, records, rules, watches
from assay.model.storage import ColumnKind, Record, Storage, StoredField, storage_of
from assay.store.columns import METADATA, NAMING, VOLATILE, make_guard_info

_TYPES: dict[ColumnKind, type[sa.types.TypeEngine[Any]]] = {
    ColumnKind.TEXT: sa.Text,
    ColumnKind.WHOLE: sa.BigInteger,
    ColumnKind.REAL: sa.Float,
    ColumnKind.FLAG: sa.Boolean,
    ColumnKind.JSON: sa.JSON,
}


def _list_records(*modules: ModuleType) -> tuple[type[Record], ...]:
    return tuple(
        found
        for module in modules
        for found in vars(module).values()
        if isinstance(found, type)
        and issubclass(found, Record)
        and found.__module__ == module.__name__
        and found.storage is not None
    )


CORE_RECORDS = _list_records(records, access, agent_runs, bookkeeping, facts, rules, watches)
"""The records that every store has; packs add their own."""


@cache
def table_of(record: type[Record]) -> sa.Table:
    """The table of a record class, including those of packs."""
    storage = storage_of(record)
    # A pack's table stays out of the shared catalogue: the process may serve other stores, too.
    catalogue = METADATA if record in CORE_RECORDS else sa.MetaData(naming_convention=NAMING)
    return sa.Table(
        storage.table,
        catalogue,
        *(_build_column(entry) for entry in storage.fields),
        *_build_constraints(storage),
        info=make_guard_info(storage.guard),
    )


def _build_column(entry: StoredField) -> sa.Column[object]:
    return sa.Column(
        entry.name,
        _TYPES[entry.kind],
        nullable=entry.nullable,
        autoincrement=False,
        info=VOLATILE if entry.volatile else {},
    )


def _build_constraints(storage: Storage) -> Iterable[sa.schema.SchemaItem]:
    yield sa.PrimaryKeyConstraint(*storage.key)
    for columns in storage.unique:
        yield sa.UniqueConstraint(*columns)
    for columns in storage.indexes:
        # None: the name is derived from the columns.
        yield sa.Index(None, *columns)
    for name, condition in storage.checks.items():
        yield sa.CheckConstraint(condition, name=f"ck_{storage.table}_{name}")
