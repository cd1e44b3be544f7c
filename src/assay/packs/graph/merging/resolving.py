"""Which entities are the same thing: by name and kind, by a shorter form, by what surrounds them.

Every decision follows from the set of entities and relations, never from their order: certain
ones come first, then the others in the order of their names.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from assay.packs.graph.ids import folded_name
from assay.packs.graph.merging.clusters import Clusters
from assay.packs.graph.merging.forms import classes_of_people, length, long_keys, short_keys
from assay.packs.graph.model import Entity, Relation
from assay.packs.graph.ontology.model import Ontology


@dataclass(frozen=True, slots=True)
class Doubt:
    """Groups that could not be made one, each told by one of its entities."""

    kind: str
    """As of a conflict."""
    subject: str
    between: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Resolution:
    """Which entities are one."""

    groups: list[list[str]]
    links: list[tuple[str, str]] = field(default_factory=list)
    """Entities that are taken for the same and kept apart."""
    doubts: list[Doubt] = field(default_factory=list)


def resolved(
    entities: Mapping[str, Entity],
    relations: Iterable[Relation],
    moved: Mapping[str, str],
    ontology: Ontology,
) -> Resolution:
    """Decide which entities are one. `moved` tells what an earlier merge found to be the same."""
    resolver = _Resolver(Clusters(entities, relations, ontology))
    for old, new in sorted(moved.items()):
        if old in entities and new in entities:
            resolver.clusters.join(old, new)
    resolver.by_name()
    resolver.by_shorter_form()
    return Resolution(resolver.clusters.groups(), resolver.links, resolver.doubts)


class _Resolver:
    def __init__(self, clusters: Clusters) -> None:
        self.clusters = clusters
        self.links: list[tuple[str, str]] = []
        self.doubts: list[Doubt] = []
        self._named: dict[str, list[Entity]] = {}
        for _, entity in sorted(clusters.entities.items()):
            fold = folded_name(entity.name)
            if fold:
                self._named.setdefault(fold, []).append(entity)

    def by_name(self) -> None:
        """One name and kinds that fit: one thing. One name and kinds that exclude each other:
        several, and what fits more than one of them goes where its neighbours are."""
        unsure: list[tuple[str, list[str]]] = []
        for _, entities in sorted(self._named.items()):
            unsure += self._of_one_name(entities)
        for id_, kinds in unsure:
            clusters = self.clusters
            own = clusters.lead(id_)
            leads = sorted({clusters.lead(kind) for kind in kinds} - {own})
            near = [lead for lead in leads if clusters.share(own, lead)]
            if len(near) == 1:
                clusters.join(own, near[0])
            elif leads:
                self.doubts.append(Doubt("ambiguous", id_, tuple(kinds)))

    def _of_one_name(self, entities: list[Entity]) -> list[tuple[str, list[str]]]:
        """Make one what is certain; the rest, each with one entity of every kind that it fits."""
        by_types: dict[tuple[str, ...], Entity] = {}
        for entity in entities:
            first = by_types.setdefault(entity.types, entity)
            self.clusters.join(first.id, entity.id)
        kinds = [each for _, each in sorted(by_types.items())]
        lowest = [one for one in kinds if not any(self._is_above(one, other) for other in kinds)]
        for place, one in enumerate(lowest):
            for other in lowest[:place]:
                if self.clusters.ontology.compatible(one.types, other.types):
                    self.clusters.join(one.id, other.id)
        apart = list({self.clusters.lead(one.id): one.id for one in reversed(lowest)}.values())[
            ::-1
        ]
        if len(apart) > 1:
            self.doubts.append(Doubt("types", apart[0], tuple(apart)))
        unsure: list[tuple[str, list[str]]] = []
        for one in kinds:
            if one in lowest:
                continue
            fitting = [id_ for id_ in apart if self._fits_below(one, id_, lowest)]
            if len(fitting) == 1:
                self.clusters.join(one.id, fitting[0])
            else:
                unsure.append((one.id, fitting))
        return unsure

    def _is_above(self, one: Entity, other: Entity) -> bool:
        """Whether every class of one stands above a class of the other, and not the other way."""
        return self._covers(one.types, other.types) and not self._covers(other.types, one.types)

    def _covers(self, types: tuple[str, ...], others: tuple[str, ...]) -> bool:
        is_a = self.clusters.ontology.is_a
        return all(any(is_a(other, kind) for other in others) for kind in types)

    def _fits_below(self, one: Entity, lead: str, lowest: list[Entity]) -> bool:
        group = self.clusters.lead(lead)
        return any(
            self.clusters.lead(other.id) == group and self._fit(one.types, other.types)
            for other in lowest
        )

    def _fit(self, types: tuple[str, ...], others: tuple[str, ...]) -> bool:
        return not types or self.clusters.ontology.compatible(types, others)

    def by_shorter_form(self) -> None:
        """Within a document a shorter form is the one thing that it can be short for; across
        documents it is only taken for it, unless the same is said of both."""
        people = classes_of_people(self.clusters.ontology)
        longer: dict[str, list[str]] = {}
        for id_, entity in sorted(self.clusters.entities.items()):
            person = any(kind in people for kind in entity.types)
            for key in long_keys(entity, person=person):
                longer.setdefault(key, []).append(id_)
        for fold in sorted(self._named, key=self._longest_first):
            self._shorten(fold, longer)

    def _longest_first(self, fold: str) -> tuple[tuple[int, int, int], str]:
        words, tokens, characters = max(length(entity) for entity in self._named[fold])
        return (-words, -tokens, -characters), fold

    def _shorten(self, fold: str, longer: Mapping[str, list[str]]) -> None:
        """Decide for all things of one name together: no longer name is the same as two of them."""
        wanted: dict[str, list[str]] = {}
        for own in sorted({self.clusters.lead(entity.id) for entity in self._named[fold]}):
            keys = {
                key
                for entity in self._named[fold]
                if self.clusters.lead(entity.id) == own
                for key in short_keys(entity)
            }
            found = {self.clusters.lead(id_) for key in keys for id_ in longer.get(key, ())}
            fitting = sorted(lead for lead in found - {own} if self.clusters.fit(own, lead))
            target = self._same_as(own, fitting) if fitting else None
            if target is not None:
                wanted.setdefault(target, []).append(own)
        for target, shorter in sorted(wanted.items()):
            if len(shorter) == 1:
                self.clusters.join(target, shorter[0])

    def _same_as(self, own: str, fitting: list[str]) -> str | None:
        clusters = self.clusters
        documents = clusters.documents(own)
        here = [lead for lead in fitting if documents & clusters.documents(lead)]
        possible = here or fitting
        if len(here) == 1 and documents <= clusters.documents(here[0]):
            return here[0]
        near = [lead for lead in possible if clusters.share(own, lead)]
        if len(near) == 1:
            return near[0]
        if len(possible) == 1:
            self.links.append((own, possible[0]))
        elif here:
            self.doubts.append(Doubt("ambiguous", own, tuple(here)))
        return None
