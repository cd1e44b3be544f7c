"""Estimates come from a real vocabulary, and come close to what a provider counts."""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
import sqlalchemy as sa
import tiktoken

from assay.clock import TurnedClock
from assay.llm.estimates import CAUTIOUS_FACTOR, TokenEstimator
from assay.llm.messages import ModelRequest
from assay.llm.vocabulary import load_vocabulary
from assay.store import spending as t
from assay.store.database import open_engine
from tests.gazette.world import World

WHO = ("cloud", "big-model")


def asking(text: str) -> ModelRequest:
    return ModelRequest(system="List what the text says.", user=text, max_tokens=100)


def rows(engine: sa.Engine) -> list[sa.Row[tuple[object, ...]]]:
    with engine.connect() as connection:
        return list(connection.execute(sa.select(t.estimate).order_by(t.estimate.c.model)))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("Hello world", 2),
        ("Porezni obveznik podnosi prijavu do dvadesetog dana u mjesecu.", 26),
        ("Der Steuerpflichtige hat die Erklärung fristgerecht abzugeben.", 20),
        ("<|endoftext|>", 7),
        ("\0" * 1000, 1000),
        ("a" * 1_000_000, 125_000),
        ("😀" * 1000, 2000),
    ],
)
def test_the_count_is_a_real_vocabularys(text: str, tokens: int) -> None:
    assert TokenEstimator().count(text) == tokens


def test_half_a_surrogate_pair_counts_like_any_odd_sign() -> None:
    assert TokenEstimator().count("a\ud800b") == TokenEstimator().count("a?b")


def test_a_long_text_counts_as_its_parts_do() -> None:
    part = "Članak 12. stavak 3. mijenja se i glasi: «obveznik». "
    whole = TokenEstimator().count(part * 10_000)
    assert 0 <= whole - len(load_vocabulary().encode_ordinary(part * 10_000)) <= 6


def test_everything_that_is_sent_is_counted() -> None:
    estimator = TokenEstimator()
    bare = estimator.raw_prompt(ModelRequest(user="What?", max_tokens=1))
    with_system = estimator.raw_prompt(ModelRequest(user="What?", system="Be brief.", max_tokens=1))
    full = estimator.raw_prompt(
        ModelRequest(user="What?", system="Be brief.", schema={"type": "object"}, max_tokens=1)
    )
    assert estimator.count("What?") < bare
    assert bare + estimator.count("Be brief.") < with_system
    assert with_system + estimator.count('{"type": "object"}') < full


def test_before_anything_is_learned_it_is_cautious() -> None:
    estimator = TokenEstimator()
    raw = estimator.raw_prompt(asking("word " * 500))
    assert estimator.prompt_tokens(*WHO, asking("word " * 500)) == math.ceil(raw * CAUTIOUS_FACTOR)
    text = "So it is. " * 50
    assert estimator.output_tokens(*WHO, text) == math.ceil(estimator.count(text) * CAUTIOUS_FACTOR)


@cache
def _smaller() -> tiktoken.Encoding:
    """The third of the vocabulary that was merged first: a model of an older make."""
    whole = load_vocabulary()
    ranks = {whole.decode_single_token_bytes(rank): rank for rank in range(32_000)}
    return tiktoken.Encoding(
        "smaller", pat_str=whole._pat_str, mergeable_ranks=ranks, special_tokens={}
    )


def smaller_vocabulary(request: ModelRequest) -> int:
    return sum(len(_smaller().encode_ordinary(t)) for t in (request.system, request.user)) + 9


def wasteful(request: ModelRequest) -> int:
    """A small vocabulary's count, which grows most where words are long."""
    return int(TokenEstimator().count(request.user) * 1.4) + len(request.user) // 30


def with_a_frame(request: ModelRequest) -> int:
    return smaller_vocabulary(request) + 300


@pytest.mark.parametrize(
    ("provider", "at_first", "most_over"),
    [(smaller_vocabulary, 1.0, 1.4), (wasteful, 0.2, 1.2), (with_a_frame, 0.7, 2.0)],
)
def test_a_reserve_is_seldom_too_small_once_learned(
    provider: Callable[[ModelRequest], int], at_first: float, most_over: float
) -> None:
    documents = World(seed=3, documents=150).gazette().values()
    requests = [asking(document.content) for document in documents]
    actual = [provider(request) for request in requests]
    fresh, estimator = TokenEstimator(), TokenEstimator()
    unlearned = [fresh.prompt_tokens(*WHO, request) for request in requests]
    learned = []
    for request, used in zip(requests, actual, strict=True):
        learned.append(estimator.prompt_tokens(*WHO, request))
        estimator.learn(*WHO, estimator.raw_prompt(request), used)

    def enough(estimates: list[int], start: int) -> float:
        met = [e >= a for e, a in zip(estimates[start:], actual[start:], strict=True)]
        return sum(met) / len(met)

    assert enough(unlearned, 0) <= at_first
    assert enough(learned, 20) >= 0.95
    assert sum(learned[20:]) <= most_over * sum(actual[20:])


