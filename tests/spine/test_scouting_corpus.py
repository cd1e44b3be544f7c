"""The corpus that scout is measured on, and what scout makes of it."""

import pickle
from collections import Counter

import pytest
from bench.scout import judged
from bench.scout_corpus import by_hand, demo, held_out, texts
from bench.scout_documents import written

from tests.spine.judging import judge


def test_half_of_the_documents_by_hand_are_worth_reading_in_each_language() -> None:
    both = written("first") + written("later")
    counted = Counter((one.language, one.worth) for one in both)
    assert sum(counted.values()) == 66
    assert {worth: counted[language, worth] for language, worth in counted} == {True: 11, False: 11}
    assert all(100 <= len(one.body) <= 500 for one in both)


def test_the_corpus_is_the_same_every_time() -> None:
    assert texts(60) == texts(60)
    assert held_out(60) == held_out(60)
    assert {one.worth for one in demo(60)} == {True, False}


def test_reworded_and_shortened_documents_are_kept_as_well() -> None:
    outcome = judged(held_out(240))
    kept, _, all_of_them, _ = str(outcome["valuable_kept"]).split()
    assert int(kept) >= 0.98 * int(all_of_them), outcome


@pytest.mark.parametrize("part", ["first", "later"])
def test_documents_by_hand_are_kept(part: str) -> None:
    assert "lost" not in judged(by_hand(part))


def test_an_assessment_travels_between_processes() -> None:
    found = judge(written()[0].body)
    assert pickle.loads(pickle.dumps(found)) == found
