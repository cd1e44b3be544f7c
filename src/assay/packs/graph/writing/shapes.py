"""SHACL: whether a written graph conforms to given shapes. Nothing is fetched or executed."""

import logging
from threading import Lock
from typing import TYPE_CHECKING, Any

from pyoxigraph import BlankNode, NamedNode, Quad, Triple
from pyoxigraph import Literal as OxLiteral

from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.results import Violation
from assay.packs.graph.writing.serializing import parse_rdf
from assay.packs.graph.writing.terms import STRING, check_iri
from assay.sdk.errors import InvalidInput
from assay.sdk.extras import needs_extra

if TYPE_CHECKING:
    import rdflib
    from rdflib.term import Node

SHACL = "http://www.w3.org/ns/shacl#"
_DEEPEST = 8
_AFTER = {"zeroOrMorePath": "*", "oneOrMorePath": "+", "zeroOrOnePath": "?"}
_RUNS = frozenset(
    SHACL + name
    for name in (
        "ask",
        "construct",
        "expression",
        "js",
        "jsFunctionName",
        "jsLibrary",
        "jsLibraryURL",
        "nodeValidator",
        "propertyValidator",
        "rule",
        "select",
        "sparql",
        "target",
        "update",
        "validator",
    )
)
"""What would run a query or a script; a query can read from an address."""
_ONE_AT_A_TIME = Lock()
"""While it works, pySHACL changes how rdflib reads booleans in the whole process."""


def write_hierarchy(ontology: Ontology) -> str:
    """Write which class is below which, for shapes that target a class above."""
    return "".join(
        f"<{check_iri(iri, 'class')}> "
        "<http://www.w3.org/2000/01/rdf-schema#subClassOf> "
        f"<{check_iri(parent, 'class')}> .\n"
        for iri, known in sorted(ontology.classes.items())
        for parent in known.parents
    )


def find_violations(turtle: str, shapes: str, ontology_turtle: str = "") -> tuple[Violation, ...]:
    """Find the shapes that a graph violates, sorted. The ontology gives the class hierarchy.
    `owl:imports` and `sh:shapesGraph` are not followed."""
    pyshacl = _import_pyshacl()
    parsed = parse_rdf(shapes, "turtle", "The shapes file")
    _refuse_other_than_shapes(parsed)
    data = parse_rdf(turtle, "turtle", "The graph")
    known = parse_rdf(ontology_turtle, "turtle", "The ontology") if ontology_turtle else []
    graph = _to_rdflib(data)
    report = _validate_graph(
        pyshacl, graph, _to_rdflib(parsed), _to_rdflib(known) if known else None
    )
    found = _list_violations(report, graph)
    return tuple(sorted(found, key=lambda each: (each.node, each.path, each.message)))


def _refuse_other_than_shapes(shapes: list[Quad]) -> None:
    # A file with something else would pass everything, and nobody would notice.
    if not any(f"<{SHACL}" in f"{quad.predicate} {quad.object}" for quad in shapes):
        raise InvalidInput("The shapes file contains no shapes.", advice="Use SHACL shapes.")
    for quad in shapes:
        if quad.predicate.value in _RUNS:
            name = quad.predicate.value.removeprefix(SHACL)
            raise InvalidInput(
                f"The shapes use sh:{name}, but shapes must not run queries or scripts.",
                advice="Use constraints from SHACL Core.",
            )


def _validate_graph(
    pyshacl: Any, data: "rdflib.Graph", shapes: "rdflib.Graph", ontology: "rdflib.Graph | None"
) -> "rdflib.Graph":
    from rdflib import Graph

    try:
        with _ONE_AT_A_TIME:
            _, report, text = pyshacl.validate(
                data,
                shacl_graph=shapes,
                ont_graph=ontology,
                advanced=False,
                js=False,
                inference="none",
                do_owl_imports=False,
                meta_shacl=False,
                inplace=True,
            )
    except Exception as error:
        # pySHACL reports broken shapes with its own errors or, in cases it does not foresee, with
        # whatever its code runs into; either way the shapes have to change.
        raise _broken_shapes_error(error) from error
    if not isinstance(report, Graph):
        raise InvalidInput(f"The shapes cannot be checked: {_cut_first_sentence(text)}")
    return report


