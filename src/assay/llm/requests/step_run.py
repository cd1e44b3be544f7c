"""What a step sees of its supervisor while it runs."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from pydantic import BaseModel

from assay.errors import AssayError, BudgetExceeded, ContractViolation
from assay.llm.budget import TokenBudget, record_usage
from assay.llm.calls import LiveAnswer
from assay.llm.messages import ModelAnswer, ModelRequest, Usage
from assay.llm.plane import ControlPlane
from assay.llm.requests.cancellation import (
    CancellationMode,
    CancellationScope,
    CleanUpPhase,
    Closer,
    StepStopped,
)
from assay.llm.requests.steps import Request, StepSpec
from assay.llm.structured import LiveItems
from assay.logs import Log

log = Log("assay.llm")


M = TypeVar("M", bound=BaseModel)


class RequestAccount:
    """The request's budget as it is used."""

    def __init__(self, request: Request) -> None:
        self.budget = request.budget
        self._planned = request.budget
        self._request_id = request.request_id
        self._ledger_id = request.ledger_id or request.request_id

    async def read_charged_budget(
        self, plane: ControlPlane | None, warnings: list[str]
    ) -> TokenBudget:
        """The budget after everything the ledger charged, including calls that were cut or
        failed."""
        if plane is None:
            return self.budget
        try:
            used = await plane.limiter.run_in_thread(
                plane.ledger.read_request_usage, self._ledger_id
            )
        except AssayError as error:
            warnings.append(f"The ledger could not be read: {error.what}")
            return self.budget
        budget = self._planned
        for step, tokens in used.items():
            budget = record_usage(budget, step, tokens)
        self.budget = budget
        return budget

    def record(self, step: str, usage: Usage) -> None:
        """Count a call."""
        self.budget = record_usage(self.budget, step, usage.total_tokens)
        total = self.budget.total
        log.info(
            "token_usage_recorded",
            "Token usage recorded",
            step=step,
            request_id=self._request_id,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            total_tokens=usage.total_tokens,
            budget_remaining=self.budget.remaining,
            budget_percent=f"{100 * self.budget.remaining // total if total else 0}%",
        )


