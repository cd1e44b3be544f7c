"""The six steps of the graph as toys, and a real control plane for them on virtual time."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from assay.llm.doubles.scripted import Say, ScriptedProvider, ScriptLine
from assay.llm.doubles.words import WordEstimator
from assay.llm.limits import Policy
from assay.llm.plane import ControlPlane
from assay.llm.requests.step_run import StepRun
from assay.llm.requests.steps import Request, StepNeed, StepSpec
from assay.llm.requests.supervisor import Supervisor
from assay.llm.requests.timeouts import StepTimeout, TimeoutEscalation
from assay.packs.graph.steps import CASCADE, GRAPH_RULE, TIMEOUTS, plan_budget
from assay.store import schema
from assay.store.database import open_engine
from tests.llm.virtual import LoopClock

Function = Callable[[StepRun], Awaitable[Any]]
FINE = Say("fine")
GENEROUS = Policy(
    daily_tokens=None, daily_tokens_per_source=None, evidence_tokens=None, max_concurrent_local=None
)


@cache
def _empty_ledger() -> bytes:
    """A migrated database, made once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.db"
        engine = open_engine(f"sqlite:///{path}")
        schema.migrate(engine)
        engine.dispose()
        return path.read_bytes()


class Bench:
    """A supervisor on a real control plane with a scripted provider, and what it was told."""

    def __init__(self, plane: ControlPlane, provider: ScriptedProvider) -> None:
        self.plane = plane
        self.provider = provider
        self.seen: list[tuple[str, Mapping[str, object]]] = []
        self.supervisor = Supervisor(
            plane, clock=LoopClock(), observe=lambda name, labels: self.seen.append((name, labels))
        )

    def told(self, name: str) -> list[dict[str, object]]:
        return [dict(labels) for seen, labels in self.seen if seen == name]

    def all_is_back(self) -> bool:
        """No connection open, no permit out, no task of a request left."""
        return (
            self.provider.under_way == 0
            and self.plane.limiter.permits_held == 0
            and self.plane.limiter.waiting_calls == 0
            and not self.supervisor.list_running()
        )


@asynccontextmanager
async def bench(
    folder: Path, *script: ScriptLine, then: ScriptLine = FINE, policy: Policy = GENEROUS
) -> AsyncIterator[Bench]:
    """Everything for a test on virtual time."""
    path = folder / "ledger.db"
    path.write_bytes(_empty_ledger())
    provider = ScriptedProvider(script=script, then=then)
    plane = ControlPlane(
        open_engine(f"sqlite:///{path}"),
        [provider],
        policy=policy,
        clock=LoopClock(),
        estimator=WordEstimator(),
        owns_engine=True,
        retry_delays_s=(),
    )
    async with plane:
        yield Bench(plane, provider)


def giving(output: Any, seconds: float = 0.0) -> Function:
    """A step that gives this after a while."""

    async def step(run: StepRun) -> Any:
        await asyncio.sleep(seconds)
        return output

    return step


def raising(error: Exception, *kept: Any) -> Function:
    """A step that keeps some items and fails."""

    async def step(run: StepRun) -> Any:
        for item in kept:
            run.keep(item)
        raise error

    return step


def hanging(*kept: Any) -> Function:
    """A step that keeps some items and never ends."""

    async def step(run: StepRun) -> Any:
        for item in kept:
            run.keep(item)
        await asyncio.Event().wait()

    return step


def asking(*questions: str, **options: Any) -> Any:
    """A step that keeps the answer to each of its questions."""

    async def step(run: StepRun) -> Any:
        for question in questions:
            run.keep((await run.ask(question, **options)).text)
        return list(run.kept)

    return step


async def keeping_on(run: StepRun) -> Any:
    """A step that does a piece of work a second, for ever."""
    number = 0
    while True:
        await asyncio.sleep(1)
        number += 1
        run.keep(f"step {number}")
        await run.checkpoint()


def declare(name: str, function: Function, **options: Any) -> StepSpec:
    """A step with the time and the cascade of the graph's step of that name."""
    return StepSpec(
        name=name, function=function, timeout=TIMEOUTS[name], cascade=CASCADE[name], **options
    )


GRAPH: Mapping[str, StepSpec] = {
    spec.name: spec
    for spec in (
        declare("chunking", giving(["a chunk", "a chunk"])),
        declare(
            "entityExtraction",
            giving(["Ada", "Zagreb"]),
            needs=("chunking",),
            takes="chunking",
            calls_model=True,
        ),
        declare(
            "propertyScoping",
            giving(["lives in"]),
            needs=(StepNeed("entityExtraction", whole=True),),
        ),
        declare(
            "relationExtraction",
            giving(["Ada lives in Zagreb"]),
            needs=(
                StepNeed("entityExtraction", whole=True),
                StepNeed("propertyScoping", optional=True),
            ),
            calls_model=True,
        ),
        declare(
            "grounding",
            giving(["yes"]),
            needs=(StepNeed("relationExtraction", whole=True),),
            calls_model=True,
        ),
        declare(
            "serialization",
            giving("a graph"),
            needs=(
                "entityExtraction",
                StepNeed("relationExtraction", optional=True),
                StepNeed("grounding", optional=True),
            ),
        ),
    )
}
"""As the graph pack would declare them."""


def graph(**functions: Function | StepSpec) -> tuple[StepSpec, ...]:
    """The six steps, some of them doing something else."""
    steps = []
    for name, spec in GRAPH.items():
        other = functions.get(name, spec)
        steps.append(other if isinstance(other, StepSpec) else replace(spec, function=other))
    return tuple(steps)


def graph_request(**functions: Function | StepSpec) -> Request:
    return Request(
        steps=graph(**functions),
        payload="the text",
        request_id="r1",
        budget=plan_budget(),
        rule=GRAPH_RULE,
    )


def spec_of(step: str, function: Function | None = None, **changed: Any) -> StepSpec:
    """One of the six with something changed."""
    given = {**changed, **({} if function is None else {"function": function})}
    return replace(GRAPH[step], **given)


def timeout_of(step: str, escalation: TimeoutEscalation, **changed: Any) -> StepTimeout:
    """The timeout of one of the six with another escalation."""
    return replace(TIMEOUTS[step], escalation=escalation, **changed)
