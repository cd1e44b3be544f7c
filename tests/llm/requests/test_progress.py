"""What can be seen of a request while it runs, and a supervisor that has no model."""

import asyncio
from pathlib import Path
from typing import Any

from assay.errors import ProviderFailed
from assay.llm.requests.progress import ProgressKind, RequestProgress
from assay.llm.requests.results import Completeness
from assay.llm.requests.step_run import StepRun
from assay.llm.requests.steps import Request, StepSpec
from assay.llm.requests.supervisor import Supervisor
from assay.llm.requests.timeouts import StepTimeout, TimeoutEscalation
from tests.llm.requests.pipeline import bench, giving, graph_request, hanging
from tests.llm.virtual import virtually

SOON = StepTimeout(
    soft_ms=1000,
    hard_ms=2000,
    escalation=TimeoutEscalation.WARN_CONTINUE,
    allow_partial=True,
    max_retries=1,
)


async def keeping(run: StepRun) -> Any:
    run.keep("one")
    run.keep("two")
    return run.kept


@virtually
async def test_every_step_of_every_step_is_told(tmp_path: Path) -> None:
    told: list[RequestProgress] = []
    async with bench(tmp_path) as b:
        await b.supervisor.run(graph_request(propertyScoping=keeping), told.append)
    seen = [(step.step, step.what, step.items, step.end) for step in told]
    assert seen[:2] == [
        ("chunking", ProgressKind.STARTED, 0, ""),
        ("chunking", ProgressKind.ENDED, 2, "completed"),
    ]
    scoping = [(what, items) for step, what, items, _ in seen if step == "propertyScoping"]
    assert scoping == [
        (ProgressKind.STARTED, 0),
        (ProgressKind.ITEMS, 1),
        (ProgressKind.ITEMS, 2),
        (ProgressKind.ENDED, 2),
    ]
    assert [step.step for step in told if step.what is ProgressKind.ENDED] == [
        "chunking",
        "entityExtraction",
        "propertyScoping",
        "relationExtraction",
        "grounding",
        "serialization",
    ]


@virtually
async def test_warnings_and_retries_are_told() -> None:
    told: list[RequestProgress] = []
    supervisor = Supervisor()
    spec = StepSpec(name="read", function=hanging("one"), timeout=SOON)
    result = await supervisor.run(Request(steps=(spec,), request_id="r1"), told.append)
    assert [step.what for step in told].count(ProgressKind.RETRY) == 1
    assert [step.attempt for step in told if step.what is ProgressKind.STARTED] == [1, 2]
    warned = [step.detail for step in told if step.what is ProgressKind.WARNING]
    assert warned[0] == "Step 'read' took longer than 1000 ms."
    assert tuple(warned) == result.warnings


@virtually
async def test_everyone_who_waits_is_told_under_his_own_name() -> None:
    supervisor = Supervisor()
    first: list[RequestProgress] = []
    second: list[RequestProgress] = []
    spec = StepSpec(name="read", function=giving("done", 1.0), timeout=SOON)
    one = Request(steps=(spec,), request_id="one", key="k")
    other = Request(steps=(spec,), request_id="other", key="k")
    await asyncio.gather(supervisor.run(one, first.append), supervisor.run(other, second.append))
    assert {step.request_id for step in first} == {"one"}
    assert {step.request_id for step in second} == {"other"}
    assert second[-1].what is ProgressKind.ENDED


@virtually
async def test_whoever_looks_on_harms_nothing() -> None:
    def broken(progress: RequestProgress) -> None:
        raise RuntimeError("no more")

    spec = StepSpec(name="read", function=giving("done"), timeout=SOON)
    result = await Supervisor().run(Request(steps=(spec,)), broken)
    assert result.completeness is Completeness.COMPLETE


@virtually
async def test_without_a_way_to_a_model_a_step_that_asks_fails_and_says_so() -> None:
    async def asking(run: StepRun) -> Any:
        return await run.ask("Who?")

    spec = StepSpec(name="read", function=asking, calls_model=True, timeout=SOON)
    result = await Supervisor().run(Request(steps=(spec,)))
    assert result.failed_steps[0].error_code == "contract_violation"
    assert "no control plane" in result.failed_steps[0].reason
    assert result.token_usage.used == 0
    assert not isinstance(result.failed_steps[0].error, ProviderFailed)
