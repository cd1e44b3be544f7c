"""Any graph of odd strings is written, read by every reader, and the same in all formats."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.packs.graph.model import (
    Attribute,
    Entity,
    Graph,
    Literal,
    Relation,
    RelationVerdict,
    TextSpan,
)
from assay.packs.graph.ontology.model import XSD, Ontology
from assay.packs.graph.writing import write_graph

pytestmark = pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
FORMATS = {
    "turtle": (ox.RdfFormat.TURTLE, "turtle"),
    "ntriples": (ox.RdfFormat.N_TRIPLES, "nt"),
    "jsonld": (ox.RdfFormat.JSON_LD, "json-ld"),
}
ODD = (
    '"', "\\", "'", '"""', "\n", "\r\n", "\t", "\x00", "\x08", "\x1f", "\x7f", "\x85", "\u2028",
    "\ufeff", "\ufffe", "\uffff", "\u202e", "\U0001f30b", "\U0010ffff", "e\u0301", "é", " ", "@en",
    "^^", "_:b0", "<x>", "\\u0041", "@id", "%", "#", "/",
)  # fmt: skip
IRIS = (
    "http://example.org/o#City",
    "http://example.org/o#a.b",
    "http://example.org/o#a.",
    "http://example.org/o#-a",
    "http://example.org/o#1a",
    "http://example.org/o#",
    "http://example.org/o#ünï",
    "http://example.org/o#a%20b",
    "http://example.org/o#a(b)'c!",
    "http://example.org/o_tail",
    "http://example.org/o/deep/er",
    "ex:City",
    "urn:x:y",
    "mailto:a@example.org",
    "https://user@example.org:80/?q=a,b;c=d&e",
)
PREDICATES = (
    *IRIS,
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#object",
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/ns/oa#exact",
    "urn:assay:vocabulary#quote",
)
TYPES = ("string", "integer", "decimal", "double", "boolean", "date", "gYear")
DATATYPES = (*(XSD + name for name in TYPES), "http://example.org/o#own", "urn:x:type")
NUMERIC = {XSD + name for name in ("integer", "decimal", "double")}
VALUES = ("0", "-7", "007", "1.0", "1.10", "-0.5", "0.0000001", "1e3", "true", "1", "2001-05-03")
PREFIXES = ("", "ex", "o", "rdf", "urn", "http", "mailto", "entity", "a-b", "a.b", "é", "_", "1x")
NAMESPACES = ("http://example.org/o#", "http://example.org/o", "http://example.org/", "no iri", "")
BASES = ("urn:assay:", "https://example.org/g#", "https://example.org/é?x=", "ex:", "assay:")

words = st.one_of(st.lists(st.sampled_from(ODD), max_size=4).map("".join), st.text(max_size=8))
ids = st.one_of(st.sampled_from(("en_1", "en_2", "en_3")), words)
spans = st.builds(
    TextSpan, st.integers(0, 99), st.integers(0, 99), words, st.sampled_from(("", "d", "ü/#"))
)
literals = st.builds(
    Literal, st.one_of(st.sampled_from(VALUES), words), st.sampled_from(DATATYPES), words
)
attributes = st.builds(Attribute, predicate=st.sampled_from(PREDICATES), value=literals, span=spans)
entities = st.builds(
    Entity,
    id=ids,
    name=words,
    types=st.lists(st.sampled_from(IRIS), max_size=2).map(tuple),
    mentions=st.lists(spans, max_size=2).map(tuple),
    attributes=st.lists(attributes, max_size=1).map(tuple),
    same_as=st.lists(ids, max_size=1).map(tuple),
    confidence=st.floats(0, 1),
)
relations = st.builds(
    Relation,
    id=ids,
    subject=ids,
    predicate=st.sampled_from(PREDICATES),
    object=st.one_of(ids, literals),
    quotes=st.lists(spans, max_size=2).map(tuple),
    verdict=st.sampled_from(RelationVerdict),
    confidence=st.floats(0, 1),
    by=words,
)
graphs = st.builds(
    Graph,
    entities=st.lists(entities, max_size=3).map(tuple),
    relations=st.lists(relations, max_size=3).map(tuple),
)
ontologies = st.builds(
    Ontology,
    key=st.just("k"),
    iri=st.sampled_from(("", *IRIS)),
    title=words,
    version=words,
    prefixes=st.dictionaries(st.sampled_from(PREFIXES), st.sampled_from(NAMESPACES), max_size=4),
)
documents = st.dictionaries(st.sampled_from(("", "d", "ü/#", "other")), words, max_size=2)


