"""The same ontology in each format, in each encoding, under each name."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, serialize

from assay.packs.graph.ontology.model import Ontology, Takes
from assay.packs.graph.ontology.reading import hash_ontology, read_ontology
from assay.packs.graph.ontology.vocabulary import KEPT, OWL, RDF, RDFS
from assay.sdk.errors import InvalidInput

EX = "http://example.org/library#"
TURTLE = f"""@prefix : <{EX}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<http://example.org/library> a owl:Ontology ; rdfs:label "Library" ; owl:versionInfo "7" .
:Book a owl:Class ; rdfs:label "book"@en, "Bücherl"@de ; rdfs:comment "Bound pages." ;
    rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :author ; owl:minCardinality 1 ] .
:Person a owl:Class .
:author a owl:ObjectProperty ; rdfs:domain :Book ;
    rdfs:range [ a owl:Class ; owl:unionOf ( :Person :Guild ) ] ; owl:inverseOf :wrote .
:printed a owl:DatatypeProperty, owl:FunctionalProperty ; rdfs:domain :Book ; rdfs:range xsd:gYear .
"""
RDF_XML = f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE rdf:RDF [<!ENTITY lib "{EX}"> <!ENTITY owl "http://www.w3.org/2002/07/owl#">]>
<rdf:RDF xmlns="{EX}" xmlns:owl="&owl;"
    xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
  <owl:Ontology rdf:about="http://example.org/library">
    <rdfs:label>Library</rdfs:label><owl:versionInfo>7</owl:versionInfo>
  </owl:Ontology>
  <owl:Class rdf:about="&lib;Book">
    <rdfs:label xml:lang="en">book</rdfs:label><rdfs:label xml:lang="de">Bücherl</rdfs:label>
    <rdfs:comment>Bound pages.</rdfs:comment>
    <rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="&lib;author"/>
      <owl:minCardinality rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">1</owl:minCardinality>
    </owl:Restriction></rdfs:subClassOf>
  </owl:Class>
  <owl:Class rdf:about="&lib;Person"/>
  <owl:ObjectProperty rdf:about="&lib;author">
    <rdfs:domain rdf:resource="&lib;Book"/>
    <rdfs:range><owl:Class><owl:unionOf rdf:parseType="Collection">
      <rdf:Description rdf:about="&lib;Person"/><rdf:Description rdf:about="&lib;Guild"/>
    </owl:unionOf></owl:Class></rdfs:range>
    <owl:inverseOf rdf:resource="&lib;wrote"/>
  </owl:ObjectProperty>
  <owl:DatatypeProperty rdf:about="&lib;printed">
    <rdf:type rdf:resource="&owl;FunctionalProperty"/>
    <rdfs:domain rdf:resource="&lib;Book"/>
    <rdfs:range rdf:resource="http://www.w3.org/2001/XMLSchema#gYear"/>
  </owl:DatatypeProperty>
</rdf:RDF>
"""
JSON_LD = """{
 "@context": {
  "owl": "http://www.w3.org/2002/07/owl#",
  "l": "http://example.org/library#",
  "rdfs": "http://www.w3.org/2000/01/rdf-schema#", "xsd": "http://www.w3.org/2001/XMLSchema#",
  "domain": {"@id": "rdfs:domain", "@type": "@id"}, "range": {"@id": "rdfs:range", "@type": "@id"}},
 "@graph": [
  {"@id": "http://example.org/library", "@type": "owl:Ontology", "rdfs:label": "Library",
   "owl:versionInfo": "7"},
  {"@id": "l:Book", "@type": "owl:Class", "rdfs:comment": "Bound pages.",
   "rdfs:label": [{"@value": "book", "@language": "en"}, {"@value": "Bücherl", "@language": "de"}],
   "rdfs:subClassOf": {"@type": "owl:Restriction", "owl:onProperty": {"@id": "l:author"},
    "owl:minCardinality": 1}},
  {"@id": "l:Person", "@type": "owl:Class"},
  {"@id": "l:author", "@type": "owl:ObjectProperty", "domain": "l:Book",
   "range": {"@type": "owl:Class",
    "owl:unionOf": {"@list": [{"@id": "l:Person"}, {"@id": "l:Guild"}]}},
   "owl:inverseOf": {"@id": "l:wrote"}},
  {"@id": "l:printed", "@type": ["owl:DatatypeProperty", "owl:FunctionalProperty"],
   "domain": "l:Book", "range": "xsd:gYear"}]}
"""
WRITTEN = {"turtle": TURTLE, "rdfxml": RDF_XML, "jsonld": JSON_LD}
TRIPLES = f"""<{EX}Book> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <{EX}Work> .
"""


