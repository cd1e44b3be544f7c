"""`python -m bench.literature_matching`: the literature pack's matcher beside Splink and dedupe.

Two tables of bibliographic records are linked: DBLP-ACM, and DBLP-Scholar as its labelled pairs in
the split of Magellan. Everyone gets the same tables and blocks in his own way. Scores are those of
the held-out part: for DBLP-ACM the half of DBLP by a hash of the id, for DBLP-Scholar `test`; the
rest was used for tuning. Assay and Splink see no labels. dedupe learns from labelled pairs of the
tuning part, and knows for DBLP-ACM that a record has one partner at most.

The first figure is the mean F1 of both. A pair counts for Assay if it would accept it by itself;
what it would ask a person about counts as refused, and is shown in the detail.
"""

import argparse
import csv
import hashlib
import io
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from assay.packs.literature.listed import ListedReference
from assay.packs.literature.matching import MatchVerdict, list_match_keys, match_records
from bench.peers import ROOT, Peer, PeerFailed, install
from bench.report import Report, print_report

LINKERS: Final = Peer(
    "Splink and dedupe",
    "literature_matching",
    "sqlite",
    ("splink==5.0.0", "duckdb==2.0.0", "pyarrow==26.0.1", "dedupe==3.0.3", "BTrees==6.1",
     "zope.index==7.0", "numpy==2.4.6", "scikit-learn==1.9.1", "setuptools==81.0.0"),
)  # fmt: skip
PEERS: Final = {"Splink (no labels)": "splink", "dedupe (trained)": "dedupe"}
WHERE: Final = (
    "DBLP-ACM: 'git clone https://github.com/dice-group/LIMES', and give its folder "
    "limes-core/src/main/resources/datasets/DBLP-ACM with --acm. DBLP-Scholar: 'git clone "
    "https://github.com/megagonlabs/ditto', and give its folder "
    "data/er_magellan/Structured/DBLP-GoogleScholar with --scholar. A bare git directory will do, "
    "as GITDIR:FOLDER."
)
Pair = tuple[str, str]
Row = Mapping[str, str]


@dataclass(frozen=True)
class LinkTask:
    """Two tables, and which pairs of them are the same."""

    name: str
    left: Mapping[str, Row]
    right: Mapping[str, Row]
    truth: frozenset[Pair]
    tuning: frozenset[Pair]
    """Pairs to learn from; those that are not in the truth are distinct."""
    scored: frozenset[Pair] | None
    """The pairs that count; None: all whose left record is held out."""
    one_to_one: bool

    def is_scored(self, pair: Pair) -> bool:
        return is_held_out(pair[0]) if self.scored is None else pair in self.scored


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.literature_matching", description=__doc__
    )
    parser.add_argument("--acm", help=f"the folder of DBLP-ACM. {WHERE}")
    parser.add_argument("--scholar", help="the folder of DBLP-Scholar's labelled pairs")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    if given.acm is None or given.scholar is None:
        sys.exit(f"This benchmark needs DBLP-ACM and DBLP-Scholar. {WHERE}")
    tasks = [load_acm(given.acm), load_scholar(given.scholar)]
    print_report(measure(tasks), given.json)


def measure(tasks: Iterable[LinkTask]) -> Report:
    """Link every task with everyone."""
    scores: dict[str, list[float]] = {}
    detail: dict[str, Any] = {"columns": "precision, recall, F1, seconds"}
    for task in tasks:
        table: dict[str, Any] = {}
        started = time.perf_counter()
        accepted, asked = link(task)
        contenders = {"Assay": (accepted, time.perf_counter() - started)}
        for name, module in PEERS.items():
            started = time.perf_counter()
            contenders[name] = (_ask_peer(task, module), time.perf_counter() - started)
        for name, (pairs, seconds) in contenders.items():
            figures = score(task, pairs)
            scores.setdefault(name, []).append(figures[2])
            table[name] = [round(figure, 4) for figure in figures] + [round(seconds, 1)]
        wanted = {pair for pair in asked if task.is_scored(pair)}
        table["pairs that Assay would ask a person about"] = {
            "the same": len(wanted & task.truth),
            "not the same": len(wanted - task.truth),
        }
        table["F1 of Assay if a person answers them"] = round(
            score(task, accepted | (asked & task.truth))[2], 4
        )
        detail[task.name] = table
    means = {name: 100 * fmean(figures) for name, figures in scores.items()}
    ours = means.pop("Assay")
    return Report(
        name="matching of bibliographic records, mean F1 of DBLP-ACM and DBLP-Scholar",
        unit="percent",
        better="higher",
        ours=ours,
        peers=means,
        detail=detail,
    )


