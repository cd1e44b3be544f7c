"""The control plane: the only way to a model, and useful by itself.

Everything that a program outside Assay needs can be imported from here.
"""

from assay.llm.budget import TokenBudget, by_percentage, by_table, can_afford, default_budget
from assay.llm.calls import LiveAnswer
from assay.llm.limits import PROVIDER_LIMITS, UNLIMITED, Policy, Price, ProviderLimits
from assay.llm.messages import Answer, Lane, ModelRequest, Provider, Usage
from assay.llm.metrics import Metrics
from assay.llm.plane import ControlPlane
from assay.llm.prompts import Prompt, PromptShelf
from assay.llm.providers import anthropic, gemini, ollama, ollama_cloud, openai
from assay.llm.scope import CallScope, Denial, Standing
from assay.llm.structured import LiveItems

__all__ = [
    "PROVIDER_LIMITS",
    "UNLIMITED",
    "Answer",
    "CallScope",
    "ControlPlane",
    "Denial",
    "Lane",
    "LiveAnswer",
    "LiveItems",
    "Metrics",
    "ModelRequest",
    "Policy",
    "Price",
    "Prompt",
    "PromptShelf",
    "Provider",
    "ProviderLimits",
    "Standing",
    "TokenBudget",
    "Usage",
    "anthropic",
    "by_percentage",
    "by_table",
    "can_afford",
    "default_budget",
    "gemini",
    "ollama",
    "ollama_cloud",
    "openai",
]
