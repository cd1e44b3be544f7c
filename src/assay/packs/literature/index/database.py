"""What the index needs of a database, and the tables that both kinds of database have."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, Protocol

import sqlalchemy as sa

from assay.packs.literature.index.entries import SearchFilters
from assay.packs.literature.vectors import FloatVector, Rarity

SCHEMA_VERSION: Final = "1"
SAMPLED_PASSAGES: Final = 50_000
"""How many passages are looked at to tell how rare a word is: the newest."""
TITLE_WEIGHT: Final = 3.0
"""How much more a word in the title counts than one in the text."""

NO_INDEX: Final = "There is no search index yet."
NO_INDEX_ADVICE: Final = "'assay literature run' builds it."
Ranking = dict[int, float]
"""The scores of the best passages."""


class IndexDatabase(Protocol):
    """A database that holds the index. Every method but `read` and `write` needs a connection."""

    prefix: str
    """What comes before a table's name."""

    def read(self) -> AbstractContextManager[sa.Connection]: ...

    def write(self) -> AbstractContextManager[sa.Connection]:
        """One transaction, which no other writer interrupts."""

    def rank_by_words(
        self,
        connection: sa.Connection,
        words: Mapping[str, int],
        rarity: Rarity,
        where: tuple[str, Mapping[str, Any]],
        limit: int,
    ) -> Ranking: ...

    def count_words(
        self, connection: sa.Connection, words: Sequence[str], above: int
    ) -> dict[str, int]:
        """How many of the passages with a greater id contain each word."""

    def rank_by_vector(
        self,
        connection: sa.Connection,
        vector: FloatVector,
        where: tuple[str, Mapping[str, Any]],
        limit: int,
    ) -> Ranking: ...

    def add_passages(
        self, connection: sa.Connection, rows: Sequence[Mapping[str, Any]]
    ) -> None: ...

    def find_faults(self, connection: sa.Connection) -> list[str]: ...

    def replace(self, fill: Callable[[sa.Connection], None]) -> None:
        """Fill a new index and put it in the place of the old one, at once."""

    def close(self) -> None: ...


def build_tables(prefix: str, *, passage_key: str, blob: str, extra: str = "") -> list[str]:
    """The statements that create the tables."""
    p = prefix
    return [
        f"CREATE TABLE IF NOT EXISTS {p}settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
        f"""CREATE TABLE IF NOT EXISTS {p}works (
            work_id {passage_key}, doc_id TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
            year INTEGER, fingerprint TEXT NOT NULL)""",
        f"""CREATE TABLE IF NOT EXISTS {p}facets (
            work_id BIGINT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL)""",
        f"CREATE INDEX IF NOT EXISTS facets_by_work ON {p}facets (work_id, kind)",
        f"""CREATE TABLE IF NOT EXISTS {p}passages (
            passage_id {passage_key}, work_id BIGINT NOT NULL, title TEXT NOT NULL,
            text TEXT NOT NULL, start_at INTEGER NOT NULL, end_at INTEGER NOT NULL, page INTEGER,
            section TEXT NOT NULL, artifact_id TEXT, vector {blob} NOT NULL{extra})""",
        f"CREATE INDEX IF NOT EXISTS passages_by_work ON {p}passages (work_id)",
    ]


def read_setting(connection: sa.Connection, prefix: str, name: str) -> str:
    """A stored value; empty if there is none."""
    statement = sa.text(f"SELECT value FROM {prefix}settings WHERE name = :name")
    return str(connection.execute(statement, {"name": name}).scalar() or "")


def write_setting(connection: sa.Connection, prefix: str, name: str, value: str) -> None:
    """Store a value."""
    connection.execute(
        sa.text(
            f"INSERT INTO {prefix}settings (name, value) VALUES (:name, :value)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        ),
        {"name": name, "value": value},
    )


def build_condition(filters: SearchFilters, prefix: str) -> tuple[str, dict[str, Any]]:
    """A condition on `passages`, and its values; empty if every work may be found."""
    conditions: list[str] = []
    values: dict[str, Any] = {}
    if filters.year_from is not None:
        conditions.append("w.year >= :year_from")
        values["year_from"] = filters.year_from
    if filters.year_to is not None:
        conditions.append("w.year <= :year_to")
        values["year_to"] = filters.year_to
    for kind in ("venue", "author", "source", "tier"):
        wanted = getattr(filters, kind)
        if wanted is None:
            continue
        tests = [f"f.work_id = w.work_id AND f.kind = '{kind}'"]
        # Any of an author's names will do; the others must be the same as a whole.
        parts = fold_name(wanted).split() if kind == "author" else [fold_name(wanted)]
        for place, part in enumerate(parts or [""]):
            name = f"{kind}_{place}"
            match = f":{name}" if kind != "author" else f"'% ' || :{name} || ' %'"
            column = "f.value" if kind != "author" else "' ' || f.value || ' '"
            tests.append(f"{column} {'=' if kind != 'author' else 'LIKE'} {match}")
            values[name] = part
        conditions.append(f"EXISTS (SELECT 1 FROM {prefix}facets f WHERE {' AND '.join(tests)})")
    if not conditions:
        return "", {}
    inner = f"SELECT w.work_id FROM {prefix}works w WHERE {' AND '.join(conditions)}"
    return f" AND p.work_id IN ({inner})", values


def fold_name(name: str) -> str:
    """A name in lower case, without accents, punctuation and repeated spaces."""
    decomposed = unicodedata.normalize("NFKD", name).casefold()
    kept = (
        letter if letter.isalnum() else " "
        for letter in decomposed
        if not unicodedata.combining(letter)
    )
    return " ".join("".join(kept).split())
