"""The bench of the corpus: what it generates, what changes, and how it reports."""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.literature_corpus import (
    CorpusSize,
    change_corpus,
    find_mark,
    list_changed_papers,
    make_work,
    name_paper,
    write_corpus,
)
from bench.literature_scale import Contender, RunCost, measure, run_measured

SMALL = CorpusSize(references=1_000, documents=200)


def read_all(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_corpus_is_generated_twice_and_one_in_a_hundred_changes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_corpus(tmp_path / name, SMALL)
    before = read_all(tmp_path / "one")
    assert before == read_all(tmp_path / "two")
    entries = [json.loads(text) for name, text in before.items() if name.endswith(".json")]
    assert sum(map(len, entries)) == 1_000 and len(before) == 205
    change_corpus(tmp_path / "one", SMALL)
    after = read_all(tmp_path / "one")
    changed = {name for name in before if name.endswith(".txt") and before[name] != after[name]}
    assert changed == {name_paper(make_work(number)) for number in list_changed_papers(SMALL)}
    old = {item["id"] for items in entries for item in items}
    new = {e["id"] for name, text in after.items() if name.endswith(".json")
           for e in json.loads(text)}  # fmt: skip
    assert len(changed) == 2 and len(new - old) == len(old - new) == 10


def test_titles_and_authors_collide_but_ids_do_not() -> None:
    works = [make_work(number) for number in range(3_000)]
    assert Counter(work.title for work in works).most_common(1)[0][1] > 5
    assert len({work.authors for work in works}) < len(works)
    for ids in ([w.arxiv for w in works if w.arxiv], [w.doi for w in works if w.doi]):
        assert len(set(ids)) == len(ids)
    assert find_mark(7) != find_mark(7, again=True) and find_mark(7) != find_mark(8)


def test_a_contender_that_misses_what_changed_is_shown(tmp_path: Path) -> None:
    def update(corpus: Path, state: Path) -> tuple[RunCost, dict[str, Any]]:
        return RunCost(2.0, 1.5, 10.0) + RunCost(1.0, 0.5, 20.0), {"references": 3}

    def search(corpus: Path, state: Path, queries: Sequence[str]) -> list[str]:
        papers = read_all(corpus / "papers").items()
        return [next(n for n, text in papers if query.encode() in text) for query in queries]

    def find_nothing(corpus: Path, state: Path, queries: Sequence[str]) -> list[str]:
        return ["" for _ in queries]

    contenders = [Contender("Assay", update, search), Contender("Peer", update, find_nothing)]
    report = measure(contenders, SMALL, tmp_path)
    assert (report.ours, report.peers) == (4.0, {"Peer": 4.0})
    assert report.detail["changed papers found first"] == {"Assay": "2 of 2", "Peer": "0 of 2"}
    assert report.detail["first run"]["Peer"] == {"wall_s": 3.0, "cpu_s": 2.0, "peak_mb": 20}


def test_a_program_is_measured_with_its_output() -> None:
    program = "import sys; print(sys.stdin.read() + '!')"
    cost, output = run_measured([sys.executable, "-c", program], {}, "given")
    assert output == "given!\n" and cost.cpu_s > 0 and cost.peak_mb > 1
