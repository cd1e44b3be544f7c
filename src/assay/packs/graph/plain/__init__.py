"""The extractor without a model: names, labels, cues, and what examples teach."""

from assay.packs.graph.plain.extractor import entities_in, relations_in
from assay.packs.graph.plain.learning import Example, Learned, learned

__all__ = ["Example", "Learned", "entities_in", "learned", "relations_in"]
