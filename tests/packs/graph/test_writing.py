"""A graph as RDF: its contents and its layout."""

from dataclasses import replace
from importlib.resources import files
from itertools import permutations

import pyoxigraph as ox
import pytest

from assay.packs.graph.model import Entity, Graph, Literal, RelationVerdict, TextSpan
from assay.packs.graph.ontology.model import XSD, Ontology
from assay.packs.graph.writing import write_graph
from assay.packs.graph.writing.terms import ASSAY
from assay.sdk.errors import InvalidInput
from tests.packs.graph.rome import (
    CAPITAL,
    DOCUMENT,
    EX,
    GRAPH,
    HEIGHT,
    ITALY,
    ONTOLOGY,
    ROME,
    TREVI,
    WRONG,
)

OX = {
    "turtle": ox.RdfFormat.TURTLE,
    "ntriples": ox.RdfFormat.N_TRIPLES,
    "jsonld": ox.RdfFormat.JSON_LD,
}
PREFIXES = """
PREFIX ex: <http://example.org/places#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX prov: <http://www.w3.org/ns/prov#>
PREFIX oa: <http://www.w3.org/ns/oa#>
PREFIX assay: <urn:assay:vocabulary#>
"""


def write_rome(format: str = "turtle", graph: Graph = GRAPH, **more: str) -> str:
    return write_graph(
        graph, ONTOLOGY, format, documents={DOCUMENT: "rome.txt"}, **{"by": "stub/model", **more}
    )


def load_store(text: str, format: str = "turtle") -> ox.Store:
    store = ox.Store()
    store.load(text, format=OX[format])
    return store


def query_store(store: ox.Store, query: str) -> list[tuple[str, ...]]:
    found = store.query(PREFIXES + query)
    assert isinstance(found, ox.QuerySolutions)
    return sorted(tuple(str(cell.value) for cell in row) for row in found)


def has_pattern(store: ox.Store, pattern: str) -> bool:
    return bool(store.query(f"{PREFIXES} ASK {{ {pattern} }}"))


def test_turtle_looks_like_this() -> None:
    graph = Graph(
        entities=(replace(ROME, id="rome"), replace(ITALY, id="italy")),
        relations=(replace(CAPITAL, id="r1", subject="rome", object="italy"),),
    )
    assert (
        write_rome(graph=graph)
        == """\
# A graph written by Assay. Each relation is a plain triple, and again an rdf:Statement that says
# where it is from: the document, the words that state it, and whether they were checked.

@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix ex: <http://example.org/places#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix oa: <http://www.w3.org/ns/oa#> .
@prefix assay: <urn:assay:vocabulary#> .
@prefix extraction: <urn:assay:extraction/> .
@prefix relation: <urn:assay:relation/> .
@prefix entity: <urn:assay:entity/> .
entity:italy a ex:Country ;
\trdfs:label "Italy" ;
\tassay:confidence 0.9 ;
\tassay:mention <urn:assay:document/d1#char=23,28> .
entity:rome a ex:City ;
\trdfs:label "Rome" ;
\tex:capitalOf entity:italy ;
\tassay:confidence 1.0 ;
\tassay:mention <urn:assay:document/d1#char=0,4> .
relation:r1 a rdf:Statement , prov:Entity ;
\trdf:subject entity:rome ;
\trdf:predicate ex:capitalOf ;
\trdf:object entity:italy ;
\tassay:verdict assay:grounded ;
\tassay:confidence 0.95 ;
\tassay:quote <urn:assay:document/d1#char=0,29> ;
\tprov:wasQuotedFrom <urn:assay:document/d1> ;
\tprov:wasAttributedTo <urn:assay:agent/stub%2Fmodel> ;
\tprov:wasGeneratedBy extraction:ex_d03dba4d60f21decfc4d595f .
<urn:assay:document/d1#char=0,4> a oa:SpecificResource ;
\toa:hasSource <urn:assay:document/d1> ;
\toa:hasSelector _:p16b61d207f86a363771c6933 , _:q16b61d207f86a363771c6933d0d22019186582c6a842762e .
_:p16b61d207f86a363771c6933 a oa:TextPositionSelector ;
\toa:start 0 ;
\toa:end 4 .
_:q16b61d207f86a363771c6933d0d22019186582c6a842762e a oa:TextQuoteSelector ;
\toa:exact "Rome" .
<urn:assay:document/d1#char=0,29> a oa:SpecificResource ;
\toa:hasSource <urn:assay:document/d1> ;
\toa:hasSelector _:pbb7e6f9c2e15a43c9eab877a , _:qbb7e6f9c2e15a43c9eab877a200f725654298464320a0d5b .
_:pbb7e6f9c2e15a43c9eab877a a oa:TextPositionSelector ;
\toa:start 0 ;
\toa:end 29 .
_:qbb7e6f9c2e15a43c9eab877a200f725654298464320a0d5b a oa:TextQuoteSelector ;
\toa:exact "Rome is the capital of Italy." .
<urn:assay:document/d1#char=23,28> a oa:SpecificResource ;
\toa:hasSource <urn:assay:document/d1> ;
\toa:hasSelector _:p55c13f7a050a12f77bf33126 , _:q55c13f7a050a12f77bf331265a9cf672c8be6b5ab9546a2f .
_:p55c13f7a050a12f77bf33126 a oa:TextPositionSelector ;
\toa:start 23 ;
\toa:end 28 .
_:q55c13f7a050a12f77bf331265a9cf672c8be6b5ab9546a2f a oa:TextQuoteSelector ;
\toa:exact "Italy" .
<http://example.org/places> a prov:Entity ;
\trdfs:label "Places" .
<urn:assay:agent/stub%2Fmodel> a prov:SoftwareAgent ;
\trdfs:label "stub/model" .
<urn:assay:document/d1> a prov:Entity ;
\trdfs:label "rome.txt" .
extraction:ex_d03dba4d60f21decfc4d595f a prov:Activity ;
\tprov:used <http://example.org/places> , <urn:assay:document/d1> ;
\tprov:wasAssociatedWith <urn:assay:agent/stub%2Fmodel> .
"""
    )


