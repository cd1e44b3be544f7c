"""Which classes and properties a text may mention."""

from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.packs.graph.ontology import retrieval
from assay.packs.graph.ontology.cache import OntologyCache
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.ontology.reading import read_ontology
from assay.packs.graph.ontology.retrieval import OntologyIndex, list_stems
from assay.sdk.reading import compute_vector
from tests.packs.graph.test_ontology_reading import EX, ex, read

UNIVERSITY = read(
    """
    :Organisation a owl:Class . :University a owl:Class ; rdfs:subClassOf :Organisation .
    :Person a owl:Class ; skos:altLabel "human being" . :City a owl:Class .
    :SportsTeam a owl:Class . :Building a owl:Class ;
        rdfs:comment "Something with a roof and walls, such as a campus hall." .
    :name a owl:DatatypeProperty .
    :founder a owl:ObjectProperty ; rdfs:domain :Organisation ; rdfs:range :Person .
    :numberOfStudents a owl:DatatypeProperty ; rdfs:domain :University ; rdfs:range xsd:integer .
    :located_in a owl:ObjectProperty ; rdfs:domain :Building, :Organisation ; rdfs:range :City .
    :coach a owl:ObjectProperty ; rdfs:domain :SportsTeam ; rdfs:subPropertyOf :leader .
    :leader a owl:ObjectProperty ; rdfs:domain :Crew ; rdfs:range :Person .
    :birthDate a owl:DatatypeProperty ; rdfs:domain :Person ; rdfs:range xsd:date .
    """
)
INDEX = OntologyIndex(UNIVERSITY)


def local(found: list[str]) -> list[str]:
    return [iri.removeprefix(EX) for iri in found]


def classes(text: str, most: int = 3, index: OntologyIndex = INDEX) -> list[str]:
    return local([known.iri for known in index.rank_classes(text, most)])


def properties(text: str, *types: str, most: int = 30, index: OntologyIndex = INDEX) -> list[str]:
    return local([known.iri for known in index.rank_properties(text, ex(*types), most)])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The university was founded in Graz.", "University"),
        ("Two universities merged.", "University"),
        ("He coached several sports teams.", "SportsTeam"),
        ("Every human being is born free.", "Person"),
        # Known only from what is said about it, and by letters that words share.
        ("The hall has a new roof.", "Building"),
        ("An interuniversity project.", "University"),
    ],
)
def test_the_class_of_a_text_comes_first(text: str, found: str) -> None:
    assert classes(text)[0] == found


def test_classes_that_a_text_names_come_before_all_others() -> None:
    text = "Roof, walls, campus, hall, roof: a city has them."

    assert classes(text, 1) == ["City"]
    assert classes(text, 2) == ["City", "Building"]


def test_a_name_of_several_words_has_to_stand_there_as_a_whole() -> None:
    ontology = read(
        ':A a owl:Class ; rdfs:label "head of state" . :B a owl:Class ; rdfs:label "head" .'
        ':C a owl:Class ; rdfs:label "state head head head" .'
    )

    assert classes("The heads of states met.", 2, OntologyIndex(ontology)) == ["A", "B"]
    assert classes("A head with no equal in any state.", 1, OntologyIndex(ontology)) == ["B"]


def test_all_classes_are_found_where_there_are_few() -> None:
    assert sorted(classes("Nothing of the kind.", 30)) == sorted(local(list(UNIVERSITY.classes)))


def test_what_fits_equally_well_is_ordered_by_its_address() -> None:
    assert classes("", 30) == local(sorted(UNIVERSITY.classes))
    assert properties("") == local(sorted(UNIVERSITY.properties))


def test_properties_are_those_of_the_types_and_of_what_is_above_them() -> None:
    assert sorted(properties("", "University")) == [
        "founder",
        "located_in",
        "name",
        "numberOfStudents",
    ]
    assert sorted(properties("", "Organisation")) == ["founder", "located_in", "name"]
    assert sorted(properties("", "Person", "Building")) == ["birthDate", "located_in", "name"]
    assert properties("", "Unheard") == ["name"]


def test_a_property_brings_what_it_is_a_kind_of() -> None:
    assert sorted(properties("", "SportsTeam")) == ["coach", "leader", "name"]
    assert properties("Who is the leader?", "SportsTeam")[:2] == ["leader", "coach"]


def test_among_many_classes_those_in_use_have_their_places() -> None:
    kinds = " ".join(f":Kind{n} a owl:Class ; rdfs:comment 'roof' ." for n in range(20))
    used = " ".join(f":p{n} rdfs:domain :Person ; rdfs:range :Place ." for n in range(3))
    found = classes(
        "The roof of a kind4.", 6, OntologyIndex(read(f"{kinds} {used} :q rdfs:range :Place ."))
    )

    assert found[0] == "Kind4"
    assert found[4:] == ["Place", "Person"]
    assert all(name.startswith("Kind") for name in found[:4])


def test_classes_that_a_text_names_take_all_places_if_need_be() -> None:
    kinds = " ".join(f":Kind{n} a owl:Class ." for n in range(20))
    index = OntologyIndex(read(f"{kinds} :p rdfs:domain :Person ."))

    assert sorted(classes("kind1 kind2 kind3", 3, index)) == ["Kind1", "Kind2", "Kind3"]


