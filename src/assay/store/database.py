"""Opening the database, and explaining what is wrong with it."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import psycopg
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    NoSuchModuleError,
    OperationalError,
    PendingRollbackError,
    ResourceClosedError,
)

from assay.errors import (
    AssayError,
    DatabaseBusy,
    DatabaseFailed,
    DatabaseFull,
    DatabaseUnreachable,
    DiskFailed,
    DiskFull,
    InternalError,
    InvalidSetting,
)
from assay.store.connecting import connect_patiently
from assay.store.outages import make_outage_options, outages_of

T = TypeVar("T")

_SUBSEC_VERSION = (3, 42, 0)
_NO_LIMIT = -1
"""SQLAlchemy's value for a pool that may always open another connection."""


_CACHE_KIB = 512
"""Pages that each connection to SQLite keeps."""


def open_engine(
    url: str,
    *,
    wait_s: float = 30.0,
    pool_size: int = 30,
    idle_s: float = 60.0,
    limit_s: float | None = None,
    read_only: bool = False,
) -> sa.Engine:
    """An engine for a SQLite file or a Postgres server, set up the way Assay needs it.

    A process that hangs inside a transaction would hold its locks forever; after `idle_s` Postgres
    ends its session, and others can continue. `pool_size` connections stay open. A worker that
    temporarily needs more opens them, so that none of its batches has to wait for another. A
    Postgres server that does not respond to a statement within `limit_s` counts as lost. With
    `read_only`, the database itself refuses every change.
    """
    options = make_outage_options()
    parsed = _parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        _require_folder(parsed)
        engine = sa.create_engine(
            parsed.set(drivername="sqlite"),
            pool_size=pool_size,
            max_overflow=_NO_LIMIT,
            execution_options=options,
        )
        _set_pragmas(engine, wait_s, read_only)
        return engine
    options_sent = [f"-c idle_in_transaction_session_timeout={int(idle_s * 1000)}"]
    if read_only:
        options_sent.append("-c default_transaction_read_only=on")
    engine = sa.create_engine(
        parsed.set(drivername="postgresql+psycopg"),
        pool_size=pool_size,
        max_overflow=_NO_LIMIT,
        pool_pre_ping=True,
        execution_options=options,
        connect_args={
            "connect_timeout": max(2, int(wait_s)),
            "application_name": "assay",
            "options": " ".join(options_sent),
        },
    )
    connect_patiently(engine, limit_s)
    return engine


def is_sqlite(engine: sa.Engine | sa.Connection) -> bool:
    return engine.dialect.name == "sqlite"


