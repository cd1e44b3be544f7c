"""The same question is answered from the store, as long as its answer holds."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.clock import TurnedClock
from assay.errors import AnswerInvalid
from assay.llm.cache import AnswerCache, CachedAnswer, cache_key
from assay.llm.messages import ModelRequest, Usage
from assay.store.database import open_engine

QUESTION = ModelRequest(
    user="Which rate?",
    system="Be brief.",
    max_tokens=100,
    schema={"type": "object", "properties": {"why": {}, "rate": {}}},
    prompt_version="rates@1",
)
ANSWER = CachedAnswer("cloud", "big", '{"rate": "25 %", "č": "😀"}', "stop", Usage(120, 14))


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock(1_000_000)


@pytest.fixture
def cache(engine: sa.Engine, clock: TurnedClock) -> AnswerCache:
    return AnswerCache(engine, clock)


def test_the_key_is_the_same_for_the_same_question() -> None:
    assert cache_key("cloud", "big", QUESTION) == cache_key("cloud", "big", replace(QUESTION))
    assert cache_key("cloud", "big", replace(QUESTION, temperature=0)) == cache_key(
        "cloud", "big", QUESTION
    )


CHANGES: dict[str, Any] = {
    "user": "Which rates?",
    "system": "Be long.",
    "max_tokens": 101,
    "temperature": 0.1,
    "prompt_version": "rates@2",
    "schema_name": "other",
    "schema": {"type": "object", "properties": {"rate": {}, "why": {}}},
}


def test_every_part_of_a_question_is_in_its_key() -> None:
    assert set(CHANGES) == {part.name for part in fields(ModelRequest)}
    keys = {
        cache_key("cloud", "big", QUESTION),
        cache_key("cloud", "small", QUESTION),
        cache_key("local", "big", QUESTION),
        cache_key("cloud", "big", replace(QUESTION, schema=None)),
        # What is moved from one message to the other is another question.
        cache_key("cloud", "big", replace(QUESTION, system="Be brief.Which", user=" rate?")),
        *(cache_key("cloud", "big", replace(QUESTION, **{k: v})) for k, v in CHANGES.items()),
    }
    assert len(keys) == 5 + len(CHANGES)


def test_any_text_has_a_key() -> None:
    assert cache_key("cloud", "big", ModelRequest(user="\ud800\0", max_tokens=1))


def test_an_answer_is_found_again_as_it_was_kept(cache: AnswerCache) -> None:
    assert cache.find("k") is None
    assert cache.keep("k", ANSWER)
    assert cache.find("k") == replace(ANSWER, created_ms=1_000_000)
    assert cache.find("other") is None


def test_the_first_answer_stays(cache: AnswerCache) -> None:
    assert cache.keep("k", ANSWER)
    assert not cache.keep("k", ANSWER)
    assert not cache.keep("k", replace(ANSWER, body="{}"))
    found = cache.find("k")
    assert found is not None
    assert found.body == ANSWER.body


def test_of_many_that_keep_at_once_one_wins(engine: sa.Engine) -> None:
    def keep(number: int) -> bool:
        return AnswerCache(engine).keep("k", replace(ANSWER, body=str(number)))

    with ThreadPoolExecutor(6) as pool:
        kept = list(pool.map(keep, range(6)))
    assert kept.count(True) == 1
    found = AnswerCache(engine).find("k")
    assert found is not None
    assert found.body == str(kept.index(True))


def test_only_a_finished_answer_is_kept(cache: AnswerCache) -> None:
    for finish in ("length", "content_filter", ""):
        assert not cache.keep("k", replace(ANSWER, finish=finish))
    assert cache.find("k") is None


def test_text_that_no_database_takes_is_not_kept(cache: AnswerCache) -> None:
    for body in ("a\0b", "a\ud800b"):
        assert not cache.keep("k", replace(ANSWER, body=body))
    assert cache.find("k") is None


def refusing(_: CachedAnswer) -> bool:
    raise AnswerInvalid("The answer is no Rate.")


def test_an_answer_that_no_longer_holds_is_dropped(cache: AnswerCache) -> None:
    assert cache.find_valid("k", refusing) is None
    for check in (lambda _: False, refusing):
        cache.keep("k", ANSWER)
        cache.keep("other", ANSWER)
        found = cache.find_valid("k", lambda cached: cached.body == ANSWER.body)
        assert found is not None
        assert found.usage == Usage(120, 14)
        assert cache.find_valid("k", check) is None
        assert cache.find("k") is None
        assert cache.find("other") is not None


def test_a_check_that_breaks_is_not_hidden(cache: AnswerCache) -> None:
    def broken(_: CachedAnswer) -> bool:
        raise ZeroDivisionError

    cache.keep("k", ANSWER)
    with pytest.raises(ZeroDivisionError):
        cache.find_valid("k", broken)
    assert cache.find("k") is not None


def test_old_answers_are_forgotten(cache: AnswerCache, clock: TurnedClock) -> None:
    cache.keep("old", ANSWER)
    clock.turn(seconds=60)
    cache.keep("new", ANSWER)
    assert cache.forget(older_than_ms=60_000) == 0
    clock.turn(seconds=1)
    assert cache.forget(older_than_ms=60_000) == 1
    assert cache.find("old") is None
    assert cache.find("new") is not None


def test_a_failing_database_costs_no_call(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    empty = open_engine(f"sqlite:///{tmp_path / 'empty.db'}")
    cache = AnswerCache(empty)
    assert cache.find("k") is None
    assert not cache.keep("k", ANSWER)
    assert cache.forget(1) == 0
    for said in ("cannot be read", "cannot be cached", "cannot be dropped"):
        assert said in caplog.text
    empty.dispose()
