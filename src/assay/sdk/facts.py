"""Facts: how a pack declares them, what its extractor proposes, and finding values in a text."""

from assay.model.concepts import parse_concept
from assay.model.facts import FIRST_DAY_OF_ALL, CandidateFact, FactEnd
from assay.ruling.declaration import Facts, PlausibleRange, Predicate, Subject, load_facts
from assay.ruling.facts.extraction import StoredPassage, check_proposals, take_facts
from assay.ruling.facts.gates import AcceptedFact
from assay.ruling.facts.model_extractor import (
    ExtractionAccess,
    ModelExtractor,
    ModelFindings,
    RequestResults,
)
from assay.ruling.facts.proposals import (
    ALWAYS,
    Extraction,
    Extractor,
    Passage,
    ProposedFact,
    Sentence,
)
from assay.ruling.facts.quotes import find_occurrences, fold_quote, locate_quote
from assay.ruling.facts.values import (
    DateAt,
    DurationAt,
    NumberAt,
    PercentageAt,
    SumAt,
    format_number,
    is_date,
    is_value_in_quote,
    read_number,
    scan_currencies,
    scan_dates,
    scan_durations,
    scan_numbers,
    scan_percentages,
    scan_sums,
)
from assay.ruling.payloads import ApplyJob, ExtractJob
from assay.ruling.rules.conditions import WORDING_FIELD

__all__ = [
    "ALWAYS",
    "FIRST_DAY_OF_ALL",
    "WORDING_FIELD",
    "AcceptedFact",
    "ApplyJob",
    "CandidateFact",
    "DateAt",
    "DurationAt",
    "ExtractJob",
    "Extraction",
    "ExtractionAccess",
    "Extractor",
    "FactEnd",
    "Facts",
    "ModelExtractor",
    "ModelFindings",
    "NumberAt",
    "Passage",
    "PercentageAt",
    "PlausibleRange",
    "Predicate",
    "ProposedFact",
    "RequestResults",
    "Sentence",
    "StoredPassage",
    "Subject",
    "SumAt",
    "check_proposals",
    "find_occurrences",
    "fold_quote",
    "format_number",
    "is_date",
    "is_value_in_quote",
    "load_facts",
    "locate_quote",
    "parse_concept",
    "read_number",
    "scan_currencies",
    "scan_dates",
    "scan_durations",
    "scan_numbers",
    "scan_percentages",
    "scan_sums",
    "take_facts",
]
