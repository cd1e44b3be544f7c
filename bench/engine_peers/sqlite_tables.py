"""The bench tables in a SQLite file: WAL journal, every commit synced."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from bench.engine_peers.tables import CREATE_TABLES, DROP_TABLES, check_results

BUSY_MILLISECONDS: Final = 30_000

READ_DOCUMENT: Final = "SELECT body FROM bench_documents WHERE id = ?"
INSERT_RESULT: Final = "INSERT INTO bench_results (doc_id, stage, body) VALUES (?, ?, ?)"
INSERT_PROGRESS: Final = "INSERT INTO bench_progress (doc_id, stage, at) VALUES (?, ?, ?)"


@contextmanager
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection in autocommit mode with the durability the bench calls for."""
    with closing(connect(path)) as opened:
        yield opened


def connect(path: Path) -> sqlite3.Connection:
    opened = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    opened.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
    opened.execute("PRAGMA journal_mode = WAL")
    opened.execute("PRAGMA synchronous = FULL")
    return opened


def fill(path: Path, texts: list[str]) -> None:
    """Lay the documents in fresh tables."""
    with connection(path) as opened:
        for statement in (*DROP_TABLES, *CREATE_TABLES):
            opened.execute(statement)
        opened.execute("BEGIN")
        opened.executemany(
            "INSERT INTO bench_documents (id, body) VALUES (?, ?)", enumerate(texts, start=1)
        )
        opened.execute("COMMIT")


def check(path: Path, texts: list[str]) -> None:
    """Refuse a run that did not store exactly what it owed."""
    with connection(path) as opened:
        check_results(
            texts,
            opened.execute("SELECT doc_id, stage, body FROM bench_results"),
            opened.execute("SELECT doc_id, stage FROM bench_progress"),
        )
