"""The six stages of the graph as toys, and a real control plane for them on virtual time."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from assay.llm.doubles.estimator import WordEstimator
from assay.llm.doubles.scripted import Line, Say, ScriptedProvider
from assay.llm.limits import Policy
from assay.llm.plane import ControlPlane
from assay.llm.requests.stage_run import Need, Request, StageRun, StageSpec
from assay.llm.requests.supervisor import Supervisor
from assay.llm.requests.timeouts import DEFAULT_STAGE_TIMEOUTS, StageTimeout, TimeoutEscalation
from assay.store import schema
from assay.store.database import open_engine
from tests.llm.virtual import LoopClock

Function = Callable[[StageRun], Awaitable[Any]]
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
            and self.plane.turnstile.held == 0
            and self.plane.turnstile.waiting == 0
            and not self.supervisor.requests()
        )


@asynccontextmanager
async def bench(
    folder: Path, *script: Line, then: Line = FINE, policy: Policy = GENEROUS
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
    """A stage that gives this after a while."""

    async def stage(run: StageRun) -> Any:
        await asyncio.sleep(seconds)
        return output

    return stage


def raising(error: Exception, *kept: Any) -> Function:
    """A stage that keeps some items and fails."""

    async def stage(run: StageRun) -> Any:
        for item in kept:
            run.keep(item)
        raise error

    return stage


def hanging(*kept: Any) -> Function:
    """A stage that keeps some items and never ends."""

    async def stage(run: StageRun) -> Any:
        for item in kept:
            run.keep(item)
        await asyncio.Event().wait()

    return stage


def asking(*questions: str, **options: Any) -> Any:
    """A stage that keeps the answer to each of its questions."""

    async def stage(run: StageRun) -> Any:
        for question in questions:
            run.keep((await run.ask(question, **options)).text)
        return list(run.kept)

    return stage


async def keeping_on(run: StageRun) -> Any:
    """A stage that does a step a second, for ever."""
    step = 0
    while True:
        await asyncio.sleep(1)
        step += 1
        run.keep(f"step {step}")
        await run.checkpoint()


GRAPH: Mapping[str, StageSpec] = {
    spec.name: spec
    for spec in (
        StageSpec(name="chunking", function=giving(["a chunk", "a chunk"])),
        StageSpec(
            name="entityExtraction",
            function=giving(["Ada", "Zagreb"]),
            needs=("chunking",),
            takes="chunking",
            calls_model=True,
        ),
        StageSpec(
            name="propertyScoping",
            function=giving(["lives in"]),
            needs=(Need("entityExtraction", whole=True),),
        ),
        StageSpec(
            name="relationExtraction",
            function=giving(["Ada lives in Zagreb"]),
            needs=(
                Need("entityExtraction", whole=True),
                Need("propertyScoping", optional=True),
            ),
            calls_model=True,
        ),
        StageSpec(
            name="grounding",
            function=giving(["yes"]),
            needs=(Need("relationExtraction", whole=True),),
            calls_model=True,
        ),
        StageSpec(
            name="serialization",
            function=giving("a graph"),
            needs=(
                "entityExtraction",
                Need("relationExtraction", optional=True),
                Need("grounding", optional=True),
            ),
        ),
    )
}
"""As the graph pack would declare them."""


def graph(**functions: Function | StageSpec) -> tuple[StageSpec, ...]:
    """The six stages, some of them doing something else."""
    stages = []
    for name, spec in GRAPH.items():
        other = functions.get(name, spec)
        stages.append(other if isinstance(other, StageSpec) else replace(spec, function=other))
    return tuple(stages)


def graph_request(**functions: Function | StageSpec) -> Request:
    return Request(stages=graph(**functions), payload="the text", request_id="r1")


def spec_of(stage: str, function: Function | None = None, **changed: Any) -> StageSpec:
    """One of the six with something changed."""
    given = {**changed, **({} if function is None else {"function": function})}
    return replace(GRAPH[stage], **given)


def timeout_of(stage: str, escalation: TimeoutEscalation, **changed: Any) -> StageTimeout:
    """The timeout of one of the six with another escalation."""
    return replace(DEFAULT_STAGE_TIMEOUTS[stage], escalation=escalation, **changed)
