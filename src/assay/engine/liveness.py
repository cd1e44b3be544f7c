"""Who is alive. A worker holds a lock for its name and renews a lease; when either ends,
its batches are handed on. One that was only asleep finds, on waking, that its work is done."""

import fcntl
import os
import socket
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import sqlalchemy as sa
from sqlalchemy import event

from assay.errors import WorkerRunning
from assay.model.hashes import content_hash
from assay.store import tables as t
from assay.store.bulk import build_insert
from assay.store.database import build_now_ms, is_sqlite

ALIVE = "alive"
STOPPED = "stopped"
LOST = "lost"


class WorkerIdentity:
    """A worker's name, held so that no second process can bear it at the same time."""

    def __init__(self, engine: sa.Engine, wanted: str | None) -> None:
        self._engine = engine
        self._file: IO[str] | None = None
        self._connection: sa.Connection | None = None
        self.worker_id = (
            self._take_file(wanted) if is_sqlite(engine) else self._take_advisory(wanted)
        )

    def __enter__(self) -> "WorkerIdentity":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        if self._connection is not None:
            self._connection.invalidate()
            self._connection.close()
            self._connection = None

    def hold(self) -> None:
        """Take the lock again if the connection that held it was lost."""
        if is_sqlite(self._engine) or self._connection is None:
            return
        try:
            self._connection.execute(sa.text("SELECT 1"))
            self._connection.commit()
        except sa.exc.DBAPIError:
            self._connection.close()
            self._connection = self._engine.connect()
            _try_lock(self._connection, self.worker_id)

    def cut_off(self, worker_id: str) -> int:
        """End a lost worker's sessions, so that a transaction in which it hangs holds nobody up."""
        if is_sqlite(self._engine):
            return 0
        activity = sa.table("pg_stat_activity", sa.column("pid"), sa.column("application_name"))
        ended = sa.select(sa.func.pg_terminate_backend(activity.c.pid)).where(
            activity.c.application_name == _make_session_name(worker_id)
        )
        with self._engine.begin() as connection:
            return len(connection.execute(ended).all())

    def is_free(self, worker_id: str) -> bool:
        """Whether nobody bears that name now: its process is gone for certain."""
        if is_sqlite(self._engine):
            return True  # we hold the only lock there is
        with self._engine.connect() as connection:
            free = _try_lock(connection, worker_id)
            if free:
                connection.execute(
                    sa.select(sa.func.pg_advisory_unlock(_compute_lock_key(worker_id)))
                )
                connection.commit()
        return free

    def _sign_sessions(self, worker_id: str) -> None:
        """From now on every session of this process bears the worker's name."""

        @event.listens_for(self._engine, "connect")
        def sign(connection: Any, _record: Any) -> None:
            connection.execute(
                "SELECT set_config('application_name', %s, false)", (_make_session_name(worker_id),)
            )
            connection.commit()

        # Sessions that lie unused in the pool do not bear it yet; new ones will.
        self._engine.dispose()

    def _take_file(self, wanted: str | None) -> str:
        database = self._engine.url.database
        assert database is not None
        path = Path(f"{database}.worker")
        file = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "another process"
            file.close()
            raise WorkerRunning(
                f"A worker already listens on this SQLite store ({holder}).",
                advice="Stop it first, or set ASSAY_DATABASE_URL to a Postgres server, "
                "where many workers can share the work.",
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}")
        file.flush()
        self._file = file
        return wanted or "local"

    def _take_advisory(self, wanted: str | None) -> str:
        self._connection = self._engine.connect()
        host = socket.gethostname()
        names = [wanted] if wanted else [f"{host}-{number}" for number in range(1, 1000)]
        for name in names:
            if _try_lock(self._connection, name):
                self._sign_sessions(name)
                return name
        self._connection.close()
        raise WorkerRunning(
            f"A worker called {wanted or host} is running already.",
            advice="Choose another --name, or leave it out.",
        )


def _make_session_name(worker_id: str) -> str:
    """What Postgres calls a worker's sessions; it keeps 63 characters of a name."""
    return f"assay worker {content_hash(worker_id.encode())[:12]}"


def _compute_lock_key(worker_id: str) -> int:
    return int(content_hash(f"assay worker {worker_id}".encode())[:15], 16)


def _try_lock(connection: sa.Connection, worker_id: str) -> bool:
    got = connection.execute(sa.select(sa.func.pg_try_advisory_lock(_compute_lock_key(worker_id))))
    taken = bool(got.scalar())
    connection.commit()
    return taken


class WorkerRoster:
    """The table of workers, with the database's own clock."""

    def __init__(self, engine: sa.Engine, lease_s: float) -> None:
        self._engine = engine
        self._lease_ms = int(lease_s * 1000)

    def beat(self, worker_id: str) -> str | None:
        """Say that this worker lives; gives the state that it was thought to be in."""
        with self._engine.begin() as connection:
            now = build_now_ms(connection)
            was = connection.execute(
                sa.select(t.worker.c.state).where(t.worker.c.worker_id == worker_id)
            ).scalar()
            values = {
                "worker_id": worker_id,
                "host": socket.gethostname(),
                "pid": os.getpid(),
                "state": ALIVE,
                "lease_ms": self._lease_ms,
            }
            statement = build_insert(connection.dialect.name, t.worker).values(
                **values, started_ms=now, heartbeat_ms=now
            )
            connection.execute(
                statement.on_conflict_do_update(
                    index_elements=["worker_id"], set_={**values, "heartbeat_ms": now}
                )
            )
        return was

    def mark(self, worker_id: str, state: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(
                sa.update(t.worker).where(t.worker.c.worker_id == worker_id).values(state=state)
            )

    def is_silent(self, worker_id: str) -> bool:
        """Whether a worker's lease is over, or it left, or nobody knows it."""
        with self._engine.connect() as connection:
            query = sa.select(
                t.worker.c.state,
                (t.worker.c.heartbeat_ms + t.worker.c.lease_ms) < build_now_ms(connection),
            ).where(t.worker.c.worker_id == worker_id)
            row = connection.execute(query).first()
        return row is None or row[0] != ALIVE or bool(row[1])
