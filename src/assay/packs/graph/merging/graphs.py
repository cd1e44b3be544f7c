"""Merges graphs, lists the conflicts that it cannot resolve, and checks relations."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from assay.packs.graph.computing import stop_if_unwanted
from assay.packs.graph.literals import find_literals, fit_reading
from assay.packs.graph.literals.datatypes import DATE, DATE_TIME, G_YEAR, G_YEAR_MONTH, STRING
from assay.packs.graph.merging.joining import (
    LooseGraph,
    choose_head,
    find_self_relations,
    join_entities,
    join_entity,
    join_relation,
    join_relations,
    redirect_relation,
    refuse_self_relations,
    take_apart,
)
from assay.packs.graph.merging.resolving import EntityDoubt, EntityResolution, resolve_entities
from assay.packs.graph.model import (
    Entity,
    Graph,
    GraphConflict,
    Literal,
    Relation,
    RelationVerdict,
    TextSpan,
)
from assay.packs.graph.ontology.model import Bound, Ontology, Takes
from assay.sdk.facts import fold_quote
from assay.sdk.reading import split_sentences

_CALENDAR = frozenset({DATE, DATE_TIME, G_YEAR, G_YEAR_MONTH})


def find_conflicts(
    entities: Iterable[Entity],
    relations: Iterable[Relation],
    doubts: Iterable[EntityDoubt],
    ends: Mapping[str, str],
    ontology: Ontology,
) -> Iterator[GraphConflict]:
    """Find the conflicts of a graph."""
    by_id = {entity.id: entity for entity in entities}
    for doubt in doubts:
        conflict = _build_name_conflict(doubt, by_id, ends)
        if conflict is not None:
            yield conflict
    yield from _find_value_conflicts(relations, by_id, ontology)


def _build_name_conflict(
    doubt: EntityDoubt, entities: Mapping[str, Entity], ends: Mapping[str, str]
) -> GraphConflict | None:
    subject = ends[doubt.subject]
    between = {ends[each] for each in doubt.between}
    if doubt.kind == "types":
        subject = min(between)
    elif subject in between:
        # Later information has resolved it.
        return None
    if len(between) < 2:
        return None
    name = entities[subject].name
    if doubt.kind == "types":
        detail = f"'{name}' is stated to be of kinds that exclude each other."
    else:
        detail = f"'{name}' can be each of {len(between)} things."
    return GraphConflict(
        kind=doubt.kind, subject=subject, between=tuple(sorted(between)), detail=detail
    )


def _find_value_conflicts(
    relations: Iterable[Relation], entities: Mapping[str, Entity], ontology: Ontology
) -> Iterator[GraphConflict]:
    held: dict[tuple[str, str], list[Relation]] = {}
    for relation in relations:
        if relation.verdict is not RelationVerdict.UNGROUNDED:
            held.setdefault((relation.subject, relation.predicate), []).append(relation)
    for (subject, predicate), told in sorted(held.items()):
        if len(told) < 2 or not _takes_one_value(predicate, entities.get(subject), ontology):
            continue
        if any(_are_different(one.object, other.object) for one in told for other in told):
            yield _build_value_conflict(subject, predicate, told, entities, ontology)


def _build_value_conflict(
    subject: str,
    predicate: str,
    told: list[Relation],
    entities: Mapping[str, Entity],
    ontology: Ontology,
) -> GraphConflict:
    known = ontology.properties.get(predicate)
    label = known.label if known else predicate
    name = entities[subject].name if subject in entities else subject
    return GraphConflict(
        kind="values",
        subject=subject,
        predicate=predicate,
        between=tuple(sorted(relation.id for relation in told)),
        detail=f"'{name}' has {len(told)} values of '{label}', which has one at most.",
    )


def _takes_one_value(predicate: str, subject: Entity | None, ontology: Ontology) -> bool:
    """Whether a thing has at most one value of a property."""
    known = ontology.properties.get(predicate)
    if known is not None and known.functional:
        return True
    return subject is not None and any(
        rule.bound is Bound.MOST
        and rule.count <= 1
        and rule.property == predicate
        and ontology.match_any(subject.types, (rule.on,))
        for rule in ontology.restrictions
    )


def _are_different(one: str | Literal, other: str | Literal) -> bool:
    """Whether two values contradict each other; a year does not contradict a day in it."""
    if isinstance(one, str) or isinstance(other, str):
        return one != other
    if one.datatype in _CALENDAR and other.datatype in _CALENDAR:
        short, long = sorted((one.value, other.value), key=len)
        return not long.startswith(short)
    return one != other


def check_relation(
    relation: Relation,
    entities: Mapping[str, Entity],
    ontology: Ontology,
    texts: Mapping[str, str],
) -> Relation:
    """Return the relation with its verdict.

    It is grounded if every quote is found in its text, one of the quotes mentions its subject and
    object, and the ontology allows it. One of the two may be mentioned in the sentence before or
    after. `texts` has each document by its hash.
    """
    stop_if_unwanted()
    subject = entities.get(relation.subject)
    grounded = (
        subject is not None
        and bool(relation.quotes)
        and all(_is_in_text(quote, texts) for quote in relation.quotes)
        and _is_allowed(relation, subject, entities, ontology)
        and any(
            _speaks_of_both(quote, relation, subject, entities, texts) for quote in relation.quotes
        )
    )
    verdict = RelationVerdict.GROUNDED if grounded else RelationVerdict.UNGROUNDED
    return replace(relation, verdict=verdict)


def _is_in_text(quote: TextSpan, texts: Mapping[str, str]) -> bool:
    text = texts.get(quote.document)
    return text is not None and bool(quote.words) and text[quote.start : quote.end] == quote.words


def _is_allowed(
    relation: Relation, subject: Entity, entities: Mapping[str, Entity], ontology: Ontology
) -> bool:
    told = relation.object
    if isinstance(told, str):
        object_ = entities.get(told)
        return object_ is not None and ontology.allows_relation(
            relation.predicate, subject.types, object_.types
        )
    known = ontology.properties.get(relation.predicate)
    if known is None or known.takes is Takes.ENTITY:
        return False
    if not ontology.match_any(subject.types, known.domains):
        return False
    if known.datatype is None:
        return True
    fits = fit_reading((told,), told.value, known.datatype)
    return fits is not None and fits.datatype == told.datatype


def _speaks_of_both(
    quote: TextSpan,
    relation: Relation,
    subject: Entity,
    entities: Mapping[str, Entity],
    texts: Mapping[str, str],
) -> bool:
    """Whether a quote mentions both ends, one of them possibly in an adjacent sentence."""
    start, end = _widen_to_neighbours(texts[quote.document], quote.start, quote.end)
    wide = replace(quote, start=start, end=end)
    if isinstance(relation.object, Literal):
        return _states_value(quote.words, relation.object) and _is_mentioned(subject, wide)
    ends = (subject, entities[relation.object])
    return any(_is_mentioned(one, quote) for one in ends) and all(
        _is_mentioned(one, wide) for one in ends
    )


def _is_mentioned(entity: Entity, stretch: TextSpan) -> bool:
    return any(
        mention.document == stretch.document
        and stretch.start <= mention.start
        and mention.end <= stretch.end
        for mention in entity.mentions
    )


def _states_value(words: str, literal: Literal) -> bool:
    """Whether the words contain the value."""
    if literal.datatype == STRING:
        value = re.escape(fold_quote(literal.value).casefold())
        return re.search(rf"(?<!\w){value}(?!\w)", fold_quote(words).casefold()) is not None
    return any(
        read.value == literal.value and literal.unit in ("", read.unit)
        for found in find_literals(words)
        for read in (found.fit_datatype(literal.datatype), *found.readings)
        if read is not None and read.datatype == literal.datatype
    )


def _widen_to_neighbours(text: str, start: int, end: int) -> tuple[int, int]:
    """Extend a stretch by the sentences before and after it."""
    starts, ends = _split_text(text)
    first = max(0, bisect_right(starts, start) - 2)
    last = min(len(ends) - 1, bisect_left(ends, end) + 1)
    return min(start, starts[first]), max(end, ends[last])


@lru_cache(maxsize=8)
def _split_text(text: str) -> tuple[list[int], list[int]]:
    found: Iterable[tuple[int, int]] = split_sentences(text)
    starts, ends = zip(*found, strict=True) if found else ((0,), (0,))
    return list(starts), list(ends)


def merge_graphs(graphs: Iterable[Graph], ontology: Ontology) -> Graph:
    """Merge graphs across chunks, parts and documents.

    Entities that are the same get the id of the one with the fullest name; `moved` lists the ids
    that were replaced. No mention, quote or refusal is lost. What could not be decided is reported
    as a conflict.
    """
    loose = _combine_parts([take_apart(graph, ontology) for graph in graphs], ontology)
    entities = {entity.id: entity for entity in loose.entities}
    onwards = _follow_moves(loose.moved, entities)
    gone = {old: new for old, new in onwards.items() if old not in entities}
    told = [redirect_relation(relation, gone) for relation in loose.relations]
    resolution = resolve_entities(entities, told, onwards, ontology)
    made = _merge_entities(entities, resolution, gone, ontology)
    ends = made.ends
    loops = find_self_relations(loose.relations, ends, ontology)
    relations, changed = _merge_relations(loose.relations, loops, ends)
    conflicts = find_conflicts(made.entities, relations, resolution.doubts, ends, ontology)
    return Graph(
        entities=made.entities,
        relations=relations,
        refused=tuple(sorted({*loose.refused, *refuse_self_relations(loops, entities)})),
        conflicts=tuple(sorted({*conflicts, *_move_conflicts(loose, ends)}, key=repr)),
        moved={old: new for old, new in sorted(ends.items()) if old != new},
        before=_keep_earlier(made.changed, (*changed, *loops), loose.moved, ends, gone),
    )


@dataclass(frozen=True, slots=True)
class _MergedEntities:
    entities: tuple[Entity, ...]
    ends: Mapping[str, str]
    """Every known id → the entity that it belongs to now."""
    changed: tuple[Entity, ...]
    """The entities that the merge changed, in their original form."""


def _combine_parts(parts: list[LooseGraph], ontology: Ontology) -> LooseGraph:
    entities = join_entities((e for part in parts for e in part.entities), ontology)
    relations = join_relations(redirect_relation(r, {}) for part in parts for r in part.relations)
    moved: dict[str, str] = {}
    for part in parts:
        for old, new in part.moved.items():
            if old != new:
                # If two disagree, choose the same one whatever their order.
                moved[old] = min(new, moved.get(old, new))
    return LooseGraph(
        entities=tuple(entities.values()),
        relations=tuple(relations.values()),
        refused=tuple({refused for part in parts for refused in part.refused}),
        conflicts=tuple({conflict for part in parts for conflict in part.conflicts}),
        moved=moved,
    )


def _follow_moves(moved: Mapping[str, str], entities: Mapping[str, Entity]) -> dict[str, str]:
    """Map each replaced id to the last one that it leads to."""
    found: dict[str, str] = {}
    for old in moved:
        seen, place = {old}, moved[old]
        while place in moved and place not in entities and place not in seen:
            seen.add(place)
            place = moved[place]
        found[old] = place
    return found


def _merge_entities(
    entities: Mapping[str, Entity],
    resolution: EntityResolution,
    gone: Mapping[str, str],
    ontology: Ontology,
) -> _MergedEntities:
    groups = [[entities[id_] for id_ in group] for group in resolution.groups]
    heads = [choose_head(group, ontology) for group in groups]
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
        stop_if_unwanted()
        whole = join_entity(group, ontology, head=head)
        same = {ends.get(other, other) for other in whole.same_as} | links.get(head.id, set())
        whole = replace(whole, same_as=tuple(sorted(same - {head.id})))
        made.append(whole)
        if len(group) > 1 or whole != head:
            changed += group
    return _MergedEntities(tuple(sorted(made, key=lambda entity: entity.id)), ends, tuple(changed))


def _merge_relations(
    every: Iterable[Relation], loops: Iterable[Relation], ends: Mapping[str, str]
) -> tuple[tuple[Relation, ...], list[Relation]]:
    """Return the relations between the merged entities, and those that this changed."""
    dropped = {relation.id for relation in loops}
    held: dict[str, list[Relation]] = {}
    for relation in every:
        if relation.id not in dropped:
            held.setdefault(redirect_relation(relation, ends).id, []).append(relation)
    made: list[Relation] = []
    changed: list[Relation] = []
    for _, group in sorted(held.items()):
        whole = join_relation(redirect_relation(relation, ends) for relation in group)
        made.append(whole)
        if len(group) > 1 or whole != group[0]:
            changed += group
    return tuple(made), changed


def _move_conflicts(loose: LooseGraph, ends: Mapping[str, str]) -> Iterator[GraphConflict]:
    for conflict in loose.conflicts:
        yield replace(
            conflict,
            subject=ends.get(conflict.subject, conflict.subject),
            between=tuple(sorted({ends.get(each, each) for each in conflict.between})),
        )


def _keep_earlier(
    entities: Iterable[Entity],
    relations: Iterable[Relation],
    moved: Mapping[str, str],
    ends: Mapping[str, str],
    gone: Mapping[str, str],
) -> Graph | None:
    """Keep what the merged graph itself no longer shows."""
    told = {old: ends[old] for old in gone}
    kept = Graph(
        entities=tuple(sorted(entities, key=lambda entity: entity.id)),
        relations=tuple(sorted(relations, key=lambda relation: relation.id)),
        moved=dict(sorted(moved.items())) if dict(moved) != told else {},
    )
    return None if kept == Graph() else kept
