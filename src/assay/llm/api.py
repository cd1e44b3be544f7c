"""Everything that a program outside Assay needs from the control plane.

It is not in the package itself, because importing any module of a package imports the package
first, and Assay's own commands need some of these modules without the code that calls providers.
"""

from assay.llm.batches import AnthropicBatches, BatchService, GeminiBatches, OpenAIBatches
from assay.llm.budget import (
    TokenBudget,
    build_budget_from_percentages,
    build_budget_from_table,
    build_undivided_budget,
    can_afford,
)
from assay.llm.calls import LiveAnswer
from assay.llm.limits import PROVIDER_LIMITS, UNLIMITED, Policy, Price, ProviderLimits
from assay.llm.messages import Lane, ModelAnswer, ModelRequest, Provider, Usage
from assay.llm.metering.metrics import Metrics
from assay.llm.plane import ControlPlane
from assay.llm.prompts import Prompt, PromptLibrary
from assay.llm.providers import anthropic, gemini, ollama, ollama_cloud, openai
from assay.llm.requests.cancellation import CancellationMode, CancellationSignal
from assay.llm.requests.results import Completeness, RequestResult, ResultRule
from assay.llm.requests.step_run import StepRun
from assay.llm.requests.steps import Request, StepNeed, StepSpec
from assay.llm.requests.supervisor import Supervisor, request_key
from assay.llm.requests.timeouts import StepTimeout, TimeoutEscalation
from assay.llm.scope import CallScope, Denial, SourceStanding
from assay.llm.structured import LiveItems

__all__ = [
    "PROVIDER_LIMITS",
    "UNLIMITED",
    "AnthropicBatches",
    "BatchService",
    "CallScope",
    "CancellationMode",
    "CancellationSignal",
    "Completeness",
    "ControlPlane",
    "Denial",
    "GeminiBatches",
    "Lane",
    "LiveAnswer",
    "LiveItems",
    "Metrics",
    "ModelAnswer",
    "ModelRequest",
    "OpenAIBatches",
    "Policy",
    "Price",
    "Prompt",
    "PromptLibrary",
    "Provider",
    "ProviderLimits",
    "Request",
    "RequestResult",
    "ResultRule",
    "SourceStanding",
    "StepNeed",
    "StepRun",
    "StepSpec",
    "StepTimeout",
    "Supervisor",
    "TimeoutEscalation",
    "TokenBudget",
    "Usage",
    "anthropic",
    "build_budget_from_percentages",
    "build_budget_from_table",
    "build_undivided_budget",
    "can_afford",
    "gemini",
    "ollama",
    "ollama_cloud",
    "openai",
    "request_key",
]