def begin_writing(connection: sa.Connection) -> None:
    """Take SQLite's write lock now. The driver would begin only at the first INSERT, UPDATE or
    DELETE; until then, what was read may change and schema changes cannot be rolled back."""
    if is_sqlite(connection) and not getattr(connection.connection, "in_transaction", False):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def collate_bytewise(dialect_name: str, column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    """A column that sorts the same everywhere, whatever collation the server uses."""
    if dialect_name == "sqlite" or not isinstance(column.type, sa.Text):
        return column
    return sa.collate(column, "C")


def _parse_url(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
        backend = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise InvalidSetting(
            "database_url is not a database URL that SQLAlchemy understands.",
            advice="Use sqlite:///path/to/file.db or postgresql://user@host/name.",
        ) from error
    if backend not in ("sqlite", "postgresql"):
        raise InvalidSetting(
            f"Assay supports SQLite and Postgres, not '{backend}'.",
            advice="Use sqlite:///path/to/file.db or postgresql://user@host/name.",
        )
    return parsed


def _require_folder(url: sa.URL) -> None:
    memory = ":memory:" in (url.database or "") or url.query.get("mode") == "memory"
    if not url.database or memory:
        raise InvalidSetting(
            "An in-memory SQLite database would not survive a crash.",
            advice="Use a file: sqlite:///path/to/file.db.",
        )
    if not Path(url.database).parent.is_dir():
        raise InvalidSetting(
            f"The folder {Path(url.database).parent} does not exist.",
            advice="Run 'assay init' first.",
        )


def _set_pragmas(engine: sa.Engine, wait_s: float, read_only: bool) -> None:
    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: Any) -> None:
        # Writers queue up at BEGIN instead of failing at their first write.
        connection.isolation_level = "IMMEDIATE"
        connection.execute(f"PRAGMA busy_timeout={int(wait_s * 1000)}")
        _use_wal(connection, wait_s)
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        # There are dozens of connections, and the system caches the file anyway.
        connection.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
        # Without it, INSERT OR REPLACE deletes rows without firing the guards.
        connection.execute("PRAGMA recursive_triggers=ON")
        if sqlite3.sqlite_version_info < _SUBSEC_VERSION:
            connection.create_function("unixepoch", -1, _compute_unixepoch)
        if read_only:
            connection.execute("PRAGMA query_only=ON")


def _compute_unixepoch(*modifiers: str) -> float | int:
    """A function that newer SQLite versions have built in. The queue asks for milliseconds on
    every Python from 3.12 on, but the SQLite that comes with it may be older and return NULL."""
    return round(time.time(), 3) if modifiers == ("subsec",) else int(time.time())


def _use_wal(connection: Any, wait_s: float) -> None:
    """Switch to the WAL journal, the one operation for which SQLite does not wait by itself."""
    deadline = time.monotonic() + wait_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() >= deadline:
                raise
            time.sleep(0.01)


@contextmanager
def explain_errors() -> Iterator[None]:
    """Turn the driver's errors into errors that say what to do."""
    try:
        yield
    except DBAPIError as error:
        raise explain_database_error(error) from error


def outlast(engine: sa.Engine, act: Callable[[], T]) -> T:
    """Do something in a transaction of its own; where outages are waited for, again and again until
    the database responds.

    If the connection is lost during the commit, nobody knows whether it took place. So `act` must
    find out, or do no harm when it is repeated.
    """
    return outages_of(engine).outlast(act, _explain_or_raise)


def _explain_or_raise(error: Exception) -> AssayError:
    if isinstance(error, AssayError):
        return error
    if isinstance(error, DBAPIError):
        explained = explain_database_error(error)
        explained.__cause__ = error
        return explained
    if isinstance(error, psycopg.Error):
        # Some of the driver's errors reach us as they are, such as those at the end of a pipeline.
        is_lost = isinstance(error, psycopg.OperationalError)
        kind = OperationalError if is_lost else DBAPIError
        return _explain_or_raise(kind("", {}, error))
    if isinstance(error, PendingRollbackError | ResourceClosedError):
        explained = DatabaseUnreachable(f"The connection was lost ({error}).")
        explained.__cause__ = error
        return explained
    raise error


_BUSY_STATES = frozenset({"40001", "40P01", "55P03"})
"""Another transaction was in the way: a serialization failure, a deadlock, a lock."""
_LOST_STATES = frozenset({"25006", "25P03", "25P04", "40003", "55006"})
"""Postgres ended the session, which its driver reports as various kinds of errors, or the server is
a standby that has not taken over yet."""
_LOST_CLASSES = ("08", "53", "57", "58")
"""No connection, no resources such as slots or memory, an operator's intervention such as a
shutdown, and faults of the server's machine."""
_DISK_FULL_STATE = "53100"


def explain_database_error(error: DBAPIError) -> AssayError:
    """The error in terms of its cause and what to do about it."""
    text = str(error.orig).strip()
    detail = text.splitlines()[0] if text else repr(error.orig)
    state = getattr(error.orig, "sqlstate", None)
    explained = _explain_state(state, detail) or _explain_text(detail)
    if explained is not None:
        return explained
    if error.connection_invalidated:
        return DatabaseUnreachable(f"The database ended the session ({detail}).")
    # SQLite calls nearly every fault operational, even a missing table; Postgres calls some so that
    # a document causes, such as a value too long for an index, and gives them a state.
    is_lost = not isinstance(error.orig, sqlite3.Error) or "unable to open" in detail.lower()
    if isinstance(error, OperationalError) and is_lost and state is None:
        return DatabaseUnreachable(f"The database does not respond ({detail}).")
    return InternalError(f"The database rejected a statement ({detail}).")


def _explain_state(state: str | None, detail: str) -> DatabaseFailed | None:
    """What a Postgres server reports about itself; None if the statement was at fault."""
    if state is None:
        return None
    if state in _BUSY_STATES:
        return DatabaseBusy(f"Another transaction is in the way ({detail}).")
    if state == _DISK_FULL_STATE or "No space left" in detail:
        return DatabaseFull(f"The database server has no space left ({detail}).")
    if state == "53300":
        return DatabaseUnreachable(
            f"The database server has no connection left ({detail}).",
            advice="Raise max_connections of the server, or run fewer workers.",
        )
    if state in _LOST_STATES or state.startswith(_LOST_CLASSES):
        return DatabaseUnreachable(f"The database ended the session ({detail}).")
    return None


def _explain_text(detail: str) -> AssayError | None:
    low = detail.lower()
    if any(sign in low for sign in ("locked", "busy", "lock timeout", "deadlock")):
        return DatabaseBusy(f"The database is locked by another process ({detail}).")
    if "disk is full" in low or "no space left" in low:
        return DiskFull(f"The database has no space left to write ({detail}).")
    if "disk i/o error" in low:
        return DiskFailed(f"The disk refused a write to the database ({detail}).")
    if any(sign in low for sign in ("not a database", "image is malformed", "malformed database")):
        return InternalError(
            f"The database file is damaged ({detail}).",
            advice="Restore it from a backup; nothing was changed.",
        )
    if "readonly" in low or "read-only" in low:
        return InternalError(
            f"The database is read-only ({detail}).",
            advice="Check the file's owner and permissions.",
        )
    if "too many clients" in low or "connection slots are reserved" in low:
        return _explain_state("53300", detail)
    return None


def build_now_ms(engine: sa.Engine | sa.Connection) -> sa.ColumnElement[int]:
    """The database's own time in milliseconds, so that workers' clocks do not have to agree."""
    if is_sqlite(engine):
        return sa.cast((sa.func.julianday("now") - 2440587.5) * 86_400_000.0, sa.BigInteger)
    return sa.cast(sa.func.extract("epoch", sa.func.clock_timestamp()) * 1000, sa.BigInteger)
