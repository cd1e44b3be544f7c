"""Asking models: requests of several steps, with budgets and timeouts.

Every call goes through Assay's model plane; there is no way around it.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from pydantic import BaseModel

from assay.llm.batches import AnswerCheck, BatchProvider, BatchService
from assay.llm.budget import (
    RESERVE,
    TokenBudget,
    build_budget_from_percentages,
    build_budget_from_table,
    build_undivided_budget,
)
from assay.llm.messages import ModelAnswer, ModelRequest, Provider, TextVectors
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
from assay.llm.scope import CallScope, Denial
from assay.llm.structured import LiveItems, schema_of, validate_answer

__all__ = [
    "RESERVE",
    "AnswerCheck",
    "BatchProvider",
    "BatchService",
    "CallScope",
    "CancellationMode",
    "CancellationSignal",
    "CascadeRow",
    "CleanUpAction",
    "Completeness",
    "Denial",
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
    "TextVectors",
    "TimeoutEscalation",
    "TokenBudget",
    "build_budget_from_percentages",
    "build_budget_from_table",
    "build_undivided_budget",
    "request_key",
    "schema_of",
    "validate_answer",
]


class ModelAccess(Protocol):
    """Access to models: within the spending caps, recorded in the ledger, closed by Assay."""

    def providers(self) -> Sequence[Provider]:
        """The providers that can be asked: configured, and with an API key if they need one."""

    def choose(self, name: str | None = None) -> Provider | None:
        """The provider of that name, or the preferred one; None if none can be asked."""

    async def ask(
        self,
        request: ModelRequest,
        answer_type: type[BaseModel],
        provider: str | None,
        scope: CallScope,
    ) -> ModelAnswer:
        """Ask one question; the answer's value has that type. CallDenied: not granted now."""

    def choose_embedder(self, name: str | None = None) -> Provider | None:
        """The provider of vectors with that name, or the first one; None if there is none."""

    async def embed(
        self, texts: Sequence[str], provider: str | None, scope: CallScope
    ) -> TextVectors:
        """The vectors of up to 64 texts. CallDenied: not granted now; AnswerInvalid: some are
        missing."""

    def choose_batch_provider(self) -> BatchProvider | None:
        """The preferred provider, if it takes many questions at once; otherwise None."""

    def open_batches(self, checks: Mapping[str, AnswerCheck]) -> BatchService:
        """The service that submits many questions at once; a check compares each answer with its
        question."""

    def supervisor(self, *, offline: bool = False) -> Supervisor:
        """The supervisor that runs requests. Offline, it reaches no models and needs no store."""

    def running_requests(self) -> tuple[RunningRequest, ...]:
        """The requests that are running."""

    def cancel(self, signal: CancellationSignal) -> bool:
        """Stop the request that the signal names; False if it is no longer running."""

    def count_permits(self) -> int:
        """How many model calls in this process hold a permit or wait for one."""
