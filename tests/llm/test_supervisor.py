"""The supervisor: stages and their needs, budgets, failures, and equal requests."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import BaseModel

from assay.errors import (
    AuthError,
    BudgetExceeded,
    CallDenied,
    ContractViolation,
    InvalidInput,
    ProviderFailed,
)
from assay.llm.budget import by_table, default_budget
from assay.llm.doubles.behaviour import Behaviour
from assay.llm.doubles.books import ServedState, now_ms
from assay.llm.doubles.estimator import WordEstimator
from assay.llm.doubles.scripted import Cut, Fail, Hang, Say
from assay.llm.doubles.server import ProviderServer
from assay.llm.limits import UNLIMITED, Policy
from assay.llm.messages import Lane
from assay.llm.plane import ControlPlane
from assay.llm.providers.openai import openai
from assay.llm.requests.cancellation import CancellationMode, CancellationSignal
from assay.llm.requests.results import Completeness, End, ResultRule
from assay.llm.requests.stage_run import Need, Request, StageRun, StageSpec
from assay.llm.requests.supervisor import Supervisor, request_key
from assay.llm.requests.timeouts import DEFAULT_STAGE_TIMEOUTS, StageTimeout, TimeoutEscalation
from tests.llm.pipeline import (
    GENEROUS,
    GRAPH,
    Bench,
    bench,
    giving,
    graph,
    graph_request,
    hanging,
    raising,
    spec_of,
)
from tests.llm.virtual import BASE_MS, others, settled, virtually


def asking(*questions: str, **options: Any) -> Any:
    """A stage that keeps the answer to each of its questions."""

    async def stage(run: StageRun) -> Any:
        for question in questions:
            run.keep((await run.ask(question, **options)).text)
        return list(run.kept)

    return stage


def cancelling(request_id: str, mode: CancellationMode) -> CancellationSignal:
    return CancellationSignal(request_id=request_id, mode=mode, reason="user_request")


# --- stages ---------------------------------------------------------------------------------------


@virtually
async def test_stages_run_in_order_on_what_they_need(tmp_path: Path) -> None:
    seen: dict[str, Mapping[str, Any]] = {}

    def noting(name: str) -> Any:
        async def stage(run: StageRun) -> Any:
            assert run.request_id == "r1"
            seen[name] = dict(run.inputs)
            return [f"{name} of {run.payload}"]

        return stage

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(**{name: noting(name) for name in GRAPH}))
    assert list(seen) == list(GRAPH)
    assert seen["chunking"] == {}
    assert seen["relationExtraction"].keys() == {"entityExtraction", "propertyScoping"}
    assert result.outputs["chunking"] == ["chunking of the text"]
    assert result.outputs["entityExtraction"] == ["entityExtraction of ['chunking of the text']"]
    assert result.completeness is Completeness.COMPLETE
    assert (result.failed_stages, result.skipped_stages, result.warnings) == ((), (), ())
    assert b.told("result") == [{"completeness": "complete"}]
    assert b.told("tokens_allocated") == [{"tokens": 4096}]


@pytest.mark.parametrize(
    ("need", "kept", "starts"),
    [
        ("entityExtraction", ("Ada",), True),
        ("entityExtraction", (), False),
        (Need("entityExtraction", whole=True), ("Ada",), False),
        (Need("entityExtraction", optional=True), (), True),
    ],
)
@virtually
async def test_what_a_stage_does_with_less_than_it_needs(
    tmp_path: Path, need: str | Need, kept: tuple[str, ...], starts: bool
) -> None:
    scoping = spec_of("propertyScoping", needs=(need,))
    failing = raising(ProviderFailed("It is down."), *kept)
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(
            graph_request(entityExtraction=failing, propertyScoping=scoping)
        )
    assert ("propertyScoping" in result.outputs) is starts
    assert result.endings["entityExtraction"].end is End.FAILED


@virtually
async def test_a_crash_is_a_failed_stage_with_its_traceback_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(
            graph_request(propertyScoping=raising(ZeroDivisionError("by zero")))
        )
    failure = result.failed_stages[0]
    assert (failure.stage, failure.error_code) == ("propertyScoping", "stage_crashed")
    assert failure.reason == "Stage propertyScoping raised ZeroDivisionError: by zero."
    assert any(
        r.exc_info for r in caplog.records if r.__dict__["assay"]["action"] == "stage_crashed"
    )


@virtually
async def test_a_stage_that_cancels_itself_has_failed(tmp_path: Path) -> None:
    async def confused(run: StageRun) -> Any:
        raise asyncio.CancelledError

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(propertyScoping=confused))
    assert result.endings["propertyScoping"].end is End.FAILED
    assert result.completeness is Completeness.PARTIAL_EARLY_EXIT


@virtually
async def test_what_was_kept_can_be_assembled(tmp_path: Path) -> None:
    spec = spec_of(
        "entityExtraction",
        hanging("Ada", "Zagreb"),
        assemble=lambda kept: {"entities": kept},
        count=lambda output: len(output["entities"]),
    )
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=spec))
    assert result.outputs["entityExtraction"] == {"entities": ("Ada", "Zagreb")}
    assert result.endings["entityExtraction"].items == 2


@virtually
async def test_a_pipeline_whose_own_rule_is_broken_tells_who_waits(tmp_path: Path) -> None:
    def broken(endings: Mapping[str, Any]) -> Completeness:
        raise KeyError("no such stage")

    async with bench(tmp_path) as b:
        request = replace(graph_request(), rule=ResultRule(completeness=broken))
        with pytest.raises(KeyError):
            await b.supervisor.run(request)
        assert b.supervisor.requests() == ()


@virtually
async def test_an_undeclared_model_call_is_refused(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(propertyScoping=asking("may I?")))
        assert b.provider.opens == 0
    assert isinstance(result.failed_stages[0].error, ContractViolation)


BAD_PIPELINES = {
    "a stage at least": (),
    "no timeout": (StageSpec(name="draft", function=giving(1)),),
    "declared twice": (GRAPH["chunking"], GRAPH["chunking"]),
    "not before it": (GRAPH["entityExtraction"], GRAPH["chunking"]),
    "does not need it": (replace(GRAPH["chunking"], takes="entityExtraction"),),
}


@pytest.mark.parametrize("why", BAD_PIPELINES)
@virtually
async def test_a_pipeline_that_cannot_run_is_refused_before_it_begins(
    tmp_path: Path, why: str
) -> None:
    async with bench(tmp_path) as b:
        with pytest.raises(InvalidInput, match=why):
            await b.supervisor.run(Request(stages=BAD_PIPELINES[why]))
        assert b.seen == []


@virtually
async def test_other_timeouts_can_be_given(tmp_path: Path) -> None:
    draft = StageTimeout(
        stage="draft", soft_ms=10, hard_ms=20, escalation=TimeoutEscalation.SKIP_STAGE,
        allow_partial=False,
    )  # fmt: skip
    async with bench(tmp_path) as b:
        supervisor = Supervisor(b.plane, timeouts={"draft": draft})
        stages = (StageSpec(name="draft", function=hanging("half")),)
        result = await supervisor.run(Request(stages=stages))
    assert result.execution_ms == 20
    assert result.completeness is Completeness.EMPTY


# --- model calls ----------------------------------------------------------------------------------


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
        "action": "token_usage_recorded", "stage": "entityExtraction", "request_id": "r1",
        "run_id": "run1", "prompt_tokens": 4, "completion_tokens": 3, "total_tokens": 7,
        "budget_remaining": 4089, "budget_percent": "99%",
    }  # fmt: skip


class Entity(BaseModel):
    name: str


@virtually
async def test_items_of_a_stream_that_is_cut_are_kept(tmp_path: Path) -> None:
    async def stage(run: StageRun) -> Any:
        async with run.items("name them", Entity) as found:
            async for entity in found:
                run.keep(entity.name)

    text = '{"items": [ {"name":"Ada"}, {"name":"Zagreb"}, {"name": "Bra'
    async with bench(tmp_path, Cut(after=100, text=text)) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=stage))
        assert b.all_is_back()
    assert result.outputs["entityExtraction"] == ("Ada", "Zagreb")
    assert result.failed_stages[0].error_code == "stream_cut"
    assert result.completeness is Completeness.PARTIAL_ENTITY_ONLY
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
    assert result.failed_stages[0].error_code == code
    assert result.completeness is Completeness.PARTIAL_ENTITY_ONLY


@virtually
async def test_a_denial_says_when_it_recovers(tmp_path: Path) -> None:
    tight = replace(GENEROUS, daily_tokens=30)
    async with bench(tmp_path, policy=tight) as b:
        result = await b.supervisor.run(
            graph_request(entityExtraction=asking("one", "two", "three", max_tokens=26))
        )
        assert b.provider.opens == 2
    failure = result.failed_stages[0]
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
    short = replace(DEFAULT_STAGE_TIMEOUTS["entityExtraction"], soft_ms=4_000, hard_ms=4_000)

    async def stage(run: StageRun) -> Any:
        async with asyncio.TaskGroup() as group:
            for question in ("one", "two", "three"):
                group.create_task(run.ask(question))

    async with bench(tmp_path, Hang(), policy=one_at_a_time) as b:
        spec = spec_of("entityExtraction", stage, timeout=short)
        running = asyncio.create_task(b.supervisor.run(graph_request(entityExtraction=spec)))
        await asyncio.sleep(3)
        assert (b.plane.turnstile.held, b.plane.turnstile.waiting) == (1, 2)
        under_way = b.supervisor.requests()[0].under_way
        assert sum("call:" in path for path in under_way) == 3
        await running
        assert b.provider.opens == 1
        assert b.all_is_back()
        assert others() == []


@virtually
async def test_a_budget_that_ends_stops_the_stage_and_the_model_stages_after_it(
    tmp_path: Path,
) -> None:
    budget = by_table({"entityExtraction": 20, "relationExtraction": 20, "grounding": 40})
    async with bench(tmp_path) as b:
        request = graph_request(
            entityExtraction=asking("who", max_tokens=5),
            relationExtraction=asking("a b", "c d", "e f", max_tokens=13),
            grounding=asking("is it so", max_tokens=5),
        )
        result = await b.supervisor.run(replace(request, budget=budget))
        assert b.provider.opens == 3
        assert b.told("budget_exceeded") == [{"stage": "relationExtraction"}]
    assert result.endings["relationExtraction"].end is End.OUT_OF_BUDGET
    assert result.outputs["relationExtraction"] == ("fine", "fine")
    assert result.endings["grounding"].reason == "the request's budget is used up"
    assert result.outputs["serialization"] == "a graph"
    assert result.completeness is Completeness.PARTIAL_EARLY_EXIT
    usage = result.token_usage
    assert (usage.allocated, usage.used, usage.remaining) == (80, 8, 72)


@virtually
async def test_a_stage_cannot_hide_that_its_budget_ended(tmp_path: Path) -> None:
    async def hiding(run: StageRun) -> Any:
        try:
            await run.ask("more than there is", max_tokens=5_000)
        except BudgetExceeded:
            return ["some"]

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(relationExtraction=hiding))
    assert result.endings["relationExtraction"].end is End.OUT_OF_BUDGET
    assert result.outputs["relationExtraction"] == ["some"]
    assert result.skipped_stages == ("grounding",)


@virtually
async def test_a_budget_that_ends_in_one_of_many_tasks_is_found(tmp_path: Path) -> None:
    async def stage(run: StageRun) -> Any:
        async with asyncio.TaskGroup() as group:
            group.create_task(run.ask("small", max_tokens=5))
            group.create_task(run.ask("large", max_tokens=5_000))

    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=stage))
        assert b.all_is_back()
    assert result.endings["entityExtraction"].end is End.OUT_OF_BUDGET
    assert result.failed_stages[0].error_code == "budget_exceeded"


@virtually
async def test_tokens_of_a_call_that_was_stopped_are_in_the_result(tmp_path: Path) -> None:
    """The stage never sees the usage of a call that is cut; the ledger does."""
    async with bench(tmp_path, Hang(after=4)) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=asking("one two three")))
    assert result.token_usage.used == 3 + 4


@virtually
async def test_a_broken_counter_harms_nothing(tmp_path: Path) -> None:
    def broken(name: str, labels: Mapping[str, object]) -> None:
        raise RuntimeError("no room for numbers")

    async with bench(tmp_path) as b:
        result = await Supervisor(b.plane, observe=broken).run(graph_request())
    assert result.completeness is Completeness.COMPLETE
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
        found = b.plane.metrics.snapshot()
    assert found["stage_timeouts"] == {"entityExtraction": 1, "grounding": 2}
    assert (found["timeout_recoveries"], found["aborted_requests"]) == (2, 1)
    assert (found["tokens_allocated"], found["token_budget_exceeded"]) == (4 * 4096, 1)
    assert (found["complete_results"], found["partial_results"], found["empty_results"]) == (
        1,
        1,
        2,
    )
    assert b.plane.metrics.numbers("requests_cancelled") == {("abort", "entityExtraction"): 1}


# --- equal requests -------------------------------------------------------------------------------


def shared_request(request_id: str, **functions: Any) -> Request:
    key = request_key("the text", {"ontology": "o1"})
    return Request(stages=graph(**functions), payload="the text", request_id=request_id, key=key)


def test_equal_inputs_have_equal_keys() -> None:
    assert request_key("text", {"a": 1, "b": 2}) == request_key("text", {"b": 2, "a": 1})
    assert request_key("text", {"a": 1}) != request_key("text", {"a": 2})


@virtually
async def test_equal_requests_at_the_same_time_share_one_execution(tmp_path: Path) -> None:
    async with bench(tmp_path, then=Say("Ada", first_delay_s=10)) as b:
        slow = asking("who")
        first = asyncio.create_task(b.supervisor.run(shared_request("r1", entityExtraction=slow)))
        await asyncio.sleep(5)
        second = asyncio.create_task(b.supervisor.run(shared_request("r2", entityExtraction=slow)))
        await settled()
        shown = b.supervisor.requests()
        assert [(view.request_id, view.waiters, view.stage) for view in shown] == [
            ("r1", ("r1", "r2"), "entityExtraction")
        ]
        assert (shown[0].since_ms, shown[0].attempt, shown[0].mode) == (BASE_MS, 1, None)
        assert await first is await second
        assert b.provider.opens == 1
        await b.supervisor.run(shared_request("r3", entityExtraction=slow))
        assert b.provider.opens == 2


@virtually
async def test_requests_without_a_key_are_never_equal(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(entityExtraction=asking("who"))
        await asyncio.gather(*(b.supervisor.run(replace(request, request_id=r)) for r in "ab"))
        assert b.provider.opens == 2


async def two_waiters(b: Bench) -> tuple["asyncio.Task[Any]", "asyncio.Task[Any]"]:
    async def stage(run: StageRun) -> Any:
        run.keep("Ada")
        await run.ask("who")
        return ["Ada"]

    first = asyncio.create_task(b.supervisor.run(shared_request("r1", entityExtraction=stage)))
    second = asyncio.create_task(b.supervisor.run(shared_request("r2", entityExtraction=stage)))
    await asyncio.sleep(2)
    return first, second


@virtually
async def test_a_caller_that_goes_away_leaves_the_others_alone(tmp_path: Path) -> None:
    async with bench(tmp_path, Say("Ada", first_delay_s=10)) as b:
        first, second = await two_waiters(b)
        first.cancel()
        await settled()
        assert first.cancelled()
        assert (await second).completeness is Completeness.COMPLETE
        assert b.provider.finished == 1


@virtually
async def test_the_last_caller_that_goes_away_stops_it(tmp_path: Path) -> None:
    async with bench(tmp_path, Hang()) as b:
        first, second = await two_waiters(b)
        first.cancel()
        await settled()
        assert b.provider.under_way == 1
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        assert b.all_is_back()
        assert others() == []
        assert b.told("request_cancelled") == [{"mode": "immediate", "stage": "entityExtraction"}]


@virtually
async def test_cancelling_one_of_two_equal_requests_lets_only_that_one_go(tmp_path: Path) -> None:
    async with bench(tmp_path, Say("Ada", first_delay_s=10)) as b:
        first, second = await two_waiters(b)
        assert b.supervisor.cancel(cancelling("r1", CancellationMode.ABORT))
        left = await first
        assert (left.request_id, left.completeness) == ("r1", Completeness.EMPTY)
        assert left.warnings == ("The request was cancelled (abort): user_request.",)
        assert b.provider.under_way == 1
        assert (await second).completeness is Completeness.COMPLETE


@virtually
async def test_cancelling_the_last_of_two_equal_requests_stops_it(tmp_path: Path) -> None:
    async with bench(tmp_path, Hang()) as b:
        first, second = await two_waiters(b)
        assert b.supervisor.cancel(cancelling("r1", CancellationMode.GRACEFUL))
        assert b.supervisor.cancel(cancelling("r2", CancellationMode.IMMEDIATE))
        await first
        assert (await second).outputs["entityExtraction"] == ("Ada",)
        assert b.all_is_back()
        assert not b.supervisor.cancel(cancelling("r2", CancellationMode.IMMEDIATE))


@virtually
async def test_a_newcomer_does_not_join_what_is_being_stopped(tmp_path: Path) -> None:
    async with bench(tmp_path, Hang(), Say("Ada")) as b:
        stage = asking("who")
        first = asyncio.create_task(b.supervisor.run(shared_request("r1", entityExtraction=stage)))
        await asyncio.sleep(1)
        b.supervisor.cancel(cancelling("r1", CancellationMode.GRACEFUL))
        fresh = await b.supervisor.run(shared_request("r2", entityExtraction=stage))
        assert (fresh.request_id, fresh.completeness) == ("r2", Completeness.COMPLETE)
        assert (await first).completeness is Completeness.EMPTY


@virtually
async def test_an_id_is_under_way_once(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        request = graph_request(entityExtraction=giving(["Ada"], 5))
        running = asyncio.create_task(b.supervisor.run(request))
        await asyncio.sleep(1)
        with pytest.raises(InvalidInput, match="already under way"):
            await b.supervisor.run(request)
        await running


@virtually
async def test_closing_stops_everything(tmp_path: Path) -> None:
    async with bench(tmp_path, then=Hang()) as b:
        request = graph_request(entityExtraction=asking("who"))
        running = [
            asyncio.create_task(b.supervisor.run(replace(request, request_id=r))) for r in "abc"
        ]
        await asyncio.sleep(1)
        await b.supervisor.close()
        assert b.all_is_back()
        results = await asyncio.gather(*running)
    assert {result.warnings[-1] for result in results} == {
        "The request was cancelled (immediate): shutdown."
    }


@virtually
async def test_many_requests_at_once_keep_their_books_apart(tmp_path: Path) -> None:
    policy = Policy(daily_tokens=None, max_concurrent_local=3)
    async with bench(tmp_path, then=Say("one two", first_delay_s=1), policy=policy) as b:
        request = graph_request(entityExtraction=asking("who", "where"))
        runs = [
            b.supervisor.run(replace(request, request_id=f"r{n}", budget=default_budget(100 + n),
                                     stages=graph(entityExtraction=asking("x", max_tokens=9))))
            for n in range(20)
        ]  # fmt: skip
        results = await asyncio.gather(*runs)
        assert b.provider.max_concurrent == 3
        assert b.all_is_back()
    assert [result.token_usage.allocated for result in results] == list(range(100, 120))
    assert {result.token_usage.used for result in results} == {3}


# --- over real HTTP -------------------------------------------------------------------------------


async def test_a_hard_timeout_closes_the_connection_as_the_server_sees_it(
    sqlite_engine: sa.Engine,
) -> None:
    """Within 100 ms, and the permit is back; the best of three, as the machine may be busy."""
    stopped_ms: list[int] = []

    def observe(name: str, labels: Mapping[str, object]) -> None:
        if name == "stage_timeout":
            stopped_ms.append(now_ms())

    async def stage(run: StageRun) -> Any:
        async with run.stream("say 50 words") as live:
            async for word in live:
                run.keep(word.strip())

    short = replace(DEFAULT_STAGE_TIMEOUTS["entityExtraction"], soft_ms=600, hard_ms=600)
    spec = spec_of("entityExtraction", stage, timeout=short)
    async with ProviderServer(Behaviour(hang_after=3), queue=[Behaviour()]) as server:
        provider = openai("m", base_url=f"{server.url}/v1", lane=Lane.LOCAL, limits=UNLIMITED)
        async with ControlPlane(
            sqlite_engine, [provider], estimator=WordEstimator(), policy=GENEROUS
        ) as plane:
            await plane.ask("say 5 words")  # The first call opens the database and the client.
            supervisor = Supervisor(plane, observe=observe)
            for number in range(3):
                request = replace(graph_request(entityExtraction=spec), request_id=f"r{number}")
                result = await supervisor.run(request)
                assert plane.turnstile.held == 0
                assert len(result.outputs["entityExtraction"]) == 3
                assert result.token_usage.used == 3 + 3
                await server.until(lambda books: books.under_way == 0)
                assert server.open_connections == 0
            with sqlite_engine.connect() as connection:
                states = connection.exec_driver_sql("SELECT state FROM llm_calls").scalars().all()
        ended_ms = [call.ended_ms or 0 for call in server.books.calls[1:]]
        assert server.books.count(ServedState.CANCELLED) == 3
    assert sorted(states) == ["cancelled"] * 3 + ["done"]
    gaps = [end - stop for end, stop in zip(ended_ms, stopped_ms, strict=True)]
    assert min(gaps) < 100


async def test_cancelling_over_http_frees_the_waiting_and_the_running_call(
    engine: sa.Engine,
) -> None:
    async def stage(run: StageRun) -> Any:
        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(run.ask("say 50 words"))

    async with ProviderServer(Behaviour(hang_after=-1)) as server:
        provider = openai("m", base_url=f"{server.url}/v1", lane=Lane.LOCAL, limits=UNLIMITED)
        policy = Policy(max_concurrent_local=2)
        async with ControlPlane(engine, [provider], policy=policy) as plane:
            supervisor = Supervisor(plane)
            running = asyncio.create_task(supervisor.run(graph_request(entityExtraction=stage)))
            await server.until(lambda books: books.under_way == 2)
            assert supervisor.cancel(cancelling("r1", CancellationMode.IMMEDIATE))
            result = await running
            assert (plane.turnstile.held, plane.turnstile.waiting) == (0, 0)
            await server.until(lambda books: books.under_way == 0)
            assert server.open_connections == 0
            assert server.books.count(ServedState.CANCELLED) == 2
    assert result.completeness is Completeness.EMPTY
    assert result.endings["entityExtraction"].end is End.CANCELLED
