"""What a merged graph cannot settle: several values where there is one, names of two things."""

from collections.abc import Iterable, Iterator, Mapping

from assay.packs.graph.literals.datatypes import DATE, DATE_TIME, G_YEAR, G_YEAR_MONTH
from assay.packs.graph.merging.resolving import Doubt
from assay.packs.graph.model import Conflict, Entity, Literal, Relation, Verdict
from assay.packs.graph.ontology.model import Bound, Ontology

_CALENDAR = frozenset({DATE, DATE_TIME, G_YEAR, G_YEAR_MONTH})


def conflicts_in(
    entities: Iterable[Entity],
    relations: Iterable[Relation],
    doubts: Iterable[Doubt],
    ends: Mapping[str, str],
    ontology: Ontology,
) -> Iterator[Conflict]:
    """The conflicts of a graph."""
    by_id = {entity.id: entity for entity in entities}
    for doubt in doubts:
        conflict = _of_names(doubt, by_id, ends)
        if conflict is not None:
            yield conflict
    yield from _of_values(relations, by_id, ontology)


def _of_names(
    doubt: Doubt, entities: Mapping[str, Entity], ends: Mapping[str, str]
) -> Conflict | None:
    subject = ends[doubt.subject]
    between = {ends[each] for each in doubt.between}
    if doubt.kind == "types":
        subject = min(between)
    elif subject in between:
        # What came later has settled it.
        return None
    if len(between) < 2:
        return None
    name = entities[subject].name
    if doubt.kind == "types":
        detail = f"'{name}' is told to be of kinds that exclude each other."
    else:
        detail = f"'{name}' can be each of {len(between)} things."
    return Conflict(kind=doubt.kind, subject=subject, between=tuple(sorted(between)), detail=detail)


def _of_values(
    relations: Iterable[Relation], entities: Mapping[str, Entity], ontology: Ontology
) -> Iterator[Conflict]:
    held: dict[tuple[str, str], list[Relation]] = {}
    for relation in relations:
        if relation.verdict is not Verdict.UNGROUNDED:
            held.setdefault((relation.subject, relation.predicate), []).append(relation)
    for (subject, predicate), told in sorted(held.items()):
        if len(told) < 2 or not _has_one(predicate, entities.get(subject), ontology):
            continue
        if any(_differ(one.object, other.object) for one in told for other in told):
            yield _of_one_property(subject, predicate, told, entities, ontology)


def _of_one_property(
    subject: str,
    predicate: str,
    told: list[Relation],
    entities: Mapping[str, Entity],
    ontology: Ontology,
) -> Conflict:
    known = ontology.properties.get(predicate)
    label = known.label if known else predicate
    name = entities[subject].name if subject in entities else subject
    return Conflict(
        kind="values",
        subject=subject,
        predicate=predicate,
        between=tuple(sorted(relation.id for relation in told)),
        detail=f"'{name}' has {len(told)} values of '{label}', which has one at most.",
    )


def _has_one(predicate: str, subject: Entity | None, ontology: Ontology) -> bool:
    """Whether a thing has one value of a property at most."""
    known = ontology.properties.get(predicate)
    if known is not None and known.functional:
        return True
    return subject is not None and any(
        rule.bound is Bound.MOST
        and rule.count <= 1
        and rule.property == predicate
        and ontology.are(subject.types, (rule.on,))
        for rule in ontology.restrictions
    )


def _differ(one: str | Literal, other: str | Literal) -> bool:
    """Whether two values exclude each other; a year does not exclude a day in it."""
    if isinstance(one, str) or isinstance(other, str):
        return one != other
    if one.datatype in _CALENDAR and other.datatype in _CALENDAR:
        short, long = sorted((one.value, other.value), key=len)
        return not long.startswith(short)
    return one != other
