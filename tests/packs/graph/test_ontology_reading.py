"""Ontologies as they are read: classes, properties, names and restrictions."""

import pytest

from assay.packs.graph.ontology.model import XSD, Ontology, OntologyClass, Property, Takes
from assay.packs.graph.ontology.reading import read_ontology

EX = "http://example.org/zoo#"
PREFIXES = f"""
@prefix : <{EX}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix xsd: <{XSD}> .
@prefix schema: <https://schema.org/> .
@prefix oldschema: <http://schema.org/> .
"""


def read(turtle: str) -> Ontology:
    return read_ontology((PREFIXES + turtle).encode())


def class_in(turtle: str, name: str) -> OntologyClass:
    return read(turtle).classes[EX + name]


def property_in(turtle: str, name: str = "p") -> Property:
    return read(turtle).properties[EX + name]


def xsd(*names: str) -> tuple[str, ...]:
    return tuple(XSD + name for name in names)


def ex(*names: str) -> tuple[str, ...]:
    return tuple(EX + name for name in names)


def test_everything_that_is_used_as_a_class_is_one() -> None:
    ontology = read(
        """
        :Declared a owl:Class . :Plain a rdfs:Class .
        :Child rdfs:subClassOf :Parent .
        :Twin owl:equivalentClass :OtherTwin .
        :p rdfs:domain :Subject ; rdfs:range :Object .
        :q rdfs:domain [ owl:unionOf ( :OneKind :AnotherKind ) ] .
        """
    )

    assert list(ontology.classes) == sorted(
        ex(
            *("Declared", "Plain", "Child", "Parent", "Twin", "OtherTwin"),
            *("Subject", "Object", "OneKind", "AnotherKind"),
        )
    )
    assert ontology.warnings == (
        "Used as a class and not declared: AnotherKind, Object, OneKind, Subject.",
    )


def test_words_of_the_language_itself_are_no_classes() -> None:
    ontology = read(":A a owl:Class ; rdfs:subClassOf owl:Thing . owl:Thing a owl:Class .")

    assert list(ontology.classes) == [EX + "A"]
    assert ontology.classes[EX + "A"].parents == ()


def test_an_english_name_comes_before_one_without_language_before_any_other() -> None:
    said = ':A a owl:Class ; rdfs:label "Zoo"@de, "zoo"@en, "park" ; skos:prefLabel "Tierpark"@de .'
    found = class_in(said, "A")

    assert found.label == "zoo"
    assert found.names == ("zoo", "Tierpark", "Zoo", "park")
    assert class_in(said.replace('"zoo"@en, ', ""), "A").label == "park"


def test_a_side_name_is_the_usual_one_only_where_it_stands_alone() -> None:
    both = ':A a owl:Class ; skos:altLabel "menagerie"@en ; rdfs:label "Tiergarten"@de .'

    assert class_in(both, "A").label == "Tiergarten"
    assert class_in(':A a owl:Class ; skos:altLabel "menagerie"@en .', "A").label == "menagerie"


@pytest.mark.parametrize(
    ("local", "label"),
    [
        ("academicStaffSize", "academic staff size"),
        ("number_of_pages", "number of pages"),
        ("HTTPServer", "HTTP server"),
        ("Q42", "Q42"),
        ("ISO3166Code", "ISO3166 code"),
        ("größteStadt", "größte stadt"),
    ],
)
def test_what_has_no_label_is_called_by_its_local_name_in_words(local: str, label: str) -> None:
    assert class_in(f"<{EX}{local}> a owl:Class .", local).label == label


def test_a_label_in_humps_can_be_found_by_its_words_too() -> None:
    found = property_in(':p a rdf:Property ; rdfs:label "academicStaffSize" .')

    assert found.label == "academicStaffSize"
    assert "academic staff size" in found.names


def test_a_local_name_that_is_a_number_is_no_name() -> None:
    assert class_in(':Q5 a owl:Class ; rdfs:label "human" .', "Q5").names == ("human",)


def test_comments_are_kept_and_cut() -> None:
    said = ':A a owl:Class ; rdfs:comment "auf Deutsch"@de, "in English"@en .'
    endless = f':A a owl:Class ; skos:definition "{"x" * 9_000}" .'

    assert class_in(said, "A").comment == "in English"
    assert len(class_in(endless, "A").comment) == 2_000


def test_a_label_as_long_as_a_text_is_no_name() -> None:
    assert class_in(f':Lion a owl:Class ; rdfs:label "{"x" * 5_000}" .', "Lion").names == ("lion",)


