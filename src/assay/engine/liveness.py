"""Which workers are alive. A worker holds a lock on its name and renews a lease. When either ends,
its batches go to other workers. A worker that was only suspended finds its work done on waking."""

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
    """A worker's name, locked so that no second process can use it at the same time."""

    def __init__(self, engine: sa.Engine, name: str | None) -> None:
        self._engine = engine
        self._file: IO[str] | None = None
        self._connection: sa.Connection | None = None
        self._session = 0
        """The process id of the session that holds the lock."""
        self.worker_id = self._take_file(name) if is_sqlite(engine) else self._take_advisory(name)

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
        self._drop_connection()

    def hold(self) -> None:
        """Take the lock again if the connection that held it was lost."""
        if is_sqlite(self._engine):
            return
        if self._connection is not None:
            try:
                self._connection.execute(sa.text("SELECT 1"))
                self._connection.commit()
                return
            except sa.exc.DBAPIError:
                self._drop_connection()
        self._regain()

    def _regain(self) -> None:
        """Take the lock again in a new session, or another name if somebody else has it now."""
        connection = self._engine.connect()
        try:
            if not _try_lock(connection, self.worker_id):
                _end_ghost(connection, self.worker_id, self._session)
                if not _try_lock(connection, self.worker_id):
                    self.worker_id = _take_other_name(connection, self.worker_id)
            self._session = _read_session(connection)
        except BaseException:
            connection.invalidate()
            connection.close()
            raise
        self._connection = connection

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.invalidate()
            self._connection.close()
            self._connection = None

    def cut_off(self, worker_id: str) -> int:
        """End a lost worker's sessions, so that a transaction it left hanging blocks nobody."""
        if is_sqlite(self._engine):
            return 0
        activity = sa.table("pg_stat_activity", sa.column("pid"), sa.column("application_name"))
        ended = sa.select(sa.func.pg_terminate_backend(activity.c.pid)).where(
            activity.c.application_name == _make_session_name(worker_id)
        )
        with self._engine.begin() as connection:
            return len(connection.execute(ended).all())

    def is_free(self, worker_id: str) -> bool:
        """Whether nobody holds that name now, which proves that its process is gone."""
        if is_sqlite(self._engine):
            return True  # this process holds the only lock there is
        # Only looked at: to take it, even for a moment, could keep its owner from regaining it.
        with self._engine.connect() as connection:
            return _find_holder(connection, worker_id) is None

    def has_server_restarted(self, within_s: float) -> bool:
        """Whether the server started so recently that its workers may not all be back."""
        if is_sqlite(self._engine):
            return False
        started = sa.func.pg_postmaster_start_time()
        age = sa.func.extract("epoch", sa.func.clock_timestamp() - started)
        with self._engine.connect() as connection:
            return float(connection.execute(sa.select(age)).scalar_one()) < within_s

    def _sign_sessions(self) -> None:
        """Label every new database session of this process with the worker's name."""

        @event.listens_for(self._engine, "connect")
        def sign(connection: Any, _record: Any) -> None:
            connection.execute(
                "SELECT set_config('application_name', %s, false)",
                (_make_session_name(self.worker_id),),
            )
            connection.commit()

        # Idle sessions in the pool have no label yet; the ones that replace them will.
        self._engine.dispose()

    def _take_file(self, name: str | None) -> str:
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
                f"A worker is already running on this SQLite store ({holder}).",
                advice="Stop it first, or set ASSAY_DATABASE_URL to a Postgres server, "
                "where many workers can share the work.",
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}")
        file.flush()
        self._file = file
        return name or "local"

    def _take_advisory(self, name: str | None) -> str:
        self._connection = self._engine.connect()
        host = socket.gethostname()
        candidates = [name] if name else [f"{host}-{number}" for number in range(1, 1000)]
        for candidate in candidates:
            if _try_lock(self._connection, candidate):
                self.worker_id = candidate
                self._session = _read_session(self._connection)
                self._sign_sessions()
                return candidate
        self._connection.close()
        raise WorkerRunning(
            f"A worker called {name or host} is already running.",
            advice="Choose another --name, or omit it.",
        )


def _make_session_name(worker_id: str) -> str:
    """The name of a worker's sessions in Postgres, which truncates names to 63 characters."""
    return f"assay worker {content_hash(worker_id.encode())[:12]}"


def _compute_lock_key(worker_id: str) -> int:
    return int(content_hash(f"assay worker {worker_id}".encode())[:15], 16)


def _try_lock(connection: sa.Connection, worker_id: str) -> bool:
    query = sa.select(sa.func.pg_try_advisory_lock(_compute_lock_key(worker_id)))
    locked = bool(connection.execute(query).scalar())
    connection.commit()
    return locked


def _read_session(connection: sa.Connection) -> int:
    session = int(connection.execute(sa.select(sa.func.pg_backend_pid())).scalar_one())
    connection.commit()
    return session


def _find_holder(connection: sa.Connection, worker_id: str) -> int | None:
    """The session that holds a worker's lock."""
    key = _compute_lock_key(worker_id)
    query = sa.text(
        "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted "
        "AND classid::bigint = :high AND objid::bigint = :low "
        "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    ).bindparams(high=key >> 32, low=key & 0xFFFFFFFF)
    found: int | None = connection.execute(query).scalar()
    connection.commit()
    return found


def _end_ghost(connection: sa.Connection, worker_id: str, session: int) -> None:
    """End this worker's own former session, which the server may still believe to be alive."""
    if _find_holder(connection, worker_id) == session:
        connection.execute(sa.select(sa.func.pg_terminate_backend(session, 5000)))
        connection.commit()


def _take_other_name(connection: sa.Connection, worker_id: str) -> str:
    for number in range(2, 1000):
        if _try_lock(connection, f"{worker_id}-{number}"):
            return f"{worker_id}-{number}"
    raise WorkerRunning(
        f"Workers called {worker_id} are already running.", advice="Choose another --name."
    )


class WorkerRoster:
    """The table of workers, timed by the database's own clock."""

    def __init__(self, engine: sa.Engine, lease_s: float) -> None:
        self._engine = engine
        self._lease_ms = int(lease_s * 1000)

    def beat(self, worker_id: str) -> str | None:
        """Record that this worker is alive, and return the state recorded before."""
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

    def is_silent(self, worker_id: str, for_s: float | None = None) -> bool:
        """Whether a worker's lease has expired, or it has stopped, or it is unknown.

        With `for_s`, whether it has not been heard of for so long, whatever its lease.
        """
        limit_ms = t.worker.c.lease_ms if for_s is None else int(for_s * 1000)
        with self._engine.connect() as connection:
            query = sa.select(
                t.worker.c.state,
                (t.worker.c.heartbeat_ms + limit_ms) < build_now_ms(connection),
            ).where(t.worker.c.worker_id == worker_id)
            row = connection.execute(query).first()
        return row is None or row[0] != ALIVE or bool(row[1])
