"""Triggers that stop a normal run from deleting or rewriting stored rows."""

from collections.abc import Iterable, Sequence

import sqlalchemy as sa

from assay.store.database import begin_writing, is_sqlite

PREFIX = "assay_guard_"
_REFUSE = """
CREATE OR REPLACE FUNCTION assay_guard_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'assay: % on % is refused: stored rows are permanent', TG_OP, TG_TABLE_NAME;
END $$
"""


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
    quoted = ", ".join(f'"{column}"' for column in columns)
    _create_trigger(connection, table, "update", f"UPDATE OF {quoted}" if columns else "UPDATE")


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
        connection.execute(sa.text("DROP FUNCTION IF EXISTS assay_guard_refuse() CASCADE"))


def _create_refusal(connection: sa.Connection) -> None:
    if not is_sqlite(connection):
        connection.execute(sa.text(_REFUSE))


def _create_trigger(
    connection: sa.Connection, table: str, kind: str, when: str, *, each: str = "ROW"
) -> None:
    name = f"{PREFIX}{kind}_{table}"
    if is_sqlite(connection):
        body = (
            f"BEGIN SELECT RAISE(ABORT, 'assay: {kind} on {table} is refused: "
            "stored rows are permanent'); END"
        )
    else:
        body = f"FOR EACH {each} EXECUTE FUNCTION assay_guard_refuse()"
    connection.execute(sa.text(f"CREATE TRIGGER {name} BEFORE {when} ON {table} {body}"))
