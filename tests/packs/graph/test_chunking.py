"""Sentences end where a reader would end them, and chunks contain all of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.packs.graph.chunking import split_chunks, split_parts
from assay.sdk.errors import InvalidInput
from assay.sdk.reading import split_sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Dr. Smith met Mr. and Mrs. Jones at St. Mary's.",
        "J. R. R. Tolkien wrote it.",
        "The U.S. Army paid $3.5 million on Jan. 5, 1950.",
        "See e.g. No. 5, vol. 2, pp. 10, i.e. the last one.",
        "Acme Inc. was founded by A. Smith Jr. in Washington D.C. by chance.",
        "He asked: “Is it? or not?” and left.",
        "Yahoo! is a company.",
        "Rođen je 12. siječnja 1990. godine u Zagrebu.",
        "Godine 1991. Hrvatska je postala neovisna.",
        "Am 3. Oktober 1990, im 20. Jahrhundert, war es z.B. so weit.",
        "He waited... and waited.",
        "It is 3.14 and version 1.2.3 of v2.",
        "This line\ngoes on.",
        "Ph.D. Smith and George W. Bush met.",
        "Approx. 12 people, born c. 1850, were there.",
    ],
)
def test_one_sentence(sentence: str) -> None:
    assert split(sentence) == [sentence]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("He came. She left.", ["He came.", "She left."]),
        ("He left the U.S. The end came.", ["He left the U.S.", "The end came."]),
        ("“Yes.” He left. (No.) Why?", ["“Yes.”", "He left.", "(No.)", "Why?"]),
        ("It was so.[1] Then not.[12]", ["It was so.[1]", "Then not.[12]"]),
        ("He won World War II. Germany lost.", ["He won World War II.", "Germany lost."]),
        ("He was 12. The end.", ["He was 12.", "The end."]),
        ("It came in 2001. iPhone came.", ["It came in 2001.", "iPhone came."]),
        ("No. It is not.", ["No.", "It is not."]),
        ("One\n\nTwo", ["One", "Two"]),
        ("One \n \t\nTwo", ["One", "Two"]),
        ("One\r\n\r\nTwo", ["One", "Two"]),
        ("- one\n- two. Three", ["- one", "- two.", "Three"]),
        ("1. One\n2. Two", ["1. One", "2. Two"]),
        ("# Life\nHe was born.", ["# Life", "He was born."]),
        ("Early life\nHe was born in London, of all places.", None),
        (
            "He was born in\nLondon, of all places there.",
            ["He was born in\nLondon, of all places there."],
        ),
        ("这是。那是！", ["这是。", "那是！"]),
        ("", []),
        (" \n ", []),
        ("...", ["..."]),
    ],
)
def test_several_sentences(text: str, found: list[str] | None) -> None:
    assert split(text) == (text.split("\n") if found is None else found)


def test_a_stretch_of_a_text() -> None:
    text = "One is. Two is. Three is."
    assert [text[a:b] for a, b in split_sentences(text, 8, 15)] == ["Two is."]


@pytest.mark.parametrize(
    "piece",
    ["a", ".", ". ", "A. ", "\n", ".a", ".'", "1.\n", "#\n", "a.\n\n", "[1", "(1) ", "e.g. "],
)
def test_odd_texts_are_read_to_their_end(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    last = 0
    for chunk in split_chunks(text):
        assert chunk.end - chunk.start <= 1500
        assert not text[last : chunk.start].strip()
        last = chunk.end
    assert not text[last:].strip()


def test_chunks_hold_whole_sentences() -> None:
    text = "One is here. Two is here. Three is here."
    assert [chunk.text for chunk in split_chunks(text, 26)] == [
        "One is here. Two is here.",
        "Three is here.",
    ]
    first = next(split_chunks(text, 26))
    assert [text[a:b] for a, b in first.sentences] == ["One is here.", "Two is here."]


def test_a_sentence_that_is_too_long_is_cut_at_white_space() -> None:
    assert [chunk.text for chunk in split_chunks("aaa bbb ccc", 7)] == ["aaa bbb", "ccc"]
    assert [chunk.text for chunk in split_chunks("aaaaa bb", 3)] == ["aaa", "aa", "bb"]


def test_parts_hold_whole_paragraphs() -> None:
    text = "One. Two.\n\nThree.\n\nFour is long. Five is."
    assert [text[a:b] for a, b in split_parts(text, 20)] == [
        "One. Two.\n\nThree.",
        "Four is long.",
        "Five is.",
    ]


def test_no_room_at_all_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least one character"):
        list(split_chunks("a", 0))


WRITTEN = st.text(st.sampled_from("aB1é.!?…\"') (\n\r\t-#。«\u2028x"), max_size=120)


@settings(max_examples=80, deadline=None)
@given(WRITTEN | st.text(max_size=60), st.integers(1, 40))
def test_chunks_cover_everything_once(text: str, most: int) -> None:
    last = 0
    for index, chunk in enumerate(split_chunks(text, most)):
        assert (chunk.index, chunk.text) == (index, text[chunk.start : chunk.end])
        assert 0 < chunk.end - chunk.start <= most
        assert chunk.start >= last
        assert not text[last : chunk.start].strip()
        inside = chunk.start
        for start, end in chunk.sentences:
            assert start >= inside
            assert not text[inside:start].strip()
            assert text[start:end] == text[start:end].strip() != ""
            inside = end
        assert inside == chunk.end
        last = chunk.end
    assert not text[last:].strip()


@settings(max_examples=50, deadline=None)
@given(WRITTEN, st.integers(1, 60))
def test_parts_cover_everything_once(text: str, most: int) -> None:
    last = 0
    for start, end in split_parts(text, most):
        assert last <= start < end <= start + most
        assert not text[last:start].strip()
        last = end
    assert not text[last:].strip()
