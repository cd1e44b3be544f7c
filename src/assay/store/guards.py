"""Triggers that stop everybody, in Assay or in a database shell, from deleting or rewriting rows.

SQLite deletes a row that an `INSERT OR REPLACE` or `UPDATE OR REPLACE` pushes aside without firing
delete triggers, unless the connection asks for them, which a shell does not. Such a statement
cannot be told from an upsert before the insert, and not from an insert after it. So one trigger
notes before an insert that its key is taken, and one after it refuses what replaced that row; an
upsert that keeps or updates the row does not reach the second.

A statement can also name the number that SQLite itself gives each row (`rowid`), and take another
row's. No stored row ever changes its number, so every change of one is refused.
"""

from collections.abc import Iterable, Sequence

import sqlalchemy as sa

from assay.store.database import begin_writing, is_sqlite

PREFIX = "assay_guard_"
REFUSAL = "assay_guard_refuse"
"""The function of Postgres that every guard calls."""
REFUSAL_BODY = """
BEGIN
  RAISE EXCEPTION 'assay: % on % is refused: stored rows are permanent', TG_OP, TG_TABLE_NAME;
END """
_REFUSE = (
    f"CREATE OR REPLACE FUNCTION {REFUSAL}() RETURNS trigger LANGUAGE plpgsql AS $${REFUSAL_BODY}$$"
)
_ROW_NUMBER = "rowid"
Keys = Sequence[Sequence[str]]
"""The primary key of a table and its other unique keys, each as its columns."""


def forbid_delete(connection: sa.Connection, tables: Iterable[str]) -> None:
    """Forbid deleting any row of these tables."""
    _create_refusal(connection)
    for table in tables:
        _create_trigger(connection, table, "delete", "DELETE")
        if not is_sqlite(connection):
            _create_trigger(connection, table, "truncate", "TRUNCATE", each="STATEMENT")


def forbid_update(connection: sa.Connection, table: str, columns: Sequence[str] = ()) -> None:
    """Forbid updating these columns, or all columns if none are given."""
    _create_refusal(connection)
    when = f"UPDATE OF {_quote_all(columns)}" if columns else "UPDATE"
    _create_trigger(connection, table, "update", when)


