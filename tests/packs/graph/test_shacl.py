"""Shapes as a gate: what breaks them, in the same words each time; nothing is fetched or run."""

import socket
import sys

import pytest

from assay.packs.graph.model import Graph
from assay.packs.graph.results import Violation
from assay.packs.graph.writing import find_violations, write_graph
from assay.sdk.errors import InvalidInput
from tests.packs.graph.rome import CAPITAL, EX, GRAPH, ITALY, ONTOLOGY, ROME, TREVI

HEAD = """\
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix ex: <http://example.org/places#> .
@prefix oa: <http://www.w3.org/ns/oa#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
TURTLE = write_graph(GRAPH, ONTOLOGY, "turtle")
IRI = "urn:assay:entity/"


@pytest.fixture(autouse=True)
def no_socket(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    opened: list[object] = []

    def refused(*args: object, **more: object) -> None:
        opened.append(args)
        raise OSError("No socket may be opened here.")

    monkeypatch.setattr(socket, "create_connection", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setattr(socket.socket, "connect", refused)
    return opened


def find_broken(shapes: str, turtle: str = TURTLE, ontology: str = "") -> tuple[Violation, ...]:
    return find_violations(turtle, HEAD + shapes, ontology)


def test_a_graph_that_keeps_to_its_shapes_has_no_violation() -> None:
    shapes = """
        ex:City a sh:NodeShape ; sh:targetClass ex:City ;
            sh:property [ sh:path rdfs:label ; sh:minCount 1 ; sh:datatype xsd:string ] ,
                        [ sh:path ex:capitalOf ; sh:class ex:Country ; sh:maxCount 1 ] .
        ex:High a sh:NodeShape ; sh:targetSubjectsOf ex:height ;
            sh:property [ sh:path ex:height ; sh:datatype xsd:decimal ; sh:minInclusive 0 ] ."""
    assert find_broken(shapes) == ()


def test_violations_are_told_by_node_and_path_and_sorted() -> None:
    shapes = """
        ex:A sh:targetClass ex:City ; sh:property
            [ sh:path ex:mayor ; sh:minCount 1 ; sh:message "A city has a mayor." ] ,
            [ sh:path ( ex:capitalOf rdfs:label ) ; sh:hasValue "Spain" ; sh:message "Spain." ] ,
            [ sh:path [ sh:inversePath ex:in ] ; sh:minCount 1 ; sh:message "Something in it." ] ,
            [ sh:path [ sh:zeroOrMorePath [ sh:alternativePath ( ex:in ex:by ) ] ] ;
              sh:minCount 9 ; sh:message "Nine." ] .
        ex:B sh:targetClass ex:Fountain ; sh:property
            [ sh:path rdfs:label ; sh:minLength 9 ; sh:message "Longer." ; sh:severity sh:Warning ]
            ."""
    found = find_broken(shapes)
    rome, trevi = IRI + ROME.id, IRI + TREVI.id
    label = "http://www.w3.org/2000/01/rdf-schema#label"
    assert set(found) == {
        Violation(node=rome, path=f"{EX}mayor", message="A city has a mayor."),
        Violation(node=rome, path=f"{EX}capitalOf/{label}", message="Spain."),
        Violation(node=rome, path=f"^{EX}in", message="Something in it."),
        Violation(node=rome, path=f"(({EX}in|{EX}by))*", message="Nine."),
        Violation(node=trevi, path=label, message="(Warning) Longer."),
    }
    assert list(found) == sorted(found, key=lambda each: (each.node, each.path, each.message))


def test_a_node_without_a_name_is_told_by_who_leads_to_it() -> None:
    shapes = """ex:A sh:targetClass oa:TextQuoteSelector ;
        sh:property [ sh:path oa:exact ; sh:in ( "Rome" "Italy" ) ] ."""
    graph = Graph(entities=(ROME, ITALY), relations=(CAPITAL,))
    turtle = write_graph(graph, ONTOLOGY, "turtle")
    first, again = find_broken(shapes, turtle), find_broken(shapes, turtle)
    assert [each.node for each in first] == [
        "urn:assay:document/d1#char=0,29 > http://www.w3.org/ns/oa#hasSelector"
    ]
    assert first == again


def test_the_ontology_tells_which_class_is_below_which() -> None:
    shapes = "ex:A sh:targetClass ex:Place ; sh:property [ sh:path ex:code ; sh:minCount 1 ] ."
    ontology = f"{HEAD} ex:Place a owl:Class . ex:City a owl:Class ; rdfs:subClassOf ex:Place ."
    assert find_broken(shapes) == ()
    assert [each.node for each in find_broken(shapes, ontology=ontology)] == [IRI + ROME.id]


def test_nothing_is_fetched_whatever_the_files_name(no_socket: list[object]) -> None:
    away = "<http://127.0.0.1:9/{}> a owl:Ontology ; owl:imports <http://127.0.0.1:9/more.ttl> ."
    shapes = away.format("s") + (
        " <http://127.0.0.1:9/s> sh:shapesGraph <http://127.0.0.1:9/g.ttl> ."
        " ex:A sh:targetClass ex:City ; sh:property [ sh:path ex:mayor ; sh:minCount 1 ] ."
    )
    data = f"{TURTLE}\n{HEAD}{away.format('d')}\n<urn:a:b> sh:shapesGraph <http://127.0.0.1:9/x> ."
    assert len(find_broken(shapes, data, HEAD + away.format("o"))) == 1
    assert no_socket == []


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("sparql", 'sh:sparql [ sh:select "SELECT $this FROM <http://127.0.0.1:9/x> {}" ]'),
        ("js", 'sh:js [ sh:jsLibrary [ sh:jsLibraryURL "http://127.0.0.1:9/x.js" ] ]'),
        ("rule", 'sh:rule [ sh:construct "CONSTRUCT {} WHERE {}" ]'),
        ("target", 'sh:target [ sh:select "SELECT ?this {}" ]'),
    ],
)
def test_shapes_that_would_run_something_are_refused(name: str, shape: str) -> None:
    with pytest.raises(InvalidInput, match=r"must not run .* Core") as refused:
        find_broken(f"ex:A sh:targetClass ex:City ; {shape} .")
    assert "sh:" in refused.value.what
    with pytest.raises(InvalidInput, match=f"sh:{name}"):
        find_broken(f"ex:A sh:targetClass ex:City ; sh:{name} ex:Other .")


def test_a_broken_shapes_file_is_refused_with_its_line() -> None:
    with pytest.raises(InvalidInput, match="The shapes file cannot be read as turtle, at line 8"):
        find_broken("ex:A a sh:NodeShape ;\n  sh:targetClass City .")


@pytest.mark.parametrize(
    "shapes",
    [
        "ex:A a sh:NodeShape ; sh:path ex:x .",
        "ex:A a sh:PropertyShape .",
        "ex:A sh:targetClass ex:City ; sh:property 'x' .",
        "ex:A sh:targetClass ex:City ; sh:property [ sh:path ex:p ; sh:minCount 'x' ] .",
        "ex:A sh:targetClass ex:City ; sh:property [ sh:path rdfs:label ; sh:pattern '(' ] .",
        "ex:A sh:targetClass ex:City ; sh:node ex:A .",
        "ex:A sh:targetClass ex:City ; sh:and ex:k .",
    ],
)
def test_shapes_that_cannot_be_used_are_refused_in_one_sentence(shapes: str) -> None:
    with pytest.raises(InvalidInput, match="The shapes file cannot be used: ") as refused:
        find_broken(shapes)
    assert "\n" not in refused.value.what


@pytest.mark.parametrize("shapes", ["", "# nothing\n", "ex:a ex:b ex:c ."])
def test_a_file_without_a_shape_lets_nothing_through(shapes: str) -> None:
    with pytest.raises(InvalidInput, match="contains no shapes"):
        find_broken(shapes)


def test_without_pyshacl_the_way_to_install_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyshacl", None)
    monkeypatch.setitem(sys.modules, "rdflib", None)
    with pytest.raises(InvalidInput, match="SHACL needs") as missing:
        find_broken("ex:A sh:targetClass ex:City .")
    assert "pip install 'assay[shacl]'" in missing.value.advice
