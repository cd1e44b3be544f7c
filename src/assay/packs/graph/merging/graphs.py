"""Many graphs made one.

A merge decides from what the extractors found, never from what an earlier merge made of it: a
graph keeps in `before` whatever was changed, and is taken apart again before it is merged with
others. So neither the order nor the grouping of merges can be seen in their outcome.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from assay.packs.graph.merging.apart import Loose, self_relations, taken_apart, turned_away
from assay.packs.graph.merging.conflicts import conflicts_in
from assay.packs.graph.merging.joining import (
    head_of,
    joined_entities,
    joined_relations,
    led,
    one_entity,
    one_relation,
)
from assay.packs.graph.merging.resolving import Resolution, resolved
from assay.packs.graph.model import Conflict, Entity, Graph, Relation
from assay.packs.graph.ontology.model import Ontology


def merged(graphs: Iterable[Graph], ontology: Ontology) -> Graph:
    """One graph of many, across chunks, parts and documents.

    Entities that are the same keep the id of the one with the fullest name; `moved` tells the ids
    that were given up. No mention, quote or refusal is lost. What could not be decided is told as
    a conflict.
    """
    loose = _together([taken_apart(graph, ontology) for graph in graphs], ontology)
    entities = {entity.id: entity for entity in loose.entities}
    onwards = _closed(loose.moved, entities)
    gone = {old: new for old, new in onwards.items() if old not in entities}
    told = [led(relation, gone) for relation in loose.relations]
    resolution = resolved(entities, told, onwards, ontology)
    made = _entities(entities, resolution, gone, ontology)
    ends = made.ends
    loops = self_relations(loose.relations, ends, ontology)
    relations, changed = _relations(loose.relations, loops, ends)
    conflicts = conflicts_in(made.entities, relations, resolution.doubts, ends, ontology)
    return Graph(
        entities=made.entities,
        relations=relations,
        refused=tuple(sorted({*loose.refused, *turned_away(loops, entities)})),
        conflicts=tuple(sorted({*conflicts, *_moved_conflicts(loose, ends)}, key=repr)),
        moved={old: new for old, new in sorted(ends.items()) if old != new},
        before=_before(made.changed, (*changed, *loops), loose.moved, ends, gone),
    )


@dataclass(frozen=True, slots=True)
class _Made:
    entities: tuple[Entity, ...]
    ends: Mapping[str, str]
    """Every id that is known → the entity that it is now."""
    changed: tuple[Entity, ...]
    """What became of them is something else than they were."""


def _together(parts: list[Loose], ontology: Ontology) -> Loose:
    entities = joined_entities((e for part in parts for e in part.entities), ontology)
    relations = joined_relations(led(r, {}) for part in parts for r in part.relations)
    moved: dict[str, str] = {}
    for part in parts:
        for old, new in part.moved.items():
            if old != new:
                # Two that disagree: the one that every order of them gives.
                moved[old] = min(new, moved.get(old, new))
    return Loose(
        entities=tuple(entities.values()),
        relations=tuple(relations.values()),
        refused=tuple({refused for part in parts for refused in part.refused}),
        conflicts=tuple({conflict for part in parts for conflict in part.conflicts}),
        moved=moved,
    )


def _closed(moved: Mapping[str, str], entities: Mapping[str, Entity]) -> dict[str, str]:
    """Each id that was given up with the last one that it leads to."""
    found: dict[str, str] = {}
    for old in moved:
        seen, place = {old}, moved[old]
        while place in moved and place not in entities and place not in seen:
            seen.add(place)
            place = moved[place]
        found[old] = place
    return found


def _entities(
    entities: Mapping[str, Entity],
    resolution: Resolution,
    gone: Mapping[str, str],
    ontology: Ontology,
) -> _Made:
    groups = [[entities[id_] for id_ in group] for group in resolution.groups]
    heads = [head_of(group, ontology) for group in groups]
    ends = {
        entity.id: head.id for group, head in zip(groups, heads, strict=True) for entity in group
    }
    ends |= {old: ends.get(new, new) for old, new in gone.items()}
    links: dict[str, set[str]] = {}
    for one, other in resolution.links:
        links.setdefault(ends[one], set()).add(ends[other])
        links.setdefault(ends[other], set()).add(ends[one])
    made: list[Entity] = []
    changed: list[Entity] = []
    for group, head in zip(groups, heads, strict=True):
        whole = one_entity(group, ontology, head=head)
        same = {ends.get(other, other) for other in whole.same_as} | links.get(head.id, set())
        whole = replace(whole, same_as=tuple(sorted(same - {head.id})))
        made.append(whole)
        if len(group) > 1 or whole != head:
            changed += group
    return _Made(tuple(sorted(made, key=lambda entity: entity.id)), ends, tuple(changed))


def _relations(
    every: Iterable[Relation], loops: Iterable[Relation], ends: Mapping[str, str]
) -> tuple[tuple[Relation, ...], list[Relation]]:
    """The relations between what their ends have become, and those that this changed."""
    dropped = {relation.id for relation in loops}
    held: dict[str, list[Relation]] = {}
    for relation in every:
        if relation.id not in dropped:
            held.setdefault(led(relation, ends).id, []).append(relation)
    made: list[Relation] = []
    changed: list[Relation] = []
    for _, group in sorted(held.items()):
        whole = one_relation(led(relation, ends) for relation in group)
        made.append(whole)
        if len(group) > 1 or whole != group[0]:
            changed += group
    return tuple(made), changed


def _moved_conflicts(loose: Loose, ends: Mapping[str, str]) -> Iterator[Conflict]:
    for conflict in loose.conflicts:
        yield replace(
            conflict,
            subject=ends.get(conflict.subject, conflict.subject),
            between=tuple(sorted({ends.get(each, each) for each in conflict.between})),
        )


def _before(
    entities: Iterable[Entity],
    relations: Iterable[Relation],
    moved: Mapping[str, str],
    ends: Mapping[str, str],
    gone: Mapping[str, str],
) -> Graph | None:
    """All that the graph itself does not tell any more."""
    told = {old: ends[old] for old in gone}
    kept = Graph(
        entities=tuple(sorted(entities, key=lambda entity: entity.id)),
        relations=tuple(sorted(relations, key=lambda relation: relation.id)),
        moved=dict(sorted(moved.items())) if dict(moved) != told else {},
    )
    return None if kept == Graph() else kept
