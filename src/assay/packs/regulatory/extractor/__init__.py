"""The deterministic extractor: rates, sums, deadlines, dates and references by rules alone."""

from assay.packs.regulatory.extractor.reader import extracted

__all__ = ["extracted"]
