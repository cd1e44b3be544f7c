"""The extractor without a model: names, labels, cues, and what examples teach."""

from assay.packs.graph.pattern_extractor.extractor import entities_in, relations_in
from assay.packs.graph.pattern_extractor.judging import Example, Learned, as_written
from assay.packs.graph.pattern_extractor.learning import learned

__all__ = ["Example", "Learned", "as_written", "entities_in", "learned", "relations_in"]
