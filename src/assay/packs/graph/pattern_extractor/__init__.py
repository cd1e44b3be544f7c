"""The extractor that needs no model: names, labels, cues, and what it learns from examples."""

from assay.packs.graph.pattern_extractor.extractor import find_entities, find_relations
from assay.packs.graph.pattern_extractor.judging import GraphExample, LearnedCues, write_as_examples
from assay.packs.graph.pattern_extractor.learning import learn_examples

__all__ = [
    "GraphExample",
    "LearnedCues",
    "find_entities",
    "find_relations",
    "learn_examples",
    "write_as_examples",
]