def score(task: LinkTask, pairs: Iterable[Pair]) -> tuple[float, float, float]:
    """Precision, recall and F1 of the pairs that count."""
    found = {pair for pair in pairs if task.is_scored(pair)}
    truth = {pair for pair in task.truth if task.is_scored(pair)}
    right = len(found & truth)
    precision = right / len(found) if found else 0.0
    recall = right / len(truth) if truth else 0.0
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def link(task: LinkTask) -> tuple[set[Pair], set[Pair]]:
    """The pairs that Assay accepts, and those that it asks a person about."""
    left = {key: _make_reference(row) for key, row in task.left.items()}
    right = {key: _make_reference(row) for key, row in task.right.items()}
    places: dict[str, list[str]] = {}
    for key, record in right.items():
        for match_key in list_match_keys(record):
            places.setdefault(match_key, []).append(key)
    accepted, asked = set[Pair](), set[Pair]()
    for key, record in left.items():
        near = {other for each in list_match_keys(record) for other in places.get(each, ())}
        for other in near:
            verdict = match_records(record, right[other]).verdict
            if verdict is MatchVerdict.ACCEPT:
                accepted.add((key, other))
            elif verdict is MatchVerdict.ASK:
                asked.add((key, other))
    return accepted, asked


def load_acm(place: str) -> LinkTask:
    """DBLP-ACM: two whole tables."""
    left = _read_table(place, "DBLP2.csv")
    right = _read_table(place, "ACM.csv")
    mapping = csv.DictReader(io.StringIO(_read(place, "DBLP-ACM_perfectMapping.csv")))
    truth = frozenset((row["idDBLP"], row["idACM"]) for row in mapping)
    tuning = {pair for pair in truth if not is_held_out(pair[0])}
    some = sorted(key for key in left if not is_held_out(key))
    others = sorted(right)
    # Any other record is distinct: pair each with one that begins alike, and one at random.
    by_word = sorted(others, key=lambda key: right[key]["title"].lower())
    for number, key in enumerate(some):
        near = by_word[number * len(by_word) // len(some)]
        tuning.update(pair for pair in ((key, near), (key, others[number % len(others)])))
    return LinkTask("DBLP-ACM", left, right, truth, frozenset(tuning), None, one_to_one=True)


def load_scholar(place: str) -> LinkTask:
    """DBLP-Scholar: the tables are all records of the labelled pairs."""
    left: dict[str, Row] = {}
    right: dict[str, Row] = {}
    labelled: dict[str, set[Pair]] = {"valid": set(), "test": set()}
    truth = set[Pair]()
    for part, pairs in labelled.items():
        for line in _read(place, f"{part}.txt").splitlines():
            one, other, label = line.split("\t")
            pair = (_hash(one), _hash(other))
            left[pair[0]], right[pair[1]] = _parse_columns(one), _parse_columns(other)
            pairs.add(pair)
            if label.strip() == "1":
                truth.add(pair)
    return LinkTask(
        "DBLP-Scholar", left, right, frozenset(truth), frozenset(labelled["valid"]),
        frozenset(labelled["test"]), one_to_one=False,
    )  # fmt: skip


def is_held_out(key: str) -> bool:
    """Whether a record belongs to the half that was not used for tuning."""
    return hashlib.sha256(key.encode()).digest()[0] % 2 == 1


def _make_reference(row: Row) -> ListedReference:
    year = re.match(r"\s*(\d{4})", row["year"])
    return ListedReference(
        title=row["title"],
        authors=tuple(name.strip() for name in row["authors"].split(",") if name.strip()),
        venue=row["venue"],
        year=int(year[1]) if year else None,
    )


def _read_table(place: str, name: str) -> dict[str, Row]:
    rows = csv.DictReader(io.StringIO(_read(place, name, "latin-1")))
    return {row["id"]: _clean_row(row) for row in rows}


def _parse_columns(text: str) -> Row:
    found = dict(re.findall(r"COL (\w+) VAL (.*?)(?= COL |\s*$)", text))
    return _clean_row(found)


def _clean_row(row: Row) -> Row:
    """A record as everyone gets it: in lower case, with a year of four digits."""
    values = {
        name: " ".join(unescape(row.get(name) or "").lower().split())
        for name in ("title", "authors", "venue", "year")
    }
    return {**values, "year": values["year"][:4]}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _read(place: str, name: str, encoding: str = "utf-8") -> str:
    folder, _, inside = place.partition(":")
    if not inside:
        return (Path(folder) / name).read_text(encoding=encoding)
    command = ["git", "-C", folder, "show", f"HEAD:{inside.rstrip('/')}/{name}"]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode(encoding)


def _ask_peer(task: LinkTask, peer: str) -> set[Pair]:
    question = {
        "peer": peer,
        "left": dict(task.left),
        "right": dict(task.right),
        "training": {
            "match": sorted(task.tuning & task.truth),
            "distinct": sorted(task.tuning - task.truth),
        },
        "one_to_one": task.one_to_one,
    }
    done = subprocess.run(
        [str(install(LINKERS)), "-m", "bench.literature_peers.matching"],
        cwd=ROOT,
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise PeerFailed(f"{peer} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    return {(one, other) for one, other in json.loads(done.stdout)}


if __name__ == "__main__":
    main()