def test_equivalent_classes_lie_above_each_other() -> None:
    ontology = read(":A a owl:Class ; owl:equivalentClass :B . :B rdfs:subClassOf :C .")

    assert ontology.classes[EX + "B"].parents == ex("A", "C")
    assert ontology.is_a(EX + "A", EX + "C")
    assert not any("circle" in warning for warning in ontology.warnings)


def test_the_members_of_a_union_are_below_it() -> None:
    ontology = read(
        """
        :Agent owl:equivalentClass [ owl:unionOf ( :Person :Company ) ] .
        :Guest owl:unionOf ( :Visitor ) . :Visitor a owl:Class .
        """
    )

    assert ontology.is_a(EX + "Person", EX + "Agent")
    assert ontology.is_a(EX + "Company", EX + "Agent")
    assert not ontology.is_a(EX + "Agent", EX + "Person")
    assert ontology.is_a(EX + "Visitor", EX + "Guest")


def test_a_part_of_an_intersection_is_above_it_and_a_choice_is_not() -> None:
    ontology = read(
        """
        :Cub owl:equivalentClass
            [ owl:intersectionOf ( :Animal :Young [ owl:unionOf ( :Cat :Dog ) ] ) ] .
        :Pet rdfs:subClassOf [ owl:unionOf ( :Cat :Dog ) ] .
        """
    )

    assert ontology.classes[EX + "Cub"].parents == ex("Animal", "Young")
    assert ontology.classes[EX + "Pet"].parents == ()


@pytest.mark.parametrize(
    ("said", "takes", "datatype"),
    [
        (":p a owl:DatatypeProperty .", Takes.LITERAL, None),
        (":p a rdf:Property .", Takes.EITHER, None),
        (":p a owl:ObjectProperty . :q a owl:DatatypeProperty .", Takes.ENTITY, None),
        (":p a owl:SymmetricProperty . :q a owl:DatatypeProperty .", Takes.ENTITY, None),
        # Who calls every property an object property says nothing with it.
        (":p a owl:ObjectProperty .", Takes.EITHER, None),
        (":p a rdf:Property ; rdfs:range :A .", Takes.ENTITY, None),
        (":p a rdf:Property ; rdfs:range owl:Thing .", Takes.ENTITY, None),
        (":p a rdf:Property ; rdfs:range xsd:integer .", Takes.LITERAL, "integer"),
        (":p a rdf:Property ; rdfs:range rdfs:Literal .", Takes.LITERAL, None),
        (":p a rdf:Property ; rdfs:range rdf:langString .", Takes.LITERAL, "string"),
        (":p a owl:ObjectProperty ; rdfs:range xsd:gYear .", Takes.LITERAL, "gYear"),
        (":p schema:rangeIncludes schema:Text, :A .", Takes.EITHER, "string"),
        (":p oldschema:rangeIncludes oldschema:Integer .", Takes.LITERAL, "integer"),
        (":p schema:rangeIncludes schema:Boolean .", Takes.LITERAL, "boolean"),
        (":p schema:rangeIncludes schema:URL, schema:Text .", Takes.LITERAL, "string"),
        (":p schema:rangeIncludes schema:DateTime, schema:Date .", Takes.LITERAL, "dateTime"),
        (":p schema:rangeIncludes schema:Duration .", Takes.LITERAL, "duration"),
        (":p schema:rangeIncludes schema:Number .", Takes.LITERAL, "decimal"),
    ],
)
def test_what_a_property_takes(said: str, takes: Takes, datatype: str | None) -> None:
    found = property_in(said)

    assert found.takes is takes
    assert found.datatype == (None if datatype is None else XSD + datatype)


def test_an_unknown_datatype_is_read_by_what_it_is_made_of() -> None:
    ontology = read(
        """
        :Celsius a rdfs:Datatype ; owl:onDatatype xsd:decimal .
        :Grade a rdfs:Datatype ; owl:equivalentClass [ owl:onDatatype xsd:integer ] .
        :Odd a rdfs:Datatype .
        :Name a schema:DataType . :ShortName rdfs:subClassOf :Name .
        :p rdfs:range :Celsius . :q rdfs:range :Grade . :r rdfs:range :Odd .
        :s rdfs:range :ShortName .
        """
    )

    assert [known.datatype for known in ontology.properties.values()] == list(
        xsd("decimal", "integer", "string", "string")
    )
    assert not ontology.classes


def test_classes_that_are_called_like_a_datatype_are_one() -> None:
    ontology = read(
        """
        :p a owl:ObjectProperty ; rdfs:domain :House ; rdfs:range :number .
        :q a owl:ObjectProperty ; rdfs:domain :House ; rdfs:range :Q9 .
        :Q9 a owl:Class ; rdfs:label "point in time" .
        """
    )

    assert list(ontology.classes) == [EX + "House"]
    assert ontology.properties[EX + "p"].datatypes == xsd("decimal", "integer", "double")
    assert ontology.properties[EX + "q"].datatype == XSD + "dateTime"


