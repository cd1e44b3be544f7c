"""Public sets with judgements, as they lie in a folder: read in place and kept nowhere else.

`scifact`: `corpus_train.csv` (sumithra-p-v/claimverifier, data/scifact.zip) or BEIR's
`corpus.jsonl`, with BEIR's `queries.jsonl`, `train.tsv` and `test.tsv`. `nfcorpus`: `dev.docs`,
`test.docs`, `test.titles.queries` and `test.3-2-1.qrel` (the set's own archive). `cranfield`:
`cran.all.1400`, `cran.qry` and `cranqrel`. `cisi`: `CISI.ALL`, `CISI.QRY` and `CISI.REL`.
"""

import csv
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_FIELD = re.compile(r"\.([A-Z])\s*")


@dataclass(frozen=True)
class RetrievalSet:
    """Documents, queries, and which documents answer them."""

    name: str
    documents: Mapping[str, tuple[str, str]]
    """Title and text, by id."""
    queries: Mapping[str, str]
    judgements: Mapping[str, Mapping[str, int]]
    """By query and document: how well it answers, from 1."""
    tuned: bool = False
    """Whether anything was chosen by looking at its figures."""


def read_sets(folder: Path) -> list[RetrievalSet]:
    """The sets that the folder has."""
    return [found for name, read in _READERS.items() for found in read(folder / name)]


def compute_ndcg(ranked: Sequence[str], judged: Mapping[str, int], most: int = 10) -> float:
    """nDCG@10: how good the first ten are, the first counting most; 1 if none could be better."""

    def add_up(gains: Sequence[int]) -> float:
        return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains[:most]))

    best = add_up(sorted(judged.values(), reverse=True))
    return add_up([judged.get(each, 0) for each in ranked]) / best if best else 0.0


def compute_mean(found: Mapping[str, Sequence[str]], judged: RetrievalSet) -> float:
    """The mean nDCG@10 of all queries."""
    values = [compute_ndcg(found.get(q, ()), each) for q, each in judged.judgements.items()]
    return sum(values) / len(values)


def _read_scifact(folder: Path) -> Iterator[RetrievalSet]:
    if not (folder / "queries.jsonl").exists():
        return
    documents = dict(_read_corpus(folder))
    queries = {
        each["_id"]: each["text"] for each in map(json.loads, _read_lines(folder / "queries.jsonl"))
    }
    for split in ("train", "test"):
        path = folder / f"{split}.tsv"
        path = path if path.exists() else folder / "qrels" / f"{split}.tsv"
        rows = [line.split("\t") for line in _read_lines(path)[1:]]
        judged = _group((query, document, int(score)) for query, document, score in rows)
        own = {query: queries[query] for query in judged}
        yield RetrievalSet(f"SciFact {split}", documents, own, judged, tuned=split == "train")


def _read_corpus(folder: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    if (folder / "corpus.jsonl").exists():
        for each in map(json.loads, _read_lines(folder / "corpus.jsonl")):
            yield each["_id"], (each["title"], each["text"])
        return
    csv.field_size_limit(10_000_000)
    with (folder / "corpus_train.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            # A list of sentences, as NumPy prints it.
            sentences = [one or other for one, other in _QUOTED.findall(row["abstract"])]
            yield row["doc_id"], (row["title"], " ".join(sentences).replace("\\'", "'"))


def _read_nfcorpus(folder: Path) -> Iterator[RetrievalSet]:
    if not (folder / "test.docs").exists():
        return
    lines = _read_lines(folder / "test.docs") + _read_lines(folder / "dev.docs")
    documents = {name: ("", text) for name, text in (line.split("\t", 1) for line in lines)}
    asked = dict(line.split("\t", 1) for line in _read_lines(folder / "test.titles.queries"))
    rows = [line.split("\t") for line in _read_lines(folder / "test.3-2-1.qrel")]
    judged = _group(
        (query, document, int(score))
        for query, _, document, score in rows
        if document in documents and query in asked
    )
    yield RetrievalSet("NFCorpus test", documents, {q: asked[q] for q in judged}, judged)


def _read_cranfield(folder: Path) -> Iterator[RetrievalSet]:
    if not (folder / "cranqrel").exists():
        return
    documents, queries = _read_smart(folder / "cran.all.1400"), _read_smart(folder / "cran.qry")
    # The judgements count the queries from 1, whatever number a query has.
    asked = {str(place): each.get("W", "") for place, each in enumerate(queries.values(), 1)}
    rows = [line.split() for line in _read_lines(folder / "cranqrel")]
    judged = _group(
        (row[0], row[1], 5 - int(row[2]))
        for row in rows
        if len(row) > 2 and 1 <= int(row[2]) <= 4 and row[0] in asked
    )
    texts = {name: (each.get("T", ""), each.get("W", "")) for name, each in documents.items()}
    yield RetrievalSet("Cranfield", texts, {q: asked[q] for q in judged}, judged)


def _read_cisi(folder: Path) -> Iterator[RetrievalSet]:
    if not (folder / "CISI.REL").exists():
        return
    documents, queries = _read_smart(folder / "CISI.ALL"), _read_smart(folder / "CISI.QRY")
    asked = {name: f"{q.get('T', '')} {q.get('W', '')}".strip() for name, q in queries.items()}
    rows = [line.split() for line in _read_lines(folder / "CISI.REL")]
    judged = _group((row[0], row[1], 1) for row in rows if len(row) > 1 and row[0] in asked)
    texts = {name: (each.get("T", ""), each.get("W", "")) for name, each in documents.items()}
    yield RetrievalSet("CISI", texts, {q: asked[q] for q in judged}, judged, tuned=True)


def _read_smart(path: Path) -> dict[str, dict[str, str]]:
    """Entries of the SMART system's format, by number; each has fields such as `T` and `W`."""
    entries: dict[str, dict[str, str]] = {}
    entry: dict[str, str] = {}
    name = ""
    for line in path.read_text("latin-1").splitlines():
        if line.startswith(".I"):
            entry, name = entries.setdefault(line.split()[1], {}), ""
        elif (field := _FIELD.fullmatch(line)) is not None:
            name = field[1]
        elif name:
            entry[name] = f"{entry.get(name, '')} {' '.join(line.split())}".strip()
    return entries


def _group(rows: Iterator[tuple[str, str, int]]) -> dict[str, dict[str, int]]:
    grouped: dict[str, dict[str, int]] = {}
    for query, document, score in rows:
        grouped.setdefault(query, {})[document] = score
    return grouped


def _read_lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


_READERS: Final[Mapping[str, Callable[[Path], Iterator[RetrievalSet]]]] = {
    "scifact": _read_scifact,
    "nfcorpus": _read_nfcorpus,
    "cranfield": _read_cranfield,
    "cisi": _read_cisi,
}
