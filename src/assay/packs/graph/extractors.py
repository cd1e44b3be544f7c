"""Two ways to read a document with an ontology: by rules, or with a model in six steps.

Both extractors are plain values that can be sent to another process; the ontology travels as bytes
and is parsed once per process.
"""

import asyncio
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.packs.graph.chunking import split_chunks
from assay.packs.graph.extraction import Caller, extract
from assay.packs.graph.facts import propose_facts
from assay.packs.graph.merging import check_relation, merge_graphs
from assay.packs.graph.model import Chunk, Entity, Graph, RelationVerdict
from assay.packs.graph.ontology.cache import IndexedOntology, OntologyCache
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.options import GraphOptions
from assay.packs.graph.pattern_extractor import find_entities, find_relations
from assay.packs.graph.results import GraphResult
from assay.sdk.errors import ProviderFailed
from assay.sdk.facts import Extraction, ExtractionAccess, ModelFindings, Passage, Sentence
from assay.sdk.records import content_hash

_ONTOLOGIES = OntologyCache()
_WORTH_RETRYING = frozenset(
    {"provider_failed", "provider_busy", "provider_timed_out", "stream_cut"}
)


@dataclass(frozen=True, slots=True)
class OntologyFile:
    """An ontology as the bytes of its file."""

    data: bytes = field(repr=False)
    name: str = ""
    """The file name; its ending gives the format."""

    def load_index(self) -> IndexedOntology:
        """Return the ontology, parsed at most once per process."""
        return _ONTOLOGIES.get(self.data, name=self.name)


@dataclass(frozen=True, slots=True)
class GraphPatternExtractor:
    """The extractor without a model: names, labels and patterns."""

    file: OntologyFile

    def __call__(self, passage: Passage) -> Extraction:
        text, ontology = passage.reading.text, self.file.load_index().ontology
        chunks = list(split_chunks(text))
        graph = build_pattern_graph(text, chunks, ontology)
        return Extraction(
            tuple(propose_facts(graph, ontology, text)),
            tuple(_build_sentences(chunks, graph.entities)),
        )


@dataclass(frozen=True, slots=True)
class GraphModelExtractor:
    """A model asked in six steps; only grounded relations are proposed as facts."""

    file: OntologyFile

    async def __call__(
        self, passage: Passage, access: ExtractionAccess, so_far: ModelFindings
    ) -> None:
        text = passage.reading.text
        known = await asyncio.to_thread(self.file.load_index)
        caller = Caller(
            supervisor=access.supervisor,
            provider=access.provider,
            by=f"{access.provider}:{access.model}",
            results=access.results,
            source=access.source,
            evidence=access.evidence,
            strict=True,
        )
        result = await extract(text, known, options=GraphOptions(formats=()), caller=caller)
        so_far.answers += 1
        so_far.cached += result.stored
        so_far.tokens += 0 if result.stored else result.tokens.used
        so_far.proposals += await asyncio.to_thread(
            propose_facts, _keep_grounded(result.graph), known.ontology, text
        )
        _raise_failure(result)


def build_pattern_graph(text: str, chunks: Sequence[Chunk], ontology: Ontology) -> Graph:
    """Build the graph that the pack's own rules find in a text."""
    document = content_hash(text.encode("utf-8", "surrogatepass"))
    found = [Graph(entities=tuple(find_entities(c, ontology, document))) for c in chunks]
    entities = merge_graphs(found, ontology).entities
    properties = [known for _, known in sorted(ontology.properties.items())]
    by_id = {entity.id: entity for entity in entities}
    relations = [
        check_relation(relation, by_id, ontology, {document: text})
        for chunk in chunks
        for relation in find_relations(chunk, entities, properties, ontology, document)
    ]
    return merge_graphs([Graph(entities=entities, relations=tuple(relations))], ontology)


def _keep_grounded(graph: Graph) -> Graph:
    kept = tuple(r for r in graph.relations if r.verdict is RelationVerdict.GROUNDED)
    return Graph(entities=graph.entities, relations=kept)


def _raise_failure(result: GraphResult) -> None:
    """Raise if the provider failed during a step, because a later attempt may find more."""
    for failure in result.failed_stages:
        if failure.code in _WORTH_RETRYING:
            raise ProviderFailed(f"{result.by} failed in {failure.stage}: {failure.reason}")


def _build_sentences(chunks: Sequence[Chunk], entities: Sequence[Entity]) -> list[Sentence]:
    """List the sentences; one that names two things is relevant, as it should relate them."""
    mentions = sorted((m.start, m.end, entity.id) for entity in entities for m in entity.mentions)
    starts = [start for start, _, _ in mentions]
    found: list[Sentence] = []
    for start, end in (place for chunk in chunks for place in chunk.sentences):
        here = mentions[bisect_left(starts, start) : bisect_left(starts, end)]
        things = {name for _, stop, name in here if stop <= end}
        found.append(Sentence(start, end, is_relevant=len(things) > 1))
    return found
