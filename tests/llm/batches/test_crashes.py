"""Batches whose sender died, or whose provider did not say what it did: nothing is sent twice."""

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from assay.errors import InvalidInput, ProviderFailed
from assay.llm.batches import BatchService, BatchState, ItemState, OpenAIBatches
from assay.llm.batches.matching import make_provider_key
from assay.llm.batches.records import BatchRecords
from assay.llm.ledger import Ledger
from assay.llm.messages import ModelRequest
from tests.llm.batches.desks import DIALECTS, Bench, Died, questions, texts
from tests.providers.batch_books import BatchBehaviour, KeyFault
from tests.providers.batch_server import GEMINI, OPENAI


@pytest.mark.parametrize("dialect", ("openai", "gemini"))
async def test_a_crash_before_the_handle_is_stored_does_not_submit_twice(
    small: Bench, dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = small.desk()
    with monkeypatch.context() as patch:
        patch.setattr(BatchRecords, "mark_submitted", _dies)
        with pytest.raises(Died):
            await desk.submit(small.provider(dialect), questions(), batch_id="mine")
    small.server.add_strangers(OPENAI if dialect == "openai" else GEMINI, 120)

    after = small.desk()
    assert after.read_status("mine").state is BatchState.PREPARED
    small.pass_grace()
    status = await after.poll("mine")

    assert status.state is BatchState.ENDED
    assert status.handle == small.server.books.batches[0].handle
    assert sum(bool(batch.items) for batch in small.server.books.batches) == 1
    assert small.charged() == small.server.books.tokens > 0


def _dies(*args: Any) -> Any:
    raise Died


async def test_a_lost_batch_without_a_name_is_known_by_its_results(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Anthropic's batches carry nothing of ours but the keys of their results."""
    bench.server.behaviour = BatchBehaviour(looks=5)
    desk = bench.desk()
    other = await desk.submit(bench.provider("anthropic"), questions())
    with monkeypatch.context() as patch:
        patch.setattr(BatchRecords, "mark_submitted", _dies)
        with pytest.raises(Died):
            await desk.submit(bench.provider("anthropic"), questions("d", "e", "f"), batch_id="m")
    set_aside = bench.charged()
    bench.pass_grace()

    after = bench.desk()
    with caplog.at_level(logging.ERROR, "assay"):
        status = await after.poll("m")
        await after.poll("m")
    held = bench.server.books.batches[1]
    assert status.state is BatchState.UNCERTAIN
    assert held.handle in status.what and "adopt" in status.what
    assert bench.server.books.batches[0].handle not in status.what
    assert [record.levelname for record in caplog.records].count("ERROR") == 1
    assert len(bench.server.books.batches) == 2
    assert bench.charged() == set_aside

    for _ in range(5):
        held.look()
    assert (await after.poll("m")).state is BatchState.ENDED
    assert set(texts(after.read_results("m"))) == {"d", "e", "f"}
    assert len(bench.server.books.batches) == 2
    assert desk.read_status(other).state is BatchState.SUBMITTED


async def test_a_nameless_batch_that_is_another_ones_is_not_taken_for_ours(small: Bench) -> None:
    stranger = Bench(small.server, small.engine)
    provider: Any = stranger.provider("anthropic")
    await provider.submit("else", await provider.pack("else", dict(_keyed("else"))))
    small.server.books.batches[0].look()
    small.server.behaviour = BatchBehaviour(status=500)
    desk = small.desk()
    batch_id = await desk.submit(small.provider("anthropic"), questions())
    assert desk.read_status(batch_id).state is BatchState.PREPARED

    small.server.behaviour = BatchBehaviour()
    small.pass_grace()
    await desk.poll(batch_id)

    assert len(small.server.books.batches) == 2
    assert set(texts(desk.read_results(batch_id))) == {"a", "b", "c"}
    await provider.close()


def _keyed(batch_id: str) -> Iterator[tuple[str, ModelRequest]]:
    for key, request in questions().items():
        yield make_provider_key(batch_id, key), request


@pytest.mark.parametrize("dialect", ("openai", "gemini"))
async def test_a_provider_that_keeps_no_name_is_not_sent_the_same_twice(
    small: Bench, dialect: str
) -> None:
    desk = small.desk()
    small.server.behaviour = BatchBehaviour(named=False)
    await desk.submit(small.provider(dialect), questions())
    small.server.behaviour = BatchBehaviour(named=False, status=500, takes=True)
    batch_id = await desk.submit(small.provider(dialect), questions())
    small.server.behaviour = BatchBehaviour()
    small.pass_grace()

    status = await desk.poll(batch_id)

    assert len(small.server.books.batches) == 2
    lost = small.server.books.batches[1].handle
    if dialect == "openai":
        # Its file tells.
        assert (status.state, status.handle) == (BatchState.ENDED, lost)
    else:
        assert status.state is BatchState.UNCERTAIN and lost in status.what


@pytest.mark.parametrize("fault", [{"status": 500, "takes": True}, {"drops": True}])
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_creation_that_fails_after_it_was_taken_is_found(
    small: Bench, dialect: str, fault: dict[str, Any]
) -> None:
    small.server.behaviour = BatchBehaviour(**fault)
    desk = small.desk()
    batch_id = await desk.submit(small.provider(dialect), questions())
    small.server.behaviour = BatchBehaviour()
    if dialect == "anthropic":
        assert desk.read_status(batch_id).state is BatchState.UNCERTAIN
        small.server.books.batches[0].look()
    else:
        assert desk.read_status(batch_id).state is BatchState.SUBMITTED

    small.pass_grace()
    assert (await desk.poll(batch_id)).state is BatchState.ENDED

    assert len(small.server.books.batches) == 1
    assert small.charged() == small.server.books.tokens


@pytest.mark.parametrize("dialect", ("openai", "anthropic"))
async def test_what_was_never_taken_is_sent_again_but_not_too_soon_and_once(
    bench: Bench, dialect: str
) -> None:
    bench.server.behaviour = BatchBehaviour(status=503)
    first = bench.desk()
    batch_id = await first.submit(bench.provider(dialect), questions())
    assert first.read_status(batch_id).state is BatchState.PREPARED
    bench.server.behaviour = BatchBehaviour()
    assert (await first.poll(batch_id)).state is BatchState.PREPARED
    assert bench.server.books.batches == []
    assert bench.calls() == {("batched", "reserved"): 3}

    bench.pass_grace()
    second = bench.desk()
    await asyncio.gather(first.poll(batch_id), second.poll(batch_id))

    assert len(bench.server.books.batches) == 1
    await second.poll(batch_id)
    assert second.read_status(batch_id).state is BatchState.ENDED
    assert bench.charged() == bench.server.books.tokens


async def test_only_one_process_takes_a_batch_upon_itself(bench: Bench) -> None:
    bench.server.behaviour = BatchBehaviour(status=503)
    batch_id = await bench.desk().submit(bench.provider(), questions())
    records = BatchRecords(bench.engine)
    row = records.get_batch(batch_id)
    bench.pass_grace()
    assert records.resend(row, bench.clock.now_ms())
    assert not records.resend(row, bench.clock.now_ms())


async def test_a_crash_before_anything_is_sent_is_made_good(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = bench.desk()
    with monkeypatch.context() as patch:
        # Not even the withdrawal is done by one who died.
        patch.setattr("assay.llm.batches.settlement.BatchCloser.withdraw_batch", _gone)
        patch.setattr(OpenAIBatches, "pack", _gone)
        with pytest.raises(Died):
            await desk.submit(bench.provider(), questions(), batch_id="mine")
    assert bench.server.books.batches == []

    bench.pass_grace()
    after = bench.desk()
    # Handing in the same again is no second batch.
    assert await after.submit(bench.provider(), questions(), batch_id="mine") == "mine"
    assert (await after.poll("mine")).state is BatchState.ENDED
    assert len(bench.server.books.batches) == 1
    assert bench.charged() == bench.server.books.tokens
    with pytest.raises(InvalidInput, match="different questions"):
        await after.submit(bench.provider(), questions("z"), batch_id="mine")


async def _gone(*args: Any) -> Any:
    raise Died


async def test_one_who_was_overtaken_while_packing_does_not_send(
    small: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, other, real = small.desk(), small.desk(), OpenAIBatches.pack

    async def slow(self: OpenAIBatches, batch_id: str, requests: Any) -> str:
        monkeypatch.setattr(OpenAIBatches, "pack", real)
        small.pass_grace()
        await other.poll(batch_id)
        return await real(self, batch_id, requests)

    monkeypatch.setattr(OpenAIBatches, "pack", slow)
    batch_id = await desk.submit(small.provider(), questions())

    assert len(small.server.books.batches) == 1
    assert (await desk.poll(batch_id)).state is BatchState.ENDED
    assert small.charged() == small.server.books.tokens


async def test_a_crash_amid_settling_charges_nothing_twice(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = bench.desk()
    batch_id = await desk.submit(bench.provider(), questions())
    settle = Ledger.settle
    done: list[str] = []

    def dying(self: Ledger, call_id: str, *rest: Any) -> Any:
        if len(done) == 2:
            raise Died
        done.append(call_id)
        return settle(self, call_id, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "settle", dying)
        with pytest.raises(Died):
            await desk.poll(batch_id)
    assert bench.calls() == {("done", "reported"): 2, ("batched", "reserved"): 1}
    assert bench.rows("SELECT state FROM llm_batches") == [("collected",)]

    # The provider is not needed any more: all it said is stored.
    seen = len(bench.server.books.seen)
    after = BatchService(bench.ledger, bench.estimator, clock=bench.clock)
    assert (await after.poll(batch_id)).state is BatchState.ENDED
    assert len(bench.server.books.seen) == seen
    assert bench.calls() == {("done", "reported"): 3}
    assert bench.charged() == bench.server.books.tokens
    assert len(texts(after.read_results(batch_id))) == 3


async def test_a_crash_amid_storing_stores_nothing_and_is_done_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.server.behaviour = BatchBehaviour(keys=KeyFault.UNKNOWN)
    desk = bench.desk()
    batch_id = await desk.submit(bench.provider(), questions())
    with monkeypatch.context() as patch:
        # The strays come last, after every outcome was written.
        patch.setattr("assay.llm.batches.records._add_stray", _dies)
        with pytest.raises(Died):
            await desk.poll(batch_id)
    assert desk.read_status(batch_id).items == {ItemState.WAITING: 3}
    assert bench.calls() == {("batched", "reserved"): 3}

    after = bench.desk()
    await asyncio.gather(after.poll(batch_id), desk.poll(batch_id))

    assert after.read_status(batch_id).state is BatchState.ENDED
    assert after.read_status(batch_id).items == {
        ItemState.ANSWERED: 2, ItemState.MISSING: 1, ItemState.STRAY: 1
    }  # fmt: skip


@pytest.mark.parametrize("dialect", ("openai", "anthropic"))
async def test_results_that_are_cut_are_fetched_again(small: Bench, dialect: str) -> None:
    desk = small.desk()
    batch_id = await desk.submit(small.provider(dialect), questions())
    small.server.behaviour = BatchBehaviour(cut_results=True)
    with pytest.raises(ProviderFailed):
        await desk.poll(batch_id)
    assert desk.read_status(batch_id).items == {ItemState.WAITING: 3}
    small.server.behaviour = BatchBehaviour(look_status=500)
    polled = await desk.poll_all()
    assert isinstance(polled[batch_id], ProviderFailed)

    small.server.behaviour = BatchBehaviour()
    assert (await desk.poll(batch_id)).state is BatchState.ENDED
    assert small.charged() == small.server.books.tokens
