"""Sentences in three languages: which of them assert what they say."""

from collections import Counter
from pathlib import Path
from time import perf_counter

import pytest
from bench.statements import OwnSentence, is_refused, read_own_sentences

from assay.reading.statements import StatementMode, judge_statement

FOLDER = Path(__file__).parent / "statements"
LANGUAGES = ("en", "de", "hr")
SENTENCES = [one for language in LANGUAGES for one in read_own_sentences(FOLDER, language)]


def count_wrong(language: str, *, asserted: bool) -> tuple[int, int]:
    """How many are judged wrongly, of how many."""
    own = [
        one
        for one in SENTENCES
        if one.language == language and (one.mode is StatementMode.ASSERTED) is asserted
    ]
    return sum(is_refused(one) is asserted for one in own), len(own)


def test_half_of_the_sentences_are_controls() -> None:
    counts = Counter((one.language, one.mode is StatementMode.ASSERTED) for one in SENTENCES)
    assert len(SENTENCES) >= 240
    assert all(counts[language, True] == counts[language, False] for language in LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_not_asserted_is_recognized(language: str) -> None:
    missed, total = count_wrong(language, asserted=False)
    assert missed <= 0.05 * total, f"{missed} of {total}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_few_asserted_sentences_are_refused(language: str) -> None:
    refused, total = count_wrong(language, asserted=True)
    assert refused <= 0.08 * total, f"{refused} of {total}"


def test_a_cue_inside_a_name_does_not_count() -> None:
    sentence = OwnSentence.parse("en", "asserted: {The record} was released by [No Doubt].")
    assert not is_refused(sentence)


@pytest.mark.parametrize(
    "unit",
    [
        "not, ", "if he said ", "(", "that ", "no one ", ", as a b c, ", "not, a, ", "almost ",
        "Should a, ", "n\u0301", "_",
    ],
)  # fmt: skip
def test_a_long_sentence_takes_little_time(unit: str) -> None:
    sentence = unit * 4_000 + "1990."
    began = perf_counter()
    judge_statement(sentence, (len(sentence) - 5, len(sentence) - 1), "en")
    assert perf_counter() - began < 5
