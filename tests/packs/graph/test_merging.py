"""The same thing is one entity; what cannot be decided is reported."""

from dataclasses import replace

import pytest

from assay.packs.graph.ids import derive_entity_id
from assay.packs.graph.merging import merge_graphs
from assay.packs.graph.model import Attribute, Entity, Graph, Literal, Refusal, RelationVerdict
from assay.packs.graph.ontology.model import XSD
from tests.packs.graph.merging_examples import ONTOLOGY, entity, graph, iri, relation, span

JOHN = entity("John Smith", "Person", at=10)
JANE = entity("Jane Smith", "Person", at=200)
LONDON = entity("London", "Place", at=30)
PARIS = entity("Paris", "Place", at=40)


def names(made: Graph) -> list[str]:
    return sorted(each.name for each in made.entities)


def test_no_graph_is_an_empty_graph() -> None:
    assert merge_graphs([], ONTOLOGY) == Graph()


def test_one_id_is_one_entity_with_everything() -> None:
    height = Attribute(
        predicate=iri("height"), value=Literal("2", XSD + "decimal", "m"), span=span("2 m", 77)
    )
    later = replace(
        entity("John Smith", "Person", at=90, document="d2", confidence=0.4), attributes=(height,)
    )
    made = merge_graphs([graph(JOHN), graph(later)], ONTOLOGY)
    assert made.entities == (
        replace(JOHN, mentions=tuple(sorted(JOHN.mentions + later.mentions)), attributes=(height,)),
    )
    assert made.moved == {}


def test_one_name_and_kinds_that_fit_are_one_of_the_narrower_kind() -> None:
    scientist = entity("The John  Smith", "Scientist", document="d2")
    made = merge_graphs([graph(JOHN), graph(scientist)], ONTOLOGY)
    (one,) = made.entities
    assert one.types == (iri("Scientist"),)
    assert one.id == derive_entity_id("John Smith", (iri("Scientist"),)) == scientist.id
    assert made.moved == {JOHN.id: scientist.id}
    assert made.conflicts == ()


def test_one_name_and_kinds_that_exclude_each_other_are_two() -> None:
    company, place = entity("Jordan", "Company"), entity("Jordan", "Place", at=50)
    made = merge_graphs([graph(company, place)], ONTOLOGY)
    assert len(made.entities) == 2
    (conflict,) = made.conflicts
    assert conflict.kind == "types"
    assert conflict.between == tuple(sorted((company.id, place.id)))
    assert "Jordan" in conflict.detail


def test_what_fits_two_kinds_goes_where_its_neighbours_are() -> None:
    company, person = entity("Ford", "Company"), entity("Ford", "Person", at=50)
    agent = entity("Ford", "Agent", at=90)
    apart = merge_graphs([graph(company, person, agent)], ONTOLOGY)
    assert len(apart.entities) == 3
    assert [c.subject for c in apart.conflicts if c.kind == "ambiguous"] == [agent.id]
    told = (relation(person, "knows", JOHN), relation(agent, "knows", JOHN, at=60))
    made = merge_graphs([graph(company, person, agent, JOHN, *told)], ONTOLOGY)
    assert made.moved == {agent.id: person.id}
    assert [c.kind for c in made.conflicts] == ["types"]
    assert len(made.relations) == 1


def test_what_an_unseen_relation_says_is_no_evidence() -> None:
    company, person = entity("Ford", "Company"), entity("Ford", "Person", at=50)
    agent = entity("Ford", "Agent", at=90)
    told = relation(agent, "knows", JOHN, at=60, verdict=RelationVerdict.UNGROUNDED)
    parts = (company, person, agent, JOHN, relation(person, "knows", JOHN), told)
    assert agent.id in {each.id for each in merge_graphs([graph(*parts)], ONTOLOGY).entities}


@pytest.mark.parametrize(
    ("long", "short", "kind"),
    [
        ("John Smith", "Smith", "Person"),
        ("John Smith", "J. Smith", "Person"),
        ("John Smith", "Dr. Smith", "Scientist"),
        ("John Adam Smith Jr.", "John Smith", "Person"),
        ("John Adam Smith Jr.", "John A. Smith", "Person"),
        ("President John Smith", "John Smith", "Person"),
        ("United Nations", "UN", "Company"),
        ("The United Nations", "the U.N.", "Company"),
        ("University of Applied Sciences", "UAS", "Place"),
        ("Acme Corp.", "Acme", "Company"),
    ],
)
def test_a_shorter_form_in_one_document_is_the_same(long: str, short: str, kind: str) -> None:
    longer, shorter = entity(long, kind), entity(short, kind, at=60)
    made = merge_graphs([graph(longer), graph(shorter)], ONTOLOGY)
    assert [each.name for each in made.entities] == [long]
    assert made.moved == {shorter.id: longer.id}
    assert {mention.words for mention in made.entities[0].mentions} == {long, short}


