"""Facts for stages that find them themselves: stored texts, records of facts, and their rules.

Apart from `assay.sdk.facts`, because it loads what works on documents.
"""

from assay.ruling.facts.extract import DETERMINISTIC_EXTRACTOR
from assay.ruling.facts.extraction_inputs import StoredDocument, read_stored_texts
from assay.ruling.facts.fact_builder import FactBuilder
from assay.ruling.rules.compose import make_settling_job, propose_rules

__all__ = [
    "DETERMINISTIC_EXTRACTOR",
    "FactBuilder",
    "StoredDocument",
    "make_settling_job",
    "propose_rules",
    "read_stored_texts",
]
