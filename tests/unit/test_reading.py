"""A first look at a page: title, main text, furniture, language."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.markup import decoded
from assay.reading.look import first_look
from assay.reading.language import UNKNOWN, language_of

PAGE = """<!doctype html><html><head><meta charset="utf-8"><title> Zakon &amp;
porez </title><style>p { color: red }</style></head><body>
<header>Zaglavlje</header><nav><a href="/">Početna</a></nav>
<script>var hidden = "<p>not text</p>";</script><!-- <p>a comment</p> -->
<p>Članak 1.&nbsp;Stopa je <b>25</b>&#37;.</p><footer>Kontakt</footer></body></html>"""

HR = "Članak 1. Porez na dobit plaća se po stopi od 18 % ako je obveznik koji nije mali."
EN = "The tax on profits shall be paid by the taxpayer at the rate that is set in this article."
DE = "Die Steuer auf den Gewinn wird von dem Unternehmer nach dem Satz gemäß Absatz 1 bezahlt."


def test_the_title_and_the_main_text_are_what_a_reader_sees() -> None:
    page = first_look(PAGE.encode())
    assert page.title == "Zakon & porez"
    assert page.text == "Članak 1. Stopa je 25 %."


def test_scripts_styles_and_comments_are_no_text() -> None:
    page = first_look(PAGE.encode())
    assert not any(word in page.text for word in ("hidden", "not text", "comment", "color"))


def test_the_boilerplate_ratio_is_the_share_of_furniture() -> None:
    assert first_look(b"<p>text only</p>").boilerplate_ratio == 0.0
    assert first_look(b"<nav>only links</nav>").boilerplate_ratio == 1.0
    half = first_look(b"<aside>" + b"a" * 50 + b"</aside><p>" + b"b" * 50 + b"</p>")
    assert half.boilerplate_ratio == 0.5


def test_a_page_without_any_text_is_all_furniture() -> None:
    page = first_look(b"")
    assert (page.title, page.text, page.boilerplate_ratio) == (None, "", 1.0)
    assert first_look(b"<title></title>").title is None


@pytest.mark.parametrize("tag", ["table", "ol", "dl"])
def test_tables_and_numbered_lists_count_as_structure(tag: str) -> None:
    assert first_look(f"<p>x</p><{tag} class='a'></{tag}>".encode()).has_structured_data
    assert not first_look(f"<nav><{tag}></{tag}></nav><p>x</p>".encode()).has_structured_data
    assert not first_look(b"<ul><li>x</li></ul>").has_structured_data


def test_the_encoding_is_the_one_that_the_page_names() -> None:
    cp1250 = '<meta charset="windows-1250"><p>Članak šđžć</p>'.encode("cp1250")
    assert first_look(cp1250).text == "Članak šđžć"
    assert first_look("<p>Članak šđžć</p>".encode()).text == "Članak šđžć"


@pytest.mark.parametrize("name", [b"klingon", b"hex", b"-"])
def test_an_encoding_that_does_not_exist_is_read_as_utf_8(name: bytes) -> None:
    assert decoded(b'<meta charset="' + name + b'">' + "č".encode()).endswith("č")


@pytest.mark.parametrize("name", [b"undefined", b"idna"])
def test_a_codec_that_cannot_decode_text_is_read_as_utf_8(name: bytes) -> None:
    # charset="undefined" is what a careless script writes into a real page.
    assert decoded(b'<meta charset="' + name + b'">' + "č".encode()).endswith("č")


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.one_of(st.binary(max_size=300), st.text(alphabet="<>/!-&;navscript \n", max_size=80)))
def test_any_bytes_give_a_page_with_a_ratio_between_0_and_1(data: bytes | str) -> None:
    page = first_look(data if isinstance(data, bytes) else data.encode())
    assert 0.0 <= page.boilerplate_ratio <= 1.0
    assert page.text == " ".join(page.text.split())


@pytest.mark.parametrize(("text", "code"), [(HR, "hr"), (EN, "en"), (DE, "de")])
def test_croatian_english_and_german_are_told_apart(text: str, code: str) -> None:
    assert language_of(text) == code
    assert language_of(text.upper()) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the of and to",  # four words are too few
        "Lorem ipsum dolor sit amet consectetur",
        "1234 5678 90 11 12 13",
        "the of and der die und",  # nobody leads
    ],
)
def test_what_no_language_clearly_leads_is_undetermined(text: str) -> None:
    assert language_of(text) == UNKNOWN


def test_few_common_words_in_a_long_text_are_chance() -> None:
    assert language_of("the of " + "xyz " * 40) == "en"
    assert language_of("the of " + "xyz " * 80) == UNKNOWN


def test_only_the_beginning_of_a_long_text_decides() -> None:
    assert language_of(f"{EN} " * 60 + f"{DE} " * 500) == "en"


@pytest.mark.parametrize("piece", ["<nav>", "<", "<a ", "<!--", "<script>", "<title>", "&amp;<nav"])
def test_a_page_that_never_closes_anything_costs_no_more_than_its_length(piece: str) -> None:
    # A quadratic reader would take hours for this; a linear one ends before anybody notices.
    page = first_look((piece * 200_000).encode())
    assert 0.0 <= page.boilerplate_ratio <= 1.0
