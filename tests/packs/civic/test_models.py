"""Summaries by a model: asked once, within the budget, checked, and never lost."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pydantic import SecretStr

from assay.app import App, runs
from assay.packs.civic.cities import plan_model_work
from assay.packs.civic.jobs import HELD
from assay.packs.civic.records import CivicQuestion, CivicSummary
from assay.settings import Settings
from assay.settings.tables import ProviderSettings
from tests.packs.civic.springfield import (
    BUDGET,
    meeting,
    paper,
    show,
    show_document,
    stored,
    watching_springfield,
)
from tests.providers.batch_books import BatchBehaviour, KeyFault
from tests.providers.batch_server import BatchServer
from tests.providers.behaviour import Behaviour
from tests.providers.dialects import Asked
from tests.providers.server import ProviderServer
from tests.spine.sites import Watch, Workplace
from tests.waiting import PATIENCE_S

MakeWatch = Callable[..., Watch]
LATER = "2023-12-24T19:00:00"
"""The clock of a test begins in November 2023."""


def analyse(asked: Asked, text: str | None = None) -> str:
    """A good answer: the third sentence of the documents, cited."""
    user = asked.texts[-1]
    (code,) = re.findall(r"^Code of the item: (\w+)$", user, re.MULTILINE)
    lines = dict(re.findall(r"^\[(\d+)\] (.+)$", user, re.MULTILINE))
    said = {"text": text or lines["3"], "cites": [3]}
    return json.dumps({"item": code, "sentences": [said], "topics": ["Budget"]})


@pytest.fixture
def open_watch(
    make_app: Callable[..., App], settings: Settings, shared_workplace: Workplace
) -> Iterator[MakeWatch]:
    """Makes an application with one provider at that address."""
    made: list[Any] = []

    def make(url: str, *, batches: bool = False, **changed: Any) -> Watch:
        address = f"{url}/v1"
        gpt = ProviderSettings(
            kind="openai", model="large", base_url=address, key=SecretStr("sk"), batches=batches
        )
        given = {"providers": {"gpt": gpt}, "daily_tokens_per_source": None, **changed}
        context = watching_springfield(make_app, settings, shared_workplace, **given)
        made.append(context)
        return context.__enter__()

    yield make
    for context in made:
        context.__exit__(None, None, None)


@pytest.fixture
def server(shared_workplace: Workplace) -> Iterator[ProviderServer]:
    async def start() -> ProviderServer:
        made = ProviderServer(lambda asked: Behaviour(text=analyse(asked)))
        await made.start()
        return made

    loop = shared_workplace.loop
    made = loop.submit(start()).result(timeout=PATIENCE_S)
    yield made
    loop.submit(made.stop()).result(timeout=PATIENCE_S)


def show_meetings(watch: Watch, *starts: str) -> None:
    listed = []
    for number, start in enumerate(starts, 70):
        listed.append(meeting(number, f"Board {number}", start, paper(number, "Agenda")))
        show_document(watch, number, f"This is the agenda of board number {number}.", *BUDGET)
    show(watch, *listed)


def pick_up(watch: Watch) -> int:
    """What the pack's schedule does every quarter of an hour; how many jobs it found."""
    work = list(plan_model_work(watch.app.services))
    if work:
        runs.start_run(watch.app, first=work)
        watch.drain()
    return len(work)


def test_a_model_summarizes_a_meeting_once(open_watch: MakeWatch, server: ProviderServer) -> None:
    watch = open_watch(server.url)
    show_meetings(watch, LATER)
    watch.run()
    (made,) = stored(watch, CivicSummary)
    assert (made.method, made.wants_model, made.topics) == ("gpt/large", False, ["budget"])
    (sentence,) = made.sentences
    assert sentence["text"] == BUDGET[0] and len(sentence["citations"]) == 1
    watch.clock.turn(days=1)
    watch.run()
    assert len(server.books.calls) == 1 and pick_up(watch) == 0


def test_what_the_documents_do_not_bear_out_is_not_stored(
    open_watch: MakeWatch, server: ProviderServer
) -> None:
    false = "The council already approved a budget of $99,000,000."
    server.behave(lambda asked: Behaviour(text=analyse(asked, false)))
    watch = open_watch(server.url)
    show_meetings(watch, LATER)
    watch.run()
    (made,) = stored(watch, CivicSummary)
    assert (made.method, made.wants_model) == ("extractive", False)
    assert "do not support" in made.reason and not watch.dead()


