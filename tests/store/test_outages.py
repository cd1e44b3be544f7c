"""Waiting for a database that is away, and which failures are the database's own."""

import sqlite3
import threading
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.exc import OperationalError, PendingRollbackError, ResourceClosedError

from assay.errors import (
    AssayError,
    DatabaseBusy,
    DatabaseFailed,
    DatabaseFull,
    DatabaseUnreachable,
    InternalError,
)
from assay.store.database import explain_database_error, open_engine, outlast
from assay.store.outages import Outages, outages_of
from tests.waiting import PATIENCE_S


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("40001", DatabaseBusy),
        ("40P01", DatabaseBusy),
        ("55P03", DatabaseBusy),
        ("53100", DatabaseFull),
        ("53300", DatabaseUnreachable),
        ("57P01", DatabaseUnreachable),
        ("57P03", DatabaseUnreachable),
        ("25P03", DatabaseUnreachable),
        ("08006", DatabaseUnreachable),
        ("58030", DatabaseUnreachable),
        # A value that is too long for an index: the document's fault, and waiting does not help.
        ("54000", InternalError),
    ],
)
def test_the_state_tells_the_databases_failures_from_a_statements(
    state: str, expected: type[AssayError]
) -> None:
    orig = psycopg.errors.lookup(state)("it failed")
    assert type(explain_database_error(OperationalError("x", {}, orig))) is expected


def _explain(error: Exception) -> AssayError:
    return error if isinstance(error, AssayError) else InternalError(str(error))


def test_a_failure_is_raised_at_once_unless_outages_are_waited_for() -> None:
    tries: list[int] = []

    def fail() -> None:
        tries.append(1)
        raise DatabaseUnreachable("gone")

    outages = Outages()
    with pytest.raises(DatabaseUnreachable, match="gone"):
        outages.outlast(fail, _explain)
    assert len(tries) == 1
    outages.wait_up_to(0.5)
    with pytest.raises(DatabaseUnreachable, match="gone"):
        outages.outlast(fail, _explain)
    assert len(tries) > 2
    outages.wait_up_to(None)
    outages.give_up()
    with pytest.raises(DatabaseUnreachable, match="gone"):
        outages.outlast(fail, _explain)


def test_one_line_says_that_the_database_is_lost_and_one_that_it_is_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    outages = Outages()
    outages.wait_up_to(PATIENCE_S)

    def respond_later() -> str:
        if not caplog.records:
            raise DatabaseUnreachable("gone")
        return "here"

    assert outages.outlast(respond_later, _explain) == "here"
    assert outages.waited_s > 1
    lines = [record.getMessage() for record in caplog.records]
    assert [line.split(":")[0].split(" after")[0] for line in lines] == [
        "Waiting for the database",
        "The database responds again",
    ]


def test_calls_within_calls_share_one_patience() -> None:
    outages = Outages()
    outages.wait_up_to(0.5)
    tries: list[int] = []

    def fail() -> None:
        tries.append(outages.given_up)
        raise DatabaseUnreachable("gone")

    def fail_inside() -> None:
        outages.outlast(fail, _explain)

    with pytest.raises(DatabaseUnreachable, match="gone"):
        outages.outlast(lambda: outages.outlast(fail_inside, _explain), _explain)
    # The innermost gave up; the others did not begin to wait again.
    assert len(tries) > 1 and set(tries) == {0}


def test_every_response_renews_the_patience() -> None:
    outages = Outages()
    outages.wait_up_to(0.3)

    def fail_for_long() -> str:
        # Somebody else's statement succeeds meanwhile: the database is busy, and not lost.
        if outages.waited_s < 1.0:
            outages._note_response()
            raise DatabaseBusy("locked")
        return "here"

    assert outages.outlast(fail_for_long, _explain) == "here"


def test_who_was_asked_to_stop_waits_only_for_the_grace() -> None:
    outages = Outages()
    outages.wait_up_to(None)
    stop = threading.Event()
    outages.end_with(stop, grace_s=0.0)
    tries: list[int] = []

    def fail() -> None:
        tries.append(1)
        if len(tries) == 3:
            stop.set()
        raise DatabaseUnreachable("gone")

    for expected in (3, 4):
        with pytest.raises(DatabaseUnreachable, match="gone"):
            outages.outlast(fail, _explain)
        assert len(tries) == expected
    assert outages.given_up == 2


def test_the_log_does_not_say_that_a_database_is_back_that_was_given_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    outages = Outages()
    outages.wait_up_to(PATIENCE_S)

    def fail() -> None:
        if caplog.records:
            outages.give_up()
        raise DatabaseUnreachable("gone")

    for _ in range(2):
        with pytest.raises(DatabaseUnreachable):
            outages.outlast(fail, _explain)
    assert [record.getMessage().split(":")[0] for record in caplog.records] == [
        "Waiting for the database"
    ]
    outages.wait_up_to(PATIENCE_S)
    outages.outlast(lambda: None, _explain)
    assert caplog.records[-1].getMessage().startswith("The database responds again")


def test_a_locked_file_is_the_databases_failure_and_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    engine = open_engine(f"sqlite:///{file}", wait_s=0.01)

    def write() -> None:
        with engine.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE IF NOT EXISTS things (name TEXT)")
            connection.exec_driver_sql("INSERT INTO things VALUES ('x')")

    write()
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseFailed):
        outlast(engine, write)
    outages_of(engine).wait_up_to(None)
    tries: list[int] = []

    def write_at_the_third() -> None:
        tries.append(1)
        if len(tries) == 3:
            other.rollback()
        write()

    outlast(engine, write_at_the_third)
    assert len(tries) == 3
    other.close()
    engine.dispose()


@pytest.mark.parametrize(
    "error",
    [
        psycopg.OperationalError("the connection is lost"),
        PendingRollbackError("Can't reconnect until invalid transaction is rolled back."),
        ResourceClosedError("This Connection is closed"),
    ],
)
def test_a_lost_connection_is_recognized_in_whatever_form_it_comes(
    tmp_path: Path, error: Exception
) -> None:
    def fail() -> None:
        raise error

    engine = open_engine(f"sqlite:///{tmp_path / 'store.db'}")
    with pytest.raises(DatabaseUnreachable):
        outlast(engine, fail)
    engine.dispose()
