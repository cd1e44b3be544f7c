"""A quote is found exactly or folded, with offsets into the text as it is; never fuzzily."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ruling.facts.quotes import QuoteSpan, find_occurrences, fold_quote, locate_quote

TEXT = "Članak 4.\nStopa PDV-a iznosi\u00a025\u00a0% „osim“ za kn\u00adjige.  Stopa   iznosi 5 %."
LETTERS = "abcčšéﬁ①½ \u00a0\u202f\t\n\u00ad„“”'’\"c\u030ce\u0301.,25%ß"


def found(quote: str, text: str, start: int | None = None) -> str | None:
    span = locate_quote(quote, text, start)
    return None if span is None else text[span.start : span.end]


@pytest.mark.parametrize(
    ("quote", "stored"),
    [
        ("Članak 4.", "Članak 4."),
        ("Stopa PDV-a iznosi 25 %", "Stopa PDV-a iznosi\u00a025\u00a0%"),
        ('25 % "osim" za knjige.', "25\u00a0% „osim“ za kn\u00adjige."),
        ("Stopa iznosi 5 %", "Stopa   iznosi 5 %"),
        ("  Stopa iznosi 5 %.\n", "Stopa   iznosi 5 %."),
        ("Članak 4. Stopa", "Članak 4.\nStopa"),
        (unicodedata.normalize("NFD", "Članak 4."), "Članak 4."),
    ],
)
def test_a_quote_as_it_is_stored(quote: str, stored: str) -> None:
    assert found(quote, TEXT) == stored
    assert found(quote, TEXT, TEXT.index(stored)) == stored


@pytest.mark.parametrize(
    "quote",
    [
        "stopa PDV-a",
        "Stopa PDV–a",
        "Stopa PDVa",
        "Clanak 4.",
        "Članak  5.",
        "Stopa iznosi 25 %",
        "Stopa",
        "25 %",
        "5 %.",
        " \u00ad  \n  \u00ad ",
        "",
    ],
)
def test_no_quote_is_found_fuzzily_nor_too_short(quote: str) -> None:
    expected = "Stopa" if quote == "Stopa" else None
    assert found(quote, TEXT) == expected


def test_the_stated_place_counts() -> None:
    text = "Stopa 5 %. Stopa 5 %."
    assert locate_quote("Stopa 5 %", text, 11) == QuoteSpan(11, 20)
    assert locate_quote("Stopa 5 %", text) == QuoteSpan(0, 9)
    assert locate_quote("Stopa 5 %", text, 10) == QuoteSpan(11, 20)
    assert [locate_quote("Stopa 5 %", text, start) for start in (1, -1, 12, 21, 99)] == [None] * 5


def test_every_place_is_told() -> None:
    text = "Stopa 5 %. Stopa\u00a05 %. Stopa\n5 %"
    assert find_occurrences("Stopa 5 %", text) == [
        QuoteSpan(0, 9),
        QuoteSpan(11, 20),
        QuoteSpan(22, 31),
    ]
    assert find_occurrences("Stopa 6 %", text) == []
    assert find_occurrences("5 %", text) == []


def test_a_quote_does_not_begin_or_end_in_half_a_ligature() -> None:
    assert found("fiskalni", "ﬁskalni račun") == "ﬁskalni"
    assert found("iskalni", "ﬁskalni račun") is None
    assert found("račun ﬁ".replace("ﬁ", "f"), "račun ﬁ") is None


def test_a_letter_is_not_its_base() -> None:
    assert found("račun za c", "račun za c\u030clanak") is None
    assert found("račun za č", "račun za c\u030clanak") == "račun za c\u030c"


@given(text=st.text(alphabet=LETTERS, min_size=1, max_size=60), data=st.data())
def test_any_folded_slice_is_found_where_it_was_cut(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    quote = text[start:end]
    if len(fold_quote(quote)) < 5:
        assert locate_quote(quote, text, start) is None
        return
    if not any(map(unicodedata.combining, text[start] + text[end : end + 1])):
        assert locate_quote(quote, text, start) == QuoteSpan(start, end)
    for span in (locate_quote(quote, text, start), locate_quote(fold_quote(quote), text)):
        assert span is None or fold_quote(text[span.start : span.end]) == fold_quote(quote)


@given(st.text(alphabet=LETTERS, max_size=60))
def test_folding_twice_changes_nothing_more(text: str) -> None:
    once = fold_quote(text)
    assert fold_quote(once) == once
    for span in find_occurrences(once, text):
        assert fold_quote(text[span.start : span.end]) == once


@given(st.lists(st.sampled_from(["Stopa", "iznosi", "25 %", "„osim“", "članak"]), min_size=3))
def test_white_space_and_soft_hyphens_hide_no_quote(words: list[str]) -> None:
    text = "x: " + " \u00ad\n\u00a0 ".join(words) + " y"
    quote = " ".join(words)
    span = locate_quote(quote, text)
    assert span is not None
    assert span.start == 3
    assert fold_quote(text[span.start : span.end]) == fold_quote(quote)


@pytest.mark.parametrize(
    "text", [" " * 100_000, "e" + "\u0301\u0316" * 50_000, "ﬁ" * 50_000, "\u00ad" * 100_000]
)
def test_hostile_text_holds_no_quote(text: str) -> None:
    assert locate_quote("iiiii", text) is None
    assert locate_quote("iiiii", text, 0) is None
    assert find_occurrences("ififififi", text) == []