def drop_source(ontology: Ontology) -> Ontology:
    """All but the hash of the file and the prefixes that it happens to use."""
    return replace(ontology, key="", prefixes={})


@pytest.mark.parametrize("format", ["rdfxml", "jsonld"])
def test_an_ontology_is_the_same_in_each_format(format: str) -> None:
    turtle = read_ontology(TURTLE.encode())

    assert drop_source(read_ontology(WRITTEN[format].encode(), format=format)) == drop_source(
        turtle
    )
    assert turtle.classes[EX + "Book"].names == ("book", "Bücherl")
    assert turtle.properties[EX + "author"].ranges == (EX + "Guild", EX + "Person")
    assert turtle.properties[EX + "wrote"].takes is Takes.ENTITY
    assert len(turtle.restrictions) == 1
    assert (turtle.title, turtle.version) == ("Library", "7")


_NAMES = st.sampled_from([NamedNode(EX + name) for name in ("A", "B", "p", "q", "date")])
_TYPES = st.sampled_from(
    [
        NamedNode(f"{OWL}{name}")
        for name in ("Class", "ObjectProperty", "DatatypeProperty", "Thing", "FunctionalProperty")
    ]
    + [NamedNode(f"{RDF}Property"), NamedNode(f"{RDFS}Datatype"), NamedNode(f"{RDF}nil")]
)
_NODES = st.one_of(_NAMES, st.sampled_from([BlankNode("x"), BlankNode("y"), BlankNode("z")]))
_WORDS = st.builds(
    Literal, st.sampled_from(["1", "date", "a name"]), language=st.sampled_from(["en", "de", None])
)
_TRIPLES = st.builds(
    Triple,
    _NODES,
    st.sampled_from([NamedNode(iri) for iri in sorted(KEPT)]),
    st.one_of(_NODES, _TYPES, _WORDS),
)


def read_or_refuse(triples: list[Triple], format: RdfFormat) -> Ontology | str:
    data = serialize(triples, format=format)
    assert data is not None
    try:
        return drop_source(read_ontology(data))
    except InvalidInput as refused:
        return refused.what


@settings(max_examples=120, deadline=None)
@given(st.lists(_TRIPLES, min_size=1, max_size=14, unique=True), st.randoms(use_true_random=False))
def test_whatever_is_said_means_the_same_in_each_format_and_order(
    triples: list[Triple], random: Random
) -> None:
    found = read_or_refuse(triples, RdfFormat.TURTLE)
    random.shuffle(triples)

    for format in (RdfFormat.RDF_XML, RdfFormat.JSON_LD, RdfFormat.N_TRIPLES):
        assert read_or_refuse(triples, format) == found


@pytest.mark.parametrize("format", sorted(WRITTEN))
@pytest.mark.parametrize("name", ["", "library", "library.owl", "library.ttl", "library.json"])
def test_the_format_is_seen_whatever_the_file_is_called(format: str, name: str) -> None:
    assert EX + "Book" in read_ontology(WRITTEN[format].encode(), name=name).classes


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("text/turtle; charset=utf-8", TURTLE),
        ("TTL", TURTLE),
        ("application/rdf+xml", RDF_XML),
        ("json-ld", JSON_LD),
        ("nt", TRIPLES),
        ("application/n-triples", TRIPLES),
    ],
)
def test_a_format_can_be_told(format: str, text: str) -> None:
    assert EX + "Book" in read_ontology(text.encode(), format=format).classes


def test_triples_are_read_with_and_without_their_ending() -> None:
    told, seen = (read_ontology(TRIPLES.encode(), name=name) for name in ("a.nt", ""))

    assert told == seen


