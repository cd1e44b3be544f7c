"""The six steps: from a text and an ontology to a written graph.

Each is a plain function run by the supervisor, which controls its time, its tokens and its ending.
With a model, the second, fourth and fifth ask it; without one, the pattern extractor reads.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.packs.graph.asserting import split_asserted
from assay.packs.graph.chunking import split_chunks
from assay.packs.graph.computing import compute
from assay.packs.graph.merging import check_relation, merge_graphs
from assay.packs.graph.model import (
    DETERMINISTIC,
    Chunk,
    Entity,
    Graph,
    RefusedClaim,
    Relation,
)
from assay.packs.graph.model_steps import ModelSteps
from assay.packs.graph.ontology.model import Ontology, Property
from assay.packs.graph.options import GraphOptions
from assay.packs.graph.pattern_extractor import find_entities, find_relations
from assay.packs.graph.results import Violation, join_names
from assay.packs.graph.steps import (
    CASCADE,
    CHUNKING,
    ENTITIES,
    GRAPH_RULE,
    GROUNDING,
    RELATIONS,
    SCOPING,
    SERIALIZATION,
    TIMEOUTS,
    plan_budget,
)
from assay.packs.graph.task import GraphTask, ScopedProperties, choose_properties, merge_repeated
from assay.packs.graph.writing import find_violations, write_graph, write_hierarchy
from assay.sdk.models import FallenStep, Request, StepNeed, StepRun, StepSpec

_AT_A_TIME = 50
"""How many relations are checked between two points where the step can stop."""


@dataclass(frozen=True, kw_only=True)
class WrittenGraph:
    """The output of the last step."""

    graph: Graph
    rdf: Mapping[str, str]
    violations: tuple[Violation, ...] = ()
    by: str = ""
    """What found its contents."""
    cut: bool = False
    """Whether an answer was cut inside its list, which means that something may be missing."""


class SixSteps:
    """The steps of one task, and what they find besides their outputs."""

    def __init__(self, task: GraphTask) -> None:
        self.task = task
        self.refused: list[RefusedClaim] = []
        self._asking = ModelSteps(task, self.refused)
        self._fell_back = False
        """Whether the entities were found without the model that should have found them."""

    def build_specs(self) -> tuple[StepSpec, ...]:
        """Declare the steps with their needs."""
        asks = self.task.uses_model
        return (
            _declare_step(CHUNKING, self.chunking, fallback=self._make_one_chunk),
            _declare_step(
                ENTITIES,
                self._asking.entities if asks else self.entities,
                needs=(CHUNKING,),
                takes=CHUNKING,
                calls_model=asks,
                reduce_scope=self._asking.reduce_entities if asks else None,
                fallback=self._find_plain_entities if asks else None,
            ),
            _declare_step(
                SCOPING,
                self.scoping,
                needs=(CHUNKING, StepNeed(ENTITIES, whole=True)),
                fallback=self._recall_properties,
            ),
            _declare_step(
                RELATIONS,
                self._asking.relations if asks else self.relations,
                needs=(CHUNKING, StepNeed(ENTITIES, whole=True), StepNeed(SCOPING, optional=True)),
                takes=CHUNKING,
                calls_model=asks,
                reduce_scope=self._asking.reduce_relations if asks else None,
                fallback=self._find_plain_relations if asks else None,
            ),
            _declare_step(
                GROUNDING,
                self._asking.grounding if asks else self.grounding,
                needs=(StepNeed(ENTITIES, whole=True), StepNeed(RELATIONS, whole=True)),
                takes=RELATIONS,
                calls_model=asks,
                fallback=self._recall_verdicts if asks else None,
            ),
            _declare_step(
                SERIALIZATION,
                self.serialization,
                needs=(
                    StepNeed(ENTITIES, optional=True),
                    StepNeed(RELATIONS, optional=True),
                    StepNeed(GROUNDING, optional=True),
                ),
                count=lambda output: len(output.graph.entities) + len(output.graph.relations),
            ),
        )

    def build_request(self, **options: Any) -> Request:
        """Build the request for a supervisor; the options are its fields."""
        return Request(
            steps=self.build_specs(),
            payload=self.task,
            budget=plan_budget(self.task.options.tokens),
            rule=GRAPH_RULE,
            **options,
        )

    async def chunking(self, run: StepRun) -> tuple[Chunk, ...]:
        """Split the text into whole sentences, with their positions."""
        task = self.task
        part = task.text[task.start : task.end]

        def cut() -> tuple[Chunk, ...]:
            found = split_chunks(part, task.options.chunk_chars)
            return tuple(_shift_chunk(chunk, task.start) for chunk in found)

        return await compute(cut)

    async def entities(self, run: StepRun) -> tuple[Entity, ...]:
        """Find entities without a model: by names, labels and patterns."""
        for chunk in run.payload:
            for entity in await compute(self._find_entities, chunk):
                run.keep(entity)
            await run.checkpoint()
        return run.kept

    async def scoping(self, run: StepRun) -> ScopedProperties:
        """Choose the properties that things in each chunk may have, the likeliest first."""
        task = self.task
        found: dict[int, tuple[Property, ...]] = {}
        for chunk in run.inputs[CHUNKING]:
            types = {
                kind
                for entity in run.inputs[ENTITIES]
                for kind in entity.types
                if any(chunk.start <= m.start < chunk.end for m in entity.mentions)
            }
            most = task.options.properties if task.uses_model else len(task.ontology.properties)
            found[chunk.index] = tuple(
                await compute(task.index.rank_properties, chunk.text, types, max(1, most))
            )
            await run.checkpoint()
        seen = {p.iri: p for properties in found.values() for p in properties}
        task.memory.keep_properties(task.ontology.key, tuple(seen.values()))
        return found

    async def relations(self, run: StepRun) -> tuple[Relation, ...]:
        """Find relations without a model: by labels of properties and verbs between mentions."""
        entities = await compute(self._resolve_entities, run.inputs[ENTITIES])
        for chunk in run.payload:
            properties = choose_properties(chunk, run.inputs.get(SCOPING), self.task)
            found = await compute(self._find_relations, chunk, entities, properties)
            for relation in found:
                run.keep(relation)
            await run.checkpoint()
        return run.kept

    async def grounding(self, run: StepRun) -> tuple[Relation, ...]:
        """Check without a model that the words are in the text and the ontology allows them."""
        task, texts = self.task, {self.task.document: self.task.text}
        resolved = await compute(self._resolve_entities, run.inputs[ENTITIES])
        entities = {entity.id: entity for entity in resolved}

        def check(some: list[Relation]) -> list[Relation]:
            return [check_relation(relation, entities, task.ontology, texts) for relation in some]

        left = merge_repeated(run.payload)
        while left:
            for relation in await compute(check, left[:_AT_A_TIME]):
                run.keep(relation)
            left = left[_AT_A_TIME:]
            await run.checkpoint()
        return run.kept

    async def serialization(self, run: StepRun) -> WrittenGraph:
        """Write everything that was found as one graph, in the requested formats."""
        task, inputs = self.task, run.inputs

        def write() -> WrittenGraph:
            graph = self.merge_outputs(inputs)
            by = self.name_finders(graph, fell_back=self._fell_back)
            return join_and_write(
                [graph], task.ontology, task.options, documents=task.documents, by=by
            )

        return replace(await compute(write), cut=self._asking.cut)

    def name_finders(self, graph: Graph, *, fell_back: bool) -> str:
        """Name what found the contents of a graph; a model that returned nothing does not count."""
        entities = DETERMINISTIC if fell_back else self.task.by
        return join_names((entities, *(relation.by for relation in graph.relations)))

    def collect_outputs(self, outputs: Mapping[str, Any], entities: Sequence[Entity] = ()) -> Graph:
        """Collect what the steps gave, as far as they got; verdicts replace missing ones.

        What the text does not assert is refused; `entities` are the merged ones, if they are known.
        """
        if not outputs:
            return Graph()
        judged = {relation.id: relation for relation in outputs.get(GROUNDING, ())}
        relations = [
            judged.get(relation.id, relation)
            for relation in merge_repeated(outputs.get(RELATIONS, ()))
        ]
        found = tuple(outputs.get(ENTITIES, ()))
        asserted, refused = split_asserted(
            relations, entities or found, self.task.text, self.task.document
        )
        return Graph(entities=found, relations=asserted, refused=(*self.refused, *refused))

    def merge_outputs(self, outputs: Mapping[str, Any]) -> Graph:
        """Collect the outputs, with entities that are the same thing merged."""
        # Keep the merge history: a later merge that knows more may reverse a decision.
        found = Graph(entities=tuple(outputs.get(ENTITIES, ())))
        graph = merge_graphs([found], self.task.ontology)
        loose = self.collect_outputs(outputs, graph.entities)
        return replace(graph, relations=loose.relations, refused=(*graph.refused, *loose.refused))

    def _find_entities(self, chunk: Chunk) -> list[Entity]:
        task = self.task
        return find_entities(chunk, task.ontology, task.document, task.learned)

    def _find_relations(
        self, chunk: Chunk, entities: tuple[Entity, ...], properties: tuple[Property, ...]
    ) -> list[Relation]:
        task = self.task
        return find_relations(
            chunk, entities, properties, task.ontology, task.document, task.learned
        )

    def _resolve_entities(self, entities: tuple[Entity, ...]) -> tuple[Entity, ...]:
        graph: Graph = merge_graphs([Graph(entities=tuple(entities))], self.task.ontology)
        return graph.entities

    def _make_one_chunk(self, fallen: FallenStep) -> tuple[Chunk, ...]:
        """Use the whole part as one chunk: it contains everything that several would."""
        task = self.task
        whole = (task.start, task.end)
        return (Chunk(0, *whole, task.text[task.start : task.end], (whole,)),)

    async def _find_plain_entities(self, fallen: FallenStep) -> tuple[Entity, ...] | None:
        """If the model gave nothing at all, find what can be found without it."""
        if fallen.kept:
            return None
        found: list[Entity] = []
        for chunk in fallen.payload:
            found += await compute(self._find_entities, chunk)
        fallen.warn("The model gave no entities; they were found without it.")
        self._fell_back = True
        return tuple(found)

    async def _find_plain_relations(self, fallen: FallenStep) -> tuple[Relation, ...] | None:
        if fallen.kept:
            return None
        entities = await compute(self._resolve_entities, fallen.inputs[ENTITIES])
        found: list[Relation] = []
        for chunk in fallen.payload:
            properties = choose_properties(chunk, fallen.inputs.get(SCOPING), self.task)
            found += await compute(self._find_relations, chunk, entities, properties)
        fallen.warn("The model gave no relations; they were found without it.")
        return tuple(found)

    def _recall_properties(self, fallen: FallenStep) -> ScopedProperties | None:
        """Use what was relevant in the last request on the same ontology."""
        known = self.task.memory.find_properties(self.task.ontology.key)
        if not known:
            return None
        # Without a model all are considered; a model is shown no more than the limit.
        known = known[: self.task.options.properties] if self.task.uses_model else known
        return {chunk.index: known for chunk in fallen.inputs[CHUNKING]}

    def _recall_verdicts(self, fallen: FallenStep) -> tuple[Relation, ...] | None:
        """Use earlier verdicts on the same quotes, if there is one for each relation."""
        judged = {relation.id: relation for relation in fallen.kept}
        for relation in merge_repeated(fallen.payload):
            if relation.id not in judged:
                known = self.task.memory.find_verdict(relation, self.task.options.threshold)
                if known is None:
                    return None
                judged[relation.id] = replace(relation, verdict=known[0], confidence=known[1])
        return tuple(judged.values())


def _declare_step(
    name: str, function: Callable[[StepRun], Awaitable[Any]], **options: Any
) -> StepSpec:
    return StepSpec(
        name=name, function=function, timeout=TIMEOUTS[name], cascade=CASCADE[name], **options
    )


def join_and_write(
    graphs: Iterable[Graph],
    ontology: Ontology,
    options: GraphOptions,
    *,
    documents: Mapping[str, str],
    by: str,
) -> WrittenGraph:
    """Join the graphs of parts or documents, write the result and check it against the shapes.

    `documents` maps the hash of each text to the document's name.
    """
    graph = merge_graphs(graphs, ontology)
    formats = [*options.formats, *(["turtle"] if options.shapes else [])]
    rdf = {
        format_: write_graph(
            graph, ontology, format_, base=options.base, documents=documents, by=by
        )
        for format_ in dict.fromkeys(formats)
    }
    broken: tuple[Violation, ...] = ()
    if options.shapes:
        broken = find_violations(rdf["turtle"], options.shapes, write_hierarchy(ontology))
    return WrittenGraph(
        graph=graph,
        rdf={format_: rdf[format_] for format_ in options.formats},
        violations=tuple(broken),
        by=by,
    )


def _shift_chunk(chunk: Chunk, by: int) -> Chunk:
    if not by:
        return chunk
    return Chunk(
        chunk.index,
        chunk.start + by,
        chunk.end + by,
        chunk.text,
        tuple((start + by, end + by) for start, end in chunk.sentences),
    )
