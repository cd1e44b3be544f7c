"""The classes and properties of an ontology that a text may speak of, best first."""

from collections.abc import Collection, Iterable, Mapping
from threading import Lock

from assay.packs.graph.ontology.model import Ontology, OntologyClass, Property
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
        self._places = {known.iri: place for place, known in enumerate(self._properties)}
        self._by_domain = self._scopes()
        self._above: dict[str, frozenset[str]] = {}
        self._lock = Lock()

    def classes(self, text: str, most: int) -> list[OntologyClass]:
        """The classes that a text speaks of: those that it names itself, then by rank."""
        stems = stems_of(text)
        rank = self._class_ranks.of(stems)
        named = self._named_in(stems)
        order = sorted(
            range(len(rank)), key=lambda place: (place not in named, -rank[place], place)
        )
        return [self._classes[place] for place in order[:most]]

    def properties(self, text: str, types: Collection[str], most: int) -> list[Property]:
        """The properties that things of these types may have, best first; no types: all of them."""
        scope = self._scope(types) if types else range(len(self._properties))
        rank = self._property_ranks.of(stems_of(text))
        order = sorted(scope, key=lambda place: (-rank[place], place))
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

    def _scope(self, types: Iterable[str]) -> list[int]:
        """The properties of these types, and all that those are kinds of."""
        domains = {_ANY}.union(*(self._ancestors(iri) for iri in types))
        own = {iri for domain in domains for iri in self._by_domain.get(domain, ())}
        return [self._places[iri] for iri in _up(own, self.ontology.properties)]

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
            for name, places in self._named.get(stem, ())
            if tuple(stems[start : start + len(name)]) == name
            for place in places
        }


class _Ranks:
    def __init__(self, entries: list[Entry]) -> None:
        self._words = ByWords(entries)
        self._letters = ByLetters(entries)

    def of(self, stems: list[str]) -> list[float]:
        told = telling(stems)
        scores: list[float] = fused(self._words.scores(told), self._letters.scores(told)).tolist()
        return scores


def _by_name(
    classes: list[OntologyClass],
) -> Mapping[str, list[tuple[tuple[str, ...], list[int]]]]:
    """The classes by the words of their names, under the first of them."""
    names: dict[tuple[str, ...], list[int]] = {}
    for place, known in enumerate(classes):
        for name in {tuple(stems_of(name)) for name in known.names}:
            names.setdefault(name, []).append(place)
    found: dict[str, list[tuple[tuple[str, ...], list[int]]]] = {}
    for name, places in sorted(names.items()):
        if name:
            found.setdefault(name[0], []).append((name, places))
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