def _import_pyshacl() -> Any:
    with needs_extra("shacl", "SHACL"):
        import pyshacl
    # It adds its own handler, which writes to stderr.
    logging.getLogger("pyshacl-validate").disabled = True
    return pyshacl


def _broken_shapes_error(error: Exception) -> InvalidInput:
    reason = _cut_first_sentence(str(error) or type(error).__name__)
    return InvalidInput(f"The shapes file cannot be used: {reason}")


def _cut_first_sentence(text: str) -> str:
    return f"{text.strip().splitlines()[0].rstrip('.')}."


def _list_violations(report: "rdflib.Graph", data: "rdflib.Graph") -> set[Violation]:
    from rdflib import SH

    found: set[Violation] = set()
    for result in report.objects(None, SH.result):
        node = report.value(result, SH.focusNode)
        path = report.value(result, SH.resultPath)
        severity = str(report.value(result, SH.resultSeverity) or "").removeprefix(SHACL)
        words = " ".join(sorted(str(each) for each in report.objects(result, SH.resultMessage)))
        found.add(
            Violation(
                node="" if node is None else _name_node(node, data),
                path="" if path is None else _write_path(path, report),
                message=words if severity == "Violation" else f"({severity}) {words}",
            )
        )
    return found


def _to_rdflib(quads: list[Quad]) -> "rdflib.Graph":
    from rdflib import BNode, Graph, Literal, URIRef

    iris: dict[str, URIRef] = {}

    def iri(value: str) -> URIRef:
        known = iris.get(value)
        if known is None:
            known = iris[value] = URIRef(value)
        return known

    def term(own: NamedNode | BlankNode | OxLiteral | Triple) -> URIRef | BNode | Literal:
        if isinstance(own, NamedNode):
            return iri(own.value)
        if isinstance(own, BlankNode):
            return BNode(own.value)
        if isinstance(own, Triple):
            raise InvalidInput("SHACL does not support triples inside other triples.")
        if own.language:
            return Literal(own.value, lang=own.language)
        if own.datatype.value == STRING:
            return Literal(own.value)
        return Literal(own.value, datatype=iri(own.datatype.value), normalize=False)

    graph = Graph(bind_namespaces="none")
    for quad in quads:
        graph.add((term(quad.subject), iri(quad.predicate.value), term(quad.object)))
    return graph


def _name_node(node: "Node", graph: "rdflib.Graph", depth: int = 0) -> str:
    """Name a node by its IRI, or by what leads to it if it has none: its label is arbitrary."""
    from rdflib import BNode

    if not isinstance(node, BNode):
        return str(node)
    if depth >= _DEEPEST:
        return "[]"
    leading = sorted(
        f"{_name_node(subject, graph, depth + 1)} > {predicate}"
        for subject, predicate in graph.subject_predicates(node)
    )
    return leading[0] if leading else "[]"


def _write_path(path: "Node", graph: "rdflib.Graph", depth: int = 0) -> str:
    """Write a property path as SPARQL does, with whole IRIs."""
    from rdflib import RDF, BNode, URIRef
    from rdflib.collection import Collection

    if not isinstance(path, BNode) or depth >= _DEEPEST:
        return str(path) if isinstance(path, URIRef) else "[]"
    inner = depth + 1
    if (path, RDF.first, None) in graph:
        return "/".join(_write_path(each, graph, inner) for each in Collection(graph, path))
    for predicate, value in graph.predicate_objects(path):
        name = str(predicate).removeprefix(SHACL)
        if name == "inversePath":
            return f"^{_write_path(value, graph, inner)}"
        if name == "alternativePath":
            each_way = (_write_path(each, graph, inner) for each in Collection(graph, value))
            return f"({'|'.join(each_way)})"
        if name in _AFTER:
            return f"({_write_path(value, graph, inner)}){_AFTER[name]}"
    return "[]"