def test_what_the_budget_does_not_allow_is_asked_when_it_does(
    open_watch: MakeWatch, server: ProviderServer
) -> None:
    watch = open_watch(server.url, daily_tokens=100)
    show_meetings(watch, LATER)
    watch.run()
    (made,) = stored(watch, CivicSummary)
    assert (made.method, made.wants_model) == ("extractive", True) and "tokens" in made.reason
    assert not server.books.calls and not watch.dead()
    watch.app.settings.__dict__["daily_tokens"] = None
    watch.app.services.models._plane = None
    assert pick_up(watch) == 1
    (made,) = stored(watch, CivicSummary)
    assert (made.method, made.reason) == ("gpt/large", None)


def test_a_provider_that_refuses_its_key_leaves_the_documents_own_words(
    open_watch: MakeWatch, server: ProviderServer
) -> None:
    server.behave(Behaviour(status=401))
    watch = open_watch(server.url)
    show_meetings(watch, LATER)
    watch.run()
    (made,) = stored(watch, CivicSummary)
    assert (made.method, made.wants_model) == ("extractive", True)
    assert len(watch.dead()) == 1


@contextmanager
def serving_batches(workplace: Workplace, **behaviour: Any) -> Iterator[BatchServer]:
    async def start() -> BatchServer:
        return await BatchServer(BatchBehaviour(say=analyse, **behaviour)).__aenter__()

    server = workplace.loop.submit(start()).result(timeout=PATIENCE_S)
    try:
        yield server
    finally:
        workplace.loop.submit(server.__aexit__(None, None, None)).result(timeout=PATIENCE_S)


@pytest.mark.parametrize("keys", [None, KeyFault.ROTATED, KeyFault.DOUBLED, KeyFault.NONE])
def test_answers_of_a_batch_are_stored_under_their_own_item_or_not_at_all(
    open_watch: MakeWatch, shared_workplace: Workplace, keys: KeyFault | None
) -> None:
    with serving_batches(shared_workplace, looks=2, keys=keys) as server:
        watch = open_watch(server.url, batches=True)
        show_meetings(watch, *(LATER for _ in range(12)))
        watch.run()
        made = stored(watch, CivicSummary)
        assert {m.reason for m in made} == {"its answer comes with a batch"} and len(made) == 12
        assert all(question.is_open for question in stored(watch, CivicQuestion))
        assert sum(len(batch.items) for batch in server.books.batches) == 12
        assert pick_up(watch) == len(server.books.batches)
        assert not any(question.is_open for question in stored(watch, CivicQuestion))
    by_model = [m for m in stored(watch, CivicSummary) if m.method == "gpt/large"]
    assert len(by_model) == {None: 12, KeyFault.DOUBLED: 10}.get(keys, 0)
    assert len(stored(watch, CivicSummary)) == 12 and not watch.dead()
    for summary in stored(watch, CivicSummary):
        assert summary.wants_model == (summary.method != "gpt/large")


def test_a_batch_is_sent_as_far_as_the_budget_goes_and_the_rest_on_another_day(
    open_watch: MakeWatch, shared_workplace: Workplace
) -> None:
    with serving_batches(shared_workplace, looks=2) as server:
        watch = open_watch(server.url, batches=True, daily_tokens=20_000)
        show_meetings(watch, *(LATER for _ in range(24)))
        watch.run()
        sent = sum(len(batch.items) for batch in server.books.batches)
        held = [q for q in stored(watch, CivicQuestion) if q.batch_id == HELD]
        assert 0 < sent < 24 and len(held) == 24 - sent
        # Today only the batches that were sent are looked at.
        assert pick_up(watch) == len(server.books.batches)
        for _ in range(12):
            watch.clock.turn(days=1)
            pick_up(watch)
        items = [item for batch in server.books.batches for item in batch.items]
        assert len(items) == 24
    assert {m.method for m in stored(watch, CivicSummary)} == {"gpt/large"}
    assert {q.attempts for q in stored(watch, CivicQuestion)} == {1} and not watch.dead()
