"""A merged graph depends on neither order nor grouping, and nothing is lost."""

import json
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from assay.packs.graph.merging import merge_graphs
from assay.packs.graph.model import (
    Entity,
    Graph,
    Literal,
    Refusal,
    RefusedClaim,
    Relation,
    RelationVerdict,
)
from assay.packs.graph.ontology.model import XSD
from tests.packs.graph.merging_examples import ONTOLOGY, entity, relation

NAMES = (
    "John Smith",
    "Jane Smith",
    "Smith",
    "smith",
    "J. Smith",
    "Dr. Smith",
    "John A. Smith",
    "United Nations",
    "UN",
    "Upper Norwood",
    "the UN",
    "Acme Inc.",
    "Acme",
    "London",
)
KINDS = (
    (),
    ("Thing",),
    ("Agent",),
    ("Person",),
    ("Scientist",),
    ("Company",),
    ("Place",),
    ("Agent", "Scientist"),
    ("Company", "Place"),
)
YEARS = tuple(Literal(str(year), XSD + "gYear") for year in (1950, 1951))


@st.composite
def entities(draw: st.DrawFn) -> Entity:
    return entity(
        draw(st.sampled_from(NAMES)),
        *draw(st.sampled_from(KINDS)),
        at=draw(st.integers(0, 3)),
        document=draw(st.sampled_from(("d1", "d2"))),
        said=draw(st.sampled_from(((), ("Smith",), ("the company",), ("ACME",)))),
        confidence=draw(st.sampled_from((0.5, 1.0))),
    )


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    held = draw(st.lists(entities(), max_size=5))
    told: list[Relation] = []
    if held:
        some = st.sampled_from(held)
        for _ in range(draw(st.integers(0, 4))):
            object_ = draw(st.one_of(some, st.sampled_from(YEARS)))
            told.append(
                relation(
                    draw(some),
                    "bornOn" if isinstance(object_, Literal) else draw(_PREDICATES),
                    object_,
                    at=draw(st.integers(0, 2)),
                    verdict=draw(st.sampled_from(RelationVerdict)),
                    confidence=draw(st.sampled_from((0.3, 0.9))),
                    by=draw(st.sampled_from(("a", "b", ""))),
                )
            )
    refused = RefusedClaim(Refusal.NOT_IN_TEXT, "It is not there.", draw(st.sampled_from("xyz")))
    ids = [each.id for each in held]
    moved: dict[str, str] = {}
    led_on = draw(st.booleans())
    if ids and led_on:
        old = draw(st.sampled_from(("en_gone", "en_lost", *ids)))
        moved = {old: draw(st.sampled_from(("en_lost", "en_other", *ids)))}
    return Graph(entities=tuple(held), relations=tuple(told), refused=(refused,), moved=moved)


_PREDICATES = st.sampled_from(("knows", "bornIn", "sameAs"))
_ADAPTER = TypeAdapter(Graph)


def dump_graph(graph: Graph) -> str:
    return json.dumps(_ADAPTER.dump_python(graph, mode="json"))


@settings(max_examples=40, deadline=None)
@given(st.lists(graphs(), max_size=4), st.randoms(use_true_random=False))
def test_any_order_gives_the_same_bytes(given_graphs: list[Graph], random: object) -> None:
    shuffled = list(given_graphs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert dump_graph(merge_graphs(shuffled, ONTOLOGY)) == dump_graph(
        merge_graphs(given_graphs, ONTOLOGY)
    )


@settings(max_examples=40, deadline=None)
@given(graphs(), graphs(), graphs())
def test_any_grouping_gives_the_same_bytes(one: Graph, two: Graph, three: Graph) -> None:
    at_once = dump_graph(merge_graphs([one, two, three], ONTOLOGY))
    first_two = merge_graphs([merge_graphs([one, two], ONTOLOGY), three], ONTOLOGY)
    last_two = merge_graphs([one, merge_graphs([two, three], ONTOLOGY)], ONTOLOGY)
    each = merge_graphs([merge_graphs([graph], ONTOLOGY) for graph in (one, two, three)], ONTOLOGY)
    assert [dump_graph(first_two), dump_graph(last_two), dump_graph(each)] == [at_once] * 3


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_a_merged_graph_stays_as_it_is(graph: Graph) -> None:
    once = merge_graphs([graph], ONTOLOGY)
    assert dump_graph(merge_graphs([once], ONTOLOGY)) == dump_graph(once)
    assert dump_graph(merge_graphs([once, once], ONTOLOGY)) == dump_graph(once)
    assert dump_graph(merge_graphs([once, graph], ONTOLOGY)) == dump_graph(once)


@settings(max_examples=25, deadline=None)
@given(st.lists(graphs(), max_size=3))
def test_nothing_is_lost(given_graphs: list[Graph]) -> None:
    made = merge_graphs(given_graphs, ONTOLOGY)
    told = [part for graph in given_graphs for part in graph.entities]
    assert {m for e in told for m in e.mentions} == {m for e in made.entities for m in e.mentions}
    quotes = {quote for relation in made.relations for quote in relation.quotes}
    refused = " ".join(refused.claim for refused in made.refused)
    for each in _relations(given_graphs):
        assert all(quote in quotes or quote.words in refused for quote in each.quotes)
    assert {r for graph in given_graphs for r in graph.refused} <= set(made.refused)


@settings(max_examples=25, deadline=None)
@given(st.lists(graphs(), max_size=3))
def test_every_id_leads_to_an_entity(given_graphs: list[Graph]) -> None:
    made = merge_graphs(given_graphs, ONTOLOGY)
    alive = {each.id for each in made.entities}
    known = {each.id for graph in given_graphs for each in graph.entities}
    assert {made.moved.get(id_, id_) for id_ in known} == alive
    assert not set(made.moved) & alive
    for each in made.relations:
        assert each.subject in alive
        assert isinstance(each.object, Literal) or each.object in alive
    for conflict in made.conflicts:
        assert conflict.subject in alive
        assert set(conflict.between) <= alive | {each.id for each in made.relations}
    assert [each.id for each in made.entities] == sorted(alive)


def _relations(given_graphs: list[Graph]) -> Iterator[Relation]:
    for graph in given_graphs:
        yield from graph.relations
