"""Assay on the sentences of Text2KGBench: without a model, or with any that a home configures.

Each sentence goes the way that any text goes: six stages, with the ontology as its OWL file has it.
What comes out is put in the benchmark's words: the name of the subject, the label of the property,
and the name of the object or the words of a value as they stand in the sentence.
"""

import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeAlias

from assay.app import App
from assay.packs.graph.extraction import extract
from assay.packs.graph.literals import find_literals
from assay.packs.graph.model import Literal, RelationVerdict, TextSpan
from assay.packs.graph.ontology.cache import OntologyCache
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.options import GraphOptions
from assay.packs.graph.pattern_extractor import (
    GraphExample,
    LearnedCues,
    learn_examples,
    write_as_examples,
)
from assay.packs.graph.results import GraphResult
from assay.packs.graph.service import GraphOrder, GraphService
from assay.settings import load_settings
from bench.text2kg_data import Answers, Labels, Part, Sentence, Taught, Triple
from bench.text2kg_writing import Writing

Extract: TypeAlias = Callable[[str], Awaitable[GraphResult]]


@dataclass(frozen=True)
class Statement:
    """What a graph says, in words."""

    subject: str
    relation: str
    words: str
    """The object's name, or the words of a value."""
    literal: Literal | None = None
    predicate: str = ""
    """The IRI of the property."""


@dataclass(frozen=True)
class Reading:
    """What was read of the sentences of one ontology, and what it cost."""

    statements: dict[str, tuple[Statement, ...]]
    """By the id of the sentence."""
    seconds: float
    tokens: int = 0
    incomplete: int = 0
    """Sentences whose request did not come to its end."""
    cues: LearnedCues | None = None
    """What the train split taught."""

    def answers(
        self, labels: Labels, writing: Writing | None = None, *, spelled: bool = False
    ) -> Answers:
        """In the words of the sentences, or with values in the writing of the train split, or with
        names as it spells them too."""
        cues = self.cues if spelled else None
        return {id_: triples(said, labels, writing, cues) for id_, said in self.statements.items()}


async def read_plainly(part: Part, *, examples: bool) -> Reading:
    """The sentences of an ontology without a model, with what its train split teaches or not."""
    known = OntologyCache().get(part.turtle, name=f"{part.name}.ttl")
    cues = _learned(part.train, part.turtle) if examples else None
    options = GraphOptions(formats=())
    read = partial(extract, ontology=known, options=options, learned=cues)
    return replace(await _reading(part.sentences, known.ontology, read), cues=cues)


async def read_with(desk: GraphService, provider: str, part: Part, tokens: int) -> Reading:
    """The sentences of an ontology with a model, within so many tokens each."""
    known = OntologyCache().get(part.turtle, name=f"{part.name}.ttl")

    async def read(text: str) -> GraphResult:
        options = GraphOptions(formats=(), tokens=tokens)
        return await desk.extract(
            GraphOrder(
                text=text,
                ontology=part.turtle,
                ontology_name=f"{part.name}.ttl",
                options=options,
                provider=provider,
            )
        )

    return await _reading(part.sentences, known.ontology, read)


def opened(home: Path) -> App:
    """The application over a home, with its store brought up to date."""
    app = App(load_settings(home=home))
    app.migrate()
    return app


async def _reading(sentences: Sequence[Sentence], ontology: Ontology, read: Extract) -> Reading:
    began = time.perf_counter()
    results = {sentence.id: await read(sentence.text) for sentence in sentences}
    return Reading(
        {id_: tuple(statements(result, ontology)) for id_, result in results.items()},
        time.perf_counter() - began,
        sum(result.tokens.used for result in results.values()),
        sum(bool(result.failed_stages) for result in results.values()),
    )


@lru_cache(maxsize=64)
def _learned(train: tuple[Taught, ...], ontology: bytes) -> LearnedCues:
    """What a train split teaches; the unseen sentences of a data set learn from the same one."""
    known = OntologyCache().get(ontology).ontology
    return learn_examples((GraphExample(one.text, one.triples) for one in train), known)


def statements(result: GraphResult, ontology: Ontology) -> Iterable[Statement]:
    """All that a graph says: its relations, but those that did not hold, and what is told of
    entities."""
    names = {entity.id: entity.name for entity in result.entities}
    for relation in result.relations:
        if relation.verdict is RelationVerdict.UNGROUNDED:
            continue
        label, value = ontology.properties[relation.predicate].label, relation.object
        if isinstance(value, Literal):
            words = words_of(value, relation.quotes)
            yield Statement(names[relation.subject], label, words, value, relation.predicate)
        else:
            yield Statement(
                names[relation.subject], label, names[value], predicate=relation.predicate
            )
    for entity in result.entities:
        for told in entity.attributes:
            words = words_of(told.value, (told.span,))
            label = ontology.properties[told.predicate].label
            yield Statement(entity.name, label, words, told.value, told.predicate)


def words_of(value: Literal, quotes: Sequence[TextSpan]) -> str:
    """The words of a value as they stand in the text; its canonical form where they do not."""
    for quote in quotes:
        for found in find_literals(quote.words):
            if found.fit_datatype(value.datatype) == value or value in found.readings:
                return quote.words[found.start : found.end]
    return value.value


def triples(
    said: Iterable[Statement],
    labels: Labels,
    writing: Writing | None,
    cues: LearnedCues | None = None,
) -> tuple[Triple, ...]:
    """Statements as the benchmark owes them, each once: `_` for the spaces of a relation."""
    # Some labels of the benchmark end in a space, and it wants that one as `_` too.
    own = {label.strip(): label for label in labels.relations}
    found: dict[Triple, None] = {}
    for one in said:
        subject, words = one.subject, one.words
        if cues is not None:
            subject, words = write_as_examples(cues, one.predicate, subject, words)
        if writing is not None and words == one.words:
            words = writing.written(one.relation, words, one.literal)
        found[subject, own.get(one.relation, one.relation).replace(" ", "_"), words] = None
    return tuple(found)