def test_a_list_of_objects_is_json_and_a_nameless_node_is_turtle() -> None:
    objects = f'[{{"@id": "{EX}Book", "@type": "http://www.w3.org/2002/07/owl#Class"}}]'
    nameless = f"[ <http://www.w3.org/2000/01/rdf-schema#domain> <{EX}Book> ] ."

    assert list(read_ontology(objects.encode()).classes) == [EX + "Book"]
    assert list(read_ontology(nameless.encode()).classes) == [EX + "Book"]


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"cannot be read as 'n3'.*turtle, rdfxml, jsonld"):
        read_ontology(TURTLE.encode(), format="n3")


def test_a_told_format_is_kept_to() -> None:
    with pytest.raises(InvalidInput, match="not valid JSON-LD: line 1, column 1"):
        read_ontology(TURTLE.encode(), format="jsonld")


@pytest.mark.parametrize(
    ("start", "what"),
    [
        ("Prefix(:=<http://a/>)\nOntology(<http://a/>)", "OWL functional syntax"),
        ("Ontology: <http://a/>\nClass: A", "OWL Manchester syntax"),
        ('<?xml version="1.0"?>\n<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>', "OWL/XML"),
        ("format-version: 1.2\n[Term]", "OBO"),
        ("<!DOCTYPE html><html></html>", "a web page"),
        ("%PDF-1.7", "a PDF file"),
        ("PK\x03\x04", "a packed file"),
        ("\x1f\x8b\x08", "a packed file"),
    ],
)
def test_what_is_no_rdf_is_called_by_its_name(start: str, what: str) -> None:
    with pytest.raises(InvalidInput, match=f"is {what}, which is not supported. Save it as Turtle"):
        read_ontology(start.encode("latin-1"), name="a.owl")


def test_a_word_that_looks_like_another_language_is_none() -> None:
    text = f"<Ontology> a <http://www.w3.org/2002/07/owl#Ontology> . {TRIPLES}"

    assert EX + "Book" in read_ontology(text.encode()).classes


def test_only_the_prefixes_of_a_context_are_kept() -> None:
    assert "domain" not in read_ontology(JSON_LD.encode()).prefixes
    assert read_ontology(JSON_LD.encode()).prefixes["l"] == EX
    named = JSON_LD.replace(
        '"owl":', '"label": "http://www.w3.org/2000/01/rdf-schema#label", "owl":'
    )
    assert "label" not in read_ontology(named.encode()).prefixes


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("format", sorted(WRITTEN))
def test_a_mark_at_the_beginning_tells_the_encoding(format: str, encoding: str) -> None:
    data = WRITTEN[format].encode(encoding)

    assert drop_source(read_ontology(data)) == drop_source(read_ontology(WRITTEN[format].encode()))


@pytest.mark.parametrize("encoding", ["iso-8859-1", "windows-1252", "UTF-8"])
def test_xml_tells_its_encoding_itself(encoding: str) -> None:
    data = RDF_XML.replace("UTF-8", encoding).encode(encoding)

    assert "Bücherl" in read_ontology(data).classes[EX + "Book"].names


def test_an_encoding_that_nobody_knows_is_refused() -> None:
    with pytest.raises(
        InvalidInput, match=r"declares the encoding 'utf-7', which is not supported\. Save it as"
    ):
        read_ontology(RDF_XML.replace("UTF-8", "utf-7").encode())


def test_a_wrong_byte_is_shown_by_its_line() -> None:
    with pytest.raises(InvalidInput, match=r"'a\.ttl' is not valid UTF-8: line 6 has a byte"):
        read_ontology(TURTLE.encode("iso-8859-1"), name="a.ttl")


def test_equal_bytes_have_equal_keys() -> None:
    key = hash_ontology(TURTLE.encode())

    assert read_ontology(TURTLE.encode(), name="a").key == key
    assert read_ontology(f"{TURTLE} ".encode()).key != key
    assert hash_ontology(b"x", {"a": b"1", "b": b"2"}) == hash_ontology(
        b"x", {"b": b"2", "a": b"1"}
    )
    assert hash_ontology(b"x", {"a": b"1"}) != hash_ontology(b"x", {"a": b"2"})
    assert hash_ontology(b"x", {"a": b"1"}) != hash_ontology(b"x")
