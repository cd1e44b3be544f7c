"""Batches over real HTTP, on both databases: sent once, matched, and charged once."""

import asyncio
import json
import logging
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.clock import TurnedClock
from assay.errors import (
    AnswerInvalid,
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
from assay.llm.batches import (
    AnthropicBatches,
    BatchDesk,
    BatchState,
    BatchStatus,
    GeminiBatches,
    ItemState,
    OpenAIBatches,
)
from assay.llm.batches.matching import matched, provider_key
from assay.llm.batches.provider import Ending, Result, ResultKind
from assay.llm.batches.records import BatchRecords
from assay.llm.batches.sending import GRACE_MS
from assay.llm.circuit import CircuitState
from assay.llm.doubles.batch_books import BatchBehaviour, Fate, KeyFault
from assay.llm.doubles.batch_server import GEMINI, OPENAI, BatchServer
from assay.llm.doubles.words import count_tokens
from assay.llm.ledger import Ledger
from assay.llm.limits import UNLIMITED, Policy, Price
from assay.llm.messages import Answer, Lane, ModelRequest
from assay.llm.providers.anthropic import anthropic
from assay.llm.providers.gemini import gemini
from assay.llm.providers.openai import openai
from assay.llm.scope import Ask, CallScope
from assay.store import schema
from assay.store.database import open_engine

KEY = "sk-secret-of-the-test"
DIALECTS = ("openai", "anthropic", "gemini")
Made = OpenAIBatches | AnthropicBatches | GeminiBatches


class Died(BaseException):
    """The process is gone."""


class Words:
    """Counts as the server does, and sets five more aside."""

    def __init__(self) -> None:
        self.learned: list[tuple[int, int]] = []

    def raw_prompt(self, request: ModelRequest) -> int:
        return count_tokens(request.system, request.user)

    def reserve_for(self, provider: str, model: str, raw: int) -> int:
        return raw + 5

    def output_tokens(self, provider: str, model: str, text: str) -> int:
        return count_tokens(text)

    def learn(self, provider: str, model: str, estimated_raw: int, actual: int) -> None:
        self.learned.append((estimated_raw, actual))


def fits(key: str, request: ModelRequest, text: str) -> bool:
    """The double says each question again, and each question names its key."""
    return f"about {key} " in f"{text} "


class Bench:
    """A server, a database, and desks that come and go."""

    def __init__(self, server: BatchServer, engine: sa.Engine) -> None:
        self.server = server
        self.engine = engine
        self.clock = TurnedClock()
        self.policy = Policy(daily_tokens=None, evidence_tokens=None)
        self.estimator = Words()
        self.made: list[Made] = []

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.engine, self.policy, clock=self.clock)

    def provider(self, dialect: str = "openai", *, key: str = KEY) -> Made:
        url = self.server.url
        made: Made
        if dialect == "openai":
            made = OpenAIBatches(openai("gpt-4o", key=key, base_url=f"{url}/v1"))
        elif dialect == "anthropic":
            made = AnthropicBatches(anthropic("claude-3-haiku", key=key, base_url=url))
        else:
            made = GeminiBatches(gemini("gemini-2.5-flash", key=key, base_url=url))
        self.made.append(made)
        return made

    def desk(self, *dialects: str, **parts: Any) -> BatchDesk:
        """A desk as a new process would make it."""
        return BatchDesk(
            parts.pop("ledger", self.ledger),
            self.estimator,
            providers=[self.provider(dialect) for dialect in dialects or DIALECTS],
            checks={"fits": fits},
            clock=self.clock,
            **parts,
        )

    def rows(self, query: str) -> list[Any]:
        with self.engine.connect() as connection:
            return list(connection.execute(sa.text(query)))

    def charged(self) -> int:
        """What the ledger charges, which its meter must say too."""
        calls = self.rows("SELECT COALESCE(SUM(charged_tokens), 0) FROM llm_calls")[0][0]
        meters = self.rows("SELECT COALESCE(SUM(tokens), 0) FROM llm_meters WHERE meter = 'all'")
        assert calls == meters[0][0]
        return int(calls)

    def calls(self) -> dict[tuple[str, str], int]:
        """How many calls are in which state, charged on which basis."""
        query = "SELECT state, basis, COUNT(*) FROM llm_calls GROUP BY state, basis"
        return {(state, basis): count for state, basis, count in self.rows(query)}

    def pass_grace(self) -> None:
        self.clock.turn(seconds=GRACE_MS / 1000 + 1)