def test_a_date_may_be_less_exact_where_the_ontology_is() -> None:
    assert property_in(":p rdfs:range :Date .").datatypes == xsd("date", "gYearMonth", "gYear")
    assert property_in(":p rdfs:range xsd:date .").datatypes == xsd("date")


@pytest.mark.parametrize(
    "said",
    [
        # It has properties of its own.
        ":p rdfs:range :Text . :author rdfs:domain :Text .",
        ":p rdfs:range :Text . :Text rdfs:subClassOf :Work .",
        ":p rdfs:range :Text . :Letter rdfs:subClassOf :Text .",
    ],
)
def test_a_class_that_stands_among_others_is_one_whatever_it_is_called(said: str) -> None:
    found = property_in(said)

    assert found.takes is Takes.ENTITY
    assert found.ranges == ex("Text")


def test_a_thing_that_nobody_declared_bounds_nothing() -> None:
    found = property_in(":p a owl:ObjectProperty ; rdfs:domain :A ; rdfs:range :Thing .")

    assert (found.takes, found.ranges) == (Takes.ENTITY, ())


def test_a_property_without_range_is_read_by_its_last_word() -> None:
    said = ':p a owl:ObjectProperty ; rdfs:label "publication date" ; rdfs:domain :Book .'

    assert property_in(said).takes is Takes.EITHER
    assert property_in(said).datatype == XSD + "date"


def test_a_datatype_property_with_a_class_as_range_holds_literals_and_is_warned_of() -> None:
    ontology = read(":p a owl:DatatypeProperty ; rdfs:domain :A ; rdfs:range :B .")

    assert ontology.properties[EX + "p"].takes is Takes.LITERAL
    assert ontology.properties[EX + "p"].ranges == ()
    assert "hold literals: p." in ontology.warnings[-1]


def test_notes_are_no_properties_unless_they_have_a_domain() -> None:
    ontology = read(
        ":note a owl:AnnotationProperty . :mark a owl:AnnotationProperty ; rdfs:domain :A ."
    )

    assert list(ontology.properties) == [EX + "mark"]


def test_several_domains_are_kept_and_anything_is_none() -> None:
    assert property_in(":p rdfs:domain :A, :B .").domains == ex("A", "B")
    assert property_in(":p schema:domainIncludes :A, :B .").domains == ex("A", "B")
    assert property_in(":p rdfs:domain [ owl:unionOf ( :B :A ) ] .").domains == ex("A", "B")
    assert property_in(":p rdfs:domain :A, owl:Thing .").domains == ()


def test_what_bounds_a_property_is_inherited_from_the_nearest_above() -> None:
    ontology = read(
        """
        :p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :r ; rdfs:range xsd:date .
        :r rdfs:domain :A ; rdfs:range xsd:string . :s owl:equivalentProperty :r .
        """
    )

    assert ontology.properties[EX + "p"].parents == ex("q")
    assert ontology.properties[EX + "p"].domains == ex("A")
    assert ontology.properties[EX + "p"].datatype == XSD + "date"
    assert ontology.properties[EX + "s"].domains == ex("A")


def test_an_inverse_is_bounded_the_other_way_round() -> None:
    ontology = read(":p owl:inverseOf :q . :q rdfs:domain :A ; rdfs:range :B .")
    found = ontology.properties[EX + "p"]

    assert (found.inverse, ontology.properties[EX + "q"].inverse) == (EX + "q", EX + "p")
    assert (found.domains, found.ranges, found.takes) == (ex("B"), ex("A"), Takes.ENTITY)


def test_functional_and_symmetric() -> None:
    found = property_in(":p a owl:ObjectProperty, owl:FunctionalProperty, owl:SymmetricProperty .")

    assert found.functional
    assert found.symmetric


def test_what_the_ontology_says_of_itself() -> None:
    ontology = read(
        """
        <http://example.org/zoo> a owl:Ontology ; dcterms:title "Zoo"@de, "The zoo"@en ;
            owl:versionInfo "2.1" ; owl:versionIRI <http://example.org/zoo/2.1> ;
            owl:priorVersion <http://example.org/older> .
        <http://example.org/older> a owl:Ontology .
        :A a owl:Class .
        """
    )

    assert (ontology.iri, ontology.title, ontology.version) == (
        "http://example.org/zoo",
        "The zoo",
        "2.1",
    )
    assert ontology.prefixes[""] == EX
