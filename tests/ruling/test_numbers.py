"""Numbers are read as each language writes them, and never out of a longer token."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ruling.facts.values import format_number, read_number, scan_numbers

STYLES = {
    "hr": (".", ","),
    "de": (".", ","),
    "en": (",", "."),
    "spaced": (" ", ","),
    "no break": ("\u00a0", ","),
    "narrow": ("\u202f", "."),
    "swiss": ("'", "."),
}


def readings(text: str, language: str | None = None) -> list[tuple[str, list[str]]]:
    return [
        (text[at.start : at.end], [format_number(reading) for reading in at.readings])
        for at in scan_numbers(text, language)
    ]


def written(number: Decimal, style: str) -> str:
    thousands, mark = STYLES[style]
    whole, _, decimals = format(number, "f").partition(".")
    grouped = f"{int(whole):,}".replace(",", thousands)
    return f"{grouped}{mark}{decimals}" if decimals else grouped


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.234,56", "1234.56"),
        ("1,234.56", "1234.56"),
        ("1 234,56", "1234.56"),
        ("1\u00a0234\u00a0567", "1234567"),
        ("1\u202f234.5", "1234.5"),
        ("1'000", "1000"),
        ("1’000.50", "1000.5"),
        ("1.234.567", "1234567"),
        ("40.000", "40000"),
        ("40,000", "40000"),
        ("0,125", "0.125"),
        ("12,5", "12.5"),
        ("1234.567", "1234.567"),
        ("2 milijuna", "2000000"),
        ("2,5 milijardi", "2500000000"),
        ("41 million", "41000000"),
        ("3 Mio.", "3000000"),
        ("5 Millionen", "5000000"),
        ("10 Tsd.", "10000"),
        ("pet tisuća", "5000"),
        ("dvjesto pedeset tisuća", "250000"),
        ("dvije tisuće petsto", "2500"),
        ("trideset", "30"),
        ("petnaest", "15"),
        ("dvadeset i pet", "25"),
        ("dvadeset pet", "25"),
        ("thirty-five", "35"),
        ("one hundred and twenty", "120"),
        ("two million", "2000000"),
        ("Dreißig", "30"),
        ("vierzehn", "14"),
        ("fünfundvierzig", "45"),
        ("zweihundert", "200"),
        (".5 percent", "0.5"),
        ("100EUR", "100"),
        ("EUR100", "100"),
        ("−5", "-5"),
    ],
)
def test_a_number_alone(text: str, expected: str) -> None:
    assert [found for _, found in readings(text)] == [[expected]]


@pytest.mark.parametrize(
    "text",
    [
        "A40",
        "40a",
        "NN 115/16",
        "12:30",
        "COVID-19",
        "4.2.1",
        "1,2,3",
        "_40",
        "1. 1. 2026.",
        "01.01.2026",
        "1. siječnja 2026.",
        "January 1, 2026",
        "1" * 40,
        "0.000.000",
        "",
    ],
)
def test_no_number_stands_in_a_longer_token_or_a_date(text: str) -> None:
    assert readings(text) == []


def test_what_can_be_read_in_two_ways_has_two_readings() -> None:
    assert readings("1.234 i 12,345") == [
        ("1.234", ["1234", "1.234"]),
        ("12,345", ["12345", "12.345"]),
    ]
    assert readings("1.234", "hr") == [("1.234", ["1234"])]
    assert readings("1.234", "en") == [("1.234", ["1.234"])]


def test_three_zeros_are_thousands() -> None:
    assert readings("40.000") == [("40.000", ["40000"])]


def test_a_list_of_numbers_is_not_one_number() -> None:
    text = "članci 5, 10 i 15; 2025 100; twenty and five; trideset i petnaest"
    assert [words for words, _ in readings(text)] == [
        *("5", "10", "15", "2025", "100", "twenty", "five", "trideset", "petnaest")
    ]


def test_a_hyphen_before_a_number_is_a_sign_a_range_or_a_bullet() -> None:
    assert readings("iznosi -5 %") == [("5", ["-5"])]
    assert readings("10-15 dana, 10 -15") == [
        (words, [words]) for words in ("10", "15", "10", "15")
    ]
    assert readings("- a\n-5 eura") == [("5", ["5", "-5"])]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("1.234", "hr", "1234"),
        ("1.234", "de", "1234"),
        ("1.234", "en", "1.234"),
        ("1,234", "en", "1234"),
        ("1,234", "hr", "1.234"),
        ("1,234.5", "hr", "1234.5"),
        ("1.234,5", "en", "1234.5"),
        (" 12,5 ", "hr", "12.5"),
        ("-5", "en", "-5"),
        ("thirty", "en", "30"),
    ],
)
def test_a_language_has_its_habit(text: str, language: str, expected: str) -> None:
    assert read_number(text, language) == Decimal(expected)


@pytest.mark.parametrize("text", ["", "x", "5 kg", "no 5", "5 i 6", "1.2.3"])
def test_what_is_not_one_number_is_none(text: str) -> None:
    assert read_number(text, "hr") is None


def test_words_of_another_language_are_left_alone_where_the_language_is_known() -> None:
    assert readings("pet food", "en") == []
    assert readings("pet dana", "hr") == [("pet", ["5"])]


@given(
    number=st.decimals(min_value=0, max_value=10**12, places=2),
    style=st.sampled_from(sorted(STYLES)),
)
def test_a_written_number_is_read_back(number: Decimal, style: str) -> None:
    text = f"iznosi {written(number, style)} ukupno"
    (found,) = scan_numbers(text)
    assert found.readings == (number,)
    assert text[found.start : found.end] == written(number, style)


@given(
    number=st.decimals(min_value=0, max_value=10**9, places=3),
    language=st.sampled_from(["hr", "en"]),
)
def test_a_language_reads_back_what_it_writes(number: Decimal, language: str) -> None:
    assert read_number(written(number, language), language) == number


@given(st.text(alphabet="1234567890.,' \u00a0-−/:%€aeiđth\n", max_size=60))
def test_any_text_gives_ordered_spans_that_read_the_same(text: str) -> None:
    end = 0
    for at in scan_numbers(text):
        assert end <= at.start < at.end <= len(text)
        assert at.readings
        end = at.end


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**15), max_value=10**15))
def test_the_canonical_form_says_the_same_number(number: Decimal) -> None:
    plain = format_number(number)
    assert Decimal(plain) == number
    assert "E" not in plain
    assert "." not in plain or not plain.endswith("0")
