"""A cheap look at a page: title, own text, furniture."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.reading.page_look import look_at_page

PAGE = """<!doctype html><html><head><meta charset="utf-8"><title> Zakon &amp;
porez </title><style>p { color: red }</style></head><body>
<header>Zaglavlje</header><nav><a href="/">Početna</a></nav>
<script>var hidden = "<p>not text</p>";</script><!-- <p>a comment</p> -->
<h1>O porezu</h1><p>Članak 1.&nbsp;Stopa je <b>25</b>&#37;.</p><footer>Kontakt</footer>
</body></html>"""


def test_the_title_and_the_lines_of_text_are_what_a_reader_sees() -> None:
    page = look_at_page(PAGE.encode())
    assert page.title == "Zakon & porez"
    assert page.text == "O porezu\nČlanak 1. Stopa je 25%."


def test_scripts_styles_and_comments_are_no_text() -> None:
    page = look_at_page(PAGE.encode())
    assert not any(word in page.text for word in ("hidden", "not text", "comment", "color"))


def test_capital_tags_are_tags_as_well() -> None:
    page = look_at_page(
        b"<TITLE>T</TITLE><NAV>menu</NAV><ScRiPt>x()</sCrIpT><P>a<B>b</B>c</P><TABLE>"
    )
    assert (page.title, page.text, page.has_structured_data) == ("T", "abc", True)


def test_inline_tags_leave_words_whole_and_blocks_part_them() -> None:
    assert look_at_page(b"<p>po<b>re</b>z</p><p>na<br>dobit</p>").text == "porez\nna\ndobit"
    assert look_at_page(b"<div>a</div><section>b</section>").text == "a\nb"


def test_the_boilerplate_ratio_is_the_share_of_furniture() -> None:
    assert look_at_page(b"<p>text only</p>").boilerplate_ratio == 0.0
    assert look_at_page(b"<nav>only links</nav>").boilerplate_ratio == 1.0
    half = look_at_page(b"<aside>" + b"a" * 50 + b"</aside><p>" + b"b" * 50 + b"</p>")
    assert half.boilerplate_ratio == 0.5


@pytest.mark.parametrize(
    "opening",
    [
        "<div class='menu'>",
        '<div class="wide navbar">',
        "<div id=footer>",
        '<ul role="navigation">',
        "<section class='cookie-banner'>",
    ],
)
def test_elements_that_call_themselves_furniture_are_furniture(opening: str) -> None:
    name = opening[1:].split()[0]
    page = look_at_page(f"{opening}<{name}>furn</{name}>iture</{name}><p>text</p>".encode())
    assert page.text == "text"
    assert page.boilerplate_ratio > 0.6


@pytest.mark.parametrize("opening", ["<div class='no-sidebar'>", "<div data-x='menu'>"])
def test_a_name_that_only_contains_such_a_word_is_not(opening: str) -> None:
    assert look_at_page(f"{opening}text</div>".encode()).text == "text"


def test_the_headline_in_the_header_of_an_article_is_text() -> None:
    page = look_at_page(b"<header>site</header><article><header>Zakon</header>text</article>")
    assert page.text == "Zakon\ntext"


def test_an_article_ends_the_furniture_around_it() -> None:
    assert look_at_page(b"<div class=menu>x<main>text</main></div>").text == "text"


def test_furniture_that_never_closes_swallows_nothing() -> None:
    page = look_at_page(b"<p>before</p><div class=menu><p>after</p>")
    assert page.text == "before\nafter"
    assert page.boilerplate_ratio == 0.0


def test_lines_that_are_one_short_link_are_a_menu() -> None:
    menu = look_at_page(b"<ul>" + b"<li><a href='/x'>Entry</a></li>" * 9 + b"</ul><p>12345</p>")
    assert menu.boilerplate_ratio == pytest.approx(45 / (45 + 5 + 9), abs=1e-4)
    headlines = look_at_page(b"<ul>" + b"<li><a href='/x'>" + b"h" * 61 + b"</a></li></ul>")
    assert headlines.boilerplate_ratio == 0.0


def test_a_page_without_any_text_is_all_furniture() -> None:
    page = look_at_page(b"")
    assert (page.title, page.text, page.boilerplate_ratio) == (None, "", 1.0)
    assert look_at_page(b"<title></title>").title is None


@pytest.mark.parametrize("tag", ["table", "ol", "dl"])
def test_tables_and_numbered_lists_count_as_structure(tag: str) -> None:
    assert look_at_page(f"<p>x</p><{tag} class='a'></{tag}>".encode()).has_structured_data
    assert not look_at_page(f"<nav><{tag}></{tag}></nav><p>x</p>".encode()).has_structured_data
    assert not look_at_page(b"<ul><li>x</li></ul>").has_structured_data


def test_the_encoding_is_the_one_that_the_page_or_its_server_names() -> None:
    text = "<p>Članak šđžć</p>"
    assert (
        look_at_page(b'<meta charset="windows-1250">' + text.encode("cp1250")).text == "Članak šđžć"
    )
    assert look_at_page(text.encode("cp1250"), "windows-1250").text == "Članak šđžć"
    assert look_at_page(text.encode(), "no-such-encoding").text == "Članak šđžć"


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.text(alphabet="<>/!-&;navscriptdlem=' \n", max_size=120),
        st.lists(
            st.sampled_from(
                ["<nav>", "</nav>", "<div class=menu>", "</div>", "<main>", "</main>", "x", "<p>"]
            ),
            max_size=30,
        ).map("".join),
    )
)
def test_any_bytes_give_a_look_with_a_ratio_between_0_and_1(data: bytes | str) -> None:
    page = look_at_page(data if isinstance(data, bytes) else data.encode())
    assert 0.0 <= page.boilerplate_ratio <= 1.0
    assert all(line and line == line.strip() for line in page.text.split("\n") if page.text)


@pytest.mark.parametrize(
    "piece",
    [
        "<nav>",
        "<",
        "<a ",
        "<!--",
        "<script>",
        "<title>",
        "&amp;<nav",
        "<div class=menu>",
        "<b>",
        "<li><a href=x>y",
        "<div class='",
        "<DIV>",
        "&#",
    ],
)
def test_a_page_that_never_closes_anything_costs_no_more_than_its_length(piece: str) -> None:
    # A quadratic reader would take hours for this; a linear one ends before anybody notices.
    page = look_at_page((piece * 100_000).encode())
    assert 0.0 <= page.boilerplate_ratio <= 1.0


def test_a_page_of_many_blocks_reads_as_one_of_few() -> None:
    words = ("riječ", "\u2003", "\n\t", " ", "porez", " ")
    markup = "<p>" + "".join(words[(at * at + at // 7) % len(words)] for at in range(1_000_000))
    assert len(markup) > 2_000_000
    assert look_at_page(markup.encode()).text == " ".join(markup.removeprefix("<p>").split())
