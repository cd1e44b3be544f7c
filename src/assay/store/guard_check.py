"""Compares the guards of a database with those that its tables declare."""

import re
from collections.abc import Iterator, Mapping, Sequence

import sqlalchemy as sa

from assay.errors.faults import Fault, FaultKind
from assay.store.columns import guard_of
from assay.store.database import is_sqlite
from assay.store.guards import REFUSAL, REFUSAL_BODY, build_guards, list_keys

Parts = Mapping[str, str]
"""Name → definition, written so that equal definitions are equal text."""
_UPDATE = re.compile(r"\bBEFORE UPDATE(?: OF (.+?))? ON\b")
_ALWAYS = "A"
_SQLITE = "SELECT tbl_name, name, sql, 'A' FROM sqlite_master WHERE type = 'trigger'"
_POSTGRES = (
    "SELECT c.relname, t.tgname, pg_get_triggerdef(t.oid), t.tgenabled FROM pg_trigger t "
    "JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal "
    "AND c.relnamespace = current_schema()::regnamespace"
)
_HIDING = (
    "SELECT tablename, 'rule ' || rulename FROM pg_rules WHERE schemaname = current_schema() "
    "UNION ALL SELECT tablename, 'policy ' || policyname FROM pg_policies "
    "WHERE schemaname = current_schema()"
)


def find_guard_faults(connection: sa.Connection, tables: Sequence[sa.Table]) -> Iterator[Fault]:
    """Every trigger, constraint, index and column that is missing, changed or foreign."""
    inspector = sa.inspect(connection)
    existing = set(inspector.get_table_names())
    triggers = _read_triggers(connection, tables)
    for table in tables:
        if table.name not in existing:
            yield FaultKind.GUARD_MISSING.report(f"table {table.name} is missing")
            continue
        yield from _compare(table, "trigger", _declare_triggers(connection, table), triggers)
        yield from _compare(
            table, "index", _declare_indexes(table), _read_indexes(inspector, table)
        )
        declared = _declare_constraints(connection, table)
        yield from _compare(table, "", declared, _read_constraints(connection, inspector, table))
    if not is_sqlite(connection):
        yield from _find_postgres_faults(connection, tables)


def _compare(
    table: sa.Table, kind: str, declared: Parts, found: Parts | Mapping[str, Parts]
) -> Iterator[Fault]:
    stored: Parts = found.get(table.name, {}) if kind == "trigger" else found  # type: ignore[assignment]
    for name in sorted(declared.keys() | stored.keys()):
        what = f"{f'{kind} {name}'.strip()} of table {table.name}"
        if name not in stored:
            yield FaultKind.GUARD_MISSING.report(f"{what} is missing")
        elif name not in declared:
            yield FaultKind.GUARD_FOREIGN.report(f"{what} is not declared")
        elif stored[name] == _DISABLED:
            yield FaultKind.GUARD_DISABLED.report(f"{what} does not fire")
        elif stored[name] != declared[name]:
            yield FaultKind.GUARD_CHANGED.report(f"{what} is not as declared")


_DISABLED = "disabled"


def _declare_triggers(connection: sa.Connection, table: sa.Table) -> Parts:
    guard, columns = guard_of(table), table.columns.keys()
    built = build_guards(
        connection.dialect.name,
        table.name,
        list_keys(table),
        deletable=guard.deletable,
        immutable=guard.immutable_among(columns),
    )
    return {name: _normalise(text, columns) for name, text in built.items()}


def _read_triggers(
    connection: sa.Connection, tables: Sequence[sa.Table]
) -> Mapping[str, Mapping[str, str]]:
    columns = {table.name: table.columns.keys() for table in tables}
    found: dict[str, dict[str, str]] = {}
    query = sa.text(_SQLITE if is_sqlite(connection) else _POSTGRES)
    for table, name, text, enabled in connection.execute(query):
        if table in columns:
            state = enabled.decode() if isinstance(enabled, bytes) else enabled
            definition = _normalise(text or "", columns[table])
            found.setdefault(table, {})[name] = definition if state == _ALWAYS else _DISABLED
    return found


