"""The index in the store's Postgres: tsvector for words, and pgvector where the server has it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final

import numpy as np
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

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

_SCHEMA: Final = "literature_search"
_LOCK: Final = 0x6C69_7465
"""The number of the advisory lock that writers take turns with."""
_LANGUAGE: Final = "english"
_TEXT_SHARE: Final = 1.0 / TITLE_WEIGHT


class PostgresIndexDatabase:
    """A schema of its own, so that the store's tables and their guards are not concerned."""

    prefix = f"{_SCHEMA}."

    def __init__(self, engine: sa.Engine, *, read_only: bool = False) -> None:
        self._engine = engine
        self._read_only = read_only
        self._lock = Lock()
        self._has_pgvector: bool | None = None
        self._memory = VectorMemory(self.prefix)

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        self._prepare()
        with self._engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        self._prepare()
        with self._engine.begin() as connection:
            _take_lock(connection)
            yield connection

    def rank_by_words(
        self,
        connection: sa.Connection,
        words: Mapping[str, int],
        rarity: Rarity,
        where: tuple[str, Mapping[str, Any]],
        limit: int,
    ) -> Ranking:
        """By the words' rarity: `ts_rank` alone knows only how often they are in the passage."""
        condition, values = where
        rare = rarity(list(words))
        statement = sa.text(
            f"""WITH wanted AS (
                SELECT plainto_tsquery('{_LANGUAGE}', word) AS query, share
                FROM unnest(CAST(:words AS text[]), CAST(:shares AS float8[])) AS w (word, share)
            ), usable AS (SELECT query, share FROM wanted WHERE numnode(query) > 0)
            SELECT p.passage_id, sum(u.share * ts_rank(
                ARRAY[{_TEXT_SHARE}, {_TEXT_SHARE}, {_TEXT_SHARE}, 1.0]::float4[], p.words, u.query,
                1)) AS score
            FROM {self.prefix}passages p JOIN usable u ON p.words @@ u.query
            WHERE TRUE{condition}
            GROUP BY p.passage_id ORDER BY score DESC, p.passage_id LIMIT :most"""
        )
        found = connection.execute(
            statement,
            {
                **values,
                "words": list(words),
                "shares": [n * rare[word] for word, n in words.items()],
                "most": limit,
            },
        )
        return {int(passage): float(score) for passage, score in found}

    def count_words(
        self, connection: sa.Connection, words: Sequence[str], above: int
    ) -> dict[str, int]:
        statement = sa.text(
            f"""SELECT word, (SELECT count(*) FROM {self.prefix}passages
                WHERE words @@ plainto_tsquery('{_LANGUAGE}', word) AND passage_id > :above)
            FROM unnest(CAST(:words AS text[])) AS w (word)"""
        )
        found = connection.execute(statement, {"words": list(words), "above": above})
        return {str(word): int(count) for word, count in found}

    def rank_by_vector(
        self,
        connection: sa.Connection,
        vector: FloatVector,
        where: tuple[str, Mapping[str, Any]],
        limit: int,
    ) -> Ranking:
        condition, values = where
        if not self._has_pgvector:
            return self._memory.rank(connection, vector, where, limit)
        statement = sa.text(
            f"""SELECT p.passage_id, 1 - (p.embedding <=> CAST(:vector AS halfvec)) AS score
            FROM {self.prefix}passages p
            WHERE vector_dims(p.embedding) = :dimension{condition}
            ORDER BY p.embedding <=> CAST(:vector AS halfvec), p.passage_id LIMIT :most"""
        )
        found = connection.execute(
            statement,
            {
                **values,
                "vector": _format_vector(vector),
                "dimension": len(vector),
                "most": limit,
            },
        )
        return {int(passage): float(score) for passage, score in found if score > 0.0}

    def add_passages(self, connection: sa.Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        if self._has_pgvector:
            rows = [{**row, "embedding": _format_stored(row["vector"])} for row in rows]
        more = ", embedding" if self._has_pgvector else ""
        value = ", CAST(:embedding AS halfvec)" if self._has_pgvector else ""
        connection.execute(
            sa.text(
                f"""INSERT INTO {self.prefix}passages (work_id, title, text, start_at, end_at, page,
                    section, artifact_id, vector, words{more})
                VALUES (:work_id, :title, :text, :start_at, :end_at, :page, :section, :artifact_id,
                    :vector, setweight(to_tsvector('{_LANGUAGE}', CAST(:title AS text)), 'A')
                    || setweight(to_tsvector('{_LANGUAGE}', CAST(:text AS text)), 'D'){value})"""
            ),
            rows,
        )

    def find_faults(self, connection: sa.Connection) -> list[str]:
        if self._has_pgvector:
            return []
        return [
            "The server does not have the extension 'vector': vectors are compared in memory, "
            "which is exact but needs 1 kB for each passage. Install pgvector 0.7 or later, then "
            "run 'assay literature reindex --yes'."
        ]

    def replace(self, fill: Callable[[sa.Connection], None]) -> None:
        """In one transaction: until it ends, everybody else sees the old index."""
        self._prepare()
        with self._engine.begin() as connection:
            _take_lock(connection)
            connection.exec_driver_sql(f"DROP SCHEMA {_SCHEMA} CASCADE")
            self._create(connection)
            fill(connection)

    def close(self) -> None:
        self._memory.clear()

    def _prepare(self) -> None:
        with self._lock:
            if self._read_only:
                self._require_schema()
            elif self._has_pgvector is None:
                self._add_extension()
                with self._engine.begin() as connection:
                    _take_lock(connection)
                    self._create(connection)

    def _require_schema(self) -> None:
        with self._engine.connect() as connection:
            if not sa.inspect(connection).has_table("settings", schema=_SCHEMA):
                raise NotFound(NO_INDEX, advice=NO_INDEX_ADVICE)
            self._has_pgvector = _has_embeddings(connection)

    def _add_extension(self) -> None:
        """Use pgvector if the server has it and we may."""
        try:
            with self._engine.begin() as connection:
                _take_lock(connection)
                connection.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS vector")
                connection.exec_driver_sql("SELECT '[1]'::halfvec")
        except DBAPIError as error:
            if error.connection_invalidated:
                raise

    def _create(self, connection: sa.Connection) -> None:
        has_type = connection.exec_driver_sql("SELECT to_regtype('halfvec') IS NOT NULL")
        available = bool(has_type.scalar())
        connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {_SCHEMA}")
        extra = ", words TSVECTOR NOT NULL" + (", embedding HALFVEC" if available else "")
        key = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
        for statement in build_tables(self.prefix, passage_key=key, blob="BYTEA", extra=extra):
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql(
            f"CREATE INDEX IF NOT EXISTS passages_by_word ON {self.prefix}passages"
            " USING gin (words)"
        )
        self._has_pgvector = _has_embeddings(connection)


def _has_embeddings(connection: sa.Connection) -> bool:
    """Whether there are vectors of pgvector: an index that is older has no column for them."""
    column = connection.exec_driver_sql(
        "SELECT count(*) FROM information_schema.columns WHERE table_schema ="
        f" '{_SCHEMA}' AND table_name = 'passages' AND column_name = 'embedding'"
    )
    return bool(column.scalar())


def _take_lock(connection: sa.Connection) -> None:
    connection.execute(sa.text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})


def _format_stored(stored: bytes) -> str | None:
    """A stored vector as pgvector reads it: its direction is all that counts."""
    return str(np.frombuffer(stored, np.int8).tolist()) if any(stored) else None


def _format_vector(vector: FloatVector) -> str:
    return f"[{','.join(f'{value:.4g}' for value in vector)}]"
