"""The only surface that a pack may import."""

from assay.errors import (
    AnswerInvalid,
    AssayError,
    BudgetExceeded,
    CallDenied,
    ContentBroken,
    InvalidInput,
    ProviderBusy,
    ProviderFailed,
)
from assay.llm.budget import TokenBudget, by_percentage, default_budget
from assay.llm.messages import Answer, ModelRequest
from assay.llm.prompts import Prompt, PromptShelf
from assay.llm.requests.cancellation import CancellationMode, CancellationSignal
from assay.llm.requests.progress import Progress, Report, Step
from assay.llm.requests.results import Completeness, End, FailedStage, RequestResult
from assay.llm.requests.stage_run import Fallen, Need, Request, StageRun, StageSpec
from assay.llm.requests.supervisor import Supervisor, request_key
from assay.llm.requests.timeouts import DEFAULT_STAGE_TIMEOUTS, StageTimeout, TimeoutEscalation
from assay.llm.structured import LiveItems
from assay.logs import Log
from assay.model.content import ContentClass
from assay.model.hashes import canonical_json, content_hash
from assay.model.ids import derived_id
from assay.reading.result import Mark, MarkKind, PageSpan, Reading, TableData
from assay.rules.dialogue import Account, Asked, Dialogue, Results
from assay.rules.pack import Pack, Predicate, Range, Subject, load_pack
from assay.rules.proposals import (
    ALWAYS,
    Extraction,
    Extractor,
    Passage,
    ProposedFact,
    Sentence,
)
from assay.rules.quotes import folded, located, occurrences
from assay.rules.values import (
    DateAt,
    DurationAt,
    NumberAt,
    PercentageAt,
    SumAt,
    canonical,
    currencies_in,
    dates_in,
    durations_in,
    is_date,
    numbers_in,
    percentages_in,
    read_number,
    sums_in,
    value_in_quote,
)
from assay.rules.vectors import likeness, vector_of
from assay.sources.folders.payloads import Node, Xml, day_told, html_tree, json_value, xml_tree

__all__ = [
    "ALWAYS",
    "DEFAULT_STAGE_TIMEOUTS",
    "Account",
    "Answer",
    "AnswerInvalid",
    "Asked",
    "AssayError",
    "BudgetExceeded",
    "CallDenied",
    "CancellationMode",
    "CancellationSignal",
    "Completeness",
    "ContentBroken",
    "ContentClass",
    "DateAt",
    "Dialogue",
    "DurationAt",
    "End",
    "Extraction",
    "Extractor",
    "FailedStage",
    "Fallen",
    "InvalidInput",
    "LiveItems",
    "Log",
    "Mark",
    "MarkKind",
    "ModelRequest",
    "Need",
    "Node",
    "NumberAt",
    "Pack",
    "PageSpan",
    "Passage",
    "PercentageAt",
    "Predicate",
    "Progress",
    "Prompt",
    "PromptShelf",
    "ProposedFact",
    "ProviderBusy",
    "ProviderFailed",
    "Range",
    "Reading",
    "Report",
    "Request",
    "RequestResult",
    "Results",
    "Sentence",
    "StageRun",
    "StageSpec",
    "StageTimeout",
    "Step",
    "Subject",
    "SumAt",
    "Supervisor",
    "TableData",
    "TimeoutEscalation",
    "TokenBudget",
    "Xml",
    "by_percentage",
    "canonical",
    "canonical_json",
    "content_hash",
    "currencies_in",
    "dates_in",
    "day_told",
    "default_budget",
    "derived_id",
    "durations_in",
    "folded",
    "html_tree",
    "is_date",
    "json_value",
    "likeness",
    "load_pack",
    "located",
    "numbers_in",
    "occurrences",
    "percentages_in",
    "read_number",
    "request_key",
    "sums_in",
    "value_in_quote",
    "vector_of",
    "xml_tree",
]
