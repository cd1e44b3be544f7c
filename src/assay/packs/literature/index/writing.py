"""Writes works to the tables of the index, many with each statement."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import sqlalchemy as sa

from assay.packs.literature.index.database import (
    IndexDatabase,
    fold_name,
    read_setting,
    write_setting,
)
from assay.packs.literature.index.entries import IndexedWork, WorkFingerprint
from assay.packs.literature.vectors import MOST_CHARACTERS
from assay.sdk.errors import InvalidInput

ABSTRACT: Final = "abstract"
"""The section of the passage that every work has: title and abstract."""
REINDEX: Final = "Run 'assay literature reindex --yes'."
_TOGETHER: Final = 200
"""Works that are written with one statement for each table."""
_UNPRINTABLE: Final = {0: " ", **dict.fromkeys(range(0xD800, 0xE000), "\ufffd")}
"""What a database cannot store as text, each replaced by one character so that places stay true."""


@dataclass
class WrittenWorks:
    """How many works were written because they had changed."""

    works: int = 0
    passages: int = 0
    """Those of them whose passages are others; the rest have only other facets."""


class IndexWriter:
    """Writes to the index within one transaction."""

    def __init__(self, database: IndexDatabase, connection: sa.Connection) -> None:
        self._database = database
        self._connection = connection
        self._prefix = database.prefix

    def write_works(self, entries: Iterable[IndexedWork], *, model: str) -> WrittenWorks:
        """Insert works or replace those with the same doc_id; one that is the same stays.

        `model` is what the vectors are computed with.
        """
        entries = iter(entries)
        written = WrittenWorks()
        while some := list(islice(entries, _TOGETHER)):
            self._check_dimensions(some, model)
            self._write_some(some, written)
        return written

    def remove_works(self, doc_ids: Iterable[str]) -> int:
        """Remove works; returns how many there were."""
        given = sorted(set(doc_ids))
        removed = 0
        for at in range(0, len(given), _TOGETHER):
            found = self._read_column("work_id", given[at : at + _TOGETHER])
            self._delete_rows(("passages", "facets", "works"), list(found.values()))
            removed += len(found)
        return removed

    def _write_some(self, entries: Sequence[IndexedWork], written: WrittenWorks) -> None:
        # If a work is given twice, the last counts.
        given = {entry.doc_id: entry for entry in entries}
        stored = self._read_column("fingerprint", list(given))
        known = {doc_id: WorkFingerprint.parse(each) for doc_id, each in stored.items()}
        changed: list[IndexedWork] = []
        faceted: list[IndexedWork] = []
        for doc_id, entry in given.items():
            before, now = known.get(doc_id), entry.fingerprint
            if before is None or before.passages != now.passages:
                changed.append(entry)
            elif before != now:
                # Another list names it: its passages need not be taken apart into words again.
                faceted.append(entry)
        self.remove_works(entry.doc_id for entry in changed if entry.doc_id in known)
        self._add_works(changed)
        self._replace_facets(faceted)
        written.works += len(changed) + len(faceted)
        written.passages += len(changed)

    def _check_dimensions(self, entries: Sequence[IndexedWork], model: str) -> None:
        """A provider may change a model behind its name; such vectors cannot be compared."""
        known = read_setting(self._connection, self._prefix, "dimension")
        for entry in entries:
            vectors = (entry.vector, *(passage.vector for passage in entry.passages))
            found = {len(vector) for vector in vectors if vector}
            if not found:
                continue
            if not known and len(found) == 1:
                known = str(*found)
                write_setting(self._connection, self._prefix, "dimension", known)
            elif {str(each) for each in found} != {known}:
                raise InvalidInput(
                    f"'{entry.doc_id}' has vectors of {sorted(found)} dimensions, but those of the "
                    f"index have {known or 'all the same'}.",
                    advice=f"If the model '{model}' has changed: {REINDEX}",
                )

    def _add_works(self, entries: Sequence[IndexedWork]) -> None:
        if not entries:
            return
        self._connection.execute(
            sa.text(
                f"INSERT INTO {self._prefix}works (doc_id, title, year, fingerprint)"
                " VALUES (:doc_id, :title, :year, :fingerprint)"
            ),
            [_build_row(entry) for entry in entries],
        )
        work_ids = self._read_column("work_id", [entry.doc_id for entry in entries])
        self._add_facets(entries, work_ids)
        rows = [
            {**row, "work_id": work_ids[entry.doc_id], "title": clean_text(entry.title)}
            for entry in entries
            for row in _list_passages(entry)
        ]
        self._database.add_passages(self._connection, rows)

    def _replace_facets(self, entries: Sequence[IndexedWork]) -> None:
        if not entries:
            return
        self._connection.execute(
            sa.text(
                f"UPDATE {self._prefix}works SET year = :year, fingerprint = :fingerprint"
                " WHERE doc_id = :doc_id"
            ),
            [_build_row(entry) for entry in entries],
        )
        work_ids = self._read_column("work_id", [entry.doc_id for entry in entries])
        self._delete_rows(("facets",), list(work_ids.values()))
        self._add_facets(entries, work_ids)

    def _add_facets(self, entries: Sequence[IndexedWork], work_ids: dict[str, Any]) -> None:
        facets = [
            {"work_id": work_ids[entry.doc_id], "kind": kind, "value": value}
            for entry in entries
            for kind, value in _list_facets(entry)
        ]
        if facets:
            statement = f"INSERT INTO {self._prefix}facets (work_id, kind, value)"
            self._connection.execute(
                sa.text(f"{statement} VALUES (:work_id, :kind, :value)"), facets
            )

    def _delete_rows(self, tables: Sequence[str], work_ids: Sequence[int]) -> None:
        for table in tables if work_ids else ():
            self._connection.execute(
                sa.text(f"DELETE FROM {self._prefix}{table} WHERE work_id = :work_id"),
                [{"work_id": work_id} for work_id in work_ids],
            )

    def _read_column(self, column: str, doc_ids: Sequence[str]) -> dict[str, Any]:
        """A column of the works with these ids; those that the index does not have are left out."""
        statement = sa.text(
            f"SELECT doc_id, {column} FROM {self._prefix}works WHERE doc_id IN :ids"
        ).bindparams(sa.bindparam("ids", expanding=True))
        rows = self._connection.execute(statement, {"ids": list(doc_ids)})
        return {row[0]: row[1] for row in rows}


def clean_text(text: str) -> str:
    """The text without characters that a database cannot store."""
    return text.translate(_UNPRINTABLE)


def _build_row(entry: IndexedWork) -> dict[str, Any]:
    return {
        "doc_id": entry.doc_id,
        "title": clean_text(entry.title),
        "year": entry.year,
        "fingerprint": str(entry.fingerprint),
    }


def _list_passages(entry: IndexedWork) -> Iterator[dict[str, Any]]:
    yield {
        "text": clean_text(entry.abstract[:MOST_CHARACTERS]),
        "start_at": 0,
        "end_at": 0,
        "page": None,
        "section": ABSTRACT,
        "artifact_id": None,
        "vector": entry.vector,
    }
    for passage in entry.passages:
        yield {
            "text": clean_text(passage.text[:MOST_CHARACTERS]),
            "start_at": passage.start,
            "end_at": passage.end,
            "page": passage.page,
            "section": clean_text(passage.section),
            "artifact_id": passage.artifact_id,
            "vector": passage.vector,
        }


def _list_facets(entry: IndexedWork) -> Iterator[tuple[str, str]]:
    for kind, names in (
        ("venue", (entry.venue,)),
        ("author", entry.authors),
        ("source", entry.sources),
        ("tier", entry.tiers),
    ):
        for value in sorted({fold_name(clean_text(name)) for name in names} - {""}):
            yield kind, value
