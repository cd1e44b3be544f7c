"""How a batch can end, or be ended, and what is then charged."""

import pytest

from assay.errors import CallRefused, InvalidInput, ProviderFailed
from assay.llm.batches import BatchState, ItemState
from assay.llm.circuit import CircuitState
from assay.llm.messages import ModelAnswer
from tests.llm.batches.desks import DIALECTS, Bench, questions, texts
from tests.providers.batch_books import BatchBehaviour, Fate


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_failed_refused_and_expired_questions_cost_nothing(
    small: Bench, dialect: str
) -> None:
    fates = {0: Fate.FAILED, 1: Fate.REFUSED, 2: Fate.EXPIRED}
    small.server.behaviour = BatchBehaviour(fates=fates)
    desk = small.desk()
    batch_id = await desk.submit(small.provider(dialect), questions("a", "b", "c", "d"))

    status = await desk.poll(batch_id)

    results = desk.read_results(batch_id)
    assert set(texts(results)) == {"d"} and status.state is BatchState.ENDED
    assert isinstance(results["a"], ProviderFailed)
    assert isinstance(results["b"], CallRefused) and "does not answer it" in results["b"].what
    assert isinstance(results["c"], ProviderFailed)
    assert small.calls() == {("failed", "nothing"): 3, ("done", "reported"): 1}
    assert small.charged() == small.server.books.tokens
    # Faults of hours ago say nothing of the provider now.
    assert all(
        state.circuit.state is CircuitState.CLOSED and state.circuit.failures == 0
        for state in small.ledger.read_states().values()
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
    assert set(texts(desk.read_results(batch_id))) == ({"a"} if fates else set())
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
    answers = desk.read_results(batch_id)
    used = [
        answer.usage.total_tokens for answer in answers.values() if isinstance(answer, ModelAnswer)
    ]
    assert sum(used) == set_aside
    assert all(isinstance(answer, ModelAnswer) and answer.warnings for answer in answers.values())
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
    assert len(texts(desk.read_results(batch_id))) == len(fates)
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
    assert {desk.read_status(each).state for each in ids} == {BatchState.UNCERTAIN}
    set_aside = small.charged()

    handle = small.server.books.batches[0].handle
    assert (await desk.adopt(found, handle)).state is BatchState.SUBMITTED
    assert (await desk.give_up(absent, was_sent=False)).state is BatchState.UNSENT
    assert small.charged() == set_aside * 2 // 3
    assert (await desk.give_up(hopeless, was_sent=True)).state is BatchState.ENDED
    assert small.charged() == set_aside * 2 // 3
    assert all(isinstance(each, ProviderFailed) for each in desk.read_results(hopeless).values())
    for _ in range(8):
        await desk.poll(found)
    assert desk.read_status(found).state is BatchState.ENDED
    with pytest.raises(InvalidInput, match="needs no handle"):
        await desk.adopt(found, handle)
    with pytest.raises(InvalidInput, match="already ended"):
        await desk.give_up(found, was_sent=True)
