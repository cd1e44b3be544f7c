"""Bytes into characters: whatever they say they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.reading.decoding import decode_bytes

CROATIAN = "Članak 5. Šećer, žito i đak; „navod” – stopa je 25 %.\n"
GERMAN = "Für Straßen gilt § 5 – müßig, öffentlich, ähnlich.\n"
FRENCH = "L’été à Genève coûte 5 €, où il était né en août.\n"
POLISH = "Zażółć gęślą jaźń, pójdź w Łódź.\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CROATIAN, "cp1250"),
        ("Članak šećer žito đak\n", "iso8859-2"),
        (POLISH, "cp1250"),
        (GERMAN, "cp1252"),
        (FRENCH, "cp1252"),
    ],
)
def test_an_encoding_that_nobody_names_is_told_by_its_letters(text: str, encoding: str) -> None:
    read = decode_bytes(text.encode(encoding))
    assert read.text == text
    assert "does not declare its encoding" in read.warnings[0]


@pytest.mark.parametrize("charset", ["utf-8", "UTF8", "utf-16"])
def test_latin_bytes_that_are_declared_unicode_are_noticed(charset: str) -> None:
    read = decode_bytes(CROATIAN.encode("cp1250"), charset)
    assert read.text == CROATIAN
    assert read.encoding == "cp1250"
    assert "but is not" in read.warnings[0]


def test_unicode_that_is_declared_latin_is_noticed() -> None:
    read = decode_bytes(CROATIAN.encode(), "iso-8859-1")
    assert (read.text, read.encoding) == (CROATIAN, "utf-8")
    assert read.warnings == ("It is declared as cp1252 but is UTF-8.",)
    assert decode_bytes(b"plain ascii", "iso-8859-1").warnings == ()


def test_croatian_that_is_declared_latin_1_is_noticed_and_french_is_left_alone() -> None:
    read = decode_bytes(CROATIAN.encode("cp1250"), "iso-8859-1")
    assert read.text == CROATIAN
    assert read.warnings
    assert decode_bytes(FRENCH.encode("cp1252"), "iso-8859-1").text == FRENCH


@pytest.mark.parametrize(
    "head",
    [
        '<?xml version="1.0" encoding="windows-1250"?>',
        '<meta charset="windows-1250">',
        "<META http-equiv=Content-Type content='text/html; charset=windows-1250'>",
    ],
)
def test_a_declaration_in_the_document_counts(head: str) -> None:
    read = decode_bytes((head + CROATIAN).encode("cp1250"))
    assert read.text == head + CROATIAN
    assert read.warnings == ()


def test_the_sender_counts_before_the_document() -> None:
    page = "<meta charset=iso-8859-1>Članak".encode("cp1250")
    assert decode_bytes(page, "windows-1250").text.endswith("Članak")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_marks_and_wide_characters_are_seen(encoding: str) -> None:
    assert decode_bytes(CROATIAN.encode(encoding), "iso-8859-1").text == CROATIAN


def test_mixed_encodings_are_read_line_by_line() -> None:
    read = decode_bytes(CROATIAN.encode() + CROATIAN.encode("cp1250") + b"ascii\n")
    assert read.text == CROATIAN + CROATIAN + "ascii\n"
    assert read.warnings == ("Its encodings are mixed: 1 lines are cp1250, the others UTF-8.",)


@pytest.mark.parametrize("charset", ["", "no-such-thing", "rot13", "zlib", "idna", "\x00", "mbcs"])
def test_an_unknown_charset_is_as_good_as_none(charset: str) -> None:
    assert decode_bytes(CROATIAN.encode(), charset).text == CROATIAN


@pytest.mark.parametrize(
    "charset", ["idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf-7", "undefined"]
)
def test_a_charset_that_is_made_for_something_else_is_not_believed(charset: str) -> None:
    page = f"<p>{CROATIAN} \\\\u0041 +AGE- xn--80ak6aa92e</p>"
    read = decode_bytes(page.encode("cp1250"), charset)
    assert read.text == page
    assert read.encoding == "cp1250"


def test_one_bad_byte_does_not_cost_the_letters_of_its_line() -> None:
    words = "Članak 1. Porezni obveznik dužan je podnijeti prijavu."
    read = decode_bytes(words.encode() + b" \xe8 \xff " + words.encode())
    assert read.text == f"{words} č ˙ {words}"
    assert read.warnings == (
        "It is UTF-8 but for some bytes of 1 lines; they were read as cp1250.",
    )


@given(st.binary(max_size=400), st.sampled_from([None, "utf-8", "latin-1", "utf-16", "cp1250"]))
def test_any_bytes_give_text_that_can_be_stored(data: bytes, charset: str | None) -> None:
    text = decode_bytes(data, charset).text
    assert text.encode().decode() == text


@given(st.text(max_size=200))
def test_good_unicode_is_never_changed(text: str) -> None:
    data = text.encode()
    if not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")) and b"\x00" not in data:
        assert decode_bytes(data).text == text


def test_a_long_line_costs_no_more_than_its_length() -> None:
    # A quadratic reader would take hours for this; a linear one ends before anybody notices.
    assert len(decode_bytes(b"\xe8" * 2_000_000).text) == 2_000_000
    assert len(decode_bytes("č".encode() * 1_000_000 + b"\xe8").text) > 1_000_000
