"""Opening a database, and what its errors mean."""

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, OperationalError

from assay.errors import (
    AssayError,
    DatabaseBusy,
    DatabaseUnreachable,
    DiskFull,
    ErrorClass,
    InternalError,
    InvalidSetting,
)
from assay.store.database import (
    build_now_ms,
    explain_database_error,
    explain_errors,
    is_sqlite,
    open_engine,
)
from tests.waiting import PATIENCE_S


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A SQLite file with a table of some pages."""
    path = tmp_path / "store.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE things (name TEXT PRIMARY KEY, body TEXT)")
        rows = [(f"n{number}", "x" * 500) for number in range(200)]
        connection.executemany("INSERT INTO things VALUES (?, ?)", rows)
    connection.close()
    return path


def told(act: Callable[[sa.Connection], object], url: str) -> AssayError:
    """What the store says of a failure at that address."""
    # A locked file is not waited for; a server that is busy is.
    engine = open_engine(url, wait_s=0.05 if url.startswith("sqlite") else PATIENCE_S)
    try:
        with pytest.raises(AssayError) as caught, explain_errors(), engine.connect() as connection:
            act(connection)
            connection.commit()
        assert isinstance(caught.value.__cause__, DBAPIError)
        return caught.value
    finally:
        engine.dispose()


def write(connection: sa.Connection) -> None:
    connection.execute(sa.text("INSERT INTO things VALUES ('new', 'y')"))


def read(connection: sa.Connection) -> None:
    connection.execute(sa.text("SELECT count(*), max(body) FROM things")).all()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nonsense",
        "/path/to/file.db",
        "mysql://host/name",
        "postgres://host/name",
        "oracle+cx://host/name",
        "postgresql://host:port/name",
    ],
)
def test_an_address_of_no_known_database_is_refused_with_an_example(url: str) -> None:
    with pytest.raises(InvalidSetting, match=r"sqlite:///path/to/file\.db or postgresql://"):
        open_engine(url)


def test_a_refusal_does_not_tell_the_password() -> None:
    with pytest.raises(InvalidSetting) as caught:
        open_engine("mysql://user:secret@host/name")
    assert "secret" not in str(caught.value)
    with pytest.raises(InvalidSetting) as caught:
        open_engine("postgresql://user:secret@host:port/name")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite+pysqlite:///:memory:",
        "sqlite:///file::memory:?uri=true",
        "sqlite:///file::memory:?cache=shared&uri=true",
        "sqlite:///file:name?mode=memory&cache=shared&uri=true",
    ],
)
def test_a_database_in_memory_is_refused(url: str) -> None:
    with pytest.raises(InvalidSetting, match="would not survive a crash"):
        open_engine(url)


def test_a_file_in_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match=f"The folder {tmp_path / 'none'} does not exist"):
        open_engine(f"sqlite:///{tmp_path / 'none' / 'store.db'}")


@pytest.mark.parametrize("name", ["sqlite", "sqlite+pysqlite", "sqlite+aiosqlite"])
def test_any_driver_of_sqlite_means_the_one_that_assay_uses(name: str, file: Path) -> None:
    engine = open_engine(f"{name}:///{file}")
    assert (engine.dialect.name, engine.dialect.driver) == ("sqlite", "pysqlite")
    engine.dispose()


@pytest.mark.parametrize("name", ["postgresql", "postgresql+psycopg2", "postgresql+asyncpg"])
def test_any_driver_of_postgres_means_the_one_that_assay_uses(name: str) -> None:
    engine = open_engine(f"{name}://host/name")
    assert (engine.dialect.name, engine.dialect.driver) == ("postgresql", "psycopg")


def test_sqlite_is_set_up_to_lose_nothing(file: Path) -> None:
    engine = open_engine(f"sqlite:///{file}", wait_s=1.5)
    with engine.connect() as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    engine.dispose()
    assert pragmas == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 1500,
    }


def test_a_locked_file_is_busy_and_worth_another_try(file: Path) -> None:
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        error = told(write, f"sqlite:///{file}")
    finally:
        other.close()
    assert type(error) is DatabaseBusy
    assert error.error_class is ErrorClass.TRANSIENT
    assert "database is locked" in str(error)


def test_a_writer_waits_for_the_lock_as_long_as_it_was_told(file: Path) -> None:
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.2, other.rollback).start()
    engine = open_engine(f"sqlite:///{file}", wait_s=PATIENCE_S)
    with engine.begin() as connection:
        write(connection)
    engine.dispose()
    other.close()


def test_a_full_disk_is_said_to_be_full(file: Path) -> None:
    def overfill(connection: sa.Connection) -> None:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")
        connection.execute(sa.text("INSERT INTO things VALUES ('new', zeroblob(100000))"))

    error = told(overfill, f"sqlite:///{file}")
    assert type(error) is DiskFull
    assert "Free some disk space" in str(error)


def test_a_file_that_is_no_database_is_said_to_be_damaged(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"this is a letter, not a database\n" * 100)
    error = told(read, f"sqlite:///{path}")
    assert type(error) is InternalError
    assert "The database file is damaged" in str(error)
    assert "backup" in str(error)


def test_a_file_with_a_hole_is_said_to_be_damaged(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[4096 * 2 :] = b"\xa5" * (len(data) - 4096 * 2)
    file.write_bytes(data)
    error = told(read, f"sqlite:///{file}")
    assert type(error) is InternalError
    assert "damaged (database disk image is malformed)" in str(error)


def test_a_file_that_may_only_be_read_is_said_so(file: Path) -> None:
    def try_writing(connection: sa.Connection) -> None:
        connection.exec_driver_sql("PRAGMA query_only = ON")
        write(connection)

    error = told(try_writing, f"sqlite:///{file}")
    assert type(error) is InternalError
    assert "is read-only" in str(error)
    assert "owner and permissions" in str(error)


def test_a_folder_in_the_place_of_the_file_does_not_answer(tmp_path: Path) -> None:
    (tmp_path / "store.db").mkdir()
    assert type(told(read, f"sqlite:///{tmp_path / 'store.db'}")) is DatabaseUnreachable


def test_a_missing_table_is_a_fault_and_no_silence(store_url: str, empty: sa.Engine) -> None:
    error = told(read, store_url)
    assert type(error) is InternalError
    assert "rejected a statement" in str(error)
    assert "things" in str(error)


def test_a_server_that_is_not_there_does_not_answer() -> None:
    error = told(read, "postgresql://nobody:secret@127.0.0.1:1/none")
    assert type(error) is DatabaseUnreachable
    assert error.error_class is ErrorClass.TRANSIENT
    assert "ASSAY_DATABASE_URL" in str(error)
    assert "secret" not in str(error)


@pytest.mark.postgres
def test_a_database_that_does_not_exist_does_not_answer(postgres_server: str) -> None:
    error = told(read, postgres_server.replace("/postgres?", "/no_such_database?"))
    assert type(error) is DatabaseUnreachable
    assert "no_such_database" in str(error)


@pytest.mark.postgres
def test_a_row_that_another_holds_is_busy(postgres_url: str) -> None:
    engine = open_engine(postgres_url)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE things (name TEXT PRIMARY KEY, body TEXT)"))

    def wait_briefly(connection: sa.Connection) -> None:
        connection.execute(sa.text("SET lock_timeout = '50ms'"))
        write(connection)

    with engine.connect() as holder:
        write(holder)
        assert type(told(wait_briefly, postgres_url)) is DatabaseBusy
    engine.dispose()


@pytest.mark.postgres
def test_a_deadlock_is_busy_and_worth_another_try(postgres_url: str) -> None:
    engine = open_engine(postgres_url)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE things (name TEXT PRIMARY KEY, body TEXT)"))
        connection.execute(sa.text("INSERT INTO things VALUES ('a', ''), ('b', '')"))
    touch = sa.text("UPDATE things SET body = 'x' WHERE name = :name")
    together = threading.Barrier(2)
    errors: list[AssayError] = []

    def cross(first: str, second: str) -> None:
        try:
            with explain_errors(), engine.begin() as connection:
                connection.execute(sa.text("SET LOCAL deadlock_timeout = '50ms'"))
                connection.execute(touch, {"name": first})
                together.wait(timeout=PATIENCE_S)
                connection.execute(touch, {"name": second})
        except AssayError as error:
            errors.append(error)

    threads = [threading.Thread(target=cross, args=names) for names in ("ab", "ba")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.dispose()
    assert [type(error) for error in errors] == [DatabaseBusy]


@pytest.mark.postgres
def test_a_bad_literal_on_postgres_is_no_damaged_file(postgres_url: str) -> None:
    error = told(lambda c: c.execute(sa.text("SELECT 'x'::int[]")), postgres_url)
    assert type(error) is InternalError
    assert "malformed array literal" in str(error)
    assert "damaged" not in str(error)


def test_a_full_disk_of_a_server_is_said_to_be_full() -> None:
    said = 'could not extend file "base/1": No space left on device'
    assert type(explain_database_error(OperationalError("x", {}, Exception(said)))) is DiskFull


def test_an_error_without_words_is_still_explained() -> None:
    assert "Exception()" in str(explain_database_error(DBAPIError("x", {}, Exception())))


def test_only_the_databases_errors_are_turned(empty: sa.Engine) -> None:
    with pytest.raises(ZeroDivisionError), explain_errors():
        _ = 1 / 0


def test_the_database_tells_the_time_in_milliseconds(empty: sa.Engine) -> None:
    before = time.time_ns() // 1_000_000
    with empty.connect() as connection:
        told_ms = connection.execute(sa.select(build_now_ms(connection))).scalar_one()
    after = time.time_ns() // 1_000_000
    assert before - 2 <= told_ms <= after + 2
    assert is_sqlite(empty) == (empty.dialect.name == "sqlite")


def test_sqlite_tells_milliseconds_whatever_its_version(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'a.db'}")
    with engine.connect() as connection:
        told = connection.execute(sa.text("SELECT unixepoch('subsec') * 1000")).scalar()
    engine.dispose()
    assert told is not None
    assert abs(told - time.time() * 1000) < 60_000


@pytest.mark.postgres
def test_a_session_that_postgres_ended_while_it_slept_is_a_database_out_of_reach(
    postgres_url: str,
) -> None:
    engine = open_engine(postgres_url, idle_s=0.05)
    watcher = open_engine(postgres_url)
    try:
        with pytest.raises(DatabaseUnreachable), explain_errors(), engine.connect() as connection:
            pid = connection.execute(sa.text("SELECT pg_backend_pid()")).scalar_one()
            alive = sa.text(f"SELECT count(*) FROM pg_stat_activity WHERE pid = {pid}")
            with watcher.connect() as looking:
                while looking.execute(alive).scalar_one():
                    looking.rollback()
            connection.execute(sa.text("SELECT 1"))
    finally:
        engine.dispose()
        watcher.dispose()
