"""The simple rule by which scout judges, at its boundaries."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.reading.look import Page, first_look
from assay.stages.judgement import TYPE_WEIGHT, judged


def page(
    text: str = "x" * 200,
    *,
    title: str | None = None,
    boilerplate: float = 0.0,
    structured: bool = False,
) -> Page:
    return Page(title, text, boilerplate, structured)


@pytest.mark.parametrize(
    ("length", "skipped"), [(0, True), (99, True), (100, False), (500_000, False), (500_001, True)]
)
def test_the_length_decides_at_100_and_at_500000_characters(length: int, skipped: bool) -> None:
    judgement = judged(page("x" * length))
    assert (judgement.skip_reason is not None) == skipped
    assert judgement.length == length


def test_the_reason_tells_the_length() -> None:
    assert judged(page("x" * 99)).skip_reason == "too short: 99 characters, 100 are needed"
    assert str(judged(page("x" * 500_001)).skip_reason).startswith("too long: 500001 characters")


@pytest.mark.parametrize(("ratio", "skipped"), [(0.6999, False), (0.7, False), (0.7001, True)])
def test_more_than_70_percent_boilerplate_is_skipped(ratio: float, skipped: bool) -> None:
    reason = judged(page(boilerplate=ratio)).skip_reason
    assert reason == ("70% of it is navigation and footer" if skipped else None)


@pytest.mark.parametrize(("furniture", "skipped"), [(700, False), (701, True)])
def test_the_boilerplate_of_a_real_page_is_counted_in_characters(
    furniture: int, skipped: bool
) -> None:
    # Furniture beside 300 characters of text.
    seen = first_look(f"<nav>{'n' * furniture}</nav><p>{'t' * 300}</p>".encode())
    assert (judged(seen).skip_reason is not None) == skipped


@pytest.mark.parametrize(("characters", "skipped"), [(99, True), (100, False)])
def test_the_length_of_a_real_page_counts_visible_characters_only(
    characters: int, skipped: bool
) -> None:
    markup = f"<title>A long title</title><p class='{'c' * 200}'>{'č' * characters}</p>"
    assert (judged(first_look(markup.encode())).skip_reason is not None) == skipped


@pytest.mark.parametrize(
    ("title", "doc_type"),
    [
        ("Zakon o porezu na dobit", "LEGISLATION"),
        ("Pravilnik o obrascima", "REGULATION"),
        ("Uputa za obveznike", "GUIDELINE"),
        ("Česta pitanja", "FAQ"),
        ("Obrazac JOPPD", "FORM"),
        ("Obavijest o natječaju", "ANNOUNCEMENT"),
        ("Vijesti", "NEWS"),
        ("Kontakt", "BOILERPLATE"),
    ],
)
def test_the_title_tells_the_kind_and_the_kind_its_weight(title: str, doc_type: str) -> None:
    judgement = judged(page(title=title))
    assert judgement.doc_type == doc_type
    assert judgement.score == pytest.approx(max(0.0, 0.3 + TYPE_WEIGHT[doc_type]))


def test_the_weights_are_those_of_the_specification() -> None:
    assert TYPE_WEIGHT == {
        "LEGISLATION": 0.4,
        "REGULATION": 0.35,
        "GUIDELINE": 0.25,
        "FAQ": 0.2,
        "FORM": 0.15,
        "ANNOUNCEMENT": 0.15,
        "NEWS": 0.1,
        "BOILERPLATE": -0.3,
    }


def test_the_text_tells_the_kind_where_the_title_does_not() -> None:
    begin = "Zakon o porezu " + "x" * 300
    assert judged(page(begin, title="Kontakt")).doc_type == "LEGISLATION"
    assert judged(page("x" * 301 + " zakon", title="Kontakt")).doc_type == "BOILERPLATE"


def test_structure_adds_and_boilerplate_takes_away() -> None:
    plain = judged(page(title="Vijesti")).score
    assert judged(page(title="Vijesti", structured=True)).score == pytest.approx(plain + 0.1)
    assert judged(page(title="Vijesti", boilerplate=0.5)).score == pytest.approx(plain - 0.1)


def test_regulatory_words_add_up_to_three_tenths() -> None:
    plain = judged(page(title="Vijesti")).score
    dense = judged(page("porez 25 % rok kazna " * 50, title="Vijesti")).score
    assert dense == pytest.approx(plain + 0.3)


def test_a_section_sign_is_a_regulatory_signal() -> None:
    assert judged(page("§ 12 x " * 50)).score > judged(page("y 12 x " * 50)).score


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.text(max_size=400), st.none() | st.text(max_size=30), st.floats(0, 1), st.booleans())
def test_the_score_is_always_between_0_and_1(
    text: str, title: str | None, ratio: float, structured: bool
) -> None:
    judgement = judged(Page(title, text, ratio, structured))
    assert 0.0 <= judgement.score <= 1.0
    assert judgement.doc_type in TYPE_WEIGHT
