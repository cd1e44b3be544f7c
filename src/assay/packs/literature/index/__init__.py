"""The search index: derived from the store and replaceable at any time.

On SQLite it is one file in the home, `literature/search.db`; on Postgres it is a schema of its own
in the store's database. Neither is part of the store's records: deleting it loses nothing that
`assay literature reindex --yes` does not restore.
"""

from assay.packs.literature.index.entries import (
    HitPassage,
    IndexedPassage,
    IndexedWork,
    LiteratureHit,
    SearchFilters,
    SearchMode,
)
from assay.packs.literature.index.library import LiteratureIndex, embed_work, search_works
from assay.packs.literature.index.postgres import PostgresIndexDatabase
from assay.packs.literature.index.sqlite import SqliteIndexDatabase
from assay.packs.literature.vectors import DEFAULT_EMBEDDER, Embedder
from assay.sdk.services import Services

__all__ = [
    "HitPassage",
    "IndexedPassage",
    "IndexedWork",
    "LiteratureHit",
    "LiteratureIndex",
    "SearchFilters",
    "SearchMode",
    "embed_work",
    "open_index",
    "search_works",
]


def open_index(
    services: Services, embedder: Embedder = DEFAULT_EMBEDDER, *, read_only: bool = False
) -> LiteratureIndex:
    """The index of this home, created if it does not exist; close it when done.

    With `read_only`, a search in an index that does not exist raises NotFound instead.
    """
    if services.engine.dialect.name == "postgresql":
        database = PostgresIndexDatabase(services.engine, read_only=read_only)
        return LiteratureIndex(database, embedder)
    folder = services.home / "literature"
    if not read_only:
        folder.mkdir(exist_ok=True)
    path = folder / "search.db"
    return LiteratureIndex(SqliteIndexDatabase(path, read_only=read_only), embedder)