@pytest.mark.parametrize("format", OX)
def test_a_relation_is_told_with_its_document_quote_place_and_verdict(format: str) -> None:
    store = load_store(write_rome(format), format)
    assert query_store(
        store,
        """SELECT ?subject ?object ?words ?start ?end ?name ?verdict ?who ?ontology {
            ?s a rdf:Statement, prov:Entity ; rdf:subject/rdfs:label ?subject ;
               rdf:predicate ex:capitalOf ; rdf:object/rdfs:label ?object ;
               assay:verdict ?verdict ; assay:quote ?quote ;
               prov:wasQuotedFrom/rdfs:label ?name ; prov:wasAttributedTo ?agent ;
               prov:wasGeneratedBy [ a prov:Activity ; prov:used/rdfs:label ?ontology ] .
            ?agent a prov:SoftwareAgent ; rdfs:label ?who .
            ?quote oa:hasSelector [ a oa:TextQuoteSelector ; oa:exact ?words ] ,
               [ a oa:TextPositionSelector ; oa:start ?start ; oa:end ?end ] ;
               oa:hasSource [ a prov:Entity ] . FILTER(?ontology = "Places") }""",
    ) == [
        (
            "Rome", "Italy", "Rome is the capital of Italy.", "0", "29", "rome.txt",
            f"{ASSAY}grounded", "stub/model", "Places",
        )
    ]  # fmt: skip
    assert has_pattern(store, "?rome rdfs:label 'Rome' ; ex:capitalOf ?italy . ?italy a ex:Country")


@pytest.mark.parametrize("format", OX)
def test_ungrounded_relations_are_left_out_and_unverified_ones_marked(format: str) -> None:
    text = write_rome(format)
    assert WRONG.id not in text
    store = load_store(text, format)
    assert not has_pattern(store, "?rome rdfs:label 'Rome' ; ex:height ?any")
    assert has_pattern(store, "?s rdf:predicate ex:height ; assay:verdict assay:unverified")


def test_an_entity_has_its_kinds_its_mentions_and_what_is_the_same() -> None:
    store = load_store(write_rome())
    trevi = f"<urn:assay:entity/{TREVI.id}>"
    assert has_pattern(store, f"{trevi} a ex:Fountain, ex:Sight ; rdfs:label 'Trevi'")
    assert has_pattern(store, f"{trevi} owl:sameAs <urn:assay:entity/en_other>")
    words = query_store(
        store,
        f"SELECT ?words {{ {trevi} assay:mention/oa:hasSelector [ oa:exact ?words ] }}",
    )
    assert words == [("Trevi",)]


def test_a_unit_stands_on_the_statement_and_an_attribute_is_a_relation_like_others() -> None:
    store = load_store(write_rome())
    assert has_pattern(store, f"<urn:assay:entity/{TREVI.id}> ex:height 26.3")
    quotes = query_store(
        store,
        f"""SELECT ?words {{ <urn:assay:relation/{HEIGHT.id}> assay:unit 'm' ; rdf:object 26.3 ;
            assay:quote/oa:hasSelector [ oa:exact ?words ] }}""",
    )
    assert quotes == [('26.3 m',), ('The "Trevi" fountain is 26.3 m high.',)]  # fmt: skip


def test_an_attribute_that_a_check_refuted_is_left_out() -> None:
    refuted = replace(HEIGHT, verdict=RelationVerdict.UNGROUNDED)
    store = load_store(write_rome(graph=Graph(entities=(TREVI,), relations=(refuted,))))
    assert not has_pattern(store, "?any ex:height ?value")


def test_an_attribute_alone_is_written_as_unverified() -> None:
    store = load_store(write_rome(graph=Graph(entities=(TREVI,))))
    assert has_pattern(
        store, f"<urn:assay:relation/{HEIGHT.id}> assay:verdict assay:unverified ; assay:unit 'm'"
    )


