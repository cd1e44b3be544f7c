"""Opening the database, and saying plainly what is wrong with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError

from assay.errors import (
    AssayError,
    DatabaseBusy,
    DatabaseUnreachable,
    DiskFull,
    InternalError,
    InvalidSetting,
)


def open_engine(url: str, *, wait_s: float = 30.0, pool_size: int = 30) -> sa.Engine:
    """An engine for a SQLite file or a Postgres server, set up the way Assay needs it."""
    parsed = _parsed(url)
    if parsed.get_backend_name() == "sqlite":
        _require_folder(parsed)
        engine = sa.create_engine(parsed, pool_size=pool_size, max_overflow=10)
        _set_pragmas(engine, wait_s)
        return engine
    return sa.create_engine(
        parsed.set(drivername="postgresql+psycopg"),
        pool_size=pool_size,
        max_overflow=10,
        pool_pre_ping=True,
        connect_args={"connect_timeout": max(2, int(wait_s)), "application_name": "assay"},
    )


def is_sqlite(engine: sa.Engine | sa.Connection) -> bool:
    return engine.dialect.name == "sqlite"


def _parsed(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
        backend = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise InvalidSetting(
            "database_url is not an address that SQLAlchemy understands.",
            advice="Write sqlite:///path/to/file.db or postgresql://user@host/name.",
        ) from error
    if backend not in ("sqlite", "postgresql"):
        raise InvalidSetting(
            f"Assay stores in SQLite or Postgres, not in '{backend}'.",
            advice="Write sqlite:///path/to/file.db or postgresql://user@host/name.",
        )
    return parsed


def _require_folder(url: sa.URL) -> None:
    if url.database in (None, "", ":memory:"):
        raise InvalidSetting(
            "A SQLite database in memory cannot outlive a crash.",
            advice="Name a file: sqlite:///path/to/file.db.",
        )
    assert url.database is not None
    if not Path(url.database).parent.is_dir():
        raise InvalidSetting(
            f"There is no folder {Path(url.database).parent}.", advice="Run 'assay init' first."
        )


def _set_pragmas(engine: sa.Engine, wait_s: float) -> None:
    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: Any) -> None:
        # Writers queue up at BEGIN instead of failing at their first write.
        connection.isolation_level = "IMMEDIATE"
        connection.execute(f"PRAGMA busy_timeout={int(wait_s * 1000)}")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn the driver's errors into ones that say what to do."""
    try:
        yield
    except DBAPIError as error:
        raise explained(error) from error


def explained(error: DBAPIError) -> AssayError:
    """What a database error means for the one who reads it."""
    said = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else repr(error.orig)
    low = said.lower()
    if "locked" in low or "busy" in low or "lock timeout" in low:
        return DatabaseBusy(f"The database is locked by another process ({said}).")
    if "disk is full" in low or "no space left" in low:
        return DiskFull(f"The database has no room to write ({said}).")
    if "not a database" in low or "malformed" in low:
        return InternalError(
            f"The database file is damaged ({said}).",
            advice="Restore it from a backup; nothing was changed.",
        )
    if "readonly" in low or "read-only" in low:
        return InternalError(
            f"The database cannot be written ({said}).", advice="Check the file's owner and rights."
        )
    if isinstance(error, OperationalError):
        return DatabaseUnreachable(f"The database does not answer ({said}).")
    return InternalError(f"The database refused a statement ({said}).")


def now_ms_sql(engine: sa.Engine | sa.Connection) -> sa.ColumnElement[int]:
    """The database's own time in milliseconds, so that workers' clocks need not agree."""
    if is_sqlite(engine):
        return sa.cast((sa.func.julianday("now") - 2440587.5) * 86_400_000.0, sa.BigInteger)
    return sa.cast(sa.func.extract("epoch", sa.func.clock_timestamp()) * 1000, sa.BigInteger)
