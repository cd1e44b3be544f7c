"""Copies of a database: a consistent one of a store that is in use, and a store from a copy."""

import shutil
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from assay.errors import BackupDamaged, DatabaseFailed, InvalidInput, ToolMissing
from assay.store.database import explain_errors, is_sqlite

SQLITE_COPY = "assay.db"
POSTGRES_COPY = "assay.dump"


def copy_database(engine: sa.Engine, env: Mapping[str, str], target: Path) -> None:
    """Copy the database as it is at one moment; workers continue meanwhile."""
    if is_sqlite(engine):
        assert engine.url.database is not None
        copy_sqlite(Path(engine.url.database), target)
        return
    _run_tool(
        "pg_dump", ["--format=custom", "--no-owner", "--no-privileges", f"--file={target}"],
        engine.url, env,
    )  # fmt: skip


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy a SQLite file through SQLite, which sees a single moment of it."""
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as opened,
            closing(sqlite3.connect(target)) as copy,
        ):
            opened.backup(copy)
            # A copy is one file: nothing may remain in a journal.
            copy.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.Error as error:
        raise DatabaseFailed(f"{source.name} could not be copied: {error}.") from error


def restore_postgres(copy: Path, url: sa.URL, env: Mapping[str, str]) -> None:
    """Load a copy into an empty database, all of it or nothing."""
    _run_tool(
        "pg_restore",
        ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction", str(copy)],
        url, env,
    )  # fmt: skip


def check_sqlite_copy(file: Path) -> None:
    """Refuse a copy that SQLite itself finds faults in."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as opened:
            (found,) = opened.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        found = str(error)
    if found != "ok":
        raise BackupDamaged(f"The copy of the database is damaged: {found}.")


def require_empty_database(engine: sa.Engine) -> None:
    """Refuse a database in which anything is stored."""
    with explain_errors(), engine.connect() as connection:
        inspector = sa.inspect(connection)
        schemas = set(inspector.get_schema_names()) & {"public", "dbos"}
        tables = [name for schema in schemas for name in inspector.get_table_names(schema)]
    if tables:
        raise InvalidInput(
            f"The database is not empty: it has {len(tables)} tables.",
            advice="Create a new database, and set ASSAY_DATABASE_URL to it.",
        )


def _run_tool(name: str, arguments: Sequence[str], url: sa.URL, env: Mapping[str, str]) -> None:
    """Run one of Postgres' own programs; the password is not visible to other processes."""
    program = shutil.which(name, path=env.get("PATH"))
    if program is None:
        raise ToolMissing(
            f"{name} is not installed, and a backup of a Postgres database needs it.",
            advice="Install the client programs of Postgres (apt install postgresql-client), "
            "of the server's version or newer.",
        )
    password = {} if url.password is None else {"PGPASSWORD": str(url.password)}
    address = sa.URL.create(
        "postgresql", url.username, None, url.host, url.port, url.database, url.query
    ).render_as_string()
    ended = subprocess.run(
        [program, f"--dbname={address}", *arguments],
        env={**env, **password}, capture_output=True, text=True, errors="replace", check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if ended.returncode != 0:
        reason = " ".join(ended.stderr.strip().splitlines()[-3:]) or f"exit code {ended.returncode}"
        raise DatabaseFailed(
            f"{name} failed: {reason[:500]}.",
            advice="If it names versions, install the client programs of the server's version.",
        )
