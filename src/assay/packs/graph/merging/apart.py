"""A merged graph taken apart into what it was made of."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from assay.packs.graph.merging.joining import head_of, led, one_entity, one_relation
from assay.packs.graph.model import (
    Conflict,
    Entity,
    Graph,
    Refusal,
    Refused,
    Relation,
)
from assay.packs.graph.ontology.model import Ontology

DECIDED = frozenset({"types", "values", "ambiguous"})
"""The kinds of conflicts that every merge finds anew."""
_REFLEXIVE = frozenset({"sameas", "equivalentto", "exactmatch", "equals", "identicalto"})
"""Names of properties that a thing has to itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loose:
    """What extractors found, before anything is decided."""

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    refused: tuple[Refused, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    moved: Mapping[str, str] = field(default_factory=dict)


def taken_apart(graph: Graph, ontology: Ontology) -> Loose:
    """What a graph was made of. What was changed since the merge stays as it is now."""
    others = tuple(each for each in graph.conflicts if each.kind not in DECIDED)
    before = graph.before
    if before is None:
        return Loose(
            entities=graph.entities,
            relations=graph.relations,
            refused=graph.refused,
            conflicts=others,
            moved=graph.moved,
        )
    entities = tuple(_entities_of(graph, before, ontology))
    kept = {entity.id for entity in entities}
    loops = self_relations(before.relations, graph.moved, ontology)
    computed = {*turned_away(loops, {entity.id: entity for entity in before.entities})}
    return Loose(
        entities=entities,
        relations=(*_relations_of(graph, before, loops), *loops),
        refused=tuple(each for each in graph.refused if each not in computed),
        conflicts=others,
        moved={
            **{old: new for old, new in graph.moved.items() if old not in kept},
            **before.moved,
        },
    )


def self_relations(
    relations: Iterable[Relation], ends: Mapping[str, str], ontology: Ontology
) -> list[Relation]:
    """The relations whose two ends have become one, but for those that a thing has to itself."""
    return [
        relation
        for relation in relations
        if isinstance(relation.object, str)
        and relation.subject != relation.object
        and ends.get(relation.subject, relation.subject)
        == ends.get(relation.object, relation.object)
        and not _is_reflexive(relation.predicate, ontology)
    ]


def turned_away(relations: Iterable[Relation], entities: Mapping[str, Entity]) -> Iterator[Refused]:
    """What is told of relations that lead from a thing to itself, each of their quotes included."""
    for relation in relations:
        subject, object_ = (
            entities[end].name if end in entities else str(end)
            for end in (relation.subject, str(relation.object))
        )
        for quote in relation.quotes:
            yield Refused(
                Refusal.ONE_ENTITY,
                f"'{subject}' and '{object_}' are one and the same.",
                f"{subject} — {relation.predicate} — {object_}: {quote.words}",
            )


def _entities_of(graph: Graph, before: Graph, ontology: Ontology) -> Iterator[Entity]:
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
    made = one_entity(group, ontology, head=head_of(group, ontology))
    return replace(made, same_as=()) == replace(entity, same_as=())


def _relations_of(graph: Graph, before: Graph, loops: list[Relation]) -> Iterator[Relation]:
    turned = {relation.id for relation in loops}
    held: dict[str, list[Relation]] = {}
    for relation in before.relations:
        if relation.id not in turned:
            held.setdefault(led(relation, graph.moved).id, []).append(relation)
    for relation in graph.relations:
        group = held.get(relation.id)
        if group is None or one_relation(led(each, graph.moved) for each in group) != relation:
            yield relation
        else:
            yield from group


def _is_reflexive(predicate: str, ontology: Ontology) -> bool:
    known = ontology.properties.get(predicate)
    names = (predicate.replace("#", "/").rsplit("/", 1)[-1], known.label if known else "")
    return any(name.replace(" ", "").casefold() in _REFLEXIVE for name in names)
