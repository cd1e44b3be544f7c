"""Restrictions of OWL, as far as they bound a property."""

import pytest

from assay.packs.graph.ontology.model import XSD, Bound, Restriction
from tests.packs.graph.test_ontology_reading import EX, read

_CLASSES = ":Herd a owl:Class . :Cow a owl:Class . :Bull a owl:Class . :holds a rdf:Property ."


def restrictions_in(of_class: str) -> tuple[Restriction, ...]:
    return read(f"{_CLASSES} :Herd {of_class} .").restrictions


def rule(bound: Bound, filler: str = "", count: int = 0) -> Restriction:
    return Restriction(
        on=EX + "Herd", property=EX + "holds", bound=bound, filler=filler, count=count
    )


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("owl:allValuesFrom :Cow", [rule(Bound.ALL, EX + "Cow")]),
        ("owl:someValuesFrom :Cow", [rule(Bound.SOME, EX + "Cow")]),
        ("owl:allValuesFrom xsd:date", [rule(Bound.ALL, XSD + "date")]),
        ("owl:maxCardinality 3", [rule(Bound.MOST, count=3)]),
        ('owl:minCardinality "2"^^xsd:nonNegativeInteger', [rule(Bound.LEAST, count=2)]),
        ("owl:cardinality 1", [rule(Bound.LEAST, count=1), rule(Bound.MOST, count=1)]),
        (
            "owl:maxQualifiedCardinality 1 ; owl:onClass :Bull",
            [rule(Bound.MOST, EX + "Bull", 1)],
        ),
        ("owl:maxQualifiedCardinality 1 ; owl:onClass owl:Thing", [rule(Bound.MOST, count=1)]),
        (
            "owl:qualifiedCardinality 1 ; owl:onDataRange xsd:gYear",
            [rule(Bound.LEAST, XSD + "gYear", 1), rule(Bound.MOST, XSD + "gYear", 1)],
        ),
        # One filler cannot say that it is one of two.
        ("owl:allValuesFrom [ owl:unionOf ( :Cow :Bull ) ]", []),
        ("owl:hasValue :Cow", []),
        ('owl:maxCardinality "many"', []),
        ("owl:maxCardinality 99999999999999999999", []),
    ],
)
def test_a_restriction_bounds_a_property(said: str, found: list[Restriction]) -> None:
    told = f"rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :holds ; {said} ]"

    assert list(restrictions_in(told)) == found


@pytest.mark.parametrize(
    "said",
    [
        "owl:equivalentClass [ owl:onProperty :holds ; owl:allValuesFrom :Cow ]",
        "owl:equivalentClass [ owl:intersectionOf ( :Cow"
        " [ owl:onProperty :holds ; owl:allValuesFrom :Cow ] ) ]",
        "owl:intersectionOf ( :Cow [ owl:onProperty :holds ; owl:allValuesFrom :Cow ] )",
    ],
)
def test_a_restriction_may_be_part_of_a_definition(said: str) -> None:
    assert restrictions_in(said) == (rule(Bound.ALL, EX + "Cow"),)


def test_a_choice_of_restrictions_bounds_nothing() -> None:
    choice = "[ owl:unionOf ( :Cow [ owl:onProperty :holds ; owl:maxCardinality 1 ] ) ]"

    assert restrictions_in(f"rdfs:subClassOf {choice}") == ()


def test_a_restriction_on_what_is_no_property_is_left_out() -> None:
    assert restrictions_in("rdfs:subClassOf [ owl:onProperty :gone ; owl:maxCardinality 1 ]") == ()


def test_a_restriction_decides_what_fits() -> None:
    ontology = read(
        f"{_CLASSES} :Herd rdfs:subClassOf"
        " [ a owl:Restriction ; owl:onProperty :holds ; owl:allValuesFrom :Cow ] ."
    )

    assert ontology.allows_relation(EX + "holds", [EX + "Herd"], [EX + "Cow"])
    assert not ontology.allows_relation(EX + "holds", [EX + "Herd"], [EX + "Bull"])
    assert ontology.allows_relation(EX + "holds", [EX + "Cow"], [EX + "Bull"])
