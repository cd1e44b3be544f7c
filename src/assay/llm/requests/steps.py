"""What a request consists of: steps, each a frozen description and a plain function."""

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
    """A step that another builds on. Given as a plain name, whatever it gave will do."""

    step: str
    whole: bool = False
    """Only if it came to its end; what it kept before it was stopped is not enough."""
    optional: bool = False
    """Go on without it too."""


@dataclass(frozen=True, kw_only=True)
class FallenStep:
    """What a fallback is told of the step that it stands in for."""

    request_id: str
    step: str
    payload: Any
    inputs: Mapping[str, Any]
    kept: tuple[Any, ...]
    error: AssayError | None
    """Why the step failed; None where its time was up."""
    warn: Callable[[str], None] = field(default=lambda what: None, compare=False)
    """Says something in the result."""


def count_items(output: Any) -> int:
    """How many items an output has; what has no length counts as one."""
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
    """Whether it asks a model; such a step does not begin once the budget is used up."""
    timeout: StepTimeout
    cascade: CascadeRow | None = None
    """What its end means for other steps; None: it ends those that need it."""
    reduce_scope: Callable[[int, Any], Any | None] | None = None
    """A smaller payload for the next attempt, from the attempt that was too slow and its payload;
    None where it cannot be made smaller."""
    fallback: Callable[[FallenStep], Any | Awaitable[Any | None] | None] | None = None
    """An output that stands in for the step's own; None where there is none."""
    assemble: Callable[[tuple[Any, ...]], Any] = tuple
    """The output of a step that was stopped, from the items that it kept."""
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
    """Under which its calls are charged; nothing: under its own id. The ledger forgets nothing:
    whoever takes an id for a second time would find its tokens used up."""
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
    """Longest wait of each call for its permit."""

    def call_scope(self, step: str) -> CallScope:
        """On whose account a step's calls are made. The ledger holds what was used; the budget
        goes as it was planned."""
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
