"""Answers under wrong keys: none is given out for another one's."""

from collections.abc import Mapping

import pytest

from assay.errors import AnswerInvalid, InvalidInput, ProviderFailed
from assay.llm.batches import BatchService, BatchState, ItemState
from assay.llm.batches.http import parse_time_ms
from assay.llm.batches.matching import make_provider_key, match_results
from assay.llm.batches.provider import BatchEnding, BatchResult, ResultKind
from assay.llm.messages import ModelRequest
from tests.llm.batches.desks import DIALECTS, Bench, fits, questions, texts
from tests.providers.batch_books import BatchBehaviour, KeyFault


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_rotated_answers_are_not_given_out(
    small: Bench, dialect: str, caplog: pytest.LogCaptureFixture
) -> None:
    small.server.behaviour = BatchBehaviour(keys=KeyFault.ROTATED)
    desk = small.desk()
    batch_id = await desk.submit(small.provider(dialect), questions(), check="fits")

    status = await desk.poll(batch_id)

    results = desk.read_results(batch_id)
    assert status.items == {ItemState.MISMATCHED: 3}
    assert all(isinstance(error, AnswerInvalid) for error in results.values())
    assert "been swapped" in status.what and "under 'a' would fit 'c'" in status.what
    assert "been swapped" in caplog.text
    # Somebody's tokens they are all the same.
    assert small.charged() == small.server.books.tokens


async def test_one_misplaced_answer_leaves_the_others_as_they_are(small: Bench) -> None:
    small.server.behaviour = BatchBehaviour(keys=KeyFault.DOUBLED)
    desk = small.desk()
    batch_id = await desk.submit(small.provider(), questions(), check="fits")

    status = await desk.poll(batch_id)

    results = desk.read_results(batch_id)
    assert set(texts(results)) == {"c"}
    assert isinstance(results["a"], ProviderFailed) and "missing" in results["a"].what
    assert isinstance(results["b"], AnswerInvalid) and "doubled" in results["b"].what
    assert [stray.result.text for stray in desk.read_strays(batch_id) if stray.result] == [
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
    assert status.what and len(texts(desk.read_results(batch_id))) == states.get("answered", 0)
    assert len(desk.read_strays(batch_id)) == states.get("stray", 0)
    assert small.charged() > small.server.books.tokens


async def test_a_check_that_the_desk_does_not_know_gives_nothing_out(small: Bench) -> None:
    batch_id = await small.desk().submit(small.provider(), questions(), check="fits")
    ignorant = BatchService(
        small.ledger, small.estimator, providers=[small.provider()], clock=small.clock
    )
    with pytest.raises(InvalidInput, match="no answer check 'fits'"):
        await ignorant.poll(batch_id)
    with pytest.raises(InvalidInput, match="no answer check 'fits'"):
        await ignorant.submit(small.provider(), questions(), check="fits")
    assert ignorant.read_results(batch_id) == {}
    assert (await small.desk().poll(batch_id)).state is BatchState.ENDED


def test_equal_questions_cannot_be_told_apart_and_need_not_be() -> None:
    """A check that both pass finds nothing wrong with answers that changed places."""
    asked = questions("a", "b")
    found = match_results(
        "x", asked, _results("x", {"a": "about b", "b": "about a"}), BatchEnding.COMPLETED
    )
    assert [outcome.state for outcome in found.outcomes.values()] == [ItemState.ANSWERED] * 2
    wrong = _results("x", {"a": "about nobody ", "b": "about b "})
    found = match_results("x", asked, wrong, BatchEnding.COMPLETED, fits)
    assert found.outcomes["a"].state is ItemState.MISMATCHED
    assert found.remarks == ["1 of 2 questions have one that does not fit: 'a'."]


def test_a_question_without_an_answer_costs_nothing_only_if_no_answer_is_left_over() -> None:
    asked = questions("a", "b")
    some = _results("x", {"a": "about a"})
    found = match_results("x", asked, some, BatchEnding.EXPIRED)
    assert found.outcomes["b"].state is ItemState.EXPIRED and not found.remarks
    found = match_results(
        "x", asked, [*some, *_results("y", {"b": "about b"})], BatchEnding.EXPIRED
    )
    assert found.outcomes["b"].state is ItemState.MISSING and len(found.strays) == 1


def test_a_check_is_not_asked_without_end() -> None:
    asked = questions(*(f"k{n}" for n in range(400)))
    count = 0

    def never(key: str, request: ModelRequest, text: str) -> bool:
        nonlocal count
        count += 1
        return False

    found = match_results(
        "x", asked, _results("x", dict.fromkeys(asked, "?")), BatchEnding.COMPLETED, never
    )
    assert count == 400 and len(found.remarks) == 1 and len(found.remarks[0]) < 200


def _results(batch_id: str, said: Mapping[str, str]) -> list[BatchResult]:
    return [
        BatchResult(
            key=make_provider_key(batch_id, key), kind=ResultKind.ANSWERED, text=text, finish="stop"
        )
        for key, text in said.items()
    ]


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        (1.5, 1500),
        (0, 0),
        ("2026-01-01T12:00:00Z", 1_767_268_800_000),
        (float("inf"), None),
        (float("nan"), None),
        ("soon", None),
        (None, None),
    ],
)
def test_a_moment_is_understood_in_each_form(stamp: object, expected: int | None) -> None:
    assert parse_time_ms(stamp) == expected
