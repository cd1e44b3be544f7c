"""What a SHACL report speaks of, in words that are the same each time."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import rdflib
    from rdflib.term import Node

SHACL = "http://www.w3.org/ns/shacl#"
_DEEPEST = 8
_AFTER = {"zeroOrMorePath": "*", "oneOrMorePath": "+", "zeroOrOnePath": "?"}


def named(node: "Node", graph: "rdflib.Graph", depth: int = 0) -> str:
    """A node by its IRI; one without a name by who leads to it, as its own label is arbitrary."""
    from rdflib import BNode

    if not isinstance(node, BNode):
        return str(node)
    if depth >= _DEEPEST:
        return "[]"
    leading = sorted(
        f"{named(subject, graph, depth + 1)} > {predicate}"
        for subject, predicate in graph.subject_predicates(node)
    )
    return leading[0] if leading else "[]"


def path_of(path: "Node", graph: "rdflib.Graph", depth: int = 0) -> str:
    """A property path as SPARQL writes it, IRIs whole."""
    from rdflib import RDF, BNode, URIRef
    from rdflib.collection import Collection

    if not isinstance(path, BNode) or depth >= _DEEPEST:
        return str(path) if isinstance(path, URIRef) else "[]"
    inner = depth + 1
    if (path, RDF.first, None) in graph:
        return "/".join(path_of(each, graph, inner) for each in Collection(graph, path))
    for predicate, value in graph.predicate_objects(path):
        name = str(predicate).removeprefix(SHACL)
        if name == "inversePath":
            return f"^{path_of(value, graph, inner)}"
        if name == "alternativePath":
            each_way = (path_of(each, graph, inner) for each in Collection(graph, value))
            return f"({'|'.join(each_way)})"
        if name in _AFTER:
            return f"({path_of(value, graph, inner)}){_AFTER[name]}"
    return "[]"
