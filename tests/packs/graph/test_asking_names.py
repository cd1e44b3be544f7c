"""Names that a model is shown, and what it writes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.packs.graph.asking.names import collect_names, cut_local_name
from assay.packs.graph.ontology.model import Ontology, OntologyClass
from tests.packs.graph.asking_space import EX, OTHER, SPACE, ontology

CLASSES = collect_names(SPACE).classes
PROPERTIES = collect_names(SPACE).properties


@pytest.mark.parametrize(
    ("written", "local"),
    [
        (EX + "SpaceMission", "SpaceMission"),
        (f"<{EX}SpaceMission>", "SpaceMission"),
        ("ex:SpaceMission", "SpaceMission"),
        ("SpaceMission", "SpaceMission"),
        ("spacemission", "SpaceMission"),
        ("SPACE MISSION", "SpaceMission"),
        ("space_mission", "SpaceMission"),
        ("space-missions", "SpaceMission"),
        ("Space Missions", "SpaceMission"),
        ('"Astronauts"', "Astronaut"),
        ("Cities", "City"),
        ("Persons", "Person"),
        ("Osoba", "Person"),
        ("dbo:Person", "Person"),
        ("http://dbpedia.org/ontology/City", "City"),
        ("Person (a human being)", "Person"),
        ("City: a big place", "City"),
        ("company", "Organisation"),
    ],
)
def test_a_class_is_found_under_whatever_a_model_writes(written: str, local: str) -> None:
    assert CLASSES.find(written).iri == EX + local


@pytest.mark.parametrize(
    ("written", "local"),
    [
        ("birthPlace", "birthPlace"),
        ("birth place", "birthPlace"),
        ("Birth_Places", "birthPlace"),
        ("hasBirthPlace", "birthPlace"),
        ("has birth place", "birthPlace"),
        ("cost", "hasCost"),
        ("Costs", "hasCost"),
        ("operated by", "operator"),
        ("birthPlace: Person → Place", "birthPlace"),
        ("flewOn — Person", "flewOn"),
    ],
)
def test_a_property_is_found_under_whatever_a_model_writes(written: str, local: str) -> None:
    assert PROPERTIES.find(written).iri == EX + local


@pytest.mark.parametrize("written", ["Spaceship", "", "  ", "<>", "Thing", "the", "x" * 100_000])
def test_a_name_that_is_not_in_the_ontology_is_nobody(written: str) -> None:
    assert CLASSES.find(written).iri is None


def test_a_name_that_turns_a_statement_round_is_not_repaired() -> None:
    assert PROPERTIES.find("isOperatorOf").iri is None


def test_near_names_are_told() -> None:
    assert CLASSES.find("Astronuat").near == ("Astronaut",)
    assert PROPERTIES.find("birthPlac").near[0] == "birthPlace"


def test_a_name_of_two_is_neither_and_both_are_told() -> None:
    found = CLASSES.find("Crew")
    assert found.iri is None
    assert set(found.near) == {"ex:Crew", "other:Crew"}


def test_a_name_of_two_is_the_one_that_was_shown() -> None:
    assert PROPERTIES.find("name").iri is None
    assert PROPERTIES.find("name", {OTHER + "name", EX + "knows"}).iri == OTHER + "name"


def test_what_was_not_shown_is_still_found_in_the_ontology() -> None:
    assert PROPERTIES.find("birth place", {EX + "knows"}).iri == EX + "birthPlace"


def test_a_whole_iri_outweighs_what_was_shown() -> None:
    assert PROPERTIES.find(EX + "name", {OTHER + "name"}).iri == EX + "name"


def test_short_names_are_local_names_where_they_are_unique() -> None:
    assert CLASSES.shorten(EX + "Person") == "Person"
    assert CLASSES.shorten(EX + "Crew") == "ex:Crew"
    assert CLASSES.shorten(OTHER + "Crew") == "other:Crew"


def test_without_prefixes_the_label_or_the_iri_stands_in() -> None:
    one = OntologyClass(iri="urn:a:Crew", label="crew", names=("crew",))
    two = OntologyClass(iri="urn:b:Crew", label="ship's company", names=("ship's company",))
    names = collect_names(Ontology(key="k", classes={own.iri: own for own in (one, two)})).classes
    assert names.shorten(two.iri) == "ship's company"
    assert names.shorten(one.iri) == "<urn:a:Crew>"
    assert names.find(names.shorten(one.iri)).iri == one.iri


def test_every_short_name_leads_back() -> None:
    for book in (CLASSES, PROPERTIES):
        for iri in book.things:
            assert book.find(book.shorten(iri)).iri == iri


@pytest.mark.parametrize(
    ("iri", "local"),
    [
        ("http://x.org/a#Person", "Person"),
        ("http://x.org/a/Person/", "Person"),
        ("urn:x:Person", "Person"),
        ("Person", "Person"),
        ("", ""),
        ("#", "#"),
    ],
)
def test_local_names(iri: str, local: str) -> None:
    assert cut_local_name(iri) == local


def test_ontologies_with_one_key_are_not_taken_for_each_other() -> None:
    one, other = ontology(), Ontology(key="space")
    assert collect_names(one) is collect_names(one)
    assert collect_names(other).classes.find("Person").iri is None


@given(st.text())
def test_no_name_raises_and_none_is_invented(written: str) -> None:
    for book in (CLASSES, PROPERTIES):
        found = book.find(written)
        assert found.iri is None or found.iri in book.things


def test_a_code_is_shown_by_its_label_where_that_names_nothing_else() -> None:
    coded = {
        f"http://codes.example/{code}": OntologyClass(
            iri=f"http://codes.example/{code}", label=label, names=(label,)
        )
        for code, label in {"Q5": "human", "Q515": "city", "Q2": "twin", "Q3": "twin"}.items()
    }
    names = collect_names(Ontology(key="codes", classes=coded)).classes
    shown = {iri.rpartition("/")[2]: names.shorten(iri) for iri in coded}
    assert shown == {"Q5": "human", "Q515": "city", "Q2": "Q2", "Q3": "Q3"}
    assert all(
        names.find(short).iri == f"http://codes.example/{code}" for code, short in shown.items()
    )
    assert names.find("Q5").iri == "http://codes.example/Q5"
