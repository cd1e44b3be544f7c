"""The model calls of a request: on its account, within its budget, and counted."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from assay.errors import AuthError, BudgetExceeded, CallDenied, ProviderFailed
from assay.llm.budget import build_budget_from_table
from assay.llm.doubles.scripted import Cut, Fail, Hang, Say
from assay.llm.requests.cancellation import CancellationMode
from assay.llm.requests.results import StepEnd
from assay.llm.requests.step_run import StepRun
from assay.llm.requests.supervisor import Supervisor
from assay.packs.graph.steps import TIMEOUTS, GraphCompleteness
from tests.llm.requests.pipeline import GENEROUS, asking, bench, graph_request, hanging, spec_of
from tests.llm.requests.stopping import cancelling
from tests.llm.virtual import BASE_MS, others, virtually


@virtually
async def test_calls_are_made_on_the_request_s_account(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "assay.llm")
    async with bench(tmp_path, Say("Ada and Zagreb"), Say("Ada lives there")) as b:
        request = graph_request(
            entityExtraction=asking("name all of them"),
            relationExtraction=asking("who lives where"),
        )
        result = await b.supervisor.run(
            replace(request, source="gazette", evidence="e1", run_id="run1", priority=3)
        )
        assert b.all_is_back()
        with b.plane.engine.connect() as connection:
            rows = connection.exec_driver_sql(
                "SELECT request_id, stage, source_slug, evidence_id, run_id, state, charged_tokens"
                " FROM llm_calls ORDER BY reserved_ms, stage"
            ).all()
    assert [tuple(row) for row in rows] == [
        ("r1", "entityExtraction", "gazette", "e1", "run1", "done", 7),
        ("r1", "relationExtraction", "gazette", "e1", "run1", "done", 6),
    ]
    assert (result.token_usage.used, result.token_usage.remaining) == (13, 4083)
    lines = [r.__dict__["assay"] for r in caplog.records if r.message == "Token usage recorded"]
    assert lines[0] == {
        "action": "token_usage_recorded", "step": "entityExtraction", "request_id": "r1",
        "run_id": "run1", "prompt_tokens": 4, "completion_tokens": 3, "total_tokens": 7,
        "budget_remaining": 4089, "budget_percent": "99%",
    }  # fmt: skip


class Entity(BaseModel):
    name: str


@virtually
async def test_items_of_a_stream_that_is_cut_are_kept(tmp_path: Path) -> None:
    async def step(run: StepRun) -> Any:
        async with run.items("name them", Entity) as found:
            async for entity in found:
                run.keep(entity.name)

    text = '{"items": [ {"name":"Ada"}, {"name":"Zagreb"}, {"name": "Bra'
    async with bench(tmp_path, Cut(after=100, text=text)) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=step))
        assert b.all_is_back()
    assert result.outputs["entityExtraction"] == ("Ada", "Zagreb")
    assert result.failed_steps[0].error_code == "stream_cut"
    assert result.completeness is GraphCompleteness.PARTIAL_ENTITY_ONLY
    assert result.token_usage.used > 0


@pytest.mark.parametrize(
    ("error", "code"),
    [(ProviderFailed("It is down."), "provider_failed"), (AuthError("The key is wrong."), "auth")],
)
@virtually
async def test_a_provider_that_fails_leaves_what_was_kept(
    tmp_path: Path, error: Exception, code: str
) -> None:
    async with bench(tmp_path, Say("Ada"), Fail(error)) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=asking("one", "two")))
    assert result.outputs["entityExtraction"] == ("Ada",)
    assert result.failed_steps[0].error_code == code
    assert result.completeness is GraphCompleteness.PARTIAL_ENTITY_ONLY


@virtually
async def test_a_denial_says_when_it_recovers(tmp_path: Path) -> None:
    tight = replace(GENEROUS, daily_tokens=30)
    async with bench(tmp_path, policy=tight) as b:
        result = await b.supervisor.run(
            graph_request(entityExtraction=asking("one", "two", "three", max_tokens=26))
        )
        assert b.provider.opens == 2
    failure = result.failed_steps[0]
    assert failure.error_code == "call_denied"
    assert failure.reason.startswith("GLOBAL_DAILY_CAP_EXCEEDED: ")
    assert isinstance(failure.error, CallDenied)
    assert failure.error.recovers_ms == (BASE_MS // 86_400_000 + 1) * 86_400_000
    assert result.outputs["entityExtraction"] == ("fine", "fine")


@virtually
async def test_a_call_that_waits_for_its_permit_is_stopped_by_the_hard_timeout(
    tmp_path: Path,
) -> None:
    one_at_a_time = replace(GENEROUS, max_concurrent_local=1)
    short = replace(TIMEOUTS["entityExtraction"], soft_ms=4_000, hard_ms=4_000)

    async def step(run: StepRun) -> Any:
        async with asyncio.TaskGroup() as group:
            for question in ("one", "two", "three"):
                group.create_task(run.ask(question))

    async with bench(tmp_path, Hang(), policy=one_at_a_time) as b:
        spec = spec_of("entityExtraction", step, timeout=short)
        running = asyncio.create_task(b.supervisor.run(graph_request(entityExtraction=spec)))
        await asyncio.sleep(3)
        assert (b.plane.limiter.permits_held, b.plane.limiter.waiting_calls) == (1, 2)
        under_way = b.supervisor.list_running()[0].under_way
        assert sum("call:" in path for path in under_way) == 3
        await running
        assert b.provider.opens == 1
        assert b.all_is_back()
        assert others() == []


@virtually
async def test_a_budget_that_ends_stops_the_step_and_the_model_steps_after_it(
    tmp_path: Path,
) -> None:
    budget = build_budget_from_table(
        {"entityExtraction": 20, "relationExtraction": 20, "grounding": 40}
    )
    async with bench(tmp_path) as b:
        request = graph_request(
            entityExtraction=asking("who", max_tokens=5),
            relationExtraction=asking("a b", "c d", "e f", max_tokens=13),
            grounding=asking("is it so", max_tokens=5),
        )
        result = await b.supervisor.run(replace(request, budget=budget))
        assert b.provider.opens == 3
        assert b.told("budget_exceeded") == [{"step": "relationExtraction"}]
    assert result.endings["relationExtraction"].end is StepEnd.OUT_OF_BUDGET
    assert result.outputs["relationExtraction"] == ("fine", "fine")
    assert result.endings["grounding"].reason == "the request's budget is used up"
    assert result.outputs["serialization"] == "a graph"
    assert result.completeness is GraphCompleteness.PARTIAL_EARLY_EXIT
    usage = result.token_usage
    assert (usage.allocated, usage.used, usage.remaining) == (80, 8, 72)


@virtually
async def test_a_step_cannot_hide_that_its_budget_ended(tmp_path: Path) -> None:
    async def hiding(run: StepRun) -> Any:
        try:
            await run.ask("more than there is", max_tokens=5_000)
        except BudgetExceeded:
            return ["some"]

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(relationExtraction=hiding))
    assert result.endings["relationExtraction"].end is StepEnd.OUT_OF_BUDGET
    assert result.outputs["relationExtraction"] == ["some"]
    assert result.skipped_steps == ("grounding",)


@virtually
async def test_a_budget_that_ends_in_one_of_many_tasks_is_found(tmp_path: Path) -> None:
    async def step(run: StepRun) -> Any:
        async with asyncio.TaskGroup() as group:
            group.create_task(run.ask("small", max_tokens=5))
            group.create_task(run.ask("large", max_tokens=5_000))

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=step))
        assert b.all_is_back()
    assert result.endings["entityExtraction"].end is StepEnd.OUT_OF_BUDGET
    assert result.failed_steps[0].error_code == "budget_exceeded"


@virtually
async def test_tokens_of_a_call_that_was_stopped_are_in_the_result(tmp_path: Path) -> None:
    """The step never sees the usage of a call that is cut; the ledger does."""
    async with bench(tmp_path, Hang(after=4)) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=asking("one two three")))
    assert result.token_usage.used == 3 + 4


@virtually
async def test_a_broken_counter_harms_nothing(tmp_path: Path) -> None:
    def broken(name: str, labels: Mapping[str, object]) -> None:
        raise RuntimeError("no room for numbers")

    async with bench(tmp_path) as b:
        result = await Supervisor(b.plane, observe=broken).run(graph_request())
    assert result.completeness is GraphCompleteness.COMPLETE
    assert result.warnings == ()


@virtually
async def test_the_plane_s_own_metrics_hear_of_everything(tmp_path: Path) -> None:
    async with bench(tmp_path, Hang(), Hang()) as b:
        supervisor = Supervisor(b.plane)
        await supervisor.run(graph_request(entityExtraction=asking("who")))
        wish = cancelling("r1", CancellationMode.ABORT)
        running = asyncio.create_task(supervisor.run(graph_request(entityExtraction=asking("who"))))
        await asyncio.sleep(1)
        supervisor.cancel(wish)
        await running
        await supervisor.run(graph_request(grounding=hanging()))
        broke = graph_request(relationExtraction=asking("too much", max_tokens=5_000))
        await supervisor.run(broke)
        found = b.plane.metrics.take_snapshot()
    assert found["step_timeouts"] == {"entityExtraction": 1, "grounding": 2}
    assert (found["timeout_recoveries"], found["aborted_requests"]) == (2, 1)
    assert (found["tokens_allocated"], found["token_budget_exceeded"]) == (4 * 4096, 1)
    assert (found["complete_results"], found["partial_results"], found["empty_results"]) == (
        1,
        1,
        2,
    )
    assert b.plane.metrics.read_numbers("requests_cancelled") == {("abort", "entityExtraction"): 1}