def test_among_equals_those_come_first_that_lead_to_what_there_is() -> None:
    assert properties("", "SportsTeam") == ["name", "coach", "leader"]
    assert properties("", "SportsTeam", "Person")[:2] == ["birthDate", "coach"]


def test_no_types_are_no_bound() -> None:
    assert len(properties("")) == len(UNIVERSITY.properties)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It has a number of students: 4,000.", "numberOfStudents"),
        ("It is located in Graz.", "located_in"),
        ("Its founders were monks.", "founder"),
    ],
)
def test_the_property_of_a_text_comes_first(text: str, found: str) -> None:
    assert properties(text, "University")[0] == found
    assert properties(text, "University", most=1) == [found]


def test_a_circle_of_classes_shares_its_properties() -> None:
    circle = ":A rdfs:subClassOf :B . :B rdfs:subClassOf :A ."
    index = OntologyIndex(read(f"{circle} :p rdfs:domain :A . :q rdfs:domain :B ."))

    assert properties("", "A", index=index) == properties("", "B", index=index) == ["p", "q"]


def test_a_chain_of_classes_is_walked_not_recursed() -> None:
    links = " ".join(f":C{n} rdfs:subClassOf :C{n + 1} ." for n in range(3_000))
    index = OntologyIndex(read(f"{links} :p rdfs:domain :C3000 ."))

    assert properties("", "C0", index=index) == ["p"]


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("academicStaffSize", ["academic", "staff", "siz"]),
        ("universities, University", ["universiti", "universiti"]),
        ("movies Movie", ["movi", "movi"]),
        ("running buses classes", ["run", "bus", "class"]),
        ("Café größten", ["caf", "grossten"]),
        ("bus is red", ["bus", "is", "red"]),
        ("", []),
    ],
)
def test_words_are_compared_without_their_endings(text: str, stems: list[str]) -> None:
    assert list_stems(text) == stems


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.integers(1, 8))
def test_any_text_gets_an_order_and_always_the_same(text: str, most: int) -> None:
    found = classes(text, most)

    assert len(found) == min(most, len(UNIVERSITY.classes)) == len(set(found))
    assert found == classes(text, most, OntologyIndex(UNIVERSITY))
    assert properties(text, "Person", most=most) == properties(text, "Person")[:most]


def large(classes: int, properties: int) -> bytes:
    """An ontology of many terms, as schema.org is one."""
    random = Random(7)
    first = ["Medical", "Legal", "Ocean", "Urban", "Solar", "Public", "Ancient", "Royal", "Silent"]
    second = ["Event", "Place", "Work", "Vehicle", "Award", "Court", "Bridge", "River", "Journal"]
    kinds = [f"{first[n % 9]}{second[n // 9 % 9]}{n}" for n in range(classes)]
    lines = [
        "@prefix s: <https://schema.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . s:Thing a rdfs:Class ."
    ]
    for place, kind in enumerate(kinds):
        above = kinds[random.randrange(place)] if place else "Thing"
        lines.append(f's:{kind} a rdfs:Class ; rdfs:label "{kind}" ; rdfs:subClassOf s:{above} .')
    for place in range(properties):
        name = f"{first[place % 9].lower()}{second[place % 7]}Of{place}"
        lines.append(
            f's:{name} a rdf:Property ; rdfs:label "{name}" ; rdfs:comment "Tells the {name}." ;'
            f" s:domainIncludes s:{random.choice(kinds)}, s:{random.choice(kinds)} ;"
            f" s:rangeIncludes s:{random.choice(kinds)}, s:Text ."
        )
    return "\n".join(lines).encode()


def test_a_large_ontology_is_read_and_indexed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    retrieval._vector_of.cache_clear()

    def counted(text: str) -> tuple[float, ...]:
        asked.append(text)
        return compute_vector(text)

    monkeypatch.setattr(retrieval, "compute_vector", counted)
    cache = OntologyCache()
    data = large(1_000, 1_500)
    text = "The royal bridge over the silent river won a legal award."
    index = cache.get(data).index
    assert not asked
    first = index.rank_classes(text, 30)
    words = len(asked)
    retrieval._vector_of.cache_clear()
    again = cache.get(data).index.rank_classes(text, 30)

    assert (len(index.ontology.classes), len(index.ontology.properties)) == (1_001, 1_500)
    assert first == again
    assert len(first) == 30
    # Only the words of the text were looked at once more.
    assert words > 1_000
    assert len(asked) - words <= len(set(list_stems(text)))


def test_threads_share_an_index() -> None:
    index = OntologyIndex(read_ontology(large(60, 60)))
    texts = [f"The royal bridge {n} over the silent river" for n in range(20)]
    alone = [index.rank_classes(text, 5) for text in texts]
    shared = OntologyIndex(index.ontology)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: shared.rank_classes(text, 5), texts)) == alone


def test_an_ontology_without_classes_or_properties_can_be_searched() -> None:
    only_classes: Ontology = read(":A a owl:Class .")
    only_properties: Ontology = read(":p a owl:DatatypeProperty .")

    assert OntologyIndex(only_classes).rank_properties("a", [EX + "A"], 5) == []
    assert OntologyIndex(only_properties).rank_classes("a", 5) == []
    assert properties("a", "A", index=OntologyIndex(only_properties)) == ["p"]
