"""The index in a file: FTS5 for words, and the vectors of all passages in memory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import DatabaseError, OperationalError

from assay.packs.literature.index.database import (
    NO_INDEX,
    NO_INDEX_ADVICE,
    TITLE_WEIGHT,
    Ranking,
    build_tables,
)
from assay.packs.literature.index.memory import VectorMemory
from assay.packs.literature.vectors import FloatVector, Rarity
from assay.sdk.errors import NotFound

_WAIT_MS: Final = 30_000
_FTS: Final = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(title, text, content='passages',"
    " content_rowid='passage_id', tokenize='porter unicode61')",
    """CREATE TRIGGER IF NOT EXISTS passage_added AFTER INSERT ON passages BEGIN
        INSERT INTO words(rowid, title, text) VALUES (new.passage_id, new.title, new.text);
    END""",
    """CREATE TRIGGER IF NOT EXISTS passage_removed AFTER DELETE ON passages BEGIN
        INSERT INTO words(words, rowid, title, text)
        VALUES ('delete', old.passage_id, old.title, old.text);
    END""",
)


class SqliteIndexDatabase:
    """One file. Not in WAL mode: it is replaced as a whole, and a journal of the old file must
    never meet the new one."""

    prefix = ""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._read_only = read_only
        self._lock = Lock()
        self._engine: sa.Engine | None = None
        self._opened: tuple[int, int] | None = None
        self._memory = VectorMemory(self.prefix, path.with_suffix(".vectors"))

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        with self._open().connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        with self._open().begin() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection

    def rank_by_words(
        self,
        connection: sa.Connection,
        words: Mapping[str, int],
        rarity: Rarity,
        where: tuple[str, Mapping[str, Any]],
        limit: int,
    ) -> Ranking:
        condition, values = where
        # A quoted string is never syntax. A word that is repeated counts as often.
        wanted = " OR ".join(f'"{word}"' for word, n in words.items() for _ in range(n))
        found = connection.execute(
            sa.text(
                f"SELECT p.passage_id, -bm25(words, {TITLE_WEIGHT}, 1.0) AS score FROM words"
                f" JOIN passages p ON p.passage_id = words.rowid WHERE words MATCH :wanted"
                f"{condition} ORDER BY score DESC, p.passage_id LIMIT :most"
            ),
            {**values, "wanted": wanted, "most": limit},
        )
        return {int(passage): float(score) for passage, score in found}

    def count_words(
        self, connection: sa.Connection, words: Sequence[str], above: int
    ) -> dict[str, int]:
        statement = sa.text("SELECT count(*) FROM words WHERE words MATCH :word AND rowid > :above")
        return {
            word: int(
                connection.execute(statement, {"word": f'"{word}"', "above": above}).scalar_one()
            )
            for word in words
        }

    def rank_by_vector(
        self,
        connection: sa.Connection,
        vector: FloatVector,
        where: tuple[str, Mapping[str, Any]],
        limit: int,
    ) -> Ranking:
        return self._memory.rank(connection, vector, where, limit)

    def add_passages(self, connection: sa.Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        connection.execute(_ADD, rows)

    def find_faults(self, connection: sa.Connection) -> list[str]:
        found = [str(line) for line in connection.exec_driver_sql("PRAGMA quick_check").scalars()]
        try:
            connection.exec_driver_sql(
                "INSERT INTO words(words, rank) VALUES ('integrity-check', 1)"
            )
        except DatabaseError as error:
            found.append(f"The words do not fit the passages ({error.orig}).")
        return [line for line in found if line != "ok"]

    def replace(self, fill: Callable[[sa.Connection], None]) -> None:
        fresh = self._path.with_name(f"{self._path.name}.new")
        for leftover in (fresh, fresh.with_name(f"{fresh.name}-journal")):
            leftover.unlink(missing_ok=True)
        engine = _make_engine(fresh)
        try:
            with engine.begin() as connection:
                connection.exec_driver_sql("BEGIN")
                _create(connection)
                fill(connection)
        finally:
            engine.dispose()
        with _hold_lock(self._path):
            fresh.replace(self._path)

    def close(self) -> None:
        with self._lock:
            if self._engine is not None:
                self._engine.dispose()
            self._engine = None
            self._memory.clear()

    def _open(self) -> sa.Engine:
        """The file that has the name now: another process may have replaced it."""
        with self._lock:
            if self._engine is not None and self._opened == _identify(self._path):
                return self._engine
            if self._engine is not None:
                self._engine.dispose()
            self._memory.clear()
            if self._read_only and not self._path.exists():
                raise NotFound(NO_INDEX, advice=NO_INDEX_ADVICE)
            self._engine = _make_engine(self._path, read_only=self._read_only)
            if not self._read_only:
                with self._engine.begin() as connection:
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                    _create(connection)
            self._opened = _identify(self._path)
            return self._engine


_ADD = sa.text(
    "INSERT INTO passages (work_id, title, text, start_at, end_at, page, section, artifact_id,"
    " vector) VALUES (:work_id, :title, :text, :start_at, :end_at, :page, :section, :artifact_id,"
    " :vector)"
)


def _make_engine(path: Path, *, read_only: bool = False) -> sa.Engine:
    engine = sa.create_engine(f"sqlite:///{path}")

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: Any) -> None:
        # Transactions begin where this module says so.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout={_WAIT_MS}")
        if read_only:
            connection.execute("PRAGMA query_only=ON")

    return engine


@contextmanager
def _hold_lock(path: Path) -> Iterator[None]:
    """Keep others from writing to a file, so that it has no journal while it is replaced."""
    if not path.exists():
        yield
        return
    engine = _make_engine(path)
    try:
        with engine.connect() as connection:
            try:
                connection.exec_driver_sql("BEGIN EXCLUSIVE")
            except OperationalError:
                raise
            except DatabaseError:
                # A damaged file has no writers; only its journal has to be removed.
                path.with_name(f"{path.name}-journal").unlink(missing_ok=True)
            yield
    finally:
        engine.dispose()


def _create(connection: sa.Connection) -> None:
    for statement in (*build_tables("", passage_key="INTEGER PRIMARY KEY", blob="BLOB"), *_FTS):
        connection.exec_driver_sql(statement)


def _identify(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
