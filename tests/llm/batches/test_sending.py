"""Batches over real HTTP, on both databases: sent once, or refused and not charged."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from assay.errors import (
    AssayError,
    AuthError,
    CallDenied,
    CallRefused,
    CallTooLarge,
    InvalidInput,
    NotFound,
    ProviderBusy,
    ProviderFailed,
    ProviderUnknown,
    QuotaError,
)
from assay.llm.batches import BatchService, BatchState, BatchStatus, ItemState, OpenAIBatches
from assay.llm.batches.matching import make_provider_key
from assay.llm.circuit import CircuitState
from assay.llm.doubles.words import count_tokens
from assay.llm.limits import Policy, Price
from assay.llm.messages import ModelAnswer
from assay.llm.plane import ControlPlane
from assay.llm.scope import CallScope
from tests.llm.batches.desks import DIALECTS, KEY, Bench, fits, questions, texts
from tests.providers.batch_books import BatchBehaviour


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_batch_is_answered_and_the_ledger_equals_the_books(
    bench: Bench, dialect: str
) -> None:
    bench.server.behaviour = BatchBehaviour(looks=2)
    desk = bench.desk()
    asked = questions()
    schema_ = {"type": "object", "properties": {"x": {"type": "string"}}}
    asked["c"] = replace(asked["c"], schema=schema_, max_tokens=4)

    batch_id = await desk.submit(bench.provider(dialect), asked, CallScope(step="compose"))

    held = bench.server.books.batches
    assert len(held) == 1 and {i.key for i in held[0].items} == {
        make_provider_key(batch_id, key) for key in asked
    }
    assert bench.calls() == {("batched", "reserved"): 3}
    assert bench.charged() == sum(count_tokens(r.system, r.user) + 5 for r in asked.values()) + 44
    assert [each.batch_id for each in desk.list_open()] == [batch_id]
    status = await desk.poll(batch_id)
    assert (status.state, status.handle) == (BatchState.SUBMITTED, held[0].handle)
    assert desk.read_results(batch_id) == {}

    status = await desk.poll(batch_id)

    assert status.state is BatchState.ENDED and status.is_over and not status.what
    assert status.items == {ItemState.ANSWERED: 3}
    results = desk.read_results(batch_id)
    assert texts(results) == {
        key: item.text for key, item in zip(asked, held[0].items, strict=True)
    }
    answer = results["a"]
    assert isinstance(answer, ModelAnswer)
    assert (answer.usage, answer.finish) == (held[0].items[0].usage, "stop")
    assert isinstance(results["c"], ModelAnswer) and results["c"].finish == "length"
    assert bench.calls() == {("done", "reported"): 3}
    assert bench.charged() == bench.server.books.tokens > 0
    assert desk.list_open() == []
    assert len(bench.estimator.learned) == 3
    assert all(actual == raw for raw, actual in bench.estimator.learned)


async def test_the_control_plane_opens_a_service_on_its_own_ledger(small: Bench) -> None:
    plane = ControlPlane(
        small.engine, (), policy=small.policy, clock=small.clock, estimator=small.estimator
    )
    provider = small.provider()
    desk = plane.open_batch_service(providers=[provider], checks={"fits": fits})
    batch_id = await desk.submit(provider, questions(), check="fits")
    status = await desk.poll(batch_id)
    assert (status.state, status.items) == (BatchState.ENDED, {ItemState.ANSWERED: 3})
    assert set(texts(desk.read_results(batch_id))) == {"a", "b", "c"}
    assert small.charged() == small.server.books.tokens > 0

    small.policy = Policy(daily_tokens=1, evidence_tokens=None)
    strict = ControlPlane(
        small.engine, (), policy=small.policy, clock=small.clock, estimator=small.estimator
    )
    with pytest.raises(CallDenied):
        await strict.open_batch_service(providers=[provider]).submit(provider, questions())
    for opened in (plane, strict):
        await opened.close()


async def test_the_questions_are_sent_as_each_api_takes_them(small: Bench) -> None:
    desk = small.desk()
    bodies: list[Any] = []
    for dialect in DIALECTS:
        provider: Any = small.provider(dialect)
        parcel = await provider.pack("b1", {"b1-k": questions("a")["a"]})
        if dialect == "openai":
            bodies.append(json.loads(small.server.books.files[parcel][1]))
        else:
            bodies.append(json.loads(parcel))
    line, messages, inlined = bodies
    assert line["custom_id"] == "b1-k" and line["method"] == "POST"
    assert line["url"] == "/v1/chat/completions"
    assert line["body"]["messages"][1]["content"] == "tell about a "
    assert "stream" not in line["body"] and "stream_options" not in line["body"]
    assert messages["requests"][0]["custom_id"] == "b1-k"
    assert messages["requests"][0]["params"]["max_tokens"] == 20
    assert "stream" not in messages["requests"][0]["params"]
    assert inlined["batch"]["displayName"] == "b1"
    entry = inlined["batch"]["inputConfig"]["requests"]["requests"][0]
    assert entry["metadata"] == {"key": "b1-k"}
    assert entry["request"]["generationConfig"]["maxOutputTokens"] == 20
    assert desk.list_open() == []


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_restart_between_submit_and_poll_loses_nothing(small: Bench, dialect: str) -> None:
    batch_id = await small.desk().submit(small.provider(dialect), questions(), check="fits")

    after = small.desk()
    polled = await after.poll_all()

    status = polled[batch_id]
    assert isinstance(status, BatchStatus) and status.state is BatchState.ENDED
    assert set(texts(after.read_results(batch_id))) == {"a", "b", "c"}
    assert small.charged() == small.server.books.tokens
    assert await after.poll_all() == {}
    assert (await after.poll(batch_id)).state is BatchState.ENDED
    assert small.charged() == small.server.books.tokens


async def test_where_one_question_is_denied_none_is_sent(bench: Bench) -> None:
    bench.policy = Policy(daily_tokens=65)
    with pytest.raises(CallDenied) as denied:
        await bench.desk().submit(bench.provider(), questions())
    assert denied.value.reason == "GLOBAL_DAILY_CAP_EXCEEDED"
    assert bench.calls() == {} and bench.charged() == 0
    assert bench.server.books.seen == [] and bench.desk().list_open() == []

    bench.policy = Policy(daily_tokens=None, daily_cost_micros=10)
    with pytest.raises(AssayError, match="no price"):
        await bench.desk().submit(bench.provider(), questions())
    assert bench.server.books.seen == []


async def test_scopes_may_differ_by_question(small: Bench) -> None:
    small.policy = Policy(prices={"gpt-4o": Price(input_per_million=1.0, output_per_million=2.0)})
    desk = small.desk()
    scopes = {key: CallScope(source=f"s-{key}", evidence=f"e-{key}") for key in "abc"}
    batch_id = await desk.submit(small.provider(), questions(), scopes)
    await desk.poll(batch_id)

    rows = small.rows("SELECT source_slug, evidence_id, request_id, charged_micros FROM llm_calls")
    items = small.server.books.batches[0].items
    assert sorted(rows) == [
        (
            f"s-{key}",
            f"e-{key}",
            batch_id,
            # Half the price, rounded up.
            -(-(item.usage.prompt_tokens + 2 * item.usage.completion_tokens) // 2),
        )
        for key, item in zip("abc", items, strict=True)
    ]
    with pytest.raises(InvalidInput, match="no scope"):
        await desk.submit(small.provider(), questions(), {"a": CallScope()})


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("behaviour", "kind", "circuit"),
    [
        (BatchBehaviour(status=401), AuthError, CircuitState.LATCHED),
        (BatchBehaviour(status=429, quota=True), QuotaError, CircuitState.LATCHED),
        (BatchBehaviour(status=429, retry_ms=3000), ProviderBusy, CircuitState.CLOSED),
        (BatchBehaviour(status=400), CallRefused, CircuitState.CLOSED),
    ],
)
async def test_a_refused_batch_costs_nothing(
    small: Bench,
    dialect: str,
    behaviour: BatchBehaviour,
    kind: type[AssayError],
    circuit: CircuitState,
) -> None:
    small.server.behaviour = behaviour
    provider = small.provider(dialect)
    desk = small.desk()
    with pytest.raises(kind) as raised:
        await desk.submit(provider, questions(), batch_id="mine")

    assert desk.read_status("mine").state is BatchState.UNSENT
    assert desk.read_status("mine").what == raised.value.what
    assert small.calls() == {("unsent", "nothing"): 3} and small.charged() == 0
    found = small.ledger.read_states()[provider.name].circuit
    assert found.state is circuit and found.trips == (circuit is CircuitState.LATCHED)
    if isinstance(raised.value, ProviderBusy):
        assert raised.value.retry_after_ms == 3000
        assert small.ledger.read_states()[provider.name].window.held_until_ms == 0
    if circuit is CircuitState.LATCHED:
        with pytest.raises(CallDenied):
            await desk.submit(provider, questions())


async def test_no_key_is_told_anywhere(small: Bench, caplog: pytest.LogCaptureFixture) -> None:
    wrong = "sk-another-key"
    for dialect in DIALECTS:
        provider = small.provider(dialect, key=wrong)
        with pytest.raises(AuthError) as raised:
            await small.desk().submit(provider, questions(), batch_id=f"no-{dialect}")
        assert wrong not in str(raised.value) and wrong not in repr(provider)
    for dialect in DIALECTS:
        desk = small.desk()
        small.ledger.close_circuit(small.provider(dialect).name)
        await desk.submit(small.provider(dialect), questions(), batch_id=f"yes-{dialect}")
        await desk.poll(f"yes-{dialect}")
    stored = str(small.rows("SELECT * FROM llm_batches") + small.rows("SELECT * FROM llm_calls"))
    told = [wrong in text or KEY in text for text in (stored, caplog.text)]
    assert told == [False, False]
    seen = small.server.books.seen
    assert {each.key for each in seen} == {wrong, KEY}
    assert not [each.path for each in seen if "sk-" in each.path or "key=" in each.path]


async def test_an_upload_that_fails_sends_nothing(small: Bench) -> None:
    small.server.behaviour = BatchBehaviour(upload_status=500)
    desk = small.desk()
    with pytest.raises(ProviderFailed):
        await desk.submit(small.provider(), questions(), batch_id="mine")
    assert desk.read_status("mine").state is BatchState.UNSENT
    assert small.charged() == 0 and small.server.books.batches == []


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_batch_larger_than_the_provider_takes_is_refused_here(
    small: Bench, dialect: str
) -> None:
    provider = small.provider(dialect)
    provider.most_items = 2
    with pytest.raises(CallTooLarge, match="3 questions"):
        await small.desk().submit(provider, questions())
    assert small.server.books.seen == [] and small.charged() == 0


async def test_a_cancelled_caller_leaves_nothing_behind(
    small: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    packing = asyncio.Event()

    async def endless(*args: Any) -> str:
        packing.set()
        await asyncio.Event().wait()
        return ""

    monkeypatch.setattr(OpenAIBatches, "pack", endless)
    desk = small.desk()
    task = asyncio.create_task(desk.submit(small.provider(), questions(), batch_id="mine"))
    await packing.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert desk.read_status("mine").state is BatchState.UNSENT
    assert small.charged() == 0


async def test_a_process_that_dies_while_reserving_leaves_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it had set aside is not in the books, and the batch can be sent by the next one."""

    class Killed(BaseException):
        pass

    def die(*args: object) -> None:
        raise Killed

    desk = bench.desk()
    with monkeypatch.context() as patch:
        patch.setattr("assay.llm.batches.reservation.add_batch", die)
        with pytest.raises(Killed):
            await desk.submit(bench.provider(), questions(), batch_id="mine")
    assert bench.calls() == {} and bench.charged() == 0

    await bench.desk().submit(bench.provider(), questions(), batch_id="mine")
    assert bench.calls() == {("batched", "reserved"): 3}


async def test_what_is_not_known_is_said(small: Bench) -> None:
    desk = small.desk()
    with pytest.raises(NotFound):
        await desk.poll("nothing")
    with pytest.raises(NotFound):
        desk.read_results("nothing")
    with pytest.raises(NotFound):
        await desk.adopt("nothing", "handle")
    for bad in ("", "a b", "x" * 48):
        if bad:
            with pytest.raises(InvalidInput, match="not a valid batch id"):
                await desk.submit(small.provider(), questions(), batch_id=bad)
    with pytest.raises(InvalidInput, match="has no questions"):
        await desk.submit(small.provider(), {})
    for key in ("", "stray:1", "a\x00b"):
        with pytest.raises(InvalidInput, match="not a valid key"):
            await desk.submit(small.provider(), {key: questions("a")["a"]})
    batch_id = await desk.submit(small.provider(), questions())
    bare = BatchService(small.ledger, small.estimator, clock=small.clock)
    assert isinstance((await bare.poll_all())[batch_id], ProviderUnknown)
    small.server.books.batches.clear()
    assert isinstance((await desk.poll_all())[batch_id], CallRefused)
