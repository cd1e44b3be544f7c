"""Exports, snapshots and the graph of citations: whole files that other programs read."""

import csv
import json
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import pyarrow.parquet as pq
import pytest
import rispy
from pybtex.database import parse_file

from assay.packs.literature.outputs import exports
from assay.packs.literature.outputs.exports import CorpusFormat, export_works
from assay.packs.literature.outputs.graph import (
    GraphFormat,
    build_citation_graph,
    list_related,
    write_graph,
)
from assay.packs.literature.outputs.snapshots import list_snapshots, write_snapshots
from assay.packs.literature.records import ReferenceList, WorkId, WorkReference
from assay.packs.literature.works import Work
from assay.sdk.services import Services

EVIL = '=HYPERLINK("x")\r\nER  - \x00 }, @article{x, '


def build(doc_id: str, *cites: str, **more: Any) -> Work:
    given = {"ids": (doc_id,), "title": f"On {doc_id}", "cites": cites, **more}
    return Work(doc_id=doc_id, **given)


WORKS = [
    build(
        "arxiv:1706.03762", "doi:10.1/b", "doi:10.9/out",
        ids=("arxiv:1706.03762", "doi:10.5/a"), authors=("Ashish Vaswani", "Noam Shazeer"),
        year=2017, tiers=("A",), lists=("one",), said_by={"title": "crossref", "year": "one"},
        state="ingested", has_text=True,
    ),
    build("doi:10.1/b", "doi:10.5/a", title=EVIL, tiers=("A", "B"), state="ready"),
    build("title:0", "doi:10.1/b", "doi:10.9/out", url="title:0", state="blocked"),
    build("url:1", url="https://example.org/a b.pdf", tiers=("B",), state="discovered"),
    build("url:2", url="https://example.org/c.pdf", tiers=("B",), state="failed"),
]  # fmt: skip


@pytest.mark.parametrize("form", CorpusFormat)
def test_an_export_has_every_work_once_and_the_same_bytes_twice(
    form: CorpusFormat, tmp_path: Path
) -> None:
    path, again = tmp_path / "out", tmp_path / "again"
    assert export_works([*WORKS, WORKS[0]], form, path) == len(WORKS)
    export_works(WORKS, form, again)
    assert path.read_bytes() == again.read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["again", "out"]
    assert export_works([], form, again) == 0


def test_bibliographies_are_read_by_other_programs(tmp_path: Path) -> None:
    for form in (CorpusFormat.BIBTEX, CorpusFormat.RIS, CorpusFormat.CSL):
        export_works(WORKS, form, tmp_path / form)
    entries = parse_file(str(tmp_path / "bibtex"), "bibtex").entries
    with (tmp_path / "ris").open(encoding="utf-8", newline="") as file:
        rows = rispy.load(file)
    items = json.loads((tmp_path / "csl").read_bytes())
    assert len(entries) == len(rows) == len(items) == len(WORKS)
    assert list(entries) == [row["id"] for row in rows] == [item["id"] for item in items]
    assert b"\r\nER  - \r\n" in (tmp_path / "ris").read_bytes()
    assert items[1]["title"] == '=HYPERLINK("x") ER - }, @article{x,'


def test_json_lines_and_parquet_have_every_field_and_who_said_it(tmp_path: Path) -> None:
    export_works(WORKS, CorpusFormat.JSONL, tmp_path / "lines")
    export_works(WORKS, CorpusFormat.PARQUET, tmp_path / "table")
    lines = [json.loads(line) for line in (tmp_path / "lines").read_bytes().split(b"\n")[:-1]]
    table = pq.read_table(tmp_path / "table").to_pylist(maps_as_pydicts="strict")
    assert lines == table
    assert set(lines[0]) == {field.name for field in fields(Work)}
    assert lines[0]["said_by"] == {"title": "crossref", "year": "one"}
    assert lines[1]["title"] == EVIL and lines[1]["year"] is None


@pytest.mark.parametrize("form", ["jsonl", "graph"])
def test_json_is_shown_as_it_is_written(form: str, tmp_path: Path) -> None:
    title = "On \u202eslaw\u202c and \u2066order\u2069\x9b"
    works = [build("doi:10.1/b", title=title)]
    if form == "graph":
        graph = build_citation_graph(works)
        write_graph(graph, GraphFormat.JSON, tmp_path / form)
    else:
        export_works(works, CorpusFormat(form), tmp_path / form)
    written = (tmp_path / form).read_text(encoding="utf-8")
    assert not set(title) & set(written) & set("\u202e\u202c\u2066\u2069\x9b")
    whole = json.loads(written)
    assert (whole["nodes"][0] if form == "graph" else whole)["title"] == title


def test_parquet_is_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "_ROWS_AT_ONCE", 2)
    export_works(WORKS, CorpusFormat.PARQUET, tmp_path / "table")
    found = pq.ParquetFile(tmp_path / "table")
    assert found.num_row_groups == 3
    assert found.read().column("doc_id").to_pylist() == [work.doc_id for work in WORKS]


