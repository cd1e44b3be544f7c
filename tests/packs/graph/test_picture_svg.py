"""The picture: valid, the same each time, everything in it, nothing on top of anything."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree  # type: ignore[import-untyped]

from assay.packs.graph.model import (
    Attribute,
    Entity,
    Graph,
    Literal,
    Relation,
    Span,
    Verdict,
)
from assay.packs.graph.ontology.model import XSD, Ontology
from assay.packs.graph.picture import svg
from assay.packs.graph.picture.words import width
from assay.packs.graph.steps import GraphCompleteness
from tests.packs.graph.picture_examples import iri, ontology, result, space

NS = {"s": "http://www.w3.org/2000/svg"}
PARSER = etree.XMLParser(resolve_entities=False, huge_tree=True)


def parsed(picture: str) -> etree._Element:
    return etree.fromstring(picture.encode("utf-8"), PARSER)


def words_of(tree: etree._Element, name: str) -> list[str]:
    return [
        "".join(part.itertext())
        for part in tree.iterfind(f".//s:text[@class='{name}']", namespaces=NS)
    ]


def entity(number: int, name: str = "", kinds: tuple[str, ...] = ("Person",)) -> Entity:
    name = name or f"Thing {number}"
    types = tuple(iri(kind) for kind in kinds)
    return Entity(id=f"en-{number:04}", name=name, types=types, mentions=(Span(0, 1, "x"),))


def relation(
    subject: int,
    target: int | Literal,
    label: str = "born in",
    verdict: Verdict = Verdict.GROUNDED,
) -> Relation:
    object_ = target if isinstance(target, Literal) else f"en-{target:04}"
    return Relation(
        id=f"re-{subject}-{label}-{target}",
        subject=f"en-{subject:04}",
        predicate=iri(label),
        object=object_,
        quotes=(Span(0, 5, "words"),),
        verdict=verdict,
    )


Box = tuple[float, float, float, float]


def boxes(tree: etree._Element) -> dict[str, Box]:
    found = {}
    for node in tree.iterfind(".//s:g[@data-entity]", namespaces=NS):
        place = re.fullmatch(r"translate\((\S+) (\S+)\)", node.get("transform", ""))
        rect = node.find("s:rect", namespaces=NS)
        assert place is not None and rect is not None
        x, y = float(place[1]), float(place[2])
        wide, high = float(rect.get("width", "")), float(rect.get("height", ""))
        found[str(node.get("data-entity"))] = (x, y, x + wide, y + high)
    return found


def labels(tree: etree._Element) -> list[Box]:
    found = []
    for text in tree.iterfind(".//s:text[@class='says']", namespaces=NS):
        half = width("".join(text.itertext()), 11.5) / 2
        x, y = float(text.get("x", "")), float(text.get("y", ""))
        found.append((x - half, y - 9.0, x + half, y + 3.0))
    return found


def overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize("count", [1, 5, 30, 120])
def test_everything_is_drawn_and_nothing_covers_anything(count: int) -> None:
    told, space_ontology, _ = space(count)
    picture = svg(told, space_ontology)
    tree = parsed(picture)
    drawn = boxes(tree)
    assert drawn.keys() == {one.id for one in told.entities}
    between = {one.id for one in told.relations if isinstance(one.object, str)}
    lines = {str(one.get("data-relation")) for one in tree.iterfind(".//*[@data-relation]")}
    assert lines == between
    said = labels(tree)
    assert len(said) >= len(between) * 0.97
    everything = [*drawn.values(), *said]
    for at, one in enumerate(everything):
        assert not any(overlap(one, other) for other in everything[at + 1 :])
    _, _, wide, high = map(float, str(tree.get("viewBox")).split())
    moved = str(
        tree.xpath(".//s:g[starts-with(@class, 'drawn')]", namespaces=NS)[0].get("transform")
    )
    x, y = map(float, moved.removeprefix("translate(").removesuffix(")").split())
    assert all(box[0] + x >= 0 and box[2] + x <= wide for box in everything)
    assert all(box[1] + y >= 0 and box[3] + y <= high for box in everything)


def test_a_graph_is_drawn_the_same_each_time_and_in_any_order() -> None:
    told, space_ontology, _ = space(30)
    assert svg(told, space_ontology) == svg(told, space_ontology)
    turned = Graph(
        entities=tuple(reversed(told.entities)), relations=tuple(reversed(told.relations))
    )
    assert svg(replace(told, graph=turned), space_ontology) == svg(told, space_ontology)


def test_the_title_says_what_it_is() -> None:
    told, space_ontology, _ = space(30)
    told = replace(told, completeness=GraphCompleteness.PARTIAL_EARLY_EXIT, by="acme/model-3")
    tree = parsed(svg(told, space_ontology))
    assert words_of(tree, "title") == ["Space flight"]
    line = " ".join(words_of(tree, "told"))
    unverified = sum(one.verdict is Verdict.UNVERIFIED for one in told.relations)
    assert f"30 entities · {len(told.relations)} relations ({unverified} unverified)" in line
    assert "partial: ended early · read by acme/model-3" in line
    kinds = {one.types[0] for one in told.entities}
    assert sum(space_ontology.classes[kind].label in line for kind in kinds) == len(kinds)


def test_a_verdict_can_be_seen_and_what_the_text_denies_is_left_out() -> None:
    graph = Graph(
        entities=(entity(1), entity(2), entity(3)),
        relations=(
            relation(1, 2, "born in"),
            relation(2, 3, "built by", Verdict.UNVERIFIED),
            relation(1, 3, "received", Verdict.UNGROUNDED),
        ),
    )
    tree = parsed(svg(result(graph), ontology()))
    seen = {
        str(one.get("data-relation")): str(one.get("class"))
        for one in tree.iterfind(".//*[@data-relation]")
    }
    assert seen == {
        "re-1-born in-2": "line grounded",
        "re-2-built by-3": "line unverified",
    }
    left_out = "1 relation that the text does not bear out is left out"
    assert words_of(tree, "more") == [left_out]


def test_values_are_rows_of_their_box() -> None:
    mass = Literal("28801", f"{XSD}decimal", "kg")
    told = Attribute(predicate=iri("motto"), value=Literal("Ad astra", ""), span=Span(0, 1, "x"))
    thing = replace(entity(1), attributes=(told,))
    graph = Graph(entities=(thing,), relations=(relation(1, mass, "mass"),))
    tree = parsed(svg(result(graph), ontology()))
    assert words_of(tree, "row") == ["mass: 28801 kg"]
    assert words_of(tree, "row unsure") == ["motto: Ad astra"]
    many = tuple(relation(1, Literal(str(n), "", "kg"), "mass") for n in range(40))
    tree = parsed(svg(result(Graph(entities=(thing,), relations=many)), ontology()))
    assert words_of(tree, "row")[-1] == "and 36 more"
    title = tree.findtext(".//s:g[@data-entity]/s:title", namespaces=NS)
    assert title is not None and all(f"mass: {n} kg" in title for n in range(40))


def test_beyond_150_the_best_connected_are_drawn_and_the_rest_is_said() -> None:
    entities = tuple(entity(n) for n in range(370))
    hub = tuple(relation(n, 369) for n in range(200, 369))
    tree = parsed(svg(result(Graph(entities=entities, relations=hub)), ontology()))
    drawn = boxes(tree)
    assert len(drawn) == 150
    assert "en-0369" in drawn and "en-0000" not in drawn
    assert words_of(tree, "more") == ["and 220 more entities, and 20 more relations"]


def test_several_lines_between_two_boxes_keep_apart() -> None:
    labels_used = ("born in", "built by", "received", "located in")
    relations = tuple(relation(1, 2, label) for label in labels_used)
    back = relation(2, 1, "launched on")
    own = (relation(1, 1, "back-up for"), relation(1, 1, "studied at"))
    graph = Graph(entities=(entity(1), entity(2)), relations=(*relations, back, *own))
    tree = parsed(svg(result(graph), ontology()))
    ways = [str(one.get("d")) for one in tree.iterfind(".//s:g/s:path[@class='way']", NS)]
    assert len(set(ways)) >= 7
    assert sorted(words_of(tree, "says")) == sorted(
        (*labels_used, "launched on", "back-up for", "studied at")
    )


def test_two_that_may_be_the_same_are_joined() -> None:
    one = replace(entity(1), same_as=("en-0002", "en-gone"))
    two = replace(entity(2), same_as=("en-0001",))
    tree = parsed(svg(result(Graph(entities=(one, two))), ontology()))
    assert len(tree.findall(".//s:g[@class='line same']/s:path", NS)) == 1


def test_nothing_is_a_picture_too() -> None:
    tree = parsed(svg(result(Graph(), completeness=GraphCompleteness.EMPTY), Ontology(key="k")))
    assert "No entity was found in the text." in words_of(tree, "told")


HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "&lt;&#0;]]>",
    "\x00\x01\x0b\x1b[31m\ud800\uffff",
    "א" * 40 + "\u202e\u2066 abc",
    "👩‍👩‍👧‍👦" * 30,
    "n" * 10_000,
    "e\u0301" * 5_000,
    " ",
    "",
)


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_name_is_only_a_name(name: str) -> None:
    things = (replace(entity(1), name=name), replace(entity(2), id=f"id {name}"))
    link = replace(relation(1, 2), object=f"id {name}", predicate=f"x#{name}", id=f"r {name}")
    told = result(Graph(entities=things, relations=(link,)), by=name)
    picture = svg(told, replace(ontology(), title=name, version=name))
    tree = parsed(picture)
    assert not tree.findall(".//s:script", NS) and not tree.findall(".//s:img", NS)
    assert "\u202e" not in "".join(words_of(tree, "name"))
    assert len(boxes(tree)) == 2
    title = tree.findtext(".//s:g[@data-entity='en-0001']/s:title", namespaces=NS)
    assert title is not None
    if name.isascii() and name.isalpha():
        assert name in title
        assert len(words_of(tree, "name")[0]) < 60


@settings(max_examples=40)
@given(
    st.lists(st.text(max_size=40), min_size=1, max_size=6),
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from(list(Verdict))),
        max_size=12,
    ),
)
def test_odd_graphs_are_drawn(names: list[str], links: list[tuple[int, int, Verdict]]) -> None:
    entities = tuple(replace(entity(n), name=name) for n, name in enumerate(names))
    relations = tuple(relation(a, b, str(n), verdict) for n, (a, b, verdict) in enumerate(links))
    told = result(Graph(entities=entities, relations=relations))
    tree = parsed(svg(told, ontology()))
    drawn = list(boxes(tree).values())
    assert len(drawn) == len(names)
    everything = [*drawn, *labels(tree)]
    for at, one in enumerate(everything):
        assert not any(overlap(one, other) for other in everything[at + 1 :])
