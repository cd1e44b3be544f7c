"""The extractor without a model: names, labels, cues, and what examples teach."""

from assay.packs.graph.plain.extractor import entities_in, relations_in
from assay.packs.graph.plain.learning import learned
from assay.packs.graph.plain.taught import Example, Learned, as_written

__all__ = ["Example", "Learned", "as_written", "entities_in", "learned", "relations_in"]
