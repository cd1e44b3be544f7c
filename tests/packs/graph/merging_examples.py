"""A small ontology, and graphs that are quick to write down."""

from assay.packs.graph.ids import derive_entity_id, derive_relation_id
from assay.packs.graph.model import (
    DETERMINISTIC,
    Entity,
    Graph,
    Literal,
    Relation,
    RelationVerdict,
    TextSpan,
)
from assay.packs.graph.ontology.model import (
    THING,
    XSD,
    Bound,
    Ontology,
    OntologyClass,
    Property,
    Restriction,
    Takes,
)

BASE = "https://example.org/"
ABOVE = {
    "Agent": (),
    "Person": ("Agent",),
    "Scientist": ("Person",),
    "Company": ("Agent",),
    "Place": (),
}


def iri(name: str) -> str:
    return THING if name == "Thing" else BASE + name


ONTOLOGY = Ontology(
    key="example",
    classes={
        iri(name): OntologyClass(iri=iri(name), label=name, parents=tuple(map(iri, above)))
        for name, above in ABOVE.items()
    },
    properties={
        iri("bornOn"): Property(
            iri=iri("bornOn"),
            label="born on",
            takes=Takes.LITERAL,
            datatype=XSD + "date",
            functional=True,
        ),
        iri("bornIn"): Property(
            iri=iri("bornIn"),
            label="born in",
            takes=Takes.ENTITY,
            domains=(iri("Person"),),
            ranges=(iri("Place"),),
        ),
        iri("knows"): Property(iri=iri("knows"), label="knows", symmetric=True),
        iri("sameAs"): Property(iri=iri("sameAs"), label="same as"),
        iri("height"): Property(
            iri=iri("height"), label="height", takes=Takes.LITERAL, datatype=XSD + "decimal"
        ),
        iri("motto"): Property(iri=iri("motto"), label="motto", takes=Takes.LITERAL),
    },
    restrictions=(
        Restriction(on=iri("Person"), property=iri("bornIn"), bound=Bound.MOST, count=1),
    ),
)


def span(words: str, start: int = 0, document: str = "d1") -> TextSpan:
    return TextSpan(start, start + len(words), words, document)


def entity(
    name: str,
    *types: str,
    at: int = 0,
    document: str = "d1",
    said: tuple[str, ...] = (),
    confidence: float = 1.0,
) -> Entity:
    """An entity that is mentioned by its name, and by whatever else is said."""
    kinds = tuple(sorted(map(iri, types)))
    mentions = {
        span(words, at + 100 * place, document) for place, words in enumerate((name, *said))
    }
    return Entity(
        id=derive_entity_id(name, kinds),
        name=name,
        types=kinds,
        mentions=tuple(sorted(mentions)),
        confidence=confidence,
    )


def relation(
    subject: Entity,
    predicate: str,
    object_: Entity | Literal,
    *,
    at: int = 0,
    document: str = "d1",
    verdict: RelationVerdict = RelationVerdict.UNVERIFIED,
    confidence: float = 1.0,
    by: str = DETERMINISTIC,
) -> Relation:
    """A relation with a sentence as its quote."""
    end = object_ if isinstance(object_, Literal) else object_.id
    told = object_.value if isinstance(object_, Literal) else object_.name
    return Relation(
        id=derive_relation_id(subject.id, iri(predicate), end),
        subject=subject.id,
        predicate=iri(predicate),
        object=end,
        quotes=(span(f"{subject.name} {predicate} {told}.", at, document),),
        verdict=verdict,
        confidence=confidence,
        by=by,
    )


def graph(*parts: Entity | Relation) -> Graph:
    return Graph(
        entities=tuple(part for part in parts if isinstance(part, Entity)),
        relations=tuple(part for part in parts if isinstance(part, Relation)),
    )