@pytest.mark.parametrize(
    ("long", "short", "kind"),
    [
        ("King's College", "the College", "Company"),
        ("New York", "York", "Place"),
        ("John Smith", "John", "Person"),
        ("John Smith", "the Smith", "Person"),
        ("John Smith", "smith", "Person"),
        ("United Nations", "UNO", "Company"),
        ("Blue Nile", "Nile", "Place"),
    ],
)
def test_what_is_no_shorter_form_stays_apart(long: str, short: str, kind: str) -> None:
    made = merge_graphs([graph(entity(long, kind), entity(short, kind, at=60))], ONTOLOGY)
    assert names(made) == sorted((long, short))
    assert all(not each.same_as for each in made.entities)


def test_a_shorter_form_of_another_kind_stays_apart() -> None:
    made = merge_graphs([graph(JOHN, entity("Smith", "Company", at=60))], ONTOLOGY)
    assert names(made) == ["John Smith", "Smith"]


def test_a_shorter_form_of_two_is_told() -> None:
    smith = entity("Smith", "Person", at=60)
    made = merge_graphs([graph(JOHN, JANE, smith)], ONTOLOGY)
    assert names(made) == ["Jane Smith", "John Smith", "Smith"]
    (conflict,) = made.conflicts
    assert (conflict.kind, conflict.subject) == ("ambiguous", smith.id)
    assert conflict.between == tuple(sorted((JOHN.id, JANE.id)))


def test_a_shorter_form_of_two_goes_where_its_neighbours_are() -> None:
    smith = entity("Smith", "Person", at=60)
    told = (relation(JANE, "bornIn", PARIS), relation(smith, "bornIn", PARIS, at=9))
    made = merge_graphs([graph(JOHN, JANE, smith, PARIS, *told)], ONTOLOGY)
    assert made.moved == {smith.id: JANE.id}
    assert [len(each.quotes) for each in made.relations] == [2]


def test_a_later_graph_takes_a_decision_back() -> None:
    smith = entity("Smith", "Person", at=60)
    told = relation(smith, "bornIn", LONDON)
    first = merge_graphs([graph(JOHN, smith, LONDON, told)], ONTOLOGY)
    assert first.relations[0].subject == JOHN.id
    second = merge_graphs([first, graph(JANE)], ONTOLOGY)
    assert second.relations == (told,)
    assert second.moved == {}


def test_across_documents_a_shorter_form_is_only_linked() -> None:
    smith = entity("Smith", "Person", document="d2")
    made = merge_graphs([graph(JOHN), graph(smith)], ONTOLOGY)
    assert {each.id: each.same_as for each in made.entities} == {
        JOHN.id: (smith.id,),
        smith.id: (JOHN.id,),
    }
    told = (
        relation(JOHN, "bornIn", LONDON),
        relation(smith, "bornIn", LONDON, document="d2"),
    )
    joined = merge_graphs([graph(JOHN, LONDON, told[0]), graph(smith, LONDON, told[1])], ONTOLOGY)
    assert joined.moved == {smith.id: JOHN.id}


def test_a_name_of_two_documents_is_not_decided_by_one() -> None:
    smith = entity("Smith", "Person", at=60)
    elsewhere = entity("Smith", "Person", document="d2")
    made = merge_graphs([graph(JOHN, smith), graph(elsewhere)], ONTOLOGY)
    assert names(made) == ["John Smith", "Smith"]
    assert made.entities[0].same_as == (made.entities[1].id,)


def test_relations_that_say_the_same_are_one() -> None:
    scientist = entity("John Smith", "Scientist", at=300)
    one = relation(
        JOHN, "knows", LONDON, verdict=RelationVerdict.UNGROUNDED, confidence=0.9, by="b"
    )
    two = relation(scientist, "knows", LONDON, at=50, confidence=0.2, by="a")
    made = merge_graphs([graph(JOHN, LONDON, one), graph(scientist, two)], ONTOLOGY)
    (told,) = made.relations
    assert told.subject == scientist.id
    assert told.id == replace(two).id
    assert told.quotes == tuple(sorted(one.quotes + two.quotes))
    assert (told.verdict, told.confidence, told.by) == (RelationVerdict.UNVERIFIED, 0.9, "a, b")
    grounded = replace(one, verdict=RelationVerdict.GROUNDED)
    again = merge_graphs([made, graph(JOHN, LONDON, grounded)], ONTOLOGY)
    assert [each.verdict for each in again.relations] == [RelationVerdict.GROUNDED]