def complete_guards(connection: sa.Connection) -> None:
    """Add what guards of earlier versions lack, for every table whose rows are never deleted.

    On SQLite these are the guards against replacing rows; on Postgres, guards fire even for a
    session that claims to replicate.
    """
    if not is_sqlite(connection):
        for table, name in _list_lax_triggers(connection):
            connection.execute(sa.text(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}"))
        return
    stored = _read_trigger_texts(connection)
    for table in _list_guarded_tables(stored):
        for name, text in build_replacement_guards(table, _read_keys(connection, table)).items():
            if stored.get(name) == text:
                continue
            if name in stored:
                connection.execute(sa.text(f"DROP TRIGGER {name}"))
            connection.execute(sa.text(text))


def build_replacement_guards(table: str, keys: Keys) -> dict[str, str]:
    """Name → text of the triggers that keep SQLite from replacing a row of a table."""
    taken = " OR ".join(_build_match(table, key) for key in (*keys, (_ROW_NUMBER,)))
    others = " OR ".join(_build_match(table, key, " AND rowid <> OLD.rowid") for key in keys)
    columns = _quote_all(sorted({column for key in keys for column in key}))
    mark = f"FROM guard_marks WHERE name = '{table}'"
    refusal = f"'assay: replace on {table} is refused: stored rows are permanent'"
    bodies = {
        "note": f"BEFORE INSERT ON {table} WHEN EXISTS (SELECT 1 {mark}) OR {taken} BEGIN "
        f"DELETE {mark}; INSERT INTO guard_marks (name) SELECT '{table}' WHERE {taken}; END",
        # Before an insert that names no number, the new number is -1: no row may have that one.
        "replace": f"AFTER INSERT ON {table} WHEN EXISTS (SELECT 1 {mark}) OR NEW.rowid < 1 BEGIN "
        f"SELECT RAISE(ABORT, {refusal}); END",
        "displace": f"BEFORE UPDATE OF {columns} ON {table} WHEN {others} BEGIN "
        f"SELECT RAISE(ABORT, {refusal}); END",
        "renumber": f"BEFORE UPDATE ON {table} WHEN NEW.rowid <> OLD.rowid BEGIN "
        f"SELECT RAISE(ABORT, {refusal}); END",
    }
    return {
        f"{PREFIX}{kind}_{table}": f"CREATE TRIGGER {PREFIX}{kind}_{table} {body}"
        for kind, body in bodies.items()
    }


def build_guards(
    dialect_name: str, table: str, keys: Keys, *, deletable: bool, immutable: Sequence[str]
) -> dict[str, str]:
    """Name → text of all guards that a table has, once its migrations are complete."""
    lite = dialect_name == "sqlite"
    found: dict[str, str] = {}
    if not deletable:
        found |= _build_trigger(lite, table, "delete", "DELETE")
        if lite:
            found |= build_replacement_guards(table, keys)
        else:
            found |= _build_trigger(lite, table, "truncate", "TRUNCATE", each="STATEMENT")
    if immutable:
        when = f"UPDATE OF {_quote_all(immutable)}"
        found |= _build_trigger(lite, table, "update", when)
    return found


def renew_update(connection: sa.Connection, table: str, columns: Sequence[str]) -> None:
    """The same for a table that has gained columns since."""
    on = "" if is_sqlite(connection) else f" ON {table}"
    connection.execute(sa.text(f"DROP TRIGGER {PREFIX}update_{table}{on}"))
    forbid_update(connection, table, columns)


def lift_guards(connection: sa.Connection) -> None:
    """Remove every guard; only for operator commands that destroy data on purpose."""
    begin_writing(connection)
    if is_sqlite(connection):
        names = connection.execute(
            sa.text("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE :like"),
            {"like": f"{PREFIX}%"},
        ).scalars()
        for name in list(names):
            connection.execute(sa.text(f'DROP TRIGGER "{name}"'))
    else:
        connection.execute(sa.text(f"DROP FUNCTION IF EXISTS {REFUSAL}() CASCADE"))


def _create_refusal(connection: sa.Connection) -> None:
    if not is_sqlite(connection):
        connection.execute(sa.text(_REFUSE))


def _create_trigger(
    connection: sa.Connection, table: str, kind: str, when: str, *, each: str = "ROW"
) -> None:
    lite = is_sqlite(connection)
    for name, text in _build_trigger(lite, table, kind, when, each=each).items():
        connection.execute(sa.text(text))
        if not lite:
            connection.execute(sa.text(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}"))


def _build_trigger(
    lite: bool, table: str, kind: str, when: str, *, each: str = "ROW"
) -> dict[str, str]:
    name = f"{PREFIX}{kind}_{table}"
    if lite:
        body = (
            f"BEGIN SELECT RAISE(ABORT, 'assay: {kind} on {table} is refused: "
            "stored rows are permanent'); END"
        )
    else:
        body = f"FOR EACH {each} EXECUTE FUNCTION {REFUSAL}()"
    return {name: f"CREATE TRIGGER {name} BEFORE {when} ON {table} {body}"}


def _build_match(table: str, key: Sequence[str], beside: str = "") -> str:
    """Whether a stored row has the same key as the new one; nothing equals NULL, as in an index."""
    equal = " AND ".join(f'"{column}" = NEW."{column}"' for column in key)
    return f"EXISTS (SELECT 1 FROM {table} WHERE {equal}{beside})"


def _quote_all(columns: Iterable[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _read_trigger_texts(connection: sa.Connection) -> dict[str, str]:
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
    return {row.name: row.sql for row in connection.execute(sa.text(query))}


def _list_guarded_tables(triggers: Iterable[str]) -> list[str]:
    """The tables whose rows are never deleted."""
    deleting = f"{PREFIX}delete_"
    return sorted(n.removeprefix(deleting) for n in triggers if n.startswith(deleting))


def _read_keys(connection: sa.Connection, table: str) -> Keys:
    """The unique keys of a table of SQLite, in the order of `list_keys`."""
    indexes = connection.exec_driver_sql(f'PRAGMA index_list("{table}")').mappings().all()
    keys = {
        tuple(
            row["name"]
            for row in connection.exec_driver_sql(
                f'PRAGMA index_info("{index["name"]}")'
            ).mappings()
        )
        for index in indexes
        if index["unique"]
    }
    return sorted(keys)


def list_keys(table: sa.Table) -> Keys:
    """The primary key of a table and its other unique keys, sorted.

    A partial index counts like a whole one, because those here leave out only NULL.
    """
    keys = {tuple(table.primary_key.columns.keys())}
    for constraint in table.constraints:
        if isinstance(constraint, sa.UniqueConstraint):
            keys.add(tuple(constraint.columns.keys()))
    keys |= {tuple(index.columns.keys()) for index in table.indexes if index.unique}
    return sorted(keys)


def _list_lax_triggers(connection: sa.Connection) -> list[tuple[str, str]]:
    """The guards of Postgres that do not fire for every session."""
    query = sa.text(
        "SELECT tgrelid::regclass::text, tgname FROM pg_trigger "
        "WHERE NOT tgisinternal AND tgname LIKE :like AND tgenabled = 'O'"
    )
    return [(row[0], row[1]) for row in connection.execute(query, {"like": f"{PREFIX}%"})]
