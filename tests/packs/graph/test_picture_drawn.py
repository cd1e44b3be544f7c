"""What the picture of a page shows: all that is supported, the best-connected of many, no more."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.packs.graph.model import Entity, Graph, Relation, RelationVerdict, TextSpan
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.picture import render_page
from assay.packs.graph.picture.contents import MOST_LINES, MOST_NODES
from assay.packs.graph.picture.words import fold_line, shorten_line
from assay.packs.graph.steps import GraphCompleteness
from tests.packs.graph.picture_examples import iri, ontology, result, space
from tests.packs.graph.test_picture_page import HOSTILE, Page, read_data


def entity(number: int, kinds: tuple[str, ...] = ("Person",), **fields: Any) -> Entity:
    types = tuple(iri(kind) for kind in kinds)
    id_ = f"en-{number:04}"
    return Entity(
        id=id_, name=f"Thing {number}", types=types, mentions=(TextSpan(0, 1, "x"),), **fields
    )


def relation(
    subject: int, target: int, verdict: RelationVerdict = RelationVerdict.GROUNDED
) -> Relation:
    return Relation(
        id=f"re-{subject:04}-{target:04}",
        subject=f"en-{subject:04}",
        predicate=iri("born in"),
        object=f"en-{target:04}",
        quotes=(TextSpan(0, 5, "words"),),
        verdict=verdict,
    )


@pytest.mark.parametrize("count", [1, 5, 30, 120])
def test_every_entity_and_every_relation_between_two_is_drawn(count: int) -> None:
    told, space_ontology, text = space(count)
    held = read_data(render_page(told, space_ontology, text))
    assert all(one["drawn"] for one in held["entities"])
    drawn = {one["id"] for one in held["relations"] if one["drawn"]}
    assert drawn == {one.id for one in told.relations if isinstance(one.object, str)}
    for one in held["relations"]:
        if one["drawn"]:
            assert held["entities"][one["s"]]["name"] == one["subject"]
            assert held["entities"][one["o"]]["name"] == one["value"]


def test_of_many_entities_the_best_connected_are_drawn_and_the_rest_is_counted() -> None:
    count = 400
    entities = tuple(entity(number) for number in range(count))
    around_one = tuple(relation(7, number) for number in range(count) if number != 7)
    dense = tuple(relation(a, b) for a in range(20, 50) for b in range(20, 50) if a != b)
    source = render_page(
        result(Graph(entities=entities, relations=around_one + dense)), ontology(), ""
    )
    held = read_data(source)
    drawn = [one["id"] for one in held["entities"] if one["drawn"]]
    assert len(drawn) == MOST_NODES
    assert {"en-0007", *(f"en-{number:04}" for number in range(20, 50))} <= set(drawn)
    lines = [one for one in held["relations"] if one["drawn"]]
    assert len(lines) == MOST_LINES
    left = len(around_one) + len(dense) - MOST_LINES
    assert f"and 250 more entities, and {left:,} more relations" in source


def test_what_the_text_does_not_support_is_listed_and_not_drawn() -> None:
    entities = tuple(entity(number) for number in range(3))
    relations = (
        relation(0, 1, RelationVerdict.UNGROUNDED),
        relation(1, 2, RelationVerdict.UNVERIFIED),
    )
    source = render_page(result(Graph(entities=entities, relations=relations)), ontology(), "")
    assert [one["drawn"] for one in read_data(source)["relations"]] == [False, True]
    assert "1 relation that the text does not support is left out" in source
    assert "not verified" in source and "supported by the text" not in source


def test_what_may_be_the_same_is_joined_once() -> None:
    entities = (
        entity(0, same_as=("en-0001", "en-0000", "en-gone")),
        entity(1, same_as=("en-0000",)),
    )
    source = render_page(result(Graph(entities=entities)), ontology(), "")
    assert read_data(source)["same"] == [[0, 1]]
    assert "perhaps the same" in source


def test_kinds_beyond_the_colours_share_one() -> None:
    kinds = [f"Kind{number:02}" for number in range(20)]
    entities = tuple(entity(number, (kind,)) for number, kind in enumerate(kinds))
    source = render_page(result(Graph(entities=entities)), ontology(), "")
    colours = [one["colour"] for one in read_data(source)["entities"]]
    assert sorted(set(colours)) == list(range(12)) and colours.count(11) == 9
    assert "other kinds 9" in source


def test_an_empty_graph_says_so() -> None:
    told = result(Graph(), completeness=GraphCompleteness.EMPTY)
    source = render_page(told, Ontology(key="k"), "")
    assert "No entity was found in the text." in source and "empty" in source


@pytest.mark.parametrize(
    ("words", "most", "cut"),
    [
        ("Short", 5, "Short"),
        ("Rather long words", 8, "Rather…"),
        ("cafe\u0301s", 5, "caf…"),
        ("ab\U0001f469\u200d\U0001f467 there", 5, "ab…"),
        ("x" * 10_000, 3, "xx…"),
    ],
)
def test_a_line_is_cut_between_characters(words: str, most: int, cut: str) -> None:
    assert shorten_line(words, most) == cut


def test_the_head_says_what_it_is() -> None:
    told, space_ontology, text = space(30)
    told = replace(told, completeness=GraphCompleteness.PARTIAL_EARLY_EXIT, by="acme/model-3")
    source = render_page(told, space_ontology, text)
    unverified = sum(one.verdict is RelationVerdict.UNVERIFIED for one in told.relations)
    assert "<h1>Space flight</h1>" in source
    assert f"30 entities · {len(told.relations)} relations ({unverified} unverified)" in source
    assert "partial: ended early · read by acme/model-3 · ontology version 1.2" in source
    for kind in {one.types[0] for one in told.entities}:
        count = sum(one.types[0] == kind for one in told.entities)
        assert f"{space_ontology.classes[kind].label} {count}</span>" in source


NAMES = (*HOSTILE, "א" * 40 + "\u202e\u2066 abc", "👩\u200d👧" * 30, "e\u0301" * 5_000, " ", "")


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_hostile_name_is_only_a_label(name: str) -> None:
    things = (replace(entity(1), name=name), replace(entity(2), id=f"id {name}"))
    link = replace(relation(1, 2), object=f"id {name}", predicate=f"x#{name}", id=f"r {name}")
    told = result(Graph(entities=things, relations=(link,)), by=name)
    source = render_page(told, replace(ontology(), title=name, version=name), "")
    assert Page(source).open == []
    held = read_data(source)
    assert held["entities"][0]["name"] == (fold_line(name) or "?")
    assert len(held["entities"][0]["label"]) <= 40 and len(held["relations"][0]["label"]) <= 40
    assert held["relations"][0]["drawn"]


@settings(max_examples=40)
@given(
    st.lists(st.text(max_size=40), min_size=1, max_size=6),
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from(list(RelationVerdict))),
        max_size=12,
    ),
)
def test_the_picture_has_only_lines_with_two_ends(
    names: list[str], links: list[tuple[int, int, RelationVerdict]]
) -> None:
    entities = tuple(replace(entity(n), name=name) for n, name in enumerate(names))
    relations = tuple(relation(a, b, verdict) for a, b, verdict in links)
    held = read_data(
        render_page(result(Graph(entities=entities, relations=relations)), ontology(), "")
    )
    assert [one["drawn"] for one in held["entities"]] == [True] * len(names)
    for told, (a, b, verdict) in zip(held["relations"], links, strict=True):
        has_ends = a < len(names) and b < len(names)
        assert told["drawn"] == (has_ends and verdict is not RelationVerdict.UNGROUNDED)