def test_a_relation_of_a_thing_to_itself_is_turned_away() -> None:
    smith = entity("Smith", "Person", at=60)
    told = relation(smith, "knows", JOHN)
    made = merge_graphs([graph(JOHN, smith, told)], ONTOLOGY)
    assert made.relations == ()
    (refused,) = made.refused
    assert refused.reason is Refusal.ONE_ENTITY
    assert told.quotes[0].words in refused.claim
    same = merge_graphs([graph(JOHN, smith, relation(smith, "sameAs", JOHN))], ONTOLOGY)
    assert [(each.subject, each.object) for each in same.relations] == [(JOHN.id, JOHN.id)]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ((Literal("1950", XSD + "gYear"), Literal("1951", XSD + "gYear")), True),
        ((Literal("1950", XSD + "gYear"), Literal("1950-05-01", XSD + "date")), False),
        ((Literal("1950-05", XSD + "gYearMonth"), Literal("1950-06-01", XSD + "date")), True),
    ],
)
def test_several_values_where_there_is_one(values: tuple[Literal, ...], told: bool) -> None:
    relations = [relation(JOHN, "bornOn", value) for value in values]
    made = merge_graphs([graph(JOHN, each) for each in relations], ONTOLOGY)
    assert len(made.relations) == 2
    kinds = [(c.kind, c.subject, c.predicate) for c in made.conflicts]
    assert kinds == [("values", JOHN.id, iri("bornOn"))] * told


def test_a_restriction_bounds_a_property_of_its_class_alone() -> None:
    def between(subject: Entity) -> list[str]:
        told = [relation(subject, "bornIn", place) for place in (LONDON, PARIS)]
        made = merge_graphs([graph(subject, LONDON, PARIS, *told)], ONTOLOGY)
        return [conflict.kind for conflict in made.conflicts]

    assert between(JOHN) == ["values"]
    assert between(entity("Dr. X", "Scientist")) == ["values"]
    assert between(entity("Acme", "Company")) == []


def test_ungrounded_values_are_in_no_conflict() -> None:
    told = [
        relation(JOHN, "bornOn", Literal("1950", XSD + "gYear")),
        relation(
            JOHN, "bornOn", Literal("1951", XSD + "gYear"), verdict=RelationVerdict.UNGROUNDED
        ),
    ]
    assert merge_graphs([graph(JOHN, *told)], ONTOLOGY).conflicts == ()


def test_ids_lead_on_through_earlier_merges() -> None:
    smith = entity("Smith", "Person", at=60)
    earlier = replace(graph(smith), moved={"en_older": "en_old", "en_old": smith.id})
    made = merge_graphs([earlier, graph(JOHN)], ONTOLOGY)
    assert made.moved == {"en_older": JOHN.id, "en_old": JOHN.id, smith.id: JOHN.id}


def test_what_was_changed_after_a_merge_stays_changed() -> None:
    smith = entity("Smith", "Person", at=60)
    made = merge_graphs([graph(JOHN, smith, LONDON, relation(smith, "bornIn", LONDON))], ONTOLOGY)
    judged = replace(made.relations[0], verdict=RelationVerdict.GROUNDED, confidence=0.8)
    again = merge_graphs([replace(made, relations=(judged,))], ONTOLOGY)
    assert again.relations == (judged,)
    assert merge_graphs([replace(made, relations=())], ONTOLOGY).relations == ()


def test_many_things_of_one_last_name_are_merged() -> None:
    people = [entity(f"P{place} Smith", "Person", at=place) for place in range(800)]
    places = [entity(f"Town {place}", "Place", at=place) for place in range(800)]
    told = [relation(one, "bornIn", town) for one, town in zip(people, places, strict=True)]
    made = merge_graphs([graph(*people, *places, *told, entity("Smith", "Person", at=7))], ONTOLOGY)
    assert len(made.entities) == 1601
    assert [len(conflict.between) for conflict in made.conflicts] == [800]
