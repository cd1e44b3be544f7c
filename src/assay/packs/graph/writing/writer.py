"""A graph as a file of RDF: the same graph gives the same bytes, in whatever order it came."""

from collections.abc import Mapping

from assay.packs.graph.model import Graph
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.options import FORMATS
from assay.packs.graph.writing.describing import described
from assay.packs.graph.writing.jsonld import jsonld
from assay.packs.graph.writing.ntriples import ntriples
from assay.packs.graph.writing.prefixes import prefixes_of
from assay.packs.graph.writing.turtle import turtle
from assay.sdk.errors import InvalidInput


def written(
    graph: Graph,
    ontology: Ontology,
    format: str,
    *,
    base: str = "urn:assay:",
    documents: Mapping[str, str] | None = None,
    by: str = "",
) -> str:
    """A graph in `turtle`, `ntriples` or `jsonld`.

    `documents` names the texts by their hashes; `by` is who read them. Relations that were found
    ungrounded are left out, those that nobody checked are marked.
    """
    if format not in FORMATS:
        raise InvalidInput(
            f"A graph is not written as '{format}'.", advice=f"Known are {', '.join(FORMATS)}."
        )
    sheet = described(graph, ontology, base=base, documents=documents or {}, by=by)
    if format == "ntriples":
        return ntriples(sheet)
    prefixes = prefixes_of(ontology, base, sheet.iris())
    if format == "jsonld":
        return jsonld(sheet, prefixes)
    return turtle(sheet, prefixes)
