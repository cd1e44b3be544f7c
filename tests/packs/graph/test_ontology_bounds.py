"""Ontologies that are broken, empty, hostile or endless are refused, with the reason."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.packs.graph.ontology.model import Ontology, OntologyLimits
from assay.packs.graph.ontology.reading import read_ontology
from assay.sdk.errors import InvalidInput
from tests.packs.graph.test_ontology_formats import JSON_LD, RDF_XML, TURTLE
from tests.packs.graph.test_ontology_reading import EX, PREFIXES, read

XML = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
    ' xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:e="http://e/"'
    ' xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">{}</rdf:RDF>'
)
CLASS = '<owl:Class rdf:about="http://e/A"><rdfs:label>{}</rdfs:label></owl:Class>'


MANY_ATTRIBUTES = " ".join(f'e:a{n}=""' for n in range(1_001))


def refuse_ontology(data: str | bytes, **bounds: int) -> str:
    with pytest.raises(InvalidInput) as refused:
        read_ontology(
            data if isinstance(data, bytes) else data.encode(), limits=OntologyLimits(**bounds)
        )
    return str(refused.value)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            f"{PREFIXES}\n:A a owl:Class\n:B a owl:Class .",
            "not valid Turtle: line 13, column 1: A dot is expected",
        ),
        (f"{PREFIXES}\n:A a lost:Class .", "line 12, column 6: The prefix lost:"),
        (f'{PREFIXES} :A rdfs:label "never closed', "Unexpected end"),
        ('{"@context": {},\n "@id": }', "not valid JSON-LD: line 2, column 9"),
        (XML.format("\n<owl:Class>\n</owl:class>"), "not valid XML: line 3, column 3: mismatched"),
        (
            XML.format('\n\n<owl:Class rdf:about="http://e/A" rdf:ID="A"/>\n'),
            "not valid RDF/XML: line 3: Not both rdf:ID",
        ),
    ],
)
def test_what_is_broken_is_shown_by_its_place(text: str, what: str) -> None:
    message = refuse_ontology(text)

    assert what in message
    assert "Fix the error there" in message


@pytest.mark.parametrize("data", [b"", b" \n\t ", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_what_is_empty_is_refused(data: bytes) -> None:
    assert "The ontology is empty. Use a file in Turtle" in refuse_ontology(data)


@pytest.mark.parametrize(
    "text",
    [
        "# nothing but a remark",
        f"{PREFIXES} :tom :knows :ann .",
        f"{PREFIXES} <http://e/> a owl:Ontology .",
        '{"@id": "http://e/a", "http://e/b": "c"}',
        XML.format(""),
    ],
)
def test_what_declares_nothing_is_refused(text: str) -> None:
    assert "declares no classes and no properties. Use an ontology" in refuse_ontology(text)


def test_bytes_without_text_are_refused() -> None:
    assert "is not a text" in refuse_ontology(b"a\x00b\x00c")


@pytest.mark.parametrize(
    ("bounds", "what"),
    [
        ({"bytes": 100}, "more than 100 bytes"),
        ({"triples": 10}, "more than 10 triples"),
        ({"terms": 3}, "more than 3 classes and properties"),
        ({"characters": 500}, "more than 500 characters"),
        ({"iri_characters": 25}, "more than 25 characters"),
    ],
)
def test_the_first_limit_that_is_passed_refuses(bounds: dict[str, int], what: str) -> None:
    message = refuse_ontology(TURTLE, **bounds)

    assert what in message
    assert f"raise the limit '{next(iter(bounds))}'" in message


def test_limits_hold_while_a_file_is_read_not_afterwards() -> None:
    endless = ":A a owl:Class .\n" * 200 + "and then it is broken"

    assert "more than 100 triples" in refuse_ontology(PREFIXES + endless, triples=100)


def test_classes_that_are_only_used_count_as_well() -> None:
    used = " ".join(f":p{each} rdfs:domain :C{each} ." for each in range(20))

    assert "more than 30 classes" in refuse_ontology(PREFIXES + used, terms=30)


def test_a_prefix_cannot_blow_up_a_file() -> None:
    long = f"@prefix z: <http://{'x' * 5_000}/> . z:a a z:b ."

    assert "An IRI in the ontology has more than 2,000 characters" in refuse_ontology(long)


def test_a_choice_without_end_is_refused() -> None:
    members = " ".join(f":C{each}" for each in range(600))

    assert "more than 500 members" in refuse_ontology(
        f"{PREFIXES} :p rdfs:domain [ owl:unionOf ( {members} ) ] ."
    )


def test_a_literal_without_end_costs_no_more_than_its_beginning() -> None:
    ontology = read(f':A a owl:Class ; rdfs:label "A" ; rdfs:comment "{"x" * 1_000_000}" .')

    assert len(ontology.classes[EX + "A"].comment) == 2_000


def make_laughs(levels: int, times: int) -> str:
    entities = '<!ENTITY e0 "ha">' + "".join(
        f'<!ENTITY e{each} "{f"&e{each - 1};" * times}">' for each in range(1, levels + 1)
    )
    return f"<!DOCTYPE r [{entities}]>{XML.format(CLASS.format(f'&e{levels};'))}"


def test_entities_that_grow_without_bounds_are_refused() -> None:
    assert "with its XML entities expanded, has more than" in refuse_ontology(make_laughs(9, 10))


def test_a_long_entity_that_is_used_often_is_refused() -> None:
    used = XML.format(CLASS.format("&e;" * 2_000))

    assert "expanded, has more than 100,000 characters" in refuse_ontology(
        f'<!DOCTYPE r [<!ENTITY e "{"x" * 1_000}">]>{used}', bytes=100_000
    )


def test_an_entity_in_a_remark_counts_as_well() -> None:
    used = XML.format(CLASS.format("&e;" * 2_000))

    assert "expanded" in refuse_ontology(
        f'<!DOCTYPE r [<!-- <!ENTITY e "{"x" * 1_000}"> -->]>{used}', bytes=100_000
    )


@pytest.mark.parametrize("quote", ['"', "'"])
def test_entities_within_bounds_are_read(quote: str) -> None:
    text = make_laughs(2, 3).replace('<!ENTITY e0 "ha">', f"<!ENTITY e0 {quote}ha{quote} >")

    assert read_ontology(text.encode()).classes["http://e/A"].label == "ha" * 9


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (XML.format("<e:C><e:p>" * 100 + "</e:p></e:C>" * 100), "levels deep"),
        (XML.format(f"<e:C {MANY_ATTRIBUTES}/>"), "1,000 attributes"),
        ('[{"http://e/a":' * 100, "levels deep"),
        (
            json.dumps(
                {"@context": {"a": "http://a/" + "a" * 130_000}, "@graph": [{"@context": {}}]}
            ),
            "2 contexts, but is too long",
        ),
        (
            '{"@context": {}, "a": {"\\u0040context": {}}, "b": "' + "b" * 130_000 + '"}',
            "2 contexts, but is too long",
        ),
        (f"{PREFIXES} :x :y {'<<( :x :y ' * 65} 1 {')>>' * 65} .", "64 statements about"),
    ],
    ids=["deep XML", "attributes", "deep JSON", "contexts", "hidden contexts", "about itself"],
)
def test_what_costs_far_more_than_its_length_is_refused(text: str, what: str) -> None:
    assert what in refuse_ontology(text)


def test_a_string_that_never_ends_is_looked_at_once() -> None:
    assert "not valid JSON-LD" in refuse_ontology('{"' + '\\"' * 200_000)


def test_addresses_that_are_none_are_left_out_and_warned_of() -> None:
    ontology = read(":A a owl:Class . <http://e/a b> a owl:Class . :B rdfs:subClassOf <a:{b}> .")

    assert list(ontology.classes) == [EX + "A"]
    assert "not valid IRIs (2)" in ontology.warnings[0]
    assert "'http://e/a b'" in ontology.warnings[0]


def test_odd_dashes_are_part_of_an_address() -> None:
    ontology = read("<http://example.org/0000−0003> a owl:Class .")

    assert list(ontology.classes) == ["http://example.org/0000−0003"]
    assert ontology.warnings == ()


def test_addresses_that_are_relative_to_nothing_are_warned_of() -> None:
    ontology = read("<#A> a owl:Class .")

    assert list(ontology.classes) == ["urn:assay:ontology/#A"]
    assert "relative to nothing: A. Give it a base." in ontology.warnings[0]


def test_a_circle_of_classes_is_one_kind_and_is_warned_of() -> None:
    ontology = read(
        """
        :A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :C rdfs:subClassOf :A .
        :D rdfs:subClassOf :A . :E rdfs:subClassOf :E .
        """
    )

    assert ontology.ancestors_of(EX + "A") == {EX + "A", EX + "B", EX + "C"}
    assert ontology.is_a(EX + "D", EX + "C")
    assert ontology.warnings == (
        "A, B, C lie above each other in a circle, and count as the same kind.",
    )


def test_many_circles_are_counted() -> None:
    pairs = (f":A{n} rdfs:subClassOf :B{n} . :B{n} rdfs:subClassOf :A{n} ." for n in range(9))

    assert read(" ".join(pairs)).warnings[-1] == "There are 4 more such circles."


def make_chain(length: int) -> Ontology:
    return read(" ".join(f":C{n} rdfs:subClassOf :C{n + 1} ." for n in range(length)))


def test_a_chain_of_ten_thousand_classes_is_walked_not_recursed() -> None:
    ontology = make_chain(10_000)

    assert len(ontology.classes) == 10_001
    assert ontology.classes[EX + "C0"].parents == (EX + "C1",)
    assert ontology.warnings == ()


def test_lists_and_choices_that_lie_in_themselves_end() -> None:
    ontology = read(
        """
        :p rdfs:domain _:u . _:u owl:unionOf ( :A _:u ) .
        :q rdfs:domain [ owl:unionOf _:l ] . _:l rdf:first :B ; rdf:rest _:l .
        """
    )

    assert ontology.properties[EX + "p"].domains == (EX + "A",)
    assert ontology.properties[EX + "q"].domains == (EX + "B",)


def test_properties_that_are_kinds_of_each_other_end() -> None:
    ontology = read(":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :p ; rdfs:domain :A .")

    assert ontology.properties[EX + "p"].domains == (EX + "A",)


def _is_read_or_refused(data: bytes, format: str | None) -> bool:
    """Whether an ontology came of it, or a refusal that names the ontology."""
    try:
        return bool(read_ontology(data, format=format).key)
    except InvalidInput as refused:
        return refused.what.startswith(("The ontology", "An address in the ontology"))


_FORMATS = st.sampled_from([None, "turtle", "rdfxml", "jsonld", "ntriples"])


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300), _FORMATS)
def test_any_bytes_are_read_or_refused(data: bytes, format: str | None) -> None:
    assert _is_read_or_refused(data, format)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([TURTLE, RDF_XML, JSON_LD]),
    st.integers(0, 3_000),
    st.integers(0, 40),
    st.text(alphabet='<>"{}[]();.,:@&\\^_ \n#ab/', max_size=12),
)
def test_a_damaged_ontology_is_read_or_refused(
    text: str, start: int, length: int, instead: str
) -> None:
    damaged = text[:start] + instead + text[start + length :]
    assert _is_read_or_refused(damaged.encode(), None)
