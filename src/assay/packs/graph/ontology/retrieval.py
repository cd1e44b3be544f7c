"""The classes and properties of an ontology that a text may speak of, best first."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from threading import Lock

from assay.packs.graph.ontology.model import Ontology, OntologyClass, Property, Takes
from assay.packs.graph.ontology.ranking import ByLetters, ByWords, Entry, fused
from assay.packs.graph.ontology.words import stems_of, telling

_COMMENT = 500
"""As much of a comment as is looked at."""
_ANY = ""
"""Where the properties stand that any thing may have."""


class Index:
    """An ontology made ready to be searched; it may be shared by threads."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self._classes = [known for _, known in sorted(ontology.classes.items())]
        self._properties = [known for _, known in sorted(ontology.properties.items())]
        self._class_ranks = _Ranks(
            [Entry(one.names, one.comment[:_COMMENT]) for one in self._classes]
        )
        self._property_ranks = _Ranks([self._entry(one) for one in self._properties])
        self._named = _by_name(self._classes)
        self._lengths = _lengths_of(self._named)
        self._central = self._by_use()
        self._places = {known.iri: place for place, known in enumerate(self._properties)}
        self._by_domain = self._scopes()
        self._above: dict[str, frozenset[str]] = {}
        self._lock = Lock()

    def classes(self, text: str, most: int) -> list[OntologyClass]:
        """The classes that a text speaks of: those that it names itself, then by rank.

        Where there are too many, a third of the places is for the classes that most properties
        speak of: a text names persons, and seldom the word `person`.
        """
        stems = stems_of(text)
        rank = self._class_ranks.of(stems)
        named = self._named_in(stems)
        every = range(len(self._classes))
        order = sorted(every, key=lambda place: (place not in named, -rank[place], place))
        if len(order) > most:
            found = order[: max(most - most // 3, min(most, len(named)))]
            shown = set(found)
            order = found + [place for place in self._central if place not in shown]
        return [self._classes[place] for place in order[:most]]

    def properties(self, text: str, types: Collection[str], most: int) -> list[Property]:
        """The properties that things of these types may have, best first; no types: all of them.

        Among equals, those come first that lead to a literal or to a thing of these types.
        """
        rank = self._property_ranks.of(stems_of(text))
        kinds = frozenset[str]().union(*(self._ancestors(iri) for iri in types))
        scope = self._scope(kinds) if types else list(range(len(self._properties)))
        away = {place for place in scope if types and _leads_away(self._properties[place], kinds)}
        order = sorted(scope, key=lambda place: (-rank[place], place in away, place))
        return [self._properties[place] for place in order[:most]]

    def _entry(self, known: Property) -> Entry:
        """A property is found by the names of what it is a kind of as well."""
        above = (self.ontology.properties[iri].label for iri in known.parents)
        return Entry(known.names, " ".join((*above, known.comment[:_COMMENT])))

    def _scopes(self) -> Mapping[str, list[str]]:
        """The properties of each domain."""
        found: dict[str, list[str]] = {}
        for known in self._properties:
            for domain in known.domains or (_ANY,):
                found.setdefault(domain, []).append(known.iri)
        return found

    def _scope(self, kinds: frozenset[str]) -> list[int]:
        """The properties of these classes, and all that those are kinds of."""
        own = {iri for domain in {_ANY, *kinds} for iri in self._by_domain.get(domain, ())}
        return [self._places[iri] for iri in _up(own, self.ontology.properties)]

    def _by_use(self) -> list[int]:
        """The classes, those first that stand in most domains and ranges."""
        uses = Counter(iri for known in self._properties for iri in {*known.domains, *known.ranges})
        every = range(len(self._classes))
        return sorted(every, key=lambda place: (-uses[self._classes[place].iri], place))

    def _ancestors(self, iri: str) -> frozenset[str]:
        with self._lock:
            if iri not in self._above:
                self._above[iri] = _up({iri}, self.ontology.classes)
            return self._above[iri]

    def _named_in(self, stems: list[str]) -> set[int]:
        """The classes whose name stands in a text, word by word."""
        return {
            place
            for start, stem in enumerate(stems)
            for length in self._lengths.get(stem, ())
            for place in self._named.get(tuple(stems[start : start + length]), ())
        }


class _Ranks:
    def __init__(self, entries: list[Entry]) -> None:
        self._words = ByWords(entries)
        self._letters = ByLetters(entries)

    def of(self, stems: list[str]) -> list[float]:
        told = telling(stems)
        scores: list[float] = fused(self._words.scores(told), self._letters.scores(told)).tolist()
        return scores


def _leads_away(known: Property, kinds: frozenset[str]) -> bool:
    """Whether a property leads to things of which there are none."""
    return known.takes is Takes.ENTITY and bool(known.ranges) and kinds.isdisjoint(known.ranges)


def _by_name(classes: list[OntologyClass]) -> Mapping[tuple[str, ...], list[int]]:
    """The classes by the words of their names."""
    found: dict[tuple[str, ...], list[int]] = {}
    for place, known in enumerate(classes):
        for name in {tuple(stems_of(name)) for name in known.names}:
            found.setdefault(name, []).append(place)
    return found


def _lengths_of(names: Iterable[tuple[str, ...]]) -> Mapping[str, set[int]]:
    """How many words a name has that begins with a word."""
    found: dict[str, set[int]] = {}
    for name in names:
        if name:
            found.setdefault(name[0], set()).add(len(name))
    return found


def _up(
    iris: Collection[str], terms: Mapping[str, OntologyClass] | Mapping[str, Property]
) -> frozenset[str]:
    """Some terms and all above them."""
    found = list(iris)
    seen = set(found)
    for one in found:
        known = terms.get(one)
        for parent in () if known is None else known.parents:
            if parent not in seen:
                seen.add(parent)
                found.append(parent)
    return frozenset(found)
