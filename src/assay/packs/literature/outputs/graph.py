"""The graph of citations within the corpus, and which works are related by it."""

import csv
import io
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from pathlib import Path

from assay.packs.literature.works import Work
from assay.sdk.files import format_csv_cell, replace_snapshot
from assay.sdk.screens import escape_controls


class GraphFormat(StrEnum):
    """The formats in which a graph is written."""

    JSON = "json"
    """Nodes and edges, as NetworkX and D3 read them."""
    CSV = "csv"
    """One edge a row, as Gephi and spreadsheets read them."""


@dataclass(frozen=True)
class CitationGraph:
    """Which works of the corpus cite which."""

    works: Mapping[str, Work]
    """By document id."""
    edges: tuple[tuple[str, str], ...]
    """The citing work, and the cited one."""
    outside: Mapping[str, int]
    """Ids that are cited but not in the corpus, and by how many works."""


@dataclass(frozen=True)
class CitedTogether:
    """A work that is related to another by citations."""

    doc_id: str
    score: float
    """From 0 to 1: the mean of both measures, each a cosine."""
    shared_references: int
    """How many works both cite (bibliographic coupling)."""
    cited_together: int
    """How many works of the corpus cite both (co-citation)."""


def build_citation_graph(works: Iterable[Work]) -> CitationGraph:
    """Find who cites whom, by any id of a work; a work that cites itself is left out."""
    by_id = {work.doc_id: work for work in works}
    edges: set[tuple[str, str]] = set()
    outside: Counter[str] = Counter()
    for doc_id, cited in _resolve_citations(by_id).items():
        edges |= {(doc_id, each) for each in cited if each in by_id}
        outside.update(each for each in cited if each not in by_id)
    return CitationGraph(dict(sorted(by_id.items())), tuple(sorted(edges)), _sort_counts(outside))


def _sort_counts(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _resolve_citations(works: Mapping[str, Work]) -> dict[str, set[str]]:
    owner = {each: work.doc_id for work in works.values() for each in work.ids}
    return {
        doc_id: {owner.get(each, each) for each in work.cites} - {doc_id}
        for doc_id, work in works.items()
    }


def list_related(work: Work, works: Iterable[Work], limit: int = 10) -> list[CitedTogether]:
    """The works that cite the same as this one, or are cited by the same; the closest first."""
    cited = _resolve_citations({each.doc_id: each for each in (*works, work)})
    citing: dict[str, set[str]] = defaultdict(set)
    for doc_id, found in cited.items():
        for each in found:
            citing[each].add(doc_id)
    coupled = Counter(other for each in cited[work.doc_id] for other in citing[each])
    together = Counter(
        other for each in citing[work.doc_id] for other in cited[each] if other in cited
    )
    related = [
        CitedTogether(
            doc_id=other,
            score=(
                _compute_cosine(coupled[other], cited[work.doc_id], cited[other])
                + _compute_cosine(together[other], citing[work.doc_id], citing[other])
            )
            / 2,
            shared_references=coupled[other],
            cited_together=together[other],
        )
        for other in {*coupled, *together} - {work.doc_id}
    ]
    return sorted(related, key=lambda each: (-each.score, each.doc_id))[:limit]


def _compute_cosine(shared: int, first: set[str], second: set[str]) -> float:
    return shared / sqrt(len(first) * len(second)) if shared else 0.0


def write_graph(graph: CitationGraph, form: GraphFormat, path: Path) -> None:
    """Write the whole file or nothing."""
    parts = _write_json(graph) if form == GraphFormat.JSON else _write_csv(graph)
    replace_snapshot(
        Path(os.path.realpath(path)), (part.encode("utf-8", "replace") for part in parts)
    )


def _write_json(graph: CitationGraph) -> Iterator[str]:
    """Node-link data; how often each work is cited within the corpus is said with it."""
    cited = Counter(target for _, target in graph.edges)
    nodes: Iterable[dict[str, object]] = (
        {
            "id": doc_id,
            "title": work.title,
            "authors": list(work.authors),
            "year": work.year,
            "venue": work.venue,
            "cited_by": cited[doc_id],
        }
        for doc_id, work in graph.works.items()
    )
    edges = ({"source": source, "target": target} for source, target in graph.edges)
    yield '{"directed": true, "multigraph": false, "graph": '
    yield json.dumps({"outside": graph.outside}, ensure_ascii=False)
    yield ', "nodes": ['
    yield from _separate(nodes)
    yield '\n], "edges": ['
    yield from _separate(edges)
    yield "\n]}\n"


def _separate(values: Iterable[Mapping[str, object]]) -> Iterator[str]:
    for number, value in enumerate(values):
        yield f"{',' if number else ''}\n{escape_controls(json.dumps(value, ensure_ascii=False))}"


def _write_csv(graph: CitationGraph) -> Iterator[str]:
    yield "source,target,source_title,target_title\r\n"
    for source, target in graph.edges:
        row = (source, target, graph.works[source].title, graph.works[target].title)
        line = io.StringIO()
        csv.writer(line, lineterminator="\r\n").writerow([format_csv_cell(cell) for cell in row])
        yield line.getvalue()
