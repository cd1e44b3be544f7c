"""What is drawn of a graph: which entities, with which values, and the lines between them."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from assay.packs.graph.model import Entity, Literal, Relation, Verdict
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.picture.words import line
from assay.packs.graph.results import GraphResult

MOST_NODES = 150
MOST_LINES = 400
COLOURS = 11
"""Kinds that have a colour of their own; the others share one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A typed value of an entity, as a row of its box."""

    words: str
    verified: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An entity that is drawn."""

    entity: Entity
    name: str
    kind: str
    """The label of its first class."""
    kinds: tuple[str, ...]
    colour: int
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A relation between two entities that are drawn, or that they may be the same thing."""

    source: int
    target: int
    label: str
    relation: Relation | None
    """None: the two may be the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A row of the legend."""

    label: str
    colour: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """All that is drawn, and how much is not."""

    nodes: tuple[Node, ...]
    lines: tuple[Line, ...]
    kinds: tuple[Kind, ...]
    nodes_left: int
    lines_left: int
    ungrounded: int


def label_of(iri: str, ontology: Ontology) -> str:
    """What the ontology calls a class or a property; else the end of its IRI."""
    known = ontology.classes.get(iri) or ontology.properties.get(iri)
    told = line(known.label) if known is not None else ""
    return told or line(iri.rstrip("/#").rsplit("/", 1)[-1].rsplit("#", 1)[-1]) or line(iri) or "?"


def value_words(value: Literal) -> str:
    """A value as it is read."""
    return line(f"{value.value} {value.unit}")


def colours_of(entities: tuple[Entity, ...]) -> dict[str, int]:
    """A colour for each first class, the most frequent ones first; the rest share the last."""
    counts = Counter(_first(entity) for entity in entities)
    ranked = sorted(counts, key=lambda iri: (-counts[iri], iri))
    return {iri: min(rank, COLOURS) for rank, iri in enumerate(ranked)}


def scene_of(result: GraphResult, ontology: Ontology) -> Scene:
    """What is drawn of a result: the best-connected entities, and what holds between them."""
    told = [one for one in result.relations if one.verdict is not Verdict.UNGROUNDED]
    drawn = _best_connected(result.entities, told)
    places = {entity.id: at for at, entity in enumerate(drawn)}
    colours = colours_of(result.entities)
    values = _values(drawn, told, ontology)
    nodes = tuple(_node(entity, values[entity.id], colours, ontology) for entity in drawn)
    between = [one for one in told if isinstance(one.object, str)]
    lines = [
        Line(
            source=places[one.subject],
            target=places[str(one.object)],
            label=label_of(one.predicate, ontology),
            relation=one,
        )
        for one in sorted(between, key=_worth)
        if one.subject in places and one.object in places
    ][:MOST_LINES]
    return Scene(
        nodes=nodes,
        lines=(*lines, *_same(drawn, places)),
        kinds=_kinds(nodes),
        nodes_left=len(result.entities) - len(drawn),
        lines_left=len(between) - len(lines),
        ungrounded=len(result.relations) - len(told),
    )


def _first(entity: Entity) -> str:
    return entity.types[0] if entity.types else ""


def _worth(relation: Relation) -> tuple[bool, float, str]:
    return relation.verdict is not Verdict.GROUNDED, -relation.confidence, relation.id


def _best_connected(entities: tuple[Entity, ...], relations: list[Relation]) -> list[Entity]:
    ends = Counter(
        end
        for one in relations
        if isinstance(one.object, str) and one.object != one.subject
        for end in (one.subject, one.object)
    )
    ranked = sorted(entities, key=lambda one: (-ends[one.id], -len(one.mentions), one.id))
    return sorted(ranked[:MOST_NODES], key=lambda one: one.id)


def _values(
    entities: list[Entity], relations: list[Relation], ontology: Ontology
) -> dict[str, list[Value]]:
    found: dict[str, dict[str, bool]] = defaultdict(dict)
    for one in relations:
        if isinstance(one.object, Literal):
            words = f"{label_of(one.predicate, ontology)}: {value_words(one.object)}"
            verified = one.verdict is Verdict.GROUNDED
            found[one.subject][words] = verified or found[one.subject].get(words, False)
    for entity in entities:
        for told in entity.attributes:
            words = f"{label_of(told.predicate, ontology)}: {value_words(told.value)}"
            found[entity.id].setdefault(words, False)
    return {
        entity.id: [
            Value(words=words, verified=verified)
            for words, verified in sorted(found[entity.id].items())
        ]
        for entity in entities
    }


def _node(entity: Entity, values: list[Value], colours: dict[str, int], ontology: Ontology) -> Node:
    kinds = tuple(label_of(iri, ontology) for iri in entity.types) or ("?",)
    return Node(
        entity=entity,
        name=line(entity.name) or "?",
        kind=kinds[0],
        kinds=kinds,
        colour=colours[_first(entity)],
        values=tuple(values),
    )


def _same(entities: list[Entity], places: dict[str, int]) -> list[Line]:
    pairs = {
        (min(places[one.id], places[other]), max(places[one.id], places[other]))
        for one in entities
        for other in one.same_as
        if other in places and other != one.id
    }
    return [
        Line(source=a, target=b, label="perhaps the same", relation=None) for a, b in sorted(pairs)
    ]


def _kinds(nodes: tuple[Node, ...]) -> tuple[Kind, ...]:
    counts = Counter(node.colour for node in nodes)
    labels = {node.colour: node.kind for node in nodes} | {COLOURS: "other kinds"}
    return tuple(
        Kind(label=labels[colour], colour=colour, count=counts[colour]) for colour in sorted(counts)
    )
