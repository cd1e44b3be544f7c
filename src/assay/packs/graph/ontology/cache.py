"""A cache of parsed ontologies, by the hash of their bytes."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

from assay.packs.graph.ontology.model import Ontology, OntologyLimits
from assay.packs.graph.ontology.reading import hash_ontology, read_ontology
from assay.packs.graph.ontology.retrieval import OntologyIndex


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


class OntologyCache:
    """Keeps the ontologies that were used last; safe to share between threads."""

    def __init__(self, most: int = 16, limits: OntologyLimits | None = None) -> None:
        self._most = most
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
            return place.held

    def _drop_place(self, key: tuple[str, str], place: _Place) -> None:
        with self._lock:
            if self._places.get(key) is place:
                del self._places[key]
