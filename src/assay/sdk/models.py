"""Asking models: requests of several steps, under budgets and timeouts, never around the plane."""

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

__all__ = [
    "DEFAULT_STAGE_TIMEOUTS",
    "Answer",
    "CancellationMode",
    "CancellationSignal",
    "Completeness",
    "End",
    "FailedStage",
    "Fallen",
    "LiveItems",
    "ModelRequest",
    "Need",
    "Progress",
    "Prompt",
    "PromptShelf",
    "Report",
    "Request",
    "RequestResult",
    "StageRun",
    "StageSpec",
    "StageTimeout",
    "Step",
    "Supervisor",
    "TimeoutEscalation",
    "TokenBudget",
    "by_percentage",
    "default_budget",
    "request_key",
]
