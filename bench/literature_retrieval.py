"""`python -m bench.literature_retrieval`: how well the literature pack's index finds documents.

The figure is nDCG@10 of full text and vectors fused, as a mean over the sets that nothing was tuned
on; beside it are bm25s with stop words and a stemmer, and plain SQLite FTS5. `--data` is a folder
with public sets, which `bench.literature_sets` describes. Title and abstract of a document are one
passage, as those of a paper without full text are.
"""

import argparse
import asyncio
import json
import re
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from assay.packs.literature.index import (
    IndexedWork,
    LiteratureIndex,
    SearchMode,
    embed_work,
    search_works,
)
from assay.packs.literature.index.sqlite import SqliteIndexDatabase
from assay.packs.literature.vectors import DEFAULT_EMBEDDER
from bench.literature_sets import RetrievalSet, compute_mean, read_sets
from bench.peers import ROOT, Peer, PeerFailed, install
from bench.report import Report, print_report

BM25S: Final = Peer(
    "bm25s", "bm25s", "sqlite", ("bm25s==0.3.16", "PyStemmer==3.1.0", "numpy==2.4.6")
)
PLAIN: Final = "SQLite FTS5"
_SECONDS: Final = 600.0

Ranks = Mapping[str, Sequence[str]]
"""The ids of the best documents, by query."""


async def rank_with_assay(given: RetrievalSet, folder: Path) -> dict[str, Any]:
    """The ranks of each mode, and how long it took."""
    index = LiteratureIndex(SqliteIndexDatabase(folder / "search.db"))
    started = time.perf_counter()
    index.rebuild(
        [
            await embed_work(IndexedWork(doc_id=name, title=title, abstract=text), DEFAULT_EMBEDDER)
            for name, (title, text) in given.documents.items()
        ]
    )
    built = time.perf_counter() - started
    ranks: dict[str, Ranks] = {}
    milliseconds = {}
    for mode in SearchMode:
        started = time.perf_counter()
        ranks[mode] = {
            name: [hit.doc_id for hit in await search_works(index, query, mode=mode)]
            for name, query in given.queries.items()
        }
        elapsed = time.perf_counter() - started
        milliseconds[mode.value] = round(1000 * elapsed / len(given.queries), 1)
    index.close()
    return {"ranks": ranks, "built": round(built, 1), "milliseconds": milliseconds}


def rank_with_fts5(given: RetrievalSet) -> Ranks:
    """As the documentation of FTS5 suggests, with any of the words."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(name UNINDEXED, title, text)")
    rows = [(name, *texts) for name, texts in given.documents.items()]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    ranks = {}
    for name, query in given.queries.items():
        wanted = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        found = connection.execute(
            "SELECT name FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10", (wanted,)
        )
        ranks[name] = [row[0] for row in found]
    connection.close()
    return ranks


def rank_with_bm25s(given: RetrievalSet, python: Path, folder: Path) -> Ranks:
    """The peer's ranks, from its own environment."""
    file = folder / "set.json"
    file.write_text(json.dumps({"documents": given.documents, "queries": given.queries}))
    done = subprocess.run(
        [str(python), "-m", "bench.literature_peers.bm25s_ranks", str(file)],
        cwd=ROOT, capture_output=True, text=True, timeout=_SECONDS, check=False,
    )  # fmt: skip
    if done.returncode:
        raise PeerFailed(f"bm25s ended with {done.returncode}:\n{done.stderr[-2000:]}")
    ranks: Ranks = json.loads(done.stdout)
    return ranks


def measure(given: RetrievalSet, python: Path) -> dict[str, Any]:
    """The figures of one set."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as directory:
        ours = asyncio.run(rank_with_assay(given, Path(directory)))
        theirs = rank_with_bm25s(given, python, Path(directory))
    figures = {f"Assay, {mode}": ours["ranks"][mode] for mode in SearchMode}
    figures |= {BM25S.name: theirs, PLAIN: rank_with_fts5(given)}
    return {
        "ndcg@10": {name: round(compute_mean(ranks, given), 4) for name, ranks in figures.items()},
        "tuned_on": given.tuned,
        "documents": len(given.documents),
        "queries": len(given.queries),
        "seconds_to_build": ours["built"],
        "milliseconds_for_a_query": ours["milliseconds"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.literature_retrieval")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--data", type=Path, required=True, help="the folder with the sets")
    given = parser.parse_args()
    sets = read_sets(given.data)
    if all(each.tuned for each in sets):
        raise SystemExit(
            f"{given.data} has no set that nothing was tuned on; bench.literature_sets describes "
            "the files."
        )
    python = install(BM25S)
    found = {each.name: measure(each, python) for each in sets}
    held_out = [figures["ndcg@10"] for figures in found.values() if not figures["tuned_on"]]

    def average(name: str) -> float:
        return round(sum(float(figures[name]) for figures in held_out) / len(held_out), 4)

    print_report(
        Report(
            name="retrieval of papers",
            unit="nDCG@10",
            better="higher",
            ours=average(f"Assay, {SearchMode.FUSED}"),
            peers={name: average(name) for name in (BM25S.name, PLAIN)},
            detail={
                "text_alone": average(f"Assay, {SearchMode.TEXT}"),
                "vectors_alone": average(f"Assay, {SearchMode.VECTORS}"),
                "embedder": DEFAULT_EMBEDDER.name,
                **found,
            },
        ),
        given.json,
    )


if __name__ == "__main__":
    main()