@pytest.fixture(autouse=True)
def _values_as_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)
    # It tells of each value that is none of its type, and there are many here.
    monkeypatch.setattr(logging.getLogger("rdflib.term"), "disabled", True)


def canonicalize(quads: Iterable[ox.Quad]) -> ox.Dataset:
    dataset = ox.Dataset(quads)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return dataset


def parse_with_rdflib(text: str, format: str) -> Iterator[ox.Quad]:
    for s, p, o in rdflib.Graph(bind_namespaces="none").parse(data=text, format=format):
        subject, object_ = from_rdflib(s), from_rdflib(o)
        assert not isinstance(subject, ox.Literal)
        yield ox.Quad(subject, ox.NamedNode(str(p)), object_)


def from_rdflib(term: rdflib.term.Node) -> ox.NamedNode | ox.BlankNode | ox.Literal:
    if isinstance(term, rdflib.URIRef):
        return ox.NamedNode(str(term))
    if isinstance(term, rdflib.BNode):
        return ox.BlankNode(str(term))
    assert isinstance(term, rdflib.Literal)
    assert term.language is None
    return ox.Literal(str(term), datatype=ox.NamedNode(str(term.datatype or f"{XSD}string")))


def read_with_all(graph: Graph, ontology: Ontology, base: str, **more: Any) -> ox.Dataset:
    """What every reader makes of every format; all must agree.

    Of Turtle's bare numbers rdflib keeps the value and not the digits: 007 is 7 to it. The file has
    the digits, as Oxigraph's reading shows.
    """
    readings, values = [], []
    for format, (ours, theirs) in FORMATS.items():
        text = write_graph(graph, ontology, format, base=base, **more)
        readings.append(canonicalize(ox.parse(text, format=ours)))
        values.append(canonicalize(map(normalize_number, ox.parse(text, format=ours))))
        values.append(canonicalize(map(normalize_number, parse_with_rdflib(text, theirs))))
    assert all(reading == readings[0] for reading in readings)
    assert all(reading == values[0] for reading in values)
    return readings[0]


def normalize_number(quad: ox.Quad) -> ox.Quad:
    """A statement with its number, if it has one, as every reader would write it."""
    number = quad.object
    if isinstance(number, ox.Literal) and number.datatype.value in NUMERIC:
        with suppress(ArithmeticError):
            same = ox.Literal(str(Decimal(number.value).normalize()), datatype=number.datatype)
            return ox.Quad(quad.subject, quad.predicate, same)
    return quad


