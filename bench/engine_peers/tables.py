"""The three tables every contender works on, and the check that the work was done."""

from collections.abc import Iterable
from typing import Final

from bench.work import expected_results

DROP_TABLES: Final = (
    "DROP TABLE IF EXISTS bench_documents",
    "DROP TABLE IF EXISTS bench_results",
    "DROP TABLE IF EXISTS bench_progress",
)
CREATE_TABLES: Final = (
    "CREATE TABLE bench_documents (id INTEGER PRIMARY KEY, body TEXT NOT NULL)",
    "CREATE TABLE bench_results (doc_id INTEGER NOT NULL, stage INTEGER NOT NULL,"
    " body TEXT NOT NULL, UNIQUE (doc_id, stage))",
    "CREATE TABLE bench_progress (doc_id INTEGER NOT NULL, stage INTEGER NOT NULL,"
    " at DOUBLE PRECISION NOT NULL)",
)


class WorkNotDone(Exception):
    """A run ended without exactly the results it owed; its figure would mean nothing."""


def check_results(
    texts: list[str], results: Iterable[tuple[int, int, str]], progress: Iterable[tuple[int, int]]
) -> None:
    """Refuse a run whose stored rows differ in any way from what its documents call for."""
    expected = expected_results(texts)
    stored = list(results)
    if len(stored) != len(expected):
        raise WorkNotDone(f"{len(stored)} results are stored where {len(expected)} are owed")
    wrong = [key for *key, body in stored if expected.get((key[0], key[1])) != body]
    if wrong:
        raise WorkNotDone(
            f"{len(wrong)} results are wrong, the first at (doc_id, stage) {wrong[0]}"
        )
    if sorted(progress) != sorted(expected):
        raise WorkNotDone("the progress rows are not one for each document and stage")
