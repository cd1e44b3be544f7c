"""Joins entities and relations with the same id, and takes a merged graph apart again."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from assay.packs.graph.ids import derive_relation_id, fold_name
from assay.packs.graph.model import (
    Attribute,
    Entity,
    Graph,
    GraphConflict,
    Literal,
    Refusal,
    RefusedClaim,
    Relation,
    RelationVerdict,
)
from assay.packs.graph.ontology.model import THING, Ontology

_WEIGHT: Mapping[RelationVerdict, int] = {
    RelationVerdict.UNGROUNDED: 0,
    RelationVerdict.UNVERIFIED: 1,
    RelationVerdict.GROUNDED: 2,
}
"""A confirmed relation outweighs an unchecked one."""
_BY = ", "


def join_entity(
    held: Iterable[Entity], ontology: Ontology, *, head: Entity | None = None
) -> Entity:
    """Join entities into one, with the name and id of the head, or the id that they all share."""
    entities = tuple(held)
    mentions = tuple(sorted({m for entity in entities for m in entity.mentions}))
    attributes = {a for entity in entities for a in entity.attributes}
    named = head or entities[0]
    kept = Entity(
        id=named.id,
        name=named.name,
        types=choose_most_specific(
            (kind for entity in entities for kind in entity.types), ontology
        ),
        mentions=mentions,
        attributes=tuple(sorted(attributes, key=_sort_key_of)),
        same_as=tuple(sorted({other for entity in entities for other in entity.same_as})),
        confidence=max(entity.confidence for entity in entities),
    )
    return kept if head else replace(kept, name=_choose_fullest_name(entities, kept))


def choose_most_specific(types: Iterable[str], ontology: Ontology) -> tuple[str, ...]:
    """Choose the classes with no other of these below them; of equivalents, the first by IRI."""
    found = set(types)
    dropped = {
        above
        for below, above in ontology.find_above(found)
        if above == THING or below < above or not ontology.is_a(above, below)
    }
    return tuple(sorted(found - dropped))


def _sort_key_of(attribute: Attribute) -> tuple[object, ...]:
    return (attribute.predicate, attribute.value, attribute.span)


def _choose_fullest_name(entities: tuple[Entity, ...], kept: Entity) -> str:
    """Choose the longest spelling of the name, then the most frequent, then the first
    alphabetically."""
    longest = min((entity.name for entity in entities), key=lambda name: (-len(name), name))
    fold = fold_name(longest)
    written = Counter(" ".join(m.words.split()) for m in kept.mentions)
    ways = {entity.name for entity in entities} | set(written)
    alike = [way for way in ways if way == longest or fold_name(way) == fold]
    return min(alike, key=lambda way: (-len(way), -written[way], way))


def choose_head(entities: Iterable[Entity], ontology: Ontology) -> Entity:
    """Choose the entity whose id and name remain when several are merged.

    It is the one with the fullest name: the longest, then the most frequent, then the first
    alphabetically; among equal names, the one with the types of all together, then the first id.
    """
    held = tuple(entities)
    if len(held) == 1:
        return held[0]
    written = Counter(" ".join(m.words.split()) for m in {m for e in held for m in e.mentions})
    types = choose_most_specific((kind for entity in held for kind in entity.types), ontology)
    return min(held, key=lambda e: (-len(e.name), -written[e.name], e.name, e.types != types, e.id))


def join_relation(held: Iterable[Relation]) -> Relation:
    """Join equal relations: all quotes, the best verdict, everyone who found it."""
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


def redirect_relation(relation: Relation, ends: Mapping[str, str]) -> Relation:
    """Point a relation to the merged entities, with the resulting id."""
    subject = ends.get(relation.subject, relation.subject)
    told = relation.object
    object_: str | Literal = told if isinstance(told, Literal) else ends.get(told, told)
    id_ = derive_relation_id(subject, relation.predicate, object_)
    if (id_, subject, object_) == (relation.id, relation.subject, told):
        return relation
    return replace(relation, id=id_, subject=subject, object=object_)


def join_entities(entities: Iterable[Entity], ontology: Ontology) -> dict[str, Entity]:
    """Join the entities with the same id; by id."""
    held: dict[str, list[Entity]] = {}
    for entity in entities:
        held.setdefault(entity.id, []).append(entity)
    return {id_: join_entity(held[id_], ontology) for id_ in sorted(held)}


def join_relations(relations: Iterable[Relation]) -> dict[str, Relation]:
    """Join the relations with the same id; by id."""
    held: dict[str, list[Relation]] = {}
    for relation in relations:
        held.setdefault(relation.id, []).append(relation)
    return {id_: join_relation(held[id_]) for id_ in sorted(held)}


DECIDED = frozenset({"types", "values", "ambiguous"})
"""The kinds of conflicts that every merge finds again."""
_REFLEXIVE = frozenset({"sameas", "equivalentto", "exactmatch", "equals", "identicalto"})
"""Names of properties that may relate a thing to itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseGraph:
    """What the extractors found, before any decision."""

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    refused: tuple[RefusedClaim, ...] = ()
    conflicts: tuple[GraphConflict, ...] = ()
    moved: Mapping[str, str] = field(default_factory=dict)