@pytest.fixture
async def server() -> AsyncIterator[BatchServer]:
    async with BatchServer(key=KEY) as running:
        yield running


@pytest.fixture(scope="module")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite store as it is after `assay init`, made once and copied by each test."""
    file = tmp_path_factory.mktemp("batches") / "store.db"
    made = open_engine(f"sqlite:///{file}")
    schema.migrate(made)
    made.dispose()
    return file


@pytest.fixture
def lite(empty_store: Path, tmp_path: Path) -> Iterator[sa.Engine]:
    """SQLite alone, where the database is not what is tested."""
    shutil.copy(empty_store, tmp_path / "store.db")
    opened = open_engine(f"sqlite:///{tmp_path / 'store.db'}")
    yield opened
    opened.dispose()


@pytest.fixture
def engine(database_url: str | None, request: pytest.FixtureRequest) -> Iterator[sa.Engine]:
    if database_url is None:
        yield request.getfixturevalue("lite")
        return
    opened = open_engine(database_url)
    schema.migrate(opened)
    yield opened
    opened.dispose()


@pytest.fixture
async def bench(server: BatchServer, engine: sa.Engine) -> AsyncIterator[Bench]:
    made = Bench(server, engine)
    yield made
    for provider in made.made:
        await provider.close()


@pytest.fixture
async def small(server: BatchServer, lite: sa.Engine) -> AsyncIterator[Bench]:
    made = Bench(server, lite)
    yield made
    for provider in made.made:
        await provider.close()


def questions(*keys: str) -> dict[str, ModelRequest]:
    return {
        key: ModelRequest(
            system="Be short.", user=f"tell about {key} " + "and more " * place, max_tokens=20
        )
        for place, key in enumerate(keys or ("a", "b", "c"))
    }


def texts(results: Mapping[str, Answer | AssayError]) -> dict[str, str]:
    return {key: answer.text for key, answer in results.items() if isinstance(answer, Answer)}


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_batch_is_answered_and_the_ledger_equals_the_books(
    bench: Bench, dialect: str
) -> None:
    bench.server.behaviour = BatchBehaviour(looks=2)
    desk = bench.desk()
    asked = questions()
    schema_ = {"type": "object", "properties": {"x": {"type": "string"}}}
    asked["c"] = replace(asked["c"], schema=schema_, max_tokens=4)

    batch_id = await desk.submit(bench.provider(dialect), asked, CallScope(stage="compose"))

    held = bench.server.books.batches
    assert len(held) == 1 and {i.key for i in held[0].items} == {
        provider_key(batch_id, key) for key in asked
    }
    assert bench.calls() == {("batched", "reserved"): 3}
    assert bench.charged() == sum(count_tokens(r.system, r.user) + 5 for r in asked.values()) + 44
    assert [each.batch_id for each in desk.open_batches()] == [batch_id]
    status = await desk.poll(batch_id)
    assert (status.state, status.handle) == (BatchState.SUBMITTED, held[0].handle)
    assert desk.results(batch_id) == {}

    status = await desk.poll(batch_id)

    assert status.state is BatchState.ENDED and status.over and not status.what
    assert status.items == {ItemState.ANSWERED: 3}
    results = desk.results(batch_id)
    assert texts(results) == {
        key: item.text for key, item in zip(asked, held[0].items, strict=True)
    }
    answer = results["a"]
    assert isinstance(answer, Answer)
    assert (answer.usage, answer.finish) == (held[0].items[0].usage, "stop")
    assert isinstance(results["c"], Answer) and results["c"].finish == "length"
    assert bench.calls() == {("done", "reported"): 3}
    assert bench.charged() == bench.server.books.tokens > 0
    assert desk.open_batches() == []
    assert len(bench.estimator.learned) == 3
    assert all(actual == raw for raw, actual in bench.estimator.learned)


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
    assert desk.open_batches() == []


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_restart_between_submit_and_poll_loses_nothing(small: Bench, dialect: str) -> None:
    batch_id = await small.desk().submit(small.provider(dialect), questions(), check="fits")

    after = small.desk()
    polled = await after.poll_all()

    status = polled[batch_id]
    assert isinstance(status, BatchStatus) and status.state is BatchState.ENDED
    assert set(texts(after.results(batch_id))) == {"a", "b", "c"}
    assert small.charged() == small.server.books.tokens
    assert await after.poll_all() == {}
    assert (await after.poll(batch_id)).state is BatchState.ENDED
    assert small.charged() == small.server.books.tokens


@pytest.mark.parametrize("dialect", ("openai", "gemini"))
async def test_a_crash_before_the_handle_is_stored_does_not_submit_twice(
    small: Bench, dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = small.desk()
    with monkeypatch.context() as patch:
        patch.setattr(BatchRecords, "submitted", _dies)
        with pytest.raises(Died):
            await desk.submit(small.provider(dialect), questions(), batch_id="mine")
    small.server.add_strangers(OPENAI if dialect == "openai" else GEMINI, 120)

    after = small.desk()
    assert after.status("mine").state is BatchState.PREPARED
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
        patch.setattr(BatchRecords, "submitted", _dies)
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
    assert set(texts(after.results("m"))) == {"d", "e", "f"}
    assert len(bench.server.books.batches) == 2
    assert desk.status(other).state is BatchState.SUBMITTED


async def test_a_nameless_batch_that_is_another_ones_is_not_taken_for_ours(small: Bench) -> None:
    stranger = Bench(small.server, small.engine)
    provider: Any = stranger.provider("anthropic")
    await provider.submit("else", await provider.pack("else", dict(_keyed("else"))))
    small.server.books.batches[0].look()
    small.server.behaviour = BatchBehaviour(status=500)
    desk = small.desk()
    batch_id = await desk.submit(small.provider("anthropic"), questions())
    assert desk.status(batch_id).state is BatchState.PREPARED

    small.server.behaviour = BatchBehaviour()
    small.pass_grace()
    await desk.poll(batch_id)

    assert len(small.server.books.batches) == 2
    assert set(texts(desk.results(batch_id))) == {"a", "b", "c"}
    await provider.close()


def _keyed(batch_id: str) -> Iterator[tuple[str, ModelRequest]]:
    for key, request in questions().items():
        yield provider_key(batch_id, key), request


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
        assert desk.status(batch_id).state is BatchState.UNCERTAIN
        small.server.books.batches[0].look()
    else:
        assert desk.status(batch_id).state is BatchState.SUBMITTED

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
    assert first.status(batch_id).state is BatchState.PREPARED
    bench.server.behaviour = BatchBehaviour()
    assert (await first.poll(batch_id)).state is BatchState.PREPARED
    assert bench.server.books.batches == []
    assert bench.calls() == {("batched", "reserved"): 3}

    bench.pass_grace()
    second = bench.desk()
    await asyncio.gather(first.poll(batch_id), second.poll(batch_id))

    assert len(bench.server.books.batches) == 1
    await second.poll(batch_id)
    assert second.status(batch_id).state is BatchState.ENDED
    assert bench.charged() == bench.server.books.tokens


async def test_only_one_process_takes_a_batch_upon_itself(bench: Bench) -> None:
    bench.server.behaviour = BatchBehaviour(status=503)
    batch_id = await bench.desk().submit(bench.provider(), questions())
    records = BatchRecords(bench.engine)
    row = records.batch(batch_id)
    bench.pass_grace()
    assert records.resend(row, bench.clock.now_ms())
    assert not records.resend(row, bench.clock.now_ms())


async def test_a_crash_before_anything_is_sent_is_made_good(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = bench.desk()
    with monkeypatch.context() as patch:
        # Not even the withdrawal is done by one who died.
        patch.setattr("assay.llm.batches.closing.Closing.withdraw", _gone)
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
    with pytest.raises(InvalidInput, match="something else"):
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
    after = BatchDesk(bench.ledger, bench.estimator, clock=bench.clock)
    assert (await after.poll(batch_id)).state is BatchState.ENDED
    assert len(bench.server.books.seen) == seen
    assert bench.calls() == {("done", "reported"): 3}
    assert bench.charged() == bench.server.books.tokens
    assert len(texts(after.results(batch_id))) == 3


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
    assert desk.status(batch_id).items == {ItemState.WAITING: 3}
    assert bench.calls() == {("batched", "reserved"): 3}

    after = bench.desk()
    await asyncio.gather(after.poll(batch_id), desk.poll(batch_id))

    assert after.status(batch_id).state is BatchState.ENDED
    assert after.status(batch_id).items == {
        ItemState.ANSWERED: 2, ItemState.MISSING: 1, ItemState.STRAY: 1
    }  # fmt: skip


@pytest.mark.parametrize("dialect", ("openai", "anthropic"))
async def test_results_that_are_cut_are_fetched_again(small: Bench, dialect: str) -> None:
    desk = small.desk()
    batch_id = await desk.submit(small.provider(dialect), questions())
    small.server.behaviour = BatchBehaviour(cut_results=True)
    with pytest.raises(ProviderFailed):
        await desk.poll(batch_id)
    assert desk.status(batch_id).items == {ItemState.WAITING: 3}
    small.server.behaviour = BatchBehaviour(look_status=500)
    polled = await desk.poll_all()
    assert isinstance(polled[batch_id], ProviderFailed)

    small.server.behaviour = BatchBehaviour()
    assert (await desk.poll(batch_id)).state is BatchState.ENDED
    assert small.charged() == small.server.books.tokens


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_rotated_answers_are_not_given_out(
    small: Bench, dialect: str, caplog: pytest.LogCaptureFixture
) -> None:
    small.server.behaviour = BatchBehaviour(keys=KeyFault.ROTATED)
    desk = small.desk()
    batch_id = await desk.submit(small.provider(dialect), questions(), check="fits")

    status = await desk.poll(batch_id)

    results = desk.results(batch_id)
    assert status.items == {ItemState.MISMATCHED: 3}
    assert all(isinstance(error, AnswerInvalid) for error in results.values())
    assert "changed places" in status.what and "under 'a' would fit 'c'" in status.what
    assert "changed places" in caplog.text
    # Somebody's tokens they are all the same.
    assert small.charged() == small.server.books.tokens


async def test_one_misplaced_answer_leaves_the_others_as_they_are(small: Bench) -> None:
    small.server.behaviour = BatchBehaviour(keys=KeyFault.DOUBLED)
    desk = small.desk()
    batch_id = await desk.submit(small.provider(), questions(), check="fits")

    status = await desk.poll(batch_id)

    results = desk.results(batch_id)
    assert set(texts(results)) == {"c"}
    assert isinstance(results["a"], ProviderFailed) and "missing" in results["a"].what
    assert isinstance(results["b"], AnswerInvalid) and "doubled" in results["b"].what
    assert [stray.result.text for stray in desk.strays(batch_id) if stray.result] == [
        item.text for item in small.server.books.batches[0].items[:2]
    ]
    assert "would fit 'a'" in status.what
    assert small.calls() == {("done", "reported"): 1, ("failed", "reserved"): 2}
    assert small.charged() > small.server.books.tokens


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("fault", "states"),
    [
        (KeyFault.UNKNOWN, {"answered": 2, "missing": 1, "stray": 1}),
        (KeyFault.MISSING, {"answered": 2, "missing": 1}),
        (KeyFault.DOUBLED, {"answered": 1, "missing": 1, "doubled": 1, "stray": 2}),
        (KeyFault.NONE, {"missing": 3, "stray": 3}),
    ],
)
async def test_answers_under_wrong_keys_are_kept_aside(
    small: Bench, dialect: str, fault: KeyFault, states: dict[str, int]
) -> None:
    small.server.behaviour = BatchBehaviour(keys=fault)
    desk = small.desk()
    batch_id = await desk.submit(small.provider(dialect), questions())

    status = await desk.poll(batch_id)

    assert status.items == {ItemState(state): count for state, count in states.items()}
    assert status.what and len(texts(desk.results(batch_id))) == states.get("answered", 0)
    assert len(desk.strays(batch_id)) == states.get("stray", 0)
    assert small.charged() > small.server.books.tokens


async def test_a_check_that_the_desk_does_not_know_gives_nothing_out(small: Bench) -> None:
    batch_id = await small.desk().submit(small.provider(), questions(), check="fits")
    ignorant = BatchDesk(
        small.ledger, small.estimator, providers=[small.provider()], clock=small.clock
    )
    with pytest.raises(InvalidInput, match="no check 'fits'"):
        await ignorant.poll(batch_id)
    with pytest.raises(InvalidInput, match="no check 'fits'"):
        await ignorant.submit(small.provider(), questions(), check="fits")
    assert ignorant.results(batch_id) == {}
    assert (await small.desk().poll(batch_id)).state is BatchState.ENDED


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_failed_refused_and_expired_questions_cost_nothing(
    small: Bench, dialect: str
) -> None:
    fates = {0: Fate.FAILED, 1: Fate.REFUSED, 2: Fate.EXPIRED}
    small.server.behaviour = BatchBehaviour(fates=fates)
    desk = small.desk()
    batch_id = await desk.submit(small.provider(dialect), questions("a", "b", "c", "d"))

    status = await desk.poll(batch_id)

    results = desk.results(batch_id)
    assert set(texts(results)) == {"d"} and status.state is BatchState.ENDED
    assert isinstance(results["a"], ProviderFailed)
    assert isinstance(results["b"], CallRefused) and "does not answer it" in results["b"].what
    assert isinstance(results["c"], ProviderFailed)
    assert small.calls() == {("failed", "nothing"): 3, ("done", "reported"): 1}
    assert small.charged() == small.server.books.tokens
    # Faults of hours ago say nothing of the provider now.
    assert all(
        state.circuit.state is CircuitState.CLOSED and state.circuit.failures == 0
        for state in small.ledger.states().values()
    )


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("ending", ["failed", "expired"])
async def test_a_batch_that_ends_badly_costs_what_it_answered(
    small: Bench, dialect: str, ending: str
) -> None:
    # Gemini gives no answers of a batch that did not succeed.
    fates = {} if ending == "failed" or dialect == "gemini" else {0: Fate.ANSWERED}
    small.server.behaviour = BatchBehaviour(ending=ending, fates=fates)
    desk = small.desk()
    batch_id = await desk.submit(small.provider(dialect), questions())

    status = await desk.poll(batch_id)

    assert status.state is BatchState.ENDED
    assert set(texts(desk.results(batch_id))) == ({"a"} if fates else set())
    if dialect != "anthropic" or ending == "expired":
        assert status.items[ItemState(ending)] == 3 - len(fates)
    assert small.charged() == small.server.books.tokens


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_usage_that_is_not_told_is_charged_as_set_aside(small: Bench, dialect: str) -> None:
    small.server.behaviour = BatchBehaviour(usage=False)
    desk = small.desk()
    batch_id = await desk.submit(small.provider(dialect), questions())
    set_aside = small.charged()

    await desk.poll(batch_id)

    assert small.calls() == {("done", "reserved"): 3}
    assert small.charged() == set_aside
    answers = desk.results(batch_id)
    used = [answer.usage.total_tokens for answer in answers.values() if isinstance(answer, Answer)]
    assert sum(used) == set_aside
    assert all(isinstance(answer, Answer) and answer.warnings for answer in answers.values())
    assert small.estimator.learned == []


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_cancelled_batch_is_charged_for_what_was_done(small: Bench, dialect: str) -> None:
    fates = {} if dialect == "gemini" else {0: Fate.ANSWERED}
    small.server.behaviour = BatchBehaviour(looks=2, fates=fates)
    desk = small.desk()
    batch_id = await desk.submit(small.provider(dialect), questions())
    await desk.poll(batch_id)

    status = await desk.cancel(batch_id)
    assert status.state is BatchState.SUBMITTED
    status = await desk.poll(batch_id)

    assert status.state is BatchState.ENDED
    assert status.items[ItemState.CANCELLED] == 3 - len(fates)
    assert len(texts(desk.results(batch_id))) == len(fates)
    assert small.charged() == small.server.books.tokens
    assert (await desk.cancel(batch_id)).state is BatchState.ENDED


async def test_cancelling_what_may_be_under_way_waits_until_it_is_sure(small: Bench) -> None:
    small.server.behaviour = BatchBehaviour(status=500)
    desk = small.desk()
    batch_id = await desk.submit(small.provider(), questions())
    with pytest.raises(ProviderFailed, match="on its way"):
        await desk.cancel(batch_id)

    small.pass_grace()
    assert (await desk.cancel(batch_id)).state is BatchState.UNSENT
    assert small.charged() == 0
    assert await desk.poll_all() == {}

    small.server.behaviour = BatchBehaviour(status=500, takes=True, looks=3)
    lost = await desk.submit(small.provider("anthropic"), questions())
    with pytest.raises(InvalidInput, match="cannot be cancelled"):
        await desk.cancel(lost)


async def test_a_person_settles_what_is_uncertain(small: Bench) -> None:
    small.server.behaviour = BatchBehaviour(status=500, takes=True, looks=9)
    desk = small.desk()
    ids = [await desk.submit(small.provider("anthropic"), questions()) for _ in range(3)]
    found, absent, hopeless = ids
    assert {desk.status(each).state for each in ids} == {BatchState.UNCERTAIN}
    set_aside = small.charged()

    handle = small.server.books.batches[0].handle
    assert (await desk.adopt(found, handle)).state is BatchState.SUBMITTED
    assert (await desk.give_up(absent, was_sent=False)).state is BatchState.UNSENT
    assert small.charged() == set_aside * 2 // 3
    assert (await desk.give_up(hopeless, was_sent=True)).state is BatchState.ENDED
    assert small.charged() == set_aside * 2 // 3
    assert all(isinstance(each, ProviderFailed) for each in desk.results(hopeless).values())
    for _ in range(8):
        await desk.poll(found)
    assert desk.status(found).state is BatchState.ENDED
    with pytest.raises(InvalidInput, match="needs no handle"):
        await desk.adopt(found, handle)
    with pytest.raises(InvalidInput, match="ended already"):
        await desk.give_up(found, was_sent=True)


async def test_where_one_question_is_denied_none_is_sent(bench: Bench) -> None:
    bench.policy = Policy(daily_tokens=65)
    with pytest.raises(CallDenied) as denied:
        await bench.desk().submit(bench.provider(), questions())
    assert denied.value.reason == "GLOBAL_DAILY_CAP_EXCEEDED"
    assert bench.calls() == {("unsent", "nothing"): 2}
    assert bench.charged() == 0
    assert bench.server.books.seen == [] and bench.desk().open_batches() == []

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
            item.usage.prompt_tokens + 2 * item.usage.completion_tokens,
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

    assert desk.status("mine").state is BatchState.UNSENT
    assert desk.status("mine").what == raised.value.what
    assert small.calls() == {("unsent", "nothing"): 3} and small.charged() == 0
    found = small.ledger.states()[provider.name].circuit
    assert found.state is circuit and found.trips == (circuit is CircuitState.LATCHED)
    if isinstance(raised.value, ProviderBusy):
        assert raised.value.retry_after_ms == 3000
        assert small.ledger.states()[provider.name].window.held_until_ms == 0
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
    assert desk.status("mine").state is BatchState.UNSENT
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
    assert desk.status("mine").state is BatchState.UNSENT
    assert small.charged() == 0


async def test_permits_of_a_process_that_died_while_reserving_come_back(bench: Bench) -> None:
    ask = Ask(
        provider="openai", model="gpt-4o", lane=Lane.BATCH, limits=UNLIMITED, prompt_tokens=7,
        output_tokens=3,
    )  # fmt: skip
    bench.ledger.reserve(ask)
    bench.server.behaviour = BatchBehaviour(looks=9)
    desk = bench.desk()
    batch_id = await desk.submit(bench.provider(), questions())
    await desk.poll_all()
    assert bench.calls() == {("batched", "reserved"): 4}

    bench.clock.turn(seconds=3700)
    await desk.poll_all()

    assert bench.calls() == {("batched", "reserved"): 3, ("unsent", "nothing"): 1}
    assert desk.status(batch_id).state is BatchState.SUBMITTED


async def test_what_is_not_known_is_said(small: Bench) -> None:
    desk = small.desk()
    with pytest.raises(NotFound):
        await desk.poll("nothing")
    with pytest.raises(NotFound):
        desk.results("nothing")
    with pytest.raises(NotFound):
        await desk.adopt("nothing", "handle")
    for bad in ("", "a b", "x" * 48):
        if bad:
            with pytest.raises(InvalidInput, match="no id"):
                await desk.submit(small.provider(), questions(), batch_id=bad)
    with pytest.raises(InvalidInput, match="without a question"):
        await desk.submit(small.provider(), {})
    for key in ("", "stray:1", "a\x00b"):
        with pytest.raises(InvalidInput, match="no key"):
            await desk.submit(small.provider(), {key: questions("a")["a"]})
    batch_id = await desk.submit(small.provider(), questions())
    bare = BatchDesk(small.ledger, small.estimator, clock=small.clock)
    assert isinstance((await bare.poll_all())[batch_id], ProviderUnknown)
    small.server.books.batches.clear()
    assert isinstance((await desk.poll_all())[batch_id], CallRefused)


def test_equal_questions_cannot_be_told_apart_and_need_not_be() -> None:
    """A check that both pass finds nothing wrong with answers that changed places."""
    asked = questions("a", "b")
    found = matched("x", asked, _results("x", {"a": "about b", "b": "about a"}), Ending.COMPLETED)
    assert [outcome.state for outcome in found.outcomes.values()] == [ItemState.ANSWERED] * 2
    wrong = _results("x", {"a": "about nobody ", "b": "about b "})
    found = matched("x", asked, wrong, Ending.COMPLETED, fits)
    assert found.outcomes["a"].state is ItemState.MISMATCHED
    assert found.remarks == ["1 of 2 questions have one that does not fit: 'a'."]


def test_a_question_without_an_answer_costs_nothing_only_if_no_answer_is_left_over() -> None:
    asked = questions("a", "b")
    some = _results("x", {"a": "about a"})
    found = matched("x", asked, some, Ending.EXPIRED)
    assert found.outcomes["b"].state is ItemState.EXPIRED and not found.remarks
    found = matched("x", asked, [*some, *_results("y", {"b": "about b"})], Ending.EXPIRED)
    assert found.outcomes["b"].state is ItemState.MISSING and len(found.strays) == 1


def test_a_check_is_not_asked_without_end() -> None:
    asked = questions(*(f"k{n}" for n in range(400)))
    count = 0

    def never(key: str, request: ModelRequest, text: str) -> bool:
        nonlocal count
        count += 1
        return False

    found = matched("x", asked, _results("x", dict.fromkeys(asked, "?")), Ending.COMPLETED, never)
    assert count == 400 and len(found.remarks) == 1 and len(found.remarks[0]) < 200


def _results(batch_id: str, said: Mapping[str, str]) -> list[Result]:
    return [
        Result(key=provider_key(batch_id, key), kind=ResultKind.ANSWERED, text=text, finish="stop")
        for key, text in said.items()
    ]
