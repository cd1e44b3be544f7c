"""What can be seen of a request while it runs, and a supervisor that has no model."""

import asyncio
from pathlib import Path
from typing import Any

from assay.errors import ProviderFailed
from assay.llm.requests.progress import Progress, Step
from assay.llm.requests.results import Completeness
from assay.llm.requests.stage_run import Request, StageRun, StageSpec
from assay.llm.requests.supervisor import Supervisor
from assay.llm.requests.timeouts import StageTimeout, TimeoutEscalation
from tests.llm.requests.pipeline import bench, giving, graph_request, hanging
from tests.llm.virtual import virtually

SOON = StageTimeout(
    stage="read",
    soft_ms=1000,
    hard_ms=2000,
    escalation=TimeoutEscalation.WARN_CONTINUE,
    allow_partial=True,
    max_retries=1,
)


async def keeping(run: StageRun) -> Any:
    run.keep("one")
    run.keep("two")
    return run.kept


@virtually
async def test_every_step_of_every_stage_is_told(tmp_path: Path) -> None:
    told: list[Progress] = []
    async with bench(tmp_path) as b:
        await b.supervisor.run(graph_request(propertyScoping=keeping), told.append)
    seen = [(step.stage, step.what, step.items, step.end) for step in told]
    assert seen[:2] == [("chunking", Step.STARTED, 0, ""), ("chunking", Step.ENDED, 2, "completed")]
    scoping = [(what, items) for stage, what, items, _ in seen if stage == "propertyScoping"]
    assert scoping == [
        (Step.STARTED, 0),
        (Step.ITEMS, 1),
        (Step.ITEMS, 2),
        (Step.ENDED, 2),
    ]
    assert [step.stage for step in told if step.what is Step.ENDED] == [
        "chunking",
        "entityExtraction",
        "propertyScoping",
        "relationExtraction",
        "grounding",
        "serialization",
    ]


@virtually
async def test_warnings_and_retries_are_told() -> None:
    told: list[Progress] = []
    supervisor = Supervisor()
    spec = StageSpec(name="read", function=hanging("one"), timeout=SOON)
    result = await supervisor.run(Request(stages=(spec,), request_id="r1"), told.append)
    assert [step.what for step in told].count(Step.RETRY) == 1
    assert [step.attempt for step in told if step.what is Step.STARTED] == [1, 2]
    warned = [step.detail for step in told if step.what is Step.WARNING]
    assert warned[0] == "Stage 'read' took longer than 1000 ms."
    assert tuple(warned) == result.warnings


@virtually
async def test_everyone_who_waits_is_told_under_his_own_name() -> None:
    supervisor = Supervisor()
    first: list[Progress] = []
    second: list[Progress] = []
    spec = StageSpec(name="read", function=giving("done", 1.0), timeout=SOON)
    one = Request(stages=(spec,), request_id="one", key="k")
    other = Request(stages=(spec,), request_id="other", key="k")
    await asyncio.gather(supervisor.run(one, first.append), supervisor.run(other, second.append))
    assert {step.request_id for step in first} == {"one"}
    assert {step.request_id for step in second} == {"other"}
    assert second[-1].what is Step.ENDED


@virtually
async def test_whoever_looks_on_harms_nothing() -> None:
    def broken(progress: Progress) -> None:
        raise RuntimeError("no more")

    spec = StageSpec(name="read", function=giving("done"), timeout=SOON)
    result = await Supervisor().run(Request(stages=(spec,)), broken)
    assert result.completeness is Completeness.COMPLETE


@virtually
async def test_without_a_way_to_a_model_a_stage_that_asks_fails_and_says_so() -> None:
    async def asking(run: StageRun) -> Any:
        return await run.ask("Who?")

    spec = StageSpec(name="read", function=asking, calls_model=True, timeout=SOON)
    result = await Supervisor().run(Request(stages=(spec,)))
    assert result.failed_stages[0].error_code == "contract_violation"
    assert "no way to one" in result.failed_stages[0].reason
    assert result.token_usage.used == 0
    assert not isinstance(result.failed_stages[0].error, ProviderFailed)
