"""The control plane against a real HTTP server that misbehaves, on both databases."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from assay.errors import (
    AssayError,
    AuthError,
    CallDenied,
    CallRefused,
    ProviderBusy,
    ProviderFailed,
    ProviderTimedOut,
    QuotaError,
    StreamCut,
)
from assay.llm.api import ControlPlane, ModelRequest, Policy, ProviderLimits, openai
from assay.llm.circuit import CircuitState
from assay.llm.doubles.words import WordEstimator
from assay.llm.providers import HttpProvider
from assay.llm.scope import CallScope, Denial
from tests.llm.books import assert_books_balance, calls_of
from tests.llm.virtual import LoopClock, virtually
from tests.providers.behaviour import Behaviour, Junk
from tests.providers.books import ServedState
from tests.providers.server import ProviderServer

ASKED = ModelRequest(user="please say 40 words now", max_tokens=50)
# A process that waits for a core must not lose its permit.
FREE = Policy(cloud_gap_ms=0, lease_ms=600_000)


def provider_of(server: ProviderServer, **limits: Any) -> HttpProvider:
    return openai(
        "m", base_url=f"{server.url}/v1", name="there", limits=ProviderLimits(**limits)
    )  # fmt: skip


def plane_of(engine: sa.Engine, provider: HttpProvider, **options: Any) -> ControlPlane:
    return ControlPlane(
        engine, [provider], estimator=WordEstimator(),
        **{"policy": FREE, "retry_delays_s": (), **options},
    )  # fmt: skip


def ended(state: ServedState) -> Callable[[Any], bool]:
    return lambda books: books.count(state) > 0


async def test_the_ledger_has_what_the_server_counted(engine: sa.Engine) -> None:
    async with ProviderServer(Behaviour(words=9)) as server:
        async with plane_of(engine, provider_of(server)) as plane:
            for _ in range(5):
                await plane.ask("a few words more", max_tokens=20)
        totals = server.books.totals()
    charged = sum(row["charged_tokens"] for row in calls_of(engine))
    assert charged == totals["prompt_tokens"] + totals["completion_tokens"] == 5 * (4 + 9)
    assert_books_balance(engine)


@pytest.mark.parametrize(
    "behaviour",
    [Behaviour(delay_ms=20), Behaviour(hang_after=2), Behaviour(hang_after=-1)],
    ids=["streaming", "hanging", "silent"],
)
@virtually
async def test_a_cancel_closes_the_connection_and_brings_the_permit_back(
    engine: sa.Engine, behaviour: Behaviour
) -> None:
    async with ProviderServer(behaviour) as server:
        async with plane_of(engine, provider_of(server), clock=LoopClock()) as plane:
            task = asyncio.create_task(plane.ask(ASKED))
            await server.until(lambda books: bool(books.calls))
            await asyncio.sleep(0.1)
            cancelled_s = asyncio.get_running_loop().time()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await server.until(ended(ServedState.CANCELLED))
            (call,) = server.books.calls
            assert asyncio.get_running_loop().time() - cancelled_s <= 0.1
            assert plane.limiter.permits_held == 0
            assert server.open_connections == 0
    (row,) = calls_of(engine)
    assert (row["state"], row["basis"]) == ("cancelled", "estimated")
    written = call.prompt_tokens + call.completion_tokens
    assert written - 3 <= row["charged_tokens"] <= max(written, 5)
    assert_books_balance(engine)


async def test_a_cut_stream_keeps_what_arrived_and_is_charged_for_it(engine: sa.Engine) -> None:
    async with ProviderServer(Behaviour(cut_after=7)) as server:
        async with plane_of(engine, provider_of(server)) as plane:
            with pytest.raises(StreamCut):
                async with plane.stream(ASKED) as live:
                    async for _ in live:
                        pass
            assert len(live.text.split()) == 7
        (call,) = server.books.calls
    (row,) = calls_of(engine)
    assert row["charged_tokens"] == call.prompt_tokens + call.completion_tokens == 12


@pytest.mark.parametrize(
    ("behaviour", "error", "state"),
    [
        (Behaviour(status=401), AuthError, CircuitState.LATCHED),
        (Behaviour(status=429, quota=True), QuotaError, CircuitState.LATCHED),
        (Behaviour(status=500), ProviderFailed, CircuitState.CLOSED),
        (Behaviour(junk=Junk.HTML), ProviderFailed, CircuitState.CLOSED),
        (Behaviour(status=429, retry_after="30"), ProviderBusy, CircuitState.CLOSED),
        (Behaviour(status=400, message="no such thing"), CallRefused, CircuitState.CLOSED),
    ],
    ids=["401", "quota", "500", "junk", "429", "400"],
)
async def test_a_fault_costs_nothing_and_moves_the_circuit_as_it_should(
    engine: sa.Engine, behaviour: Behaviour, error: type[AssayError], state: CircuitState
) -> None:
    async with ProviderServer(behaviour) as server:
        async with plane_of(engine, provider_of(server)) as plane:
            with pytest.raises(error):
                await plane.ask(ASKED)
            assert plane.ledger.read_states()["there"].circuit.state is state
    (row,) = calls_of(engine)
    assert (row["state"], row["charged_tokens"], row["basis"]) == ("failed", 0, "nothing")
    assert row["error_code"] == error.code


async def test_five_failures_open_the_circuit_and_nothing_more_is_sent(engine: sa.Engine) -> None:
    async with ProviderServer(Behaviour(status=503)) as server:
        async with plane_of(engine, provider_of(server)) as plane:
            for _ in range(5):
                with pytest.raises(ProviderFailed):
                    await plane.ask(ASKED)
            with pytest.raises(CallDenied) as denied:
                await plane.ask(ASKED)
        assert len(server.books.calls) == 5
    assert denied.value.reason == Denial.CIRCUIT_OPEN
    assert denied.value.recovers_ms is not None


@virtually
async def test_a_half_open_circuit_sends_one_probe_and_two_close_it(engine: sa.Engine) -> None:
    policy = Policy(cloud_gap_ms=0, circuit_failures=1, circuit_open_ms=200)
    async with ProviderServer() as server:
        server.behave(Behaviour(status=500), Behaviour(first_delay_ms=150))
        async with plane_of(engine, provider_of(server), policy=policy, clock=LoopClock()) as plane:
            with pytest.raises(ProviderFailed):
                await plane.ask(ASKED)
            await asyncio.sleep(0.25)
            several = await asyncio.gather(
                *(plane.ask(ASKED) for _ in range(4)), return_exceptions=True
            )
            assert sum(isinstance(each, CallDenied) for each in several) == 3
            assert len(server.books.calls) == 2
            await plane.ask(ASKED)
            assert plane.ledger.read_states()["there"].circuit.state is CircuitState.CLOSED


@virtually
async def test_retry_after_is_waited_for_by_everybody(engine: sa.Engine) -> None:
    asked_s: list[float] = []

    def answer(_call: object) -> Behaviour:
        asked_s.append(asyncio.get_running_loop().time())
        return Behaviour(status=429, retry_after="1") if len(asked_s) == 1 else Behaviour()

    async with ProviderServer(answer) as server:
        options = {"retry_delays_s": (5.0,), "clock": LoopClock()}
        async with plane_of(engine, provider_of(server), **options) as plane:
            await asyncio.gather(plane.ask(ASKED), asyncio.create_task(_after(0.2, plane)))
    first, *later = asked_s
    assert len(later) == 2
    assert all(at - first >= 0.99 for at in later)


async def _after(seconds: float, plane: ControlPlane) -> None:
    await asyncio.sleep(seconds)
    await plane.ask(ASKED)


@virtually
async def test_a_hard_timeout_ends_a_hanging_call(engine: sa.Engine) -> None:
    async with ProviderServer(Behaviour(hang_after=3)) as server:
        async with plane_of(engine, provider_of(server), clock=LoopClock()) as plane:
            with pytest.raises(ProviderTimedOut):
                await plane.ask(ASKED, timeout_s=0.3)
            await server.until(ended(ServedState.CANCELLED))
            assert server.open_connections == 0
    (row,) = calls_of(engine)
    assert (row["state"], row["charged_tokens"]) == ("cut", 5 + 3)


async def test_missing_usage_is_charged_in_full(engine: sa.Engine) -> None:
    async with ProviderServer(Behaviour(usage=False, words=3)) as server:
        async with plane_of(engine, provider_of(server)) as plane:
            await plane.ask("say something short", max_tokens=30)
    (row,) = calls_of(engine)
    assert (row["basis"], row["charged_tokens"]) == ("reserved", 33)


async def test_a_denied_call_never_reaches_the_server(engine: sa.Engine) -> None:
    policy = Policy(daily_tokens=100, daily_tokens_per_source=60, evidence_tokens=56)
    async with ProviderServer(Behaviour(words=1)) as server:
        async with plane_of(engine, provider_of(server), policy=policy) as plane:
            for scope, reason in (
                (CallScope(evidence="e", source="s"), None),
                (CallScope(evidence="e", source="s"), Denial.EVIDENCE_TOO_LARGE),
                (CallScope(source="s"), Denial.SOURCE_DAILY_CAP_EXCEEDED),
            ):
                if reason is None:
                    await plane.ask(ModelRequest(user="say 40 words", max_tokens=50), scope=scope)
                    continue
                with pytest.raises(CallDenied) as denied:
                    await plane.ask(ASKED, scope=scope)
                assert denied.value.reason == reason
            with pytest.raises(CallDenied) as denied:
                await plane.ask(ModelRequest(user="hi", max_tokens=99))
            assert denied.value.reason == Denial.GLOBAL_DAILY_CAP_EXCEEDED
        assert len(server.books.calls) == 1


async def test_limits_are_learnt_from_the_servers_headers(engine: sa.Engine) -> None:
    told = {"x-ratelimit-limit-requests": "5000", "x-ratelimit-limit-tokens": "7"}
    async with ProviderServer(Behaviour(headers=told, words=1)) as server:
        async with plane_of(engine, provider_of(server, tokens_per_minute=10_000)) as plane:
            await plane.ask("hello", max_tokens=3)
            window = plane.ledger.read_states()["there"].window
            assert (window.requests_per_minute, window.tokens_per_minute) == (5000, 7)
            with pytest.raises(AssayError, match=r"takes in a minute \(7\)"):
                await plane.ask(ASKED)