@pytest.mark.parametrize("format", OX)
def test_no_order_of_the_input_changes_a_byte(format: str) -> None:
    twice = replace(
        ROME, mentions=(TextSpan(0, 4, "Rome", DOCUMENT), TextSpan(4, 8, " is ", DOCUMENT))
    )
    found = {
        write_graph(
            Graph(entities=entities, relations=relations),
            ONTOLOGY,
            format,
            documents=dict(documents),
            by="b",
        )
        for entities in permutations((twice, ITALY, TREVI))
        for relations in permutations((CAPITAL, HEIGHT))
        for documents in permutations(((DOCUMENT, "rome.txt"), ("d2", "two.txt")))
    }
    assert len(found) == 1


@pytest.mark.parametrize("format", OX)
def test_lines_end_as_everywhere_and_an_empty_graph_is_still_a_file(format: str) -> None:
    assert "\r" not in write_rome(format)
    empty = write_graph(Graph(), Ontology(key="k"), format)
    assert list(load_store(empty, format)) == []
    assert empty.endswith("\n") or not empty


def test_nothing_is_told_of_a_reader_who_is_not_named() -> None:
    unnamed = Graph(entities=(ROME, ITALY), relations=(replace(CAPITAL, by=""),))
    text = write_rome(graph=unnamed, by="")
    assert "Agent" not in text
    assert "Activity" not in text


def test_prefixes_are_the_ontologys_own_unless_the_name_is_taken() -> None:
    text = write_rome()
    assert "@prefix ex: <http://example.org/places#> ." in text
    assert "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> ." in text


def test_a_prefix_that_is_also_a_scheme_misleads_nobody() -> None:
    ontology = replace(ONTOLOGY, prefixes={"urn": EX, "no good": EX, "rel": "relative"})
    for format in ("turtle", "jsonld"):
        text = write_graph(GRAPH, ontology, format)
        assert has_pattern(load_store(text, format), "?rome ex:capitalOf ?italy")
        assert "no good" not in text and "relative" not in text


@pytest.mark.parametrize("format", OX)
def test_every_word_of_assays_own_is_explained(format: str) -> None:
    source = files("assay.packs.graph.writing").joinpath("vocabulary.ttl").read_text("utf-8")
    vocabulary = load_store(source)
    own = {
        part.value
        for quad in load_store(write_rome(format), format)
        for part in (quad.predicate, quad.object)
        if isinstance(part, ox.NamedNode) and part.value.startswith(ASSAY)
    }
    assert len(own) == 7
    for iri in own:
        assert has_pattern(vocabulary, f"<{iri}> rdfs:label ?label ; rdfs:comment ?comment"), iri


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(InvalidInput, match="cannot be written as 'rdfxml'"):
        write_graph(GRAPH, ONTOLOGY, "rdfxml")


@pytest.mark.parametrize(
    "iri", ["City", "http://example.org/a city", "http://x/<y>", "http://x/^y", "x:\ud800", ""]
)
def test_what_is_no_iri_is_refused_and_never_mended(iri: str) -> None:
    odd = Entity(id="e", name="n", types=(iri,), mentions=())
    with pytest.raises(InvalidInput, match="class"):
        write_graph(Graph(entities=(odd,)), ONTOLOGY, "turtle")
    with pytest.raises(InvalidInput, match="property"):
        write_graph(Graph(relations=(replace(CAPITAL, predicate=iri),)), ONTOLOGY, "turtle")
    typed = replace(HEIGHT, object=Literal("1", iri))
    with pytest.raises(InvalidInput, match="datatype"):
        write_graph(Graph(relations=(typed,)), ONTOLOGY, "turtle")
    for base in (iri, "http://x/%zz", "http://x/#a#"):
        with pytest.raises(InvalidInput, match="base"):
            write_graph(Graph(), ONTOLOGY, "turtle", base=base)


def test_a_value_without_a_language_has_no_type_that_needs_one() -> None:
    literal = Literal("x", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString")
    with pytest.raises(InvalidInput, match="language"):
        write_graph(Graph(relations=(replace(HEIGHT, object=literal),)), ONTOLOGY, "turtle")


@pytest.mark.parametrize("format", OX)
def test_half_a_character_is_refused(format: str) -> None:
    literal = Literal("a\ud800b", f"{XSD}string")
    attribute = replace(TREVI.attributes[0], value=literal)
    for graph in (
        Graph(entities=(replace(ROME, name="Ro\udc00me"),)),
        Graph(entities=(replace(ROME, mentions=(TextSpan(0, 1, "\ud800", DOCUMENT),)),)),
        Graph(entities=(replace(ROME, id="\ud800"),)),
        Graph(entities=(replace(ROME, attributes=(attribute,)),)),
        Graph(relations=(replace(HEIGHT, object=literal),)),
        Graph(relations=(replace(HEIGHT, by="\ud800"),)),
        Graph(relations=(replace(HEIGHT, quotes=(TextSpan(0, 1, "R", "\ud800"),)),)),
    ):
        with pytest.raises(InvalidInput, match="lone surrogate"):
            write_graph(graph, ONTOLOGY, format, by="b")


def test_a_confidence_is_a_number() -> None:
    with pytest.raises(InvalidInput, match="confidence"):
        write_graph(Graph(entities=(replace(ROME, confidence=float("nan")),)), ONTOLOGY, "turtle")
