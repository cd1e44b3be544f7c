"""The deterministic extractor: rates, sums, deadlines, dates and references by rules alone."""

from assay.packs.regulatory.extractor.reader import extract_facts

__all__ = ["extract_facts"]
