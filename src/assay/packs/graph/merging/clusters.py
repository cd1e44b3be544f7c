"""Which entities are one so far, and what surrounds them."""

from collections.abc import Iterable, Mapping

from assay.packs.graph.merging.joining import most_specific
from assay.packs.graph.model import Entity, Literal, Relation, Verdict
from assay.packs.graph.ontology.model import Ontology

Neighbour = tuple[str, bool, str | Literal]
"""A property, whether it leads away, and what is at its other end."""


class Clusters:
    """Entities in groups that only grow."""

    def __init__(
        self, entities: Mapping[str, Entity], relations: Iterable[Relation], ontology: Ontology
    ) -> None:
        self.entities = entities
        self.ontology = ontology
        self._lead: dict[str, str] = {}
        self._members = {id_: [id_] for id_ in entities}
        self._types = {id_: entity.types for id_, entity in entities.items()}
        self._documents = {
            id_: {mention.document for mention in entity.mentions}
            for id_, entity in entities.items()
        }
        self._around: dict[str, set[Neighbour]] = {id_: set() for id_ in entities}
        for relation in relations:
            self._tell(relation)

    def lead(self, id_: str) -> str:
        """The entity that stands for all of a group; which one it is means nothing."""
        path = []
        while id_ in self._lead:
            path.append(id_)
            id_ = self._lead[id_]
        for passed in path:
            self._lead[passed] = id_
        return id_

    def join(self, one: str, other: str) -> None:
        """Make two groups one."""
        kept, gone = self.lead(one), self.lead(other)
        if kept == gone:
            return
        if len(self._members[kept]) < len(self._members[gone]):
            kept, gone = gone, kept
        self._lead[gone] = kept
        self._members[kept] += self._members.pop(gone)
        self._documents[kept] |= self._documents.pop(gone)
        both = self._types[kept] + self._types.pop(gone)
        self._types[kept] = most_specific(both, self.ontology)

    def groups(self) -> list[list[str]]:
        """The ids of each group."""
        return [sorted(members) for members in self._members.values()]

    def documents(self, lead: str) -> set[str]:
        return self._documents[lead]

    def fit(self, one: str, other: str) -> bool:
        """Whether two groups can be of one kind; what has no kind fits everything."""
        own, others = self._types[one], self._types[other]
        return not own or not others or self.ontology.compatible(own, others)

    def share(self, one: str, other: str) -> bool:
        """Whether the same is said of two groups: one property with one other end."""
        apart = {one, other}
        return bool(self._neighbours(one, apart) & self._neighbours(other, apart))

    def _neighbours(self, lead: str, apart: set[str]) -> set[Neighbour]:
        found: set[Neighbour] = set()
        for member in self._members[lead]:
            for predicate, away, end in self._around[member]:
                place = end if isinstance(end, Literal) else self.lead(end)
                if isinstance(place, Literal) or place not in apart:
                    found.add((predicate, away, place))
        return found

    def _tell(self, relation: Relation) -> None:
        if relation.verdict is Verdict.UNGROUNDED:
            return
        if relation.subject in self._around:
            self._around[relation.subject].add((relation.predicate, True, relation.object))
        if isinstance(relation.object, str) and relation.object in self._around:
            self._around[relation.object].add((relation.predicate, False, relation.subject))