def test_what_a_cut_answer_cost_is_told_with_the_usual_factor() -> None:
    estimator = TokenEstimator()
    for _ in range(60):
        estimator.learn(*WHO, 2000, 3000)
    text = "Rok za plaćanje je trideset dana. " * 40
    assert estimator.output_tokens(*WHO, text) == pytest.approx(estimator.count(text) * 1.5, abs=5)
    assert estimator.output_tokens(*WHO, "") == 0


def test_one_odd_report_is_forgotten_in_time() -> None:
    estimator = TokenEstimator()
    for _ in range(20):
        estimator.learn(*WHO, 2000, 2000)
    usual = estimator.prompt_tokens(*WHO, asking("word " * 2000))
    estimator.learn(*WHO, 2000, 4000)
    assert estimator.prompt_tokens(*WHO, asking("word " * 2000)) > 1.5 * usual
    for _ in range(400):
        estimator.learn(*WHO, 2000, 2000)
    assert estimator.prompt_tokens(*WHO, asking("word " * 2000)) < 1.1 * usual


@pytest.mark.parametrize(("raw", "actual"), [(0, 10), (10, 0), (-1, 5), (5, -1)])
def test_a_report_that_says_nothing_teaches_nothing(raw: int, actual: int) -> None:
    estimator = TokenEstimator()
    estimator.learn(*WHO, raw, actual)
    assert estimator.calibration_of(*WHO).samples == 0


def test_an_absurd_report_is_bounded() -> None:
    estimator = TokenEstimator()
    estimator.learn(*WHO, 1000, 10**12)
    raw = estimator.raw_prompt(asking("word " * 5000))
    assert estimator.prompt_tokens(*WHO, asking("word " * 5000)) < 6 * raw


def test_models_are_learned_apart_and_outlive_the_process(engine: sa.Engine) -> None:
    estimator = TokenEstimator(engine, TurnedClock(5_000))
    for _ in range(30):
        estimator.learn("cloud", "a", 1000, 2000)
        estimator.learn("cloud", "b", 1000, 800)
    again = TokenEstimator(engine)
    for model, factor in (("a", 2.0), ("b", 0.8)):
        assert again.calibration_of("cloud", model).factor == pytest.approx(factor, abs=0.1)
    assert again.calibration_of("elsewhere", "a").samples == 0
    assert [row.updated_ms for row in rows(engine)] == [5_000, 5_000]


def test_it_is_read_once_and_written_only_when_it_changes(engine: sa.Engine) -> None:
    said: list[str] = []
    sa.event.listen(engine, "before_cursor_execute", lambda *call: said.append(str(call[2])))
    estimator = TokenEstimator(engine)
    for _ in range(500):
        estimator.prompt_tokens(*WHO, asking("word"))
        estimator.learn(*WHO, 1000, 1100)
    reads = [one for one in said if one.startswith("SELECT")]
    writes = [one for one in said if one.startswith("INSERT")]
    assert len(reads) == 1
    assert 2 <= len(writes) <= 40


def test_several_that_learn_at_once_do_not_fail(engine: sa.Engine) -> None:
    def work(number: int) -> None:
        estimator = TokenEstimator(engine)
        for step in range(12):
            estimator.learn(*WHO, 1000, 1000 + 100 * ((number + step) % 4))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert [(row.provider, row.model) for row in rows(engine)] == [WHO]
    assert TokenEstimator(engine).calibration_of(*WHO).samples >= 1


def test_without_its_table_it_still_estimates(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    empty = open_engine(f"sqlite:///{tmp_path / 'empty.db'}")
    estimator = TokenEstimator(empty)
    for _ in range(30):
        estimator.learn(*WHO, 1000, 2000)
    assert estimator.calibration_of(*WHO).factor == pytest.approx(2.0, abs=0.1)
    assert "cannot be read" in caplog.text
    assert "cannot be stored" in caplog.text
    empty.dispose()
