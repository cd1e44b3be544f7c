"""A cache of parsed ontologies, by the hash of their bytes."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

from assay.packs.graph.ontology.model import Ontology, OntologyLimits
from assay.packs.graph.ontology.reading import hash_ontology, read_ontology
from assay.packs.graph.ontology.retrieval import OntologyIndex

MOST_TERMS = 40_000
"""Limit on the classes and properties of all ontologies in a cache, at about two kilobytes each."""


@dataclass(frozen=True, slots=True)
class IndexedOntology:
    """An ontology and its search index."""

    ontology: Ontology
    index: OntologyIndex


@dataclass(eq=False)
class _Place:
    """The slot of one ontology; a second caller waits for the first, which reads it."""

    lock: Lock = field(default_factory=Lock)
    held: IndexedOntology | None = None

    @property
    def terms(self) -> int:
        """How many classes and properties it holds, which is what takes memory."""
        if self.held is None:
            return 0
        return len(self.held.ontology.classes) + len(self.held.ontology.properties)


class OntologyCache:
    """Keeps the ontologies that were used last; safe to share between threads."""

    def __init__(
        self, most: int = 16, limits: OntologyLimits | None = None, most_terms: int = MOST_TERMS
    ) -> None:
        self._most = most
        self._most_terms = most_terms
        self._limits = limits or OntologyLimits()
        self._lock = Lock()
        self._places: OrderedDict[tuple[str, str], _Place] = OrderedDict()

    def __len__(self) -> int:
        return len(self._places)

    def get(
        self,
        data: bytes,
        *,
        name: str = "",
        format: str | None = None,
        imports: Mapping[str, bytes] | None = None,
    ) -> IndexedOntology:
        """Return the ontology in these bytes, read and indexed only once."""
        key = hash_ontology(data, imports), format or ""
        with self._lock:
            place = self._places.setdefault(key, _Place())
            self._places.move_to_end(key)
            while len(self._places) > self._most:
                self._places.popitem(last=False)
        with place.lock:
            if place.held is None:
                try:
                    read = read_ontology(
                        data, name=name, format=format, imports=imports, limits=self._limits
                    )
                except BaseException:
                    self._drop_place(key, place)
                    raise
                place.held = IndexedOntology(read, OntologyIndex(read))
                self._drop_oldest(place)
            return place.held

    def _drop_oldest(self, newest: _Place) -> None:
        """Drop those that were used longest ago until the others are small enough together."""
        with self._lock:
            held = [(key, place) for key, place in self._places.items() if place.held is not None]
            terms = sum(place.terms for _, place in held)
            for key, place in held:
                if terms <= self._most_terms:
                    break
                if place is not newest:
                    terms -= place.terms
                    del self._places[key]

    def _drop_place(self, key: tuple[str, str], place: _Place) -> None:
        with self._lock:
            if self._places.get(key) is place:
                del self._places[key]