def test_an_export_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.bib"
    path.write_text("old")
    broken = build("doi:10.1/x", authors=(None,))
    with pytest.raises(AttributeError):
        export_works([*WORKS, broken], CorpusFormat.BIBTEX, path)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_snapshots_name_each_work_once_by_the_id_that_names_it() -> None:
    assert list_snapshots(WORKS, ["C"]) == {
        "seeds_arxiv.txt": [],
        "seeds_dois.txt": ["10.1/b"],
        "seeds_urls.txt": ["https://example.org/a%20b.pdf"],
        "tierA_arxiv.txt": ["1706.03762"],
        "tierA_dois.txt": ["10.1/b"],
        "tierB_dois.txt": ["10.1/b"],
        "tierB_urls.txt": ["https://example.org/a%20b.pdf", "https://example.org/c.pdf"],
        "tierC_arxiv.txt": [],
        "tierC_dois.txt": [],
        "tierC_urls.txt": [],
    }


class StoredRecords:
    """Answers as the services of a small corpus."""

    def __init__(self, tier: str) -> None:
        self.rows = [
            ReferenceList(list_id="one", kind="bibtex", url="", tier=tier),
            WorkId(id="arxiv:1706.03762", doc_id="arxiv:1706.03762"),
            WorkId(id="doi:10.5/a", doc_id="arxiv:1706.03762"),
            WorkReference(
                reference_id="r", list_id="one", kind="bibtex", doc_id="doi:10.5/a",
                ids=["doi:10.5/a"], urls=[], title="Attention", authors=[], venue="",
            ),
        ]  # fmt: skip

    def read_records(self, record: type[Any], **where: Any) -> list[Any]:
        return [
            row
            for row in self.rows
            if isinstance(row, record)
            and all(getattr(row, name) in values for name, values in where.items())
        ]


def test_a_snapshot_is_replaced_only_when_it_changes(tmp_path: Path) -> None:
    services = cast(Services, StoredRecords("A"))
    paths = write_snapshots(services, tmp_path / "out")
    assert [path.name for path in paths] == [
        f"{name}_{ending}.txt"
        for name in ("seeds", "tierA")
        for ending in ("arxiv", "dois", "urls")
    ]
    assert (tmp_path / "out" / "tierA_arxiv.txt").read_bytes() == b"1706.03762\n"
    assert (tmp_path / "out" / "tierA_dois.txt").read_bytes() == b""
    before = {path: path.stat() for path in paths}
    assert write_snapshots(services, tmp_path / "out") == paths
    # A replaced file is another file.
    assert all(path.stat().st_ino == before[path].st_ino for path in paths)
    moved = write_snapshots(cast(Services, StoredRecords("B")), tmp_path / "out")
    assert len(moved) == 9
    assert (tmp_path / "out" / "tierB_arxiv.txt").read_bytes() == b"1706.03762\n"
    assert (tmp_path / "out" / "tierA_arxiv.txt").read_bytes() == b""


def test_the_graph_finds_works_by_any_of_their_ids(tmp_path: Path) -> None:
    graph = build_citation_graph(reversed(WORKS))
    assert list(graph.works) == sorted(work.doc_id for work in WORKS)
    assert graph.edges == (
        ("arxiv:1706.03762", "doi:10.1/b"),
        ("doi:10.1/b", "arxiv:1706.03762"),
        ("title:0", "doi:10.1/b"),
    )
    assert graph.outside == {"doi:10.9/out": 2}
    write_graph(graph, GraphFormat.JSON, tmp_path / "graph.json")
    found = json.loads((tmp_path / "graph.json").read_bytes())
    assert found["directed"] and found["graph"] == {"outside": {"doi:10.9/out": 2}}
    assert [(edge["source"], edge["target"]) for edge in found["edges"]] == list(graph.edges)
    assert [(node["id"], node["cited_by"]) for node in found["nodes"][:2]] == [
        ("arxiv:1706.03762", 1), ("doi:10.1/b", 2),
    ]  # fmt: skip
    write_graph(graph, GraphFormat.CSV, tmp_path / "graph.csv")
    with (tmp_path / "graph.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["source"], row["target"]) for row in rows] == list(graph.edges)
    assert rows[1]["source_title"].startswith("'=HYPERLINK")


def test_related_works_cite_the_same_or_are_cited_together() -> None:
    one, two = build("doi:10.1/1", "doi:10.2/x", "doi:10.2/y"), build("doi:10.1/2", "doi:10.2/x")
    three, far = build("doi:10.1/3"), build("doi:10.1/4", "doi:10.2/z")
    survey = build("doi:10.1/5", "doi:10.1/1", "doi:10.1/3")
    corpus = [one, two, three, far, survey]
    related = list_related(one, corpus)
    assert [(each.doc_id, each.shared_references, each.cited_together) for each in related] == [
        ("doi:10.1/3", 0, 1),
        ("doi:10.1/2", 1, 0),
    ]
    assert related[0].score == 0.5 and related[1].score == pytest.approx(0.5 / 2**0.5)
    assert list_related(far, corpus) == [] and len(list_related(one, corpus, limit=1)) == 1
