"""RDF as text and back, by Oxigraph: the same graph gives the same bytes, whatever its order."""

import json
import re
from collections.abc import Iterable, Mapping

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple, parse, serialize

from assay.packs.graph.model import Graph
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.options import FORMATS
from assay.packs.graph.writing.statements import KINDS, describe_graph
from assay.packs.graph.writing.terms import NAMESPACES
from assay.sdk.errors import InvalidInput

_FORMATS = {
    "turtle": RdfFormat.TURTLE,
    "ntriples": RdfFormat.N_TRIPLES,
    "jsonld": RdfFormat.JSON_LD,
}
_PREFIX = re.compile(r"(?:[A-Za-z][A-Za-z0-9_-]*)?")
_LOCAL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
"""Less than Turtle allows after a prefix: rdflib cannot read everything that Oxigraph escapes."""
_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
"""What an editor would not show, or would treat as a line break or a change of direction. Oxigraph
writes most of it unescaped."""
_HEADER = """\
# A graph written by Assay. Each relation is a plain triple, and again an rdf:Statement that says
# where it is from: the document, the words that state it, and whether they were checked.

"""


def write_graph(
    graph: Graph,
    ontology: Ontology,
    format: str,
    *,
    base: str = "urn:assay:",
    documents: Mapping[str, str] | None = None,
    by: str = "",
) -> str:
    """Write a graph as `turtle`, `ntriples` or `jsonld`.

    `documents` maps hashes to names of texts; `by` is who read them. Relations that a check found
    ungrounded are left out; unchecked ones are marked.
    """
    if format not in _FORMATS:
        raise InvalidInput(
            f"Graphs cannot be written as '{format}'.", advice=f"Use one of {', '.join(FORMATS)}."
        )
    triples = describe_graph(graph, ontology, base=base, documents=documents or {}, by=by)
    if format == "jsonld":
        return _escape_hidden(_write_jsonld(triples))
    prefixes = _choose_prefixes(ontology, base, triples) if format == "turtle" else None
    text = _serialize_triples(triples, format, prefixes)
    return _escape_hidden(_HEADER + text if format == "turtle" else text)


def parse_rdf(text: str, format: str, what: str) -> list[Quad]:
    """Read all statements of a text; nothing it refers to is fetched."""
    known = _FORMATS.get(format)
    if known is None:
        raise InvalidInput(
            f"{what} cannot be read as '{format}'.", advice=f"Use one of {', '.join(FORMATS)}."
        )
    try:
        # The names in an ontology are checked when it is read, not here.
        return list(parse(text, format=known, lenient=True))
    except SyntaxError as error:
        place = "" if error.lineno is None else f", at line {error.lineno}"
        message = str(error.msg)
        why = (message.partition(": ")[2] or message).rstrip(".")
        raise InvalidInput(f"{what} cannot be read as {format}{place}: {why}.") from error
    except ValueError as error:
        raise InvalidInput(f"{what} cannot be read as {format}: {error}.") from error


def _serialize_triples(
    triples: list[Triple], format: str, prefixes: Mapping[str, str] | None = None
) -> str:
    data = serialize(triples, format=_FORMATS[format], prefixes=dict(prefixes or {}))
    # It returns None only when it writes to a file.
    assert data is not None
    return data.decode()


def _write_jsonld(triples: list[Triple]) -> str:
    # Oxigraph writes one long line. One node per line makes files comparable line by line.
    nodes = json.loads(_serialize_triples(triples, "jsonld"))
    return "[\n" + ",\n".join(json.dumps(node, ensure_ascii=False) for node in nodes) + "\n]\n"


def _escape_hidden(text: str) -> str:
    """Escape what an editor would not show; all three formats write it as `\\uXXXX`."""
    return _HIDDEN.sub(lambda match: f"\\u{ord(match.group()):04X}", text)


def _choose_prefixes(ontology: Ontology, base: str, triples: list[Triple]) -> dict[str, str]:
    """Choose the usual prefixes, those of the ontology and those of the base, if all names in the
    namespace are simple; the first use of a prefix and of a namespace wins."""
    iris = _list_iris(triples)
    own = {kind: f"{base}{kind}/" for kind in KINDS}
    chosen: dict[str, str] = {}
    for offered in (NAMESPACES, dict(sorted(ontology.prefixes.items())), own):
        for prefix, namespace in offered.items():
            if prefix in chosen or namespace in chosen.values() or not _PREFIX.fullmatch(prefix):
                continue
            names = [iri[len(namespace) :] for iri in iris if iri.startswith(namespace)]
            if names and _is_iri(namespace) and all(map(_LOCAL.fullmatch, names)):
                chosen[prefix] = namespace
    return chosen


def _list_iris(triples: Iterable[Triple]) -> set[str]:
    found: set[str] = set()
    for triple in triples:
        for node in (triple.subject, triple.predicate, triple.object):
            if isinstance(node, NamedNode):
                found.add(node.value)
            elif isinstance(node, Literal):
                found.add(node.datatype.value)
    return found


def _is_iri(namespace: str) -> bool:
    try:
        NamedNode(namespace)
    except ValueError:
        return False
    return True
