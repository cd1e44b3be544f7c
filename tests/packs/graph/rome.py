"""A small graph of two sentences, as the tests of writing and of shapes use it."""

from assay.packs.graph.ids import derive_entity_id, derive_relation_id
from assay.packs.graph.model import (
    Attribute,
    Entity,
    Graph,
    Literal,
    Relation,
    RelationVerdict,
    TextSpan,
)
from assay.packs.graph.ontology.model import XSD, Ontology

EX = "http://example.org/places#"
TEXT = 'Rome is the capital of Italy.\nThe "Trevi" fountain is 26.3 m high.'
DOCUMENT = "d1"
ONTOLOGY = Ontology(
    key="k1", iri="http://example.org/places", title="Places", prefixes={"ex": EX, "rdf": EX}
)


def span(words: str, within: str = TEXT, document: str = DOCUMENT) -> TextSpan:
    """The first place of some words."""
    start = within.index(words)
    return TextSpan(start, start + len(words), words, document)


def entity(name: str, *types: str, **more: object) -> Entity:
    """A thing of the text."""
    iris = tuple(sorted(EX + each for each in types))
    values: dict[str, object] = {"mentions": (span(name),), **more}
    return Entity(id=derive_entity_id(name, iris), name=name, types=iris, **values)  # type: ignore[arg-type]


def relation(
    subject: Entity, name: str, object_: Entity | Literal, quote: str, **more: object
) -> Relation:
    """What a sentence says."""
    value = object_.id if isinstance(object_, Entity) else object_
    return Relation(
        id=derive_relation_id(subject.id, EX + name, value),
        subject=subject.id,
        predicate=EX + name,
        object=value,
        quotes=(span(quote),),
        **more,  # type: ignore[arg-type]
    )


FIRST, SECOND = TEXT.split("\n")
ROME = entity("Rome", "City")
ITALY = entity("Italy", "Country", confidence=0.9)
HIGH = Literal("26.3", f"{XSD}decimal", "m")
TREVI = entity(
    "Trevi",
    "Fountain",
    "Sight",
    attributes=(Attribute(predicate=f"{EX}height", value=HIGH, span=span("26.3 m")),),
    same_as=("en_other",),
)
CAPITAL = relation(
    ROME,
    "capitalOf",
    ITALY,
    FIRST,
    verdict=RelationVerdict.GROUNDED,
    confidence=0.95,
    by="stub/model",
)
HEIGHT = relation(TREVI, "height", HIGH, SECOND)
WRONG = relation(ROME, "height", HIGH, SECOND, verdict=RelationVerdict.UNGROUNDED)
GRAPH = Graph(entities=(ROME, ITALY, TREVI), relations=(CAPITAL, HEIGHT, WRONG))
