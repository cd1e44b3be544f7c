"""Writes works to the index and searches it, on either database."""

import asyncio
import math
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError, OperationalError

from assay.packs.literature.index.database import (
    SAMPLED_PASSAGES,
    SCHEMA_VERSION,
    IndexDatabase,
    Ranking,
    build_condition,
    read_setting,
    write_setting,
)
from assay.packs.literature.index.entries import (
    NO_FILTERS,
    HitPassage,
    IndexedWork,
    LiteratureHit,
    SearchFilters,
    SearchMode,
    fuse_scores,
)
from assay.packs.literature.index.writing import REINDEX, IndexWriter, WrittenWorks
from assay.packs.literature.vectors import (
    DEFAULT_EMBEDDER,
    Embedder,
    FloatVector,
    split_words,
)
from assay.sdk.errors import ContentBroken, InvalidInput

_MOST_WORDS: Final = 200
"""Of a query: what follows does not count."""
_DEPTH: Final = 200
"""How many passages of each ranking are looked at, at least."""
_SHOWN: Final = 3
"""The most passages of one work in a result."""


class LiteratureIndex:
    """The index of a corpus. Its methods wait for the database: call them in a thread."""

    def __init__(self, database: IndexDatabase, embedder: Embedder = DEFAULT_EMBEDDER) -> None:
        self._database = database
        self._embedder = embedder

    @property
    def embedder(self) -> Embedder:
        """What the vectors of this index are computed with."""
        return self._embedder

    def get_state(self) -> str:
        """What the last update stored: how far the index has followed the store."""
        with self._reading() as connection:
            return read_setting(connection, self._database.prefix, "state")

    def update(
        self,
        entries: Iterable[IndexedWork],
        *,
        removed: Iterable[str] = (),
        state: str | None = None,
    ) -> int:
        """Insert works, or replace those with the same doc_id, and remove others; either all of
        that happens or nothing.

        A work that has not changed is left alone. Returns how many changed.
        """
        entries = list(entries)
        with _explain_errors(), self._database.write() as connection:
            self._refuse_other_vectors(connection)
            gone = IndexWriter(self._database, connection).remove_works(removed)
            written = self._write(connection, entries)
            self._finish(connection, state, has_new_passages=bool(gone or written.passages))
        return written.works

    def remove(self, doc_ids: Iterable[str], *, state: str | None = None) -> int:
        """Remove works; returns how many there were."""
        with _explain_errors(), self._database.write() as connection:
            removed = IndexWriter(self._database, connection).remove_works(doc_ids)
            self._finish(connection, state, has_new_passages=bool(removed))
        return removed

    def rebuild(self, entries: Iterable[IndexedWork], *, state: str = "") -> None:
        """Build the index anew, and replace the old one when it is complete."""

        def fill(connection: sa.Connection) -> None:
            self._write(connection, entries)
            self._finish(connection, state, has_new_passages=True)

        with _explain_errors():
            self._database.replace(fill)

    def search(
        self,
        query: str = "",
        *,
        vector: FloatVector | None = None,
        filters: SearchFilters = NO_FILTERS,
        limit: int = 10,
    ) -> list[LiteratureHit]:
        """The works whose passages fit best: by the words of a query, by a vector, or by both.

        A query may contain any characters; only its words count.
        """
        words = _count_words(query)
        if not words and vector is None:
            raise InvalidInput(
                "The query has no words to search for.", advice="Use at least one word or number."
            )
        if limit < 1:
            raise InvalidInput(f"{limit} is not a possible number of results.", advice="Use 10.")
        prefix = self._database.prefix
        where = build_condition(filters, prefix)
        depth = max(_DEPTH, 10 * limit)
        text: Ranking = {}
        near: Ranking = {}
        with self._reading() as connection:
            if words:
                rarity = partial(self._measure, connection)
                text = self._database.rank_by_words(connection, words, rarity, where, depth)
            if vector is not None and self._has_own_vectors(connection):
                near = self._database.rank_by_vector(connection, vector, where, depth)
            weight = self._embedder.weight if words and near else float(not words)
            scores = fuse_scores(text, near, weight)
            return self._build_hits(connection, scores, limit)

    def measure_rarity(self, words: Sequence[str]) -> dict[str, float]:
        """How rare words are: the logarithm of one in how many passages has each."""
        with self._reading() as connection:
            return self._measure(connection, words)

    def read_work(self, doc_id: str) -> tuple[str, str] | None:
        """The title and abstract of a work; None if it is not in the index."""
        p = self._database.prefix
        statement = sa.text(
            f"SELECT p.title, p.text FROM {p}passages p JOIN {p}works w ON w.work_id = p.work_id"
            f" WHERE w.doc_id = :doc_id AND p.artifact_id IS NULL"
        )
        with self._reading() as connection:
            found = connection.execute(statement, {"doc_id": doc_id}).first()
        return None if found is None else (str(found[0]), str(found[1]))

    def count_works(self) -> int:
        """How many works are in the index."""
        with self._reading() as connection:
            statement = sa.text(f"SELECT count(*) FROM {self._database.prefix}works")
            return int(connection.execute(statement).scalar_one())

    def check(self) -> list[str]:
        """What is wrong with the index, one sentence each; empty if nothing is."""
        p = self._database.prefix
        try:
            with self._reading() as connection:
                faults = self._database.find_faults(connection)
                for name, wanted in (
                    ("version", SCHEMA_VERSION),
                    ("embedder", self._embedder.name),
                ):
                    found = read_setting(connection, p, name)
                    if found and found != wanted:
                        faults.append(
                            f"The index was built with {name} {found}, but {wanted} is in use. "
                            f"{REINDEX}"
                        )
                lost = connection.execute(
                    sa.text(
                        f"SELECT count(*) FROM {p}passages WHERE work_id NOT IN"
                        f" (SELECT work_id FROM {p}works)"
                    )
                ).scalar_one()
                if lost:
                    faults.append(f"{lost} passages belong to no work. {REINDEX}")
        except ContentBroken as error:
            return [f"{error} {REINDEX}"]
        return faults

    def close(self) -> None:
        """Close the file and free the memory."""
        self._database.close()

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with _explain_errors(), self._database.read() as connection:
            yield connection

    def _has_own_vectors(self, connection: sa.Connection) -> bool:
        found = read_setting(connection, self._database.prefix, "embedder")
        return found == self._embedder.name

    def _refuse_other_vectors(self, connection: sa.Connection) -> None:
        found = read_setting(connection, self._database.prefix, "embedder")
        if found and found != self._embedder.name:
            raise InvalidInput(
                f"The index has vectors of '{found}', which cannot be compared with those of "
                f"'{self._embedder.name}'.",
                advice=f"{REINDEX} Or configure '{found}' again.",
            )

    def _write(self, connection: sa.Connection, entries: Iterable[IndexedWork]) -> WrittenWorks:
        writer = IndexWriter(self._database, connection)
        return writer.write_works(entries, model=self._embedder.name)

    def _finish(
        self, connection: sa.Connection, state: str | None, *, has_new_passages: bool
    ) -> None:
        p = self._database.prefix
        if has_new_passages:
            # Not a number to count up: a rebuilt index must differ from the one before it.
            write_setting(connection, p, "generation", secrets.token_hex(8))
        write_setting(connection, p, "version", SCHEMA_VERSION)
        write_setting(connection, p, "embedder", self._embedder.name)
        if state is not None:
            write_setting(connection, p, "state", state)

    def _measure(self, connection: sa.Connection, words: Sequence[str]) -> dict[str, float]:
        p = self._database.prefix
        newest = connection.execute(sa.text(f"SELECT max(passage_id) FROM {p}passages")).scalar()
        above = max(0, (newest or 0) - SAMPLED_PASSAGES)
        total = connection.execute(
            sa.text(f"SELECT count(*) FROM {p}passages WHERE passage_id > :above"),
            {"above": above},
        ).scalar_one()
        counts = self._database.count_words(connection, words, above)
        return {word: math.log((total + 1.0) / (counts[word] + 0.5)) for word in words}

    def _build_hits(
        self, connection: sa.Connection, scores: Mapping[int, float], limit: int
    ) -> list[LiteratureHit]:
        p = self._database.prefix
        if not scores:
            return []
        statement = sa.text(
            f"SELECT p.passage_id, w.doc_id, w.title, p.text, p.start_at, p.end_at, p.page,"
            f" p.section, p.artifact_id FROM {p}passages p JOIN {p}works w"
            " ON w.work_id = p.work_id WHERE p.passage_id IN :ids"
        ).bindparams(sa.bindparam("ids", expanding=True))
        rows = connection.execute(statement, {"ids": list(scores)}).fetchall()
        # In an order that does not depend on when a passage was added.
        rows = sorted(rows, key=lambda row: (-scores[row[0]], row[1], row[4], row[5]))
        found: dict[str, tuple[str, list[HitPassage]]] = {}
        for row in rows:
            _, passages = found.setdefault(row[1], (row[2], []))
            if len(passages) < _SHOWN:
                passages.append(
                    HitPassage(
                        text=row[3],
                        start=row[4],
                        end=row[5],
                        page=row[6],
                        section=row[7],
                        artifact_id=row[8],
                        score=scores[row[0]],
                    )
                )
        return [
            LiteratureHit(
                doc_id=doc_id, title=title, score=passages[0].score, passages=tuple(passages)
            )
            for doc_id, (title, passages) in list(found.items())[:limit]
        ]


