"""Graphs in the console: the stored results, and an explorer for each."""

import asyncio
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from assay.packs.graph.home_ontologies import find_ontologies
from assay.packs.graph.model import RelationVerdict
from assay.packs.graph.ontology.cache import OntologyCache
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.ontology.reading import hash_ontology
from assay.packs.graph.ontology_pack import FILE, read_bundled_ontology
from assay.packs.graph.picture.contents import PageContents, build_values, collect_contents
from assay.packs.graph.picture.marking import cut_contents
from assay.packs.graph.results import KIND, GraphResult, parse_stored_result
from assay.sdk.errors import AssayError, NotFound
from assay.sdk.pack import Page
from assay.sdk.pages import ConsolePage, ConsoleRequest
from assay.sdk.records import Artifact
from assay.sdk.services import Services

_SHOWN: Final = 20
_ROWS: Final = 300
"""Rows of the lists; the picture and the text have the others."""
_NAMES: Final = 4
_COUNTED_BYTES: Final = 300_000
"""Larger results are listed without what is in them, because reading them takes too long."""
_BEFORE: Final = re.compile(r"(\d{1,16})-(.{1,200})", re.ASCII)


def pages() -> tuple[Page, ...]:
    """The pages of this pack."""
    return (
        Page(path="/graphs", title="Graphs", handler=list_graphs),
        Page(path="/graphs/{request_id:path}", title="A graph", handler=show_graph),
    )


class SharedOntologies:
    """The ontologies that pages show the labels of, each read once."""

    def __init__(self, services: Services) -> None:
        self._home = services.home
        self._cache = OntologyCache()

    def find(self, key: str) -> Ontology:
        """The ontology of a result if the home still has it; otherwise one without labels."""
        for name, data in self._list_files():
            if hash_ontology(data) == key:
                return self._cache.get(data, name=name).ontology
        return Ontology(key=key)

    def _list_files(self) -> Iterable[tuple[str, bytes]]:
        yield FILE, read_bundled_ontology()
        for file in find_ontologies(self._home).values():
            try:
                yield file.name, file.read_bytes()
            except OSError:
                continue

    async def close(self) -> None:
        """Nothing is open."""


def list_graphs(request: ConsoleRequest, services: Services) -> ConsolePage:
    """The graphs that were extracted, the latest first."""
    begins = _BEFORE.fullmatch(request.query.get("before", "").replace("\x00", ""))
    before = None if begins is None else (int(begins[1]), begins[2])
    kept = services.results.list_kept(KIND, _SHOWN + 1, before)
    last = kept[_SHOWN - 1] if len(kept) > _SHOWN else None
    return ConsolePage(
        "graphs.html",
        {
            "graphs": [
                {
                    "result": each,
                    "completeness": each.completeness.replace("_", " "),
                    **_count_contents(services.results.find(each.key)),
                }
                for each in kept[:_SHOWN]
            ],
            "next": None if last is None else f"{last.created_ms}-{last.key}",
        },
    )


def _count_contents(data: bytes | None) -> dict[str, Any]:
    """How much is in a stored graph, and the names that it mentions most."""
    unknown: dict[str, Any] = {
        "names": [],
        "entities": None,
        "relations": None,
        "by": None,
        "is_lost": not data,
    }
    if not data or len(data) > _COUNTED_BYTES:
        return unknown
    try:
        values = json.loads(data)
        graph = values["graph"]
        ranked = sorted(graph["entities"], key=lambda one: -len(one["mentions"]))
        return {
            "names": [str(one["name"]) for one in ranked[:_NAMES]],
            "entities": len(graph["entities"]),
            "relations": len(graph["relations"]),
            "by": values["by"],
            "is_lost": False,
        }
    except (ValueError, KeyError, TypeError):
        # Another version wrote it; its page says so.
        return unknown


async def show_graph(request: ConsoleRequest, services: Services) -> ConsolePage:
    """The picture of a graph, with the text if the store has it, and lists of what is in it."""
    ontologies = services.share(SharedOntologies)
    return await asyncio.to_thread(
        _describe_graph, services, ontologies, request.path["request_id"].replace("\x00", "")
    )


def _describe_graph(
    services: Services, ontologies: SharedOntologies, request_id: str
) -> ConsolePage:
    data = services.results.find_by_request(request_id)
    result = None if data is None else parse_stored_result(data)
    if result is None:
        raise NotFound(
            f"There is no graph of the request '{request_id}'.",
            advice="The list of graphs has those that are stored; an older version's are not.",
        )
    ontology = ontologies.find(result.ontology)
    evidence_id, text = _find_text(services, result.document)
    contents = collect_contents(result, ontology, text)
    return ConsolePage(
        "graph.html",
        {
            "result": result,
            "title": ontology.title or ontology.iri or "A graph",
            "has_labels": bool(ontology.classes or ontology.properties),
            "evidence_id": evidence_id,
            "contents": contents,
            "pieces": _describe_pieces(contents) if text else [],
            "kinds": contents.count_kinds(),
            "unverified": sum(
                1 for each in result.relations if each.verdict is RelationVerdict.UNVERIFIED
            ),
            "data": build_values(contents),
            "rows": _ROWS,
            "warnings": _list_warnings(result),
            "refused": [f"{one.detail} {one.claim}" for one in result.graph.refused[:_ROWS]],
        },
    )


def _find_text(services: Services, document: str) -> tuple[str | None, str]:
    """The evidence whose text the graph was made from, and the text; both may be unknown."""
    for artifact in services.read_first(Artifact, "artifact_id", 1, content_hash=document):
        try:
            return artifact.evidence_id, services.blobs.get(artifact.content_hash).decode()
        except (AssayError, UnicodeDecodeError):
            break
    return None, ""


def _describe_pieces(contents: PageContents) -> list[dict[str, Any]]:
    """The text in pieces, with the numbers of the entities and relations of each."""
    return [
        {
            "piece": piece,
            "words": contents.text[piece.start : piece.end],
            "colour": contents.entities[piece.entities[0]].colour if piece.entities else None,
        }
        for piece in cut_contents(contents)
    ]


def _list_warnings(result: GraphResult) -> list[str]:
    names = {one.id: one.name for one in result.entities}
    failures = [*result.failed_stages, *([result.error] if result.error else [])]
    conflicts = (
        replace(one, detail=one.detail or names.get(one.subject, one.subject))
        for one in result.graph.conflicts
    )
    return [
        *(f"{one.stage} failed: {one.reason}" for one in failures),
        *(f"Conflict of {one.kind}: {one.detail}" for one in conflicts),
        *(f"Shape not kept: {one.node} {one.path}: {one.message}" for one in result.violations),
        *result.warnings,
    ][:_ROWS]
