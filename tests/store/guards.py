"""The guards of a database, as it has them and as its tables declare them."""

import re
from collections.abc import Iterable

import sqlalchemy as sa

from assay.store.columns import guard_of
from assay.store.database import is_sqlite

Guards = dict[str, tuple[bool, frozenset[str]]]
"""table → whether its rows are kept, and the columns that never change."""

_SQLITE = "SELECT tbl_name, sql FROM sqlite_master WHERE type = 'trigger'"
_POSTGRES = (
    "SELECT tgrelid::regclass::text, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal"
)
_EVENT = re.compile(r"BEFORE (DELETE|TRUNCATE|UPDATE)(?: OF (.+?))? ON")


_REPLACING = re.compile(r"assay_guard_(note|replace|displace|renumber)_")


def read_guards(connection: sa.Connection, tables: Iterable[sa.Table]) -> Guards:
    """What the triggers of the database refuse."""
    columns = {table.name: frozenset(table.columns.keys()) for table in tables}
    events: dict[str, dict[str, frozenset[str]]] = {name: {} for name in columns}
    for name, text in connection.execute(sa.text(_SQLITE if is_sqlite(connection) else _POSTGRES)):
        if _REPLACING.search(text):
            continue  # Against replaced rows: `find_guard_faults` compares them.
        found = _EVENT.search(text)
        assert found is not None, text
        named = frozenset(part.strip(' "') for part in (found[2] or "").split(",") if part)
        events[name][found[1]] = named or columns[name]
    deleting = {"DELETE"} if is_sqlite(connection) else {"DELETE", "TRUNCATE"}
    return {
        name: (deleting <= of_table.keys(), of_table.get("UPDATE", frozenset()))
        for name, of_table in events.items()
    }


def declared_guards(tables: Iterable[sa.Table]) -> Guards:
    """What the tables say that the database refuses."""
    return {
        table.name: (
            not guard_of(table).deletable,
            frozenset(guard_of(table).immutable_among(table.columns.keys())),
        )
        for table in tables
    }