async def embed_work(work: IndexedWork, embedder: Embedder) -> IndexedWork:
    """The work with the vectors that it does not have yet."""
    missing = [passage for passage in work.passages if not passage.vector]
    texts = [f"{work.title}\n{passage.text}" for passage in missing]
    if not work.vector:
        texts.append(f"{work.title}\n{work.abstract}")
    if not texts:
        return work
    vectors = await embedder.embed(texts)
    own = work.vector or vectors.pop()
    by_place = iter(vectors)
    passages = tuple(
        passage if passage.vector else replace(passage, vector=next(by_place))
        for passage in work.passages
    )
    return replace(work, vector=own, passages=passages)


async def search_works(
    index: LiteratureIndex,
    query: str,
    *,
    mode: SearchMode = SearchMode.FUSED,
    filters: SearchFilters = NO_FILTERS,
    limit: int = 10,
) -> list[LiteratureHit]:
    """Search by the words of a query, by its vector, or by both."""
    vector: FloatVector | None = None
    if mode is not SearchMode.TEXT and split_words(query):
        # A query's vector is computed by waiting for a model or for the index, not for both.
        vector = await index.embedder.embed_query(query, index.measure_rarity)
        if not vector.any():
            vector = None
    words = "" if mode is SearchMode.VECTORS and vector is not None else query
    return await asyncio.to_thread(index.search, words, vector=vector, filters=filters, limit=limit)


def _count_words(query: str) -> Counter[str]:
    """The words of a query; stop words only if it has nothing else."""
    words = split_words(query) or split_words(query, keep_all=True)
    return Counter(words[:_MOST_WORDS])


@contextmanager
def _explain_errors() -> Iterator[None]:
    """Say what to do about a file that cannot be read; a busy one is a passing fault."""
    try:
        yield
    except OperationalError:
        raise
    except DatabaseError as error:
        if "malformed" not in str(error.orig) and "not a database" not in str(error.orig):
            raise
        raise ContentBroken(
            f"The search index cannot be read: {error.orig}.", advice=REINDEX
        ) from error
