"""Asking models: requests of several steps, under budgets and timeouts, never around the plane."""

from assay.llm.budget import RESERVE, TokenBudget, by_percentage, by_table, undivided
from assay.llm.messages import Answer, ModelRequest
from assay.llm.prompts import Prompt, PromptShelf
from assay.llm.requests.cancellation import (
    CancellationMode,
    CancellationSignal,
    CascadeRow,
    CleanUpAction,
)
from assay.llm.requests.progress import Progress, ProgressKind, Report
from assay.llm.requests.results import (
    Completeness,
    End,
    Endings,
    FailedStep,
    RequestResult,
    ResultRule,
)
from assay.llm.requests.step_run import Fallen, Need, Request, StepRun, StepSpec
from assay.llm.requests.supervisor import Supervisor, request_key
from assay.llm.requests.timeouts import StepTimeout, TimeoutEscalation
from assay.llm.structured import LiveItems

__all__ = [
    "RESERVE",
    "Answer",
    "CancellationMode",
    "CancellationSignal",
    "CascadeRow",
    "CleanUpAction",
    "Completeness",
    "End",
    "Endings",
    "FailedStep",
    "Fallen",
    "LiveItems",
    "ModelRequest",
    "Need",
    "Progress",
    "ProgressKind",
    "Prompt",
    "PromptShelf",
    "Report",
    "Request",
    "RequestResult",
    "ResultRule",
    "StepRun",
    "StepSpec",
    "StepTimeout",
    "Supervisor",
    "TimeoutEscalation",
    "TokenBudget",
    "by_percentage",
    "by_table",
    "request_key",
    "undivided",
]
