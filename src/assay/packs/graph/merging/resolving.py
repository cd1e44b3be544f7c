"""Which entities are the same thing: by name and kind, by a short form, by their neighbours."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from assay.packs.graph.computing import stop_if_unwanted
from assay.packs.graph.ids import fold_name
from assay.packs.graph.merging.joining import choose_most_specific
from assay.packs.graph.model import Entity, Literal, Relation, RelationVerdict
from assay.packs.graph.ontology.model import THING, Ontology


def _parse_words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_TITLES = _parse_words(
    """
    dr mr mrs ms miss prof professor sir dame lord lady rev president king queen prince princess
    pope saint st general gen captain colonel senator judge justice minister gospodin gospođa gđa
    herr frau
    """
)
_GENERATIONS = _parse_words("jr sr ii iii iv junior senior")
_LEGAL_FORMS = _parse_words(
    """
    inc ltd corp co llc plc gmbh ag sa nv bv doo dd limited corporation company incorporated kg se
    """
)
_PEOPLE = _parse_words(
    """
    person human people man woman politician actor actress artist musician singer writer author
    athlete player scientist astronaut comedian director osoba mensch
    """
)
"""Last words of the names of classes whose things have last names."""
_ARTICLES = ("the ", "a ", "an ", "The ", "A ", "An ")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.?){2,10}")
_TOKEN = re.compile(r"[^\s.,()]+")
_LONGEST = 8
"""More words than this are a description, not a name."""


def find_people_classes(ontology: Ontology) -> frozenset[str]:
    """Find the classes of an ontology whose things are people."""
    below: dict[str, list[str]] = {}
    for iri, known in ontology.classes.items():
        for parent in known.parents:
            below.setdefault(parent, []).append(iri)
    todo = [
        iri
        for iri, known in ontology.classes.items()
        if any(_find_last_word(name) in _PEOPLE for name in (known.label, *known.names))
    ]
    found = set(todo)
    # Downwards, because a long chain would be walked for each of its classes otherwise.
    while todo:
        for iri in below.get(todo.pop(), ()):
            if iri not in found:
                found.add(iri)
                todo.append(iri)
    return frozenset(found)


def list_short_keys(entity: Entity) -> tuple[str, ...]:
    """List the keys under which a longer form of this name is found; none if it is not a name."""
    acronym = read_acronym(entity.name)
    if acronym is not None:
        return (acronym,)
    if not entity.name[:1].isupper() or entity.name.startswith(_ARTICLES):
        return ()
    tokens = _split_tokens(entity.name)
    bare = _drop_titles(tokens)
    return tuple(dict.fromkeys(" ".join(each) for each in (tokens, bare) if each))


def list_long_keys(entity: Entity, *, person: bool) -> frozenset[str]:
    """List all shorter forms that may refer to a thing."""
    tokens = _split_tokens(entity.name)
    if not tokens or len(tokens) > _LONGEST:
        return frozenset()
    found = set(_list_aliases(entity))
    if tokens[-1] in _LEGAL_FORMS and len(tokens) > 1:
        found.add(" ".join(tokens[:-1]))
    if person:
        found |= _list_person_forms(tokens)
    initials = _read_initials(entity.name)
    if initials:
        found.add(initials)
    return frozenset(found - {" ".join(tokens)})


def measure_name(entity: Entity) -> tuple[int, int, int]:
    """Measure a name: in words without titles, in words, in characters."""
    tokens = _split_tokens(entity.name)
    return len(_drop_titles(tokens)), len(tokens), len(entity.name)


def read_acronym(name: str) -> str | None:
    """Return the key of a name that is an acronym: `U.N.` is `=UN`."""
    plain = _drop_article(name)
    letters = plain.replace(".", "")
    if _ACRONYM.fullmatch(plain) is None or not letters.isupper():
        return None
    return f"={letters}"


def _read_initials(name: str) -> str | None:
    """Return the acronym formed by the capitals of a name."""
    words = [word for word in re.findall(r"[^\W\d_]+", _drop_article(name)) if word[0].isupper()]
    return f"={''.join(word[0] for word in words)}" if len(words) > 1 else None


def _list_aliases(entity: Entity) -> Iterable[str]:
    """List other names among its mentions; `the college` is not a name."""
    for words in {mention.words for mention in entity.mentions}:
        acronym = read_acronym(" ".join(words.split()))
        if acronym is not None:
            yield acronym
        elif words[:1].isupper() and not words.startswith(_ARTICLES):
            yield " ".join(_split_tokens(words))


def _list_person_forms(tokens: list[str]) -> set[str]:
    named = _drop_titles(tokens)
    while len(named) > 1 and named[-1] in _GENERATIONS:
        named = named[:-1]
    last = named[-1:]
    found = {" ".join(named[place:]) for place in range(len(named))}
    if len(named) > 1:
        first, middle = named[0], named[1:-1]
        initials = [word[0] for word in middle]
        found |= {" ".join([start, *last]) for start in (first, first[0])}
        found |= {" ".join([start, *initials, *last]) for start in (first, first[0])}
    return found


def _split_tokens(name: str) -> list[str]:
    return _TOKEN.findall(fold_name(name))


def _drop_titles(tokens: list[str]) -> list[str]:
    place = 0
    while place < len(tokens) - 1 and tokens[place] in _TITLES:
        place += 1
    return tokens[place:]


def _drop_article(name: str) -> str:
    article = next((each for each in _ARTICLES if name.startswith(each)), "")
    return name[len(article) :]


def _find_last_word(name: str) -> str:
    tokens = _split_tokens(name)
    return tokens[-1] if tokens else ""


Neighbour = tuple[str, bool, str | Literal]
"""A property, whether it leads away, and its other end."""


class EntityClusters:
    """Groups of entities that only grow."""

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
            self._add_relation(relation)

    def find_lead(self, id_: str) -> str:
        """Find the entity that represents a group; which one it is has no meaning."""
        path = []
        while id_ in self._lead:
            path.append(id_)
            id_ = self._lead[id_]
        for passed in path:
            self._lead[passed] = id_
        return id_

    def join(self, one: str, other: str) -> None:
        """Merge two groups."""
        kept, gone = self.find_lead(one), self.find_lead(other)
        if kept == gone:
            return
        if len(self._members[kept]) < len(self._members[gone]):
            kept, gone = gone, kept
        self._lead[gone] = kept
        self._members[kept] += self._members.pop(gone)
        self._documents[kept] |= self._documents.pop(gone)
        both = self._types[kept] + self._types.pop(gone)
        self._types[kept] = choose_most_specific(both, self.ontology)

    def list_groups(self) -> list[list[str]]:
        """List the ids of each group."""
        return [sorted(members) for members in self._members.values()]

    def documents_of(self, lead: str) -> set[str]:
        return self._documents[lead]

    def may_be_one_kind(self, one: str, other: str) -> bool:
        """Whether two groups can have the same kind; a group without a kind fits everything."""
        own, others = self._types[one], self._types[other]
        return not own or not others or self.ontology.are_compatible(own, others)

    def share_neighbour(self, one: str, other: str) -> bool:
        """Whether the same is said about two groups: one property with one other end."""
        apart = {one, other}
        return bool(self._list_neighbours(one, apart) & self._list_neighbours(other, apart))

    def _list_neighbours(self, lead: str, apart: set[str]) -> set[Neighbour]:
        found: set[Neighbour] = set()
        for member in self._members[lead]:
            for predicate, away, end in self._around[member]:
                place = end if isinstance(end, Literal) else self.find_lead(end)
                if isinstance(place, Literal) or place not in apart:
                    found.add((predicate, away, place))
        return found

    def _add_relation(self, relation: Relation) -> None:
        if relation.verdict is RelationVerdict.UNGROUNDED:
            return
        if relation.subject in self._around:
            self._around[relation.subject].add((relation.predicate, True, relation.object))
        if isinstance(relation.object, str) and relation.object in self._around:
            self._around[relation.object].add((relation.predicate, False, relation.subject))


@dataclass(frozen=True, slots=True)
class EntityDoubt:
    """Groups that could not be merged, each given by one of its entities."""

    kind: str
    """The kind of the conflict."""
    subject: str
    between: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntityResolution:
    """Which entities are the same."""

    groups: list[list[str]]
    links: list[tuple[str, str]] = field(default_factory=list)
    """Entities that are probably the same but are kept separate."""
    doubts: list[EntityDoubt] = field(default_factory=list)


def resolve_entities(
    entities: Mapping[str, Entity],
    relations: Iterable[Relation],
    moved: Mapping[str, str],
    ontology: Ontology,
) -> EntityResolution:
    """Decide which entities are the same. `moved` is what an earlier merge found to be the same."""
    resolver = _Resolver(EntityClusters(entities, relations, ontology))
    for old, new in sorted(moved.items()):
        if old in entities and new in entities:
            resolver.clusters.join(old, new)
    resolver.resolve_by_name()
    resolver.resolve_by_short_form()
    return EntityResolution(resolver.clusters.list_groups(), resolver.links, resolver.doubts)


class _Resolver:
    def __init__(self, clusters: EntityClusters) -> None:
        self.clusters = clusters
        self.links: list[tuple[str, str]] = []
        self.doubts: list[EntityDoubt] = []
        self._named: dict[str, list[Entity]] = {}
        for _, entity in sorted(clusters.entities.items()):
            fold = fold_name(entity.name)
            if fold:
                self._named.setdefault(fold, []).append(entity)

    def resolve_by_name(self) -> None:
        """Merge entities with one name and compatible kinds. With incompatible kinds they are
        separate things, and what fits more than one of them joins the one that shares its
        neighbours."""
        unsure: list[tuple[str, list[str]]] = []
        for _, entities in sorted(self._named.items()):
            stop_if_unwanted()
            unsure += self._resolve_one_name(entities)
        for id_, kinds in unsure:
            stop_if_unwanted()
            clusters = self.clusters
            own = clusters.find_lead(id_)
            leads = sorted({clusters.find_lead(kind) for kind in kinds} - {own})
            near = [lead for lead in leads if clusters.share_neighbour(own, lead)]
            if len(near) == 1:
                clusters.join(own, near[0])
            elif leads:
                self.doubts.append(EntityDoubt("ambiguous", id_, tuple(kinds)))

    def _resolve_one_name(self, entities: list[Entity]) -> list[tuple[str, list[str]]]:
        """Merge what is certain; return the rest, each with one entity of every fitting kind."""
        by_types: dict[tuple[str, ...], Entity] = {}
        for entity in entities:
            first = by_types.setdefault(entity.types, entity)
            self.clusters.join(first.id, entity.id)
        kinds = [each for _, each in sorted(by_types.items())]
        lowest = [one for one in kinds if not any(self._is_above(one, other) for other in kinds)]
        for place, one in enumerate(lowest):
            for other in lowest[:place]:
                if self.clusters.ontology.are_compatible(one.types, other.types):
                    self.clusters.join(one.id, other.id)
        apart = list(
            {self.clusters.find_lead(one.id): one.id for one in reversed(lowest)}.values()
        )[::-1]
        if len(apart) > 1:
            self.doubts.append(EntityDoubt("types", apart[0], tuple(apart)))
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
        """Whether every class of one is above a class of the other, and not vice versa."""
        return self._covers(one.types, other.types) and not self._covers(other.types, one.types)

    def _covers(self, types: tuple[str, ...], others: tuple[str, ...]) -> bool:
        above = set().union(*map(self.clusters.ontology.ancestors_of, others))
        return all(kind in above or (kind == THING and bool(others)) for kind in types)

    def _fits_below(self, one: Entity, lead: str, lowest: list[Entity]) -> bool:
        group = self.clusters.find_lead(lead)
        return any(
            self.clusters.find_lead(other.id) == group
            and self._do_types_fit(one.types, other.types)
            for other in lowest
        )

    def _do_types_fit(self, types: tuple[str, ...], others: tuple[str, ...]) -> bool:
        return not types or self.clusters.ontology.are_compatible(types, others)

    def resolve_by_short_form(self) -> None:
        """Within a document, a short form means the only thing that it can be short for; across
        documents it is only linked to it, unless the same is said about both."""
        people = find_people_classes(self.clusters.ontology)
        longer: dict[str, list[str]] = {}
        for id_, entity in sorted(self.clusters.entities.items()):
            person = any(kind in people for kind in entity.types)
            for key in list_long_keys(entity, person=person):
                longer.setdefault(key, []).append(id_)
        for fold in sorted(self._named, key=self._rank_by_length):
            stop_if_unwanted()
            self._resolve_short_name(fold, longer)

    def _rank_by_length(self, fold: str) -> tuple[tuple[int, int, int], str]:
        words, tokens, characters = max(measure_name(entity) for entity in self._named[fold])
        return (-words, -tokens, -characters), fold

    def _resolve_short_name(self, fold: str, longer: Mapping[str, list[str]]) -> None:
        """Decide for all things of one name together: a longer name can match only one of them."""
        wanted: dict[str, list[str]] = {}
        for own in sorted({self.clusters.find_lead(entity.id) for entity in self._named[fold]}):
            keys = {
                key
                for entity in self._named[fold]
                if self.clusters.find_lead(entity.id) == own
                for key in list_short_keys(entity)
            }
            found = {self.clusters.find_lead(id_) for key in keys for id_ in longer.get(key, ())}
            fitting = sorted(
                lead for lead in found - {own} if self.clusters.may_be_one_kind(own, lead)
            )
            target = self._find_same(own, fitting) if fitting else None
            if target is not None:
                wanted.setdefault(target, []).append(own)
        for target, shorter in sorted(wanted.items()):
            if len(shorter) == 1:
                self.clusters.join(target, shorter[0])

    def _find_same(self, own: str, fitting: list[str]) -> str | None:
        clusters = self.clusters
        documents = clusters.documents_of(own)
        here = [lead for lead in fitting if documents & clusters.documents_of(lead)]
        possible = here or fitting
        if len(here) == 1 and documents <= clusters.documents_of(here[0]):
            return here[0]
        near = [lead for lead in possible if clusters.share_neighbour(own, lead)]
        if len(near) == 1:
            return near[0]
        if len(possible) == 1:
            self.links.append((own, possible[0]))
        elif here:
            self.doubts.append(EntityDoubt("ambiguous", own, tuple(here)))
        return None
