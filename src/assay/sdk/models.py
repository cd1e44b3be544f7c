"""Asking models: requests of several steps, under budgets and timeouts, never around the plane."""

from collections.abc import Sequence
from typing import Protocol

from assay.llm.budget import (
    RESERVE,
    TokenBudget,
    build_budget_from_percentages,
    build_budget_from_table,
    build_undivided_budget,
)
from assay.llm.messages import ModelAnswer, ModelRequest, Provider
from assay.llm.prompts import Prompt, PromptLibrary
from assay.llm.requests.cancellation import (
    CancellationMode,
    CancellationSignal,
    CascadeRow,
    CleanUpAction,
)
from assay.llm.requests.progress import ProgressKind, ProgressListener, RequestProgress
from assay.llm.requests.results import (
    Completeness,
    Endings,
    FailedStep,
    RequestResult,
    ResultRule,
    StepEnd,
)
from assay.llm.requests.step_run import StepRun
from assay.llm.requests.steps import FallenStep, Request, StepNeed, StepSpec
from assay.llm.requests.supervisor import RunningRequest, Supervisor, request_key
from assay.llm.requests.timeouts import StepTimeout, TimeoutEscalation
from assay.llm.structured import LiveItems

__all__ = [
    "RESERVE",
    "CancellationMode",
    "CancellationSignal",
    "CascadeRow",
    "CleanUpAction",
    "Completeness",
    "Endings",
    "FailedStep",
    "FallenStep",
    "LiveItems",
    "ModelAccess",
    "ModelAnswer",
    "ModelRequest",
    "ProgressKind",
    "ProgressListener",
    "Prompt",
    "PromptLibrary",
    "Provider",
    "Request",
    "RequestProgress",
    "RequestResult",
    "ResultRule",
    "RunningRequest",
    "StepEnd",
    "StepNeed",
    "StepRun",
    "StepSpec",
    "StepTimeout",
    "Supervisor",
    "TimeoutEscalation",
    "TokenBudget",
    "build_budget_from_percentages",
    "build_budget_from_table",
    "build_undivided_budget",
    "request_key",
]


class ModelAccess(Protocol):
    """The way to models: within the caps, on the ledger, and closed with Assay."""

    def providers(self) -> Sequence[Provider]:
        """Those that can be asked: configured, and with a key where they want one."""

    def choose(self, name: str | None = None) -> Provider | None:
        """The provider of that name, or the preferred one; None where none can be asked."""

    def supervisor(self, *, offline: bool = False) -> Supervisor:
        """What runs requests. An offline one has no way to models, and needs no store."""

    def running_requests(self) -> tuple[RunningRequest, ...]:
        """The requests that are running."""

    def cancel(self, signal: CancellationSignal) -> bool:
        """Stop the request that the signal names; False if there is nothing to stop any more."""

    def count_permits(self) -> int:
        """How many model calls hold or wait for a permit in this process."""
