"""The control plane with the scripted double, on virtual time."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import BaseModel, Field

from assay.errors import (
    AnswerInvalid,
    AuthError,
    BudgetExceeded,
    CallDenied,
    ProviderBusy,
    ProviderFailed,
    ProviderTimedOut,
    ProviderUnknown,
    StreamCut,
)
from assay.llm.doubles.scripted import Cut, Fail, Hang, Say, ScriptedProvider, ScriptLine
from assay.llm.doubles.words import WordEstimator
from assay.llm.limits import Policy, ProviderLimits
from assay.llm.messages import Lane, ModelRequest, ProviderRank, Usage
from assay.llm.plane import ControlPlane
from assay.llm.scope import CallScope, Denial, SourceStanding
from assay.llm.structured import strip_lengths
from assay.packs.graph.steps import plan_budget
from tests.llm.books import assert_books_balance, calls_of
from tests.llm.virtual import LoopClock, others, settled, virtually

ASKED = ModelRequest(user="five words are in here", max_tokens=10)


def plane_on(engine: sa.Engine, *providers: ScriptedProvider, **options: Any) -> ControlPlane:
    return ControlPlane(
        engine, providers, clock=LoopClock(), estimator=WordEstimator(),
        **{"policy": Policy(), "retry_delays_s": (), **options},
    )  # fmt: skip


def told(engine: sa.Engine) -> list[tuple[str, str, int]]:
    return [(row["state"], row["basis"], row["charged_tokens"]) for row in calls_of(engine)]


class Rate(BaseModel):
    percent: float
    quote: str = Field(max_length=20)


@virtually
async def test_an_answer_is_charged_what_the_provider_reports(sqlite_engine: sa.Engine) -> None:
    provider = ScriptedProvider(script=[Say("one two three")])
    async with plane_on(sqlite_engine, provider) as plane:
        answer = await plane.ask(ASKED, scope=CallScope(source="s"))
    assert (answer.text, answer.usage, answer.finish) == ("one two three", Usage(5, 3), "stop")
    assert told(sqlite_engine) == [("done", "reported", 8)]
    assert calls_of(sqlite_engine)[0]["call_id"] == answer.call_id
    assert_books_balance(sqlite_engine)


@virtually
async def test_an_answer_without_usage_is_charged_in_full(sqlite_engine: sa.Engine) -> None:
    provider = ScriptedProvider(script=[Say("one two", usage=None)])
    async with plane_on(sqlite_engine, provider) as plane:
        answer = await plane.ask(ASKED)
    assert answer.usage == Usage(5, 10)
    assert answer.warnings == ("The provider did not report its usage.",)
    assert told(sqlite_engine) == [("done", "reserved", 15)]


@virtually
async def test_a_cut_answer_is_charged_for_what_arrived(sqlite_engine: sa.Engine) -> None:
    async with plane_on(sqlite_engine, ScriptedProvider(script=[Cut(after=4)])) as plane:
        got: list[str] = []
        with pytest.raises(StreamCut):
            async with plane.stream(ASKED) as live:
                async for text in live:
                    got.append(text)
    assert len(got) == 4
    assert told(sqlite_engine) == [("cut", "estimated", 9)]


@virtually
async def test_leaving_early_cancels_and_is_charged_for_what_arrived(
    sqlite_engine: sa.Engine,
) -> None:
    provider = ScriptedProvider(script=[Say("a b c d e f", delay_s=1.0)])
    async with plane_on(sqlite_engine, provider) as plane:
        async with plane.stream(ASKED) as live:
            async for _ in live:
                if len(live.text.split()) == 2:
                    break
        assert plane.limiter.permits_held == 0
    assert told(sqlite_engine) == [("cancelled", "estimated", 7)]
    assert provider.closes == provider.opens == 1


@virtually
async def test_a_cancelled_task_gives_everything_back(sqlite_engine: sa.Engine) -> None:
    provider = ScriptedProvider(script=[Hang(after=3)])
    async with plane_on(sqlite_engine, provider) as plane:
        task = asyncio.create_task(plane.ask(ASKED))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (plane.limiter.permits_held, provider.closes) == (0, 1)
    assert told(sqlite_engine) == [("cancelled", "estimated", 8)]
    assert others() == []


@virtually
async def test_who_is_cancelled_while_waiting_leaves_the_queue(sqlite_engine: sa.Engine) -> None:
    provider = ScriptedProvider(script=[Hang(), Say("ok")])
    policy = Policy(max_concurrent_local=1)
    async with plane_on(sqlite_engine, provider, policy=policy) as plane:
        first = asyncio.create_task(plane.ask(ASKED))
        await settled()
        second = asyncio.create_task(plane.ask(ASKED))
        await asyncio.sleep(3)
        assert (plane.limiter.permits_held, plane.limiter.waiting_calls) == (1, 1)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        assert plane.limiter.waiting_calls == 0
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        assert (await plane.ask(ASKED)).text == "ok"
    assert [state for state, _, _ in told(sqlite_engine)] == ["cancelled", "done"]


@virtually
async def test_a_call_that_takes_too_long_is_ended(sqlite_engine: sa.Engine) -> None:
    provider = ScriptedProvider(script=[Hang(after=2), Hang(entering=True)])
    async with plane_on(sqlite_engine, provider) as plane:
        for _ in range(2):
            with pytest.raises(ProviderTimedOut, match="within 7 s"):
                await plane.ask(ASKED, timeout_s=7)
    assert told(sqlite_engine) == [("cut", "estimated", 7), ("failed", "estimated", 5)]


@virtually
async def test_a_failed_call_is_made_again_after_its_delays(sqlite_engine: sa.Engine) -> None:
    script: list[ScriptLine] = [
        Fail(ProviderFailed("broke")),
        Fail(ProviderFailed("broke")),
        Say("ok"),
    ]
    provider, loop = ScriptedProvider(script=script), asyncio.get_running_loop()
    async with plane_on(sqlite_engine, provider, retry_delays_s=(5, 20)) as plane:
        assert (await plane.ask(ASKED)).text == "ok"
    assert 20.0 <= loop.time() <= 30.0
    assert [entry[::2] for entry in told(sqlite_engine)] == [
        ("failed", 0), ("failed", 0), ("done", 6),
    ]  # fmt: skip


@virtually
async def test_a_busy_provider_is_left_alone_as_long_as_it_asks(sqlite_engine: sa.Engine) -> None:
    script: list[ScriptLine] = [Fail(ProviderBusy("later", retry_after_ms=42_000)), Say("ok")]
    provider, loop = ScriptedProvider(script=script), asyncio.get_running_loop()
    async with plane_on(sqlite_engine, provider, retry_delays_s=(5, 20)) as plane:
        assert (await plane.ask(ASKED)).text == "ok"
    assert 42.0 <= loop.time() < 43.1


@virtually
async def test_a_busy_provider_that_asks_for_too_long_is_an_error(
    sqlite_engine: sa.Engine,
) -> None:
    provider = ScriptedProvider(script=[Fail(ProviderBusy("later", retry_after_ms=120_001))])
    async with plane_on(sqlite_engine, provider, retry_delays_s=(5, 20)) as plane:
        with pytest.raises(ProviderBusy):
            await plane.ask(ASKED)


@virtually
async def test_a_refused_key_latches_and_nothing_is_sent_any_more(
    sqlite_engine: sa.Engine,
) -> None:
    provider = ScriptedProvider(script=[Fail(AuthError("no"))])
    async with plane_on(sqlite_engine, provider, retry_delays_s=(5, 20)) as plane:
        with pytest.raises(AuthError):
            await plane.ask(ASKED)
        with pytest.raises(CallDenied) as denied:
            await plane.ask(ASKED)
    assert denied.value.reason == Denial.CIRCUIT_OPEN
    assert provider.opens == 1


@virtually
async def test_without_patience_a_full_house_is_a_denial(sqlite_engine: sa.Engine) -> None:
    provider = ScriptedProvider(script=[Hang()])
    async with plane_on(sqlite_engine, provider, policy=Policy(max_concurrent_local=1)) as plane:
        task = asyncio.create_task(plane.ask(ASKED))
        await settled()
        with pytest.raises(CallDenied) as denied:
            await plane.ask(ASKED, scope=CallScope(wait_s=0))
        assert denied.value.reason == Denial.CONCURRENT_LIMIT_REACHED
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@virtually
async def test_a_rate_that_leaves_no_room_in_time_is_a_denial_that_says_when(
    sqlite_engine: sa.Engine,
) -> None:
    limits = ProviderLimits(requests_per_minute=1)
    provider = ScriptedProvider(limits=limits, script=[Say("a"), Say("b")])
    async with plane_on(sqlite_engine, provider) as plane:
        await plane.ask(ASKED)
        with pytest.raises(CallDenied) as denied:
            await plane.ask(ASKED, scope=CallScope(wait_s=10))
        assert denied.value.reason == Denial.RATE_LIMITED
        recovers_ms = denied.value.recovers_ms
        assert recovers_ms is not None
        await asyncio.sleep((recovers_ms - plane.clock.now_ms()) / 1000)
        assert (await plane.ask(ASKED, scope=CallScope(wait_s=0))).text == "b"


@virtually
async def test_leases_are_renewed_while_a_call_lasts(sqlite_engine: sa.Engine) -> None:
    provider = ScriptedProvider(script=[Say("slow", first_delay_s=600)])
    async with plane_on(sqlite_engine, provider) as plane:
        task = asyncio.create_task(plane.ask(ASKED))
        await asyncio.sleep(599)
        assert plane.ledger.sweep() == 0
        assert (await task).text == "slow"
    assert told(sqlite_engine) == [("done", "reported", 6)]
    assert others() == []


@virtually
async def test_the_request_of_a_budget_is_not_overspent(sqlite_engine: sa.Engine) -> None:
    provider = ScriptedProvider(then=Say("w " * 10))
    scope = CallScope(step="propertyScoping", request_id="r", budget=plan_budget(100))
    async with plane_on(sqlite_engine, provider) as plane:
        with pytest.raises(BudgetExceeded, match="8 of its 8"):
            await plane.ask(ASKED, scope=scope)
    assert provider.opens == 0 and told(sqlite_engine) == []


@virtually
async def test_an_answer_of_a_type_is_checked(sqlite_engine: sa.Engine) -> None:
    good, bad = '{"percent": 25, "quote": "25 %"}', '{"percent": "much", "quote": "?"}'
    provider = ScriptedProvider(script=[Say(good), Say(bad), Say("no JSON at all")])
    async with plane_on(sqlite_engine, provider) as plane:
        answer = await plane.ask(ASKED, answer_type=Rate)
        assert answer.value == Rate(percent=25, quote="25 %")
        with pytest.raises(AnswerInvalid, match="percent"):
            await plane.ask(ASKED, answer_type=Rate)
        with pytest.raises(AnswerInvalid, match="no JSON at all"):
            await plane.ask(ASKED, answer_type=Rate)
    assert len(told(sqlite_engine)) == 3, "what does not fit was paid for all the same"
    sent = provider.requests[0].schema
    assert sent is not None and sent["properties"]["quote"] == {"title": "Quote", "type": "string"}


def test_only_lengths_are_taken_from_a_schema() -> None:
    schema = {"properties": {"maxLength": {"type": "string", "maxLength": 5, "enum": ["a"]}}}
    assert strip_lengths(schema) == {"properties": {"maxLength": {"type": "string", "enum": ["a"]}}}


@virtually
async def test_items_are_given_one_by_one_and_kept_before_a_cut(sqlite_engine: sa.Engine) -> None:
    text = '{"items": [{"percent": 1, "quote": "a"}, {"percent": "x"}, {"percent": 2, "quote": "b"}, {"per'  # noqa: E501
    provider = ScriptedProvider(script=[Cut(after=99, text=text)])
    got: list[Rate] = []
    async with plane_on(sqlite_engine, provider) as plane:
        with pytest.raises(StreamCut):
            async with plane.items(ASKED, Rate) as live:
                async for item in live:
                    got.append(item)
    assert [item.percent for item in got] == [1, 2]
    assert [raw for raw, _ in live.rejected] == ['{"percent": "x"}']


@virtually
async def test_the_next_provider_is_asked_where_the_preferred_one_is_out(
    sqlite_engine: sa.Engine,
) -> None:
    local = ScriptedProvider(name="local", then=Fail(ProviderFailed("down")))
    cloud = ScriptedProvider(
        name="ollama_cloud", lane=Lane.CLOUD, rank=ProviderRank.SECOND, then=Say("from the cloud")
    )
    last = ScriptedProvider(name="openai", lane=Lane.CLOUD, then=Say("dear"))
    async with plane_on(sqlite_engine, last, cloud, local) as plane:
        answer = await plane.ask(ASKED, scope=CallScope(score=0.7))
        assert answer.provider == "ollama_cloud"
        with pytest.raises(ProviderFailed):
            await plane.ask(ASKED, scope=CallScope(score=0.69))
        assert (await plane.ask(ASKED, provider="openai")).text == "dear"
        with pytest.raises(ProviderUnknown, match="local, ollama_cloud, openai"):
            await plane.ask(ASKED, provider="nobody")


@virtually
async def test_a_sources_standing_is_asked_before_every_call(sqlite_engine: sa.Engine) -> None:
    provider = ScriptedProvider(then=Say("ok"))
    standings = {"poor": SourceStanding(multiplier=0.0002), "paused": SourceStanding(paused=True)}
    async with plane_on(
        sqlite_engine, provider, standing=lambda source: standings.get(source, SourceStanding())
    ) as plane:
        await plane.ask(ASKED, scope=CallScope(source="fair"))
        for source, reason in (
            ("poor", Denial.SOURCE_DAILY_CAP_EXCEEDED),
            ("paused", Denial.SOURCE_IN_COOLDOWN),
        ):
            with pytest.raises(CallDenied) as denied:
                await plane.ask(ASKED, scope=CallScope(source=source))
            assert denied.value.reason == reason


@virtually
async def test_concurrency_is_never_exceeded_and_all_are_served(sqlite_engine: sa.Engine) -> None:
    provider = ScriptedProvider(
        limits=ProviderLimits(max_concurrent=3), then=Say("ok", delay_s=0.5)
    )
    async with plane_on(sqlite_engine, provider) as plane:
        answers = await asyncio.gather(*(plane.ask(ASKED) for _ in range(30)))
    assert len(answers) == 30 and provider.max_concurrent == 3
    assert_books_balance(sqlite_engine)


@virtually
async def test_waiting_calls_go_by_priority(sqlite_engine: sa.Engine) -> None:
    served: list[str] = []

    def answer(request: ModelRequest) -> Say:
        served.append(request.user)
        return Say("ok", delay_s=1.0)

    provider = ScriptedProvider(limits=ProviderLimits(max_concurrent=1), then=answer)
    async with plane_on(sqlite_engine, provider) as plane:
        tasks = [asyncio.create_task(plane.ask("first", max_tokens=5))]
        await settled()
        for name, priority in (("low", 0), ("middle", 5), ("high", 9)):
            scope = CallScope(priority=priority, step=name)
            tasks.append(asyncio.create_task(plane.ask(name, scope=scope, max_tokens=5)))
            await settled()
        await asyncio.gather(*tasks)
    assert served == ["first", "high", "middle", "low"]


async def test_it_opens_on_a_database_of_its_own(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'spend.db'}"
    for _ in range(2):
        provider = ScriptedProvider(script=[Say("hello")])
        async with ControlPlane.open(url, [provider]) as plane:
            assert (await plane.ask("Say hello.", max_tokens=5)).text == "hello"
            assert len(calls_of(plane.engine)) in (1, 2)


@virtually
async def test_what_came_after_the_last_count_is_estimated(sqlite_engine: sa.Engine) -> None:
    provider = ScriptedProvider(script=[Cut(after=4, counted=True)])
    async with plane_on(sqlite_engine, provider) as plane:
        with pytest.raises(StreamCut):
            await plane.ask(ASKED)
    assert told(sqlite_engine) == [("cut", "estimated", 9)]
