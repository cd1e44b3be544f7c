"""A Postgres server that is killed, cuts connections, hangs, or has no connection left."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import psycopg
import pytest
import sqlalchemy as sa

from assay.app import App
from assay.engine.contract import Result
from assay.engine.liveness import WorkerIdentity
from assay.engine.reader import Reader
from assay.errors import DatabaseUnreachable
from assay.store import tables as t
from assay.store.database import explain_errors, open_engine, outlast
from assay.store.outages import outages_of
from tests.chaos.proxy import proxy_to
from tests.conftest import quick_settings
from tests.engine.hand import all_rows
from tests.engine.toy import Named, check_books, left, reap, rows, sow, toy_pipeline
from tests.engine.workers import working
from tests.own_server import OwnServer, own_server
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.postgres
COUNT = 60


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    """A server that the tests of this file may kill."""
    with own_server() as own:
        yield own


@pytest.fixture
def app(
    tmp_path_factory: pytest.TempPathFactory, server: OwnServer, make_app: Callable[..., App]
) -> App:
    """A worker's application, whose work is slow enough to be interrupted."""
    home = tmp_path_factory.mktemp("home") / "home"
    url = server.make_database(f"d{home.parent.name}")
    settings = quick_settings(home, database_url=url, worker_name="w")
    return make_app(settings, pipeline=toy_pipeline(reap_with=reap_slowly))


async def reap_slowly(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
    await asyncio.sleep(0.3)
    return await reap(jobs, read)


def _require_unharmed(app: App) -> None:
    check_books(app, COUNT)
    with app.engine.connect() as connection:
        assert connection.execute(sa.select(sa.func.max(t.job.c.attempt))).scalar() == 1
    assert [row for row in all_rows(app, t.event) if row["tag"] == "worker.lost"] == []


def _has_done(app: App, count: int) -> bool:
    return rows(app, t.document_source) >= count or left(app) == 0


def test_a_killed_server_costs_no_job_an_attempt(app: App, server: OwnServer) -> None:
    sow(app, COUNT)
    with working(app):
        for done in (5, 25, 45):
            until(partial(_has_done, app, done))
            server.kill()
            server.start()
        until(lambda: outlast(app.engine, lambda: left(app)) == 0)
    _require_unharmed(app)


def test_cut_connections_cost_no_job_an_attempt(app: App, server: OwnServer) -> None:
    sow(app, COUNT)
    with working(app):
        # By progress, not by time: on a busy machine, connections that are cut every moment would
        # keep any work from ever being stored.
        for done in range(0, COUNT, 4):
            until(partial(_has_done, app, done))
            server.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name LIKE 'assay%' AND pid <> pg_backend_pid()"
            )
        until(lambda: outlast(app.engine, lambda: left(app)) == 0)
    _require_unharmed(app)


def test_work_waits_for_a_free_connection(app: App, server: OwnServer) -> None:
    sow(app, COUNT)
    held = []
    asking: list[threading.Thread] = []
    with working(app):
        try:
            while True:
                held.append(psycopg.connect(server.url))
        except psycopg.OperationalError as refused:
            assert "too many clients" in str(refused) or "reserved" in str(refused)
        until(lambda: outages_of(app.engine).waited_s > 0 or rows_or_none(app, asking) == 0)
        for connection in held:
            connection.close()
        until(lambda: outlast(app.engine, lambda: left(app)) == 0)
    for each in asking:
        # One that still waits would get its connection from an engine that was closed.
        each.join(timeout=PATIENCE_S)
        assert not each.is_alive()
    _require_unharmed(app)


def rows_or_none(app: App, asking: list[threading.Thread]) -> int | None:
    """The number of jobs left; None if no connection is free to ask."""
    found: list[int] = []
    asking.append(threading.Thread(target=lambda: found.append(left(app)), daemon=True))
    asking[-1].start()
    asking[-1].join(timeout=1.0)
    return found[0] if found else None


def test_a_server_that_hangs_counts_as_lost_after_the_limit(server: OwnServer) -> None:
    with proxy_to(server.socket) as proxy:
        url = f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres"
        engine = open_engine(url, wait_s=2, limit_s=0.5)
        with engine.connect() as connection:
            connection.execute(sa.text("SELECT 1"))
            proxy.hang()
            with pytest.raises(DatabaseUnreachable, match=r"within 0\.5 s"), explain_errors():
                connection.execute(sa.text("SELECT 1"))
        with pytest.raises(DatabaseUnreachable), explain_errors(), engine.connect():
            pass
        outages_of(engine).wait_up_to(PATIENCE_S)
        threading.Timer(0.5, proxy.flow).start()
        with engine.connect() as connection:
            assert connection.execute(sa.text("SELECT 2")).scalar() == 2
        engine.dispose()


@pytest.mark.parametrize("command", ["worker", "run"])
def test_a_process_that_is_stopped_while_the_server_is_away_ends(
    app: App, server: OwnServer, command: str
) -> None:
    sow(app, COUNT)
    home = str(app.settings.home)
    env = {"ASSAY_DATABASE_URL": str(app.settings.database_url), "ASSAY_GRACE_S": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "assay.cli", "--home", home, command],
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        log = app.settings.log_file
        until(lambda: log.exists() and b"worker_started" in log.read_bytes())
        server.kill()
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.wait()
        server.start()
    if command == "worker":
        assert (process.returncode, b"the database is away" in said) == (143, True), said
    else:
        assert (process.returncode, b"database_unreachable" in said) == (4, True), said


def test_a_worker_regains_its_lock_after_a_crash_or_takes_another_name(
    app: App, server: OwnServer
) -> None:
    identity = WorkerIdentity(app.engine, "mine")
    other = open_engine(app.settings.database)
    server.kill()
    with pytest.raises(sa.exc.DBAPIError):
        identity.hold()
    with pytest.raises(sa.exc.DBAPIError):
        identity.hold()
    server.start()
    identity.hold()
    assert identity.worker_id == "mine"
    assert not identity.is_free("mine")

    server.kill()
    server.start()
    second = WorkerIdentity(other, "mine")
    identity.hold()
    assert (identity.worker_id, second.worker_id) == ("mine-2", "mine")
    for each in (identity, second):
        each.release()
    other.dispose()