@pytest.mark.parametrize(
    ("prefixes", "base"),
    [
        ({"ex": NAMESPACES[0], "mailto": NAMESPACES[1], "https": NAMESPACES[2]}, BASES[0]),
        ({"o": NAMESPACES[1], "urn": NAMESPACES[0]}, BASES[0]),
        ({"": NAMESPACES[0], "entity": NAMESPACES[2], "xsd": NAMESPACES[1]}, BASES[1]),
    ],
    ids=["schemes", "no-end", "taken"],
)
def test_all_that_is_odd_together(prefixes: dict[str, str], base: str) -> None:
    things = [Literal(value, datatype) for value in VALUES for datatype in DATATYPES]
    things += [Literal(value, f"{XSD}string") for value in ODD]
    plain = Relation(id="", subject="en_1", predicate=IRIS[0], object="en_1", quotes=())
    graph = Graph(
        entities=tuple(
            Entity(id=f"en_{at}", name=name, types=IRIS, mentions=(TextSpan(at, at, name, name),))
            for at, name in enumerate(ODD)
        ),
        relations=(
            *(replace(plain, id=f"t{at}", object=each) for at, each in enumerate(things)),
            *(replace(plain, id=f"p{each}", predicate=each) for each in PREDICATES),
            *(
                replace(plain, id=f"q{each}", predicate=each, object=Literal("x", IRIS[-1]))
                for each in (*IRIS[:2], PREDICATES[len(IRIS)])
            ),
        ),
    )
    reading = read_with_all(graph, Ontology(key="k", prefixes=prefixes), base, by="b")
    subject = ox.NamedNode(f"{base}entity/en_1")
    told = {
        (quad.object.value, quad.object.datatype.value)
        for quad in reading.quads_for_subject(subject)
        if quad.predicate.value == IRIS[0] and isinstance(quad.object, ox.Literal)
    }
    assert told >= {(each.value, each.datatype) for each in things}
    types = {
        quad.object.value
        for quad in reading.quads_for_subject(subject)
        if quad.predicate.value.endswith("ns#type") and isinstance(quad.object, ox.NamedNode)
    }
    assert types >= set(IRIS)


@settings(max_examples=40, deadline=None)
@given(graphs, ontologies, documents, st.sampled_from(BASES), words)
def test_any_graph_reads_the_same_in_all_formats_by_all_readers(
    graph: Graph, ontology: Ontology, named: dict[str, str], base: str, by: str
) -> None:
    reading = read_with_all(graph, ontology, base, documents=named, by=by)
    labels = {
        quad.object.value
        for quad in reading.quads_for_predicate(
            ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
        )
        if isinstance(quad.object, ox.Literal)
    }
    assert {entity.name for entity in graph.entities} <= labels


@settings(max_examples=30, deadline=None)
@given(graphs, ontologies, documents, st.sampled_from(tuple(FORMATS)), st.randoms())
def test_no_order_and_no_repetition_changes_a_byte(
    graph: Graph, ontology: Ontology, named: dict[str, str], format: str, chance: st.DrawFn
) -> None:
    def shuffled(things: tuple, twice: bool = True) -> tuple:  # type: ignore[type-arg]
        drawn = list(things) * (2 if twice else 1)
        chance.shuffle(drawn)  # type: ignore[attr-defined]
        return tuple(drawn)

    other = Graph(
        entities=shuffled(
            tuple(
                replace(each, mentions=shuffled(each.mentions), types=shuffled(each.types))
                for each in graph.entities
            )
        ),
        relations=shuffled(
            tuple(replace(each, quotes=shuffled(each.quotes)) for each in graph.relations)
        ),
    )
    turned = replace(ontology, prefixes=dict(shuffled(tuple(ontology.prefixes.items()), False)))
    turned_names = dict(shuffled(tuple(named.items()), False))
    assert write_graph(graph, ontology, format, documents=named, by="b") == write_graph(
        other, turned, format, documents=turned_names, by="b"
    )


@pytest.mark.parametrize("format", FORMATS)
def test_what_an_editor_would_not_show_is_escaped(format: str) -> None:
    name = "a\x00\x7f\x85\u2028\u202e\ufeffb\u00adé\U0001f30b"
    text = write_graph(
        Graph(entities=(Entity(id="e", name=name, types=(), mentions=()),)),
        Ontology(key="k"),
        format,
    )
    for hidden in "\x00\x7f\x85\u2028\u202e\ufeff":
        assert hidden not in text
        assert f"\\u{ord(hidden):04x}" in text.lower()
    assert "b\u00adé\U0001f30b" in text
    assert "e\u0301" in write_graph(
        Graph(entities=(Entity(id="e", name="e\u0301", types=(), mentions=()),)),
        Ontology(key="k"),
        format,
    )
