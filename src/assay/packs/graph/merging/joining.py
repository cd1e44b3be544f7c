"""Entities that have one id made one, and relations likewise. In any order, with one outcome."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from assay.packs.graph.ids import folded_name, relation_id
from assay.packs.graph.model import Attribute, Entity, Literal, Relation, Verdict
from assay.packs.graph.ontology.model import THING, Ontology

_WEIGHT: Mapping[Verdict, int] = {
    Verdict.UNGROUNDED: 0,
    Verdict.UNVERIFIED: 1,
    Verdict.GROUNDED: 2,
}
"""Who has seen it in the text is believed before who has not looked."""
_BY = ", "


def one_entity(held: Iterable[Entity], ontology: Ontology, *, head: Entity | None = None) -> Entity:
    """Entities as one, named and numbered as the head is: without one, as they all are."""
    entities = tuple(held)
    mentions = tuple(sorted({m for entity in entities for m in entity.mentions}))
    attributes = {a for entity in entities for a in entity.attributes}
    named = head or entities[0]
    kept = Entity(
        id=named.id,
        name=named.name,
        types=most_specific((kind for entity in entities for kind in entity.types), ontology),
        mentions=mentions,
        attributes=tuple(sorted(attributes, key=_attribute_key)),
        same_as=tuple(sorted({other for entity in entities for other in entity.same_as})),
        confidence=max(entity.confidence for entity in entities),
    )
    return kept if head else replace(kept, name=_fullest_name(entities, kept))


def most_specific(types: Iterable[str], ontology: Ontology) -> tuple[str, ...]:
    """The classes that have none below them among these; of equals the first by IRI."""
    found = set(types)
    return tuple(
        sorted(
            kind
            for kind in found
            if not any(_says_more(other, kind, ontology) for other in found if other != kind)
        )
    )


def _says_more(one: str, other: str, ontology: Ontology) -> bool:
    if other == THING or not ontology.is_a(one, other):
        return other == THING
    return one < other or not ontology.is_a(other, one)


def _attribute_key(attribute: Attribute) -> tuple[object, ...]:
    return (attribute.predicate, attribute.value, attribute.span)


def _fullest_name(entities: tuple[Entity, ...], kept: Entity) -> str:
    """Of all ways in which the name is written the longest, then the most frequent, then the
    first by alphabet."""
    longest = min((entity.name for entity in entities), key=lambda name: (-len(name), name))
    fold = folded_name(longest)
    written = Counter(" ".join(m.words.split()) for m in kept.mentions)
    ways = {entity.name for entity in entities} | set(written)
    alike = [way for way in ways if way == longest or folded_name(way) == fold]
    return min(alike, key=lambda way: (-len(way), -written[way], way))


def head_of(entities: Iterable[Entity], ontology: Ontology) -> Entity:
    """The entity whose id and name several keep when they are one.

    It is the one with the fullest name: the longest, then the most frequent, then the first by
    alphabet; among equal names the one whose types are those of all together, then the first id.
    """
    held = tuple(entities)
    if len(held) == 1:
        return held[0]
    written = Counter(" ".join(m.words.split()) for m in {m for e in held for m in e.mentions})
    types = most_specific((kind for entity in held for kind in entity.types), ontology)
    return min(held, key=lambda e: (-len(e.name), -written[e.name], e.name, e.types != types, e.id))


def one_relation(held: Iterable[Relation]) -> Relation:
    """Relations that say the same as one: every quote, the best verdict, everyone who found it."""
    relations = tuple(held)
    first = relations[0]
    if len(relations) == 1 and first.quotes == tuple(sorted(set(first.quotes))):
        return first
    return replace(
        first,
        quotes=tuple(sorted({quote for relation in relations for quote in relation.quotes})),
        verdict=max((relation.verdict for relation in relations), key=_WEIGHT.__getitem__),
        confidence=max(relation.confidence for relation in relations),
        by=_BY.join(sorted({by for r in relations for by in r.by.split(_BY) if by})),
    )


def led(relation: Relation, ends: Mapping[str, str]) -> Relation:
    """A relation between what its ends have become, with the id that follows."""
    subject = ends.get(relation.subject, relation.subject)
    told = relation.object
    object_: str | Literal = told if isinstance(told, Literal) else ends.get(told, told)
    id_ = relation_id(subject, relation.predicate, object_)
    if (id_, subject, object_) == (relation.id, relation.subject, told):
        return relation
    return replace(relation, id=id_, subject=subject, object=object_)


def joined_entities(entities: Iterable[Entity], ontology: Ontology) -> dict[str, Entity]:
    """By id, each once."""
    held: dict[str, list[Entity]] = {}
    for entity in entities:
        held.setdefault(entity.id, []).append(entity)
    return {id_: one_entity(held[id_], ontology) for id_ in sorted(held)}


def joined_relations(relations: Iterable[Relation]) -> dict[str, Relation]:
    """By id, each once."""
    held: dict[str, list[Relation]] = {}
    for relation in relations:
        held.setdefault(relation.id, []).append(relation)
    return {id_: one_relation(held[id_]) for id_ in sorted(held)}