def take_apart(graph: Graph, ontology: Ontology) -> LooseGraph:
    """Restore what a graph was made of. What changed since the merge stays as it is."""
    others = tuple(each for each in graph.conflicts if each.kind not in DECIDED)
    before = graph.before
    if before is None:
        return LooseGraph(
            entities=graph.entities,
            relations=graph.relations,
            refused=graph.refused,
            conflicts=others,
            moved=graph.moved,
        )
    entities = tuple(_restore_entities(graph, before, ontology))
    kept = {entity.id for entity in entities}
    loops = find_self_relations(before.relations, graph.moved, ontology)
    computed = {*refuse_self_relations(loops, {entity.id: entity for entity in before.entities})}
    return LooseGraph(
        entities=entities,
        relations=(*_restore_relations(graph, before, loops), *loops),
        refused=tuple(each for each in graph.refused if each not in computed),
        conflicts=others,
        moved={
            **{old: new for old, new in graph.moved.items() if old not in kept},
            **before.moved,
        },
    )


def find_self_relations(
    relations: Iterable[Relation], ends: Mapping[str, str], ontology: Ontology
) -> list[Relation]:
    """Find the relations whose ends were merged, except those that may relate a thing to itself."""
    return [
        relation
        for relation in relations
        if isinstance(relation.object, str)
        and relation.subject != relation.object
        and ends.get(relation.subject, relation.subject)
        == ends.get(relation.object, relation.object)
        and not _is_reflexive(relation.predicate, ontology)
    ]


def refuse_self_relations(
    relations: Iterable[Relation], entities: Mapping[str, Entity]
) -> Iterator[RefusedClaim]:
    """Refuse the relations from a thing to itself, once for each of their quotes."""
    for relation in relations:
        subject, object_ = (
            entities[end].name if end in entities else str(end)
            for end in (relation.subject, str(relation.object))
        )
        for quote in relation.quotes:
            yield RefusedClaim(
                Refusal.ONE_ENTITY,
                f"'{subject}' and '{object_}' are one and the same.",
                f"{subject} — {relation.predicate} — {object_}: {quote.words}",
            )


def _restore_entities(graph: Graph, before: Graph, ontology: Ontology) -> Iterator[Entity]:
    held: dict[str, list[Entity]] = {}
    for entity in before.entities:
        held.setdefault(graph.moved.get(entity.id, entity.id), []).append(entity)
    for entity in graph.entities:
        group = held.get(entity.id)
        if group is None or not _is_made_of(entity, group, ontology):
            yield entity
        else:
            yield from group


def _is_made_of(entity: Entity, group: list[Entity], ontology: Ontology) -> bool:
    made = join_entity(group, ontology, head=choose_head(group, ontology))
    return replace(made, same_as=()) == replace(entity, same_as=())


def _restore_relations(graph: Graph, before: Graph, loops: list[Relation]) -> Iterator[Relation]:
    turned = {relation.id for relation in loops}
    held: dict[str, list[Relation]] = {}
    for relation in before.relations:
        if relation.id not in turned:
            held.setdefault(redirect_relation(relation, graph.moved).id, []).append(relation)
    for relation in graph.relations:
        group = held.get(relation.id)
        if (
            group is None
            or join_relation(redirect_relation(each, graph.moved) for each in group) != relation
        ):
            yield relation
        else:
            yield from group


def _is_reflexive(predicate: str, ontology: Ontology) -> bool:
    known = ontology.properties.get(predicate)
    names = (predicate.replace("#", "/").rsplit("/", 1)[-1], known.label if known else "")
    return any(name.replace(" ", "").casefold() in _REFLEXIVE for name in names)
