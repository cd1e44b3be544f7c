"""The steps of a request, each a frozen description and a plain function."""

from collections.abc import Awaitable, Callable, Mapping, Sized
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from assay.errors import AssayError
from assay.llm.budget import TokenBudget, build_undivided_budget
from assay.llm.requests.cancellation import CascadeRow
from assay.llm.requests.results import PLAIN_RULE, ResultRule
from assay.llm.requests.timeouts import StepTimeout
from assay.llm.scope import CallScope

if TYPE_CHECKING:
    from assay.llm.requests.step_run import StepRun


@dataclass(frozen=True)
class StepNeed:
    """A step that another builds on. A plain name in its place accepts any usable output."""

    step: str
    whole: bool = False
    """Whether it must have completed; what it kept before it was stopped is not enough."""
    optional: bool = False
    """Whether to continue without it."""


@dataclass(frozen=True, kw_only=True)
class FallenStep:
    """What a fallback learns about the step that it replaces."""

    request_id: str
    step: str
    payload: Any
    inputs: Mapping[str, Any]
    kept: tuple[Any, ...]
    error: AssayError | None
    """Why the step failed; None if its time was up."""
    warn: Callable[[str], None] = field(default=lambda what: None, compare=False)
    """Adds a warning to the result."""


def count_items(output: Any) -> int:
    """How many items an output has; an output without a length counts as one."""
    if output is None:
        return 0
    return len(output) if isinstance(output, Sized) and not isinstance(output, str | bytes) else 1


@dataclass(frozen=True, kw_only=True)
class StepSpec:
    """One step of a pipeline: a description and a plain function."""

    name: str
    function: "Callable[[StepRun], Awaitable[Any]]"
    needs: tuple[str | StepNeed, ...] = ()
    """Earlier steps whose outputs are its inputs."""
    takes: str | None = None
    """The need whose output is its payload; None for the request's own."""
    calls_model: bool = False
    """Whether it asks a model; such a step does not start once the budget is used up."""
    timeout: StepTimeout
    cascade: CascadeRow | None = None
    """What its end means for other steps; None means that it ends those that need it."""
    reduce_scope: Callable[[int, Any], Any | None] | None = None
    """A smaller payload for the next attempt, from the number of the attempt that was too slow and
    its payload; None if it cannot be made smaller."""
    fallback: Callable[[FallenStep], Any | Awaitable[Any | None] | None] | None = None
    """An output that replaces the step's own; None if there is none."""
    assemble: Callable[[tuple[Any, ...]], Any] = tuple
    """The output of a step that was stopped, from the items it kept."""
    count: Callable[[Any], int] = count_items

    @property
    def normalized_needs(self) -> tuple[StepNeed, ...]:
        return tuple(StepNeed(need) if isinstance(need, str) else need for need in self.needs)


@dataclass(frozen=True, kw_only=True)
class Request:
    """One piece of work for the supervisor: steps that run one after the other."""

    steps: tuple[StepSpec, ...]
    payload: Any = None
    request_id: str = field(default_factory=lambda: uuid4().hex)
    ledger_id: str = ""
    """The id to which its calls are charged; if empty, its own. The ledger forgets nothing: a
    request that reuses an id would find its tokens used up."""
    key: str | None = None
    """Hash of the inputs: equal requests at the same time share one execution."""
    budget: TokenBudget = field(default_factory=build_undivided_budget)
    rule: ResultRule = PLAIN_RULE
    source: str | None = None
    evidence: str | None = None
    run_id: str | None = None
    job_id: str | None = None
    priority: int = 0
    wait_s: float | None = None
    """The longest wait of each call for its permit."""

    def call_scope(self, step: str) -> CallScope:
        """What a step's calls are charged to. The budget is passed as planned, because the ledger
        knows what was used."""
        return CallScope(
            step=step,
            request_id=self.ledger_id or self.request_id,
            source=self.source,
            evidence=self.evidence,
            run_id=self.run_id,
            job_id=self.job_id,
            priority=self.priority,
            budget=self.budget,
            wait_s=self.wait_s,
        )