class StepRun:
    """One attempt of one step: its inputs, its access to a model, and where it keeps its items.

    A step that waits for something other than a model (threads, files) must do so with `await`,
    because it can only be stopped there.
    """

    def __init__(
        self,
        spec: StepSpec,
        request: Request,
        *,
        plane: ControlPlane | None,
        account: RequestAccount,
        scope: CancellationScope,
        inputs: Mapping[str, Any],
        payload: Any,
        attempt: int = 1,
        earlier: tuple[Any, ...] = (),
        on_item: Callable[[int], None] | None = None,
        warn: Callable[[str], None] = lambda what: None,
    ) -> None:
        self.step = spec.name
        self.request_id = request.request_id
        self.inputs = inputs
        """Outputs of the steps that this one needs, as far as they produced any."""
        self.payload = payload
        """What to work on; smaller than at first if the scope was reduced."""
        self.attempt = attempt
        """1 for the first."""
        self.earlier = earlier
        """What earlier attempts kept. Only what this attempt keeps counts for it."""
        self.scope = scope
        self.stopped = False
        """Whether the step was stopped before it completed."""
        self.refused: BudgetExceeded | None = None
        """The call that the budget did not allow, even if the step caught the error."""
        self._spec = spec
        self._call_scope = request.call_scope(spec.name)
        self._plane_or_none = plane
        self._account = account
        self._kept: list[Any] = []
        self._callers: set[asyncio.Task[Any]] = set()
        self._calls = 0
        self._over = False
        self._on_item = on_item
        self.warn = warn
        """Adds a warning to the result, for everyone who waits for it."""

    @property
    def budget(self) -> TokenBudget:
        """What is left of the request's budget, as far as its calls have ended."""
        return self._account.budget

    @property
    def kept(self) -> tuple[Any, ...]:
        return tuple(self._kept)

    def keep(self, item: Any) -> None:
        """Keep a finished item, so that it survives a timeout, a cut or a cancellation."""
        if not self._over:
            self._kept.append(item)
            if self._on_item is not None:
                self._on_item(len(self._kept))

    async def checkpoint(self) -> None:
        """Call this after each piece of work: a graceful cancellation stops the step here.

        While the same task reads a model's answer, that call is finished first.
        """
        await asyncio.sleep(0)
        mode = self.scope.mode
        if self._over or (mode is not None and mode.is_immediate):
            self._stop()
        if mode is CancellationMode.GRACEFUL and asyncio.current_task() not in self._callers:
            self._stop()

    def register_resource(
        self, closer: Closer, *, phase: CleanUpPhase = CleanUpPhase.CLOSE_RUN_FOLDERS
    ) -> None:
        """Close this when the attempt is over, however it ends; last registered, first closed."""
        self.scope.register(closer, phase)

    async def ask(
        self,
        request: ModelRequest | str,
        *,
        provider: str | None = None,
        answer_type: type[BaseModel] | None = None,
        timeout_s: float | None = None,
        max_tokens: int = 1024,
    ) -> ModelAnswer:
        """Ask a model, charged to this request."""
        async with self._call():
            answer = await self._plane.ask(
                request,
                provider=provider,
                scope=self._call_scope,
                answer_type=answer_type,
                timeout_s=timeout_s,
                max_tokens=max_tokens,
            )
        if not answer.cached:
            self._account.record(self.step, answer.usage)
        return answer

    @asynccontextmanager
    async def stream(
        self,
        request: ModelRequest | str,
        *,
        provider: str | None = None,
        timeout_s: float | None = None,
        max_tokens: int = 1024,
    ) -> AsyncIterator[LiveAnswer]:
        """Read a model's answer as it arrives; leaving early closes the connection."""
        opened = self._plane.stream(
            request,
            provider=provider,
            scope=self._call_scope,
            timeout_s=timeout_s,
            max_tokens=max_tokens,
        )
        live: LiveAnswer | None = None
        try:
            async with self._call(), opened as live:
                yield live
        finally:
            self._record_usage(live)

    @asynccontextmanager
    async def items(
        self,
        request: ModelRequest | str,
        item_type: type[M],
        *,
        field: str = "items",
        provider: str | None = None,
        timeout_s: float | None = None,
        max_tokens: int = 1024,
    ) -> AsyncIterator[LiveItems[M]]:
        """Read a list item by item as it arrives: `keep` each, and a cut costs only the rest."""
        opened = self._plane.items(
            request,
            item_type,
            field=field,
            provider=provider,
            scope=self._call_scope,
            timeout_s=timeout_s,
            max_tokens=max_tokens,
        )
        found: LiveItems[M] | None = None
        try:
            async with self._call(), opened as found:
                yield found
        finally:
            self._record_usage(None if found is None else found.live)

    async def prompt_tokens(
        self, request: ModelRequest, item_type: type[BaseModel], *, field: str = "items",
        provider: str | None = None,
    ) -> int:  # fmt: skip
        """What `items` would set aside for a prompt, so that a step can plan its calls."""
        return await self._plane.prompt_tokens(
            request, item_type, field=field, provider=provider, scope=self._call_scope
        )

    def close(self) -> None:
        """End the attempt: nothing it does from now on counts."""
        self._over = True

    async def abort_calls(self, step_task: "asyncio.Task[Any]", wait_s: float) -> bool:
        """Cancel the step and all its calls; False if any part of it does not stop."""
        if step_task.done() and not self._callers:
            return True
        step_task.cancel()
        # The end of the step cancels the tasks it waits for. Cancelling one of them twice would
        # disturb it while it settles, so only those that are not yet cancelled come next.
        for _ in range(3):
            await asyncio.sleep(0)
        callers = set(self._callers)
        for task in callers:
            if not task.done() and not task.cancelling():
                task.cancel()
        _, hanging = await asyncio.wait({step_task, *callers}, timeout=wait_s)
        return not hanging

    @property
    def _plane(self) -> ControlPlane:
        if self._plane_or_none is None:
            raise ContractViolation(
                f"Step '{self.step}' asks a model, but its supervisor has no control plane.",
                advice="Give the Supervisor a control plane.",
            )
        return self._plane_or_none

    @asynccontextmanager
    async def _call(self) -> AsyncIterator[None]:
        if not self._spec.calls_model:
            raise ContractViolation(
                f"Step '{self.step}' asks a model but does not declare it.",
                advice="Set calls_model=True in its StepSpec.",
            )
        await self.checkpoint()
        task = asyncio.current_task()
        assert task is not None
        nested = task in self._callers
        self._calls += 1
        scope = self.scope.child(f"call:{self._calls}")
        self._callers.add(task)
        try:
            yield
        except BudgetExceeded as error:
            self.refused = error
            raise
        finally:
            if not nested:
                self._callers.discard(task)
            scope.leave()

    def _record_usage(self, live: LiveAnswer | None) -> None:
        """Record a call's usage; once the call has ended, it is what the ledger charged."""
        if live is not None and live.usage is not None:
            self._account.record(self.step, live.usage)

    def _stop(self) -> None:
        self.stopped = True
        raise StepStopped(f"Step '{self.step}' stops here.")