def _normalise(text: str, columns: Sequence[str]) -> str:
    """A trigger without quotes, schema and needless white space; updated columns are sorted."""
    plain = " ".join(text.replace('"', "").split())
    plain = re.sub(r" ON \w+\.(\w+) ", r" ON \1 ", plain)

    def sort(match: re.Match[str]) -> str:
        named = match[1].split(", ") if match[1] else columns
        return f"BEFORE UPDATE OF {', '.join(sorted(named))} ON"

    return _UPDATE.sub(sort, plain)


def _declare_indexes(table: sa.Table) -> Parts:
    return {
        str(index.name): _describe_index(
            [column.name for column in index.columns],
            bool(index.unique),
            index.dialect_options["sqlite"].get("where") is not None,
        )
        for index in table.indexes
    }


def _read_indexes(inspector: sa.Inspector, table: sa.Table) -> Parts:
    return {
        str(index["name"]): _describe_index(
            index["column_names"],
            bool(index["unique"]),
            any(name.endswith("_where") for name in index.get("dialect_options", {})),
        )
        for index in inspector.get_indexes(table.name)
        if "duplicates_constraint" not in index
    }


def _describe_index(columns: Sequence[str | None], unique: bool, partial: bool) -> str:
    return f"{columns} {unique} {partial}"


def _declare_constraints(connection: sa.Connection, table: sa.Table) -> Parts:
    found = {"primary key": str(table.primary_key.columns.keys())}
    for column in table.columns:
        found[f"column {column.name}"] = "nullable" if column.nullable else "required"
    for constraint in table.constraints:
        if isinstance(constraint, sa.UniqueConstraint):
            columns = constraint.columns.keys()
            found[f"unique key {', '.join(columns)}"] = str(columns)
        elif isinstance(constraint, sa.CheckConstraint):
            text = str(constraint.sqltext)
            name = f"check {constraint.name}"
            found[name] = text if is_sqlite(connection) else _render_check(connection, table, text)
    return found


def _read_constraints(connection: sa.Connection, inspector: sa.Inspector, table: sa.Table) -> Parts:
    key = inspector.get_pk_constraint(table.name)["constrained_columns"]
    found = {"primary key": str(list(key))}
    for column in inspector.get_columns(table.name):
        found[f"column {column['name']}"] = "nullable" if column["nullable"] else "required"
    for unique in inspector.get_unique_constraints(table.name):
        columns = list(unique["column_names"])
        found[f"unique key {', '.join(columns)}"] = str(columns)
    if is_sqlite(connection):
        for check in inspector.get_check_constraints(table.name):
            found[f"check {check['name']}"] = check["sqltext"]
    else:
        found |= _read_checks(connection, table.name)
    return found


def _read_checks(connection: sa.Connection, table: str) -> dict[str, str]:
    query = sa.text(
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE conrelid = to_regclass(:name) AND contype = 'c'"
    )
    found = connection.execute(query, {"name": table})
    return {f"check {name}": text for name, text in found}


def _render_check(connection: sa.Connection, table: sa.Table, condition: str) -> str:
    """A condition as Postgres writes it, from a passing table that has it."""
    name = f"assay_check_{table.name}"
    connection.execute(sa.text(f"CREATE TEMPORARY TABLE {name} (LIKE {table.name})"))
    connection.execute(sa.text(f"ALTER TABLE {name} ADD CONSTRAINT ck CHECK ({condition})"))
    text = _read_checks(connection, name)["check ck"]
    connection.execute(sa.text(f"DROP TABLE {name}"))
    return text


def _find_postgres_faults(connection: sa.Connection, tables: Sequence[sa.Table]) -> Iterator[Fault]:
    """The function that every guard calls, and what can hide or redirect rows."""
    query = sa.text(
        "SELECT prosrc FROM pg_proc WHERE proname = :name "
        "AND pronamespace = current_schema()::regnamespace"
    )
    source = connection.execute(query, {"name": REFUSAL}).scalar()
    if source is None:
        yield FaultKind.GUARD_MISSING.report(f"function {REFUSAL} is missing")
    elif source.split() != REFUSAL_BODY.split():
        yield FaultKind.GUARD_CHANGED.report(f"function {REFUSAL} is not as declared")
    ours = {table.name for table in tables}
    for table, what in connection.execute(sa.text(_HIDING)):
        if table in ours:
            yield FaultKind.GUARD_FOREIGN.report(f"{what} of table {table} is not declared")
