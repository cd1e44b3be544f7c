"""One part of a text to turn into a graph, and what its six steps share."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from assay.packs.graph.memory import Memory
from assay.packs.graph.model import DETERMINISTIC, Chunk, Relation
from assay.packs.graph.ontology.model import Ontology, Property
from assay.packs.graph.ontology.retrieval import OntologyIndex
from assay.packs.graph.options import GraphOptions
from assay.packs.graph.pattern_extractor import LearnedCues

ScopedProperties = Mapping[int, tuple[Property, ...]]
"""For each chunk, the properties that it may be about."""


@dataclass(frozen=True, kw_only=True)
class GraphTask:
    """What to read, with what, and how."""

    text: str
    """The whole text; every position refers to it."""
    document: str
    """Its hash."""
    start: int
    end: int
    """The part that this request reads."""
    ontology: Ontology
    index: OntologyIndex
    options: GraphOptions = field(default_factory=GraphOptions)
    provider: str | None = None
    """The provider to ask; None: no model is asked and the pattern extractor reads the text."""
    by: str = DETERMINISTIC
    learned: LearnedCues | None = None
    memory: Memory = field(default_factory=Memory)
    name: str = ""
    """What the document is called in the graph's provenance."""

    @property
    def documents(self) -> Mapping[str, str]:
        """The document's name by its hash."""
        return {self.document: self.name or self.document}

    @property
    def learned_key(self) -> str:
        """Identifies what was learned, since that affects what is found."""
        return "" if self.learned is None else self.learned.key

    @property
    def uses_model(self) -> bool:
        return self.provider is not None


def merge_repeated(relations: Iterable[Relation]) -> list[Relation]:
    """Return each relation once with all its quotes; two chunks may state the same one."""
    found: dict[str, Relation] = {}
    for relation in relations:
        known = found.get(relation.id)
        if known is not None:
            quotes = tuple(sorted({*known.quotes, *relation.quotes}))
            relation = replace(known, quotes=quotes)
        found[relation.id] = relation
    return list(found.values())


def choose_properties(
    chunk: Chunk, scoped: ScopedProperties | None, task: GraphTask
) -> tuple[Property, ...]:
    """Return the properties of a chunk: the scoped ones, otherwise all, up to the limit."""
    if scoped is not None and chunk.index in scoped:
        return scoped[chunk.index]
    known = tuple(p for _, p in sorted(task.ontology.properties.items()))
    return known[: task.options.properties] if task.uses_model else known
